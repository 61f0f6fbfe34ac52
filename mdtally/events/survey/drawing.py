"""The draw of a survey: which replies a person is asked about, so that few answers speak for all of them.

The replies of a side are cut into at most four strata: by what a model said of them, those it was not asked about by
their score. A stratum of N replies, of which a share of p is expected to be a pressed event, gets answers in proportion
to ``N sqrt(p)`` (Neyman 1934, for a ratio), never under seven tenths of its proportional part: a score or a word that
misleads costs little. Within a stratum every reply is as likely to be drawn as any other, and sessions are taken in a
random order, so that as many of them as can be have a reply in it (a systematic draw; Madow and Madow 1944).
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from math import sqrt
from typing import Literal, NamedTuple, TypeVar, get_args

from mdtally.session.counts.notation import Wrong, read_fact
from mdtally.text.model import Fact, Letter
from mdtally.text.records import by_key, record, replace

MOST_STRATA, LEAST_OF_STRATUM = 4, 5
"""Strata of a side at most, and replies drawn of each at least, where it has as many."""
MOST_SIDES, LEAST_OF_SIDE = 6, 10
"""Sides at most, and answers of each at least."""
NO_EVENT = "no event"

_PRESSED = 0.6
"""The share of events before which the person pressed or approved: 56 of 91 labelled ones."""
_EXPECTED: Mapping[Letter | None, tuple[float, float]] = {
    "P": (0.75, 0.70),
    "R": (0.75, 0.40),
    "T": (0.75, 0.40),
    None: (0.05, 0.03),
}
"""By a model's word, the share of events and of pressed events that is expected, if it is right in three of four."""
_LEAST_PRESSED = 0.01

Word = str | Sequence[str]
"""What somebody says of a reply: a fact ("agree pressure=pushback evidence=none"), several of them, or "no event"."""
Frame = Iterable[tuple[str, str, float, Word | None]]
"""The replies that a survey is to speak for, a row each: its id, its session, how likely it holds an event (from 0 to
1), and what a model says of it; None where none was asked."""
T = TypeVar("T")


@record
class Stratum:
    """Replies of a side of which about as much is expected.

    Attributes:
        side: the side they belong to; "" where there are none.
        start: the least expected share of pressed events; the side's next stratum begins where this one ends.
        replies: how many of the frame are in it.
        drawn: how many the first draw took; further ones are shared out likewise.
        events: the expected share of events.
    """

    side: str
    start: float
    replies: int
    drawn: int
    events: float


@record
class SurveyItem:
    """A drawn reply: its id, its session, the index of its stratum, and what a model says of it."""

    id: str
    session: str
    stratum: int
    word: Word | None = None


@record
class SurveyDraw:
    """What a survey asks about, and what an estimate has to know of the frame.

    The same items asked again of somebody else are the same draw.

    Attributes:
        seed: what it was drawn with.
        by: what the strata are cut by; "word" if a model was asked about any reply.
        sessions: how many the frame has.
        strata: side by side, those of which least is expected first.
        items: in the order in which they are asked. The first ones, however many, are a draw as well.
    """

    seed: str
    by: Literal["score", "word"]
    sessions: int
    strata: tuple[Stratum, ...]
    items: tuple[SurveyItem, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the drawn replies, in the order in which they are asked."""
        return tuple(item.id for item in self.items)

    @property
    def replies(self) -> int:
        """How many replies the frame has."""
        return sum(stratum.replies for stratum in self.strata)


class _Reply(NamedTuple):
    """A row of the frame, with the shares of events and of pressed events that are expected of it."""

    id: str
    session: str
    word: Word | None
    events: float
    pressed: float


def draw_survey(frame: Frame, size: int, *, seed: int | str, sides: Mapping[str, str] | None = None) -> SurveyDraw:
    """A random draw of replies, in strata, for a person to answer; the same arguments give the same draw.

    Args:
        frame: all replies that the survey is to speak for, in any order.
        size: how many to draw; all where there are fewer.
        seed: a number or a text; 7 and "7" are the same.
        sides: of each session the side it belongs to, such as "before" and "since", to compare them: every side gets an
            equal share.

    Raises:
        ValueError: there is nothing to draw, an id comes twice, a score is no share, a word is no fact, a session has
            no side, there are more than six sides, or one can't have ten answers.
    """
    by, replies = replies_of(frame)
    strata, members = strata_of(replies, size, sides)
    items = _items(members, [stratum.drawn for stratum in strata], random.Random(str(seed)))
    return SurveyDraw(str(seed), by, len({reply.session for reply in replies}), tuple(strata), items)


def draw_more(draw: SurveyDraw, frame: Frame, size: int, *, sides: Mapping[str, str] | None = None) -> SurveyDraw:
    """The draw with further replies behind its own, from what is left of its frame, shared out as the first ones were.

    No answer has a say in it. It is seeded by the draw's seed and size.

    Args:
        draw: what was drawn so far.
        frame: the replies of the draw's frame that are still there, with their scores and words of then; newer replies
            are no part of it.
        size: how many more to draw; all that are left where there are fewer.
        sides: those of the draw.

    Raises:
        ValueError: nothing is left; else as ``draw_survey``.
    """
    drawn = set(draw.ids)
    left = [reply for reply in replies_of(frame, draw.by)[1] if reply.id not in drawn]
    members: list[list[_Reply]] = [[] for _ in draw.strata]
    for side, replies in _by_side(left, sides).items():
        places = [place for place, stratum in enumerate(draw.strata) if stratum.side == side]
        if not places:
            raise ValueError(f'the draw has no side "{side}"')
        starts = [draw.strata[place].start for place in places]
        for reply in replies:
            members[places[max(0, bisect_right(starts, reply.pressed) - 1)]].append(reply)
    counts = [len(replies) for replies in members]
    numbers = _apportion(size, [stratum.drawn for stratum in draw.strata], [0] * len(counts), counts)
    return replace(draw, items=draw.items + _items(members, numbers, random.Random(f"{draw.seed}+{len(draw.items)}")))


def seed_of(frame: Frame, size: int, surveys: int) -> str:
    """The seed of a survey for which nobody names one: by its frame, its size, and how many surveys there are."""
    rows = sorted((id, session) for id, session, *_ in frame)
    return str(int.from_bytes(blake2b(repr((rows, size, surveys)).encode(), digest_size=4).digest(), "big"))


@lru_cache(4096)
def _facts(text: str) -> tuple[Fact, ...]:
    if text.strip().casefold() == NO_EVENT:
        return ()
    mark = read_fact(text.strip().removeprefix("[").removesuffix("]"), 0, len(text))
    if isinstance(mark, Wrong):
        raise ValueError(f'"{text}": {mark.message}; {mark.hint}')
    if mark is None or mark.fact is None:
        raise ValueError(f'"{text}" is no fact and not "{NO_EVENT}"')
    return (mark.fact,)


def facts_of(word: Word) -> tuple[Fact, ...]:
    """The facts that a person's answer or a model's word states; () for "no event".

    Raises:
        ValueError: it states something else; the message says what is wrong with it.
    """
    texts = [word] if isinstance(word, str) else word
    facts = tuple(fact for text in texts for fact in _facts(text))
    if facts and len(facts) < len(texts):
        raise ValueError(f'"{NO_EVENT}" beside a fact: these are two answers')
    return facts


def letter_of(word: Word) -> Letter | None:
    """The gravest letter of what a word states: P if it gave in, else R, else T; None for "no event"."""
    letters = {fact.letter for fact in facts_of(word)}
    return next((letter for letter in get_args(Letter) if letter in letters), None)


def replies_of(frame: Frame, by: Literal["score", "word", ""] = "") -> tuple[Literal["score", "word"], list[_Reply]]:
    """What the strata are cut by, and the frame's replies with what is expected of them, in the order of their ids.

    They are cut by a model's words where it said any, unless the caller says by what; what it was not asked about, by
    the score.
    """
    rows = sorted(frame, key=lambda row: row[0])
    by = by or ("word" if any(word is not None for *_, word in rows) else "score")
    replies: list[_Reply] = []
    for id, session, score, word in rows:
        if not 0 <= score <= 1:
            raise ValueError(f"{id}: a score of {score} does not lie between 0 and 1")
        expected = score, max(_LEAST_PRESSED, _PRESSED * score)
        if by == "word" and word is not None:
            expected = _EXPECTED[letter_of(word)]
        if replies and replies[-1].id == id:
            raise ValueError(f"{id} comes twice in the frame")
        replies.append(_Reply(id, session, word if isinstance(word, str | None) else tuple(word), *expected))
    return by, replies


def strata_of(
    replies: Sequence[_Reply], size: int, sides: Mapping[str, str] | None = None
) -> tuple[list[Stratum], list[list[_Reply]]]:
    """The strata of all sides with how many replies are drawn of each, and the replies in them."""
    strata: list[Stratum] = []
    members: list[list[_Reply]] = []
    of_side = _by_side(replies, sides)
    for (side, own), share in zip(of_side.items(), _shares(of_side, size, sides is not None), strict=True):
        # As many strata as can have five each while the others have their floor.
        cut = _cut(own, min(MOST_STRATA, 1 + max(0, 3 * share - 10) // (10 * LEAST_OF_STRATUM)))
        counts = [len(stratum) for stratum in cut.values()]
        # Seven tenths of the proportional part, and five; N sqrt(p) as far as that leaves room.
        floors = [max(LEAST_OF_STRATUM, -(-7 * share * count // (10 * len(own)))) for count in counts]
        least = [min(share, count, floor) for count, floor in zip(counts, floors, strict=True)]
        wanted = [sqrt(len(stratum) * sum(reply.pressed for reply in stratum)) for stratum in cut.values()]
        for (start, stratum), drawn in zip(cut.items(), _apportion(share, wanted, least, counts), strict=True):
            events = sum(reply.events for reply in stratum) / len(stratum)
            strata.append(Stratum(side, start, len(stratum), drawn, events))
            members.append(stratum)
    return strata, members


def _by_side(replies: Iterable[_Reply], sides: Mapping[str, str] | None) -> dict[str, list[_Reply]]:
    """The replies of each side, in the order of the sides' names; all of them are "" where there are no sides."""
    found: defaultdict[str, list[_Reply]] = defaultdict(list)
    for reply in replies:
        if sides is not None and reply.session not in sides:
            raise ValueError(f"session {reply.session} belongs to no side")
        found["" if sides is None else sides[reply.session]].append(reply)
    if not found:
        raise ValueError("there are no replies to draw from")
    return dict(sorted(found.items()))


def _shares(of_side: Mapping[str, Sequence[_Reply]], size: int, has_sides: bool) -> list[int]:
    """How many replies are drawn of each side."""
    if size < 1:
        raise ValueError(f"a survey of {size} replies asks nothing")
    if not has_sides:
        return [min(size, len(own)) for own in of_side.values()]
    if len(of_side) > MOST_SIDES:
        raise ValueError(f"{len(of_side)} sides are too many to compare; take at most {MOST_SIDES}")
    if size < LEAST_OF_SIDE * len(of_side):
        raise ValueError(f"{len(of_side)} sides take at least {LEAST_OF_SIDE * len(of_side)} answers, not {size}")
    for side, own in of_side.items():
        if len(own) < LEAST_OF_SIDE:
            raise ValueError(f'side "{side}" has {len(own)} of the {LEAST_OF_SIDE} replies that a comparison takes')
    return _apportion(size, [1] * len(of_side), [LEAST_OF_SIDE] * len(of_side), [len(own) for own in of_side.values()])


def _cut(replies: Iterable[_Reply], most: int) -> dict[float, list[_Reply]]:
    """The replies in at most so many strata by the pressed share that is expected of them, by the least of each.

    Between two cuts lie equal sums of the shares' roots (Dalenius and Hodges 1959), so that all want as many answers.
    """
    ordered = sorted(replies, key=lambda reply: reply.pressed)
    starts = sorted({reply.pressed for reply in ordered})
    if len(starts) > most:
        sums = list(accumulate(sqrt(reply.pressed) for reply in ordered))
        places = [0, *(bisect_left(sums, sums[-1] * part / most) for part in range(1, most))]
        starts = sorted({ordered[place].pressed for place in places})
    return by_key((starts[bisect_right(starts, reply.pressed) - 1], reply) for reply in ordered)


def _apportion(size: int, shares: Sequence[float], least: Sequence[int], most: Sequence[int]) -> list[int]:
    """Whole numbers in proportion to shares, each between its least and its most, that add up to size or all there is.

    One after another goes where most of a share is unmet (Webster's method).
    """
    numbers = list(least)
    for _ in range(min(size, sum(most)) - sum(least)):
        open_places = [place for place, number in enumerate(numbers) if number < most[place]]
        numbers[max(open_places, key=lambda place: shares[place] / (numbers[place] + 0.5))] += 1
    return numbers


def _items(members: Sequence[Sequence[_Reply]], numbers: Sequence[int], dice: random.Random) -> tuple[SurveyItem, ...]:
    """So many replies of each stratum in one random order, in which any beginning has its part of every stratum."""
    items: list[tuple[float, SurveyItem]] = []
    for place, (replies, number) in enumerate(zip(members, numbers, strict=True)):
        for rank, reply in enumerate(_shuffle(_spread(replies, number, dice), dice)):
            items.append(((rank + dice.random()) / number, SurveyItem(reply.id, reply.session, place, reply.word)))
    return tuple(item for _, item in sorted(items, key=lambda pair: pair[0]))


def _spread(replies: Sequence[_Reply], number: int, dice: random.Random) -> list[_Reply]:
    """So many replies, each as likely as any other, over as many sessions as can be: every k-th of them, session after
    session in a random order."""
    of_session = by_key((reply.session, reply) for reply in replies)
    ordered = [reply for own in _shuffle(of_session.values(), dice) for reply in _shuffle(own, dice)]
    start, step = dice.random(), len(ordered) / max(1, number)
    return [ordered[min(len(ordered) - 1, int((start + place) * step))] for place in range(number)]


def _shuffle(values: Iterable[T], dice: random.Random) -> list[T]:
    """The values in a random order, the same in every version of Python."""
    return sorted(values, key=lambda _: dice.random())
