"""What a test promises before the first event, and how many events it takes.

Nothing here is simulated or approximated by Wald's formulas, which ignore how far a step overshoots the bound: the
error rates are those of the test as it is run.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor

from mdtally.intervals import normal_quantile, wilson
from mdtally.model import Plan
from mdtally.series.design import deff
from mdtally.series.sprt import ALPHA, BETA, MARGIN, characteristic, hypotheses
from mdtally.series.tails import lower_tail, upper_tail

__all__ = ["plan"]

POWER = 0.8
"""The probability of a decisive verdict that `Plan.events_for_decisive_80` asks for."""
_MOST_EVENTS = 1_000_000


def plan(
    ceiling: float = 0.20,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    beta: float = BETA,
    rho: float = 0.0,
    session_size: int = 10,
    per_session: bool = False,
) -> Plan:
    """The operating characteristic of the sequential test.

    Args:
        ceiling: H0 is a rate at most this.
        margin: H1 is a rate of at least the ceiling plus this.
        alpha, beta: nominal error rates.
        rho: within-session correlation of the events; the test is deflated by its design effect.
        session_size: events a session.
        per_session: look after each session only.

    Raises:
        ValueError: the numbers leave no room for a test; the message says which.
    """
    test = hypotheses(ceiling, margin, alpha, beta)
    if not 0 <= rho < 1:
        raise ValueError(f"a correlation of {rho:g} has to lie between 0 and 1")
    if session_size < 1:
        raise ValueError("a session needs at least one event")
    deflation = deff(rho, session_size)

    def at(rate: float, deflation: float) -> tuple[float, float]:
        result = characteristic(
            test,
            rate,
            session_size=session_size,
            per_session=per_session,
            correlation=rho,
            deflation=deflation,
        )
        return result.h1, result.expected_events

    false_h1, events_h0 = at(test.p0, deflation)
    power, events_h1 = at(test.p1, deflation)
    return Plan(
        p0=test.p0,
        p1=test.p1,
        alpha=alpha,
        beta=beta,
        upper=test.upper,
        lower=test.lower,
        rho=rho,
        session_size=session_size,
        per_session=per_session,
        deff=deflation,
        false_h1=false_h1,
        power=power,
        expected_events_h0=events_h0,
        expected_events_h1=events_h1,
        false_h1_undeflated=false_h1 if deflation == 1 else at(test.p0, 1.0)[0],
        events_for_decisive=ceil(deflation * events_for_decisive(test.p0, test.p1)),
        events_for_decisive_80=ceil(deflation * events_for_decisive_verdict(test.p0, test.p1, POWER)),
    )


def events_for_decisive(ceiling: float, rate: float, confidence: float = 0.95) -> int:
    """The fewest events at which an observed rate above the ceiling has its Wilson interval wholly above it.

    Wilson's interval holds the rates a score test does not reject, so its lower end passes the ceiling where the
    score ``(rate - ceiling) / sqrt(ceiling (1 - ceiling) / n)`` passes the normal quantile. No closed form is exact at
    whole counts; the observed rate is taken as a real number.
    """
    z = normal_quantile(1 - (1 - confidence) / 2)
    return floor(z * z * ceiling * (1 - ceiling) / (rate - ceiling) ** 2) + 1


def events_for_decisive_verdict(ceiling: float, rate: float, power: float) -> int:
    """The fewest events at which a true rate makes the verdict decisive with that probability.

    Counts are whole, so the probability saws up and down as events are added; this is the first number that reaches
    the power (beyond 400 events, to within half a percent). Searched upwards from the number where an observed rate
    suffices, which makes it about as likely as not.
    """
    n = events_for_decisive(ceiling, rate)
    while n < _MOST_EVENTS and _decisive(n, ceiling, rate) < power:
        n += max(1, n // 200)
    return n


def _decisive(n: int, ceiling: float, rate: float) -> float:
    """The probability that n events at a true rate have an interval wholly on one side of the ceiling."""
    above = _first(n, lambda k: wilson(k, n)[0] > ceiling)
    below = _first(n, lambda k: wilson(k, n)[1] >= ceiling) - 1
    return upper_tail(above, n, rate) + lower_tail(below, n, rate)


def _first(n: int, holds: Callable[[int], bool]) -> int:
    """The least k from 0 to n for which a condition that stays true once true holds; n + 1 where it never does."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
