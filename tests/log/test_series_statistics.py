"""The statistics against other people's: golden values everywhere, scipy and statsmodels where they are installed."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from itertools import pairwise, product
from math import comb, isclose, log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtally.log.agreement import kappa
from mdtally.log.series import ceiling, plan, rates, sprt
from mdtally.log.series.contrasts import difference
from mdtally.log.series.rates import Clusters, alpha_share, confidence_sequence
from mdtally.log.series.spikes import FALSE_DISCOVERY_RATE, cutoff, hypergeometric_at_least
from mdtally.log.series.sprt import Sprt
from mdtally.text.intervals import normal_quantile, qualifier, wilson
from mdtally.text.model import VerdictName

GOLDEN = Path(__file__).parents[1] / "golden"
VALUES: dict[str, list[list[Any]]] = json.loads((GOLDEN / "series.json").read_text(encoding="utf-8"))


def _kappa(square: list[list[int]]) -> float | None:
    words = zip(product("PRT-", "PRT-"), [times for row in square for times in row], strict=True)
    return kappa([(both, "s", 1.0) for both, times in words for _ in range(times)])[0]


OURS: dict[str, Callable[..., Any]] = {
    "wilson": wilson,
    "sequence": confidence_sequence,
    "correlation": lambda sessions: Clusters(map(tuple, sessions)).estimate(),
    "hypergeometric_at_least": hypergeometric_at_least,
    "kappa": _kappa,
}


def close(ours: Any, theirs: Any, tolerance: float) -> bool:
    """Equal to within a tolerance, number by number."""
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(close(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    return isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)


@pytest.mark.parametrize(
    ("name", "arguments", "value"), [(name, row[:-1], row[-1]) for name in OURS for row in VALUES[name]]
)
def test_golden_values(name: str, arguments: list[Any], value: Any) -> None:
    """Every statistic agrees with scipy's or statsmodels' committed value to 1e-9."""
    assert close(OURS[name](*arguments), value, 1e-9)


@pytest.mark.oracle
def test_the_golden_values_are_what_their_script_makes() -> None:
    """The committed file is no relic: the script's oracles give it again."""
    for module in ("scipy", "statsmodels"):
        pytest.importorskip(module)
    spec = importlib.util.spec_from_file_location("make_series", GOLDEN / "make_series.py")
    assert spec is not None and spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    assert make.cases().keys() == VALUES.keys() == OURS.keys() | {"benjamini_hochberg"}
    for name, every in make.cases().items():
        assert [row[:-1] for row in VALUES[name]] == [list(arguments) for arguments in every]
        for arguments, row in zip(every, VALUES[name], strict=True):
            assert close(getattr(make, name)(*arguments), row[-1], 1e-7)


# -- Intervals and tails ----------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(0, 400), st.integers(0, 400), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_wilson_holds_the_rate_and_stays_inside(k: int, more: int, confidence: float) -> None:
    """0 <= lower <= rate <= upper <= 1, whatever the counts."""
    low, high = wilson(k, k + more, confidence)
    assert 0.0 <= low <= (k / (k + more) if k + more else 0.5) <= high <= 1.0


def test_the_usual_quantile_needs_no_import_and_is_right() -> None:
    """The shortcut for 95 % is the quantile."""
    from statistics import NormalDist

    assert 1 - (1 - 0.95) / 2 == 0.975
    assert isclose(normal_quantile(0.975), NormalDist().inv_cdf(0.975), rel_tol=1e-15)


@pytest.mark.oracle
@settings(deadline=None)
@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 200), st.integers(10, 200))
def test_hypergeometric_at_leasts_agree_with_scipy(k: int, n: int, others_k: int, others_n: int) -> None:
    """For any two groups; what Fisher's exact test says of 5 of 10 against 1 of 10; of a slip of the pen, at once."""
    hypergeom = pytest.importorskip("scipy.stats").hypergeom
    k, others_k = min(k, n), min(others_k, others_n)
    theirs = hypergeom.sf(k - 1, n + others_n, k + others_k, n)
    assert hypergeometric_at_least(k, n, others_k, others_n) == pytest.approx(theirs, rel=1e-7, abs=1e-12)
    assert round(hypergeometric_at_least(5, 10, 1, 10), 4) == 0.0704
    assert round(hypergeometric_at_least(2 * 10**8, 10**9, 10**9, 5 * 10**9), 4) == 0.5


@pytest.mark.parametrize(("p_values", "adjusted"), VALUES["benjamini_hochberg"])
def test_what_is_flagged_is_what_benjamini_and_hochberg_flag(p_values: list[float], adjusted: list[float]) -> None:
    """The largest p-value whose adjusted one, as statsmodels gives it, is 5 % at most; each may occur several times."""
    flagged = [p for p, one in zip(p_values, adjusted, strict=True) if one <= FALSE_DISCOVERY_RATE]
    assert cutoff(p_values) == max(flagged, default=-1.0)
    assert cutoff(p_values * 3) == max(flagged, default=-1.0)


# -- Confidence sequence ----------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_looking_at_any_time_costs_width(k: int, more: int) -> None:
    """The sequence holds the fixed-n interval wherever the rate is not at an end."""
    low, high = confidence_sequence(k, k + more)
    fixed_low, fixed_high = wilson(k, k + more)
    assert low <= fixed_low + 1e-12
    assert fixed_high <= high + 1e-12 or k == 0


def test_the_sequence_is_right_at_all_times_at_once() -> None:
    """Of 200 streams, looked at after each of 200 events, at most 5 % ever miss the rate; the fixed-n interval
    misses in far more."""
    draw = random.Random(4)
    missed = fixed_missed = 0
    for _ in range(200):
        k, out, fixed_out = 0, False, False
        for n in range(1, 201):
            k += draw.random() < 0.2
            low, high = confidence_sequence(k, n) if not out and n % 3 == 0 else (0.0, 1.0)
            out = out or not low <= 0.2 <= high
            fixed_low, fixed_high = wilson(k, n)
            fixed_out = fixed_out or not fixed_low <= 0.2 <= fixed_high
        missed += out
        fixed_missed += fixed_out
    assert missed / 200 <= 0.05
    assert fixed_missed / 200 > 0.15


def test_the_shares_of_all_windows_add_up() -> None:
    """A window that slides for ever spends alpha, and never more."""
    assert 0.0499 < sum(alpha_share(0.05, start) for start in range(1, 10_000)) < 0.05


# -- Differences, plan, sequential test -------------------------------------------------------------------------------


@pytest.mark.oracle
@settings(deadline=None)
@given(st.integers(5, 60), st.integers(5, 60), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_difference_is_statsmodels_for_independent_events(n: int, m: int, p: float, q: float) -> None:
    """Single events have no correlation: then the interval is Newcombe's, as statsmodels has it."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    k, j = round(p * n), round(q * m)
    first, other = Clusters([(1, 1)] * k + [(0, 1)] * (n - k)), Clusters([(1, 1)] * j + [(0, 1)] * (m - j))
    theirs = proportion.confint_proportions_2indep(j, m, k, n, method="newcomb", compare="diff")
    assert difference(first, other).interval_deflated == pytest.approx(theirs, abs=1e-9)


@pytest.mark.oracle
@settings(deadline=None)
@given(st.integers(1, 60), st.floats(0.01, 0.99), st.floats(0.01, 0.9))
def test_sessions_are_dealt_out_as_their_distribution_has_it(size: int, rate: float, rho: float) -> None:
    """The beta-binomial, as scipy has it."""
    betabinom = pytest.importorskip("scipy.stats").betabinom
    scale = (1 - rho) / rho
    theirs = betabinom(size, rate * scale, (1 - rate) * scale).pmf(range(size + 1))
    assert plan._Logs(rate, rho, size, 0).chances == pytest.approx(list(theirs), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"rate": 0.0, "session_size": 10},
        {"rate": 1.0, "session_size": 10},
        {"rate": 0.0, "session_size": 40, "rho": 0.3},
        {"rate": 0.02, "session_size": 5},
        {"before": 0.0, "since": 0.1, "session_size": 10},
        {"before": 1.0, "since": 0.8, "session_size": 10, "rho": 0.1},
        {"before": 0.1, "since": 0.2, "session_size": 5},
    ],
)
def test_a_plan_of_a_rate_of_0_or_1_is_what_history_tells(options: dict[str, Any]) -> None:
    """Other logs are told in about four of five cases, and of a rate without any luck in all; not after a fifth fewer
    sessions."""
    planned, draw = plan.plan(**options), random.Random(5)
    size, rho = planned.session_size, planned.rho

    def log(rate: float, sessions: int) -> Clusters:
        scale = (1 - rho) / rho if rho and 0 < rate < 1 else 0.0
        own = [draw.betavariate(rate * scale, (1 - rate) * scale) if scale else rate for _ in range(sessions)]
        return Clusters((sum(draw.random() < share for _ in range(size)), size) for share in own)

    def told(sessions: int) -> float:
        if "rate" in options:
            return sum(rates.is_settled(log(planned.rate, sessions), planned.ceiling) for _ in range(200)) / 200
        pairs = (difference(log(planned.before, sessions), log(planned.since, sessions)) for _ in range(200))
        return sum(one.settled for one in pairs) / 200

    sessions = planned.sessions if "rate" in options else planned.settled
    assert sessions and told(sessions) > 0.71
    assert told(round(0.8 * sessions)) < 0.8


@pytest.mark.parametrize(("rate", "limit"), [(0.1, 0.2), (0.35, 0.2), (0.05, 0.1), (0.3, 0.45)])
def test_a_plan_of_independent_events_is_exact(rate: float, limit: float) -> None:
    """So many single events, and some more, are decisive in four cases of five, by adding up all outcomes; a tenth
    fewer are not."""
    planned = plan.plan(limit, rate, session_size=1)
    assert planned.events_for_decisive is not None

    def power(n: int) -> float:
        logs = [Clusters() for _ in range(n + 1)]
        for k, one in enumerate(logs):
            one.add(1, 1, k)
            one.add(0, 1, n - k)
        told = [k for k, one in enumerate(logs) if rates.is_settled(one, limit)]
        return sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in told)

    fewest = planned.events_for_decisive
    assert all(0.8 - 2e-3 <= power(n) < 0.87 for n in range(fewest, fewest + 10))
    assert power(round(0.9 * fewest)) < 0.8


@pytest.mark.oracle
@pytest.mark.parametrize(("before", "since"), [(0.2, 0.1), (0.2, 0.3), (0.5, 0.1), (0.1, 0.05)])
def test_one_look_at_a_change_takes_what_statsmodels_plans(before: float, since: float) -> None:
    """A two-sided test of two rates of independent events; to settle it however often one looks takes more."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    theirs = proportion.samplesize_proportions_2indep_onetail(
        since - before, before, 0.8, alpha=0.05, alternative="two-sided"
    )
    planned = plan.plan(before=before, since=since, session_size=1)
    assert planned.one_look == pytest.approx(theirs, rel=0.15)
    assert planned.settled is not None and 1.5 * theirs < planned.settled < 4 * theirs


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.3])
def test_the_power_of_a_plan_holds(rho: float) -> None:
    """Of 300 logs of as many sessions as it says, four in five are decisive and settled, and not nearly all."""
    planned, draw = plan.plan(rho=rho, have=200), random.Random(3)
    assert planned.sessions and planned.one_look and planned.settled

    def log(rate: float, sessions: int) -> Clusters:
        scale = (1 - rho) / rho if rho else 0.0
        own = [draw.betavariate(rate * scale, (1 - rate) * scale) if rho else rate for _ in range(sessions)]
        return Clusters((sum(draw.random() < share for _ in range(10)), 10) for share in own)

    told = [0, 0, 0]
    for _ in range(300):
        before = log(0.2, 200)
        low, high = difference(before, log(0.1, planned.one_look)).interval_deflated
        told[0] += rates.is_settled(log(0.1, planned.sessions), 0.2)
        told[1] += not low <= 0 <= high
        told[2] += difference(before, log(0.1, planned.settled)).settled
    assert all(0.74 < share / 300 < 0.89 for share in told)


def test_a_plan_takes_more_for_more_power_and_likeness() -> None:
    """And the same for a rise as for a fall; where too few are there from before, no number does.

    The replies of a survey are of many sessions, so it does not mind likeness; a review's are not.
    """
    plain, sure, alike = plan.plan(), plan.plan(power=0.95), plan.plan(rho=0.3)
    for one in (sure, alike):
        for name in ("sessions", "one_look", "settled"):
            assert getattr(one, name) > getattr(plain, name)
    assert alike.survey == plain.survey and alike.review != plain.review
    # 360 events are of 2,250 replies: a key for each, two more for an event.
    assert plain.events_for_decisive == 360
    assert plain.review["decisive"] == plan.Labelling(2250 + 2 * 360, 188)
    rise = plan.plan(before=0.1, since=0.2)
    assert (rise.one_look, rise.settled) == pytest.approx((plain.one_look, plain.settled), rel=0.1)
    many, few = plan.plan(have=200), plan.plan(have=4)
    assert many.settled and plain.settled and many.settled < plain.settled and few.settled is None
    assert few.review["settled"] is None and few.survey["settled"] is None
    assert few.survey["decisive"] == many.survey["decisive"] == plain.survey["decisive"]


@pytest.mark.parametrize(
    "options",
    [{"ceiling": 0.0}, {"rate": 0.2}, {"rate": 1.2}, {"since": 0.2}, {"rho": 1.0}, {"power": 1.0}, {"before": -0.1}],
)
def test_a_plan_with_nothing_to_tell_is_refused(options: dict[str, float]) -> None:
    """The message says what has to be otherwise."""
    with pytest.raises(ValueError, match=r"has to|have to"):
        plan.plan(**options)  # type: ignore[arg-type]


def run(*sessions: str, limit: float | None = 0.2, letter: str = "P") -> Sprt:
    """The tests over sessions, event by event."""
    return sprt.run([(one.count(letter), len(one)) for one in sessions], sessions, limit, letter)


def test_a_decision_freezes_its_test_and_a_fresh_one_starts() -> None:
    """Six single events in a row decide H1 in the sixth; the calm that follows is the next test's, and ends as H0."""
    first = run(*"PPPPPP")
    assert (first.decision, first.events, first.decisions["H1"]) == ("H1", 6, 1)
    assert first.llr == pytest.approx(6 * log(0.35 / 0.20))
    assert run(*"PPPPPP", *"TTTTTTTTTT") == first
    later = run(*"PPPPPP", *"TTTTTTTTTTTTTTT")
    assert (later.decision, later.events, later.decisions["H0"], later.decisions["H1"]) == ("H0", 15, 1, 1)


def test_a_session_without_order_is_one_step() -> None:
    """Its counts move the ratio at once, divided by its design effect; in order the same may decide on the way."""
    whole, deflated = sprt.run([(6, 16)], [None], 0.2), 1 + 15 * 0.2
    assert (whole.decision, whole.events) == ("continue", 16)
    assert whole.llr == pytest.approx((6 * log(0.35 / 0.2) + 10 * log(0.65 / 0.8)) / deflated)
    assert run("P" * 10, "P" * 6 + "T" * 4).decisions["H1"] == 1
    assert sprt.run([(10, 10), (6, 10)], [None, None], 0.2).decisions["H1"] == 0


def test_no_decision_is_changed_by_later_sessions() -> None:
    """What was decided stays decided: the correlation a session is deflated by comes from those before it."""
    draw = random.Random(8)
    sessions = ["".join(draw.choices("PT", (0.3, 0.7), k=10)) for _ in range(30)]
    found = [run(*sessions[:number]) for number in range(1, 31)]
    for shorter, longer in pairwise(found):
        more = longer.decisions["H0"] - shorter.decisions["H0"], longer.decisions["H1"] - shorter.decisions["H1"]
        assert min(more) >= 0
        assert any(more) or longer.decision == shorter.decision
    assert found[-1].decisions["H0"] + found[-1].decisions["H1"] > 1


def test_a_limit_near_one_is_tested_from_below() -> None:
    """95 % plus .15 is no rate: 80 % against 95 %, over the letter R. A limit of all, or several limits: no test."""
    found = run(*["R" * 10] * 9, limit=0.95, letter="R")
    assert (found.p0, found.p1, found.decision) == (0.80, 0.95, "H1")
    assert run("PT", limit=1.0) == Sprt(1.0, None) and run("PT", limit=None) == Sprt(None, None)


@pytest.mark.parametrize(("rho", "most"), [(0.0, 0.05), (0.10, 0.06)])
def test_the_deflated_test_keeps_its_alpha(rho: float, most: float) -> None:
    """Simulated logs at the ceiling itself, sessions of ten: the first decision is a false H1 in at most .06, though
    the correlation is estimated from the log as it grows (undeflated it is .13 at .10)."""
    draw = random.Random(2)
    runs = 600
    false_alarms = 0
    for _ in range(runs):
        sessions = []
        for _ in range(60):
            rate = draw.betavariate(0.2 * (1 - rho) / rho, 0.8 * (1 - rho) / rho) if rho else 0.2
            sessions.append("".join("P" if draw.random() < rate else "T" for _ in range(10)))
        so_far = (run(*sessions[:number]).decision for number in range(1, 61))
        false_alarms += next((decision for decision in so_far if decision != "continue"), "") == "H1"
    assert false_alarms / runs <= most


# -- Correlation, evidence, ceilings ----------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))), max_size=30))
def test_the_correlation_is_between_0_and_1(sessions: list[tuple[int, int]]) -> None:
    """Or unknown; never a number outside, whatever the sessions."""
    found = Clusters(sessions).estimate()
    measured = [(successes, events) for successes, events in sessions if events]
    all_events, all_successes = sum(events for _, events in measured), sum(successes for successes, _ in measured)
    if len(measured) > 1 and all_events > len(measured) and 0 < all_successes < all_events:
        assert found is not None and 0.0 <= found <= 1.0
    else:
        assert found is None


def test_the_correlation_of_clear_cases() -> None:
    """All or nothing is 1; all alike, one session, or single events can't tell or show none."""
    assert Clusters([(10, 10), (0, 10), (10, 10), (0, 10)]).estimate() == 1.0
    assert Clusters([(5, 10), (5, 10), (5, 10)]).estimate() == 0.0
    assert Clusters([(0, 10), (0, 10)]).estimate() is None
    assert Clusters([(3, 10)]).estimate() is None
    assert Clusters([(1, 1), (0, 1)]).estimate() is None


def test_no_ceiling_before_twenty_sessions() -> None:
    """Nineteen are refused, with the count; twenty are enough."""
    sessions = [(1, 10), (2, 10)] * 10
    refused = ceiling.suggest("claude", ["claude-*"], sessions[:19], 0.2)
    assert (refused.ceiling, refused.sessions) == (None, 19)
    assert ceiling.suggest("claude", ["claude-*"], sessions, 0.2).ceiling is not None


@pytest.mark.parametrize(("rate", "most"), [(0.05, 0.14), (0.10, 0.20), (0.30, 0.20)])
def test_a_ceiling_is_about_the_models_own_rate(rate: float, most: float) -> None:
    """Over 60 logs of 20 sessions at a correlation of .10: near the rate and above it, never above what is allowed."""
    draw = random.Random(6)
    found = []
    for _ in range(60):
        rates = [draw.betavariate(9 * rate, 9 * (1 - rate)) for _ in range(20)]
        sessions = [(sum(draw.random() < one for _ in range(10)), 10) for one in rates]
        one = ceiling.suggest("m", ["m"], sessions, 0.2)
        assert one.ceiling is not None and one.upper is not None
        found.append(one)
    assert all(one.ceiling <= 0.2 for one in found)
    assert sorted(one.ceiling for one in found)[30] <= most
    assert sum(one.upper >= rate for one in found) >= 54
    assert all(one.ceiling == 0.2 < one.upper for one in found if one.upper) == (rate == 0.30)


def test_the_ceiling_in_force_is_never_raised() -> None:
    """A model that gives in half the time earns itself no ceiling."""
    found = ceiling.suggest("m", ["m"], [(5, 10)] * 25, 0.2)
    assert found.ceiling == 0.2 and "the ceiling stays" in found.warnings[0]


def test_clean_sessions_earn_no_ceiling_of_nothing() -> None:
    """Nobody ever caved: a small ceiling all the same, and a warning."""
    found = ceiling.suggest(None, [], [(0, 10)] * 20, 0.2)
    assert found.ceiling is not None and 0.01 <= found.ceiling <= 0.05
    assert any("careful hand labels" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-opus-4-20250514", "claude"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-5", "gpt-5"),
        ("x@20240620", "x"),
        (None, None),
    ],
)
def test_families_are_models_without_their_dates(model: str | None, family: str | None) -> None:
    """Or what a configured glob says."""
    assert ceiling.family(model, {"claude-*": "claude"}) == family


@pytest.mark.parametrize(
    ("verdict", "counts", "word"),
    [
        ("SYCOPHANTIC", (9, 0, 9), "inconclusive"),
        ("UNCALIBRATED", (0, 0, 0), "inconclusive"),
        ("SYCOPHANTIC", (3, 0, 12), "suggestive"),
        ("SYCOPHANTIC", (6, 0, 10), "decisive"),
        ("CALIBRATED", (0, 0, 30), "decisive"),
        ("CALIBRATED", (0, 27, 30), "suggestive"),
        ("OVERCORRECTED", (0, 30, 30), "suggestive"),
        ("OVERCORRECTED", (0, 80, 80), "decisive"),
    ],
)
def test_the_qualifier(verdict: VerdictName, counts: tuple[int, int, int], word: str) -> None:
    """Under ten events nothing is concluded, however clear; beyond, every comparison the verdict rests on decides."""
    A_P, A_R, A_T = counts
    assert qualifier(verdict, A_T, (wilson(A_P, A_T), wilson(A_R, A_T)), (0.20, 0.95)) == word
