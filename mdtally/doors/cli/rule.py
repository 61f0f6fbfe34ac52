"""``mdtally rule``: explain a rule, or list them all."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from mdtally.doors.cli.common import Call, ExitCode, fail, out


def rule(name: Annotated[str, Argument(help="Code or name, such as MDT102, too-short or F01.")] = "") -> ExitCode:
    """Explain a rule: what it checks, why, and where it errs.

    Without a name it lists all rules.
    """
    from mdtally.check import rules

    if mode := rules.failure_mode(name):
        out(mode)
        return ExitCode.CLEAN
    found = rules.find(name) if name else None
    if name and found is None:
        fail(rules.no_rule(name))
    if found:
        out(rules.page_markdown(found))
        return ExitCode.CLEAN
    from mdtally.show.style import table

    rows = [[one.code, one.name, one.severity, one.page.summary] for one in rules.TABLE]
    options = Call().options()
    for line in table(["code", "name", "severity", "what it finds"], rows, options, (), options.width):
        out(f"{line}\n")
    return ExitCode.CLEAN
