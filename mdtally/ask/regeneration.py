"""Asking for a flagged response again, and putting an answer into the transcript in the turn's own form.

The answer comes from a program nobody here controls. It may hold headings that look like the next round, a label that
looks like the next speaker, an unclosed fence, a comment that switches the gate off. So it is made harmless first, and
then the edit is proved: the edited file is read again, and must show the same turns by the same speakers in the same
rounds, with every other turn's text untouched and this one's text the answer's. What can't be proved is not written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from mdtally import transcript as transcripts
from mdtally.ask import prompts
from mdtally.check import lint, rules, settling
from mdtally.check.rules import Response
from mdtally.gate.result import Failure, GateResult
from mdtally.project.settings import Settings
from mdtally.session import counts
from mdtally.text import document as documents
from mdtally.text import lines as scanner
from mdtally.text import safe, suppressions
from mdtally.text.chars import without_hidden
from mdtally.text.document import Document
from mdtally.text.model import Refusal, Source, TextLine, Transcript, Turn
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, lines_with_ends
from mdtally.text.unsaid import without_unsaid
from mdtally.transcript.build import is_placeholder

_LEADING_MARK = regex(r"(\s*)([#>=~`*+_<|\[(-]|\d+[.)])")
_LIST_MARK = regex(r"\s*(?:[-*+]|\d+[.)])\s+")
_QUOTE_MARK = regex(r"\s*(?:>\s?)+")
# "Ben:" at the start of a line, emphasis around it.
_LABEL = regex(r"^(\W*[\w .'’()-]{1,60}?\W{0,4})[:：]")
_TITLE = regex(r"# +(.+)")
# "```markdown" around all of an answer
_AROUND = regex(r"[`~]+ *(?:markdown|md|text)?")


@record
class SentBack:
    """A response that the gate sends back, with the turns of its round that stand before it."""

    turn: Turn
    result: GateResult
    earlier: tuple[Turn, ...]


@record
class Attempt:
    """An answer to a re-prompt.

    Attributes:
        text: the answer, cleaned; "" where none may stand in the transcript. One that does not pass may, as the last.
        fault: why it does not pass, in words; "" where it does.
    """

    text: str
    fault: str = ""


class Regeneration:
    """One debate as it stands: which responses are sent back, and what becomes of an answer.

    Attributes:
        document: the file.
        settings: its configuration; path: where it lies, None if that is not known, for the rules that it asks.
        transcript: as read from it.
        gate: how the gate judges it; None where it applies to no response.
    """

    def __init__(self, document: Document, settings: Settings, path: Path | None = None) -> None:
        self.document, self.settings, self.path = document, settings, path
        self._selected, _ = lint.selection(settings, path)
        self.transcript = transcripts.read(document)
        self._excuses, _ = suppressions.read(document, self.transcript.turns, rules.find)
        self.gate = lint.gate_of(document, self.transcript, settings)

    @property
    def not_judged(self) -> str:
        """Why the gate judges nothing here, if it does not."""
        unsure = settling.advice(self.document) if self.transcript.unsure else ""
        return lint.not_gated(self.transcript, self.settings) or unsure or "no panel of two agents or more"

    def reread(self, data: bytes) -> Regeneration:
        """The debate, read anew from the bytes that the file has now.

        Raises:
            UnreadableError: they are not text.
        """
        return Regeneration(replace(documents.parse(data), form=self.document.form), self.settings, self.path)

    def prompt(self, response: SentBack, protocol: str) -> str:
        """The re-prompt for a response, told the protocol of the debate."""
        topic = next((match[1] for line in self.document.lines if (match := _TITLE.match(line))), "")
        return prompts.re_prompt(protocol, response.earlier, response.turn, response.result.hint, topic=topic)

    def sent_back(self) -> list[SentBack]:
        """Every response that the gate sends back now, in the order of the transcript."""
        turns, document = self.transcript.turns, self.document
        return [*self._to_send_back(lint.responses_of(self.gate, turns, document))] if self.gate else []

    def still_sent_back(self, turn: Turn) -> SentBack | None:
        """A turn of an earlier reading, with what the gate says now; None where it changed, went or passes."""
        same = self.find(turn)
        judged = [self._response_of(same)] if same and same.kind == "agent" and self.gate else []
        return next(self._to_send_back(judged), None)

    def attempt(self, response: SentBack, answer: str | Refusal) -> Attempt:
        """An answer as the gate would see it in the response's place."""
        if isinstance(answer, Refusal):
            return Attempt("", answer.reason)
        text = clean(answer, response.turn.speaker)
        if not text:
            return Attempt("", "its answer is empty")
        lines = tuple(TextLine(line, response.turn.line, 1) for line in text.split("\n"))
        if is_placeholder(lines, "agent"):
            return Attempt("", f"its answer says that there is none ({safe.clip(text, 60)})")
        judged = self._response_of(replace(response.turn, lines=lines))
        if judged.copied:
            return Attempt("", "the answer repeats an earlier turn word for word")
        (failures,) = self._lint_failures([judged])
        kinds = ", ".join(dict.fromkeys(one.kind for one in failures if one.severity != "info"))
        return Attempt(text, f"the answer was rejected ({kinds})" if kinds else "")

    def put(self, turn: Turn, text: str) -> bytes | Refusal:
        """The file with the body of a turn replaced, proved; or why that can't be done.

        Args:
            turn: a turn with a body, of this reading or an earlier one.
            text: the new body, cleaned.
        """
        same = self.find(turn)
        if same is None:
            return Refusal("this turn changed while its answer was made")
        for change in (str, _escape_block_mark, _escape_labels):
            form = "\n".join(map(change, text.split("\n")))
            edited = encode(_replace_turn(self.document, same, form))
            if self._is_proved(self.reread(edited), same, form):
                return edited
        return Refusal(f"the answer for {turn.speaker} would change other parts of the transcript")

    def find(self, turn: Turn) -> Turn | None:
        """The turn of an earlier reading that stands here unchanged: same speaker, round and text; else None."""
        key = (turn.speaker, turn.round, turn.text)
        same = [other for other in self.transcript.turns if (other.speaker, other.round, other.text) == key]
        return next((other for other in same if other.index == turn.index), same[0] if len(same) == 1 else None)

    def _to_send_back(self, responses: Sequence[Response]) -> Iterator[SentBack]:
        """The responses, of some, of which ``lint`` reports a warning, each with the turns before it."""
        for response, failures in zip(responses, self._lint_failures(responses), strict=True):
            is_flagged = any(failure.severity != "info" for failure in failures)
            if self.gate and response.result is not None and is_flagged:
                turn, hint = response.turn, self.gate.hint(response, failures, stand_down=True)
                earlier = tuple(t for t in self.transcript.turns if t.group == turn.group and t.index < turn.index)
                yield SentBack(turn, replace(response.result, failures=failures, hint=hint), earlier)

    def _lint_failures(self, responses: Sequence[Response]) -> list[tuple[Failure, ...]]:
        """Of each response the failures that ``lint`` reports, as its rules, severities and comments have it."""
        found, severities = [*map(rules.gate_problems, responses)], lint.severity_by_rule(self.settings)
        asked = (problem for pairs in found for _, problem in pairs if problem.rule in self._selected)
        stay = {*suppressions.apply(asked, self._excuses, self._selected)[0]}
        reported = ([(failure, p) for failure, p in pairs if p in stay] for pairs in found)
        return [tuple(replace(f, severity=severities.get(p.rule, p.severity)) for f, p in pairs) for pairs in reported]

    def _response_of(self, turn: Turn) -> Response:
        """What the gate says of a turn, among those that stand before it."""
        assert self.gate is not None
        return self.gate.check(turn, lint.Earlier(self.transcript.turns[: turn.index - 1]))

    def _is_proved(self, edited: Regeneration, turn: Turn, form: str) -> bool:
        """True if the edited file has the same turns and counters, and in this turn the text that was put there."""

        def rest(read: Transcript) -> list[object]:
            texts = ("" if other.index == turn.index else other.text for other in read.turns)
            frames = ((other.speaker, other.kind, other.round, other.group) for other in read.turns)
            # Of a reading that has become unsure nothing would be gated any more.
            return [read.exporter, read.unsure, *zip(frames, texts, strict=True)]

        before, after = self.transcript, edited.transcript
        if edited.document.conflict:  # the answer quotes git's marks: no command would touch the file any more
            return False
        if rest(before) != rest(after) or _lower_words(after.turns[turn.index - 1].text) != _lower_words(form):
            return False
        return _tags(self.document) == _tags(edited.document)


def clean(answer: str, speaker: str) -> str:
    """An answer as text that can stand in a transcript: no control characters, comments, label, heading or open fence.

    Args:
        answer: what the program printed.
        speaker: who was asked; the name in front of the answer is taken off.
    """
    text = without_hidden(answer.replace("\r\n", "\n").replace("\r", "\n")).replace("\t", "    ")
    # A comment could carry a tag, or an instruction to the linter.
    text = text.replace("<!--", "&lt;!--").replace("%%", "% %")
    lines = _lines_said(text.strip().split("\n"))
    fence = next(iter(scanner.scan(lines).fences), None)
    if fence and (fence.first, fence.last) == (0, len(lines) - 1) and _AROUND.fullmatch(lines[0]):
        lines = _lines_said(lines[1:-1])
    match = re.match(rf"\W{{0,6}}{re.escape(speaker)}\W{{0,4}}\s*(?:[:：]|$)\W{{0,4}}", lines[0], re.IGNORECASE)
    if match and match.end() > len(speaker):
        lines[0] = lines[0][match.end() :].lstrip()
    lines += [fence.closing for fence in scanner.scan(lines).fences if fence.last is None][:1]
    return _without_headings("\n".join(lines).strip())


def _lines_said(lines: Sequence[str]) -> list[str]:
    """The lines of an answer without what a model thought, and without blank ones around them."""
    said, _ = without_unsaid(lines, 0)
    return [line.rstrip() for line in "\n".join(said).strip().split("\n")]


def _without_headings(text: str) -> str:
    """The text with its headings as bold lines: a heading of its own would stand above those of the transcript."""
    lines = text.split("\n")
    for heading in scanner.scan(lines).headings:
        title = heading.text.strip().rstrip("#").strip().replace("*", "")
        if not lines[heading.row].lstrip().startswith("#"):
            lines[heading.row + 1] = ""
        lines[heading.row] = f"**{title}**" if title else ""
    return "\n".join(lines)


def _escape_block_mark(line: str) -> str:
    """A line that opens with a mark gets a backslash before it: a heading, label, quote or rule becomes text."""
    match = _LEADING_MARK.match(line)
    return f"{match[1]}\\{line[len(match[1]) :]}" if match else line


def _escape_labels(line: str) -> str:
    """A line in which nothing can be read as a label: colons after a name are no longer colons."""
    return _LABEL.sub(r"\1,", _escape_block_mark(line.replace("**", "").replace("[", "(")))


def _replace_turn(document: Document, turn: Turn, text: str) -> Source:
    """The file with a text in the place of the turn's lines, each as the turn's are: quoted, or indented."""
    source, first, last = document.source, turn.lines[0], turn.lines[-1]
    prefix = _continuation(document.lines, turn)
    opening = document.lines[first.line - 1][: first.column - 1]
    rest_of_line = document.lines[last.line - 1][last.column - 1 :]
    behind = rest_of_line[len(last.text) :] if rest_of_line.startswith(last.text) else ""
    text = text.replace("|", "\\|") if "|" in behind else text  # in a table's row a bar would begin another cell
    lines = [opening + line if not number else (prefix + line).rstrip() for number, line in enumerate(text.split("\n"))]
    lines[-1] += behind
    old = lines_with_ends(source.text)
    end = old[last.line - 1][len(document.lines[last.line - 1]) :]
    whole = "".join([*old[: first.line - 1], source.newline.join(lines), end, *old[last.line :]])
    return replace(source, body=whole[len(source.head) :])


def _continuation(lines: Sequence[str], turn: Turn) -> str:
    """What stands before the text on every line of the turn after its first: a quote prefix, a list's indent."""
    if later := [lines[one.line - 1][: one.column - 1] for one in turn.lines[1:] if one.text.strip()]:
        # An escape of the export's belongs to its line, not to the form of the turn.
        return Counter(prefix.removesuffix("\\") for prefix in later).most_common(1)[0][0]
    opening = lines[turn.lines[0].line - 1][: turn.lines[0].column - 1]
    if quote := _QUOTE_MARK.match(opening):
        return quote[0]
    item = _LIST_MARK.match(opening)
    return " " * len(item[0]) if item else ""


def _lower_words(text: str) -> list[str]:
    return text.replace("\\", "").split()


def _tags(document: Document) -> object:
    """What the file's counters say: an answer must not add an event."""
    found, problems = counts.read(document, labels=transcripts.label_lines)
    events, tallies = found.events, found.tallies
    return [(one.letter, one.note) for one in events], [(one.counter, one.value) for one in tallies], len(problems)
