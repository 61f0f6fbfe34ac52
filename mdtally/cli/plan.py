"""``mdtally plan``: what the sequential test promises, and how many events a verdict needs."""

from __future__ import annotations

from mdtally.cli.common import Call, out, share
from mdtally.cli.options import Command, Option, fail, output_format, shared


def plan(call: Call, session_size: int, **rates: str) -> None:
    """How often the sequential test is wrong, how many events it takes, and how many a decisive verdict needs."""
    from mdtally import render
    from mdtally.series.plan import plan as planned

    try:
        found = planned(**{name: share(f"--{name}", text) for name, text in rates.items()}, session_size=session_size)
    except ValueError as error:
        fail(str(error))
    out("".join(render.PLAN_FORMATS[call.output_format](found, call.options())))


COMMAND = Command(
    plan,
    "Show how many events a decisive verdict needs.",
    Option("--ceiling", "The rate that you allow (H0).", default="0.20"),
    Option("--margin", "How far above it the other rate lies (H1).", default="0.15"),
    Option("--rho", "Correlation of the events within a session.", default="0"),
    Option("--session-size", "Events a session.", int, 10, min=1),
    Option("--power", "How often a verdict shall be decisive at the rate of H1.", default="0.8"),
    output_format("table", "json"),
    *shared("color"),
)
