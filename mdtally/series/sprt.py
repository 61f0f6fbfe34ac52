"""Wald's sequential probability ratio test: do the events speak for a rate at the limit, or for one clearly above it?

Wald, "Sequential tests of statistical hypotheses" (1945): after each event the log likelihood ratio of H1 (rate p1)
against H0 (rate p0) moves up or down; the test ends where it leaves the bounds ``ln(beta / (1 - alpha))`` and
``ln((1 - beta) / alpha)``. Made for someone who looks after every session. It compares two rates, and says which of
them the events favour: a decision for 20 % over 35 % does not say "at most 20 %".

The events of a session move the ratio divided by the session's design effect (see `rates`). A decision freezes its
test; the next event starts a fresh one. All decisions are counted: of many tests some are wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cache
from itertools import repeat
from math import log
from typing import Literal

from mdtally.percent import percent
from mdtally.records import record
from mdtally.series.rates import Clusters, deff

Decision = Literal["H0", "H1", "continue"]

MARGIN = 0.15
"""How far above the ceiling H1 lies."""
PATH_LENGTH = 400
"""Points of the path that are kept: more than any chart can show."""


@record
class Hypotheses:
    """A test before any event.

    Attributes:
        p0, p1: the rates of H0 and H1.
        alpha, beta: nominal probabilities of a false H1 and a false H0.
        upper, lower: bounds of the log likelihood ratio.
        up, down: its steps at a counted event and at any other.
    """

    p0: float
    p1: float
    alpha: float
    beta: float
    upper: float
    lower: float
    up: float
    down: float


@record
class SprtPoint:
    """A point of a sequential test's path.

    Attributes:
        test: number of the test; session: number of the session in its group; both 1-based.
        events: events the test has seen; llr: its log likelihood ratio, deflated.
        decision: "H0" or "H1" where the test ended here, else "continue".
    """

    test: int
    session: int
    events: int
    llr: float
    decision: Decision


@record
class Sprt:
    """Wald's sequential tests over a group: all decisions reached, and the test that runs now.

    Attributes:
        decision: the latest one reached, "continue" where none was; test: the hypotheses that it is about.
        for_h0, for_h1: how many tests were decided either way.
        llr, events: where that latest test stands: frozen at its decision, or running.
        running_llr, running_events: the test that runs now.
        path: the latest points, oldest first.
        warnings: that the limit changed in the middle of a test.
    """

    test: Hypotheses
    decision: Decision
    for_h0: int
    for_h1: int
    llr: float
    events: int
    running_llr: float
    running_events: int
    path: tuple[SprtPoint, ...]
    warnings: tuple[str, ...] = ()


def hypotheses(p0: float, margin: float = MARGIN, alpha: float = 0.05, beta: float = 0.05) -> Hypotheses:
    """The test of a rate of ``p0`` against one of ``p0 + margin``.

    Raises:
        ValueError: the numbers leave no room for a test; the message says which.
    """
    if not 0 < p0 < 1:
        raise ValueError(f"a ceiling of {p0:g} leaves nothing to test: it has to lie between 0 and 1")
    # 0.2 + 0.15 must be 0.35, as a person adds it, not 0.35000000000000003.
    p1 = round(p0 + margin, 12)
    if not p0 < p1 < 1:
        raise ValueError(f"ceiling {p0:g} plus margin {margin:g} has to lie between the ceiling and 1")
    upper, lower = log((1 - beta) / alpha), log(beta / (1 - alpha))
    return Hypotheses(p0, p1, alpha, beta, upper, lower, up=log(p1 / p0), down=log((1 - p1) / (1 - p0)))


@cache
def against(limit: float) -> Hypotheses | None:
    """The test of a limit against the limit plus the margin; None where there is no room for one.

    Where there is none above it, as for a limit of 95 % on overcorrection, the limit less the margin is tested against
    the limit.
    """
    above = limit + MARGIN < 1 or limit <= MARGIN
    try:
        return hypotheses(limit if above else round(limit - MARGIN, 12))
    except ValueError:
        return None


def run(
    sessions: Iterable[tuple[int, int, float]],
    orders: Iterable[str | None] = repeat(None),
    *,
    letter: str = "P",
    correlation: float | None = None,
) -> Sprt | None:
    """Run the tests over sessions, oldest first; None where there was never room for one.

    Args:
        sessions: (successes, events, limit) of each; the limit is what its rate must not be above.
        orders: the ordered events of each, with ``letter`` for the counted ones; None where only their number is known:
            then it is one step.
        correlation: within-session correlation to deflate by; None estimates it from the sessions before each, so that
            later sessions never change a decision.
    """
    clusters, used, deflations, fresh_at = Clusters(), correlation or 0.0, dict[int, float](), 0
    limit: float | None = None
    changes: list[str] = []
    test: Hypotheses | None = None
    llr, seen, decided = 0.0, 0, {"H0": 0, "H1": 0}
    last: tuple[Hypotheses, Decision, float, int] | None = None
    # Plain tuples: a record for each session of a long log would cost more than the test.
    path: deque[tuple[int, int, int, float, Decision]] = deque(maxlen=PATH_LENGTH)

    def decide(test: Hypotheses, number: int, llr: float, seen: int) -> None:
        """Freeze a test that has left its bounds."""
        nonlocal last
        decision: Decision = "H1" if llr >= test.upper else "H0"
        path.append((1 + sum(decided.values()), number, seen, llr, decision))
        last = (test, decision, llr, seen)
        decided[decision] += 1

    for number, ((successes, size, now), order) in enumerate(zip(sessions, orders, strict=False), start=1):
        if now != limit:
            if seen and limit is not None:
                changes.append(f"from {percent(limit, now)} to {percent(now, limit)} at session {number}")
            limit = now
        # A test goes on with the limit that it began with.
        if not seen:
            test = against(limit)
        if not size:
            continue
        # A hundredth more sessions change the correlation little, and estimating it is most of the cost.
        if correlation is None and clusters.count >= fresh_at:
            used, deflations, fresh_at = clusters.used(), {}, clusters.count + clusters.count // 100 + 1
        deflation = deflations.get(size) or deflations.setdefault(size, deff(used, size))
        clusters.add(successes, size)
        if test is None:
            continue
        rise, fall = successes * test.up / deflation, (size - successes) * test.down / deflation
        # Where no order of these events could end the test on the way, they are one step.
        if order is None or (test.lower < llr + fall and llr + rise < test.upper):
            llr, seen = llr + rise + fall, seen + size
            if not test.lower < llr < test.upper:
                decide(test, number, llr, seen)
                llr, seen = 0.0, 0
            order = ""
        # Names of their own for what each event needs: long logs have millions of them.
        up, down, lower, upper = test.up / deflation, test.down / deflation, test.lower, test.upper
        for event in order:
            llr += up if event == letter else down
            seen += 1
            if not lower < llr < upper:
                decide(test, number, llr, seen)
                llr, seen, test = 0.0, 0, against(limit)
                if test is None:
                    break
                up, down, lower, upper = test.up / deflation, test.down / deflation, test.lower, test.upper
        if seen:
            path.append((1 + sum(decided.values()), number, seen, llr, "continue"))
    of, decision, frozen, events = last or (test, "continue", llr, seen)
    if of is None:
        return None
    times = "once" if len(changes) == 1 else f"{len(changes):,} times, first"
    warning = (
        f"The limit changed {times} {''.join(changes[:1])}, in the middle of a test;"
        " a test goes on with the limit that it began with."
    )
    return Sprt(
        test=of,
        decision=decision,
        for_h0=decided["H0"],
        for_h1=decided["H1"],
        llr=frozen,
        events=events,
        running_llr=llr,
        running_events=seen,
        path=tuple(SprtPoint(*point) for point in path),
        warnings=(warning,) if changes else (),
    )
