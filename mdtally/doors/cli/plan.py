"""``mdtally plan``: how many sessions, keys and minutes a verdict takes, and a change."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, Color, fail, fail_if_refused, out, share

Before = Annotated[str | None, Option(metavar="RATE", show_default="the ceiling", help="The rate before a change.")]
_HAVE = "Sessions of before, labelled already."


def plan(
    ceiling: Annotated[str, Option(metavar="RATE", help="The rate you allow.")] = "0.20",
    rate: Annotated[
        str | None, Option(metavar="RATE", show_default="half of the ceiling", help="A true rate to be told.")
    ] = None,
    margin: Annotated[str | None, Option(metavar="RATE", help="Or how far above the ceiling it lies.")] = None,
    before: Before = None,
    since: Annotated[str | None, Option(metavar="RATE", show_default="half of that", help="The rate since it.")] = None,
    have: Annotated[int | None, Option(metavar="N", min=1, show_default="as many as since", help=_HAVE)] = None,
    rho: Annotated[str, Option(metavar="RHO", help="Correlation of the events within a session.")] = "0",
    session_size: Annotated[int, Option(metavar="N", min=1, max=1_000, help="Events a session.")] = 10,
    power: Annotated[str, Option(metavar="SHARE", help="In which share of cases it shall be told.")] = "0.8",
    output_format: shared.TableOrJson = "table",
    color: Color = None,
) -> None:
    """Show how many sessions a verdict takes, and a change.

    And how many keys and minutes that is, by review and by survey. No log is read.
    """
    from mdtally.log.series.plan import plan as planned
    from mdtally.show import plan_output

    if rate and margin:
        fail("--rate and --margin both say which rate shall be told; give one of them")

    def rate_of(option: str, text: str | None) -> float | None:
        return share(option, text) if text else None

    allowed = share("--ceiling", ceiling)
    # 0.2 + 0.15 must be 0.35, as a person adds it, not 0.35000000000000003.
    above = round(allowed + share("--margin", margin), 12) if margin else None
    with fail_if_refused():
        found = planned(
            allowed,
            above or rate_of("--rate", rate),
            rate_of("--before", before),
            rate_of("--since", since),
            have=have,
            rho=share("--rho", rho),
            session_size=session_size,
            power=share("--power", power),
        )
    out(plan_output.FORMATS[output_format](found, Call(color=color).options()))
