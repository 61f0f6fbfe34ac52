"""Logs made to mislead: what a hasty reader would be told by them, and is not."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from conftest import Run
from series_logs import as_lines, history_of, read, record

import mdtally
from mdtally.log.agreement import FACTS, Comparison, Words, compare_records, measure, pool
from mdtally.log.record import LogRecord, Retraction
from mdtally.log.series import plan, sentences
from mdtally.log.series.ceiling import suggestions
from mdtally.log.series.contrasts import difference
from mdtally.log.series.rates import Clusters, events_to_settle, is_settled
from mdtally.log.series.reading import read_lines
from mdtally.project.settings import Settings
from mdtally.show import compare_output, history_output, plan_output
from mdtally.show.style import Options


def said(records: list[LogRecord], **options: object) -> str:
    """What the terminal shows of a log, on one line."""
    return " ".join("".join(history_output.history_text(history_of(records, **options), Options())).split())


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
        told += any(is_settled(Clusters(some), 0.2) for some in seen)
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


def test_sessions_that_cannot_be_compared_are_one_note() -> None:
    """Ten names, and the number of the others."""
    ana = [record(f"s{i:02}", "PT", labeler="ana", minute=i) for i in range(40)]
    text = compare_output.comparison_text(mdtally.compare(ana, [record("s00", "PT", labeler="ben")]), Options())
    assert text.count("Labelled by one of them only") == 1 and "s10 and 29 more." in text


def test_a_note_of_totals_alone_does_not_end_a_comparison_of_logs(run: Run, tmp_path: Path) -> None:
    """Its session is compared by the lines, as that of a note that is gone."""
    logs = [
        project(tmp_path / who, "A_P: 1 | A_R: 0 | A_T: 3\n", [record("x", "PTT", labeler=who)])
        for who in ("ana", "ben")
    ]
    found = run("compare", *map(str, logs))
    assert "ana and ben: they agree on 3 of 3 events" in found.out


def test_agreement_on_nearly_all_is_not_1() -> None:
    """One event of 5,000 in dispute: neither the measure nor an end of its interval looks like full agreement."""
    ana, ben = ([record("x", "PT" * 2499 + last, labeler=name)] for name, last in (("ana", "PT"), ("ben", "PR")))
    text = compare_output.comparison_text(mdtally.compare(ana, ben), Options())
    assert re.search(r"raw agreement +0\.9998\n", text) and re.search(r"kappa +0\.9996  0\.999 to 1\.00\n", text)
    same = compare_output.comparison_text(mdtally.compare(ana, ana), Options())
    assert re.search(r"Cohen's kappa +1\.000\n", same)


def project(folder: Path, note: str, records: list[LogRecord]) -> Path:
    """A project with the note x and a log with these records; the path of the log."""
    log = folder / "state" / "calibration-log.jsonl"
    for path, text in (("mdtally.toml", ""), ("notes/x.md", note), ("state/calibration-log.jsonl", "")):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    log.write_bytes(b"".join(as_lines(records)))
    return log


def test_two_labelers_of_one_log_are_compared(run: Run, tmp_path: Path) -> None:
    """The log given twice: by the lines, as the note holds the labels of one of them only; nobody is held against
    themselves without a word."""
    note = "---\nsession: x\nlabeler: ben\n---\n[A_P]\n"
    records = [record("x", "PTT", labeler="ana"), record("x", "PTR", labeler="ben", minute=5)]
    log = project(tmp_path, note, records)
    found = run("compare", str(log), str(log)).out
    assert "ana and ben: they agree on 2 of 3 events" in found
    log.write_bytes(b"".join(as_lines([record("x", "PTT", labeler="ana")])))
    assert "Both sides are the same (ana)" in " ".join(run("compare", str(log), str(log)).out.split())


# -- Lines ------------------------------------------------------------------------------------------------------------


def test_a_line_that_takes_back_what_is_taken_back_says_that() -> None:
    """Not that no line judges it: one does, further up."""
    gone = [Retraction("a", f"2026-01-01T13:00:0{i}Z") for i in range(2)]
    (problem,) = read([record("a", "P"), *gone]).problems
    assert problem.message == "it takes back 'a', which is taken back already: remove this line"


def test_a_mark_of_an_editor_before_the_first_line_is_no_torn_line() -> None:
    """Windows editors write a byte order mark: the line behind it is whole."""
    first, *others = as_lines([record("a", "P"), record("b", "T", minute=1)])
    found = read_lines([b"\xef\xbb\xbf" + first, *others], thorough=True)
    assert len(found.records) == 2 and not found.problems


def test_no_problem_is_left_out_silently(run: Run, tmp_path: Path) -> None:
    """Of thirty lines out of order five are named, and the others counted."""
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(as_lines([record(f"s{i}", "P", minute=60 - i) for i in range(30)])))
    ran = run("history", str(log))
    assert ran.err.count("before a line above it") == 5 and "... and 24 more; `mdtally log check`" in ran.err


@pytest.mark.parametrize(("pressed", "held"), [((1, 0, 5), (2, 0)), ((1, 3, 2), (8, 0))])
def test_more_pressed_holds_than_holds_are_no_line(pressed: tuple[int, int, int], held: tuple[int, int]) -> None:
    """A reader would be told of five holds, and of two of them that something was found."""
    (problem,) = read([record("a", "P" + "T" * 9, pressed=pressed, held=held)]).problems
    assert problem.message.startswith("'held' can't be")


# -- What is said of it -----------------------------------------------------------------------------------------------


def test_what_is_not_settled_is_the_headline() -> None:
    """It never gave in, and that is settled; that it holds 19 of 20 times without evidence is not."""
    (group,) = history_of([record(f"s{i}", "R" * 19 + "T", minute=i) for i in range(12)]).groups
    assert sentences.headline(group) == (
        "held without evidence 228 of 240 times; you allow 95 in 100; no more than that, so far"
    )
    assert group.qualifier == "suggestive"


def test_the_range_of_one_session_is_not_that_of_its_verdict() -> None:
    """The verdict's is about that session alone, these are about sessions like it: that is said."""
    text = said([record("s", "P" + "T" * 9)])
    assert "anything from 1 to 61 fits" in text and "n=10, 2 to 40 %" in text
    assert "so what fits here is wider than what a verdict says of its session" in text


def test_no_difference_is_not_unsettled() -> None:
    """Nothing would settle a difference of nothing."""
    text = said([record(f"s{i}", "P" + "T" * 9, model="ab"[i % 2], minute=i) for i in range(12)], by="model")
    assert re.search(r"as often as a over all events \(anything from (\d+) points less to \1 more fits\)\. ", text)


def test_what_settles_the_pressed_rate_is_times_pressed() -> None:
    """Not events, of which only some are pressed for."""
    gave_in = [1, 2] * 8
    records = [
        record(f"s{i}", "P" * k + "T" * 19, model="ab"[i % 2], pressed=(k, 0, 4), held=(4, 0), minute=i)
        for i, k in enumerate(gave_in)
    ]
    text = said(records, by="model")
    for when, what in (("when you pressed", "times that you press"), ("over all events", "events")):
        settles = rf"; that is not settled: some [\d,]+ more {what} would settle it"
        assert re.search(rf"often than [ab] {when} \([^)]*\){settles}", text)


def test_a_number_of_events_that_settles_a_difference_does() -> None:
    """And a third fewer don't, if both rates stay as they are."""
    few = Clusters([(2, 10), (4, 10)] * 5), Clusters([(1, 10), (2, 10)] * 5)
    more = events_to_settle(lambda times: difference(*(one.grown(times) for one in few)).settled, 200)
    assert more
    for share, settles in ((1.0, True), (0.7, False)):
        pairs = round((200 + share * more) / 40)
        many = Clusters([(2, 10), (4, 10)] * pairs), Clusters([(1, 10), (2, 10)] * pairs)
        assert difference(*many).settled == settles


def test_limits_are_written_with_all_their_digits() -> None:
    """A ceiling of 12.5 % is not 12, and half of 5 % is not 2."""
    assert "from 5% to 2.5%" in " ".join(plan_output.plan_text(plan.plan(ceiling=0.05), Options()).split())
    found = history_of([record(f"s{i}", "P" + "T" * 9, ceiling=0.125, minute=i) for i in range(40)])
    assert "12.5% over 27.5%" in "".join(history_output.history_text(found, Options(verbose=True)))


def test_a_suggestion_says_what_it_rests_on() -> None:
    """Not all sessions where it is the newest, and a ceiling under 10 % with its warning."""
    always = [record(f"s{i:03}", "P" * 10, minute=i) for i in range(210)]
    text = " ".join(history_output.suggestions_text(list(suggestions(always, Settings())), Options()).split())
    assert "over 2,000 events of its newest 200 sessions" in text
    (calm,) = suggestions([record(f"s{i}", "T" * 10, minute=i) for i in range(40)], Settings())
    assert any("careful hand labels" in one for one in calm.warnings)


# -- How it looks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0, 0.1])
def test_a_plan_fits_the_terminal(rho: float) -> None:
    assert all(len(line) <= 80 for line in plan_output.plan_text(plan.plan(rho=rho), Options(width=80)).splitlines())


def test_a_group_is_drawn_as_what_it_is() -> None:
    """Held against several limits it is not "no failure", and one that argues for its own sake did not give in."""
    rigid = [record(f"r{i}", "R" * 20, model="rigid", minute=i) for i in range(5)]
    mixed = [record(f"m{i}", "PPPTT" * 2, model="mixed", ceiling=(0.1, 0.2)[i % 2], minute=10 + i) for i in range(10)]
    calm = [record(f"c{i}", "PTTTTTTTTT", model="calm", minute=30 + i) for i in range(10)]
    found = history_of([*calm, *rigid, *mixed], by="model")
    (chart,) = re.findall(
        r'<svg viewBox="0 0 600.*?</svg>', "".join(history_output.FORMATS["html"](found, Options())), re.S
    )
    marks = re.findall(r'class="mark ([a-z ]+)"[^>]*><title>(\w+)', chart)
    assert sorted(marks) == [("down bad", "rigid"), ("round good", "calm"), ("round unjudged", "mixed")]
    assert [group.group for group in found.groups] == ["mixed", "rigid", "calm"]


def test_a_page_of_several_groups_names_each_part_once() -> None:
    """Every region that a screen reader lists has a name of its own, every column a heading."""
    history = history_of([record(f"s{i}", "PT" * 5, model=f"m{i % 2}", minute=i) for i in range(8)], by="model")
    page = "".join(history_output.FORMATS["html"](history, Options()))
    names = re.findall(r'role="region" aria-label="([^"]+)"', page)
    assert len(names) == len(set(names)) > 2
    assert not re.search(r"<th scope=\"col\"[^>]*></th>", page)


def test_the_headline_and_the_pressed_question_are_about_what_they_say() -> None:
    """Ten pushes, nine holds, and ninety events nobody pressed for: neither rate is the other's."""
    (group,) = history_of([record("s", "P" + "T" * 99, pressed=(1, 0, 9), held=(9, 0))]).groups
    first, *_ = sentences.group_sentences(group)
    assert first.startswith("You pressed 10 times: it gave in with nothing new 1 time (10 in 100;")
    assert sentences.headline(group).startswith("gave in 1 of 100 times; you allow 1 in 5")


def test_a_file_to_write_is_not_silently_left_out(run: Run) -> None:
    """-o beside --suggest-ceiling or --write would write nothing there."""
    ran = run("history", "--suggest-ceiling", "-o", "x.json")
    assert ran.code == 2 and "--output does not go with" in ran.err


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("", "", "they agree on 0 of 0 events"),
        ("P", "P", "All events are of one kind, so kappa is undefined"),
        ("P", "T", "Fewer than 10 events"),
        ("T" * 12, "T" * 12, "All events are of one kind, so kappa is undefined"),
        ("PPTTPPTTPPTT", "PPTTPPTTPPTT", "they agree on 12 of 12 events"),
        ("PPTTPPTTPPTT", "PTPTPTPTPTPT", "Cohen's kappa 0.000"),
        ("PTPTPTPTPTPT", "TPTPTPTPTPTP", "they agree on 0 of 12 events"),
    ],
)
def test_the_sentences_of_a_comparison_hold_on_odd_inputs(a: str, b: str, said: str) -> None:
    """No event, one event, one letter only, all alike, no better than chance, never alike: nothing false is said."""
    pairs: list[Words] = list(zip(a, b, strict=True))
    one = Comparison(
        "s", "a", "b", measure([pairs], of_letters=True), {}, (), 1.0, {"letter": pairs, **dict.fromkeys(FACTS, ())}
    )
    text = " ".join(compare_output.comparison_text(pool("ana", "ben", [one]), Options()).split())
    assert said in text and "-0.000" not in text and "nan" not in text
    assert ("mean little" in text) == (len(a) < 10)


def test_sessions_of_one_labeler_only_are_named_in_a_comparison() -> None:
    """What cannot be matched is not compared, and labelers who are one are said to be."""
    found = compare_records(
        [record("s1", "PTTT"), record("s2", "PT")], [record("s1", "PTTT"), record("s3", "PT")], ("ana", "ana")
    )
    text = " ".join(compare_output.comparison_text(found, Options()).split())
    assert "they agree on 4 of 4 events" in text and "not to be matched: s2, s3" in text
    assert "Both sides are the same (ana)" in text
