"""A copy of a log for a second labeler, who sees nothing of what the first one tagged."""

from __future__ import annotations

from mdtally.log.agreement import without_annotations
from mdtally.session import REVIEWED
from mdtally.session.counts.body import read_statements
from mdtally.text import frontmatter
from mdtally.text.document import Document
from mdtally.text.model import Problem, Refusal
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, lines_with_ends
from mdtally.transcript import label_lines

_OF_VERDICT = regex(r"(?i)(?:verdict|calibration\w*|A_[PRT]|tallies)$")


def without_tags(document: Document) -> bytes:
    """The log without its tags, tallies and verdict; every line stays at its number.

    A line that held nothing else is empty; a key of the frontmatter that tells of a verdict is left out.
    """
    return encode(replace(document.source, head=_head(document), body="".join(_bare_lines(document))))


def with_rest(copy: Document, document: Document) -> bytes | Refusal | None:
    """A labeler's copy with what its log has gained at the end since, and not reviewed then; None if it gained nothing.

    Refused if the log has changed in another place: what stands there then is not what the labeler has seen.
    """
    lines = _bare_lines(document)
    filled = [place for place, line in enumerate(lines) if line.strip()]
    labelled = [line.split() for line in _bare_lines(copy) if line.strip()]
    if [lines[place].split() for place in filled[: len(labelled)]] != labelled:
        return Refusal("the log has changed since its copy was made, and not only at its end")
    rest = "".join(lines[filled[len(labelled) - 1] + 1 :] if labelled else lines)
    if not rest.strip():
        return None
    opened = frontmatter.edit(copy.source, copy.head, {REVIEWED: frontmatter.REMOVED})
    if isinstance(opened, Problem):
        return Refusal(opened.message)
    gap = "" if copy.source.body.endswith(("\n", "\r")) else copy.source.newline
    return encode(replace(opened, body=f"{opened.body}{gap}{rest}"))


def _bare_lines(document: Document) -> list[str]:
    """The lines of the body without tags and tallies, each with its end."""
    found = read_statements(document, label_lines)
    regions = [event.region for events in found.lines.values() for event in events]
    bare = without_annotations(document.lines, regions + [tally.region for tally in found.tallies])
    rows = zip(bare[document.body_line - 1 :], lines_with_ends(document.source.body), strict=True)
    return [line + written[len(written.rstrip("\r\n")) :] for line, written in rows]


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
