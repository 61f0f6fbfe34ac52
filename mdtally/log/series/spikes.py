"""Single sessions that stand out, which a pooled rate hides.

Nineteen sessions in which the agent gave in once of ten times, and one in which it did six times, pool to 12.5 %: under
a ceiling of 20 %, and yet something happened in that one. Does it hold more of all the events in question than a fair
deal among the sessions would give it? The answer is the hypergeometric probability, with Benjamini and Hochberg over
all sessions that are shown.

A session under ten events says little by itself, so small ones are pooled, in their order, until there are ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import exp, lgamma

from mdtally.text.intervals import ENOUGH
from mdtally.text.records import record

FALSE_DISCOVERY_RATE = 0.05


@record
class Pool:
    """Sessions as they are judged: one alone, or small ones together.

    Attributes:
        sessions: their places in the group, oldest first.
        successes, size: of all of them.
    """

    sessions: tuple[int, ...]
    successes: int
    size: int


def pools_of(counts: Sequence[tuple[int, int]]) -> list[Pool]:
    """The pools of a group's sessions, given as (successes, events), oldest first; what is left over is in none."""
    pools: list[Pool] = []
    waiting, of_them, together = tuple[int, ...](), 0, 0
    for place, (successes, size) in enumerate(counts):
        if size >= ENOUGH:
            pools.append(Pool((place,), successes, size))
        elif size:
            waiting, of_them, together = (*waiting, place), of_them + successes, together + size
            if together >= ENOUGH:
                pools.append(Pool(waiting, of_them, together))
                waiting, of_them, together = (), 0, 0
    return pools


def spikes(groups: Iterable[Sequence[tuple[int, int]]]) -> list[set[int]]:
    """For each group the places of the sessions that stand out; it is given by the (successes, events) of its sessions.

    A pool is judged only where the others of its group have ten events or more, and can be a standard. It stands out as
    a whole: to name only those of its sessions with the most successes would say more than was tested.
    """
    judged = [list(_p_values(counts)) for counts in groups]
    limit = cutoff([p for pairs in judged for _, p in pairs])
    return [{place for pool, p in pairs if p <= limit for place in pool.sessions} for pairs in judged]


def cutoff(p_values: Iterable[float]) -> float:
    """The largest of these p-values that stands out; -1 where none does.

    By Benjamini and Hochberg (1995): the expected share of false ones among those at or under it is 5 % at most.
    """
    ordered = sorted(p_values)
    under = (p for rank, p in enumerate(ordered, 1) if p * len(ordered) / rank <= FALSE_DISCOVERY_RATE)
    return max(under, default=-1.0)


@lru_cache(1 << 12)  # thousands of sessions share a few dozen counts
def hypergeometric_at_least(k: int, n: int, others_k: int, others_n: int) -> float:
    """The probability that k or more of all successes fall among these n events, wherever they fall by chance.

    It compares a session's k of n with the others' counts without a rate to plug in (Fisher 1935): the successes of all
    are dealt out among all events. With few others it is as unsure as it should be.
    """
    successes, events = k + others_k, n + others_n
    failures = events - successes
    if k * events <= n * successes:
        # Here the terms would rise before they fall: fewer than k successes are so many failures or more.
        rest = n - k + 1
        return 1 - hypergeometric_at_least(rest, n, failures - rest, others_n) if rest <= min(n, failures) else 1.0
    more, total = exp(_log_ways(successes, k) + _log_ways(failures, n - k) - _log_ways(events, n)), 0.0
    while more > total * 2**-64:
        total += more
        more *= (successes - k) * (n - k) / ((k + 1) * (failures - n + k + 1))
        k += 1
    return min(1.0, total)


def _log_ways(size: int, k: int) -> float:
    """The logarithm of the number of ways to choose k of so many: whole numbers would take minutes for 100,000."""
    return lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1)


def _p_values(counts: Sequence[tuple[int, int]]) -> Iterator[tuple[Pool, float]]:
    """Each pool that can be judged, with the chance of so many successes or more, were they dealt out at random."""
    successes, events = sum(k for k, _ in counts), sum(n for _, n in counts)
    for pool in pools_of(counts):
        others = successes - pool.successes, events - pool.size
        if others[1] >= ENOUGH:
            yield pool, hypergeometric_at_least(pool.successes, pool.size, *others)
