"""A copy of a log for a second labeler, who sees nothing of what the first one tagged."""

from __future__ import annotations

from functools import partial

from mdtally import counts as counting
from mdtally.document import parse
from mdtally.model import Document, Region
from mdtally.records import replace
from mdtally.regex import regex
from mdtally.source import encode
from mdtally.transcript import label_lines

_OF_VERDICT = regex(r"(?:verdict|calibration\w*|A_[PRT]|tallies)$", 2)
_LINE = regex(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")
# What stays of annotations where their events are cut out: the rest of a comment, a tag beside another on its line.
_LEFT = regex(r"<!--\s*-->|\[A_[PRT]\b[^\]\n]*\]|#A_[PRT]\b", 2)


def without_tags(document: Document) -> bytes:
    """The log without its tags, tallies and verdict; every line stays at its number.

    A line that held nothing else is empty; a key of the frontmatter that tells of a verdict is left out.
    """
    source, at = document.source, document.body_line - 1
    for _ in range(3):  # of two tags on a line that are one event, the second shows when the first is gone
        counts, _problems = counting.read(document, trust="tags", labels=partial(label_lines, document))
        regions = [event.region for event in counts.events] + [tally.region for tally in counts.tallies]
        if not regions:
            break
        lines = _cut(document, regions)
        ends = regex(r"\r\n|\n|\r").findall(source.body)
        body = "".join(line + end for line, end in zip(lines[at:], [*ends, ""], strict=False))
        source = replace(source, body=body)
        document = replace(parse(encode(source)), form=document.form)
    kept = _head(document)
    return encode(replace(source, head=kept))


def _cut(document: Document, regions: list[Region]) -> list[str]:
    lines = list(document.lines)
    for region in sorted(set(regions), reverse=True):
        for number in range(region.line, region.end_line + 1):
            text = lines[number - 1]
            start = region.column - 1 if number == region.line else 0
            end = region.end_column - 1 if number == region.end_line else len(text)
            lines[number - 1] = _LEFT.sub("", text[:start] + text[end:])
    changed = {number for region in regions for number in range(region.line, region.end_line + 1)}
    for number in changed:
        text = lines[number - 1].rstrip()
        lines[number - 1] = text if text.strip(" -*+>|#") else ""
    return lines


def _head(document: Document) -> str:
    """The frontmatter with empty comments for the lines that tell of a verdict; JSON, which has none, stays."""
    if document.source.head_format not in ("yaml", "toml"):
        return document.source.head
    keys = {line: key for key, line in document.head.lines.items()}
    out, hidden = [], False
    for number, line in enumerate(_LINE.findall(document.source.head), start=1):
        if number in keys or number >= document.head.last_line:
            hidden = bool(_OF_VERDICT.match(keys.get(number, "")))
        out.append("#" + line[len(line.rstrip("\r\n")) :] if hidden else line)
    return "".join(out)
