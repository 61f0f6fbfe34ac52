"""``turns``, ``events`` and ``events --candidates`` for a person.

Each gets the reports of its files, the options and the errors; errors are for stderr, and not shown here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from mdtally.model import COUNTERS, Transcript, Turn
from mdtally.output import safe
from mdtally.output.page import Section, Table, lines
from mdtally.output.style import Options, count
from mdtally.render.findings import findings
from mdtally.render.lint_text import block
from mdtally.reports import CandidatesReport, EventsReport, TurnsReport

if TYPE_CHECKING:
    from mdtally.events import CheckedTally, Register
    from mdtally.transcript import Offer

Report = TypeVar("Report")
OTHER_LANGUAGE = "its language has few cues, which nobody has measured: the order says less than for English"
_SHOWN = 12
_DOUBTS = {"unsure": " (unsure)", "pattern": " (as its pattern says)", "declared": " (as declared)"}
_FIRST = 3


def _of_each(say: Callable[[Report, Options], Iterable[str]]) -> Callable[..., str]:
    """What writes the lines of every file, with a blank line between two, of what gives those of one."""

    def write(files: Sequence[Report], options: Options, *_: object) -> str:
        return "\n".join("".join(f"{line}\n" for line in say(file, options)) for file in files)

    return write


# -- turns ------------------------------------------------------------------------------------------------------------


@_of_each
def turns(report: TurnsReport, options: Options) -> Iterator[str]:
    """What each file was read as, who speaks, and every turn in a table."""
    transcript = report.transcript
    often = Counter((turn.speaker, turn.kind) for turn in transcript.turns)
    words: Counter[tuple[str, str]] = Counter()
    for turn in transcript.turns:
        words[turn.speaker, turn.kind] += turn.words
    voices = tuple((who, kind, str(n), str(words[who, kind])) for (who, kind), n in often.items())
    rows = tuple(_turn(turn, report) for turn in transcript.turns)
    tables = (
        Table(("speaker", "kind", "turns:", "words:"), voices),
        Table(("#:", "line:", "round:", "speaker", "kind", "words:", "tags", ""), rows),
    )
    yield from lines(Section(safe.path(report.filename), _reading(transcript), tables=tables), options)
    for finding in findings(report):
        yield from block([finding], options)
    if report.form and transcript.reading != "unsure":
        yield from ("", f"read as {_read_as(report.form)}")
    yield from _offers(report, options)
    if report.unknown:
        names = " or ".join(map(safe.terminal, report.unknown[:_FIRST]))
        yield f"Is one of them a person? Say who: --accept 1 --human NAME ({names})"


def _turn(turn: Turn, report: TurnsReport) -> tuple[str, ...]:
    """A row: at its end what was cut from the label, and whether the turn is a placeholder."""
    first = "placeholder" if turn.placeholder else "", f"to {turn.addressee}" if turn.addressee else ""
    parts = (*first, turn.model)
    return (
        str(turn.index),
        str(turn.line),
        "" if turn.round is None else str(turn.round),
        turn.speaker,
        turn.kind,
        str(turn.words),
        " ".join(report.tags.get(turn.index, ())),
        "; ".join(filter(None, parts)),
    )


def _reading(transcript: Transcript) -> str:
    if transcript.reading == "unsure" and not transcript.turns:
        return "unsure: it may hold a conversation, but no turn was recognised"
    if transcript.kind is None and not transcript.turns:
        return "no transcript"
    form = f", read as {transcript.exporter}" if transcript.exporter else ""
    rounds = len({turn.group for turn in transcript.turns})
    stated = any(turn.round is not None for turn in transcript.turns)
    within = f" in {count(rounds, 'round' if stated else 'group')}" if rounds else ""
    doubt = _DOUBTS.get(transcript.reading, "")
    return f"{transcript.kind or 'transcript'}{form}{doubt}: {count(len(transcript.turns), 'turn')}{within}"


def _read_as(offer: Offer) -> str:
    """The patterns of a reading with its voices: "`### {speaker}`: Ana 7, Ben 6"."""
    shown = ", ".join(f"`{safe.terminal(one)}`" for one in offer.turn_patterns)
    for key in ("round", "end"):
        found = offer.patterns.get(key)
        if isinstance(found, Sequence):
            shown += f"; {key}s " + ", ".join(f"`{safe.terminal(one)}`" for one in found)
    voices = ", ".join(f"{safe.terminal(name)} {number}" for name, number in offer.voices.items())
    return f"{shown}: {voices}"


def _offers(report: TurnsReport, options: Options) -> Iterator[str]:
    """What an unsure file may be read as, and the one command that settles it."""

    def shown(labels: Iterable[tuple[int, str]]) -> Iterator[str]:
        for line, text in labels:
            yield safe.clip(f"   line {line}: {safe.opening(text)}", options.width)

    name = safe.argument(report.filename)
    pointing = f"point at one label line of each voice: mdtally turns {name} --like LINE --like LINE"
    for number, offer in enumerate(report.offers, start=1):
        yield from ("", f"{number}. {_read_as(offer)}")
        yield from shown((line, report.lines[line - 1].strip()) for line in offer.lines[:_FIRST])
    if report.offers:
        asked = "".join(f" {safe.terminal(option)}" for option in report.asked)
        yield from ("", f"To keep the first one: mdtally turns {name}{asked} --accept 1")
        yield "For all files like it in a folder, add --save 'debates/**', which writes the configuration instead."
        yield f"If none is right, {pointing}"
    elif report.advice:
        yield report.advice
        yield f"If some lines do, {pointing}"
    elif report.likely:
        yield "These lines look most like labels:"
        yield from shown(report.likely)
        yield f"If some are, {pointing}"


# -- events -----------------------------------------------------------------------------------------------------------


@_of_each
def events(report: EventsReport, options: Options) -> Iterator[str]:
    """A row for each event and each tally of a log, in its order."""
    found, paint = report.register, options.palette.paint
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
    if not any(cells[-1] for cells in ordered):
        headings, ordered = headings[:-1], tuple(cells[:-1] for cells in ordered)
    yield from lines(Section(safe.path(report.filename), _totals(found), tables=(Table(headings, ordered),)), options)
    for problem in found.problems:
        if problem.severity == "error":
            yield f"{paint('error:', 'error')} line {problem.region.line}: {safe.terminal(problem.message)}"


def _totals(found: Register) -> str:
    if not (found.entries or found.tallies):
        return "no events"
    said = count(len(found.entries), "event") if found.entries else "no events, totals only"
    if found.counts.A_T is None:
        return f"{said}; the totals do not hold"
    return f"{said}; " + ", ".join(f"{counter} {getattr(found.counts, counter)}" for counter in COUNTERS)


def _tally(checked: CheckedTally) -> str:
    counter, value = checked.tally.counter, checked.tally.value
    if checked.counted is None:
        return f"{counter} is stated as {value}"
    return f"{counter}: {value}" + (" agrees" if checked.agrees else f", but the tags above come to {checked.counted}")


# -- events --candidates ----------------------------------------------------------------------------------------------


@_of_each
def candidates(report: CandidatesReport, options: Options) -> Iterator[str]:
    """A row for each turn of a log that may hold an event."""
    from mdtally.tagging import UNSURE

    found = report.found
    said = f"no agent's turn answers a person's; {report.advice or '`mdtally turns` shows what is seen'}"
    if found.ranked:
        tagged = sum(bool(one.events) for one in found.ranked)
        said = f"{count(len(found.ranked), 'turn')} of an agent that answers a person, likeliest first; {tagged} tagged"
    rows = tuple(
        (
            str(one.run.line),
            f"{one.score:.2f}",
            " ".join(f"A_{event.letter}" for event in one.events),
            ", ".join(filter(None, (one.decision, one.pressure))),
            one.cue,
        )
        for one in found.ranked
    )
    doubts = ((not found.sure, UNSURE), (found.language != "en", OTHER_LANGUAGE))
    notes = tuple(words for doubted, words in doubts if doubted and found.ranked)
    table = Table(("line:", "score", "tagged", "offered", "cue"), rows)
    yield from lines(Section(safe.path(report.filename), said, notes=notes, tables=(table,)), options)
