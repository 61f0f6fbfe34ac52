"""``mdtally events``: the register of a session log, or the turns of one that may hold an event."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode

Candidates = Annotated[
    bool, Option("--candidates", help="Show the turns that may hold an event instead, likeliest first, with scores.")
]

app = shared.new_app()


@app.command()
@shared.with_call("files", "stdin_filename", "color")
def events(
    call: Call,
    candidates: Candidates = False,
    output_format: shared.TextOrJson = "text",
) -> ExitCode:
    """Show the register of a log: every event with its reason.

    Each event has its line, its speaker and the running totals; each tally is held against them. One that fails makes
    the exit code 1. With --candidates it shows every turn of the agent that answers a person, the likeliest to hold an
    event first, with what speaks for it; `mdtally review FILE` asks about them.
    """
    from mdtally.check.reports import EventsReport
    from mdtally.events import exchange_at
    from mdtally.events import register as registers
    from mdtally.show import events_output

    if candidates:
        return _candidates(call, output_format)
    read = [(file, registers.read(file.document)) for file in call.files()]
    # Of a folder's files only those that count something are shown.
    logs = [(file, one) for file, one in read if one.entries or one.tallies or file.is_named]
    failed = any(problem.severity == "error" for _, register in read for problem in register.problems)
    reports = []
    for file, register in logs:
        lines = {entry.event.region.line for entry in register.entries}
        between = {line: one.between for line in lines if (one := exchange_at(file.document, line))}
        reports.append(EventsReport(str(file.path), register, between))
    return call.show(events_output.FORMATS[output_format], reports, ExitCode.FINDINGS if failed else ExitCode.CLEAN)


def _candidates(call: Call, output_format: str) -> ExitCode:
    """Show the turns that may hold an event; of a folder's files only those in which an agent answers somebody."""
    from mdtally.check.reports import CandidatesReport
    from mdtally.events import candidates, exchanges
    from mdtally.show import events_output
    from mdtally.transcript import advice

    read = [(file, candidates(file.document)) for file in call.files()]
    reports = [
        CandidatesReport(
            str(file.path), ranking, exchanges(file.document), "" if ranking.ranked else advice(file.document)
        )
        for file, ranking in read
        if ranking.ranked or file.is_named
    ]
    return call.show(events_output.CANDIDATES_FORMATS[output_format], reports)
