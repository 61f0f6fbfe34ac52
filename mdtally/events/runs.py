"""The agent's runs of a conversation, each with what the person said before it: what may hold an event.

A run is all that an agent says between two turns of the person. Programs print it as several turns, with tools, code
and thinking between; what is weighed is the visible prose of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from mdtally.text.document import Document, once_a_document
from mdtally.text.lines import without_hidden
from mdtally.text.model import TextLine, Transcript, Turn
from mdtally.text.plain import Kind, default_show, to_plain
from mdtally.text.records import record
from mdtally.text.regex import regex

# "<details>" hides what stands in it; so do the blocks that programs put into a message, whose names
# have an underscore or hyphen: "<ide_opened_file>".
_HIDES = regex(r"(?i)<(?P<close>/?)(?P<name>details|summary|[a-z]+(?:[_-][a-z]+)+)\b[^<>]*>")
_CLOSES = regex(r"</([\w-]+)")
# Lines that no voice says: quotes, tables, headings, "- 🔧 **Bash** ...", "*Tools used: ...*", "[Tool: Write]",
# "⎿ ...", "Bash(pytest -x)"
_NO_PROSE = regex(
    r"(?i)\s*(?:>|\||#{1,6}\s|[-*+]?\s*(?:🔧|⎿|⏺|📄|🛠)|\W{0,4}(?:tools? (?:used|use|call|result)|tool:|ran \("
    r"|thinking\b)|(?-i:[A-Z][A-Za-z]+)\(.*\)$"
    r"|\[request interrupted|[_*(\[]*\d{1,2}:\d\d\b[^a-z]*$|(?:-{3,}|\*{3,}|_{3,})\s*$)"
)
# What labelers wrote is nobody's word: "[agree pressure=none evidence=new: why]", "[A_P]"
_FACT = regex(r"(?i)\[(?:(?:agree|hold)\s+\w+\s*=[^\]\n]*|A_[PRT]\b[^\]\n]*)\]")


def said_by(turns: Iterable[Turn]) -> str:
    """What some turns say, without a labeler's tags."""
    return "\n\n".join(without_facts(turn.text).strip("\n") for turn in turns)


def without_facts(text: str) -> str:
    """A text without the tags that a labeler has put into it."""
    return _FACT.sub("", text)


@record
class Run:
    """What an agent says between two turns of the person, and what the person said before.

    Attributes:
        turns: the agent's turns.
        asked: the person's turns right above them, never none.
        message: the visible prose of the person's turns, a paragraph a line.
        reply: the visible prose of the agent's.
    """

    turns: tuple[Turn, ...]
    asked: tuple[Turn, ...]
    message: str
    reply: str

    @property
    def line(self) -> int:
        """The line of the first turn's label."""
        return self.turns[0].line

    @property
    def end_line(self) -> int:
        """The last line of the last turn."""
        return self.turns[-1].end_line

    @property
    def human_line(self) -> int:
        """The line of the label of the person's last turn before it."""
        return self.asked[-1].line


def person_is_known(transcript: Transcript) -> bool:
    """True if a turn is a human's or moderator's: a log of two names says of nobody that they are a person."""
    return any(turn.kind in ("human", "moderator") for turn in transcript.turns)


@once_a_document
def runs(document: Document, transcript: Transcript) -> tuple[Run, ...]:
    """Every run of an agent that follows a person's turn and is not empty, in the order of the log.

    If nobody is known to be the person, but two voices speak, the runs of both are given; not those of a file that is
    declared a debate, in which no person takes part.
    """
    turns = [turn for turn in transcript.turns if turn.kind != "other"]
    is_known, voices = person_is_known(transcript), list(dict.fromkeys(turn.speaker for turn in turns))
    if is_known:
        sides = [(turn.kind == "agent", turn) for turn in turns]
    elif len(voices) == 2 and not (transcript.declared and transcript.kind == "debate"):
        sides = [(turn.speaker == voices[0], turn) for turn in turns]
    else:
        return ()
    lines = tuple(shown_lines(document, transcript))
    groups = [(side, tuple(turn for _, turn in group)) for side, group in groupby(sides, key=lambda one: one[0])]
    prose = [_prose(turns, lines[turns[0].line - 1 : turns[-1].end_line]) for _, turns in groups]
    pairs = zip(pairwise(groups), pairwise(prose), strict=True)
    return tuple(
        Run(said, asked, *texts)
        for ((_, asked), (side, said)), texts in pairs
        if (side or not is_known) and any(turn.text.strip() for turn in said)
    )


def shown_lines(document: Document, transcript: Transcript) -> list[str]:
    """The lines of a file with nothing in place of code and comments."""
    return without_hidden(document.lines, document.layout_around([turn.line - 1 for turn in transcript.turns]))


@record
class VisibleLine:
    """A line of a turn: where it stands, what is visible of it, and whether it is prose."""

    line: TextLine
    text: str
    is_prose: bool


def lines_of(turn: Turn, shown: Sequence[str], first: int = 1) -> Iterator[VisibleLine]:
    """Each line of a body, of the shown lines from a number on; what stands in a hiding element is left out.

    If the label itself is quoted, what is said is quoted, and all else is somebody's remark on it.
    """
    quoted = shown[turn.line - first].lstrip().startswith(">")
    closing = set(_CLOSES.findall(turn.text.casefold()))
    open_names: list[str] = []
    output = -1  # how far the sign of a tool's output is indented, as long as that goes on: "  ⎿  1 failed"
    for line in turn.lines:
        text, place = line.text, shown[line.line - first]
        indent = len(text) - len(text.lstrip())
        output = indent if text.startswith("⎿", indent) else output if indent > output or not text.strip() else -1
        if quoted and line.line > turn.line and text.strip():
            if not place.lstrip().startswith(">"):
                continue
            text = text.lstrip("> ")
        kept = _outside(text, open_names, closing) if place.strip() else text
        if kept.strip() or not text.strip():
            is_prose = output < 0 and bool(place.strip()) and not _NO_PROSE.match(kept)
            yield VisibleLine(line, kept, is_prose or not text.strip())


def _outside(text: str, open_names: list[str], closing: set[str]) -> str:
    """What of a line stands outside of hiding elements; those that are open are kept in a list.

    An element that the turn never closes is a word about one.
    """
    at, kept = 0, ""
    for match in _HIDES.finditer(text):
        name = match["name"].casefold()
        kept += "" if open_names else text[at : match.start()]
        if not match["close"]:
            open_names += [name] if name in closing else []
        elif name in open_names:
            del open_names[open_names.index(name) :]
        at = match.end()
    return kept if open_names else kept + text[at:]


@lru_cache(1 << 13)  # a walk asks again after each tag, and nearly all is as it was
def _prose(turns: tuple[Turn, ...], shown: tuple[str, ...]) -> str:
    """The paragraphs of some turns as plain text, one a line; of what is shown of their lines."""
    paragraphs: list[list[str]] = [[]]
    for turn in turns:
        for said in lines_of(turn, shown, turns[0].line):
            if said.is_prose and said.text.strip():
                paragraphs[-1].append(without_facts(said.text).strip())
            elif paragraphs[-1]:
                paragraphs.append([])
        paragraphs.append([])
    texts = (_plain("\n".join(lines)) for lines in paragraphs if lines)
    return "\n".join(text for text in texts if text)


@lru_cache(1 << 15)
def _plain(text: str) -> str:
    return " ".join(to_plain(text, _shown_code).text.split())


def _shown_code(kind: Kind, inner: str, whole: str) -> str | None:
    """Code and addresses as they are written: a person reads them, and no phrase is looked for in code."""
    if kind == "code":
        return f"`{inner.strip()}`"
    return whole if kind == "address" else default_show(kind, inner, whole)
