"""``compare`` for a person, in sentences and tables, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mdtally.log.agreement import Agreement, Comparison, Labelers
from mdtally.show.json_document import to_json
from mdtally.show.page import PageContent, Section, Table, page_text
from mdtally.show.style import Options
from mdtally.text.intervals import ENOUGH
from mdtally.text.percent import count, first_few, percent
from mdtally.text.records import as_dict, pick

_NAMED = 10
"""Sessions that can't be compared of which the names are shown."""
_ONE_LOG = 0.8
"""Share of lines in both files below which they are hardly copies of one log."""


def comparison_text(labelers: Labelers, options: Options) -> str:
    """How far two labelers agree, over all sessions and in each, and where they don't."""
    letters, many = labelers.letters, len(labelers.sessions) > 1
    of_sessions = f" of {count(len(labelers.sessions), 'session')}" if many else ""
    doubts = [f"Fewer than {ENOUGH} events: these numbers mean little."] if letters.events < ENOUGH else []
    doubts += [
        f"Only {percent(one.lines_matched)} of the lines of {one.session or one.a} are in both files: not one log?"
        for one in labelers.sessions
        if one.lines_matched < _ONE_LOG
    ]
    if left_out := sum(one.left_out for one in labelers.sessions):
        why = "left out: the other labeler has said nothing of the reply yet, or has not its line"
        go_on = "of a log that has gone on, put the new lines into the copy, too, and `review --as` asks about them"
        doubts.append(f"{count(left_out, 'event')} {why}; {go_on}.")
    if letters.events and letters.kappa is None:
        doubts.append("All events are of one kind, so kappa is undefined: chance alone agrees as often.")
    if labelers.a == labelers.b:
        doubts.append(f"Both sides are the same ({labelers.a}): this does not say how far two people agree.")
    if labelers.unmatched:
        names = first_few(labelers.unmatched, _NAMED)
        doubts.append(f"Labelled by one of them only, or not to be matched: {names}.")
    measures = [
        _measure_row("raw agreement", letters.agreement),
        _measure_row("Cohen's kappa", letters.kappa, letters.kappa_interval),
        _measure_row("agreement on giving in (A_P)", letters.positive_agreement),
        _measure_row("agreement on not giving in", letters.negative_agreement),
    ]
    facts = [_session_row(f"{name}, as facts say", one) for name, one in labelers.facts.items() if one.events]
    sessions = [_session_row(one.session, one.letters) for one in labelers.sessions] if many else []
    disputes = [row for one in labelers.sessions for row in _disputes(one)]
    what = "drawn item" if labelers.is_drawn else "event"
    headings = ("events:", "agreement:", "kappa:", "")
    tables = (
        Table(("", "value:", "95% interval"), tuple(measures)),
        Table(("", *headings), tuple(facts)),
        Table(("session", *headings), tuple(sessions)),
        Table((labelers.a, labelers.b, count(len(disputes), "disputed event")), tuple(disputes)),
    )
    same = letters.events - len(disputes) if labelers.is_drawn else round((letters.agreement or 0.0) * letters.events)
    agreed = f"they agree on {same:,} of {count(letters.events, what)}{of_sessions}"
    if labelers.is_drawn:
        doubts.append("In these measures an item counts for as many replies as it stands for.")
    section = Section(f"{labelers.a} and {labelers.b}", agreed, notes=tuple(doubts), tables=tables)
    return page_text(PageContent("", (), (section,)), options)


def _measure_row(name: str, value: float | None, interval: tuple[float, float] | None = None) -> tuple[str, ...]:
    return name, _measure(value), " to ".join(_measure(end, 2) for end in interval) if interval else ""


def _session_row(name: str, one: Agreement) -> tuple[str, ...]:
    little = "means little" if one.events < ENOUGH else ""
    return name, f"{one.events:,}", _measure(one.agreement), _measure(one.kappa), little


def _disputes(one: Comparison) -> Iterator[tuple[str, ...]]:
    """A row for each event that two labelers differ on: what either says, and where."""
    for dispute in one.disputed:
        letters = (f"A_{letter}" if letter else "no event" for letter in (dispute.a, dispute.b))
        places = [f"{path}:{line}" for path, line in ((one.a, dispute.line_a), (one.b, dispute.line_b)) if line]
        yield (*letters, " and ".join(places) or f"{one.session}: lines not known")


def _measure(value: float | None, least: int = 3) -> str:
    """A measure with as many digits as it takes not to look like 0 or 1 where it is not."""
    if value is None:
        return "undefined"
    value = round(value, 12) + 0.0  # and no "-0.000"
    shown = (f"{value:.{digits}f}" for digits in range(least, 10))
    return next((one for one in shown if float(one) not in (0, 1) or abs(float(one) - value) < 1e-9), f"{value:.0f}")


def comparison_json(labelers: Labelers, _: Options) -> str:
    """How far two labelers agree, as JSON: over all sessions, and in each."""
    disputes = [{"session": one.session, **as_dict(dispute)} for one in labelers.sessions for dispute in one.disputed]
    names = "session a b lines_matched facts disputed left_out"
    comparison = {
        "schema_version": 6,
        **pick(labelers, "a b"),
        **as_dict(labelers.letters),
        "facts": labelers.facts,
        "disputed": disputes,
        "sessions": [{**as_dict(one.letters), **pick(one, names)} for one in labelers.sessions],
        "unmatched": labelers.unmatched,
    }
    return to_json(comparison)


FORMATS: Mapping[str, Callable[[Labelers, Options], str]] = {"table": comparison_text, "json": comparison_json}
