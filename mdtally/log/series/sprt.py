"""Wald's sequential probability ratio test: do the events speak for a rate at the limit, or for one clearly above it?

Wald, "Sequential tests of statistical hypotheses" (1945): after each event the log likelihood ratio of H1 (rate p1)
against H0 (rate p0) moves up or down; the test ends where it leaves the bounds ``ln(beta / (1 - alpha))`` and
``ln((1 - beta) / alpha)``. Made for someone who looks after every session. It compares two rates, and says which of
them the events favour: a decision for 20 % over 35 % does not say "at most 20 %".

The events of a session move the ratio divided by the session's design effect (see `rates`). A decision freezes its
test; the next event starts a fresh one. All decisions are counted: of many tests some are wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log
from typing import Literal

from mdtally.log.series.rates import Clusters, deff
from mdtally.text.records import record

Decision = Literal["H0", "H1", "continue"]

MARGIN = 0.15
"""How far above the ceiling H1 lies."""
BOUND = log((1 - 0.05) / 0.05)
"""Where a test ends, above and below 0: alpha and beta are 5 %."""


@record
class Sprt:
    """Wald's sequential tests over a group's sessions.

    Attributes:
        p0, p1: the rates that are compared; p1 is None where the limit leaves no room for a test, or there is no one
            limit.
        decision: the latest one reached, "continue" where none was.
        decisions: how many tests were decided either way.
        llr, events: where the latest decision was reached, or else where the first test stands.
    """

    p0: float | None
    p1: float | None
    decision: Decision = "continue"
    decisions: Mapping[str, int] = {"H0": 0, "H1": 0}
    llr: float = 0.0
    events: int = 0


def run(
    sessions: Iterable[tuple[int, int]], orders: Iterable[str | None], limit: float | None, letter: str = "P"
) -> Sprt:
    """Run the tests over sessions, oldest first.

    The correlation that a session is deflated by is estimated from those before it, so that later ones never change a
    decision.

    Args:
        sessions: (successes, events) of each; orders: its events in order, or None where only their number is known:
            then they are one step.
        limit: what the rate must not be above; None where the sessions were held against different ones.
        letter: of the events that are successes.
    """
    p0, p1 = _hypotheses(limit)
    if p0 is None or p1 is None:
        return Sprt(p0, p1)
    up, down = log(p1 / p0), log((1 - p1) / (1 - p0))
    before, fresh_at, used = Clusters(), 0.0, 0.0
    found, llr, seen = Sprt(p0, p1), 0.0, 0
    for (successes, size), order in zip(sessions, orders, strict=True):
        # A hundredth more sessions change the correlation little, and estimating it is most of the cost.
        if before.count >= fresh_at:
            used, fresh_at = before.correlation_used(), before.count + before.count // 100 + 1
        before.add(successes, size)
        for hits, events in [(event == letter, 1) for event in order] if order else [(successes, size)]:
            llr += (hits * up + (events - hits) * down) / deff(used, size)
            seen += events
            if abs(llr) >= BOUND:
                decision: Decision = "H1" if llr > 0 else "H0"
                decisions = {**found.decisions, decision: found.decisions[decision] + 1}
                found = Sprt(p0, p1, decision, decisions, llr, seen)
                llr, seen = 0.0, 0
    return found if found.decision != "continue" else Sprt(p0, p1, llr=llr, events=seen)


def _hypotheses(limit: float | None) -> tuple[float | None, float | None]:
    """The limit and a rate above it by the margin; where there is none, as for a limit of 95 % on overcorrection, a
    rate below the limit by the margin, and the limit."""
    if limit is None or not 0 < limit < 1:
        return limit, None
    # 0.2 + 0.15 must be 0.35, as a person adds it, not 0.35000000000000003.
    p0 = limit if limit + MARGIN < 1 else round(limit - MARGIN, 12)
    return p0, round(p0 + MARGIN, 12)
