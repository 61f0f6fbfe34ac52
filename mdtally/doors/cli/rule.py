"""``mdtally rule``: explain a rule, or list them all."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from mdtally.doors.cli.common import Call, fail, out


def rule(name: Annotated[str, Argument(metavar="[NAME]", help="Code or name: MDT102, too-short, F01.")] = "") -> None:
    """Explain a rule: what it checks, why, and where it errs.

    Without a name it lists all rules.
    """
    from mdtally.check import rules

    if name:
        found = rules.find(name)
        page = rules.page_markdown(found) if found else rules.failure_mode(name)
        if not page:
            fail(rules.no_rule(name))
        out(page)
        return
    from mdtally.show.style import table

    rows = [[one.code, one.name, one.severity, one.page.summary] for one in rules.TABLE]
    options = Call().options()
    for line in table(["code", "name", "severity", "what it finds"], rows, options, (), options.width):
        out(f"{line}\n")
