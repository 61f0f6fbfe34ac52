"""What a survey can be expected to say before anything is drawn: how wide its range will be, and how long it takes."""

from __future__ import annotations

from collections.abc import Mapping

from mdtally.events.survey.drawing import Frame, replies_of, strata_of
from mdtally.events.survey.ratios import interval_of
from mdtally.log.series.plan import SECONDS_A_REPLY
from mdtally.log.series.rates import ALPHA, PRIOR_RHO, alpha_share, deff
from mdtally.text.intervals import ENOUGH
from mdtally.text.percent import count, in_100
from mdtally.text.records import record

_RATE = 0.25
_OTHERS = (60, 200)


@record
class ExpectedRange:
    """What so many answers will say.

    Attributes:
        answers: how many are asked for; minutes: how long they take.
        events: how many of them are expected to be events.
        ends: the range of how often it gave in at the first look, for a rate of a quarter; None where ten events'
            worth are not to be expected.
    """

    answers: int
    minutes: int
    events: float
    ends: tuple[float, float] | None

    @property
    def points(self) -> int | None:
        """The width of the range in percent points."""
        return round(100 * (self.ends[1] - self.ends[0])) if self.ends else None


def expected_range(frame: Frame, size: int, *, sides: Mapping[str, str] | None = None) -> ExpectedRange:
    """What a survey of that size is expected to say, from the events that scores or a model's words let expect.

    Args, and what is raised: as of ``draw_survey``.
    """
    _, replies = replies_of(frame)
    strata, _ = strata_of(replies, size, sides)
    weighted = [(stratum.drawn * stratum.events, stratum.replies / stratum.drawn) for stratum in strata]
    answers, events = sum(stratum.drawn for stratum in strata), sum(many for many, _ in weighted)
    kish = sum(many * weight for many, weight in weighted) ** 2 / sum(many * weight**2 for many, weight in weighted)
    # Events fall together in a session the more often, the fewer sessions there are.
    worth = kish / deff(PRIOR_RHO, 1 + events / len({reply.session for reply in replies}))
    is_enough, many = worth >= ENOUGH, round(events)
    ends = interval_of(_RATE, worth, many, many, alpha_share(ALPHA, 1)) if is_enough else None
    return ExpectedRange(answers, max(1, round(answers * SECONDS_A_REPLY["survey"] / 60)), events, ends)


def expectation(frame: Frame, size: int, *, sides: Mapping[str, str] | None = None) -> str:
    """The sentence about what to expect of a survey of that size, and of smaller and larger ones."""
    rows = list(frame)
    first = expected_range(rows, size, sides=sides)
    wide = "too few events for a range"
    if first.ends:
        low, high = map(in_100, first.ends)
        wide = f"a range of about {first.points} points (such as {low} to {high} of 100)"
    least = 10 * len(set(sides.values())) if sides else 1
    sizes = [other for other in _OTHERS if other != size and least <= other <= len(rows)]
    others = [expected_range(rows, other, sides=sides) for other in sizes]
    more = "".join(f"; {one.answers}: {f'about {one.points}' if one.points else 'too few'}" for one in others)
    time = f"some {count(first.minutes, 'minute')}"
    fewer = "The times you pressed are fewer, and their range is wider"
    # Each of two sides has half of the answers, and both are uncertain: 2 = sqrt(2) * sqrt(2).
    fewer += "; that of the difference of two sides is about twice as wide." if sides else "."
    return f"{count(first.answers, 'answer')}, {time}: {wide} for how often it gave in{more}. {fewer}"
