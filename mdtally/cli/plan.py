"""``mdtally plan``: what the sequential test promises, and how many events a verdict needs."""

from __future__ import annotations

from typing import Annotated

from mdtally.cli import common
from mdtally.cli.options import Command, Option


def plan(
    ceiling: Annotated[str, Option("--ceiling", help="The rate that you allow (H0).")] = "0.20",
    margin: Annotated[str, Option("--margin", help="How far above it the other rate lies (H1).")] = "0.15",
    rho: Annotated[str, Option("--rho", help="Correlation of the events within a session.")] = "0",
    session_size: Annotated[int, Option("--session-size", help="Events a session.", min=1)] = 10,
    power: Annotated[str, Option("--power", help="How often a verdict shall be decisive at the rate of H1.")] = "0.8",
    output_format: common.TableOption = "table",
    color: common.ColourOption = None,
) -> None:
    """How often the sequential test is wrong, how many events it takes, and how many a decisive verdict needs."""
    from mdtally import render
    from mdtally.series.plan import plan as planned

    common.one_of("--output-format", output_format, tuple(render.PLAN_FORMATS))
    given = {"ceiling": ceiling, "margin": margin, "rho": rho, "power": power}
    rates = {name: common.share(f"--{name}", text) for name, text in given.items()}
    try:
        found = planned(**rates, session_size=session_size)
    except ValueError as error:
        common.fail(str(error))
    common.out("".join(render.PLAN_FORMATS[output_format](found, common.render_options(color))))


COMMAND = Command(plan, "Show how many events a decisive verdict needs.")
