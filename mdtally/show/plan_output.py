"""``plan`` for a person, in sentences and a table, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdtally.log.series.plan import Labelling, Plan
from mdtally.show.json_document import to_json
from mdtally.show.page import PageContent, Section, Table, page_text
from mdtally.show.style import Options
from mdtally.text.percent import count, limit
from mdtally.text.records import pick


def plan_text(plan: Plan, options: Options) -> str:
    """A plan, in sentences; a table of the work."""
    ceiling, rate, before, since = map(limit, (plan.ceiling, plan.rate, plan.before, plan.since))
    often, more = limit(plan.power), "more" if plan.rate > plan.ceiling else "no more"
    either = f"{_sessions(plan.one_look, plan.have)} {'since' if plan.have else 'before and as many since'}"
    given = f"With {count(plan.have, 'session')} of before, a" if plan.have else "A"
    events = f" ({count(plan.events_for_decisive, 'event')})" if plan.events_for_decisive else ""
    sentences = [
        f"At a true rate of {rate} it takes {_sessions(plan.sessions)}{events} to tell, {often} of the time, that it is"
        f" {more} than the {ceiling} that you allow, however often you look.",
        f"{given} change from {before} to {since} shows in one look {often} of the time after {either}; it is settled"
        f" after {_sessions(plan.settled, plan.have)}{'' if plan.have else ' on each side'}, however often you look.",
        "A survey draws replies of many sessions, so that they are less alike, and looks once.",
    ]
    if plan.have and plan.settled is None:
        sentences.append(f"With {count(plan.have, 'session')} of before it can't be settled: label more of before.")
    if not plan.rho:
        sentences.append("Events of one session are usually alike: --rho 0.1 plans for that.")
    rows = [
        (f"{rate} against {ceiling}", *(_labelling(way["decisive"]) for way in (plan.review, plan.survey))),
        (f"{before} to {since}", *(_labelling(way["settled"]) for way in (plan.review, plan.survey))),
    ]
    title = f"Sessions of {count(plan.session_size, 'event')}{f', correlated by {plan.rho:g}' * bool(plan.rho)}"
    table = Table(("", "by review", "by survey"), tuple(rows))
    return page_text(PageContent("", (), (Section(title, sentences=tuple(sentences), tables=(table,)),)), options)


def _sessions(number: int | None, have: int | None = None) -> str:
    if number is None:
        return "no number of sessions" if have else "more sessions than anybody has"
    return count(number, "session")


def _labelling(work: Labelling | None) -> str:
    """``2,900 keys, 183 minutes``: keys with two digits, as a guess deserves."""
    if work is None:
        return "-"
    unit = 10 ** max(0, len(str(work.keys)) - 2)
    return f"{-(-work.keys // unit) * unit:,} keys, {count(work.minutes, 'minute')}"


def plan_json(plan: Plan, _: Options) -> str:
    """A plan as JSON."""
    fields = {
        "schema_version": 4,
        **pick(plan, "ceiling rate power rho session_size events_for_decisive sessions"),
        "difference": pick(plan, "before since have one_look settled"),
        "keys": pick(plan, "review survey"),
    }
    return to_json(fields)


FORMATS: Mapping[str, Callable[[Plan, Options], str]] = {"table": plan_text, "json": plan_json}
