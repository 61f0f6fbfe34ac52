"""What stands between the fences of a TOML head.

A TOML value has its type by the way it is written, so nothing is lost where numbers and dates become strings again.
"""

from __future__ import annotations

from mdtally.text import toml
from mdtally.text.frontmatter.text import HeadError, Pairs, read_back
from mdtally.text.source import line_starts


def pairs_of(text: str) -> Pairs:
    """The pairs of a text; a table has the place of the first value in it, and no span, as it is not edited.

    Raises:
        HeadError: it is not valid TOML.
    """
    # TOML knows no CR as a newline.
    text = text.replace("\r", "\n") if "\n" not in text else text
    try:
        values = {key: _as_text(value) for key, value in toml.read(text).items()}
    except toml.TomlError as error:
        offset = line_starts(text)[error.line - 1] + error.column - 1
        raise HeadError(offset, f"the frontmatter is not valid TOML: {error.reason}") from None
    found = toml.spans(text)
    keys = {path[0]: span.start for path, span in reversed(found.items())}
    return Pairs(values, keys, {path[0]: span for path, span in found.items() if len(path) == 1})


def _as_text(value: object) -> object:
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    # The standard library writes a date and time with a blank between them unless it is asked.
    return value.isoformat() if hasattr(value, "isoformat") else read_back(value)
