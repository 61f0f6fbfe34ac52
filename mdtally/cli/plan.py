"""``mdtally plan``: what the sequential test promises, and how many events a verdict needs."""

from __future__ import annotations

from typing import Annotated

import typer

from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, out, share

app = shared.new_app()


@app.command()
def plan(
    ceiling: Annotated[
        str, typer.Option(metavar="RATE", help="The rate you allow (H0); the default is illustrative.")
    ] = "0.20",
    margin: Annotated[str, typer.Option(metavar="RATE", help="How far above it the other rate lies (H1).")] = "0.15",
    rho: Annotated[str, typer.Option(metavar="RHO", help="Correlation of the events within a session.")] = "0",
    session_size: Annotated[int, typer.Option(metavar="N", min=1, help="Events a session.")] = 10,
    power: Annotated[str, typer.Option(metavar="SHARE", help="How often a verdict shall be decisive at H1.")] = "0.8",
    difference: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", show_default="0.10, or half of the ceiling", help="A fall of the rate that shall show."
        ),
    ] = None,
    output_format: shared.TableOrJson = "table",
    color: shared.Color = None,
) -> ExitCode:
    """Show how many events and sessions a verdict takes.

    And a difference between two rates. Beside it, how often the sequential test is wrong, and how many events it
    takes.
    """
    from mdtally.render import plan_output
    from mdtally.series.plan import plan as planned

    try:
        found = planned(
            ceiling=share("--ceiling", ceiling),
            margin=share("--margin", margin),
            rho=share("--rho", rho),
            power=share("--power", power),
            session_size=session_size,
            difference=share("--difference", difference) if difference else None,
        )
    except ValueError as error:
        fail(str(error))
    out(plan_output.FORMATS[output_format](found, Call(color=color).options()))
    return ExitCode.CLEAN
