"""Wald's sequential probability ratio test: do the events speak for a rate at the limit, or for one clearly above it?

Wald, "Sequential tests of statistical hypotheses" (1945): after each event the log likelihood ratio of H1 (rate p1)
against H0 (rate p0) moves up or down; the test ends where it leaves the bounds ``ln(beta / (1 - alpha))`` and
``ln((1 - beta) / alpha)``. Made for someone who looks after every session: looking is what it is made of.

It compares two rates, and says which of them the events favour. A true rate between them is decided either way, so a
decision for 20 % over 35 % does not say "at most 20 %".

The events of a session move the ratio divided by the session's design effect (see `design`). A decision freezes its
test; the next event starts a fresh one, so the log goes on being watched. All decisions are counted: of many tests some
are wrong, and the latest alone would hide that.
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
from mdtally.series.design import Clusters, deff

Decision = Literal["H0", "H1", "continue"]

MARGIN = 0.15
"""How far above the ceiling H1 lies."""
PATH_LENGTH = 400
"""Points of the path that are kept: more than any chart can show."""


@record
class Hypotheses:
    """A test before any event: two rates, error rates, and what follows from them.

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
        test: number of the test, 1-based: a decided one is followed by a fresh one.
        session: number of the session in its group, 1-based.
        events: events the test has seen.
        llr: log likelihood ratio, deflated.
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
        test: the hypotheses that `decision` is about.
        decision: the latest one reached, "continue" where none was.
        for_h0, for_h1: how many tests were decided either way.
        llr, events: where that latest test stands: frozen at its decision, or running.
        running_llr, running_events: the test that runs now.
        path: the latest points, oldest first.
        warnings: what a reader has to know, such as thresholds that changed in the middle.
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
    return Hypotheses(
        p0=p0,
        p1=p1,
        alpha=alpha,
        beta=beta,
        upper=log((1 - beta) / alpha),
        lower=log(beta / (1 - alpha)),
        up=log(p1 / p0),
        down=log((1 - p1) / (1 - p0)),
    )


@cache
def against(limit: float) -> Hypotheses | None:
    """The test for a limit: of the limit against the limit plus the margin; None where there is no room for one.

    Where there is no room above it, as for a limit of 95 % on overcorrection, it is the limit less the margin against
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
        orders: the ordered events of each, or None where only their number is known: then it is one step.
        letter: the counted events in a session's order.
        correlation: within-session correlation to deflate by; None estimates it from the sessions before each, so that
            later sessions never change a decision.
    """
    walk, clusters = _Walk(letter), Clusters()
    used, deflations, fresh_at = correlation or 0.0, dict[int, float](), 0
    for number, ((successes, size, limit), order) in enumerate(zip(sessions, orders, strict=False), start=1):
        if limit != walk.limit:
            walk.follow(limit, number)
        if not size:
            continue
        # A hundredth more sessions change the correlation little, and estimating it is most of the cost.
        if correlation is None and clusters.count >= fresh_at:
            used, deflations, fresh_at = clusters.used(), {}, clusters.count + clusters.count // 100 + 1
        deflation = deflations.get(size) or deflations.setdefault(size, deff(used, size))
        walk.take(number, successes, size, order, deflation)
        clusters.add(successes, size)
    return walk.result()


class _Walk:
    """A run in the making: the running test, the decisions, and the path."""

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.test: Hypotheses | None = None
        self.limit: float | None = None
        self.began_at: float | None = None
        self.number = 1
        self.llr, self.events = 0.0, 0
        self.decisions: dict[Decision, int] = {"H0": 0, "H1": 0}
        self.last: tuple[Hypotheses, Decision, float, int] | None = None
        # Plain tuples: a record for each session of a long log would cost more than the test.
        self.path: deque[tuple[int, int, int, float, Decision]] = deque(maxlen=PATH_LENGTH)
        self.changes, self.first_change = 0, ""

    def take(self, number: int, successes: int, size: int, order: str | None, deflation: float) -> None:
        """Take a session in."""
        test = self.test
        if test is None:
            return
        rise, fall = successes * test.up / deflation, (size - successes) * test.down / deflation
        # Where no order of these events could end the test on the way, they are one step.
        if order is None or (test.lower < self.llr + fall and self.llr + rise < test.upper):
            self.llr, self.events = self.llr + rise + fall, self.events + size
            if not test.lower < self.llr < test.upper:
                self._decide(test, number, self.llr, self.events)
        else:
            self._walk(test, order, deflation, number)
        if self.events:
            self.path.append((self.number, number, self.events, self.llr, "continue"))

    def _walk(self, test: Hypotheses, order: str, deflation: float, number: int) -> None:
        """Take the events of a session in, one by one: some test may end on the way."""
        # Names of its own for all that each event needs: long logs have millions of them.
        up, down, letter = test.up / deflation, test.down / deflation, self.letter
        lower, upper, llr, seen = test.lower, test.upper, self.llr, self.events
        events = iter(order)
        for event in events:
            llr += up if event == letter else down
            seen += 1
            if not lower < llr < upper:
                self._decide(test, number, llr, seen)
                llr, seen = 0.0, 0
                if self.test is not test:
                    # The limit has changed meanwhile: the rest is the next test's.
                    if self.test is not None:
                        self._walk(self.test, "".join(events), deflation, number)
                    return
        self.llr, self.events = llr, seen

    def follow(self, limit: float, number: int) -> None:
        """Take a new limit: for the first test or, where one is under way, which keeps its own, for the next."""
        before, self.limit = self.limit, limit
        if not self.events:
            self._begin()
        elif before is not None:
            self.changes += 1
            self.first_change = self.first_change or (
                f"from {percent(before, limit)} to {percent(limit, before)} at session {number}"
            )

    def result(self) -> Sprt | None:
        """Where the tests stand."""
        latest = self.last or (self.test, "continue", self.llr, self.events)
        test, decision, llr, events = latest
        if test is None:
            return None
        times = "once" if self.changes == 1 else f"{self.changes:,} times, first"
        changed = (
            f"The limit changed {times} {self.first_change}, in the middle of a test;"
            " a test goes on with the limit that it began with."
        )
        return Sprt(
            test=test,
            decision=decision,
            for_h0=self.decisions["H0"],
            for_h1=self.decisions["H1"],
            llr=llr,
            events=events,
            running_llr=self.llr,
            running_events=self.events,
            path=tuple(SprtPoint(*point) for point in self.path),
            warnings=(changed,) if self.changes else (),
        )

    def _begin(self) -> None:
        """Start a fresh test of the limit that holds now."""
        self.began_at, self.test = self.limit, against(self.limit or 0.0)

    def _decide(self, test: Hypotheses, session: int, llr: float, events: int) -> None:
        """Freeze a test that has left its bounds, and begin a fresh one."""
        decision: Decision = "H1" if llr >= test.upper else "H0"
        self.path.append((self.number, session, events, llr, decision))
        self.last = (test, decision, llr, events)
        self.decisions[decision] += 1
        self.number += 1
        self.llr, self.events = 0.0, 0
        if self.limit != self.began_at:
            self._begin()
