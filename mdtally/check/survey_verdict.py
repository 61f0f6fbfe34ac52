"""The verdict of a survey: its estimate, which look that was, and its line in the log of surveys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mdtally.check.reports import File, SurveyVerdict
from mdtally.check.survey_note import SurveyNote, read_survey
from mdtally.events.survey.estimating import SurveyEstimate, estimate_survey
from mdtally.events.survey.ratios import MEASURES, SurveyRate, are_many
from mdtally.project import files
from mdtally.project.settings import thresholds
from mdtally.text import frontmatter
from mdtally.text.document import Document
from mdtally.text.model import Problem, Refusal
from mdtally.text.percent import ends, in_100
from mdtally.text.records import as_dict
from mdtally.text.source import encode

SCHEMA = 1
LOG = "surveys.jsonl"
"""The log of surveys, beside the calibration log."""


def judge_survey(
    file: File, note: SurveyNote, lines: Iterable[Mapping[str, Any]], flags: Mapping[str, str]
) -> SurveyVerdict:
    """What the answers of a survey say, at the look that this is among the earlier lines of the log of surveys."""
    limits, _ = thresholds(file.settings, head=file.document.head, flags=flags)
    estimate = estimate_survey(
        note.draw,
        note.answers,
        look=look_of(note, lines),
        taken=note.taken,
        sycophancy_ceiling=limits.sycophancy_ceiling,
        overcorrection_floor=limits.overcorrection_floor,
    )
    sides = {stratum.side for stratum in note.draw.strata}
    many = {are_many(note.draw, [*note.answers], note.taken, side) for side in sides}
    sentence = sentence_of(estimate, len(note.draw.items))
    return SurveyVerdict(
        estimate, sentence, len(note.taken), len(many) > 1, note.left_out, note.draw.seed, note.draw.by
    )


def survey_verdict(file: File) -> SurveyVerdict | Problem:
    """What a survey says as it stands, where nothing is written; or what is wrong in it."""
    note, log = read_survey(file.document), survey_log(file)
    if isinstance(note, Problem):
        return note
    wrong = next((problem for problem in note.problems if problem.severity == "error"), None)
    return wrong or judge_survey(file, note, [] if isinstance(log, Refusal) else read_surveys(log), {})


def look_of(note: SurveyNote, lines: Iterable[Mapping[str, Any]]) -> int:
    """Which look at answers of these sessions this is: each line of surveys that share sessions was one.

    The same answers again are the same look.
    """
    mine, state = set(_marks(note)), state_of(note)
    shared = [line for line in lines if mine & {*line.get("sessions", ())}]
    again = [line for line in shared if (line.get("survey"), line.get("id")) == (note.name, state)]
    return int(again[-1]["look"]) if again else 1 + len(shared)


def state_of(note: SurveyNote) -> str:
    """16 hexadecimal digits for one state of the answers."""
    grounds = [note.name, note.labeler, sorted((key, str(answer)) for key, answer in note.answers.items())]
    return hashlib.sha256(json.dumps(grounds).encode()).hexdigest()[:16]


def _marks(note: SurveyNote) -> list[str]:
    """Eight hexadecimal digits for each session of the frame."""
    return [hashlib.sha256(session.encode(errors="replace")).hexdigest()[:8] for session in note.sessions]


def sentence_of(estimate: SurveyEstimate, items: int) -> str:
    """What the survey says: how much was answered, how many replies are events, how often it gave in."""
    begin = f"{estimate.answered:,} of {estimate.replies:,} replies in {estimate.sessions:,} sessions answered"
    if estimate.answered < items:
        begin = begin.replace(" answered", f" answered ({items} were drawn)")
    parts = []
    if event := estimate.event:
        parts.append(f"about {in_100(event.rate)} in 100 are events")
    if gave_in := estimate.sycophancy:
        parts.append(f"it gave in in {_with_range(gave_in, ' of them')}")
    else:
        parts.append(
            f"too few events to say how often it gave in: worth {estimate.too_few.get('sycophancy', 0):.0f} of 10"
        )
    if pressed := estimate.pressed_gave_in:
        parts.append(f"of the times you pressed in {_with_range(pressed)}")
    else:
        worth = estimate.too_few.get("pressed_gave_in", 0)
        parts.append(f"of the times you pressed too few are among them: worth {worth:.0f} of 10")
    return f"{begin}: {'; '.join(parts)}"


def _with_range(rate: SurveyRate, of: str = "") -> str:
    low, high = ends((rate.low, rate.high))
    return f"{in_100(rate.rate)} of 100{of} ({low} to {high} fit)"


# -- The log of surveys -----------------------------------------------------------------------------------------------


def survey_log(file: File) -> Path | Refusal:
    """Where the line of a survey goes: beside the calibration log."""
    log = files.find_log(file.path, file.settings)
    return log if isinstance(log, Refusal) else log.with_name(LOG)


def read_surveys(log: Path) -> list[dict[str, Any]]:
    """The lines of a log of surveys that can be read, oldest first; none if there is no log."""
    return [one for one in files.read_objects(log) if one.get("schema") == SCHEMA and "survey" in one]


def line_of(note: SurveyNote, verdict: SurveyVerdict, now: str) -> dict[str, Any]:
    """The line that the log of surveys gets."""
    found = verdict.estimate
    return {
        "survey": note.name,
        "sentence": verdict.sentence,
        "verdict": found.verdict,
        "qualifier": found.qualifier,
        "answered": found.answered,
        "replies": found.replies,
        **_rates(found),
        "look": found.look,
        "seed": note.draw.seed,
        "frame": hashlib.sha256(json.dumps(sorted(note.sessions.items())).encode()).hexdigest()[:16],
        "labeler": note.labeler or None,
        "recorded": now,
        "sessions": _marks(note),
        "id": state_of(note),
        "schema": SCHEMA,
    }


def _rates(found: SurveyEstimate) -> dict[str, dict[str, float] | None]:
    """Each rate with its range and what it is worth; None for one of too few events."""
    rates = ((name, getattr(found, name)) for name in MEASURES)
    fields = ("rate", "low", "high", "effective")
    return {name: {field: getattr(rate, field) for field in fields} if rate else None for name, rate in rates}


def json_fields(verdict: SurveyVerdict) -> dict[str, Any]:
    """What the JSON of a verdict says of a survey."""
    found = verdict.estimate
    return {
        "sessions": found.sessions,
        "replies": found.replies,
        "answered": found.answered,
        "skipped": found.skipped,
        "look": found.look,
        "seed": verdict.seed,
        "left_out": dict(verdict.left_out),
        **_rates(found),
        "verdict": found.verdict,
        "also": found.also,
        "qualifier": found.qualifier,
        "contrasts": [as_dict(one) for one in found.contrasts],
        "sentence": verdict.sentence,
    }


def write_verdict(file: File, note: SurveyNote, verdict: SurveyVerdict, log: Path, now: str) -> list[str] | Refusal:
    """Write the line and the frontmatter; gives what was written, in words."""
    done = []
    state = state_of(note)
    with files.locked(log) as refusal:
        if refusal:
            return refusal
        known = any((one.get("survey"), one.get("id")) == (note.name, state) for one in read_surveys(log))
        if not known:
            outside = file.settings.may_leave("log")
            if refused := files.append_line(log, json.dumps(line_of(note, verdict, now)), allow_outside=outside):
                return refused
            done.append(f"one line in {files.display_path(log)}")
    edited = _with_verdict(file.document, verdict, state)
    if isinstance(edited, Problem):
        return Refusal(edited.message)
    before = encode(file.document.source)
    if edited != before:
        refused = files.write_atomically(file.path, edited, was=before, allow_outside=file.settings.allow_outside)
        if refused:
            return refused
        done.insert(0, "its frontmatter")
    return done


def _with_verdict(document: Document, verdict: SurveyVerdict, state: str) -> bytes | Problem:
    found = verdict.estimate
    rates = {"calibration_rate": found.sycophancy, "calibration_overcorrection": found.overcorrection}
    keys: dict[str, object] = {
        "verdict": found.verdict,
        "calibration": verdict.sentence,
        **{key: round(rate.rate, 4) if rate else None for key, rate in rates.items()},
        "calibration_qualifier": found.qualifier,
        "calibration_id": state,
    }
    edited = frontmatter.edit(document.source, document.head, keys)
    return edited if isinstance(edited, Problem) else encode(edited)
