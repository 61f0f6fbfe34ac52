"""Running the rules over one file: read once, ask each selected rule, take the excused findings out, sort.

The parts are pure and cheap to leave out: most files of a repository hold neither turns nor counters, and a quick look
at their lines is all they cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from mdtally import session as sessions
from mdtally import transcript as transcripts
from mdtally.check import fix, rules
from mdtally.check.reports import FileReport
from mdtally.check.rules import Checked, Response
from mdtally.gate import stances
from mdtally.gate.result import Failure
from mdtally.project.settings import Settings
from mdtally.text import suppressions
from mdtally.text.document import Document
from mdtally.text.line_parts import words_alone
from mdtally.text.model import Counts, Problem, Severity, Transcript, Turn
from mdtally.text.records import by_key, record, replace

if TYPE_CHECKING:
    from mdtally.gate.opinion import OpenTurn
    from mdtally.gate.result import Opinion, StatedAnswer

SecondOpinion = Callable[["OpenTurn"], "Opinion | None"]
"""Gives a second reader's opinion on a question, or None."""

_OPENING = 25
"""Lines above a round's first turn that a second reader is shown at most."""
# What is no business of ours in a file without counters.
_OF_LOGS = frozenset({"low-ceiling", "verdict-key-taken", "invalid-declaration"})


class Earlier:
    """The turns before one that the gate compares it with: agents' turns, and who said the same words first."""

    def __init__(self, turns: Iterable[Turn] = ()) -> None:
        self.group: dict[int, list[Turn]] = {}
        self.handed_on: set[int] = set()
        self.debate: list[Turn] = []
        self.said: dict[str, Turn] = {}
        for turn in turns:
            self.add(turn)

    def add(self, turn: Turn) -> None:
        """Add the turn that follows; one without words counts for nothing."""
        if turn.placeholder:
            return
        self.said.setdefault(words_alone(turn.text), turn)
        if turn.kind == "agent":
            self.group.setdefault(turn.group, []).append(turn)
            self.debate.append(turn)
        elif turn.kind in ("human", "moderator") and turn.round is None and turn.group in self.group:
            self.handed_on.add(turn.group)

    def of_round(self, turn: Turn) -> list[Turn]:
        """The agents' turns of its round before a turn; where a moderator hands the word on and the whole debate is one
        round, those since the agent's own last turn."""
        before = self.group.get(turn.group, [])
        own = [place for place, other in enumerate(before) if other.speaker == turn.speaker]
        return before[own[-1] + 1 :] if own and turn.group in self.handed_on else before


@record
class DebateGate:
    """How the gate judges one debate.

    Attributes:
        language: code of the language the debate is in; "" where it is not known.
        strict: the debate ran under the protocol, so that every failed layer is a warning.
    """

    language: str
    strict: bool
    settings: Settings

    @property
    def pack(self) -> str:
        """The language whose pack is used; "" where none fits."""
        from mdtally.gate.pack import languages

        return self.language if self.language in languages() else ""

    def check(self, turn: Turn, earlier: Earlier, opinion: Opinion | None = None) -> Response:
        """What the gate says of a turn, and where a second reader was asked about it, what that one does.

        Of turns long past only the speaker is told: in a group of a thousand, comparing each with all would take
        minutes, and nobody echoes what was said dozens of turns ago.
        """
        from mdtally import gate
        from mdtally.gate.echo import REACH

        before, debate = earlier.of_round(turn), earlier.debate[-REACH:]
        others = [other for other in before if other.speaker != turn.speaker]
        recent = [(other.speaker, other.text) for other in others[-REACH:]]
        speakers = dict(recent)
        past = dict.fromkeys(other.speaker for other in others if other.speaker not in speakers)
        stated = _stated_answer(turn, debate) if self.settings.matching == "prose" else None
        result = gate.check(
            turn.text,
            [*((speaker, "") for speaker in past), *recent],
            matching=self.settings.matching,
            language=self.language,
            strict=self.strict,
            min_words=self.settings.min_words,
            extra_phrases=self.settings.forbidden_phrases,
            debate=[(other.speaker, other.text) for other in debate],
            speaker=turn.speaker,
            opinion=opinion,
            stated=stated,
        )
        names = (*past, *speakers)
        copy = earlier.said.get(words_alone(turn.text)) if self.settings.matching == "prose" else None
        kinds = {failure.kind: failure for failure in result.failures}
        if copy and not result.stand_down and "too_short" not in kinds:
            # Nothing excuses the same words again; what is too short, and the stand-down, have rules of their own.
            echo = Failure("echo", "the same words", None, "warning")
            failures = (*(failure for failure in result.failures if failure.kind != "echo"), echo)
            return Response(turn, replace(result, failures=failures), names, copy, copied=True)
        source = kinds["echo"].source if "echo" in kinds else None
        return Response(turn, result, names, None if source is None or not debate else debate[source])

    def stand_down(self) -> str:
        """The sentence that spells out the one accepted form of agreement."""
        from mdtally.gate.pack import load_or_english

        return load_or_english(self.pack).hints["stand_down"].format(speaker="[expert]")

    def hint(self, response: Response, failures: Sequence[Failure], *, stand_down: bool) -> str:
        """The corrective sentences for some of a response's failures."""
        from mdtally.gate import judge
        from mdtally.gate.pack import pack_of

        pack = pack_of(response.result.language) if response.result is not None else None
        least = self.settings.min_words
        return judge.hint(failures, response.earlier, pack, least, response.turn.text, stand_down=stand_down)


def selection(settings: Settings, path: PurePath | None) -> tuple[frozenset[str], list[str]]:
    """The names of the rules to ask about a file, and the words among the settings that are not rules.

    Args:
        settings: the file's settings.
        path: its absolute path; None for a text without one.
    """
    chosen, unknown = rules.select(settings.select, settings.ignored_in(path) if path else settings.ignore)
    return chosen, [*unknown, *(word for word in settings.severity if rules.find(word) is None)]


def lint(
    document: Document,
    filename: str,
    settings: Settings,
    selected: frozenset[str],
    *,
    inline_config: bool = True,
    second: SecondOpinion | None = None,
) -> FileReport:
    """What the selected rules say of a file.

    Args:
        document: the file.
        filename: its path as the report names it.
        settings: the file's settings.
        selected: names of the rules to ask.
        inline_config: heed the suppression comments in the file.
        second: a second reader of what words alone do not settle.
    """
    checked, gate = examine(document, settings, selected, second)
    reading, turns = checked.transcript, checked.transcript.turns
    severities = severity_by_rule(settings)
    is_left = settings.unsure == "quiet" and reading.unsure
    asked_for = selected - {"unsure-reading"} if is_left else selected
    found = [replace(p, severity=severities.get(p.rule, p.severity)) for p in rules.find_problems(checked, asked_for)]
    comments, misspelt = suppressions.read(document, turns, rules.find) if inline_config else ((), ())
    # Where the gate was not asked, none of its rules could find what a comment excuses.
    asked = frozenset(name for name in selected if gate or not rules.RULES[name].gates)
    stay, excused, unused = suppressions.apply(found, comments, asked)
    found = fix.with_edits([*stay, *(p for p in (*misspelt, *unused) if p.rule in selected)], document)
    found.sort(key=lambda problem: (problem.region, rules.RULES[problem.rule].code))
    found, corrections = _with_hints(found, checked.responses, gate) if gate else (found, {})
    # Ordinary Markdown: no transcript, no counters, and nothing wrong with it.
    kind = None if is_left else reading.kind
    skipped = not (kind or reading.declared or _has_counters(checked.counts) or checked.problems)
    return FileReport(
        filename=filename,
        kind=reading.kind,
        problems=tuple(with_visible_region(problem, document.lines) for problem in found),
        turns=turns,
        lines=document.lines,
        skipped=skipped,
        reading="none" if is_left else reading.reading,
        turns_checked=sum(response.result is not None for response in checked.responses),
        responses=checked.responses,
        issues={r.turn.index: r.result.issue for r in checked.responses if r.result is not None and r.result.issue},
        suppressed=len(excused),
        notices=() if skipped else _left_alone(reading, settings, selected),
        advice=gate.stand_down() if gate and found else "",
        corrections=corrections if settings.mode == "regenerate" else {},
        asked=_known_rules(selected, settings, comments if inline_config else None),
    )


def severity_by_rule(settings: Settings) -> dict[str, Severity]:
    """By the names of rules, the severities that the settings give them."""
    found = {rule.name: severity for word, severity in settings.severity.items() if (rule := rules.find(word))}
    return found | ({"unsure-reading": "error"} if settings.unsure == "error" else {})


def _left_alone(transcript: Transcript, settings: Settings, selected: frozenset[str]) -> tuple[str, ...]:
    """That nothing was asked of a file, or why the gate was not asked of a debate; () if both were."""
    if not selected:
        return ("not checked: all rules are ignored",)
    if transcript.kind == "session" or not _is_panel([one for one in transcript.turns if one.kind == "agent"]):
        return ()
    is_asked = any(rules.RULES[name].gates for name in selected)
    why = not_gated(transcript, settings) or ("" if is_asked else "none of its rules is asked")
    return (f"not gated: {why}",) if why else ()


def _known_rules(
    selected: frozenset[str], settings: Settings, comments: Iterable[suppressions.Suppression] | None
) -> frozenset[str]:
    """The rules of which a run knows that what they do not find is not there; what a baseline holds of others stays.

    Nothing is known of a gate that is off, of comments that are not heeded (None), and of whether one is unused whose
    rule is none of these.
    """
    known = frozenset(name for name in selected if settings.mode != "off" or not rules.RULES[name].gates)
    if comments is None:
        return known - {"unused-suppression", "unknown-suppression"}
    return known if all(comment.rule in known for comment in comments) else known - {"unused-suppression"}


def examine(
    document: Document, settings: Settings, selected: frozenset[str], second: SecondOpinion | None = None
) -> tuple[Checked, DebateGate | None]:
    """All that the selected rules look at, and how the gate judged it; None where it judged nothing.

    It takes what ``lint`` takes. The gate runs only where a rule of its own is selected.
    """
    transcript = transcripts.read(document)
    counts, problems, stale = Counts(), list(transcript.problems), None
    if document.head.problem:
        problems.append(document.head.problem)
    if sessions.is_relevant(document) or sessions.is_declared(document):
        judgement = sessions.judge(document, settings, labels=transcripts.label_lines)
        counts, stale = judgement.counts, sessions.stale(document, judgement)
        if _has_counters(counts) or any(problem.rule not in _OF_LOGS for problem in judgement.problems):
            problems = list(dict.fromkeys([*problems, *judgement.problems]))
        problems += counts.excused
    ours = transcript.kind or counts.decided_by or sessions.is_ours(document)
    if document.head.problem and not ours:
        # Somebody else's file with a broken head is worth a word, not a failed commit.
        problems = [replace(p, severity="info") if p is document.head.problem else p for p in problems]
    gate = gate_of(document, transcript, settings) if any(rules.RULES[name].gates for name in selected) else None
    responses = responses_of(gate, transcript.turns, document, second) if gate else ()
    language = gate.pack if gate else None
    return Checked(document, transcript, counts, tuple(problems), responses, language, stale), gate


def gate_of(document: Document, transcript: Transcript, settings: Settings) -> DebateGate | None:
    """How the gate judges this transcript; None where it does not apply.

    It takes two agents or more, and turns that surely are turns, not those of both sides of a merge conflict.
    """
    agents = [turn for turn in transcript.turns if turn.kind == "agent"]
    is_doubtful = transcript.unsure or document.conflict
    if is_doubtful or transcript.kind == "session" or not _is_panel(agents) or not_gated(transcript, settings):
        return None
    from mdtally.gate.language import detect_language
    from mdtally.gate.pack import code_of

    values = document.head.values
    stated = code_of(str(values.get("language") or settings.language))
    language = stated or detect_language([turn.text for turn in agents]) or ""
    strict = settings.strict or str(values.get("protocol", "")).lower() == "true"
    return DebateGate(language, strict, settings)


def _is_panel(agents: Sequence[Turn]) -> bool:
    return len({turn.speaker for turn in agents}) > 1


def not_gated(transcript: Transcript, settings: Settings) -> str:
    """Why the gate leaves a panel alone; "" if it judges it."""
    if settings.mode == "off":
        return "the gate is off (lint.mode)"
    turns = transcript.turns
    # Two people who write to each other: nothing but the shape of their names says that a debate may be meant.
    looks_alike = transcript.reading == "sure" and not transcript.declared and not settings.strict
    short = sum(turn.words < settings.min_words for turn in turns)
    if looks_alike and 2 * short > len(turns) and all(turn.round is None for turn in turns):
        from mdtally.check.settling import unknown_voices

        if {turn.speaker for turn in turns} == {*unknown_voices(turns)}:
            return "a chat by its short turns; declare the agents if it is a debate"
    return ""


def _stated_answer(turn: Turn, debate: Sequence[Turn]) -> StatedAnswer | None:
    """What a stance line of a turn says of layer 2; None where it has none.

    A concession has to give a reason that nobody had said when its voice spoke last: against all else it has held. One
    without a new reason is what layer 2 is about.
    """
    stance = stances.stated_stance(turn)
    if stance is None:
        return None
    if stance.name != "concede":
        return "argues"
    own = [number for number, other in enumerate(debate) if other.speaker == turn.speaker]
    known = [other.text for other in debate[: own[-1] + 1]] if own else []
    names = {other.speaker for other in debate}
    return "stands_down" if stances.gives_a_new_reason(turn, stance.reason, known, names) else "silent"


def responses_of(
    gate: DebateGate, turns: Sequence[Turn], document: Document, second: SecondOpinion | None = None
) -> tuple[Response, ...]:
    """What the gate says of each agent's turn, given those before it; a second reader is asked about unsure ones."""
    earlier = Earlier()
    responses = []
    for number, turn in enumerate(turns):
        if turn.kind == "agent":
            response = Response(turn, None) if turn.placeholder else gate.check(turn, earlier)
            is_settled = response.copied or gate.settings.matching == "literal"
            if second and response.result is not None and not is_settled:
                from mdtally.gate.opinion import is_open

                is_asked = is_open(response.result, strict=gate.strict)
                opinion = second(open_turn(turns[: number + 1], document)) if is_asked else None
                response = gate.check(turn, earlier, opinion) if opinion else response
            responses.append(response)
        earlier.add(turn)
    return tuple(responses)


def open_turn(turns: Sequence[Turn], document: Document) -> OpenTurn:
    """What is asked about the last of some turns: itself, what opens its round, and the turns before it."""
    from mdtally.gate.opinion import LONGEST, SHOWN, OpenTurn

    *earlier, turn = turns
    first = next(place for place, other in enumerate(turns) if other.group == turn.group)
    above = max(turns[first - 1].end_line if first else document.body_line - 1, turns[first].line - 1 - _OPENING)
    before: list[tuple[str, str]] = []
    room = SHOWN
    for place, other in reversed([*enumerate(earlier)]):
        room -= min(LONGEST, len(other.text))
        if len(before) >= 2 and (place < first or room < 0):
            break
        before.insert(0, (other.speaker, other.text))
    source, opening = document.lines[turn.line - 1 : turn.end_line], document.lines[above : turns[first].line - 1]
    return OpenTurn(turn.line, turn.text, tuple(source), tuple(opening), tuple(before))


def _with_hints(
    problems: Sequence[Problem], responses: Sequence[Response], gate: DebateGate
) -> tuple[list[Problem], dict[int, str]]:
    """The problems with their hints, and by turn the sentences to ask again with where a warning sends it back.

    Help speaks of nothing but what is reported: a suppressed finding, and one of a rule that is off, have none.
    """
    reported = {(problem.turn, problem.rule, problem.region): problem for problem in problems}
    hints: dict[tuple[int | None, str, Severity], str] = {}
    corrections = {}
    for response in responses if reported else ():
        found = [(reported.get((p.turn, p.rule, p.region)), failure) for failure, p in rules.gate_problems(response)]
        failed = by_key(((p.turn, p.rule, p.severity), failure) for p, failure in found if p)
        hints |= {key: gate.hint(response, failures, stand_down=False) for key, failures in failed.items()}
        if any(severity != "info" for _, _, severity in failed):
            every = [failure for failures in failed.values() for failure in failures]
            corrections[response.turn.index] = gate.hint(response, every, stand_down=True)
    return [replace(p, hint=hints.get((p.turn, p.rule, p.severity), p.hint)) for p in problems], corrections


def with_visible_region(problem: Problem, lines: Sequence[str]) -> Problem:
    """The problem with a place that can be seen: one without length reaches to the end of its line."""
    region = problem.region
    if region.end_line > region.line or region.end_column > region.column or not 1 <= region.line <= len(lines):
        return problem
    return replace(problem, region=replace(region, end_column=max(region.column, len(lines[region.line - 1]) + 1)))


def _has_counters(counts: Counts) -> bool:
    return bool(counts.decided_by or counts.events or counts.tallies)
