"""How many sessions it takes until `history` can tell something, and how much labelling that is; no log is read.

It asks the very tests by which `history` decides. What they are given is a log that is less clear than most: for a
power of 80 %, with as many successes (or as few) as 80 of 100 logs are clearer than. bench/history_simulations.py
shows that the power holds.
"""

from __future__ import annotations

from itertools import accumulate
from math import ceil, sqrt
from operator import mul

from mdtally.log.series.contrasts import Difference, difference
from mdtally.log.series.rates import ALPHA, FEWEST_SESSIONS, Clusters, fewest, is_settled
from mdtally.text.intervals import ENOUGH, normal_quantile, wilson
from mdtally.text.model import Interval
from mdtally.text.records import record

POWER = 0.8
EVENTS_A_REPLY = 0.16
"""Share of an agent's replies that are events: about so many of 3,104 replies in 214 recorded sessions."""
KEYS_A_REPLY, MORE_KEYS_AN_EVENT = 1, 2
"""What a person presses: whether a reply is an event, and of one what came before it and what it rested on."""
SECONDS_A_REPLY = {"review": 5.0, "survey": 12.5}
"""A review goes through a session in its order; a survey jumps from one to another."""
FIRST_LOOK = ALPHA / 2
"""What a survey's first look may spend of the 5 %."""
_LEAST = 1e-9
"""A rate of 0 is nearly one: then it has a spread."""


@record
class Labelling:
    """Keys to press, and minutes."""

    keys: int
    minutes: int


@record
class Work:
    """The labelling until a rate is decisive, and until a change is settled; None where no likely number would do."""

    decisive: Labelling | None
    settled: Labelling | None


@record
class Plan:
    """How many sessions it takes, and how much work; each is None where no likely number would do.

    Attributes:
        ceiling, rate: the true rate that shall be told to be above the ceiling, or no more than it.
        power: in which share of logs; rho, session_size: of sessions of so many events, correlated so.
        events_for_decisive, sessions: until that is decisive, however often one looks.
        before, since: the two rates of a change; have: sessions of before that there are already, and no more.
        one_look, settled: sessions on either side until one look leaves out that nothing changed, and until that is
            settled, however often one looks; with ``have``, sessions since.
        review, survey: the work. A review labels whole sessions; a survey draws single replies of many sessions, and
            looks once.
    """

    ceiling: float
    rate: float
    power: float
    rho: float
    session_size: int
    events_for_decisive: int | None
    sessions: int | None
    before: float
    since: float
    have: int | None
    one_look: int | None
    settled: int | None
    review: Work
    survey: Work


def plan(
    ceiling: float = 0.20,
    rate: float | None = None,
    before: float | None = None,
    since: float | None = None,
    *,
    have: int | None = None,
    rho: float = 0.0,
    session_size: int = 10,
    power: float = POWER,
) -> Plan:
    """What it takes to tell a true rate from the ceiling, and two rates from each other.

    Args:
        ceiling, rate: the rate defaults to half of the ceiling.
        before, since: the rates of a change; they default to the ceiling, and to half of the first.
        have: sessions of before that are labelled already; None where they come as those since do.
        rho, session_size: correlation of a session's events, and their number.
        power: in which share of logs it shall be told.

    Raises:
        ValueError: the numbers leave nothing to tell; the message says which.
    """
    rate = ceiling / 2 if rate is None else rate
    before = ceiling if before is None else before
    since = before / 2 if since is None else since
    _raise_if_refused(ceiling, rate, before, since, rho, power)
    z, unlucky = normal_quantile(power), 1 if rate < ceiling else -1
    sessions_of, events_of = _Logs(session_size, rho, z), _Logs(1, 0.0, z)

    def change(sessions: int) -> Difference:
        return difference(*sessions_of.two(before, since, have or sessions, sessions))

    def is_told_by_survey(events: int) -> bool:
        return _leaves_out(wilson(events_of.log(rate, events, unlucky).successes, events, 1 - FIRST_LOOK), ceiling)

    def is_change_told_by_survey(events: int) -> bool:
        sides = events_of.two(before, since, events, events)
        return _leaves_out(difference(*sides, alpha=FIRST_LOOK).interval_deflated, 0)

    sessions = fewest(lambda n: is_settled(sessions_of.log(rate, n, unlucky), ceiling), FEWEST_SESSIONS)
    settled = fewest(lambda n: change(n).settled, FEWEST_SESSIONS)
    sides = 1 if have else 2
    events, a_side = (fewest(is_told, ENOUGH) for is_told in (is_told_by_survey, is_change_told_by_survey))
    return Plan(
        ceiling=ceiling,
        rate=rate,
        power=power,
        rho=rho,
        session_size=session_size,
        events_for_decisive=sessions and sessions * session_size,
        sessions=sessions,
        before=before,
        since=since,
        have=have,
        one_look=fewest(lambda n: _leaves_out(change(n).interval_deflated, 0), FEWEST_SESSIONS),
        settled=settled,
        review=_work("review", sessions and sessions * session_size, settled and settled * session_size * sides),
        survey=_work("survey", events, a_side and 2 * a_side),
    )


def _raise_if_refused(ceiling: float, rate: float, before: float, since: float, rho: float, power: float) -> None:
    if not (0 < ceiling < 1 and 0 < power < 1 and 0 <= rho < 1):
        raise ValueError("ceiling and power have to lie between 0 and 1, a correlation has to be less than 1")
    if not all(0 <= share <= 1 for share in (rate, before, since)):
        raise ValueError(f"the rates {rate:g}, {before:g} and {since:g} have to lie between 0 and 1")
    if rate == ceiling:
        raise ValueError(f"a rate of {rate:g} has to differ from the ceiling: nothing tells one from itself")
    if before == since:
        raise ValueError(f"the rate since has to differ from that before, {before:g}: nothing tells one from itself")


def _leaves_out(interval: Interval, rate: float) -> bool:
    return not interval[0] <= rate <= interval[1]


def _work(way: str, decisive: int | None, settled: int | None) -> Work:
    """What it takes to find and label so many events for either."""

    def labelling(events: int) -> Labelling:
        replies = ceil(events / EVENTS_A_REPLY)
        keys = replies * KEYS_A_REPLY + events * MORE_KEYS_AN_EVENT
        return Labelling(keys, ceil(replies * SECONDS_A_REPLY[way] / 60))

    return Work(*(None if events is None else labelling(events) for events in (decisive, settled)))


@record
class _Logs:
    """Logs of sessions of ``size`` events, correlated by rho; z is the normal quantile of the power."""

    size: int
    rho: float
    z: float

    def log(self, rate: float, sessions: int, unlucky: float) -> Clusters:
        """The sums of an unlucky log: where ``unlucky`` is 1, with more successes than a share of logs has, by the
        power; where it is -1, with fewer; between them, less so.

        Successes and their squares are the beta-binomial's, by its moments and Cornish and Fisher's expansion.
        """
        from statistics import NormalDist

        mean, square, cube, fourth = self._moments(min(max(_LEAST, rate), 1 - _LEAST))
        variance, shared = square - mean * mean, cube - mean * square
        z, bend = self.z * unlucky, (shared - 2 * mean * variance) / variance
        found = Clusters()
        found.count, found.events, found.sizes = sessions, sessions * self.size, sessions * self.size**2
        # Successes are whole: half a one more is as unlucky.
        more = sqrt(sessions * variance) * z + bend * (z * z - 1) / 6 + unlucky / 2
        found.successes = min(max(0.0, sessions * mean + more), found.events)
        squares = sessions * square + shared / variance * (found.successes - sessions * mean)
        # The estimate of the correlation is never below 0, so on average it is above the true one.
        share = found.successes / found.events
        above = squares - found.events * share * (1 + (self.size - 1) * share)
        spread = sqrt(max(0.0, sessions * (fourth - square * square - shared * shared / variance)))
        if spread:
            normal = NormalDist(0, spread)
            squares += spread * spread * normal.pdf(above) - above * normal.cdf(-above)
        found.squares = {self.size: squares}
        return found

    def two(self, before: float, since: float, first: int, other: int) -> tuple[Clusters, Clusters]:
        """The sums of two logs of so many sessions whose rates are nearer to each other than in a share of cases."""
        spreads = [self._variance(rate) / sessions for rate, sessions in ((before, first), (since, other))]
        # The unluckiest of the likely pairs: either takes part by its share of the spread.
        shares = [sqrt(spread / sum(spreads)) * (1 if before > since else -1) for spread in spreads]
        return self.log(before, first, -shares[0]), self.log(since, other, shares[1])

    def _variance(self, rate: float) -> float:
        mean, square, *_ = self._moments(min(max(_LEAST, rate), 1 - _LEAST))
        return square - mean * mean

    def _moments(self, rate: float) -> tuple[float, float, float, float]:
        """The first four raw moments of a session's successes, from the beta-binomial's factorial moments."""
        a, b, c, d = accumulate(
            (
                (self.size - i) * (rate * (1 - self.rho) + self.rho * i) / (1 - self.rho + self.rho * i)
                for i in range(4)
            ),
            mul,
        )
        return a, b + a, c + 3 * b + a, d + 6 * c + 7 * b + a
