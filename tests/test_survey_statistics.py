"""The estimates of surveys against other people's: scipy, samplics, R's survey, matrices, and the simulations' own."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtally.survey import draw_survey, estimate_survey
from mdtally.survey.drawing import Stratum, SurveyDraw, SurveyItem, Word
from mdtally.survey.quantiles import beta_at_most, beta_quantile, t_quantile
from mdtally.survey.ratios import MEASURES, SurveyRate, interval_of, rates_of, variance_by_sessions, variance_by_strata

ROOT = Path(__file__).resolve().parents[1]
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
    import random

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
    from mdtally.survey.drawing import facts_of
    from mdtally.survey.ratios import weighed_answers

    replies = weighed_answers(draw, {id: facts_of(answer) for id, answer in answers.items()})
    counts = [MEASURES[measure](reply.facts or ()) for reply in replies]  # type: ignore[index]
    above, below = zip(*counts, strict=True)
    weights = [float(reply.weight) for reply in replies]
    return [reply.stratum for reply in replies], [reply.session for reply in replies], weights, above, below


def rates(draw: SurveyDraw, answers: dict[str, Word], alpha: float = 0.025) -> dict[Any, SurveyRate | None]:
    """All rates, also those that are too few to be shown."""
    from mdtally.survey.drawing import facts_of

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
                matrix += np.outer(*[clusters[0] - totals.sum(0) * 0] * 2)
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
