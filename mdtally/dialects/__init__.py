"""Known forms of transcripts, in the order in which they are tried.

To add an exporter's form: a file here with its signature and its reading, and a line in ``EXPORTERS``. To add a shape
of label that people write by hand: a file with its ``FORM``, and a line in ``FORMS``. Exporters come first, because a
signature is certain; the hand-kept forms are weighed together over the whole file.
"""

from __future__ import annotations

from typing import Final

from mdtally.dialects import (
    aider,
    aistorm,
    autogen,
    bold_labels,
    bracket_labels,
    chat_bridge,
    claude_code,
    copilot,
    council,
    heading_speakers,
    list_labels,
    openclaw,
    plain_labels,
    prompt_record,
    quoted_labels,
    role_headings,
    specstory,
    step_fields,
    table_rows,
)
from mdtally.dialects.forms import Form
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
    prompt_record.DIALECT,
    step_fields.DIALECT,
    role_headings.DIALECT,
)
"""Forms with a signature, each tried on its own, the first that matches and finds turns wins."""

FORMS: Final[tuple[Form, ...]] = (
    heading_speakers.FORM,
    bold_labels.FORM,
    bracket_labels.FORM,
    list_labels.FORM,
    quoted_labels.FORM,
    bold_labels.ALONE,
    plain_labels.FORM,
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
