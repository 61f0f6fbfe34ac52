"""Known forms of transcripts, in the order in which they are tried.

To add an exporter's form: a file in ``exports`` with its signature and its reading, and a line in ``EXPORTERS``. To add
a shape of label that people write by hand: a file in ``labels`` with its ``FORM``, and a line in ``FORMS``. Exporters
come first, because a signature is certain; the hand-kept forms are weighed together over the whole file (`hand_kept`).
"""

from __future__ import annotations

from typing import Final

from mdtally.dialects import table_rows
from mdtally.dialects.exports import (
    aider,
    aistorm,
    autogen,
    chat_bridge,
    claude_code,
    copilot,
    council,
    openclaw,
    prompt_record,
    role_headings,
    sift,
    specstory,
    step_fields,
    web_export,
)
from mdtally.dialects.forms import Form
from mdtally.dialects.labels import bold, brackets, headings, items, plain, quotes
from mdtally.dialects.page import Dialect

EXPORTERS: Final[tuple[Dialect, ...]] = (
    council.MARKDOWN,
    council.ADR,
    council.SHARE,
    council.PLAIN,
    specstory.DIALECT,
    claude_code.DIALECT,
    chat_bridge.DIALECT,
    aistorm.DIALECT,
    aider.DIALECT,
    autogen.DIALECT,
    copilot.DIALECT,
    openclaw.DIALECT,
    sift.DIALECT,
    web_export.DIALECT,
    prompt_record.DIALECT,
    step_fields.DIALECT,
    role_headings.DIALECT,
)
"""Forms with a signature, each tried on its own, the first that matches and finds turns wins."""

FORMS: Final[tuple[Form, ...]] = (
    headings.FORM,
    bold.FORM,
    brackets.FORM,
    items.FORM,
    quotes.FORM,
    bold.ALONE,
    plain.FORM,
)
"""Shapes of labels in hand-kept transcripts; a line has the first shape that fits."""

NUMBERED: Final = "numbered-headings"
"""Round and speaker in one heading: read beside the forms, because the same headings may be rounds with titles."""

LAST: Final[tuple[Dialect, ...]] = (table_rows.DIALECT,)
"""Forms that are tried where nothing else was found: a debate may hold such a thing beside its turns."""

NAMES: Final = (
    *(dialect.name for dialect in EXPORTERS),
    *(form.name for form in FORMS),
    NUMBERED,
    *(dialect.name for dialect in LAST),
)
"""Every name that `dialect:` may have."""
