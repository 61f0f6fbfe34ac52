"""``mdtally events``: the register of a session log."""

from __future__ import annotations

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode

app = shared.new_app()


@app.command()
def events(
    paths: shared.MarkdownFiles,
    output_format: shared.TextOrJson = "text",
    config: shared.Config = None,
    isolated: shared.Isolated = False,
    allow_outside: shared.AllowOutside = False,
    color: shared.Color = None,
) -> ExitCode:
    """Show the register of a log: every event with its reason.

    Each event has its line, its speaker and the running totals; each tally is held against them. One that fails makes
    the exit code 1.
    """
    from mdtally import events as registers
    from mdtally.render import events_output
    from mdtally.reports import EventsReport
    from mdtally.tagging import exchange_at

    call = Call(paths, config=config, isolated=isolated, allow_outside=allow_outside, color=color)
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
