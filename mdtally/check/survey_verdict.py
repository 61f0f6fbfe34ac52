"""The verdict of a survey: its estimate, which look that was, and its line in the log of surveys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal

from mdtally.check.reports import File, SurveyVerdict, VerdictReport
from mdtally.check.verdicts import Verdicts, changes_of, write_down
from mdtally.events.survey.drawing import facts_of, letter_of
from mdtally.events.survey.estimating import SKIP, SurveyEstimate, agreement_of, estimate_survey, fact_agreements
from mdtally.events.survey.note import SurveyNote
from mdtally.events.survey.ratios import MEASURES, SurveyRate, are_many
from mdtally.log.agreement import Comparison, Dispute, Labelers
from mdtally.log.series.records import Contrast
from mdtally.log.series.sentences import difference
from mdtally.project import files
from mdtally.project.settings import thresholds
from mdtally.session import NEVER_JUDGED, is_judged
from mdtally.session.counts.notation import fact_words
from mdtally.session.planning import Due
from mdtally.session.stored import differing
from mdtally.text import frontmatter
from mdtally.text.intervals import ENOUGH
from mdtally.text.model import FileError, Problem, Refusal, errors_of
from mdtally.text.percent import Number, count, ends, in_100
from mdtally.text.records import as_dict, pick, replace

SCHEMA = 1
_DIGITS = 12
LOG = "surveys.jsonl"
"""The log of surveys, beside the calibration log."""
VerdictMode = Literal["write", "check", "look"]
"""Whether a verdict is written down, it is said whether that is due, or neither."""


def judge_survey(
    file: File, note: SurveyNote, lines: Iterable[Mapping[str, Any]], flags: Mapping[str, str]
) -> SurveyVerdict:
    """What the answers of a survey say, at the look that this is among the earlier lines of the log of surveys."""
    limits, _ = thresholds(file.settings, head=file.document.head, flags=flags)
    answers = note.counting_answers
    taken = note.taken & answers.keys()
    estimate = estimate_survey(note.draw, answers, look=look_of(note, lines), taken=taken, **as_dict(limits))
    many = {are_many(note.draw, [*answers], taken, stratum.side) for stratum in note.draw.strata}
    sentence = sentence_of(estimate, len(note.draw.items))
    with_model = agreement_of(note.draw, answers) if note.draw.by == "word" else None
    return SurveyVerdict(note, estimate, sentence, len(taken), len(many) > 1, with_model)


def look_of(note: SurveyNote, lines: Iterable[Mapping[str, Any]]) -> int:
    """Which look at answers of these sessions this is: each state of surveys that share sessions was one.

    The same answers again are the same look.
    """
    mine, state = set(_session_hashes(note)), state_of(note)
    shared = [line for line in lines if mine & {*line.get("sessions", ())}]
    again = [line for line in shared if line.get("id") == state]
    return int(again[-1]["look"]) if again else 1 + len({line["id"] for line in shared})


def state_of(note: SurveyNote) -> str:
    """16 hexadecimal digits for one state of the answers, however they are spelt and whatever the survey is called."""
    answers = note.counting_answers.items()
    said = {key: SKIP if answer == SKIP else sorted(map(fact_words, facts_of(answer))) for key, answer in answers}
    return hashlib.sha256(json.dumps([note.labeler, sorted(said.items())]).encode()).hexdigest()[:16]


def _session_hashes(note: SurveyNote) -> list[str]:
    """Eight hexadecimal digits for each session of the frame."""
    return [hashlib.sha256(session.encode(errors="replace")).hexdigest()[:8] for session in note.frame.sessions]


def sentence_of(estimate: SurveyEstimate, items: int) -> str:
    """What the survey says: how much was answered, how many replies are events, how often it gave in."""
    many = f"{count(estimate.replies, 'reply')} in {count(estimate.sessions, 'session')}"
    begin = f"{estimate.answered:,} of {many} answered" + f" (of {items} drawn)" * (estimate.answered < items)
    parts, limits = [], estimate.thresholds
    worth = {name: f"worth {int(events)} of the {ENOUGH} that it takes" for name, events in estimate.too_few.items()}
    if event := estimate.event:
        parts.append(f"about {in_100(event.rate)} in 100 are events")
    if (held := estimate.overcorrection) and "OVERCORRECTED" in (estimate.verdict, estimate.also):
        parts.append(f"it held without evidence in {with_range(held, ' of them', 1 - limits.overcorrection_floor)}")
    if gave_in := estimate.sycophancy:
        parts.append(f"it gave in in {with_range(gave_in, ' of them', limits.sycophancy_ceiling)}")
    else:
        parts.append(f"too few events to say how often it gave in: {worth['sycophancy']}")
    if pressed := estimate.pressed_gave_in:
        parts.append(f"of the times you pressed in {with_range(pressed, '', limits.sycophancy_ceiling)}")
    else:
        parts.append(f"of the times you pressed too few are among them: {worth['pressed_gave_in']}")
    return f"{begin}: {'; '.join(parts)}"


def with_range(rate: SurveyRate, of: str = "", *limits: Number) -> str:
    """A rate in words: "25 of 100 (10 to 47 fit)"; neither it nor an end looks like a limit unless it is so."""
    low, high = ends((rate.low, rate.high), *limits)
    return f"{in_100(rate.rate, *limits)} of 100{of} ({low} to {high} fit)"


def compare_surveys(a: SurveyNote, b: SurveyNote, paths: tuple[str, str]) -> Labelers | None:
    """How far two people agree on the items that both answered; None if they are not of one draw."""
    draw, shorter = sorted((a.draw, b.draw), key=lambda draw: -len(draw.items))
    if draw.ids[: len(shorter.ids)] != shorter.ids or draw.seed != shorter.seed:
        return None
    letters = agreement_of(draw, a.answers, b.answers)
    both = [one for one in draw.ids if SKIP not in (a.answers.get(one, SKIP), b.answers.get(one, SKIP))]
    said = {one: (letter_of(a.answers[one]), letter_of(b.answers[one])) for one in both}
    disputed = tuple(Dispute(a.lines[one], b.lines.get(one), x, y) for one, (x, y) in said.items() if x != y)
    facts = fact_agreements(draw, a.answers, b.answers)
    compared = Comparison(a.name, *paths, letters, facts, disputed, 1.0, {})
    return Labelers(a.labeler or paths[0], b.labeler or paths[1], letters, facts, (compared,), is_drawn=True)


def compare_with_model(note: SurveyNote, path: str) -> Labelers | None:
    """How far a model's words agree with the answers that count; None if no model was asked before the draw."""
    if note.draw.by != "word":
        return None
    words = {one.id: one.word for one in note.draw.items if one.word is not None}
    model = replace(note, labeler="a model", answers=words, lines={})
    return compare_surveys(replace(note, answers=note.counting_answers), model, (path, ""))


# -- The log of surveys -----------------------------------------------------------------------------------------------


def survey_log(file: File) -> Path | Refusal:
    """Where the line of a survey goes: beside the calibration log."""
    log = files.find_log(file.path, file.settings)
    return log if isinstance(log, Refusal) else log.with_name(LOG)


def read_surveys(log: Path) -> list[dict[str, Any]]:
    """The lines of a log of surveys that can be read, oldest first; none if there is no log."""
    return [one for one in files.read_objects(log) if _is_whole(one)]


def spoiled_lines(log: Path) -> list[int]:
    """The numbers of the lines of a log of surveys that can't be read: looks that stood there are not counted."""
    return [number for number, one in files.read_rows(log) if not (one and _is_whole(one))]


def _is_ours(line: str) -> bool:
    """True if a line of text is one of a log of surveys, in whatever state: another line may follow it."""
    found = files.attempt(partial(json.loads, line))
    return isinstance(found, dict) and "survey" in found


def _is_whole(line: Mapping[str, Any]) -> bool:
    """True if a line says what is read of it: a survey, which look that was, and at which sessions."""
    look, sessions = line.get("look"), line.get("sessions")
    is_look = line.get("schema") == SCHEMA and isinstance(look, int) and look > 0
    return is_look and isinstance(sessions, list) and all(isinstance(line.get(key), str) for key in ("survey", "id"))


def line_of(verdict: SurveyVerdict, now: str) -> dict[str, Any]:
    """The line that the log of surveys gets."""
    found, note = verdict.estimate, verdict.note
    split = note.frame.chosen["split"]
    told = [difference(one, "split") for one in found.contrasts if split and not one.barred_by]
    return {
        **pick(verdict, "survey=note.name sentence"),
        "split": split or None,
        "compared": " ".join(told) or None,
        **pick(found, "verdict qualifier answered replies"),
        **_rates(found),
        **pick(verdict, "look=estimate.look seed=note.draw.seed"),
        "frame": hashlib.sha256(json.dumps(sorted(note.frame.sessions.items())).encode()).hexdigest()[:16],
        "labeler": note.labeler or None,
        "recorded": now,
        "sessions": _session_hashes(note),
        "id": state_of(note),
        "schema": SCHEMA,
    }


def _rates(found: SurveyEstimate) -> dict[str, dict[str, float] | None]:
    """Each rate with its range and what it is worth; None for one of too few events.

    Rounded, because the last digits of the mathematics differ between machines.
    """
    rates = ((name, getattr(found, name)) for name in MEASURES)
    return {name: rate and _round_floats(pick(rate, "rate low high effective")) for name, rate in rates}


def _round_floats(value: Any) -> Any:
    """A value as JSON reads it back, with its floats rounded."""
    return json.loads(json.dumps(value), parse_float=lambda digits: round(float(digits), _DIGITS))


def json_fields(verdict: SurveyVerdict) -> dict[str, Any]:
    """What the JSON of a verdict says of a survey."""
    found = verdict.estimate
    return {
        **pick(found, "sessions replies answered skipped look"),
        "seed": verdict.note.draw.seed,
        "left_out": dict(verdict.note.frame.left_out),
        **_rates(found),
        **pick(found, "verdict also qualifier too_few_sides"),
        "contrasts": [_round_floats(_contrast_fields(one)) for one in found.contrasts],
        "model": as_dict(verdict.with_model) if verdict.with_model else None,
        "sentence": verdict.sentence,
    }


def _contrast_fields(one: Contrast) -> dict[str, Any]:
    found = pick(one.found, "difference interval_deflated settled")
    return {**pick(one, "a b measure"), **found, **pick(one, "events_to_settle barred_by")}


def survey_due(file: File, verdict: SurveyVerdict, lines: Iterable[Mapping[str, Any]], now: str) -> Due | Problem:
    """What is due, among the lines of the log of surveys; a problem if the frontmatter can't be written.

    A survey that nobody has judged yet is out of date only when all is answered: each verdict is a look.
    """
    head, note, keys = file.document.head, verdict.note, _keys(verdict)
    state = state_of(note)
    edited = frontmatter.edit(file.document.source, head, keys)
    if isinstance(edited, Problem):
        return edited
    # Answers that were taken back, by git maybe, are not what the log says of it last.
    mine = (note.name, note.labeler or None, note.draw.seed)
    last = [one["id"] for one in lines if (one["survey"], one.get("labeler"), one.get("seed")) == mine][-1:]
    line = "" if last == [state] else json.dumps(line_of(verdict, now))
    names, reasons = differing(head, keys), []
    if not is_judged(head):
        reasons = [] if note.open_ids and line else [NEVER_JUDGED]
    elif "calibration_id" in names:
        reasons = ["the answers or the labeler have changed"]
    elif names:
        reasons = [f"not what the answers give: {', '.join(names)}"]
    elif line:
        reasons = [f"{LOG} has {'other answers of it last' if last else 'no line of it'}"]
    return Due(note.name, state, edited, line, tuple(reasons))


def report_survey(
    run: Verdicts, file: File, note: SurveyNote, flags: Mapping[str, str], now: str, mode: VerdictMode
) -> VerdictReport | Refusal:
    """A survey's verdict, and what was written or is out of date; the run gets the changes and errors."""
    done = list[str]()
    report = VerdictReport(str(file.path), problems=note.problems, is_survey=True)
    if errors_of(note.problems):
        return replace(report, written="nothing counted and nothing written")
    log = survey_log(file)
    if isinstance(log, Refusal):
        return log
    where, is_written = log, mode == "write" and any(answer != SKIP for answer in note.counting_answers.values())
    # Nobody else may take the same look meanwhile.
    with files.lock_file(log) if is_written else nullcontext() as refusal:
        lines = read_surveys(log)
        verdict = judge_survey(file, note, lines, flags)
        due = None if mode == "look" else survey_due(file, verdict, lines, now)
        if is_written and refusal is None and isinstance(due, Due):
            done, refusal, where = write_down(file, due, log, follows=_is_ours)
    if refusal:
        run.errors.append(FileError(str(where), refusal.reason))
        return replace(report, state="failed", written="nothing written")
    report = replace(report, survey=verdict)
    if isinstance(due, Problem):
        return replace(report, problems=(*report.problems, due))
    if is_written:
        words = f"written: {' and '.join(done)}" if done else "up to date: nothing written"
        return replace(report, written=words, state="written" if done else "current")
    if not verdict.estimate.answered:
        return replace(report, written="nothing is answered yet: nothing written")
    if due is None or (not due.reasons and due.line):
        return replace(report, written="not judged yet, and some items are open" if due else "nothing written")
    run.changes += changes_of(file, due.source, log, due.line)
    return replace(report, state="stale" if due.reasons else "current", stale=due.reasons)


def _keys(verdict: SurveyVerdict) -> dict[str, object]:
    """The keys of the frontmatter for a verdict."""
    found = verdict.estimate
    rates = {"calibration_rate": found.sycophancy, "calibration_overcorrection": found.overcorrection}
    return {
        "verdict": found.verdict,
        # Not how many are drawn: to draw more makes no verdict stale.
        "calibration": sentence_of(found, found.answered),
        **{key: round(rate.rate, 4) if rate else None for key, rate in rates.items()},
        "calibration_qualifier": found.qualifier,
        "calibration_id": state_of(verdict.note),
    }
