"""``mdtally events``: the register of a session log."""

from __future__ import annotations

from pathlib import Path

from mdtally.cli.common import Call
from mdtally.cli.options import Argument, Command, output_format, shared


def events(call: Call) -> None:
    """Show the register: every event with its line, speaker and reason, the running totals, and each tally."""
    from mdtally import events as registers
    from mdtally import render
    from mdtally.reports import EventsReport

    found = [(file, registers.read(file.document)) for file in call.files()]
    # Of a folder's files only those that count something are shown.
    shown = [(file, register) for file, register in found if register.entries or register.tallies or file.is_named]
    call.show(render.EVENTS_FORMATS, [EventsReport(str(file.path), register) for file, register in shown])


COMMAND = Command(
    events,
    "Show every event with its reason and the running totals.",
    Argument("paths", "Session logs, folders or globs; - is standard input.", [Path]),
    output_format("text", "json"),
    *shared("config isolated allow-outside color"),
)
