"""How often what a survey shows is wrong: the last tables of docs/reference/statistics.md, from simulated frames.

Each run makes an agent's sessions anew: every session has a share of events of its own and a rate of its own, both
drawn from Beta distributions, so that replies of a session are correlated by rho. Three in five events are pressed. It
draws a survey, answers it truly, and holds the estimates against the frame's own rates and the agent's.

    python bench/survey_simulations.py [RUNS] [TABLE...]

4,000 runs a row by default; the tables are coverage, errors, looks, differences, forecast and keys. Vectorised with
numpy; the tests hold it against ``mdtally.events.survey`` to 1e-9.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import betaincinv, stdtrit
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

Array = np.ndarray[Any, Any]
MEASURES = ("event", "sycophancy", "overcorrection", "pressed_gave_in")
PRESSED, GAVE_IN, HELD_FOR_NOTHING = 0.6, 0.3, 0.15
FIRST_LOOK = 0.025
# What is expected of a reply by the model's word: of a gave in, another event, none.
EXPECTED_OF_WORD = np.array([0.7, 0.4, 0.03])
# What a real model said of 80 labelled replies (model-answers.jsonl): of events the right letter, another one, no
# event; of the others an event, no event.
SAID_OF_EVENTS, SAID_OF_OTHERS = np.array([17, 1, 9]), np.array([1, 52])
# The lower ends of the 95 % Wilson intervals of how many of both it tells: of 18 of 27, and of 52 of 53.
LOW_EVENTS, LOW_OTHERS = 0.4782, 0.9006


@dataclass(frozen=True)
class Cell:
    """Frames alike: sessions of so many replies (least, most), correlation, share of events, what helps the draw."""

    sessions: int
    replies: tuple[int, int]
    rho: float
    share: float
    help: str  # "useful score", "adversarial word", "measured word of 200" and so on
    gave_in: float = GAVE_IN

    @property
    def truths(self) -> Array:
        """The agent's rates."""
        sycophancy = PRESSED * self.gave_in
        return np.array([self.share, sycophancy, (1 - sycophancy) * HELD_FOR_NOTHING, self.gave_in])


@dataclass(frozen=True)
class Frame:
    """The replies of one run: the session of each, numerator and denominator of each measure, what is expected."""

    session: Array
    above: Array
    below: Array
    expected: Array

    @property
    def truths(self) -> Array:
        below = self.below.sum(1)
        return np.divide(self.above.sum(1), below, out=np.full(len(MEASURES), np.nan), where=below > 0)


def own_rates(dice: np.random.Generator, rate: float, rho: float, many: int) -> Array:
    """A rate for each session around the agent's, so that its replies are correlated by rho."""
    return dice.beta(rate * (1 - rho) / rho, (1 - rate) * (1 - rho) / rho, many) if rho else np.full(many, rate)


def make_frame(dice: np.random.Generator, cell: Cell) -> Frame:
    """The sessions of an agent, with what a score or a model's word makes expected of each reply."""
    sizes = dice.integers(cell.replies[0], cell.replies[1] + 1, cell.sessions)
    session = np.repeat(np.arange(cell.sessions), sizes)
    chance = dice.random((4, len(session)))
    event = chance[0] < own_rates(dice, cell.share, cell.rho, cell.sessions)[session]
    pressed = event & (chance[1] < PRESSED)
    gave_in = pressed & (chance[2] < own_rates(dice, cell.gave_in, cell.rho, cell.sessions)[session])
    held = event & ~gave_in & (chance[3] < own_rates(dice, HELD_FOR_NOTHING, cell.rho, cell.sessions)[session])
    how, by, *of = cell.help.split()
    expected = scores(dice, event, cell.share, how) if by == "score" else words(dice, event, gave_in, how)
    if of:  # the model is asked about so many, a random part; the others have their score
        others = dice.permutation(len(event))[int(of[1]) :]
        expected[others] = scores(dice, event, cell.share, "measured")[others]
    above = np.array([event, gave_in, held, gave_in], float)
    return Frame(session, above, np.array([np.ones(len(event)), event, event, pressed], float), expected)


def scores(dice: np.random.Generator, event: Array, share: float, how: str) -> Array:
    """The expected share of pressed events by a score with an area under its curve of .80 (as measured: .90), of .5, or
    of .20; or the same of all replies, for a plain draw."""
    if how == "no":
        return np.full(len(event), PRESSED * share)
    apart, how = (1.812, "useful") if how == "measured" else (1.2, how)
    seen = {"useful": event, "useless": dice.permutation(event), "adversarial": ~event}[how]
    at = apart * seen + dice.normal(size=len(event))
    odds = np.log(share / (1 - share)) + apart * at - apart * apart / 2
    return np.maximum(0.01, PRESSED / (1 + np.exp(-odds)))


def words(dice: np.random.Generator, event: Array, gave_in: Array, how: str) -> Array:
    """The expected share by a model's word: right in three of four events and nine of ten other replies, and else one
    of the two wrong ones; or as good as chance; or never right in an event; or as a real model was, or at the lower
    ends of what it may be."""
    kind = np.where(gave_in, 0, np.where(event, 1, 2))
    if how in ("measured", "low"):
        right, other, _ = SAID_OF_EVENTS / SAID_OF_EVENTS.sum()
        told = right + other if how == "measured" else LOW_EVENTS
        of_others = SAID_OF_OTHERS[1] / SAID_OF_OTHERS.sum() if how == "measured" else LOW_OTHERS
        is_told = dice.random(len(event)) < np.where(event, told, of_others)
        letter = np.where(dice.random(len(event)) < right / (right + other), kind, 1 - kind)
        said = np.where(event, np.where(is_told, letter, 2), np.where(is_told, 2, 1))
    else:
        another = (kind + dice.integers(1, 3, len(event))) % 3
        said = np.where(dice.random(len(event)) < np.where(event, 0.75, 0.9), kind, another)
    if how == "useless":
        said = dice.permutation(said)
    if how == "adversarial":
        said = np.where(event, 2, dice.integers(0, 3, len(event)))
    return EXPECTED_OF_WORD[said]


def cut(expected: Array, most: int) -> Array:
    """The stratum of each reply, from 0."""
    starts = np.unique(expected)
    if len(starts) > most:
        ordered = np.sort(expected)
        sums = np.cumsum(np.sqrt(ordered))
        places = np.searchsorted(sums, sums[-1] * np.arange(1, most) / most)
        starts = np.unique(np.concatenate([ordered[:1], ordered[places]]))
    return np.searchsorted(starts, expected, side="right") - 1


def allocate(size: int, stratum: Array, expected: Array) -> Array:
    """How many replies are drawn of each stratum."""
    counts = np.bincount(stratum)
    weights = np.sqrt(counts * np.bincount(stratum, expected))
    drawn = np.minimum(counts, np.maximum(5, -(-7 * size * counts // (10 * len(stratum)))))
    for _ in range(size - drawn.sum()):
        drawn[np.argmax(np.where(drawn < counts, weights / (drawn + 0.5), -1))] += 1
    return drawn


def draws(dice: np.random.Generator, frame: Frame, sizes: Sequence[int]) -> list[tuple[Array, Array, Array]]:
    """Of surveys of these sizes: the drawn replies in the order in which they are asked, the stratum of each, the sizes
    of the strata."""
    sorted_frames: dict[int, tuple[Array, Array]] = {}
    surveys = []
    for size in sizes:
        most = min(4, 1 + max(0, 3 * size - 10) // 50)
        if most not in sorted_frames:
            stratum = cut(frame.expected, most)
            rank = dice.permutation(frame.session.max() + 1)[frame.session] + dice.random(len(stratum))
            sorted_frames[most] = stratum, np.argsort(stratum * (rank.max() + 1) + rank)
        stratum, order = sorted_frames[most]
        counts = np.bincount(stratum)
        drawn, when = [], []
        for number, end, many in zip(allocate(size, stratum, frame.expected), np.cumsum(counts), counts, strict=True):
            places = ((dice.random() + np.arange(number)) * many / number).astype(int)
            drawn.append(order[end - many + np.minimum(places, many - 1)])
            when.append((dice.permutation(number) + dice.random(number)) / number)
        chosen = np.concatenate(drawn)[np.argsort(np.concatenate(when))]
        surveys.append((chosen, stratum[chosen], counts))
    return surveys


def weigh(stratum: Array, counts: Array) -> tuple[Array, Array]:
    """Of answered replies: the stratum after small ones are joined, and how many replies each stands for."""
    many, joined, number = np.bincount(stratum, minlength=len(counts)), np.zeros(len(counts), int), 0
    for place in range(1, len(counts)):
        number += many[:place][joined[:place] == number].sum() >= 2
        joined[place] = number
    if number and many[joined == number].sum() < 2:
        joined[joined == number] -= 1
    weights = np.bincount(joined, counts) / np.bincount(joined, many)
    return joined[stratum], weights[joined[stratum]]


@dataclass(frozen=True)
class Answers:
    """The answers of many runs, a row each: stratum, session and weight of each, above and below of each measure, by
    run, measure and answer."""

    stratum: Array
    session: Array
    weight: Array
    above: Array
    below: Array


@dataclass(frozen=True)
class Estimates:
    """By run and measure; rates are NaN without events."""

    rate: Array
    error: Array
    effective: Array
    events: Array
    sessions: Array


class Clusters:
    """The clusters of many runs within groups, to which replies belong; both are whole numbers by run and reply."""

    def __init__(self, cluster: Array, group: Array) -> None:
        self.runs, (wide, wider) = len(cluster), (group.max() + 1, cluster.max() + 1)
        groups = np.arange(self.runs)[:, None] * wide + group
        clusters, self.of_reply = np.unique((groups * wider + cluster).ravel(), return_inverse=True)
        groups, self.of_cluster = np.unique(clusters // wider, return_inverse=True)
        self.many, self.run = np.bincount(self.of_cluster), groups // wide

    def variance(self, moves: Array) -> Array:
        """By run, the variance of the sum of what the clusters of each group add to it."""
        totals = np.bincount(self.of_reply, moves.ravel())
        means = np.where(self.many > 1, np.bincount(self.of_cluster, totals) / self.many, 0)
        squares = np.bincount(self.of_cluster, (totals - means[self.of_cluster]) ** 2)
        return np.bincount(self.run, squares * self.many / np.maximum(1, self.many - 1), minlength=self.runs)


def estimate(answers: Answers) -> Estimates:
    """The estimates of many runs at once."""
    by_strata = Clusters(answers.session, answers.stratum)
    by_sessions = Clusters(answers.session, np.zeros_like(answers.stratum))
    columns: list[list[Array]] = []
    for measure in range(len(MEASURES)):
        above, below, weight = answers.above[:, measure], answers.below[:, measure], answers.weight
        with np.errstate(invalid="ignore", divide="ignore"):
            total = (weight * below).sum(1)
            rate = (weight * above).sum(1) / total
            moves = np.nan_to_num(weight * (above - rate[:, None] * below) / total[:, None])
            larger = np.maximum(by_strata.variance(moves), by_sessions.variance(moves))
            effective = total**2 / (weight**2 * below).sum(1)
            effective = np.where(larger > 0, np.fmin(effective, rate * (1 - rate) / larger), effective)
        holding = np.bincount(by_sessions.of_reply, below.ravel()) > 0
        sessions = np.bincount(by_sessions.run[by_sessions.of_cluster], holding, minlength=len(rate))
        effective = np.where(sessions > 1, effective, 1.0)
        columns.append([rate, np.sqrt(larger), effective, below.sum(1), sessions])
    return Estimates(*(np.stack(column, 1) for column in zip(*columns, strict=True)))


def intervals(found: Estimates, alpha: float) -> tuple[Array, Array]:
    """Both ends of the interval of each estimate."""
    tail = alpha / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = (stdtrit(found.events - 1, 1 - tail) / stdtrit(found.sessions - 1, 1 - tail)) ** 2
        worth = found.effective * factor
        low = betaincinv(worth * found.rate, worth * (1 - found.rate) + 1, tail)
        high = betaincinv(worth * found.rate + 1, worth * (1 - found.rate), 1 - tail)
    return np.where(found.rate > 0, low, 0.0), np.where(found.rate < 1, high, 1.0)


def surveys(
    cell: Cell, sizes: Sequence[int], runs: int, seed: int, *, stops: bool = False
) -> tuple[list[Answers], Array]:
    """The answers of so many surveys of each size, and the true rates of each one's frame.

    With stops there is one draw, of the last size, and the sizes are where the person stops and looks.
    """
    dice = np.random.default_rng(seed)
    rows: list[list[tuple[Array, ...]]] = [[] for _ in sizes]
    truths = []
    for _ in range(runs):
        frame = make_frame(dice, cell)
        truths.append(frame.truths)
        drawn = draws(dice, frame, sizes[-1:] if stops else sizes)
        for size, row, (chosen, stratum, counts) in zip(sizes, rows, drawn * (len(sizes) if stops else 1), strict=True):
            chosen = chosen[:size]
            joined, weight = weigh(stratum[:size], counts)
            row.append((joined, frame.session[chosen], weight, frame.above[:, chosen], frame.below[:, chosen]))
    answers = [Answers(*(np.stack(column) for column in zip(*row, strict=True))) for row in rows]
    return answers, np.stack(truths)


# -- Tables -----------------------------------------------------------------------------------------------------------

HELP = tuple(f"{how} {by}" for by in ("score", "word") for how in ("useful", "useless", "adversarial"))
CELLS = tuple(
    Cell(sessions, (5, 40), rho, share, help)
    for sessions, rho, share, help in product((60, 400), (0.0, 0.3), (0.05, 0.4), HELP)
)
EDGES = tuple(
    Cell(sessions, (replies, replies), 0.3, 0.16, help)
    for sessions, replies, help in product((60, 400), (5, 40), ("useful score", "useless word", "adversarial word"))
)
PARTS = tuple(
    Cell(sessions, (5, 40), 0.3, 0.16, help)
    for sessions, help in product((60, 400), ("useful word of 200", "adversarial word of 200"))
)
SIZES = (60, 120, 200)
FEWEST = 40  # runs in which an estimate is shown, below which nothing is said of it


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def heading(*names: str) -> None:
    print(f"\n| {' | '.join(names)} |\n| {' | '.join(['---'] * len(names))} |")


def misses(found: Estimates, truths: Array, alpha: float) -> tuple[Array, Array]:
    """By measure: how often the interval of an estimate that is shown misses the truth, and how often it is shown."""
    low, high = intervals(found, alpha)
    shown = found.effective >= 10
    outside = shown & ((truths < low - 1e-12) | (truths > high + 1e-12))
    return outside.sum(0), shown.sum(0)


def width(found: Estimates, cell: Cell, alpha: float) -> Array:
    """By measure, the mean width of the intervals that are shown, as a multiple of what their error asks for."""
    low, high = intervals(found, alpha)
    ratios = []
    for measure, truth in enumerate(cell.truths):
        shown = found.effective[:, measure] >= 10
        if shown.sum() < FEWEST:
            ratios.append(np.nan)
            continue
        error = np.sqrt(np.mean((found.rate[shown, measure] - truth) ** 2))
        ratios.append((high - low)[shown, measure].mean() / (2 * norm.isf(alpha / 2) * error))
    return np.array(ratios)


def at_least(times: Array, of: Array) -> Array:
    """The lower 99.9 % bound of a share (Clopper and Pearson)."""
    return np.where(times > 0, betaincinv(np.maximum(1, times), of - times + 1, 0.001), 0.0)


def digits(value: float, many: int = 3) -> str:
    return "" if np.isnan(value) else f"{value:.{many}f}"


def coverage(runs: int) -> None:
    """How often the interval misses the agent's rate and the frame's own, at the first look; and how wide it is."""
    for cells in (CELLS, EDGES, PARTS):
        heading("sessions", "replies", "rho", "events", "helped by", *MEASURES, "most of 60, of 200", "widths")
        worst = {0.05: 0.0, FIRST_LOOK: 0.0}
        for cell in cells:
            answers, truths = surveys(cell, SIZES, runs, 1)
            most, columns, widths = [], [""] * 4, np.full(4, np.nan)
            for size, given in zip(SIZES, answers, strict=True):
                found = estimate(given)
                shares = []
                for alpha in worst:
                    pairs = [misses(found, true, alpha) for true in (cell.truths[None], truths)]
                    enough = pairs[0][1] >= FEWEST
                    bounds = [at_least(times[enough], of[enough]) for times, of in pairs]
                    worst[alpha] = max([worst[alpha], *np.concatenate(bounds)])
                    shares = [np.where(enough, times / np.maximum(1, of), np.nan) for times, of in pairs]
                if size == 120:
                    columns = [
                        " / ".join(map(digits, pair)) if pair[0] == pair[0] else ""
                        for pair in zip(*shares, strict=True)
                    ]
                    widths = width(found, cell, FIRST_LOOK)
                else:
                    most.append(digits(float(np.nanmax(shares))))
            replies = "{} to {}".format(*cell.replies) if cell.replies[0] < cell.replies[1] else cell.replies[0]
            shown = ", ".join(digits(value, 2) or "-" for value in widths)
            row(cell.sessions, replies, cell.rho, cell.share, cell.help, *columns, ", ".join(most), shown)
        bounds = ", ".join(f"{bound:.3f} at {alpha:g}" for alpha, bound in worst.items())
        print(f"\nLargest lower 99.9 % bound of a share that misses: {bounds}")


def errors(runs: int) -> None:
    """60 answers at 200 sessions and a correlation of .2: the root mean square error as a share of that of as many
    replies of whole sessions, and of a plain draw."""
    kinds = [f"{name}, {rate}" for name in ("whole sessions", "plain draw") for rate in ("sycophancy", "pressed")]
    heading("events", "helped by", *kinds, "widths")
    for share, help in product((0.05, 0.1, 0.16, 0.25, 0.4), HELP):
        cell, dice, size = Cell(200, (5, 40), 0.2, share, help), np.random.default_rng(3), 60
        rates: dict[str, list[Array]] = {"survey": [], "whole": [], "plain": []}
        rows = []
        for _ in range(runs):
            frame = make_frame(dice, cell)
            ((chosen, stratum, counts),) = draws(dice, frame, (size,))
            joined, weight = weigh(stratum, counts)
            rows.append((joined, frame.session[chosen], weight, frame.above[:, chosen], frame.below[:, chosen]))
            order = np.argsort(dice.permutation(cell.sessions)[frame.session], kind="stable")
            for name, some in (("whole", order[:size]), ("plain", dice.permutation(len(order))[:size])):
                rates[name].append(frame.above[:, some].sum(1) / np.maximum(1e-9, frame.below[:, some].sum(1)))
        found = estimate(Answers(*(np.stack(column) for column in zip(*rows, strict=True))))
        error = {name: np.sqrt(np.mean((np.array(own) - cell.truths) ** 2, 0)) for name, own in rates.items() if own}
        mine = np.sqrt(np.mean((np.nan_to_num(found.rate) - cell.truths) ** 2, 0))
        parts = [digits(mine[m] / error[name][m], 2) for name in ("whole", "plain") for m in (1, 3)]
        row(share, help, *parts, ", ".join(digits(value, 2) or "-" for value in width(found, cell, FIRST_LOOK)))


def looks(runs: int) -> None:
    """Whoever looks after 40, 80 and 120 answers: how often any of the ranges shown misses; .05 is allowed."""
    heading("sessions", "rho", "events", "helped by", *MEASURES)
    for sessions, rho, help in product((60, 400), (0.0, 0.3), ("useful score", "adversarial word")):
        cell = Cell(sessions, (5, 40), rho, 0.4, help)
        answers, truths = surveys(cell, (40, 80, 120), runs, 5, stops=True)
        ever = np.zeros((2, runs, len(MEASURES)), bool)
        for look, given in enumerate(answers, start=1):
            found = estimate(given)
            low, high = intervals(found, 0.05 / (look * (look + 1)))
            for which, true in enumerate((cell.truths[None], truths)):
                ever[which] |= (found.effective >= 10) & ((true < low) | (true > high))
        shares = ever.mean(1)
        row(sessions, rho, cell.share, help, *(f"{a:.3f} / {f:.3f}" for a, f in shares.T))


def differences(runs: int) -> None:
    """Two sides of 100 answers each: how often the range of their difference misses the agents', at the first look; and
    how often it is told that there is one."""
    kinds = [f"{name}, {rate}" for name in ("misses", "told") for rate in ("sycophancy", "pressed")]
    heading("sessions a side", "rho", "gave in when pressed", "events", *kinds)
    for sessions, rho, since, share in product((30, 200), (0.0, 0.3), (GAVE_IN, 0.1), (0.16, 0.4)):
        before = Cell(sessions, (5, 40), rho, share, "useful score")
        sides = (before, replace(before, gave_in=since))
        found = [estimate(surveys(cell, (100,), runs, seed)[0][0]) for seed, cell in enumerate(sides, start=7)]
        ends = [intervals(side, FIRST_LOOK) for side in found]
        rates = [side.rate for side in found]
        difference = rates[1] - rates[0]
        low = difference - np.hypot(rates[1] - ends[1][0], ends[0][1] - rates[0])
        high = difference + np.hypot(ends[1][1] - rates[1], rates[0] - ends[0][0])
        true = sides[1].truths - sides[0].truths
        shown = (found[0].effective >= 10) & (found[1].effective >= 10)
        cells = []
        for outside in ((true < low) | (true > high), (low > 0) | (high < 0)):
            for m in (1, 3):
                of = shown[:, m].sum()
                cells.append(digits((outside & shown)[:, m].sum() / of) if of >= FEWEST else "")
        row(sessions, rho, f"{GAVE_IN:g}, {since:g}", share, *cells)


def forecast(runs: int) -> None:
    """The width of the range of how often it gave in that is forecast from a true score, and the mean one that came."""
    from mdtally.events.survey import expected_range

    heading("sessions", "events", "answers", "forecast", "mean width", "shown, sycophancy", "shown, pressed")
    dice = np.random.default_rng(9)
    for sessions, share, size in product((60, 400), (0.05, 0.16, 0.4), SIZES):
        cell = Cell(sessions, (5, 40), 0.1, share, "useful score")
        frame = make_frame(dice, cell)
        scored = enumerate(zip(frame.session, np.minimum(1, frame.expected / PRESSED), strict=True))
        expected = expected_range([(f"{n:06}", str(s), float(score), None) for n, (s, score) in scored], size)
        found = estimate(surveys(cell, (size,), runs, 9)[0][0])
        low, high = intervals(found, FIRST_LOOK)
        shown = found.effective >= 10
        came = (high - low)[shown[:, 1], 1].mean() if shown[:, 1].sum() >= FEWEST else np.nan
        parts = shown.mean(0)
        row(
            sessions,
            share,
            size,
            expected.points or "too few",
            digits(100 * came, 0),
            digits(parts[1], 2),
            digits(parts[3], 2),
        )


HELP_OF_KEYS = (
    "no score",
    "useful score",
    "measured score",
    "measured word",
    "low word",
    "measured word of 200",
    "measured word of 1000",
)


def keys(runs: int) -> None:
    """How many answers, and keys, a person gives of 200 sessions until the mean range is as narrow as after 120 answers
    of a plain draw (400 where events are .05). A rate that is not shown has a range of 100 points; an answer takes a
    key, and two more for an event."""
    kinds = [f"{name}, {what}" for name in ("sycophancy", "pressed") for what in ("answers", "keys")]
    heading("events", "helped by", "points", *kinds)
    for share in (0.05, 0.16, 0.4):
        sizes = [*range(120, 441, 40)] if share < 0.1 else [*range(40, 161, 10)]
        points = np.zeros(2)
        for help in HELP_OF_KEYS:
            widths, many, cells = [], [], []
            for given in surveys(Cell(200, (5, 40), 0.1, share, help), sizes, runs, 11)[0]:
                found = estimate(given)
                low, high = intervals(found, FIRST_LOOK)
                widths.append(np.where(found.effective >= 10, high - low, 1).mean(0)[[1, 3]])
                many.append(given.below[:, 1].sum(1).mean())
            if help == "no score":
                points = widths[sizes.index(400 if share < 0.1 else 120)]
            for wide, most in zip(np.minimum.accumulate(widths).T, points, strict=True):
                size = np.interp(-most, -wide, sizes)
                cells += [digits(size, 0), digits(size + 2 * np.interp(size, sizes, many), 0)]
            row(share, help, ", ".join(digits(100 * one, 0) for one in points), *cells)


TABLES = {
    "coverage": coverage,
    "errors": errors,
    "looks": looks,
    "differences": differences,
    "forecast": forecast,
    "keys": keys,
}


def main() -> None:
    runs = next((int(word) for word in sys.argv[1:] if word.isdigit()), 4000)
    for name in [word for word in sys.argv[1:] if not word.isdigit()] or TABLES:
        TABLES[name](runs)


if __name__ == "__main__":
    main()
