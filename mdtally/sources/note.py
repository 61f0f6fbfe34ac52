"""A recorded session as a Markdown note that a person can read and tag, and what a note lacks of one that went on.

What stands in the texts is escaped so far that the note reads back as exactly these turns and counts nothing: labels,
fences and comments that would act on what follows get a backslash, and what would count becomes code. The result is
read back to see it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from mdtally import counts as counting
from mdtally import transcript as transcripts
from mdtally.document import parse
from mdtally.lines import RECORDED
from mdtally.model import Document, Region
from mdtally.sources.escaping import clean, escaped, fenced, in_code, literal
from mdtally.sources.conversation import Recording, TurnPart
from mdtally.sources.tools import tell
from mdtally.records import record
from mdtally.regex import regex

PERSON, AGENT = "Me", "Agent"
LONGEST = 200
"""Characters of a tool's object that a note shows."""

_KINDS = f"""\
participants:
  {PERSON}: human
  {AGENT}: agent
transcript:
  turn: "**{{speaker}}:** {{text}}"
---
"""
_MARKER = "<!-- recorded: {} lines -->"
_REWOUND = "> the session was rewound: what follows takes the place of the end of what stands above"
_TRIES = 12
_PLAIN = regex(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
# What may not stand behind a label on its line: "- an item", "# a title", "> a quote", "1. one", "| a | b |", "  code"
_BLOCK = regex(r"\s|[-*+>#|~`<=:_]|\d+[.)]|\[[^\]]*\]:|\Z")
# What makes something else of the line above it: "----", "====", "--- | ---"
_BELOW = regex(r"\s*(?:=+|[-|:\s]*-[-|:\s]*)\s*\Z")


def note_of(recording: Recording, date: str) -> str:
    """The note of a recorded session; its last line, a comment, says how many lines of the session's file it holds.

    Args:
        recording: the session.
        date: the day of its first turn, as the person's calendar has it.
    """
    head = {"session": recording.session, "date": date, "model": recording.model}
    known = "".join(f"{key}: {_scalar(value)}\n" for key, value in head.items() if value)
    body = _body([*_entries(recording)], recording.folder)
    return f"---\nkind: session\n{known}{_KINDS}\n{body}\n{_MARKER.format(recording.size)}\n"


def recorded_size(document: Document) -> int | None:
    """How many lines of its session's file a note holds; None if it does not say."""
    found = RECORDED.findall(document.source.body)
    return int(found[-1]) if found else None


def addition(document: Document, before: Recording, now: Recording) -> str:
    """What to add at the end of a note that a session has gone on since; "" if there is nothing.

    Args:
        document: the note.
        before: the session as it was when the note was written: the first `recorded_size` lines of its file.
        now: the session as it is.
    """
    old, new = [*_entries(before)], [*_entries(now)]
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    same = min(same, len(new))
    if same == len(new):
        return ""
    rewound = same < len(old)
    if rewound or not document.source.body.rstrip().endswith(_MARKER.format(before.size)):
        # What goes on with a turn stands under a label of its own, if something was written below the note's end.
        while rewound and not new[same].is_first:
            same -= 1
        new[same] = _Entry(new[same].is_person, True, new[same].part)
    text = "\n".join([_REWOUND, ""] if rewound else []) + _body(new[same:], now.folder)
    gap = "" if document.source.body.endswith(("\n", "\r")) else "\n"
    return f"{gap}\n{text}\n{_MARKER.format(now.size)}\n".replace("\n", document.source.newline)


def file_name(recording: Recording, date: str) -> str:
    """The name for a note: its date and the first words of the person that are not a command."""
    words = _WORD.findall((recording.first_words or "session").lower())
    slug = ""
    for word in words[:6]:
        word = word.replace("'", "").replace("’", "")
        slug = f"{slug}-{word}" if len(slug) + len(word) < 48 else slug
    return f"{date}{slug[:60] or '-session'}.md"


# -- The body ---------------------------------------------------------------------------------------------------------


@record
class _Entry:
    """A part of a conversation: whose it is, and whether a turn begins with it."""

    is_person: bool
    is_first: bool
    part: TurnPart


def _entries(recording: Recording) -> Iterator[_Entry]:
    for turn in recording.turns:
        for index, part in enumerate(turn.parts):
            yield _Entry(turn.is_person, index == 0, part)


class _Block:
    """The lines that a part becomes in a note, with the label where a turn begins.

    Attributes:
        label: "**Me:**" or "**Agent:**"; "" if the turn goes on.
        is_quoted: True for a call of a tool and for a notice.
        rows: the lines.
    """

    def __init__(self, entry: _Entry, folder: str) -> None:
        self.label = f"**{PERSON if entry.is_person else AGENT}:**" if entry.is_first else ""
        self._piece = entry.part
        self.is_quoted = entry.part.kind != "text"
        self._text = _quoted(entry.part, folder) if self.is_quoted else escaped(clean(entry.part.text))
        self._dressed: set[tuple[int, str]] = set()
        self._is_fenced = False
        self.rows = self._laid(self._text)

    def _laid(self, text: str) -> list[str]:
        rows = text.split("\n")
        if not self.label:
            return rows
        if self.is_quoted or _BLOCK.match(rows[0]) or any(map(_BELOW.match, rows[1:2])):
            return [self.label, "", *rows]
        return [f"{self.label} {rows[0]}", *rows[1:]]

    def dress(self, region: Region, line: int) -> None:
        """Make code of a region of the note, in which the block begins at a line; of the whole block if it is more.

        It is the whole block too where code in this row was not enough: a table is read with its names in code.
        """
        row, start, end = region.line - line, region.column - 1, region.end_column - 1
        words = self.rows[row][start:end] if region.line == region.end_line and row < len(self.rows) else ""
        if self._is_fenced:
            return  # another place of the block is code since, and all of it with that
        if (row, words) in self._dressed or not words.strip() or "`" in words:
            self.fence()
        else:
            self.rows[row] = f"{self.rows[row][:start]}{in_code(words)}{self.rows[row][end:]}"
            self._dressed.add((row, words))

    def fence(self) -> None:
        """Make code of the whole block; of a call, of what stands behind the quotation mark."""
        self._is_fenced = True
        self.rows = self._laid(f"> {in_code(self._text[2:])}" if self.is_quoted else fenced(self._text))


def _quoted(part: TurnPart, folder: str) -> str:
    """The quoted line of a call or a notice, on one line; a path in the session's folder from there on."""
    what = " ".join(clean(part.text).split())
    if part.kind == "tool":
        if folder and what.startswith(folder):
            # "C:\\Users\\me\\app" and "C:\\Users\\me\\app\\src\\main.py"; "/home/me/apple" is not below "/home/me/app"
            below = what.removeprefix(folder.rstrip("/\\"))
            what = below[1:] if below[:1] in ("/", "\\") else what
        what = f"{what[: LONGEST - 1]}…" if len(what) > LONGEST else what
        what = tell(" ".join(clean(part.tool).split())[:LONGEST], what)
    return f"> {literal(what)}"


def _body(entries: Sequence[_Entry], folder: str) -> str:
    """The turns as Markdown that reads back as these turns and counts nothing."""
    blocks = [_Block(entry, folder) for entry in entries]
    text = ""
    for _ in range(_TRIES):
        text, starts = _joined(blocks)
        document = parse(f"---\nkind: session\n{_KINDS}{text}".encode())
        wrong = False
        for region in sorted(_counted(document), reverse=True):
            place = bisect_right(starts, region.line - document.body_line) - 1
            blocks[place].dress(region, document.body_line + starts[place])
            wrong = True
        labels = [start for start, block in zip(starts, blocks, strict=True) if block.label]
        read = [turn.line - document.body_line for turn in transcripts.read(document).turns]
        if read != labels:
            first = next(at for at, pair in enumerate(zip_longest(labels, read)) if pair[0] != pair[1])
            for start, block in zip(starts, blocks, strict=True):
                if [*labels, 0][max(first - 1, 0)] <= start <= [*labels, starts[-1]][first]:
                    block.fence()
            wrong = True
        if not wrong:
            break
    return text


def _joined(blocks: Sequence[_Block]) -> tuple[str, list[int]]:
    """The blocks with blank lines between them, but for quoted lines that follow each other; and the row of each."""
    rows: list[str] = []
    starts = []
    for block, before in zip(blocks, [None, *blocks], strict=False):
        if before is not None and not (before.is_quoted and block.is_quoted and not block.label):
            rows.append("")
        starts.append(len(rows))
        rows += block.rows
    return "".join(f"{row}\n" for row in rows), starts


def _counted(document: Document) -> list[Region]:
    """Where something counts, or looks as if it were meant to."""
    counts, problems = counting.read(document, labels=lambda: transcripts.label_lines(document))
    quiet = ("tag-in-code", "tally-missing", "tally-mismatch", "tally-decreased", "tally-impossible")
    seen = [problem.region for problem in problems if problem.severity == "error" or problem.rule not in quiet]
    return [*seen, *(event.region for event in counts.events), *(tally.region for tally in counts.tallies)]


def _scalar(value: str) -> str:
    """A text as a value of the frontmatter: as it is where that is safe, else quoted."""
    return value if _PLAIN.fullmatch(value) else json.dumps(clean(value))
