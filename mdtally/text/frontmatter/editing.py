"""Setting the keys of a head by lines: only those of the keys that change are written anew.

Simple on purpose: a value that stands on its key's line is exchanged there, any other takes its lines with it. Where a
head is written in an unusual way, what comes out may be wrong, and is never used: every edit is read again before it is
handed out, see ``handlers``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from mdtally.text.frontmatter.text import REMOVED, as_written, inner, pair, read_back
from mdtally.text.model import Head, HeadFormat, Source
from mdtally.text.regex import regex
from mdtally.text.source import LINE_END, line_starts, lines_with_ends

# "  # why": a comment at the end of a line, as against a "#" in quotes.
_COMMENT = regex(r"""(?:\A|[ \t])(#[^\r\n"']*)[\r\n]*\Z""")
# "[table]", if it stands in no value.
_TABLE = regex(r"[ \t]*\[")


def edit_head(source: Source, head: Head, updates: Mapping[str, object]) -> str:
    """The head of a source with top-level keys set or removed; right only if it reads back so.

    Raises:
        HeadError: no head can hold a value.
    """
    syntax = source.head_format or "yaml"
    text = source.head or f"---{source.newline}---{source.newline}"
    changed = {key: new for key, new in updates.items() if read_back(new) != head.values.get(key, REMOVED)}
    # What comes first is added last, so that the offsets of the others stay.
    if added := [key for key in changed if key not in head.values]:
        place = _insert_at(text, head, syntax)
        indent = _indent(text)
        lines = "".join(_pair_lines(key, changed[key], syntax, indent, source.newline) for key in added)
        opens_line = text[place - 1] in "\r\n"
        text = text[:place] + ("" if opens_line else source.newline) + lines + text[place:]
    known = [key for key in changed if key in head.spans]
    for key in sorted(known, key=lambda key: head.spans[key].start, reverse=True):
        text = _change_pair(text, head, key, changed[key], syntax, source.newline)
    return text


def _change_pair(text: str, head: Head, key: str, new: object, syntax: HeadFormat, newline: str) -> str:
    """A head's text with the value of a key that it has changed, or taken out."""
    starts, span = line_starts(text), head.spans[key]
    begin = starts[head.lines[key] - 1]
    old = text[span.start : span.end]
    is_block = syntax == "yaml" and isinstance(new, Mapping)
    if new is not REMOVED and not is_block and not LINE_END.search(text[begin : span.end]):
        gap = "" if text[span.start - 1] in " \t" else " "
        return text[: span.start] + gap + as_written(new, syntax) + text[span.end :]
    last = bisect_right(starts, max(span.start, span.start + len(old.rstrip()) - 1))
    end = starts[last] if last < len(starts) else len(text)
    indent = text[begin : len(text) - len(text[begin:].lstrip(" \t"))]
    comments = (_COMMENT.search(line) for line in _with_comments(text[begin:end], old))
    comments_kept = "".join(f"{indent}{comment[1]}{newline}" for comment in comments if comment)
    return text[:begin] + _pair_lines(key, new, syntax, indent, newline) + comments_kept + text[end:]


def _with_comments(text: str, value: str) -> list[str]:
    """The lines of a key and its value that may end in a comment: of a text over several lines not those inside it."""
    lines = lines_with_ends(text)
    return lines[:1] if value[:1] in "|>" and value else lines[-1:] if value[:1] in "\"'" and value else lines


def _pair_lines(key: str, new: object, syntax: HeadFormat, indent: str, newline: str) -> str:
    """A pair on lines of its own; in YAML a mapping goes below its key."""
    if new is REMOVED:
        return ""
    if syntax == "yaml" and isinstance(new, Mapping) and new:
        deeper = (_pair_lines(str(name), item, syntax, indent + "  ", newline) for name, item in new.items())
        return f"{indent}{as_written(key, syntax)}:{newline}{''.join(deeper)}"
    return f"{indent}{pair(key, new, syntax)}{newline}"


def _indent(text: str) -> str:
    """The white space that the pairs of a head begin with."""
    start, end = inner(text)
    lines = (line for line in lines_with_ends(text[start:end]) if line.strip() and not line.lstrip().startswith("#"))
    first = next(lines, "")
    return first[: len(first) - len(first.lstrip())]


def _insert_at(text: str, head: Head, syntax: HeadFormat) -> int:
    """Where new pairs go: at the end, in TOML above the first table and the comments that stand on it."""
    start, end = inner(text)
    starts = [at for at in line_starts(text) if start <= at <= end]
    if syntax == "yaml":
        return end
    values = head.spans.values()
    lines = (at for at in starts if _TABLE.match(text, at, end) and not any(s.start < at < s.end for s in values))
    place = next(lines, end)
    while start < place < end and text[starts[starts.index(place) - 1] :].lstrip(" \t")[:1] in "\r\n#":
        place = starts[starts.index(place) - 1]
    return place
