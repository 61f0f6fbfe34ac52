"""A second opinion: what a reader of the user's own says of the turns that words alone do not settle.

The program is run, and the file of answers read and written, by the command line. A turn is other people's text, and
may hold instructions. So the prompt shows it behind ``> ``, and an answer counts only with a quotation that stands in
the turn; what stands there in the form of an answer is not quoted from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from mdtally.gate.judge import REASONED_WORDS
from mdtally.gate.result import GateResult, Opinion
from mdtally.text.model import Refusal
from mdtally.text.records import as_dict, record
from mdtally.text.regex import regex

VERSION = 1
"""Of the prompt. With another wording the kept answers are answers to another question."""
NEAR = 1.2
"""How near to the threshold of warnings a turn is that a second reader is asked about."""

# "**", "> ", "“": what a quotation may differ in
_MARKS = regex(r"[\s*_`~>#|\\\"“”„'‘’-]+")
# "```json", an object, "```"
_FENCED = regex(r"\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
# '{"takes_issue": "no"}' in the turn itself
_ANSWER_IN_TURN = regex(r"\{[^{}]*(?:takes_issue|send_back)[^{}]*\}")


@record
class OpenTurn:
    """A turn to be asked about.

    Attributes:
        filename, line: the debate, and where the turn's label stands.
        text: the turn's body; source: its lines as they stand in the file, its label's among them.
        before: the last two turns, speaker and text.
    """

    filename: str
    line: int
    text: str
    source: tuple[str, ...]
    before: tuple[tuple[str, str], ...]

    @property
    def prompt(self) -> str:
        """What is asked, the last two turns, and last, whole, the turn."""
        parts = [Path(__file__).with_name("opinion.txt").read_text("utf-8")]
        for number, (speaker, text) in enumerate(self.before):
            title = f"Turn {number - len(self.before)} (context), by {' '.join(speaker.split())}:"
            parts += [title, "", _quoted(text.split("\n")), ""]
        return "\n".join([*parts, f"The turn to judge:\n\n{_quoted(self.source)}\n"])

    def key(self, label: str = "") -> str:
        """A hash of prompt version, turn and context, and of whom is asked."""
        import hashlib

        whole = json.dumps([VERSION, label, self.before, self.source], ensure_ascii=False)
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _quoted(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}".rstrip() for line in lines)


def is_open(result: GateResult, words: int) -> bool:
    """True if a second reader is asked: unsure, near the threshold of warnings, or short with a published phrase."""
    if result.send_back is None or result.stand_down or any(f.kind == "too_short" for f in result.failures):
        return False
    if result.issue and result.issue.decided_by == "stance":
        return False
    answer = result.issue.answer if result.issue else None
    near = answer != "argues" and abs(result.send_back) < NEAR
    phrase = words < REASONED_WORDS and any(f.kind == "forbidden_phrase" and f.layer for f in result.failures)
    return answer == "unsure" or near or phrase


def read_answer(text: str, turn: str) -> Opinion | Refusal:
    """The opinion that an answer holds, or why it holds none: one JSON object, alone or in a code fence, with a
    quotation that stands in the turn."""
    fenced = _FENCED.fullmatch(text)
    try:
        found = json.loads(fenced[1] if fenced else text)
        takes_issue, send_back, quote = (found[key] for key in ("takes_issue", "send_back", "quote"))
    except (ValueError, LookupError, TypeError, RecursionError):
        return Refusal("the answer is not one JSON object with takes_issue, send_back and quote")
    if takes_issue not in ("yes", "no", "unsure") or send_back not in ("yes", "no"):
        return Refusal("the answer has other words than yes, no and unsure")
    bare = _bare(quote) if isinstance(quote, str) else ""
    if not bare or bare not in _bare(_ANSWER_IN_TURN.sub("\ufffc", turn)):
        return Refusal("the answer quotes nothing that stands in the turn")
    return Opinion(takes_issue, send_back, " ".join(quote.split()))


def _bare(text: str) -> str:
    return _MARKS.sub("", text.casefold())


def label_of(words: list[str]) -> str:
    """A name for a command that gives no secret of it away: its program, and a hash of all its words."""
    import hashlib

    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{words[0].replace(chr(92), '/').rpartition('/')[2]} {digest}"


class SecondReader:
    """Answers questions from the kept answers, and notes the others for a program to be asked.

    Attributes:
        wanted: by key, the questions to which no answer is kept; kept: how many had one.
        used: how many answers of the program gave an opinion; failed: "place: why" of each that gave none.
    """

    def __init__(self, label: str = "") -> None:
        """``label`` is that of the command to ask, "" where kept answers count whoever gave them."""
        self._label = label
        self._answers: dict[str, object] = {}
        self.wanted: dict[str, OpenTurn] = {}
        self.kept = self.used = 0
        self.failed: list[str] = []

    def remember(self, lines: Iterable[str]) -> None:
        """Take over a file of answers, oldest first; a line that is none is passed over."""
        for line in lines:
            try:
                found = json.loads(line)
                self._answers[found["key" if self._label else "about"]] = found
            except (ValueError, KeyError, TypeError, RecursionError):
                continue

    def __call__(self, question: OpenTurn) -> Opinion | None:
        """The opinion on a question; None where the words have to do."""
        key = question.key(self._label)
        found = self._answers.get(key)
        # A person can edit the file: what is kept is read as strictly as what is answered.
        answer = read_answer(json.dumps(found), question.text) if found else None
        if isinstance(answer, Opinion):
            self.kept += key not in self.wanted
            return answer
        self.wanted[key] = question
        return None

    def ask(
        self,
        most: int | None,
        call: Callable[[str], str | Refusal],
        keep: Callable[[OpenTurn, str], Refusal | None],
    ) -> None:
        """Ask a program the questions that are open, with at most so many calls.

        Args:
            most: None for any number of calls.
            call: runs the program on a prompt and gives its output, or why it failed.
            keep: keeps the line of an answer; gives why it could not.
        """
        for key, question in list(self.wanted.items())[:most]:
            place = f"{question.filename}:{question.line}"
            output = call(question.prompt)
            answer = output if isinstance(output, Refusal) else read_answer(output, question.text)
            if isinstance(answer, Refusal):
                self.failed.append(f"{place}: {answer.reason}; the words decide")
                continue
            self.used += 1
            kept = {"key": key, "about": question.key(), "command": self._label, **as_dict(answer)}
            self._answers[key] = kept
            if refusal := keep(question, json.dumps(kept, ensure_ascii=False)):
                self.failed.append(f"{place}: its answer is used, but not kept: {refusal.reason}")
