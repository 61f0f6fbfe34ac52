"""JSON of every command, each described by its schema in docs/schemas.

``forms.txt`` names the fields of each output in their order; what a field's words don't say, a function of this file
makes. The ``schema_version`` of a form grows when a field changes or goes, not when one is added.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from mdtally import datafiles
from mdtally.output import safe
from mdtally.records import as_dict, record
from mdtally.regex import regex
from mdtally.render.findings import findings, flagged  # noqa: F401 (forms.txt names it)

if TYPE_CHECKING:
    from mdtally import reports
    from mdtally.agreement import Comparison
    from mdtally.model import Event
    from mdtally.reports import FileError, Report
    from mdtally.review.picture import Reported
    from mdtally.series.records import GroupHistory, History, RateHistory

Object = dict[str, Any]
Field = tuple[str, Callable[[Any], Any], bool, str]
"""A field of a form: its name, what reads it from a record, whether it is null where it is empty, the form it has."""

# role?   line=run.line   fix=problem.edit:fix   unreadable=errors@number   llr=0.0   *=letters
_FIELD = regex(r'([\w*]+)(\?)?(?:=("[^"]*"|\{\S*\}|[^:\s]+))?(?::([#\w-]+))?')


def to_json(value: object, *, indent: int | None = 2) -> str:
    """A value as JSON text with a final newline, harmless to print; non-ASCII letters stay readable."""
    return safe.json_document(_encoder(indent).encode(value)) + "\n"


@cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    separators = (",", ":") if indent is None else None
    return json.JSONEncoder(ensure_ascii=False, indent=indent, separators=separators, default=_plain)


def _plain(value: object) -> object:
    """What the encoder does not know: our records, and fractions that a person gave."""
    return as_dict(value) if hasattr(value, "_fields") else float(value)  # type: ignore[arg-type]


@record
class Output:
    """What is said of several things, files most of all, and which files could not be read."""

    files: Sequence[object]
    errors: Sequence[FileError] = ()


def write(form: str, value: object, _: object = None, errors: Sequence[FileError] = ()) -> str:
    """The JSON output of a command: a record, or several of them, in the form of that name."""
    return to_json(to_form(Output(value, errors) if isinstance(value, list | tuple) else value, form))


# -- Forms ------------------------------------------------------------------------------------------------------------


def to_form(value: Any, name: str) -> Any:
    """A record, or each one of a list, with the fields that forms.txt names under this name; None stays None."""
    if isinstance(value, list | tuple) and not hasattr(value, "_fields") and name:
        return [_object(one, name) if name[0] == "#" else to_form(one, name) for one in value]
    return value if value is None or not name else _object(value, name)


def _object(value: Any, name: str) -> Object:
    written: Object = {}
    for key, read, null_if_empty, form in _forms()[name]:
        found = to_form(read(value), form)
        if key == "*":
            written.update(as_dict(found))
        else:
            written[key] = (found or None) if null_if_empty else found
    return written


@cache
def _forms() -> dict[str, list[Field]]:
    """The fields of each form by its name."""
    forms: dict[str, list[Field]] = {}
    for name, _, rows in datafiles.sections(__file__, "forms.txt"):
        written = _FIELD.findall(" ".join(rows))
        forms[name] = [(key, _reader(source or key), bool(mark), form) for key, mark, source, form in written]
    return forms


def _reader(source: str) -> Callable[[Any], Any]:
    """What reads a field from a record, as forms.txt writes it."""
    if source[0] in '"{[' or source[0].isdigit() or source == "null":
        constant = json.loads(source)
        return lambda _: constant
    if source[0] == "#":
        return itemgetter(int(source[1:]))
    path, _, function = source.partition("@")
    names = [name for name in path.split(".") if name]
    make: Callable[[Any], Any] = {**vars(builtins), **globals()}[function] if function else lambda value: value

    def read(value: Any) -> Any:
        for name in names:
            value = None if value is None else getattr(value, name)
        return make(value)

    return read


def _alone(value: object) -> list[object]:
    """A list of a value; of none where it is empty."""
    return [value] if value else []


# -- Findings ---------------------------------------------------------------------------------------------------------


def tool(_: object = None) -> Object:
    """The JSON form of this program."""
    from mdtally import __version__

    return {"name": "mdtally", "version": __version__}


def _flagged_responses(report: Report) -> int:
    return sum(len(flagged(file)) for file in report.files)


def _judged_turns(report: Report) -> list[Object]:
    """Each agent's turn, with layer 2's answer; null where it is not asked."""
    return [
        {"filename": file.filename, **to_form(turn, "judged"), "issue": to_form(file.issues.get(turn.index), "issue")}
        for file in report.files
        for turn in file.turns
        if turn.kind == "agent"
    ]


# -- Files ------------------------------------------------------------------------------------------------------------


def _tagged_turns(file: reports.TurnsReport) -> list[Object]:
    return [{**to_form(turn, "turn"), "tags": file.tags.get(turn.index, ())} for turn in file.transcript.turns]


def _entries(file: reports.EventsReport) -> list[Object]:
    rows = ((to_form(one, "entry"), file.between.get(one.event.region.line)) for one in file.register.entries)
    return [row | (to_form(between, "between") or {}) for row, between in rows]


def _shown_candidates(file: reports.CandidatesReport) -> list[Object]:
    between = {one.run.line: to_form(one.between, "between") for one in file.exchanges}
    return [to_form(one, "candidate") | between[one.run.line] for one in file.found.ranked]


def _rounded(score: float) -> float:
    return round(score, 4)


def _letters(events: Sequence[Event]) -> str:
    return "".join(event.letter for event in events)


def _headline(file: Reported) -> str:
    from mdtally.render import report_page, session_words

    return " ".join(session_words.sentences(file.picture)) if file.picture else report_page.headline(file.debate)


def _pairs(against: Mapping[tuple[str, str], int]) -> list[Object]:
    return [{"speaker": who, "whom": whom or None, "turns": number} for (who, whom), number in against.items()]


# -- The calibration log ----------------------------------------------------------------------------------------------


def history(found: History, *_: object) -> Iterator[str]:
    """A history, piece by piece: groups, their differences, a line a session, oldest first, the log.

    The generator says that `history` may write this file again.
    """
    yield to_json(to_form(found, "history"))[:-3] + ',\n  "sessions": ['
    rows = found.sessions if len(found.groups) < 2 else sorted(found.sessions, key=attrgetter("line.date"))
    for number, row in enumerate(rows):
        shown = to_form(row, "session")
        if not shown["A_T"]:
            shown["qualifier"] = None
        yield f"{',' if number else ''}\n    {to_json(shown, indent=None)[:-1]}"
    yield f"\n  ],\n{to_json(to_form(found, 'log'))[2:]}"


def _rates(group: GroupHistory) -> Object:
    """Of a group, its rate of giving in among its other fields, and the other rate as one."""
    return {**_rate(group.sycophancy, group, "A_P"), "overcorrection": _rate(group.overcorrection, group, "A_R")}


def _rate(rate: RateHistory, group: GroupHistory, counter: str) -> Object:
    rolling, overall = ({**to_form(one, "rate"), counter: one.successes} for one in (rate.rolling, rate.overall))
    return {**to_form(rate, "rates"), "rolling": {"window": group.window, **rolling}, "overall": overall}


def _disputes(sessions: Sequence[Comparison]) -> list[Object]:
    return [{"session": one.session, **as_dict(dispute)} for one in sessions for dispute in one.disputed]
