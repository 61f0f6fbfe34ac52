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


_Point = tuple[int, int, int, float, Decision]
"""The fields of a ``SprtPoint``: few of a long log's points are shown in the end."""


class _Tests:
    """Tests one after another: each ends where its ratio leaves the bounds, and the next event starts a fresh one."""

    def __init__(self) -> None:
        self.test: Hypotheses | None = None
        self.llr, self.events = 0.0, 0
        self.decided = {"H0": 0, "H1": 0}
        # The latest decision: its hypotheses, and where it was reached.
        self.last: tuple[Hypotheses, _Point] | None = None
        self.path: deque[_Point] = deque(maxlen=PATH_LENGTH)

    def take(self, number: int, session: tuple[int, int, float], order: str | None, letter: str, effect: float) -> None:
        """Move by a session's (successes, events, limit), event by event where their order is known."""
        successes, size, limit = session
        # A test goes on with the limit that it began with.
        self.test = self.test if self.events else against(limit)
        test = self.test
        if test is None or not size:
            return
        rise, fall = successes * test.up / effect, (size - successes) * test.down / effect
        # Where no order of these events could end the test on the way, they are one step.
        if order is None or (test.lower < self.llr + fall and self.llr + rise < test.upper):
            self.llr, self.events = self.llr + rise + fall, self.events + size
            if not test.lower < self.llr < test.upper:
                self._decide(test, number, limit)
            order = ""
        for event in order:
            self.llr += (test.up if event == letter else test.down) / effect
            self.events += 1
            if not test.lower < self.llr < test.upper:
                self._decide(test, number, limit)
                if self.test is None:
                    break
                test = self.test
        if self.events:
            self.path.append(self._point(number, "continue"))

    def _decide(self, test: Hypotheses, number: int, limit: float) -> None:
        """Freeze a test that has left its bounds."""
        decision: Decision = "H1" if self.llr >= test.upper else "H0"
        self.path.append(self._point(number, decision))
        self.last = test, self.path[-1]
        self.decided[decision] += 1
        self.llr, self.events, self.test = 0.0, 0, against(limit)

    def _point(self, number: int, decision: Decision) -> _Point:
        return 1 + self.decided["H0"] + self.decided["H1"], number, self.events, self.llr, decision


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
    clusters, tests, used, fresh_at = Clusters(), _Tests(), correlation or 0.0, 0.0
    limit: float | None = None
    changes: list[str] = []
    for number, (session, order) in enumerate(zip(sessions, orders, strict=False), start=1):
        successes, size, now = session
        if limit not in (None, now) and tests.events:
            changes.append(f"from {percent(limit, now)} to {percent(now, limit or 0.0)} at session {number}")
        limit = now
        # A hundredth more sessions change the correlation little, and estimating it is most of the cost.
        if correlation is None and clusters.count >= fresh_at:
            used, fresh_at = clusters.used(), clusters.count + clusters.count // 100 + 1
        tests.take(number, session, order, letter, deff(used, size))
        clusters.add(successes, size)
    running = tests.test if tests.events or limit is None else against(limit)
    last = tests.last or (running and (running, (1, 0, tests.events, tests.llr, "continue")))
    if not last:
        return None
    test, point = last[0], SprtPoint(*last[1])
    times = "once" if len(changes) == 1 else f"{len(changes):,} times, first"
    warning = (
        f"The limit changed {times} {''.join(changes[:1])}, in the middle of a test;"
        " a test goes on with the limit that it began with."
    )
    return Sprt(
        test=test,
        decision=point.decision,
        for_h0=tests.decided["H0"],
        for_h1=tests.decided["H1"],
        llr=point.llr,
        events=point.events,
        running_llr=tests.llr,
        running_events=tests.events,
        path=tuple(SprtPoint(*point) for point in tests.path),
        warnings=(warning,) if changes else (),
    )
