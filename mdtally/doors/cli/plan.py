"""``mdtally plan``: how many sessions, keys and minutes a verdict takes, and a change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, fail, fail_if_refused, out, share

Before = Annotated[str | None, Option(metavar="RATE", show_default="the ceiling", help="The rate before a change.")]
Ceiling = Annotated[str | None, Option(metavar="RATE", show_default="the configuration's", help="The rate you allow.")]
Rate = Annotated[str | None, Option(metavar="RATE", show_default="half of the ceiling", help="A true rate to be told.")]
_HAVE = "Sessions of before, labelled already."


@shared.with_call("color")
def plan(
    call: Call,
    ceiling: Ceiling = None,
    rate: Rate = None,
    margin: Annotated[str | None, Option(metavar="RATE", help="Or how far above the ceiling it lies.")] = None,
    before: Before = None,
    since: Annotated[str | None, Option(metavar="RATE", show_default="half of that", help="The rate since it.")] = None,
    have: Annotated[int | None, Option(metavar="N", min=1, show_default="as many as since", help=_HAVE)] = None,
    rho: Annotated[str, Option(metavar="RHO", help="Correlation of the events within a session.")] = "0",
    session_size: Annotated[int, Option(metavar="N", min=1, max=1_000, help="Events a session.")] = 10,
    power: Annotated[str, Option(metavar="SHARE", help="In which share of cases it shall be told.")] = "0.8",
    output_format: shared.TableOrJson = "table",
) -> None:
    """Show how many sessions a verdict takes, and a change.

    And how many keys and minutes that is, by review and by survey. No log is read.
    """
    from mdtally.log.series.plan import plan as planned
    from mdtally.show import plan_output

    if rate and margin:
        fail("--rate and --margin both say which rate shall be told; give one of them")
    allowed = float(call.settings(Path.cwd()).sycophancy_ceiling) if ceiling is None else share("--ceiling", ceiling)
    # 0.2 + 0.15 must be 0.35, as a person adds it, not 0.35000000000000003.
    above = round(allowed + share("--margin", margin), 12) if margin else None
    given = {"--rate": rate, "--before": before, "--since": since}
    told, *change = (share(option, text) if text else None for option, text in given.items())
    shares = {"rho": share("--rho", rho), "power": share("--power", power)}
    with fail_if_refused():
        found = planned(allowed, above or told, *change, have=have, session_size=session_size, **shares)
    out(plan_output.FORMATS[output_format](found, call.options()))
