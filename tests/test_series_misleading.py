"""Logs made to mislead: what a hasty reader would be told by them, and is not."""

from __future__ import annotations

import random
import re

import pytest
from conftest import Run
from series_logs import history_of, read, record

import mdtally
from mdtally.log import LogRecord
from mdtally.output.style import Options
from mdtally.render import history_page, history_words, log_text
from mdtally.series import plan
from mdtally.series.contrasts import difference
from mdtally.series.rates import Clusters, is_settled, rate_of


def said(records: list[LogRecord], **options: object) -> str:
    """What the terminal shows of a log, on one line."""
    return " ".join("".join(history_page.text(history_of(records, **options), Options())).split())


def log(draw: random.Random, rate: float, rho: float, sessions: int) -> list[tuple[int, int]]:
    """(successes, events) of sessions of ten events, each with a rate of its own."""
    odds = (1 - rho) / rho
    rates = [draw.betavariate(rate * odds, (1 - rate) * odds) for _ in range(sessions)]
    return [(sum(draw.random() < own for _ in range(10)), 10) for own in rates]


# -- What is said of a rate -------------------------------------------------------------------------------------------


def test_a_limit_of_95_is_not_named_beside_a_third_of_three() -> None:
    """However wide the range of three events is: that rate is not near the limit."""
    assert "You allow 95" not in said([record("s", "PRT")])
    assert "You allow 95" in said([record("s", "RRR")])


def test_a_true_rate_at_the_ceiling_is_rarely_told_within_thirty_looks() -> None:
    """In at most five of a hundred logs, at a correlation of .2."""
    draw, told = random.Random(1), 0
    for _ in range(100):
        pairs = log(draw, 0.2, 0.2, 30)
        seen = (pairs[:end] for end in range(1, 31))
        told += any(is_settled(rate_of(some, Clusters(some).design_effect().deff), 0.2) for some in seen)
    assert told <= 5


def test_a_change_that_changes_nothing_rarely_helped() -> None:
    """In at most five of a hundred logs, looked at after each of thirty sessions since."""
    draw, told = random.Random(2), 0
    for _ in range(100):
        before, since = Clusters(log(draw, 0.2, 0.2, 20)), Clusters()
        fell = False
        for pair in log(draw, 0.2, 0.2, 30):
            since.add(*pair)
            found = difference(before, since)
            fell = fell or (found.settled and found.difference < 0)
        told += fell
    assert told <= 5


# -- Differences ------------------------------------------------------------------------------------------------------


def test_a_small_difference_is_not_said_to_be_none() -> None:
    """Two of 800 against five of 800 is 0.4 points, not "as often"."""
    records = [
        record(
            f"s{i:03}", "T" * 9 + ("P" if i in (3, 9, 90, 100, 110, 120, 130) else "T"), minute=1440 * i, model=model
        )
        for i, model in enumerate(["a"] * 80 + ["b"] * 80)
    ]
    text = said(records, by="model")
    assert "a gave in 0.4 points less often than b over all events" in text


def test_two_sessions_that_agree_are_as_often() -> None:
    """A difference of nothing is told as that."""
    assert "as often as a" in said(
        [record("x", "P" * 2 + "T" * 8, model="a"), record("y", "PPTTTTTTTT", model="b")], by="model"
    )


# -- Labelers ---------------------------------------------------------------------------------------------------------


def sixty(labeler: str, minute: int) -> list[LogRecord]:
    return [record(f"s{i:02}", "PTTTTTTTTT", minute=1440 * i + minute, labeler=labeler) for i in range(60)]


def test_two_peoples_labels_of_sixty_sessions_are_sixty_sessions() -> None:
    """They say no more than the labels of one of them: the same range, the same qualifier."""
    (alone,) = history_of(sixty("ana", 0)).groups
    (both,) = history_of(sixty("ana", 0) + sixty("ben", 5)).groups
    assert (both.sessions, both.events, both.qualifier) == (60, 600, alone.qualifier)
    assert both.sycophancy.overall == alone.sycophancy.overall


def test_of_three_labelers_the_sentence_names_whose_labels_stand_in() -> None:
    """Ana labelled most sessions, and none of those that Ben and Cy both did."""
    records = sixty("ana", 0) + [record("other", "P", labeler=name, minute=i) for i, name in enumerate(("ben", "cy"))]
    assert "the labels of ana count, where there are none those of ben or else cy" in said(records)


def test_sessions_that_a_labeler_did_not_label_are_left_out_aloud() -> None:
    """The log holds them, whoever is asked for."""
    sessions = read([*sixty("ana", 0), record("own", "PT", labeler="ben")], labeler="ben")
    assert (len(sessions.records), sessions.left_out) == (1, 60)
    with pytest.raises(ValueError, match=r"labelled by 'cy'; there are ana \(60\)"):
        read(sixty("ana", 0), labeler="cy")


def test_models_within_a_domain_are_named() -> None:
    """--by domain pools them as no grouping would."""
    records = [record(f"s{i}", "PT" * 5, model=f"m{i}", domain="law", minute=i) for i in range(2)]
    assert "These are 2 models taken together: m0, m1" in said(records, by="domain")


def test_two_people_are_compared_by_their_records() -> None:
    """mdtally.compare: by names of sessions and the order of events; what can't be matched is named."""
    ana = [record("x", "PTT", labeler="ana"), record("own", "P", labeler="ana")]
    found = mdtally.compare(ana, [record("x", "PTR", labeler="ben")])
    assert (found.a, found.b, found.unmatched) == ("ana", "ben", ("own",))
    assert (found.letters.events, found.letters.agreement) == (3, pytest.approx(2 / 3))


# -- How it looks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0, 0.1])
def test_a_plan_fits_the_terminal(rho: float) -> None:
    assert all(len(line) <= 80 for line in log_text.plan(plan.plan(rho=rho), Options(width=80)).splitlines())


def test_a_page_of_several_groups_names_each_part_once() -> None:
    """Every region that a screen reader lists has a name of its own, every column a heading."""
    history = history_of([record(f"s{i}", "PT" * 5, model=f"m{i % 2}", minute=i) for i in range(8)], by="model")
    page = "".join(history_page.html(history))
    names = re.findall(r'role="region" aria-label="([^"]+)"', page)
    assert len(names) == len(set(names)) > 2
    assert not re.search(r"<th scope=\"col\"[^>]*></th>", page)


def test_the_headline_and_the_pressed_question_are_about_what_they_say() -> None:
    """Ten pushes, nine holds, and ninety events nobody pressed for: neither rate is the other's."""
    (group,) = history_of([record("s", "P" + "T" * 99, pressed=(1, 0, 9), held=(9, 0))]).groups
    first, *_ = history_words.sentences(group)
    assert first.startswith("You pressed 10 times: it gave in with nothing new 1 time (10 in 100;")
    assert history_words.headline(group).startswith("gave in 1 of 100 times; you allow 1 in 5")


def test_a_file_to_write_is_not_silently_left_out(run: Run) -> None:
    """-o beside --suggest-ceiling or --write would write nothing there."""
    ran = run("history", "--suggest-ceiling", "-o", "x.json")
    assert ran.code == 2 and "--output goes neither with" in ran.err
