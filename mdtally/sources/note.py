"""A conversation as a Markdown note that a person can read and tag, and what a note lacks of one that went on.

What stands in the texts is escaped so far that the note reads back as exactly these turns and counts nothing: labels,
fences and comments that would act on what follows get a backslash, and what would count becomes code. The result is
read back to see it.

The last line of a note, a comment, holds a short hash of each turn, by which the place is found where the conversation
goes on, or left what the note holds: what a person has written into the note does not matter for that.
"""

from __future__ import annotations

from base64 import b32encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import islice, zip_longest

from mdtally import transcript as transcripts
from mdtally.events.tools import tell
from mdtally.session import counts as counting
from mdtally.sources.escaping import clean, escape_text, fence_text, in_code, literal
from mdtally.sources.recording import RecordedTurn, Recording, TurnPart
from mdtally.text.chars import in_quotes
from mdtally.text.document import Document, parse
from mdtally.text.lines import RECORDED
from mdtally.text.model import Refusal, Region
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.voices import declared_voices

PERSON, AGENT = "Me", "Agent"
LONGEST = 200
"""Characters of a tool's object that a note shows."""

_KINDS = """\
participants:
  {}: human
  {}: agent
transcript:
  turn: "**{{speaker}}:** {{text}}"
---
"""
_MARKER = "<!-- recorded: {} turns, {} parts: {} -->"
# "Claude Code", "claude-opus-4-5"
_PLAIN = regex(r"[A-Za-z0-9][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*")
_REWOUND = "> the session was rewound: what follows takes the place of the end of what stands above"
_ELSEWHERE = "> not in this note: {} on branches that were left (edits, retries, rewinds)"
_SHORT = 5  # characters of a turn's hash
_UNREADABLE = Refusal("no note could be made of it that reads back as these turns")
_TRIES = 12
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
# What may not stand behind a label on its line: "- an item", "# a title", "> a quote", "1. one", "| a | b |", "  code"
_BLOCK = regex(r"\s|[-*+>#|~`<=:_]|\d+[.)]|\[[^\]]*\]:|\Z")
# What makes something else of the line above it: "----", "====", "--- | ---"
_BELOW = regex(r"\s*(?:=+|[-|:\s]*-[-|:\s]*)\s*\Z")


def note_of(recording: Recording, date: str) -> str | Refusal:
    """The note of a conversation; a refusal if it would not read back as these turns.

    Args:
        recording: the conversation.
        date: the day of its first turn, as the person's calendar has it.
    """
    names = {"session": recording.session, "date": date, "model": recording.model, "source": recording.source}
    known = "".join(f"{key}: {_scalar(value)}\n" for key, value in names.items() if value)
    body = _body([*_entries(recording.turns)], recording)
    return body if isinstance(body, Refusal) else f"---\nkind: session\n{known}{_KINDS.format(PERSON, AGENT)}\n{body}"


def addition(document: Document, now: Recording) -> str | Refusal:
    """What to add at the end of the note of a session that has gone on since; "" if there is nothing.

    The voices are called what the note calls them. It is refused if the note would not read as its turns and the new,
    or one of its own voices is not read in it.

    Args:
        document: the note.
        now: the session as it is.
    """
    body = document.source.body
    marks = [*RECORDED.finditer(body)]
    if not marks:
        return Refusal("it no longer says how far it goes; --output names another note")
    parts, hashes = int(marks[-1][1]), marks[-1][2]
    old = [hashes[at : at + _SHORT] for at in range(0, len(hashes), _SHORT)]
    found = [_hash(turn, parts if at == len(old) else None) for at, turn in enumerate(now.turns, start=1)]
    place, is_rewound = _resume_at(old, found)
    new = [*_entries(now.turns[place:])]
    if place == len(old) and not is_rewound and old:
        new = [*islice(_entries(now.turns[place - 1 :]), parts, None)]
    if not new:
        return ""
    if is_rewound or body[marks[-1].end() :].strip():
        # What goes on with a turn stands under a label of its own, if something was written below the note's end.
        new[0] = replace(new[0], is_first=True)
    names = _names_in(document)
    text = _body(new, now, names)
    if isinstance(text, Refusal):
        return text
    text = ("\n" if body.endswith(("\n", "\r")) else "\n\n") + (f"{_REWOUND}\n\n" if is_rewound else "") + text
    text = text.replace("\n", document.source.newline)
    before = [(turn.line, turn.kind == "human") for turn in transcripts.read(document).turns]
    after = transcripts.read(parse((document.source.text + text).encode())).turns
    read = [(turn.line, turn.kind == "human") for turn in after[: len(before)]]
    added = [turn.kind == "human" for turn in after[len(before) :]]
    if (read, added) != (before, [one.is_person for one in new if one.is_first]):
        labels = " and ".join(f"`**{name}:**`" for name in names)
        where = "would not be read as turns at its end; --output names another note"
        return Refusal(f"new turns, labelled {labels}, {where}")
    if {turn.is_person for turn in now.turns[:place]} - {is_person for _, is_person in before}:
        return Refusal("a voice of it is not read any more, maybe renamed in one place only; `mdtally review` asks")
    return text


def _names_in(document: Document) -> tuple[str, str]:
    """What a note calls the person and the agent, if it declares one of each; else what a new note does."""
    people, _ = declared_voices(document.head)
    persons, agents = ([one.name for one in people if one.kind == kind] for kind in ("human", "agent"))
    return persons[0] if len(persons) == 1 else PERSON, agents[0] if len(agents) == 1 else AGENT


def _resume_at(old: Sequence[str], new: Sequence[str]) -> tuple[int, bool]:
    """How many turns of a conversation a note holds, by their hashes, and whether the note's others were left.

    If few turns differ and the last ones are the same, nobody went back: another version has read a turn otherwise.
    """
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if same is None:
        return min(len(old), len(new)), False
    blocks = SequenceMatcher(None, old[same:], new[same:], autojunk=False).get_matching_blocks()
    last, left = blocks[-2:][0], len(old) - same
    if last.size and last.a + last.size == left and 2 * sum(block.size for block in blocks) > left:
        return same + last.b + last.size, False
    return same, True


def turns_hash(recording: Recording) -> str:
    """A short hash of each turn of a conversation, one after the other."""
    return "".join(map(_hash, recording.turns))


def is_copy(turns: str, known: str) -> bool:
    """True if the turns of a recording are those that another one begins with, by their hashes; its last may go on."""
    return known.startswith(turns[:-_SHORT])


def _hash(turn: RecordedTurn, parts: int | None = None) -> str:
    """A short hash of the words of a turn, or of its first parts; of its calls if nothing is said."""
    chosen = turn.parts[:parts]
    words = [part.text for part in chosen if part.kind == "text"] or [f"{part.tool} {part.text}" for part in chosen]
    data = "\0".join(words).encode("utf-8", "surrogatepass")
    return b32encode(blake2b(data, digest_size=5).digest()).decode()[:_SHORT].lower()


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


def _entries(turns: Iterable[RecordedTurn]) -> Iterator[_Entry]:
    for turn in turns:
        for index, part in enumerate(turn.parts):
            yield _Entry(turn.is_person, index == 0, part)


class _Block:
    """The lines that a part becomes in a note, with the label where a turn begins.

    Attributes:
        label: "**Me:**" or "**Agent:**", or by other names; "" if the turn goes on.
        is_quoted: True for all but words: a call of a tool, a notice, what was attached.
        rows: the lines.
    """

    def __init__(self, entry: _Entry, folder: str, names: tuple[str, str]) -> None:
        self.label = f"**{names[0 if entry.is_person else 1]}:**" if entry.is_first else ""
        self.is_quoted = entry.part.kind != "text"
        self._text = _quoted_line(entry.part, folder) if self.is_quoted else escape_text(clean(entry.part.text))
        self._in_code: set[tuple[int, str]] = set()
        self._is_fenced = False
        self.rows = self._labelled_rows(self._text)

    def _labelled_rows(self, text: str) -> list[str]:
        rows = text.split("\n")
        if not self.label:
            return rows
        if self.is_quoted or _BLOCK.match(rows[0]) or any(map(_BELOW.match, rows[1:2])):
            return [self.label, "", *rows]
        return [f"{self.label} {rows[0]}", *rows[1:]]

    def make_code(self, region: Region, line: int) -> None:
        """Make code of a region of the note, in which the block begins at a line; of the whole block if it is more.

        It is the whole block too where code in this row was not enough: a table is read with its names in code.
        """
        row, start, end = region.line - line, region.column - 1, region.end_column - 1
        words = self.rows[row][start:end] if region.line == region.end_line and row < len(self.rows) else ""
        if self._is_fenced:
            return  # another place of the block is code since, and all of it with that
        if (row, words) in self._in_code or not words.strip() or "`" in words:
            self.fence()
        else:
            self.rows[row] = f"{self.rows[row][:start]}{in_code(words)}{self.rows[row][end:]}"
            self._in_code.add((row, words))

    def fence(self) -> None:
        """Make code of the whole block; of a call, of what stands behind the quotation mark."""
        self._is_fenced = True
        self.rows = self._labelled_rows(f"> {in_code(self._text[2:])}" if self.is_quoted else fence_text(self._text))


def _quoted_line(part: TurnPart, folder: str) -> str:
    """The quoted line of a call or a notice, on one line; a path in the session's folder from there on."""
    what = " ".join(clean(part.text).split())
    if part.kind == "attached":
        what = f"attached: {what[:LONGEST]}"
    if part.kind == "tool":
        if folder and what.startswith(folder):
            # "C:\\Users\\me\\app" and "C:\\Users\\me\\app\\src\\main.py"; "/home/me/apple" is not below "/home/me/app"
            below = what.removeprefix(folder.rstrip("/\\"))
            what = below[1:] if below[:1] in ("/", "\\") else what
        what = f"{what[: LONGEST - 1]}…" if len(what) > LONGEST else what
        what = tell(" ".join(clean(part.tool).split())[:LONGEST], what)
    return f"> {literal(what)}"


def _body(entries: Sequence[_Entry], recording: Recording, names: tuple[str, str] = (PERSON, AGENT)) -> str | Refusal:
    """Turns as Markdown that reads back as these turns and counts nothing, with the line that says how far it goes."""
    head = f"---\nkind: session\n{_KINDS.format(*map(_scalar, names))}"
    blocks = [_Block(entry, recording.folder, names) for entry in entries]
    for tried in range(_TRIES):
        text, starts = _join_blocks(blocks)
        document = parse(f"{head}{text}".encode())
        regions = sorted(_counting_regions(document), reverse=True)
        for region in regions:
            place = bisect_right(starts, region.line - document.body_line) - 1
            blocks[place].make_code(region, document.body_line + starts[place])
        labels = [start for start, block in zip(starts, blocks, strict=True) if block.label]
        turns = transcripts.read(document).turns
        read = [turn.line - document.body_line for turn in turns]
        # A message that begins as a program's do.
        doubtful = {start for start, turn in zip(read, turns, strict=True) if turn.kind == "other"}
        if not regions and not doubtful and read == labels:
            return f"{text}\n{_ending(recording)}"
        if read != labels:
            first = next(at for at, pair in enumerate(zip_longest(labels, read)) if pair[0] != pair[1])
            least, most = [*labels, 0][max(first - 1, 0)], [*labels, starts[-1]][first]
            doubtful |= {start for start in starts if least <= start <= most}
        for start, block in zip(starts, blocks, strict=True):
            if start in doubtful or tried == _TRIES - 3:
                block.fence()
    return _UNREADABLE


def _ending(recording: Recording) -> str:
    """What stands below the turns: how many turns are not there, and how far the note goes."""
    turns, left = recording.turns, recording.elsewhere
    more = _ELSEWHERE.format(f"{left} turn{'s' * (left != 1)}") + "\n\n" if left else ""
    parts = len(turns[-1].parts) if turns else 0
    return more + _MARKER.format(len(turns), parts, turns_hash(recording)) + "\n"


def _join_blocks(blocks: Sequence[_Block]) -> tuple[str, list[int]]:
    """The blocks with blank lines between them, but for quoted lines that follow each other; and the row of each."""
    rows: list[str] = []
    starts = []
    for block, before in zip(blocks, [None, *blocks], strict=False):
        if before is not None and not (before.is_quoted and block.is_quoted and not block.label):
            rows.append("")
        starts.append(len(rows))
        rows += block.rows
    return "".join(f"{row}\n" for row in rows), starts


def _counting_regions(document: Document) -> list[Region]:
    """Where something counts, or looks as if it were meant to."""
    counts, problems = counting.read(document, labels=transcripts.label_lines)
    quiet = ("tag-in-code", "tally-missing", "tally-mismatch", "tally-decreased", "tally-impossible")
    seen = [problem.region for problem in problems if problem.severity == "error" or problem.rule not in quiet]
    return [*seen, *(event.region for event in counts.events), *(tally.region for tally in counts.tallies)]


def _scalar(value: str) -> str:
    """A text as a value of the frontmatter: as it is where that is safe, else quoted."""
    return value if _PLAIN.fullmatch(value) else in_quotes(clean(value))
