"""``mdtally events``: the register of a session log, or the turns of one that may hold an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, note
from mdtally.text import safe
from mdtally.text.model import errors_of

if TYPE_CHECKING:
    from mdtally.check.reports import CandidatesReport, EventsReport, File
    from mdtally.text.model import FileError


@shared.with_call("files", "stdin_filename", "color", "jobs")
def events(
    call: Call,
    candidates: Annotated[bool, Option("--candidates", help="Turns that may hold an event, likeliest first.")] = False,
    output_format: shared.TextOrJson = "text",
) -> ExitCode:
    """Show the register of a log: every event with its reason.

    Each event has its line, its speaker and the running totals; each tally is held against them. One that fails makes
    the exit code 1. With --candidates it shows every turn of the agent that answers a person, the likeliest to hold an
    event first, with what speaks for it; `mdtally review FILE` asks about them.
    """
    from mdtally.show import events_output

    if candidates:
        ranked = [one for _, one in call.each(_candidates_report) if one]
        if not (ranked or call.errors):
            note("no agent answers a person in them")
        return call.show(events_output.CANDIDATES_FORMATS[output_format], ranked)
    shown = [one for _, one in call.each(_register) if one]
    if not (shown or call.errors):
        note("no event is marked in them; --candidates lists likely ones")
    is_wrong = any(errors_of(one.register.problems) for one in shown)
    return call.show(events_output.FORMATS[output_format], shown, has_findings=is_wrong)


def _register(file: File) -> EventsReport | None:
    """The report of a register; None for a file of a folder that counts nothing, and in which nothing is wrong."""
    from mdtally.check.reports import EventsReport
    from mdtally.events import exchange_at
    from mdtally.events import register as registers

    register = registers.read(file.document)
    if not (register.entries or register.tallies or file.is_named or errors_of(register.problems)):
        return None
    lines = {entry.event.region.line for entry in register.entries}
    between = {line: one.between for line in lines if (one := exchange_at(file.document, line))}
    return EventsReport(str(file.path), register, between)


def _candidates_report(file: File) -> CandidatesReport | FileError | None:
    """The turns that may hold an event; None for a file of a folder in which no agent answers anybody."""
    from mdtally.check.reports import CandidatesReport
    from mdtally.check.settling import advice
    from mdtally.events import candidates, exchanges
    from mdtally.text.model import FileError

    ranking = candidates(file.document)
    if not (ranking.ranked or file.is_named):
        return None
    if conflict := file.document.conflict:
        return FileError(str(file.path), f"line {conflict.region.line}: {conflict.message}")
    hint = "" if ranking.ranked else safe.with_file_name(advice(file.document), str(file.path))
    return CandidatesReport(str(file.path), ranking, exchanges(file.document), hint)
