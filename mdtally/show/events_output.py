"""``events`` and ``events --candidates`` for a person, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from mdtally.check.reports import CandidatesReport, EventsReport
from mdtally.events import Candidate
from mdtally.events.between import Between
from mdtally.events.register import CheckedTally, Entry, Register
from mdtally.show.files_output import Formats, each_file, each_file_json
from mdtally.show.findings import diagnostic_fields, to_findings
from mdtally.show.json_document import Object
from mdtally.show.page import Section, Table, section_lines
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.model import COUNTERS, errors_of
from mdtally.text.percent import count
from mdtally.text.records import pick

OTHER_LANGUAGE = "its language has few cues, which nobody has measured: the order says less than for English"


# -- The register -----------------------------------------------------------------------------------------------------


@each_file
def events_text(report: EventsReport, options: Options) -> Iterator[str]:
    """A row for each event and each tally of a log, in its order."""
    found, paint = report.register, options.paint
    rows = []
    for event, entries in groupby(found.entries, key=lambda entry: entry.event):
        # What one tag marks is one row: [A_P x4].
        *others, last = entries
        name = f"{last.counter} x{len(others) + 1}" if others else last.counter
        totals = map(str, (last.A_P, last.A_R, last.A_T))
        between = report.between.get(event.region.line)
        stands = f"between: {between.words}" if between and (between.brought or between.looked) else ""
        rows.append((event.region, (last.speaker or "", name, last.reason, *totals, stands)))
    rows += [(one.tally.region, ("", "tally", _tally(one), "", "", "", "")) for one in found.tallies]
    ordered = tuple((str(place.line), *cells) for place, cells in sorted(rows, key=lambda row: row[0]))
    headings = ("line:", "speaker", "event", "reason", *(f"{counter}:" for counter in COUNTERS), "")
    table = Table(headings, ordered).without_empty_columns()
    yield from section_lines(Section(safe.path(report.filename), _totals(found), tables=(table,)), options)
    for problem in errors_of(found.problems):
        yield f"{paint('error:', 'error')} line {problem.region.line}: {safe.terminal(problem.message)}"


def _totals(found: Register) -> str:
    said = count(len(found.entries), "event") if found.entries else f"no events{', totals only' * bool(found.tallies)}"
    if found.counts.A_T is None:
        return f"{said}; nothing is summed up while the errors below stand"
    if not (found.entries or found.tallies):
        return said
    return f"{said}; " + ", ".join(f"{counter} {getattr(found.counts, counter)}" for counter in COUNTERS)


def _tally(checked: CheckedTally) -> str:
    counter, value = checked.tally.counter, checked.tally.value
    if checked.counted is None:
        return f"{counter} is stated as {value}"
    return f"{counter}: {value}" + (" agrees" if checked.agrees else f", but the tags above come to {checked.counted}")


def _register_fields(file: EventsReport) -> Object:
    of_tally = "line=tally.region.line counter=tally.counter stated=tally.value counted agrees"
    return {
        "filename": file.filename,
        "events": [_entry_fields(one, file.between.get(one.event.region.line)) for one in file.register.entries],
        "tallies": [pick(one, of_tally) for one in file.register.tallies],
        "problems": [diagnostic_fields(one) for one in to_findings(file.filename, file.register.problems)],
    }


def _entry_fields(entry: Entry, between: Between | None) -> Object:
    return {
        **pick(entry, "line=event.region.line speaker event=counter reason A_P A_R A_T"),
        **pick(between or Between(), "brought looked"),
    }


FORMATS: Formats[EventsReport] = {"text": events_text, "json": each_file_json(1, _register_fields)}


# -- Likely events ----------------------------------------------------------------------------------------------------


@each_file
def candidates_text(report: CandidatesReport, options: Options) -> Iterator[str]:
    """A row for each turn of a log that may hold an event."""
    from mdtally.events import NOBODY_ANSWERS, UNSURE
    from mdtally.events.score import ENGLISH

    found = report.found
    said = f"no agent's turn answers a person's; {report.advice}"
    said = said if report.advice else safe.with_file_name(NOBODY_ANSWERS, report.filename)
    if found.ranked:
        tagged = sum(bool(one.events) for one in found.ranked)
        said = f"{count(len(found.ranked), 'turn')} of an agent that answers a person, likeliest first; {tagged} tagged"
    rows = []
    for one in found.ranked:
        tags = " ".join(f"A_{event.letter}" for event in one.events)
        offered = ", ".join(filter(None, (one.weighed.decision, one.weighed.pressure)))
        rows.append((str(one.run.line), f"{one.weighed.score:.2f}", tags, offered, one.weighed.cue))
    other = found.languages != ENGLISH, found.unread or OTHER_LANGUAGE
    doubts = ((not found.sure, safe.with_file_name(UNSURE, report.filename)), other)
    notes = tuple(words for doubted, words in doubts if doubted and found.ranked)
    table = Table(("line:", "score", "tagged", "offered", "cue"), tuple(rows))
    yield from section_lines(Section(safe.path(report.filename), said, notes=notes, tables=(table,)), options)


def _candidates_fields(file: CandidatesReport) -> Object:
    between = {exchange.run.line: exchange.between for exchange in file.exchanges}
    return {
        "filename": file.filename,
        **pick(file.found, "reading sure language=languages.agent human_language=languages.person"),
        "candidates": [candidate_fields(one, between[one.run.line]) for one in file.found.ranked],
    }


def candidate_fields(candidate: Candidate, between: Between | None = None) -> Object:
    """A likely event, with what stands between it and the message above."""
    return {
        "line": candidate.run.line,
        "score": round(candidate.weighed.score, 4),
        **pick(candidate, "cue=weighed.cue human_line=run.human_line"),
        "tagged": "".join(event.letter for event in candidate.events),
        "offers": pick(candidate.weighed, "decision pressure"),
        **pick(between, "brought looked"),
    }


CANDIDATES_FORMATS: Formats[CandidatesReport] = {"text": candidates_text, "json": each_file_json(1, _candidates_fields)}
