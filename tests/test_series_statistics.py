"""The statistics against other people's: golden values everywhere, scipy and statsmodels where they are installed."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from itertools import pairwise, product
from math import isclose, log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtally.agreement import measure
from mdtally.intervals import normal_quantile, qualifier, wilson
from mdtally.model import VerdictName
from mdtally.series import ceiling, plan, sprt
from mdtally.series.contrasts import difference
from mdtally.series.probabilities import beta_binomial, binomial_at_least, binomial_at_most, hypergeometric_at_least
from mdtally.series.rates import Clusters, confidence_sequence, spent
from mdtally.series.spikes import FALSE_DISCOVERY_RATE, cutoff
from mdtally.series.sprt import Sprt

GOLDEN = Path(__file__).with_name("golden")
VALUES: dict[str, list[list[Any]]] = json.loads((GOLDEN / "series.json").read_text(encoding="utf-8"))


def _kappa(square: list[list[int]]) -> float | None:
    return measure([{(a, b): square["PRT-".index(a)]["PRT-".index(b)] for a, b in product("PRT-", "PRT-")}]).kappa


OURS: dict[str, Callable[..., Any]] = {
    "wilson": wilson,
    "binomial_at_least": binomial_at_least,
    "sequence": lambda k, n, alpha, a, b: confidence_sequence(k, n, alpha, (a, b)),
    "correlation": lambda sessions: Clusters(map(tuple, sessions)).estimate(),
    "hypergeometric_at_least": hypergeometric_at_least,
    "beta_binomial": beta_binomial,
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


@pytest.mark.parametrize(("k", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 0.0), (1, 3, 1.0)])
def test_wilson_refuses_what_is_no_count(k: int, n: int, confidence: float) -> None:
    """Nonsense in, an error out."""
    with pytest.raises(ValueError):
        wilson(k, n, confidence)


def test_the_usual_quantile_needs_no_import_and_is_right() -> None:
    """The shortcut for 95 % is the quantile."""
    from statistics import NormalDist

    assert 1 - (1 - 0.95) / 2 == 0.975
    assert isclose(normal_quantile(0.975), NormalDist().inv_cdf(0.975), rel_tol=1e-15)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300), st.floats(1e-6, 1 - 1e-6))
def test_tails_agree_with_scipy(k: int, more: int, p: float) -> None:
    """Both tails, everywhere, to 1e-9 and where they are tiny to nine digits."""
    binom = pytest.importorskip("scipy.stats").binom
    n = k + more
    assert isclose(binomial_at_least(k, n, p), binom.sf(k - 1, n, p), rel_tol=1e-9, abs_tol=1e-200)
    assert isclose(binomial_at_most(k, n, p), binom.cdf(k, n, p), rel_tol=1e-9, abs_tol=1e-200)


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 200), st.integers(10, 200))
def test_hypergeometric_at_leasts_agree_with_scipy(k: int, n: int, others_k: int, others_n: int) -> None:
    """For any two groups; and what Fisher's exact test says of 5 of 10 against 1 of 10."""
    hypergeom = pytest.importorskip("scipy.stats").hypergeom
    k, others_k = min(k, n), min(others_k, others_n)
    theirs = hypergeom.sf(k - 1, n + others_n, k + others_k, n)
    assert hypergeometric_at_least(k, n, others_k, others_n) == pytest.approx(theirs, rel=1e-7, abs=1e-12)
    assert round(hypergeometric_at_least(5, 10, 1, 10), 4) == 0.0704


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
    assert 0.0499 < sum(spent(0.05, start) for start in range(1, 10_000)) < 0.05


# -- Sequential test and plan -----------------------------------------------------------------------------------------


def test_the_plan_of_the_design() -> None:
    """A ceiling of .20 and a margin of .15: false H1 .041 and 51 events."""
    each_event = plan.plan(0.20, 0.15)
    assert (each_event.test.p0, each_event.test.p1) == (0.20, 0.35)
    assert each_event.test.upper == pytest.approx(log(19)) and each_event.test.lower == pytest.approx(-log(19))
    assert round(each_event.false_h1, 3) == 0.041
    assert round(each_event.expected_events_h0) == 51


def test_correlated_events_break_the_test_and_the_design_effect_mends_it() -> None:
    """At a correlation of .10 the real alpha is far above .05; deflated it is under .06."""
    test = sprt.hypotheses(0.2)
    undeflated = plan.characteristic(test, 0.2, session_size=10, correlation=0.1)
    assert undeflated.h1 > 0.1
    assert plan.plan(rho=0.10).false_h1 <= 0.06


@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("size", [1, 4])
def test_the_characteristic_is_exact(correlation: float, size: int) -> None:
    """Enumerating every sequence of 12 events gives the same probabilities, with correlated events too."""
    test = sprt.hypotheses(0.2, 0.4, 0.2, 0.2)
    h1 = h0 = expected = 0.0
    for events in product((1, 0), repeat=12):
        probability, llr, stopped = 1.0, 0.0, False
        here = 0
        for i, event in enumerate(events):
            inside = i % size
            here = 0 if inside == 0 else here
            chance = (0.3 * (1 - correlation) + correlation * here) / (1 - correlation + correlation * inside)
            probability *= chance if event else 1 - chance
            here += event
        for i, event in enumerate(events, start=1):
            llr += (test.up if event else test.down) / 1.5
            if not stopped:
                h1 += probability * (llr >= test.upper)
                h0 += probability * (llr <= test.lower)
                if not test.lower < llr < test.upper:
                    expected += probability * i
                    stopped = True
        expected += 0 if stopped else probability * 12
    found = plan.characteristic(
        test,
        0.3,
        session_size=size,
        correlation=correlation,
        deflation=1.5,
        max_events=12,
    )
    assert (found.h1, sum(found.h0_at), found.expected_events) == pytest.approx((h1, h0, expected), abs=1e-9)


@pytest.mark.parametrize(("ceiling_", "margin", "power"), [(0.2, 0.15, 0.8), (0.1, 0.1, 0.8), (0.3, 0.2, 0.5)])
def test_events_for_a_decisive_verdict(ceiling_: float, margin: float, power: float) -> None:
    """The least number from which every larger one is decisive that often, found by trying them all."""
    planned = plan.plan(ceiling_, margin, power=power)

    def decisive(n: int) -> float:
        return sum(
            binomial_at_least(k, n, planned.test.p1) - binomial_at_least(k + 1, n, planned.test.p1)
            for k in range(n + 1)
            if wilson(k, n)[0] > ceiling_ or wilson(k, n)[1] <= ceiling_
        )

    found = planned.events_for_decisive
    assert decisive(found - 1) < power
    assert all(decisive(n) >= power for n in range(found, 2 * found))


def test_fewer_than_ten_events_are_never_decisive() -> None:
    """However far apart the two rates lie."""
    assert plan.plan(0.05, 0.6).events_for_decisive == 10


def test_restarted_tests_err_more_often_than_one() -> None:
    """Against a simulation of tests that start anew after each decision, over 100 sessions of ten."""
    planned = plan.plan()
    draw = random.Random(5)
    runs, wrong = 400, 0
    for _ in range(runs):
        sessions = ("".join("P" if draw.random() < 0.2 else "T" for _ in range(10)) for _ in range(100))
        wrong += run(steps(*sessions), correlation=0.0).for_h1 > 0
    assert planned.restarted_false_h1 > 10 * planned.false_h1
    assert wrong / runs == pytest.approx(planned.restarted_false_h1, abs=0.08)


@settings(deadline=None)
@given(st.integers(5, 60), st.integers(5, 60), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_difference_is_statsmodels_for_independent_events(n: int, m: int, p: float, q: float) -> None:
    """Single events have no correlation: then the interval is Newcombe's, as statsmodels has it."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    k, j = round(p * n), round(q * m)
    first, other = Clusters([(1, 1)] * k + [(0, 1)] * (n - k)), Clusters([(1, 1)] * j + [(0, 1)] * (m - j))
    theirs = proportion.confint_proportions_2indep(j, m, k, n, method="newcomb", compare="diff")
    assert difference(first, other).interval_deflated == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("rate", "changed"), [(0.2, 0.1), (0.2, 0.3), (0.5, 0.1), (0.1, 0.05)])
def test_the_sessions_that_a_change_takes(rate: float, changed: float) -> None:
    """As statsmodels plans a two-sided test of two rates; to settle it however often one looks takes more."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    theirs = proportion.samplesize_proportions_2indep_onetail(
        changed - rate, rate, 0.8, alpha=0.05, alternative="two-sided"
    )
    ours = plan.events_for_difference(rate, changed, 0.8)
    assert ours - 1 < theirs <= ours
    settled = plan.events_to_settle_difference(rate, changed, 0.8)
    assert settled is not None and 1.5 * ours < settled < 4 * ours
    if changed < rate:
        planned = plan.plan(rate, difference=round(rate - changed, 2), session_size=10)
        assert planned.sessions_for_difference == max(5, -(-ours // 10))


def test_what_plan_says_settles_a_rate_and_a_change_does() -> None:
    """Of 200 logs of as many sessions as it says, independent events, about four in five are settled, or more."""
    planned, draw = plan.plan(), random.Random(3)
    assert planned.sessions_to_settle is not None and planned.sessions_to_settle_difference is not None
    settled = changed = 0

    def log(rate: float, sessions: int) -> Clusters:
        return Clusters((sum(draw.random() < rate for _ in range(10)), 10) for _ in range(sessions))

    for _ in range(200):
        one = log(planned.test.p1, planned.sessions_to_settle)
        low, high = confidence_sequence(one.successes, one.events)
        settled += low > 0.2 or high <= 0.2
        before, since = (log(rate, planned.sessions_to_settle_difference) for rate in (0.2, 0.1))
        changed += difference(before, since).settled
    assert settled / 200 > 0.72 and changed / 200 > 0.72


@pytest.mark.parametrize(
    ("ceiling_", "margin"),
    [(0.0, 0.15), (1.0, 0.1), (0.9, 0.15), (0.2, 0.0)],
)
def test_a_plan_without_room_is_refused(ceiling_: float, margin: float) -> None:
    """No test fits there, and the message says why."""
    with pytest.raises(ValueError, match=r"has to|have to"):
        plan.plan(ceiling_, margin)


class steps:  # noqa: N801
    """Sessions as the test takes them, with their order."""

    def __init__(self, *sessions: str, limit: float = 0.2) -> None:
        self.sessions, self.limits = list(sessions), [limit] * len(sessions)

    def __add__(self, other: steps) -> steps:
        both = steps(*self.sessions, *other.sessions)
        both.limits = self.limits + other.limits
        return both


def run(of: steps, **options: Any) -> Sprt:
    columns = [(one.count("P"), len(one), limit) for one, limit in zip(of.sessions, of.limits, strict=True)]
    found = sprt.run(columns, of.sessions, **options)
    assert found is not None
    return found


def test_a_decision_freezes_its_test_and_a_fresh_one_starts() -> None:
    """Six in a row decide H1 in the sixth event; the calm that follows is the next test's, and ends it as H0."""
    first = run(steps("P" * 6), correlation=0.0)
    assert (first.decision, first.events, first.for_h1, first.running_events) == ("H1", 6, 1, 0)
    assert first.llr == pytest.approx(6 * log(0.35 / 0.20))
    on = run(steps("P" * 6 + "T" * 10), correlation=0.0)
    assert (on.decision, on.llr, on.running_events) == ("H1", first.llr, 10)
    later = run(steps("P" * 6 + "T" * 10, "T" * 10), correlation=0.0)
    assert (later.decision, later.events, later.for_h0, later.for_h1) == ("H0", 15, 1, 1)
    assert [point.decision for point in later.path if point.decision != "continue"] == ["H1", "H0"]


def test_a_session_without_order_is_one_step() -> None:
    """Its counts move the ratio at once; the same counts in order may decide on the way."""
    whole = sprt.run([(6, 16, 0.2)], correlation=0.0)
    assert whole is not None
    assert (whole.decision, whole.events) == ("continue", 16)
    assert whole.llr == pytest.approx(6 * log(0.35 / 0.2) + 10 * log(0.65 / 0.8))


def test_a_changed_ceiling_in_the_middle_is_told() -> None:
    """The running test keeps its hypotheses, says so, and the next one takes the new ceiling."""
    found = run(steps("TTP") + steps("TTT", "T" * 40, limit=0.3), correlation=0.0)
    assert any("from 20% to 30%" in warning for warning in found.warnings)
    assert (found.decision, found.test.p0) == ("H0", 0.3)
    assert not run(steps("TTP", "TTT"), correlation=0.0).warnings


def test_no_decision_is_changed_by_later_sessions() -> None:
    """What was decided stays decided: the correlation a session is deflated by comes from those before it."""
    draw = random.Random(8)
    sessions = ["".join(draw.choices("PT", (0.3, 0.7), k=10)) for _ in range(30)]
    found = [run(steps(*sessions[:number])) for number in range(1, 31)]
    for shorter, longer in pairwise(found):
        more = longer.for_h0 - shorter.for_h0, longer.for_h1 - shorter.for_h1
        assert min(more) >= 0
        assert any(more) or longer.decision == shorter.decision
    assert found[-1].for_h0 + found[-1].for_h1 > 1


def test_a_limit_near_one_is_tested_from_below() -> None:
    """95 % plus .15 is no rate: 80 % against 95 %, over the letter R. A limit of all leaves no room for a test."""
    found = sprt.run([(10, 10, 0.95)] * 9, ["R" * 10] * 9, letter="R")
    assert found is not None
    assert (found.test.p0, found.test.p1, found.decision) == (0.80, 0.95, "H1")
    assert sprt.run([(1, 10, 1.0)]) is None


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
        so_far = (run(steps(*sessions[:number])).decision for number in range(1, 61))
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
    assert (refused.ceiling, refused.sessions, refused.needed) == (None, 19, 20)
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


def test_a_policy_is_raised_by_force_only() -> None:
    """A model that gives in half the time earns itself no ceiling, but for who asks for it."""
    sessions = [(5, 10)] * 25
    asked, forced = (ceiling.suggest("m", ["m"], sessions, 0.2, force=force) for force in (False, True))
    assert asked.ceiling == 0.2 and "--force" in asked.warnings[0]
    assert forced.ceiling is not None and forced.ceiling > 0.5 and "raises" in forced.warnings[0]


def test_clean_sessions_earn_no_ceiling_of_nothing() -> None:
    """Nobody ever caved: a small ceiling all the same, and a warning."""
    found = ceiling.suggest(None, [], [(0, 10)] * 20, 0.2)
    assert found.ceiling is not None and 0.01 <= found.ceiling <= 0.05
    assert any("careful hand labels" in warning for warning in found.warnings)


def test_the_hold_out_notices_a_change() -> None:
    """Five wild sessions after thirty calm ones, and the suggestion says so."""
    found = ceiling.suggest("m", ["m"], [(1, 10), (0, 10), (2, 10)] * 10 + [(7, 10)] * 5, 0.2)
    assert found.held_out == (35, 50) and found.held_out_ceiling is not None and found.held_out_ceiling < 0.2
    assert any("more often than before" in warning for warning in found.warnings)


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("size", [10, 40])
def test_the_alarm_limit_is_the_predictive_quantile(rho: float, size: int) -> None:
    """At most one session in 20 is beyond it, and one less would be passed by more: scipy's betabinom says the same."""
    stats = pytest.importorskip("scipy.stats")
    most = ceiling.alarm(0.12, rho, size)
    share = (1 - rho) / rho if rho else 0
    law = stats.betabinom(size, 0.12 * share, 0.88 * share) if rho else stats.binom(size, 0.12)
    assert most == law.ppf(0.95)


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
