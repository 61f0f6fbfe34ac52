"""Who says each paragraph of a chat in which nothing marks that: one key a paragraph, then labels in front of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from mdtally import transcript
from mdtally.ask.port import LEAVES, Question, Steps, Tell, ask_until_answered, rewrite
from mdtally.events.replies import Answers
from mdtally.text import frontmatter
from mdtally.text.document import Document, parse
from mdtally.text.line_parts import BULLET, count_words
from mdtally.text.model import Problem, Refusal, Source
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, lines_with_ends
from mdtally.text.text_blocks import TextBlock, blocks
from mdtally.transcript.reading import labels_of

VOICES: Final[Mapping[str, str]] = {"m": "Me", "a": "Agent"}
"""By key, the voice whose label is written."""
_KEYS: Final = {name: key for key, name in VOICES.items()}
_PARTICIPANTS: Final = {"Me": "human", "Agent": "agent"}
_LABELS: Final = ("**{speaker}:**", "[{speaker}]:", "{speaker} says:")
"""The labels that may be written; the first that the text does not use already."""
# "- fine", "  3. fine"
_ITEM = regex(rf"\s*(?P<sign>{BULLET})\s+")
# "---", "* * *", "=====", "//////"
_RULE = regex(r"\s*([-*_=＝~─━═/\\])\s*(?:\1\s*){2,}$")
_SHORT: Final = 25
"""Words of a paragraph that may be a person's message behind a long answer."""
_ASKING: Final = frozenset("?？؟")
_FEW_WORDS: Final = 6
"""Words at most of a line that a program puts before a turn."""
_NUMBER = regex(r"\d+")
_NOBODY, _LINES, _WRITTEN = "n", "l", "written"


@record
class Passage:
    """A paragraph, or another block, of which is asked who says it.

    Attributes:
        place, of: its place among all, and how many there are.
        line: number of its first line.
        voice: who says what stands above it; "" if nobody does.
        above: the last lines of the block above it.
        text: its lines.
    """

    place: int
    of: int
    line: int
    voice: str
    above: str
    text: str


@record
class NewLabels:
    """The labels that are to be written into a file: its text before and after."""

    before: str
    after: str


class ParagraphWalk:
    """The walk over the blocks of a document.

    Attributes:
        written: the file before and after the labels were written; None if they were not.
    """

    def __init__(self, document: Document, answers: Answers) -> None:
        """``answers`` are the keys that were pressed for this text before; those behind the last labels go on."""
        self._document, self._answers = document, answers
        rows = document.lines
        self._blocks = [one for one in _passages(document) if one.first < one.last or not _RULE.match(rows[one.first])]
        self._lists = _lists(document)
        self._voices: list[str] = []
        self.written: tuple[Source, Source] | None = None
        latest = [*takewhile(lambda key: key != _WRITTEN, reversed(answers.keys))]
        for key in reversed(latest):
            self._press(key)
        self._goes_on = bool(latest)

    def run(self) -> Steps:
        """Ask about each block, show the labels, and write them on a yes."""
        if self._goes_on:
            yield Tell("It goes on where it was left; u goes back.")
        while True:
            ending = yield from self._ask_each()
            if ending != "done":
                if refusal := self._answers.refusal:
                    yield Tell(f"what was answered could not be kept, and is asked again: {refusal.reason}")
                return ending
            rows = {self._blocks[place].first: voice for place, voice in self._changes()}
            made = with_labels(self._document, rows) if len({*rows.values()}) > 1 else self._why_one_voice()
            if isinstance(made, Refusal):
                yield Tell(made.reason)
            else:
                question = Question("labels", "Write these labels into the note?", {"y": "yes, write them", "n": "no"})
                pressed = yield from ask_until_answered(question, NewLabels(self._document.source.text, made.text))
                if pressed == "y":
                    return (yield from self._write_labels(made, len(rows)))
                if pressed == "quit":
                    return "quit"
            self._voices.pop()

    def _why_one_voice(self) -> Refusal:
        """Why nothing is written where one voice says all, and what else can be done."""
        by_line = "; “l” asks line by line" * any(len(self._parts(one)) > 1 for one in self._blocks)
        is_fenced = any(fence.is_around for fence in self._document.layout.fences)
        fence = "; code is never cut in two: take the fence around it away" * is_fenced
        return Refusal(f"only one voice speaks, and nobody answers: nothing is written{by_line}{fence}")

    def _ask_each(self) -> Steps:
        while len(self._voices) < len(self._blocks):
            place = len(self._voices)
            answers = {"m": "me", "a": "the agent", **({} if any(self._voices) else {_NOBODY: "nobody: no message"})}
            if len(self._parts(self._blocks[place])) > 1:
                answers[_LINES] = "both: ask line by line"
            question = Question("speaker", "Who says this?", answers, *self._offer(place))
            pressed = yield from ask_until_answered(question, self._passage(place))
            if not self._press(pressed):
                return LEAVES.get(pressed, "quit")
            self._answers.add(pressed)
        return "done"

    def _press(self, pressed: str) -> bool:
        """Take an answer about the next block; False if it is none."""
        if len(self._voices) == len(self._blocks):  # the labels were not to be written, and the last answer is open
            self._voices.pop()
        place, block = len(self._voices), self._blocks[len(self._voices)]
        if pressed in VOICES or pressed == _NOBODY:
            self._voices.append(VOICES.get(pressed, ""))
        elif pressed == _LINES:
            lines = self._parts(block)
            self._lists.pop(block.first, None)
            below = [one for one in self._blocks[place + 1 :] if one.first > lines[-1].last]
            self._blocks[place:] = [*lines, *below]
        elif pressed in ("skip", "finish"):  # the same voice goes on
            self._voices += (self._voices[-1:] or [""]) * (1 if pressed == "skip" else len(self._blocks) - place)
        elif pressed in ("back", "undo") and self._voices:
            self._voices.pop()
        else:
            return False
        return True

    def _parts(self, block: TextBlock) -> list[TextBlock]:
        """The lines of a paragraph, or the items of a list, in which another voice may begin."""
        if block.kind != "item" or block.first not in self._lists:
            return list(_split_lines(self._document.lines, block))
        lines, last = self._document.lines, self._lists[block.first]
        rows = [block.first, *(row for row in range(block.first + 1, last + 1) if _ITEM.match(lines[row]))]
        ends = [*(row - 1 for row in rows[1:]), last]
        return [TextBlock("item", *ends) for ends in zip(rows, ends, strict=True)]

    def _passage(self, place: int) -> Passage:
        lines, block = self._document.lines, self._blocks[place]
        voice = self._voices[-1] if self._voices else ""
        above = [line for one in self._blocks[:place][-1:] for line in lines[one.first : one.last + 1]]
        own = lines[block.first : self._lists.get(block.first, block.last) + 1]
        return Passage(place + 1, len(self._blocks), block.first + 1, voice, "\n".join(above), "\n".join(own))

    def _offer(self, place: int) -> tuple[str, str]:
        """The key of the likeliest voice of a block, and what speaks for it."""
        lines, block = self._document.lines, self._blocks[place]
        if 2 * (self._lists.get(block.first, block.first) - block.first) > len(lines):
            return _LINES, "most of the text is this list"
        if not place and block.kind == "heading":
            return _NOBODY, "it is the text's title"
        if not place or (not self._voices[-1] and not _ASKING.isdisjoint(lines[block.last])):
            return "m", "a chat begins with a question"
        if not self._voices[-1]:
            return _NOBODY, "nobody spoke above, and it asks nothing"
        above = self._blocks[place - 1]
        same, other = ("m", "a") if self._voices[-1] == VOICES["m"] else ("a", "m")
        _, *changes = (at for at, _ in self._changes())
        if changes and not self._is_ruled(place) and all(map(self._is_ruled, changes)):
            return same, "a rule stood above each turn before"
        began = self._keys(self._changes())
        if any(began.get(self._like(part)) for part in self._parts(block)[1:]):
            return _LINES, "a line like one in it began a turn before"
        if voice := began.get(self._like(block)):
            return voice, "a line like it began a turn before"
        # What a program prints again and again, "Edit", "Copy"; quotations and code are anybody's.
        if block.kind == "paragraph" and (voice := self._keys(enumerate(self._voices)).get(self._like(block))):
            return voice, "a line like it was theirs before"
        if above.kind == "paragraph" and (voice := self._keys(enumerate(self._voices[1:])).get(self._like(above))):
            return voice, "they spoke below a line like the last one before"
        if same == "a" and any(began.get(self._like(one)) == "a" for one in self._blocks[place + 1 : place + 2]):
            return "m", "a line like the next one began an answer before"
        if same == "m" and self._voices[-3:] != [VOICES["m"]] * 3 and block.kind not in ("code", "quote"):
            return other, "an answer follows a message"
        is_short = sum(map(count_words, lines[block.first : block.last + 1])) <= _SHORT
        if is_short and block.kind == "paragraph" and not _ASKING.isdisjoint(lines[block.last] + lines[above.last]):
            return other, "it is short, and asks or follows a question"
        return same, "the same voice goes on"

    def _is_ruled(self, place: int) -> bool:
        """True if a rule stands right above a block."""
        return any(map(_RULE.match, self._document.lines[self._blocks[place - 1].last + 1 : self._blocks[place].first]))

    def _like(self, block: TextBlock) -> str:
        return _known_by(block.kind, self._document.lines[block.first])

    def _keys(self, voices: Iterable[tuple[int, str]]) -> dict[str, str]:
        """By what the blocks at the places of some voices are known by, the key of the last such voice."""
        every = ((self._like(self._blocks[place]), voice) for place, voice in voices)
        return {like: _KEYS[voice] for like, voice in every if like and voice}

    def _changes(self) -> Iterator[tuple[int, str]]:
        """The blocks at which another voice begins."""
        pairs = enumerate(zip(["", *self._voices], self._voices, strict=False))
        return ((place, voice) for place, (before, voice) in pairs if voice not in ("", before))

    def _write_labels(self, made: Source, labels: int) -> Steps:
        def labelled_bytes(document: Document) -> bytes | Refusal:
            is_same = document.source.text == self._document.source.text
            return encode(made) if is_same else Refusal("the file was edited meanwhile")

        if not (yield from rewrite(labelled_bytes)):
            return "quit"
        self.written = self._document.source, made
        self._answers.add(_WRITTEN)
        yield Tell(f"{labels} labels are written, and its frontmatter says how it is read")
        return "done"


@lru_cache(1 << 15)  # blocks are held against all above them
def _known_by(kind: str, line: str) -> str:
    """What a block may be known by: its kind, or its first line without numbers ("Thought for 9 s"); "" if by nothing.

    Args:
        kind: the block's.
        line: its first one.
    """
    if kind in ("quote", "code"):
        return kind
    line = line.strip()
    is_few = kind != "item" and count_words(line) <= _FEW_WORDS and not line.endswith((".", "!", "?"))
    return _NUMBER.sub("0", line) if is_few else ""


def with_labels(document: Document, rows: Mapping[int, str]) -> Source | Refusal:
    """The file with a label in front of each block that begins a turn, and a frontmatter by which it is read so.

    Args:
        document: the file.
        rows: by index of a block's first line the voice that begins there.
    """
    made = (_try_label(document, rows, label) for label in _LABELS)
    return next(filter(None, made), Refusal("not written: something in the text looks like such a label already"))


def _try_label(document: Document, rows: Mapping[int, str], label: str) -> Source | None:
    """The same with one of the labels; None if the file is not read so then."""
    source, first = document.source, document.body_line - 1
    every = (one for block in _passages(document) for one in _split_lines(document.lines, block))
    kinds = {block.first: block.kind for block in every}
    lines, lines_of, added = lines_with_ends(source.body), dict[int, str](), 0
    lists = _lists(document)
    patterns = {f"{label} {{text}}": None}
    for row, voice in sorted(rows.items()):
        said, at = label.replace("{speaker}", voice), row - first
        item = _ITEM.match(lines[at]) if _is_cut(lists, rows, row) else None
        lines_of[row + added] = voice
        if item:
            lines[at] = f"{item.group()}{said} {lines[at][item.end() :]}"
            patterns[f"{_NUMBER.sub('{number}', item['sign'])} {label} {{text}}"] = None
        elif kinds.get(row) == "paragraph":
            text = lines[at].lstrip()
            lines[at] = f"{lines[at][: len(lines[at]) - len(text)]}{said} {text}"
        else:
            lines[at] = f"{said}{source.newline * 2}{lines[at]}"
            added += 2
    turn = [*patterns] if len(patterns) > 1 else f"{label} {{text}}"
    head = {"transcript": {"turn": turn}, "participants": _PARTICIPANTS}
    changed = frontmatter.edit(replace(source, body="".join(lines)), document.head, head)
    if isinstance(changed, Problem):
        return None
    again = parse(encode(changed))
    shift = again.body_line - document.body_line
    found = {turn.line - 1 - shift: turn.speaker for turn in transcript.read(again).turns}
    return changed if found == lines_of else None


def _is_cut(lists: Mapping[int, int], rows: Mapping[int, str], row: int) -> bool:
    """True for an item of a list in which more than one turn begins, or one begins behind its first item."""
    first, last = next(((one, end) for one, end in lists.items() if one <= row <= end), (row, row))
    return row > first or any(first < other <= last for other in rows)


def _lists(document: Document) -> dict[int, int]:
    """By the row of a list's first line that of its last one."""
    page, _ = labels_of(document)
    found: dict[int, int] = {}
    first = -1
    for block in blocks(page.lines, page.first, page.layout):
        if block.kind == "item":
            first = first if block.goes_on else block.first
            found[first] = block.last
    return found


def _passages(document: Document) -> Iterator[TextBlock]:
    """The blocks that may begin a turn; each line, where no blank lines stand between."""
    page, _ = labels_of(document)
    every = list(blocks(page.lines, page.first, page.layout))
    rows = range(page.first, len(page.lines))
    is_close = 10 * sum(not page.lines[row].strip() for row in rows) < len(rows)
    for block in every:
        if block.goes_on:  # what stands right below the item may be another message
            for below in list(_split_lines(document.lines, block))[1:2]:
                yield replace(below, last=block.last)
        elif is_close and block.kind == "paragraph":
            yield from _split_lines(document.lines, block)
        elif block.kind not in ("rule", "comment"):
            yield block


def _split_lines(lines: Sequence[str], block: TextBlock) -> Iterator[TextBlock]:
    """The lines of a paragraph; an item with what is indented below it, and each line that stands right below that."""
    first = block.first
    for row in range(block.first + 1, block.last + 1 if block.kind in ("paragraph", "item") else 0):
        if block.kind == "paragraph" or lines[row][:1].strip():
            yield replace(block, first=first, last=row - 1)
            block, first = replace(block, kind="paragraph"), row
    yield replace(block, first=first)
