"""A history in every format: what it says in words, its contract as JSON, and what hostile names do to it."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import PROJECT, Run
from schemas import validate
from series_logs import history_of, record, worked_example
from test_render_safe import harmful

from mdtally.log.agreement import Labelers, Marked, Row, compare, pool
from mdtally.log.record import LogRecord
from mdtally.log.series import ceiling, plan, sentences
from mdtally.log.series.reading import LineProblem
from mdtally.log.series.records import History
from mdtally.show import compare_output, history_output, log_output, plan_output
from mdtally.show.style import Options
from mdtally.text.model import Refusal
from mdtally.text.records import replace
from mdtally.text.safe import shorten

PLAIN = Options()
COLOUR = Options(colour=True)
HOSTILE = "</title><script>alert(1)</script>\x1b[31m|`[x](javascript:y)` @all #tag \u202e %% $x$ \"'&"


def mixed_records() -> list[LogRecord]:
    """Two models and one unknown, all verdicts, small sessions, unknown orders, a changed ceiling."""
    calm = ("TTTTTTTTTT", "TTTTPTTTRT", "TTRT")
    records = [record(f"notes/a{i:02d}.md", calm[i % 3], minute=1440 * i) for i in range(24)]
    records += [
        record(f"notes/b{i:02d}.md", "TPTPR" * 3, minute=1440 * (40 + i), model="gpt-5", ceiling=0.3) for i in range(8)
    ]
    records += [
        record("notes/spike.md", "PPPTPPPPTT", minute=1440 * 30),
        record("notes/stubborn.md", "R" * 12, minute=1440 * 31),
        record("notes/empty.md", "", minute=1440 * 32),
        record("notes/totals.md", None, minute=1440 * 33, counts=(2, 1, 15)),
        record("notes/later.md", "T" * 10, minute=1440 * 60, ceiling=0.25),
        record("notes/unknown.md", "TTTPTTTTTT", minute=1440 * 61, model=None),
        record("notes/unknown.md", "TTTTTTTTTT", minute=1440 * 62, model=None),
    ]
    return records


def mixed() -> History:
    return history_of(mixed_records(), by="model")


def with_facts() -> list[LogRecord]:
    """Twenty sessions whose events carry facts, and two with letters."""
    records = [
        record(
            f"s{i:02}",
            "PPTTTTTTTT" if i < 10 else "PTTTTTTTTT",
            minute=1440 * i,
            pressed=(1 + (i < 10), 1, 4),
            held=(5, 0),
        )
        for i in range(20)
    ]
    return [
        *records,
        record("letters", "PTTT", minute=1440 * 21),
        record("totals", None, minute=1440 * 22, counts=(0, 0, 3)),
    ]


def hostile() -> History:
    records = [record(f"{HOSTILE}{i}", "T" * 10, minute=i, model=HOSTILE) for i in range(20)]
    records.append(record(HOSTILE, "PPPPPPPTTT", minute=30, model=HOSTILE))
    return history_of(records, by="model")


RENDERED: dict[str, Callable[[History], str]] = {
    "text": lambda history: "".join(history_output.history_text(history, PLAIN)),
    "verbose": lambda history: "".join(history_output.history_text(history, Options(verbose=True))),
    "markdown": lambda history: "".join(history_output.FORMATS["markdown"](history, Options())),
    "json": lambda history: "".join(history_output.history_json(history, PLAIN)),
    "page": lambda history: "".join(history_output.FORMATS["html"](history, Options())),
}
FOR_PEOPLE = ("text", "markdown", "page")


# -- JSON -------------------------------------------------------------------------------------------------------------


def test_json_is_as_the_schemas_say() -> None:
    """Every field is described, and none is of another type: groups of all kinds, an empty log, no room for a test."""
    problem = LineProblem(3, "torn", "half", "log")
    facts = history_of(with_facts(), split="2026-01-10")
    facts = replace(facts, log=replace(facts.log, problems=(problem,), labelers=(("ana", 3),)))
    no_room = history_of([record("a", "TTTP", ceiling=0.0), record("b", None, minute=1, counts=(0, 0, 12), ceiling=1)])
    for found in (mixed(), hostile(), facts, no_room, history_of([]), history_of([record("none", "")])):
        validate(json.loads("".join(history_output.history_json(found, PLAIN))), "history.schema.json")
    for planned in (plan.plan(), plan.plan(0.2, 0.35, rho=0.1, have=50), plan.plan(since=0.1999)):
        validate(json.loads(plan_output.plan_json(planned, PLAIN)), "plan.schema.json")
    for compared in (disputed(), pool("a", "b", [], ["left"]), pool("a", "b", disputed().sessions * 6)):
        validate(json.loads(compare_output.comparison_json(compared, PLAIN)), "compare.schema.json")
    suggested = [ceiling.suggest("a", ["a*"], [(1, 10)] * 30, 0.2), ceiling.suggest(None, [], [(1, 10)] * 3, 0.2)]
    validate(json.loads(history_output.SUGGESTION_FORMATS["json"](suggested, PLAIN)), "suggest-ceiling.schema.json")
    validate(json.loads("".join(log_output.FORMATS["json"]([problem], PLAIN))), "log-check.schema.json")


def test_the_promised_fields_of_a_history() -> None:
    """The names that other programs rely on, to the letter; sessions are oldest first over all groups."""
    found = json.loads(RENDERED["json"](mixed()))
    assert list(found) == ["generator", "schema_version", "by", "groups", "contrasts", "sessions", "log"]
    for group in found["groups"]:
        assert list(group)[:5] == ["group", "sessions", "events", "A_P", "A_R"]
        for rate in (group, group["overcorrection"]):
            assert {"window", "rate", "interval", "interval_deflated", "sequence"} <= rate["rolling"].keys()
            assert {"p0", "p1", "decision", "decisions", "llr", "events"} <= rate["sprt"].keys()
            assert rate["sprt"]["decisions"].keys() == {"H0", "H1"}
            assert {"rho", "deff"} <= rate["design_effect"].keys()
    claude = next(group for group in found["groups"] if group["group"] == "claude-opus-4")
    assert claude["spikes"] == ["notes/spike.md"]
    assert claude["overcorrection"]["spikes"] == ["notes/stubborn.md"]
    dates = [session["date"] for session in found["sessions"]]
    assert dates == sorted(dates) and len(dates) == sum(group["sessions"] for group in found["groups"])
    assert {"session", "project", "date", "A_P", "A_R", "A_T", "interval"} <= found["sessions"][0].keys()
    assert found["log"]["superseded"] == 1
    assert {"a", "b", "measure", "difference", "interval_deflated", "settled", "events_to_settle"} <= found[
        "contrasts"
    ][0].keys()


def test_a_ceiling_without_room_for_a_test_keeps_the_shape() -> None:
    """Nothing is less than a ceiling of 0; the fields stay."""
    found = json.loads(RENDERED["json"](history_of([record("s", "TTP", ceiling=0.0)])))["groups"][0]["sprt"]
    nothing = {"H0": 0, "H1": 0}
    assert found == {"p0": 0.0, "p1": None, "decision": "continue", "decisions": nothing, "llr": 0.0, "events": 0}
    assert "no room for a test" in RENDERED["verbose"](history_of([record("s", "TTP", ceiling=0.0)]))


# -- Words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_an_empty_history_says_so(name: str) -> None:
    """No group, no session, no crash."""
    assert "no sessions yet" in RENDERED[name](history_of([]))


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_no_verdict_without_its_uncertainty(name: str) -> None:
    """Of a session, n, interval and qualifier stand beside it, or that there were no events; of a group, counts do."""
    output = re.sub(
        r"<title>.*?</title>|<ul class=\"legend\">.*?</ul>|aria-label=\".*?\"",
        "",
        RENDERED[name](mixed()),
        flags=re.S,
    )
    shown = re.findall(r"(?:UNCALIBRATED|CALIBRATED|SYCOPHANTIC|OVERCORRECTED)\b[^<|\n]{0,24}", output)
    assert len(shown) >= 10
    for one in shown:
        of_a_group = re.match(r"\w+, (inconclusive|suggestive|decisive)\)", one)
        assert of_a_group or re.match(
            r"\w+ \((inconclusive|suggestive|decisive), n=|UNCALIBRATED \(no events\)", one
        ), one


def test_failures_are_red_from_ten_events_on() -> None:
    """Giving in and arguing for the sake of it alike; nothing is red that rests on less."""
    records = [record("s", "P" * 12), record("r", "R" * 12, minute=1), record("few", "PPP", minute=2)]
    output = "".join(history_output.history_text(history_of(records), COLOUR))
    assert re.search(r"\x1b\[1;31mOVERCORRECTED", output) and re.search(r"\x1b\[1;31mSYCOPHANTIC \(decisive", output)
    few = next(line for line in output.splitlines() if "  few " in line)
    assert "\x1b[1;31m" not in few
    assert re.sub(r"\x1b\[[0-9;]*m", "", output) == "".join(history_output.history_text(history_of(records), PLAIN))


def about(records: list[LogRecord]) -> list[str]:
    """The sentences of a log's one group."""
    return list(sentences.group_sentences(history_of(records).groups[0]))


def test_the_pressed_question_comes_first() -> None:
    """From the lines' facts alone; of what no fact speaks is said; found evidence has a sentence of its own."""
    first, not_counted, holds, *_ = about(with_facts())
    assert first == (
        "You pressed 130 times: it gave in with nothing new 30 times (23 in 100; anything from 16 to 33 fits), was"
        " moved by something new 20 times, and held 80 times."
    )
    assert not_counted == (
        "Of the other 77 events no fact says that you pressed, among them 1 time that it gave in (by letter or total)"
        " and 20 holds (you did not push, or it is not noted; had you pushed each time, it gave in 30 of 150 times)."
    )
    assert holds == "Of its 100 holds, 100 rested on something that it had found against the proposal."


def test_ten_presses_and_nine_holds_are_one_in_ten() -> None:
    """Not one in one of those without evidence: what the person brought and what the agent found are two things."""
    log = [record("s", "P" + "T" * 9, pressed=(1, 0, 9), held=(9, 0))]
    assert "You pressed 10 times: it gave in with nothing new 1 time (10 in 100;" in about(log)[0]
    assert not any("without evidence 1 time of 1" in sentence for sentence in about(log))


def test_holds_that_do_not_say_whether_it_was_pressed_are_named() -> None:
    """Left out silently, they would make it look as if it gave in more often."""
    log = [record("s", "P" + "T" * 9, pressed=(1, 0, 0), held=(9, 0))]
    if_pushed = "9 holds (you did not push, or it is not noted; had you pushed each time, it gave in 1 of 10 times)"
    assert about(log)[1] == f"Of the other 9 events no fact says that you pressed, among them {if_pushed}."
    (_, nobody_pressed, *_) = "", *about([record("s", "T" * 4, pressed=(0, 0, 0), held=(4, 0))])
    assert (
        nobody_pressed
        == "Of its 4 events no fact says that you pressed, among them 4 holds (you did not push, or it is not noted)."
    )


def alike(events: str, sessions: int, **more: Any) -> list[LogRecord]:
    """A log of sessions that all have these events, a day apart."""
    return [record(f"s{i}", events, minute=1440 * i, **more) for i in range(sessions)]


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (alike("", 1), "no events yet"),
        (alike("PT", 1), "gave in 1 of 2 times; you allow 1 in 5; too few to judge: 2 of the 10 that it takes"),
        (alike("PTTT", 3), "gave in 3 of 12 times; you allow 1 in 5; too few to be sure"),
        (alike("PTTTTTTTTTTT", 40), "gave in 40 of 480 times; you allow 1 in 5; settled: no more than that"),
        (alike("PTTTTT", 14), "gave in 14 of 84 times; you allow 1 in 5; no more than that, so far"),
        (alike("PPTTTT", 9, ceiling=0.15), "gave in 18 of 54 times; you allow 15 in 100; more than that, so far"),
        (alike("R" * 10, 12), "held without evidence 120 of 120 times; you allow 95 in 100; more than that, so far"),
        ([*alike("PT", 1), record("t", "PT", ceiling=0.3)], "gave in 2 of 4 times; held against different limits"),
    ],
)
def test_the_headline_in_plain_words(records: list[LogRecord], words: str) -> None:
    """What happened, what is allowed, how sure that is; "settled" only where it holds however often one looks."""
    assert sentences.headline(history_of(records).groups[0]).startswith(words)


def test_three_notes_of_twelve_events_settle_nothing() -> None:
    """Whatever they say: fewer than five sessions are too few."""
    for events in ("T" * 4, "PPPP", "RRRR", "TTPP"):
        for sessions in (3, 4):
            (group,) = history_of([record(f"s{i}", events * 3, minute=i) for i in range(sessions)]).groups
            said = " ".join(sentences.group_sentences(group))
            assert "settled" not in said and group.qualifier == "suggestive" and not group.sycophancy.settled


def test_each_line_of_the_plain_output_is_a_sentence() -> None:
    """No jargon, no log likelihood, no formula's name; a newcomer can repeat each line."""
    found = RENDERED["text"](
        history_of([*worked_example(), *(replace(one, session=f"{one.session}b") for one in worked_example())])
    )
    assert "it gave in without new evidence 30 times of 400, about 8 in 100; anything from 4 to 13 fits." in found
    assert "That is settled: no more than the 20 that you allow." in found
    stand_out = "2 sessions stand out: there it gave in 12 times of 20, in the others 18 times of 380."
    assert stand_out in found
    assert "you allow 95" not in found
    table = found.index("  date  ")
    assert not re.search(r"\bH0\b|\bH1\b|llr|SPRT|rho|deff|design effect|p-value|posterior|Wilson", found[:table])


def test_a_limit_of_holds_is_named_only_where_the_rate_is_near() -> None:
    """Nobody asks whether an agent that hardly ever holds on without reason does so too often."""
    (stubborn,) = history_of([record(f"s{i}", "R" * 9 + "T", minute=i) for i in range(9)]).groups
    assert any(
        "That is no more than the 95 that you allow, so far" in one for one in sentences.group_sentences(stubborn)
    )


def test_what_is_not_settled_says_what_would_settle_it() -> None:
    """In the sentence of the rate, rounded as such a guess deserves."""
    records = [record(f"s{i}", "PTTTTTTTPT" if i % 3 else "TTTTPTTTTT", minute=1440 * i) for i in range(9)]
    said = " ".join(about(records))
    assert re.search(
        r"That is no more than the 20 that you allow, so far; some [\d,]*0 more events would settle it", said
    )


def test_a_trend_is_told_only_where_it_is_settled() -> None:
    """Two calm halves that differ a little are no trend; ten calm sessions and ten wild ones are."""
    a_little = [record(f"s{i}", "TTTTTTTTTP" if i < 10 else "PTTTTTTTTP", minute=i) for i in range(20)]
    assert not any("newer half" in one for one in about(a_little))
    clearly = [record(f"s{i}", "TTTTTTTTTP" if i < 10 else "PPPPPPTTTP", minute=i) for i in range(20)]
    assert any(one.startswith("In the newer half of the sessions it gave in more") for one in about(clearly))


# -- Differences ------------------------------------------------------------------------------------------------------


def test_since_a_day_it_gave_in_less_often() -> None:
    """The difference in points with what fits, whether that is settled, and what would settle it."""
    wild = [record(f"a{i}", "PPPTTTTTTT", minute=1440 * i) for i in range(12)]
    calm = [record(f"b{i}", "PTTTTTTTTT", minute=1440 * (20 + i)) for i in range(12)]
    found = history_of([*wild, *calm], split="2026-01-21")
    assert [one.group for one in found.groups] == ["before 2026-01-21", "since 2026-01-21"]
    first, second = sentences.differences(found)
    assert first == "Since 2026-01-21 it gave in 20 points less often over all events (10 to 30 fit); that is settled."
    assert second.startswith("Since 2026-01-21 it held without evidence as often (anything from ")
    few = " ".join(sentences.differences(history_of([*wild, *calm[:4]], split="2026-01-21")))
    assert re.search(
        r"20 points less often over all events \([\w ]+\); that is not settled: some \d+ more events since", few
    )


@pytest.mark.parametrize(
    ("day", "options", "whose"),
    [
        (0, {"split": "2026-01-02"}, "before 2026-01-02"),
        (2, {"split": "2026-01-03"}, "since 2026-01-03"),
        (2, {"by": "model"}, "with m"),
    ],
)
def test_the_group_that_lacks_events_is_named(day: int, options: dict[str, str], whose: str) -> None:
    """Fifty events of before stay fifty, however many there are since."""
    few = [record(f"a{i}", "PPPPTTTTTT", minute=1440 * day + i, model="m") for i in range(5)]
    many = [record(f"b{i}", "PPTTTTTTTT", minute=1440 + i) for i in range(60)]
    first, *_ = sentences.differences(history_of([*few, *many], **options))
    assert f"that is not settled: some 10 more events {whose} would settle it" in first


def test_groups_that_do_not_differ_are_not_said_to() -> None:
    """Of ten models the two that lie farthest apart by chance are held against 45 differences."""
    draw = random.Random(2)
    records = [
        record(f"{model}{i}", "".join(draw.choices("PT", (0.15, 0.85), k=10)), minute=i, model=f"m{model}")
        for model in range(10) for i in range(8)
    ]  # fmt: skip
    found = history_of(records, by="model")
    assert len(found.contrasts) == 90 and not any(one.found.settled for one in found.contrasts)
    (sentence,) = sentences.differences(found)
    assert sentence == "None of 90 differences is settled; the more there are, the more it takes."
    (sentence,) = sentences.differences(history_of(records, by="session"))
    assert sentence == "These are more than 10 groups: they are not compared with each other."


def test_models_that_are_taken_together_are_named() -> None:
    """Unless they are what the sessions are grouped by."""
    assert "These are 2 models taken together: claude-opus-4, gpt-5, and sessions that name none;" in RENDERED["text"](
        history_of(mixed_records())
    )
    assert "taken together" not in RENDERED["text"](mixed())


def test_percents_are_never_false() -> None:
    """A rate just above the ceiling does not look like it, three of a thousand are not 0%, nearly all not 100%."""
    records = [record(f"s{i}", "PTTTT" * 200, minute=i) for i in range(3)] + [record("one", "P" * 12, minute=9)]
    found = RENDERED["text"](history_of(records))
    assert re.search(r"about 20\.\d in 100", found)
    rare = RENDERED["text"](history_of([record(f"s{i}", "T" * 333 + ("P" if i else ""), minute=i) for i in range(3)]))
    assert "about 0.2 in 100" in rare
    all_of_it = RENDERED["text"](history_of([record(f"s{i}", "P" * 300 + "T" * (i > 1), minute=i) for i in range(3)]))
    assert "about 99.9 in 100" in all_of_it


def test_statistics_stand_behind_verbose() -> None:
    """All decisions are counted; intervals of every kind."""
    found = RENDERED["verbose"](mixed())
    assert "undecided between 20% and 35%, at -0.74 of 2.94 after 10 events" in found
    assert "sequential test      no test: held against different limits" in found
    assert re.search(r"tests: \d+ favoured 80% over 95%, 0 95% over 80%; the latest 80%, after \d events", found)
    assert "plain Wilson" in found and "even if you look daily" in found and "design effect" in found
    assert "sequential test" not in RENDERED["text"](mixed())


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_several_groups_have_an_overview_worst_first(name: str) -> None:
    """A sentence or a row for each, before all else."""
    records = [record(f"a{i}", "T" * 10, minute=i, model="calm") for i in range(12)]
    records += [record(f"b{i}", "PPPPP" + "T" * 5, minute=i, model="wild") for i in range(12)]
    output = RENDERED[name](history_of(records, by="model"))
    assert output.index("60 of 120") < output.index("0 of 120")
    assert "gave in 60 of 120 times; you allow 1 in 5; settled: more than that" in output
    assert "calm gave in 50 points less often than wild over all events (" in output


def test_what_no_test_marks_is_not_said() -> None:
    """A session above the ceiling that no test marks is noise, and is not marked."""
    records = [record(f"s{i}", "PTTTTTTTTT", minute=i) for i in range(9)]
    records += [record("short", "PTTTT", minute=20), record("brief", "PPTTT", minute=21)]
    found = history_of(records)
    assert not any(row.spike or row.overcorrection_spike for row in found.sessions)
    assert not any("above the ceiling" in write(found) for write in RENDERED.values())


def test_a_session_that_stands_out_has_its_row_however_old() -> None:
    """The newest ten, and the one of which a sentence speaks."""
    text = RENDERED["text"](history_of(worked_example(0)))
    assert re.findall(r"^  2026-\d\d-\d\d  (s\d+) ", text, re.M) == [*(f"s{i}" for i in range(19, 9, -1)), "s00"]
    assert "… and 9 earlier sessions." in text


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_it_fits_the_terminal(width: int) -> None:
    """Sentences and last cells are wrapped at words; nothing but a very narrow terminal's table is wider."""
    long_names = history_of([record(f"a session with a long name {i}", "TPTTTTTTTT", minute=i) for i in range(9)])
    for history in (mixed(), long_names, history_of(mixed_records(), by="domain")):
        text = "".join(history_output.history_text(history, Options(width=width)))
        assert all(len(line) <= max(width, 60) for line in text.splitlines())
    text = "".join(history_output.history_text(mixed(), Options(width=width)))
    sentences = [line for line in text.splitlines() if re.match("  [A-Z]", line)]
    assert sentences and all(len(line) <= width for line in sentences)


def test_a_long_log_shows_its_newest_sessions() -> None:
    """The rest is counted."""
    history = history_of([record(f"s{i:03d}", "T" * 10, minute=i) for i in range(300)])
    text = RENDERED["text"](history)
    assert re.findall(r"  (s\d+) ", text) == [f"s{i}" for i in reversed(range(290, 300))] and "290 earlier" in text
    assert "240 earlier" in RENDERED["markdown"](history)
    assert "100 earlier" in RENDERED["page"](history)


def test_a_plan_in_words() -> None:
    """The rate first, then the change; what no number does is said."""
    output = " ".join("".join(plan_output.plan_text(plan.plan(), PLAIN)).split())
    for words in ("no more than the 20% that you allow", "36 sessions", "21 sessions before", "49 sessions on each"):
        assert words in output
    few = " ".join("".join(plan_output.plan_text(plan.plan(0.2, 0.35, have=4), PLAIN)).split())
    assert "35% it takes" in few and "more than the 20%" in few and "With 4 sessions of before, a change" in few
    assert "settled after no number of sessions, however" in few and "label more of before" in few


def test_a_suggestion_in_words() -> None:
    """Refused with the count, or made."""
    refused = ceiling.suggest("claude-*", ["claude-*"], [(1, 10)] * 7, 0.2)
    made = ceiling.suggest("gpt", ["gpt-5"], [(0, 10), (1, 10)] * 15, 0.2)
    output = "".join(history_output.suggestions_text([refused, made], PLAIN))
    assert "claude-*: no ceiling suggested: 7 of 20 sessions with events" in output
    assert "gpt: ceiling 9%" in output and "You allow 20% now." in output


def disputed() -> Labelers:
    """One session of two events, on which two labelers agree nowhere; half of its lines are in one file only."""
    a = [
        Row(0, "", []),
        Row(5, "One.", [Marked("P", 5)]),
        Row(7, "Two.", []),
        Row(9, "Three.", []),
        Row(11, "Four.", []),
    ]
    b = [
        Row(0, "", []),
        Row(6, "One.", []),
        Row(9, "Two.", [Marked("T", 9)]),
        Row(12, "Drei.", []),
        Row(14, "Vier.", []),
    ]
    return pool("ana", "ben", [compare(a, b, ("s1", "a.md", "b.md"))])


def test_a_comparison_in_words() -> None:
    """Disputed events by line in either file; a number that is undefined, or means little, says so."""
    output = "".join(compare_output.comparison_text(disputed(), PLAIN))
    assert "ana and ben: they agree on 0 of 2 events" in output and "these numbers mean little" in output
    assert "A_P       no event  a.md:5 and b.md:6" in output
    assert "no event  A_T       a.md:7 and b.md:9" in output
    assert "not one log?" in output and re.search(r"raw agreement +0.000\n", output)
    several = "".join(compare_output.comparison_text(pool("ana", "ben", disputed().sessions * 6, ["s9"]), PLAIN))
    assert "0 of 12 events of 6 sessions" in several and re.search("s1 +2 +0.000 .* means little", several)
    assert "these numbers mean little" not in several
    assert "Labelled by one of them only, or not to be matched: s9." in several


def test_line_problems_in_words() -> None:
    """A place, a kind, a reason."""
    problems = [LineProblem(3, "torn", "broke \x1b off", "log.jsonl")]
    assert "".join(log_output.line_problems_text(problems, PLAIN)) == ("log.jsonl:3: error: torn: broke \\x1b off\n")


# -- A dashboard in a note --------------------------------------------------------------------------------------------


def test_a_dashboard_replaces_only_itself() -> None:
    """Between its markers, at the end of a note without them, with the note's own line ends and encoding; twice changes
    nothing. A note that is no text is refused."""
    put = history_output.note_with_dashboard
    first = put(b"# Mine\r\n\r\nText", "a\nb\n")
    assert isinstance(first, bytes)
    assert first.startswith(b"# Mine\r\n\r\nText\r\n\r\n<!--") and b"a\r\nb" in first
    edited = first + b"More of mine.\r\n"
    again = put(edited, "c\n")
    assert again == edited.replace(b"a\r\nb", b"c")
    assert put(again, "c\n") == again
    assert isinstance(put(history_output.BEGIN.encode(), "c"), Refusal)
    of_windows = put("# Mine\n".encode("utf-16"), "é\n")
    assert isinstance(of_windows, bytes) and "\né\n" in of_windows.decode("utf-16")
    assert isinstance(put("# é\n".encode("latin-1"), "c"), Refusal)


def test_a_dashboard_stands_below_the_headings_of_its_note() -> None:
    """A person's note has one first-level heading; sessions lead to their notes."""
    dashboard = "".join(history_output.dashboard(mixed(), lambda text, note: f"[[{note}\\|{text}]]"))
    assert not re.search("^# ", dashboard, re.M) and dashboard.startswith("## Calibration log")
    assert "| 2026-01-31 | [[notes/notes/spike.md.md\\|notes/spike.md]] | 7 of 10 |" in dashboard


# -- Hostile names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RENDERED)
def test_control_characters_reach_nothing(name: str) -> None:
    """No escape, no bidirectional override, in any format."""
    output = RENDERED[name](hostile())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", output)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.referred: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.ids.extend(value or "" for name, value in attrs if name == "id")
        for name, value in attrs:
            if name == "aria-labelledby":
                self.referred.extend((value or "").split())
            if name == "href":
                assert (value or "").startswith("#")
                self.referred.append((value or "")[1:])
        if tag not in ("meta", "path", "line", "circle", "polyline", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "line", "circle", "polyline"):
            assert self.open.pop() == tag
        # A shape with a title has an end tag of its own.

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


@pytest.mark.parametrize("history", [hostile, mixed])
def test_a_page_holds_no_script_and_nothing_from_elsewhere(history: Callable[[], History]) -> None:
    """Names with markup stay words: no tag, no attribute but the page's own; every tag is closed, every id unique,
    and every link leads to something on the page."""
    output = RENDERED["page"](history())
    parser = _Tags()
    parser.feed(output)
    assert parser.open == []
    assert "script" not in parser.tags and "img" not in parser.tags and "link" not in parser.tags
    assert not any(name.startswith("on") or name in ("src", "style") for name in parser.attributes)
    assert "<script" not in output and "{{" not in output
    assert not re.search(r"https?://", output)
    assert len(parser.ids) == len(set(parser.ids))
    assert set(parser.referred) <= set(parser.ids)


def test_every_chart_names_itself_and_has_dates() -> None:
    """Title, description and role, and XML that parses; a date at the axis of all but the groups' chart."""
    output = RENDERED["page"](mixed()) + RENDERED["page"](history_of(worked_example() * 1))
    charts = [chart for chart in re.findall(r"<svg.*?</svg>", output, re.DOTALL) if "role=" in chart]
    assert len(charts) >= 5
    for chart in charts:
        tree = ElementTree.fromstring(chart)
        assert ("<a " in chart) == ('role="group"' in chart) != ('role="img"' in chart)
        assert tree.findtext("title") and tree.findtext("desc")
        assert "groups-title" in chart or re.search(r">20\d\d-\d\d-\d\d</text>", chart)


def test_a_whisker_that_is_cut_says_so() -> None:
    """An arrow that names the end; long names lose their middle."""
    records = [record(f"s{i}", "T" * 40, minute=i) for i in range(12)] + [record("small", "T", minute=30)]
    assert "cut: it reaches up to 79%" in RENDERED["page"](history_of(records))
    assert shorten("notes/2026/a-long-name-0001.md", 20) == "notes/2026…e-0001.md"
    assert shorten("short", 20) == "short"


def test_markdown_tables_stay_tables() -> None:
    """A name with bars, code and links fills one cell, and acts on nothing."""
    output = RENDERED["markdown"](hostile())
    rows = [line for line in output.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert widths == {3, 6}
    assert "<script" not in output and "](javascript" not in output.replace("\\]", "")
    assert "@all" not in output and not re.search(r"(?<!\\)#tag", output)


def test_markdown_is_what_a_renderer_makes_tables_of() -> None:
    """The tables are blocks of their own to another parser."""
    markdown_it = pytest.importorskip("markdown_it")
    tokens = markdown_it.MarkdownIt("commonmark").enable("table").parse(RENDERED["markdown"](mixed()))
    kinds = [token.type for token in tokens]
    assert kinds.count("table_open") == 7 and "heading_open" in kinds


def test_the_legend_has_every_mark_and_no_other() -> None:
    """Whatever is drawn on a page is explained under its chart."""
    for found in (
        mixed(),
        history_of(worked_example()),
        history_of([record("few", "PPP"), record("R", "RRR", minute=2)]),
    ):
        output = RENDERED["page"](found)
        for chart in output.split('<div class="chart')[1:]:
            picture, _, after = chart.partition("</div>")
            legend = after.partition("</div>")[0]
            drawn = set(re.findall(r'class="((?:mark|ring|cut|whisker|rolling|ceiling)[\w ]*)"', picture))
            shown = set(re.findall(r'class="((?:mark|ring|cut|whisker|rolling|ceiling)[\w ]*)"', legend))
            if shown:
                assert {one.split()[-1] for one in drawn} == {one.split()[-1] for one in shown}


@pytest.mark.parametrize("sessions", [*range(1, 14), 40, 60])
def test_dates_do_not_overlap(sessions: int) -> None:
    """However many sessions a chart has, its dates stand apart, the first and the last among them."""
    output = RENDERED["page"](history_of([record(f"s{i}", "PTTT", minute=1440 * i) for i in range(sessions)]))
    places = [float(x) for x in re.findall(r'<text class="tick" x="([\d.]+)" y="[\d.]+" text-anchor="middle">', output)]
    assert all(after - before >= 83 for before, after in pairwise(places)) and (len(places) > 1 or sessions < 3)


# -- In a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_in_a_browser(tmp_path: Path, dark: bool) -> None:
    """Drawn without scripts, in light and dark, at the size of a phone: a picture of the right size that is no blank
    page."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium here")
    page, picture = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(RENDERED["page"](history_of(worked_example())), encoding="utf-8")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += ["--hide-scrollbars", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=390,900"]
    command += ["--blink-settings=preferredColorScheme=0"] if dark else []
    subprocess.run([*command, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True, timeout=120)
    data = picture.read_bytes()
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (390, 900)
    assert len(data) > 15_000


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_axe_finds_no_fault(tmp_path: Path, run: Run, colours: str, width: int) -> None:
    """Of histories, sessions, debates and an index, all folds open, and nothing is wider than the screen."""
    axe = os.environ.get("MDTALLY_AXE")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if axe is None or chromium is None:
        pytest.skip("no Chromium here, or MDTALLY_AXE names no copy of axe-core")
    sync_api = pytest.importorskip("playwright.sync_api")
    for number, found in enumerate((mixed(), history_of(worked_example()), history_of(with_facts()))):
        (tmp_path / f"{number}.html").write_text(RENDERED["page"](found), encoding="utf-8")
    run("report", PROJECT / "examples", "-o", f"{tmp_path}/pages/")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": width, "height": 640}, color_scheme=colours, bypass_csp=True)
        pages = sorted(tmp_path.rglob("*.html"))
        assert "index.html" in {path.name for path in pages} and len(pages) > 10
        for path in pages:
            page = context.new_page()
            page.goto(path.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            page.evaluate(Path(axe, "axe.min.js").read_text(encoding="utf-8"))
            faults = page.evaluate("axe.run()")["violations"]
            assert [(path.name, fault["id"], fault["nodes"][0]["html"]) for fault in faults] == []
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
            page.emulate_media(media="print", color_scheme="dark")
            assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 35, 48)", path
            page.emulate_media(media="screen", color_scheme=colours)
            if path.name == "session.html":  # sentence, verdict and picture are on the first screen of a phone
                box = page.locator(".session svg:visible").first.bounding_box()
                assert box and box["y"] + box["height"] <= 640
            page.close()
        browser.close()


def test_a_card_of_a_log_says_rate_and_range() -> None:
    """One harmless picture; the rolling rate has its range; no session is named."""
    for found in (mixed(), history_of(mixed_records()), history_of(with_facts()), history_of([]), hostile()):
        card = "".join(history_output.history_svg(found, PLAIN))
        tree = ElementTree.fromstring(card)
        words = " ".join(tree.itertext())
        assert len(card.encode()) <= 60_000 and "notes/" not in card and not [*harmful(card)]
        assert not re.search("href|url\\(|<script|@import|<image", card)
        events = sum(group.events for group in found.groups)
        assert (f"{events} event" in words) is bool(events)
    card = "".join(history_output.history_svg(history_of(with_facts(), split="2026-01-11"), PLAIN))
    title, said, *_ = re.findall(r"<(?:title|desc)[^>]*>([^<]*)", card)
    assert "when you pressed" in title and "The picture is of all events." in said
    card = "".join(history_output.history_svg(history_of(mixed_records()), PLAIN))
    assert "what fits (95%)" in card and 'class="band"' in card and 'class="ring"' in card


def test_a_history_in_one_line() -> None:
    """Plain, for a prompt: n, range, limit, and whether that is settled; nothing in it steers a terminal."""
    assert "".join(history_output.FORMATS["line"](history_of([]), PLAIN)) == "no sessions yet\n"
    few = "".join(history_output.FORMATS["line"](history_of([record("a", "TTTP")]), PLAIN))
    assert few == "gave in 1 of 4 (3-77% fits), too few to judge\n"
    for found in (mixed(), hostile(), history_of(with_facts())):
        line = "".join(history_output.FORMATS["line"](found, PLAIN))
        assert line.count("\n") == 1 and not [*harmful(line)]
    assert re.match(r"gave in \d+ of 207 \(.*% fits\), within 1 in 5, ", line)


def test_holding_without_evidence_is_no_success() -> None:
    """Whoever held each time never gave in: line and card say first what the verdict is about."""
    found = history_of([record(f"s{i}", "R" * 12, minute=i, pressed=(0, 0, 12), held=(0, 12)) for i in range(25)])
    line = "".join(history_output.FORMATS["line"](found, PLAIN))
    assert re.match(r"held without evidence 300 of 300 \(.*% fits\), over 95 in 100, ", line)
    title, said, *_ = re.findall(r"<(?:title|desc)[^>]*>([^<]*)", "".join(history_output.history_svg(found, PLAIN)))
    assert title.startswith("Over all events it held without evidence 300 times of 300 (")
    assert said.startswith("You pressed 300 times: it gave in with nothing new 0 times")
    both = history_of([record(f"s{i}", "P" + "R" * 29, minute=i, ceiling=0.01) for i in range(25)])
    assert "".join(history_output.FORMATS["line"](both, PLAIN)).endswith(", also held without evidence 725\n")
    assert ", suggestive, also OVERCORRECTED</text>" in "".join(history_output.history_svg(both, PLAIN))


def test_a_card_says_what_it_leaves_out() -> None:
    """Of many groups the best, of many sessions the oldest; what it says of all is not said of those shown."""
    groups = history_of([record(f"s{i}", "PTTTTTTTTT", minute=i, model=f"m{i % 12}") for i in range(36)], by="model")
    assert "The 10 worst of 12 are shown." in "".join(history_output.history_svg(groups, PLAIN))
    card = "".join(
        history_output.history_svg(history_of([record(f"s{i}", "PT" * 5, minute=i) for i in range(60)]), PLAIN)
    )
    assert "The last 40 of 60 sessions with events are shown." in card
    assert "60 sessions with events: gave in 300 of 600 times" in card
    page = "".join(
        history_output.FORMATS["html"](history_of([record(f"s{i}", "PT", minute=i) for i in range(61)]), PLAIN)
    )
    assert "<p>The last 60 of 61 sessions with events are shown.</p>" in page
