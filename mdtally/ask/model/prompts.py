"""What is asked of a model: a text beside this module with its version, and what it is about.

What it is about is other people's text and may hold instructions: each line of it stands behind ``> ``.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Generic, TypeVar

from mdtally.ask.model.second_look import SecondLook
from mdtally.check.settling import without_chat_fences
from mdtally.events.runs import said_by
from mdtally.events.survey.drawing import NO_EVENT, Word, facts_of
from mdtally.events.survey.frame import FramedReply
from mdtally.gate.opinion import LONGEST, OpenTurn, read_answer
from mdtally.gate.result import Opinion
from mdtally.session.counts.notation import fact_words
from mdtally.text.document import Document
from mdtally.text.layout import FENCE
from mdtally.text.line_parts import blockquote
from mdtally.text.model import Refusal, Turn
from mdtally.text.names import kind_of
from mdtally.text.percent import count
from mdtally.text.records import by_key, record, replace
from mdtally.transcript.labels.shapes import Label
from mdtally.transcript.reading import labels_of

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Reader = Callable[[Mapping[str, object]], Answer | Refusal]
"""What an answer says, a JSON object; a refusal where it says nothing that can be used."""

SHOWN_LINES = 200
"""Lines of a file that are shown at most when its reading is asked about."""
_LINE, _OPENING, _REPLY = 200, 1_500, 8_000
"""Characters of such a line, of what opens a round, and of each side of a reply that are shown at most."""
_FACTS = 4
_ABOUT, _ALIKE, _TURNS, _BEGIN = 12, 12, 60, 60
"""What is shown at most when a reading is asked about again: lines of a remark, first characters by which two of them
are alike, turns, characters of a turn."""
_VERSION = re.compile(r'\(prompt "\w+", version (\d+)\)')


@record
class Prompt(Generic[Answer]):
    """A question to a model.

    Attributes:
        question: "turn", "reading", "again" or "reply".
        version: of the question's text.
        path, place: the file, and where in it for a person: "debate.md:12".
        text: the whole prompt.
        read: reads an answer.
        keeps_all: True if an answer that can't be used is kept, too: it is shown to whom is asked once more.
        first: the key of the question that this one asks once more; "" if it asks none.
    """

    question: str
    version: int
    path: Path
    place: str
    text: str
    read: Reader[Answer]
    keeps_all: bool = False
    first: str = ""

    @property
    def key(self) -> str:
        """The question, its version, and a hash of what is shown."""
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return f"{self.question} {self.version} {digest}"


def turn_prompt(path: Path, turn: OpenTurn) -> Prompt[Opinion]:
    """What the turn does that words alone do not settle: after its round's opening and the turns before it, whole."""
    parts = []
    if opening := "\n".join(turn.opening).strip("\n"):
        parts += ["What opens the round:", "", blockquote(without_middle(opening, _OPENING)), ""]
    for number, (speaker, text) in enumerate(turn.before):
        title = f"Turn {number - len(turn.before)}, by {' '.join(speaker.split())}:"
        parts += [title, "", blockquote(without_middle(text, LONGEST)), ""]
    parts += ["The turn to judge:", "", blockquote("\n".join(turn.source)), ""]
    return _prompt("turn", path, f"{path}:{turn.line}", parts, partial(read_answer, turn=turn.text))


def reading_prompt(path: Path, document: Document, read: Reader[Answer]) -> Prompt[Answer]:
    """How a file is read: its lines with their numbers, from the beginning, the middle and the end of a long one."""
    shown, last = [], 0
    for number in _shown_lines(document):
        if "".join(document.lines[last : number - 1]).strip():
            shown.append(f"({number - last - 1} lines are left out here)")
        elif number > last + 1:
            shown.append(">")
        shown.append(f"> {number}: {_cut(document.lines[number - 1].rstrip())}".rstrip())
        last = number
    parts = [f"The file has {len(document.lines)} lines:", "", *shown, ""]
    return replace(_prompt("reading", path, str(path), parts, read), keeps_all=True)


def again_prompt(first: Prompt[Answer], answer: Mapping[str, object], look: SecondLook) -> Prompt[Answer]:
    """The question of a first prompt once more: with the answer to it, and what the file shows beside that."""
    said = json.dumps(answer, ensure_ascii=False)
    parts = ["Your answer:", "", blockquote(without_middle(said, LONGEST)), ""]
    if look.refused:
        parts += ["It can't be used:", "", blockquote(look.refused), ""]
    for remark in look.remarks:
        parts += [remark.said, "", blockquote("\n".join(map(_cut, _some(remark.about)))), ""]
    if look.turns:
        voices = ", ".join(f"{name} {number}" for name, number in Counter(turn.speaker for turn in look.turns).items())
        parts += [f"{count(len(look.turns), 'turn')} found by your answer:", "", blockquote(_cut(voices)), ""]
        parts += [blockquote("\n".join(_turn_lines(look.turns))), ""]
    text, version = _question("again")
    text = "\n".join([first.text, text, *parts])
    return replace(first, question="again", version=version, text=text, first=first.key)


def reply_prompt(one: FramedReply, guide: str, read: Reader[Answer]) -> Prompt[Answer]:
    """What a reply was: the guide, what the person said, what stands between, the reply."""
    exchange = one.exchange
    parts = [
        guide.strip(), "", "What the person said:", "", _turns_text(exchange.run.asked), "",
        f"Between: {' '.join(exchange.between.words.split())}.", "", "The agent's reply:", "",
        _turns_text(exchange.run.turns), "",
    ]  # fmt: skip
    return _prompt("reply", one.path, f"{one.path}:{exchange.run.line}", parts, read)


def read_word(answer: Mapping[str, object]) -> Word | Refusal:
    """What an answer says that a reply was: facts, or "no event"."""
    word = answer.get("answer")
    texts = [text for text in (word if isinstance(word, list) else [word]) if isinstance(text, str)]
    if not texts or len(texts) > _FACTS or any(len(text) > _LINE for text in texts):
        return Refusal("the answer has no fact and not the words no event")
    try:
        facts = facts_of(texts)
    except ValueError as error:
        return Refusal(str(error))
    return tuple(map(fact_words, facts)) or NO_EVENT


@lru_cache
def _question(name: str) -> tuple[str, int]:
    """The text of a question, and its version."""
    text = Path(__file__).with_name(f"{name}.txt").read_text("utf-8")
    found = _VERSION.search(text)
    assert found is not None
    return text, int(found[1])


def _prompt(name: str, path: Path, place: str, parts: Iterable[str], read: Reader[Answer]) -> Prompt[Answer]:
    text, version = _question(name)
    return Prompt(name, version, path, place, "\n".join([text, *parts]), read)


def _cut(line: str) -> str:
    return f"{line[:_LINE]}{'…' * (len(line) > _LINE)}"


def _some(lines: Sequence[str]) -> list[str]:
    """The lines, or of many some that begin differently, in their order, and how many more there are."""
    seen: Counter[str] = Counter()
    ranks = []
    for place, line in enumerate(lines):
        begins = line.partition(": ")[2][:_ALIKE]
        seen[begins] += 1
        ranks.append((seen[begins], place))
    chosen = sorted(place for _, place in sorted(ranks)[:_ABOUT])
    more = len(lines) - len(chosen)
    return [*(lines[place] for place in chosen), *[f"({more} more)"] * (more > 0)]


def _turn_lines(turns: Sequence[Turn]) -> Iterator[str]:
    """A line a turn: where it stands, who speaks, its round, and how it begins; of many the first and last ones."""
    half = _TURNS // 2
    for place, turn in enumerate(turns):
        if len(turns) > _TURNS and half <= place < len(turns) - half:
            if place == half:
                yield f"({len(turns) - 2 * half} turns are left out here)"
            continue
        said = " ".join(turn.text.split())
        yield f"{turn.line} to {turn.end_line}: {turn.speaker}, round {turn.round or 'none'}: {said[:_BEGIN]}"


def _turns_text(turns: Sequence[Turn]) -> str:
    """What some turns say, without a labeler's tags; of what is long the middle is left out."""
    return blockquote(without_middle(said_by(turns), _REPLY))


def without_middle(text: str, most: int) -> str:
    """A text of at most so many characters, give or take a few words that say that its middle is left out."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"


def _shown_lines(document: Document) -> list[int]:
    """The numbers of the lines that are shown, of those that may hold a label: neither blank nor inside of code.

    All; of a long file its beginning and end, and from all over it what may be labels, those of voices with the lines
    above and below them, and what begins a paragraph.
    """
    opened = without_chat_fences(document)
    kinds = opened.layout.kinds
    code = {row for row in range(1, len(kinds)) if kinds[row] == kinds[row - 1] == FENCE}
    filled = [row + 1 for row, line in enumerate(document.lines) if line.strip() and row not in code]
    if len(filled) <= SHOWN_LINES:
        return filled
    first, last = filled[SHOWN_LINES * 2 // 5], filled[-SHOWN_LINES // 10]
    labels = [label for label in labels_of(opened)[1] if first <= label.row + 1 < last]
    again = Counter(label.name.key for label in labels)
    voices = {label.name.key for label in labels if kind_of(label.name) or again[label.name.key] > 1}
    shown = {number for number in filled if not first <= number < last}
    for label in _spread([label for label in labels if label.name.key in voices], SHOWN_LINES // 8):
        at = bisect_left(filled, label.row + 1)
        shown.update(filled[at - 1 : at + 2])
    others = _spread([label for label in labels if label.name.key not in voices], SHOWN_LINES // 8)
    shown.update(label.row + 1 for label in others)
    rest = [number for number in filled if number not in shown]
    begins = [one for one in rest if not document.lines[one - 2].strip() and document.lines[one - 1][0].isalpha()]
    shown.update(_evenly(begins, SHOWN_LINES - len(shown)))
    middle = filled[len(filled) // 2]
    rest.sort(key=lambda number: (number in shown, abs(number - middle)))
    return sorted(shown.union(rest[: SHOWN_LINES - len(shown)]))


def _spread(labels: Sequence[Label], most: int) -> Iterator[Label]:
    """So many of some labels that each form has its share, and a form's stand far from each other."""
    by_form = by_key((label.form, label) for label in labels)
    for place, found in enumerate(sorted(by_form.values(), key=len)):
        share = _evenly(found, most // (len(by_form) - place))
        yield from share
        most -= len(share)


def _evenly(items: Sequence[Item], most: int) -> list[Item]:
    """So many of some items at most, as far from each other as can be."""
    share = min(len(items), most)
    return [items[at * len(items) // share] for at in range(share)]
