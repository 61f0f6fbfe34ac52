"""How many sessions it takes until `history` can tell something, and how much labelling that is; no log is read.

It deals out logs at the rates in question, the same ones each time, and asks the very tests by which `history`
decides: a power of 80 % is reached where 80 of 100 logs are told. bench/plan_simulations.py shows that other logs are
told as often.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from itertools import accumulate
from math import ceil, exp, inf, lgamma, log, prod, sqrt
from random import Random

from mdtally.log.series.contrasts import difference, looked_once
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
MOST_POWER = 0.99
_LOGS = 600
"""Logs that are dealt out: so many show a power of .8 to about a hundredth, and one of .99."""
_A_TOOTH = 10
"""Events over which an answer has to hold on: as successes are whole, the power rises like a saw."""
_MANY = 30.0
"""From so many expected ones on, a count is dealt by the normal distribution, bent by its skewness."""


@record
class Labelling:
    """Keys to press, and minutes."""

    keys: int
    minutes: int


Work = Mapping[str, Labelling | None]
"""The labelling until a rate is "decisive", and until a change is "settled"; None where no likely number would do."""


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
    sessions, events = _until_told(ceiling, rate, rho, session_size, power)
    one_look, settled, drawn = _until_changed((before, since), have, rho, session_size, power)
    decisive = sessions and sessions * session_size
    by_review = _work("review", decisive, settled and settled * session_size * (1 if have else 2))
    work = by_review, _work("survey", events, drawn)
    return Plan(
        ceiling, rate, power, rho, session_size, decisive, sessions, before, since, have, one_look, settled, *work
    )


def _until_told(ceiling: float, rate: float, rho: float, size: int, power: float) -> tuple[int | None, int | None]:
    """Sessions until a rate is decisive, and events of a survey."""
    log, single, is_above = _Logs(rate, rho, size, 0).log, _Logs(rate, 0.0, 1, 0).log, rate > ceiling

    def is_decisive(number: int, n: int) -> bool:
        found = log(number, n)
        return is_settled(found, ceiling) and (found.successes > ceiling * found.events) == is_above

    def is_told_by_survey(number: int, n: int) -> bool:
        return _is_beyond(wilson(single(number, n).successes, n, 1 - FIRST_LOOK), ceiling, above=is_above)

    return _fewest(is_decisive, power, FEWEST_SESSIONS, size), _fewest(is_told_by_survey, power, ENOUGH, 1)


def _until_changed(
    rates: tuple[float, float], have: int | None, rho: float, size: int, power: float
) -> tuple[int | None, int | None, int | None]:
    """Sessions until a change shows in one look, and until it is settled; events of a survey, on both sides."""
    logs = [_Logs(rate, rho, size, seed) for seed, rate in enumerate(rates, start=1)]
    single = _Logs(rates[1], 0.0, 1, 2)
    before = cache(lambda events: _Logs(rates[0], rho, events, 1))
    is_rise = rates[1] > rates[0]

    def of_before(n: int) -> tuple[int, int]:
        """The sessions of before that a survey draws from for so many events, and the events of each."""
        sessions = min(n, have or n)
        return sessions, min(size, n // sessions)

    def sides(number: int, n: int) -> tuple[Clusters, Clusters]:
        return logs[0].log(number, have or n), logs[1].log(number, n)

    def shows(number: int, n: int) -> bool:
        return _is_beyond(looked_once(*sides(number, n)), 0, above=is_rise)

    def is_change_settled(number: int, n: int) -> bool:
        found = difference(*sides(number, n))
        return found.settled and _is_beyond(found.sequence, 0, above=is_rise)

    def is_told_by_survey(number: int, n: int) -> bool:
        sessions, events = of_before(n)
        found = looked_once(before(events).log(number, sessions), single.log(number, n), alpha=FIRST_LOOK)
        return _is_beyond(found, 0, above=is_rise)

    one_look, settled = (_fewest(is_told, power, FEWEST_SESSIONS, size) for is_told in (shows, is_change_settled))
    a_side = _fewest(is_told_by_survey, power, ENOUGH, 1)
    return one_look, settled, a_side and a_side + prod(of_before(a_side))


def _raise_if_refused(ceiling: float, rate: float, before: float, since: float, rho: float, power: float) -> None:
    if not (0 < ceiling < 1 and 0 < power <= MOST_POWER and 0 <= rho < 1):
        between = f"a ceiling has to lie between 0 and 1, a power between 0 and {MOST_POWER:g}"
        raise ValueError(f"{between}, and a correlation between 0 and 1, without 1")
    if not all(0 <= share <= 1 for share in (rate, before, since)):
        raise ValueError(f"the rates {rate:g}, {before:g} and {since:g} have to lie between 0 and 1")
    if rate == ceiling:
        raise ValueError(f"a rate of {rate:g} has to differ from the ceiling: nothing tells one from itself")
    if before == since:
        raise ValueError(f"the rate since has to differ from that before, {before:g}: nothing tells one from itself")


def _is_beyond(interval: Interval, rate: float, *, above: bool) -> bool:
    return interval[0] > rate if above else interval[1] < rate


def _fewest(is_told: Callable[[int, int], bool], power: float, start: int, size: int) -> int | None:
    """The fewest sessions of that size after which as many logs are told as the power says; None if no number does.

    ``is_told`` takes the number of a log, and of its sessions.
    """

    @cache
    def holds(n: int) -> bool:
        left = needed = ceil(power * _LOGS - 1e-9)
        for number in range(_LOGS):
            left -= is_told(number, n)
            if left <= 0 or number - (needed - left) >= _LOGS - needed:
                return left <= 0
        return False

    found = fewest(holds, start)
    while found is not None:
        misses = [n for n in range(found, found + _A_TOOTH // size + 1) if not holds(n)]
        if not misses:
            break
        found = fewest(holds, misses[-1] + 1)
    return found


def _work(way: str, decisive: int | None, settled: int | None) -> Work:
    """What it takes to find and label so many events for either."""

    def labelling(events: int) -> Labelling:
        replies = ceil(events / EVENTS_A_REPLY)
        keys = replies * KEYS_A_REPLY + events * MORE_KEYS_AN_EVENT
        return Labelling(keys, ceil(replies * SECONDS_A_REPLY[way] / 60))

    events = {"decisive": decisive, "settled": settled}
    return {until: None if number is None else labelling(number) for until, number in events.items()}


class _Logs:
    """Logs of sessions of ``size`` events at a rate, correlated by rho: a session's successes are beta-binomial.

    A log has the same luck at every length. The luck of all of them is spread evenly (a Latin hypercube: McKay and
    others, Technometrics 21, 1979).
    """

    def __init__(self, rate: float, rho: float, size: int, seed: int) -> None:
        self.size, self.dice = size, Random(seed)
        self.luck: list[list[int]] = []
        self.chances = [exp(chance) for chance in _log_chances(rate, rho, size)]
        self.up_to = list(accumulate(self.chances))

    def log(self, number: int, sessions: int) -> Clusters:
        """The log of that number, of so many sessions."""
        found = Clusters()
        if sessions <= self.size:
            for place in range(sessions):
                found.add(min(self.size, bisect(self.up_to, _SHARES[self._luck(place)[number]])), self.size)
            return found
        # Of many sessions, those of no success are counted first, then those of one, and so on.
        rest = 1.0
        for successes, chance in enumerate(self.chances):
            last = successes == self.size or chance >= rest
            many = sessions if last else _binomial(sessions, chance / rest, self._luck(successes)[number])
            found.add(successes, self.size, many)
            sessions, rest = sessions - many, rest - chance
            if not sessions:
                break
        return found

    def _luck(self, place: int) -> list[int]:
        while len(self.luck) <= place:
            self.luck.append(self.dice.sample(range(_LOGS), _LOGS))
        return self.luck[place]


_SHARES = [(number + 0.5) / _LOGS for number in range(_LOGS)]


def _log_chances(rate: float, rho: float, size: int) -> list[float]:
    """The logarithms of the beta-binomial's chances of 0 to ``size`` successes."""

    def steps(start: float) -> list[float]:
        values = (start * (1 - rho) + i * rho for i in range(size))
        return list(accumulate((log(value) if value else -inf for value in values), initial=0.0))

    hits, misses, either = steps(rate), steps(1 - rate), steps(1.0)
    ways = (lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1) for k in range(size + 1))
    return [one + hits[k] + misses[size - k] - either[size] for k, one in enumerate(ways)]


def _binomial(n: int, chance: float, luck: int) -> int:
    """The count, of n, that so much luck gives: the binomial's quantile."""
    if chance > 0.5:
        return n - _binomial(n, 1 - chance, _LOGS - 1 - luck)
    mean, share = n * chance, _SHARES[luck]
    if mean > _MANY:
        z = normal_quantile(share)
        skewed = mean + sqrt(mean * (1 - chance)) * z + (z * z - 1) * (1 - 2 * chance) / 6
        return min(n, max(0, round(skewed)))
    return bisect_left(_chances_up_to(n, chance), share)


@lru_cache(1000)  # all logs ask for the same few
def _chances_up_to(n: int, chance: float) -> list[float]:
    """The binomial's chances of 0 to 0, 1, … successes, as far as any luck goes."""
    found = [term := (1 - chance) ** n]
    while found[-1] < _SHARES[-1] and len(found) <= n:
        term *= (n + 1 - len(found)) / len(found) * chance / (1 - chance)
        found.append(found[-1] + term)
    return found
