"""A copy of a log for a second labeler, who sees nothing of what the first one tagged."""

from __future__ import annotations

from mdtally.log.agreement import without_annotations
from mdtally.session.counts.body import read_statements
from mdtally.text.document import Document
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, lines_with_ends
from mdtally.transcript import label_lines

_OF_VERDICT = regex(r"(?i)(?:verdict|calibration\w*|A_[PRT]|tallies)$")


def without_tags(document: Document) -> bytes:
    """The log without its tags, tallies and verdict; every line stays at its number.

    A line that held nothing else is empty; a key of the frontmatter that tells of a verdict is left out.
    """
    found = read_statements(document, label_lines)
    regions = [event.region for events in found.lines.values() for event in events]
    bare = without_annotations(document.lines, regions + [tally.region for tally in found.tallies])
    rows = zip(bare[document.body_line - 1 :], lines_with_ends(document.source.body), strict=True)
    body = "".join(line + written[len(written.rstrip("\r\n")) :] for line, written in rows)
    return encode(replace(document.source, head=_head(document), body=body))


def _head(document: Document) -> str:
    """The frontmatter with empty comments for the lines that tell of a verdict; empty lines if it told nothing else."""
    keys = {line: key for key, line in document.head.lines.items()}
    out, hidden = [], False
    for number, line in enumerate(lines_with_ends(document.source.head), start=1):
        if number in keys or number >= document.head.last_line:
            hidden = bool(_OF_VERDICT.match(keys.get(number, "")))
        out.append("#" + line[len(line.rstrip("\r\n")) :] if hidden else line)
    if out and all(line.strip() == "#" for line in out[1:-1]):
        out = [line[len(line.rstrip("\r\n")) :] for line in out]
    return "".join(out)
