"""The estimates of surveys against other people's: scipy, samplics, R's survey, matrices, and the simulations' own."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtally.events.survey import draw_survey, estimate_survey
from mdtally.events.survey.drawing import Stratum, SurveyDraw, SurveyItem, Word, facts_of, letter_of
from mdtally.events.survey.quantiles import beta_at_most, beta_quantile, t_quantile
from mdtally.events.survey.ratios import (
    MEASURES,
    SurveyRate,
    interval_of,
    rates_of,
    variance_by_sessions,
    variance_by_strata,
    weighed_answers,
)
from mdtally.text.intervals import wilson

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
R: list[dict[str, Any]] = json.loads((ROOT / "tests" / "golden" / "survey.json").read_text("utf-8"))
GAVE_IN, STUBBORN = "agree pressure=pushback evidence=none", "hold pressure=pushback evidence=none"
HELD = "hold pressure=pushback evidence=found"
WORDS: tuple[Word, ...] = (GAVE_IN, STUBBORN, HELD, "agree pressure=none evidence=new", "no event", [GAVE_IN, HELD])


# -- Quantiles --------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(st.floats(0.02, 2000), st.floats(0.02, 2000), st.floats(1e-5, 1 - 1e-5))
def test_beta_agrees_with_scipy(a: float, b: float, p: float) -> None:
    """Both ways, to 1e-9."""
    beta = pytest.importorskip("scipy.stats").beta
    assert beta_at_most(p, a, b) == pytest.approx(beta.cdf(p, a, b), abs=1e-10)
    assert beta_quantile(p, a, b) == pytest.approx(beta.ppf(p, a, b), abs=1e-9)


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 5000), st.floats(0.9, 0.99999))
def test_t_agrees_with_scipy(freedom: int, p: float) -> None:
    """To 1e-9 of its size."""
    t = pytest.importorskip("scipy.stats").t
    assert t_quantile(p, freedom) == pytest.approx(t.ppf(p, freedom), rel=1e-9, abs=1e-9)


def test_the_ends_of_a_distribution() -> None:
    """Nothing lies beyond them."""
    assert [beta_at_most(x, 2, 3) for x in (-1, 0, 1, 2)] == [0, 0, 1, 1]


# -- Estimates --------------------------------------------------------------------------------------------------------


def answered_draws(count: int) -> list[tuple[SurveyDraw, dict[str, Word]]]:
    """Draws of random frames with random answers, some of them not answered yet."""
    made = []
    for seed in range(count):
        dice = random.Random(seed)
        frame = [
            (f"{session}-{reply}", f"s{session}", dice.random() ** 2, None)
            for session in range(dice.randrange(15, 80))
            for reply in range(dice.randrange(3, 30))
        ]
        draw = draw_survey(frame, dice.choice([40, 60, 120]), seed=seed)
        shares = [dice.random() for _ in WORDS]
        stop = dice.randrange(30, len(draw.ids) + 1)
        made.append((draw, {id: dice.choices(WORDS, shares)[0] for id in draw.ids[:stop]}))
    return made


ANSWERED = answered_draws(25)


def table(
    draw: SurveyDraw, answers: dict[str, Word], measure: str
) -> tuple[list[int], list[str], list[float], Any, Any]:
    """The answered items as columns: stratum, session, weight, numerator and denominator."""
    replies = weighed_answers(draw, {id: facts_of(answer) for id, answer in answers.items()})
    counts = [MEASURES[measure](reply.facts or ()) for reply in replies]  # type: ignore[index]
    above, below = zip(*counts, strict=True)
    weights = [float(reply.weight) for reply in replies]
    return [reply.stratum for reply in replies], [reply.session for reply in replies], weights, above, below


def rates(draw: SurveyDraw, answers: dict[str, Word], alpha: float = 0.025) -> dict[Any, SurveyRate | None]:
    """All rates, also those that are too few to be shown."""
    return rates_of(draw, {id: facts_of(answer) for id, answer in answers.items()}, alpha)


def by_matrices(
    stratum: Sequence[int], session: Sequence[str], weight: Any, above: Any, below: Any
) -> tuple[float, float]:
    """Estimate and standard error by matrices: the ratio's gradient times the covariance of weighted cluster totals."""
    np = pytest.importorskip("numpy")
    totals = np.array(weight)[:, None] * np.array([above, below]).T  # the two totals' parts, reply by reply
    total_above, total_below = totals.sum(0)
    gradient = np.array([1 / total_below, -total_above / total_below**2])

    def covariance(strata: Any) -> Any:
        matrix = np.zeros((2, 2))
        for own in np.unique(strata):
            names = sorted({name for name, where in zip(session, strata, strict=True) if where == own})
            member = np.array(
                [[name == s and where == own for s, where in zip(session, strata, strict=True)] for name in names]
            )
            clusters = member @ totals
            if len(names) > 1:
                matrix += len(names) * np.cov(clusters.T)
            else:
                matrix += np.outer(clusters[0], clusters[0])
        return matrix

    variances = [gradient @ covariance(np.array(strata)) @ gradient for strata in (stratum, [0] * len(stratum))]
    return total_above / total_below, float(np.sqrt(max(variances)))


@pytest.mark.parametrize("measure", MEASURES)
def test_estimates_and_errors_are_those_of_matrices(measure: Any) -> None:
    """Worked out another way, to 1e-9."""
    for draw, answers in ANSWERED:
        found = rates(draw, answers)[measure]
        columns = table(draw, answers, measure)
        if found:
            assert (found.rate, found.error) == pytest.approx(by_matrices(*columns), abs=1e-9)
        else:
            assert not sum(columns[4])


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_estimates_and_errors_are_those_of_samplics(measure: Any) -> None:
    """Its stratified ratio with sessions as clusters, by Taylor, with replacement; to 1e-9."""
    estimation = pytest.importorskip("samplics.estimation")
    np, types = pytest.importorskip("numpy"), pytest.importorskip("samplics.utils.types")
    compared = 0
    for draw, answers in ANSWERED:
        found = rates(draw, answers)[measure]
        stratum, session, weight, above, below = table(draw, answers, measure)
        # It refuses a stratum of one session, and divides by a rate of nought.
        if (
            not found
            or not found.rate
            or min(len({s for s, own in zip(session, stratum, strict=True) if own == h}) for h in stratum) < 2
        ):
            continue
        errors = []
        for strata in (np.array(stratum), None):
            names = [
                f"{s}/{h}" for s, h in zip(session, stratum if strata is not None else [0] * len(stratum), strict=True)
            ]
            ratio = estimation.TaylorEstimator(types.PopParam.ratio)
            data = {"y": np.array(above), "x": np.array(below), "samp_weight": np.array(weight)}
            ratio.estimate(**data, stratum=strata, psu=np.array(names))
            assert ratio.point_est == pytest.approx(found.rate, abs=1e-9)
            errors.append(ratio.stderror)
        assert max(errors) == pytest.approx(found.error, abs=1e-9)
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("case", R, ids=range(len(R)))
def test_estimates_errors_and_intervals_are_those_of_r(case: dict[str, Any]) -> None:
    """R's survey: svyratio by strata and by sessions, a stratum of one session adjusted; svyciprop by "beta"."""
    total = sum(w * x for w, x in zip(case["weight"], case["below"], strict=True))
    rate = sum(w * y for w, y in zip(case["weight"], case["above"], strict=True)) / total
    assert rate == pytest.approx(case["estimate"], abs=1e-12)
    columns = zip(case["stratum"], case["session"], case["weight"], case["above"], case["below"], strict=True)
    moves = [(stratum, str(session), w * (y - rate * x) / total) for stratum, session, w, y, x in columns]
    assert sqrt(variance_by_strata(moves)) == pytest.approx(case["by_strata"], abs=1e-9)
    assert sqrt(variance_by_sessions(moves)) == pytest.approx(case["by_sessions"], abs=1e-9)
    sessions = len({session for session, x in zip(case["session"], case["below"], strict=True) if x})
    effective = rate * (1 - rate) / case["by_sessions"] ** 2
    for alpha, ends in zip((0.05, 0.025), case["intervals"] or (), strict=False):
        assert interval_of(rate, effective, sum(case["below"]), sessions, alpha) == pytest.approx(ends, abs=1e-9)


def test_the_whole_estimate_of_a_case_of_r() -> None:
    """Of answers, not of columns: with the larger error, and worth no more than Kish's number."""
    case = R[0]
    strata = sorted(set(case["stratum"]))
    weights = dict(zip(case["stratum"], case["weight"], strict=True))
    many = {h: case["stratum"].count(h) for h in strata}
    draw = SurveyDraw(
        "1",
        "score",
        60,
        tuple(Stratum("", h / 10, round(weights[h] * many[h]), many[h], 0.1) for h in strata),
        tuple(
            SurveyItem(str(n), str(s), h - 1)
            for n, (h, s) in enumerate(zip(case["stratum"], case["session"], strict=True))
        ),
    )
    kinds: dict[tuple[int, int], Word] = {(0, 0): "no event", (1, 0): HELD, (1, 1): GAVE_IN}
    answers = {str(n): kinds[pair] for n, pair in enumerate(zip(case["below"], case["above"], strict=True))}
    found = estimate_survey(draw, answers)
    assert found.sycophancy is not None
    assert found.sycophancy.rate == pytest.approx(case["estimate"], abs=1e-9)
    assert found.sycophancy.error == pytest.approx(max(case["by_strata"], case["by_sessions"]), abs=1e-9)
    held = [w for w, x in zip(case["weight"], case["below"], strict=True) if x]
    kish = sum(held) ** 2 / sum(w * w for w in held)
    rate, variance = case["estimate"], found.sycophancy.error**2
    assert found.sycophancy.effective == pytest.approx(min(kish, rate * (1 - rate) / variance))


# -- The simulations --------------------------------------------------------------------------------------------------


def simulated(seed: int, cell: Any, size: int) -> tuple[SurveyDraw, dict[str, Word], Any, Any, int]:
    """A draw of the simulations as one of ours, its answers up to where the person stops, and what the simulations make
    of them."""
    np, simulations = pytest.importorskip("numpy"), pytest.importorskip("survey_simulations")
    dice = np.random.default_rng(seed)
    frame = simulations.make_frame(dice, cell)
    ((chosen, stratum, counts),) = simulations.draws(dice, frame, (size,))
    stop = int(dice.integers(size // 4, size + 1))
    strata = [
        Stratum("", place / 10, int(many), int((stratum == place).sum()), 0.1) for place, many in enumerate(counts)
    ]
    items = [SurveyItem(str(n), str(frame.session[n]), int(place)) for n, place in zip(chosen, stratum, strict=True)]
    answers: dict[str, Word] = {}
    for n in chosen[:stop]:
        event, gave_in, held, _ = frame.above[:, n]
        pressed = "pushback" if frame.below[3, n] else "none"
        moved = f"agree pressure={pressed} evidence=new"
        fact = GAVE_IN if gave_in else f"hold pressure={pressed} evidence=none" if held else moved
        answers[str(n)] = fact if event else "no event"
    return SurveyDraw("1", "score", cell.sessions, tuple(strata), tuple(items)), answers, frame, chosen, stop


@pytest.mark.parametrize(
    "help", ["useful score", "adversarial score", "useful word", "useless word", "adversarial word"]
)
def test_the_simulations_estimate_what_the_program_does(help: str) -> None:
    """On random draws, answered whole or in part: rates, errors, effective numbers and both ends, to 1e-9."""
    np, simulations = pytest.importorskip("numpy"), pytest.importorskip("survey_simulations")
    for seed in range(12):
        cell = simulations.Cell(30 + 10 * seed, (5, 40), (seed % 3) / 10, (0.05, 0.16, 0.4)[seed % 3], help)
        draw, answers, frame, chosen, stop = simulated(seed, cell, (60, 120)[seed % 2])
        joined, weight = simulations.weigh(
            np.array([item.stratum for item in draw.items[:stop]]), np.array([s.replies for s in draw.strata])
        )
        some = chosen[:stop]
        rows = (joined, frame.session[some], weight, frame.above[:, some], frame.below[:, some])
        theirs = simulations.estimate(simulations.Answers(*(column[None] for column in rows)))
        ends = simulations.intervals(theirs, 0.025)
        for place, rate in enumerate(rates(draw, answers).values()):
            if rate is None:
                assert np.isnan(theirs.rate[0, place])
                continue
            numbers = rate.rate, rate.error, rate.effective, rate.events, rate.sessions
            assert numbers == pytest.approx([column[0, place] for column in vars(theirs).values()], abs=1e-9, rel=1e-9)
            if rate.sessions > 1:
                assert (rate.low, rate.high) == pytest.approx([end[0, place] for end in ends], abs=1e-9)


@pytest.mark.parametrize("by", ["score", "word", "word of 200"])
def test_the_simulations_draw_what_the_program_does(by: str) -> None:
    """The same strata, and as many of each."""
    np, simulations = pytest.importorskip("numpy"), pytest.importorskip("survey_simulations")
    words = {0.7: GAVE_IN, 0.4: HELD, 0.03: "no event"}
    for seed in range(12):
        cell = simulations.Cell(40 + 10 * seed, (5, 40), 0.2, (0.05, 0.16, 0.4)[seed % 3], f"useful {by}")
        frame = simulations.make_frame(np.random.default_rng(seed), cell)
        rows = []
        for number, (session, expected) in enumerate(zip(frame.session, frame.expected, strict=True)):
            said = words.get(float(expected)) if by != "score" else None
            rows.append((f"{number:05}", str(session), 0.2 if said else min(1.0, float(expected) / 0.6), said))
        for size in (20, 60, 120, 200):
            stratum = simulations.cut(frame.expected, min(4, 1 + max(0, 3 * size - 10) // 50))
            numbers = simulations.allocate(size, stratum, frame.expected)
            strata = draw_survey(rows, size, seed=1).strata
            assert [own.replies for own in strata] == list(np.bincount(stratum))
            assert [own.drawn for own in strata] == list(numbers)


def test_the_simulated_model_is_as_right_as_the_real_one(shared: Path) -> None:
    """By its answers that are kept, and the labels of the replies, of which it saw none."""
    simulations = pytest.importorskip("survey_simulations")
    rows = [line.split("\t") for line in (shared / "events" / "MANIFEST.tsv").read_text("utf-8").splitlines()]
    names = {(repository, path): name for name, repository, path, *_ in rows}
    labels = [json.loads(line) for line in (shared / "events" / "labels.jsonl").read_text("utf-8").splitlines()]
    truth = {(one["file"], one["line"]): one["event"] for one in labels}
    answers = [json.loads(line) for line in (ROOT / "bench" / "model-answers.jsonl").read_text("utf-8").splitlines()]
    said = Counter(
        (truth[names[one["repository"], one["path"]], one["line"]], letter_of(one["answer"]["answer"]) or "none")
        for one in answers
        if one["question"] == "reply"
    )
    right, missed = sum(n for (a, b), n in said.items() if a == b != "none"), said["T", "none"] + said["P", "none"]
    events = sum(n for (a, _), n in said.items() if a != "none")
    assert [right, events - right - missed, missed] == list(simulations.SAID_OF_EVENTS)
    others = sum(said.values()) - events, said["none", "none"]
    assert [others[0] - others[1], others[1]] == list(simulations.SAID_OF_OTHERS)
    low = simulations.LOW_EVENTS, simulations.LOW_OTHERS
    assert (wilson(events - missed, events)[0], wilson(others[1], others[0])[0]) == pytest.approx(low, abs=1e-4)
