"""A change over time: both sides can grow, the mix of models is held fixed, and what is unlabelled is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run
from series_logs import as_lines, record

from mdtally.text.records import replace

LOG = Path("state/calibration-log.jsonl")


@pytest.fixture
def mixed(run: Run) -> Run:
    """Two models that both give in less since a day, after which the worse one is used more: over all it is worse."""
    records = []
    for number in range(40):
        is_since = number >= 20
        model = "b" if (number % 4 == 0) != is_since else "a"
        gave_in = (7 if model == "b" else 2) - is_since
        records.append(record(f"s{number}", "P" * gave_in + "T" * (10 - gave_in), minute=1440 * number, model=model))
    LOG.parent.mkdir()
    LOG.write_bytes(b"".join(as_lines(records)))
    return run


def test_a_mix_that_changed_is_told_first(mixed: Run) -> None:
    """Within each model less, over all more: that is the first sentence."""
    out = " ".join(mixed("history", "--split", "2026-01-21", "--by", "model").out.split())
    assert "gave in less often over all events within the groups; over all more, because the mix changed" in out
    assert out.index("because the mix changed") < out.index("points more often over all events")
    assert "within a, it gave in 10 points less often" in out and "within b, it gave in 10 points less often" in out
    fixed = out.index("with the mix held fixed, it gave in 10 points less often")
    assert out.index("because the mix changed") < fixed < out.index("within a, it gave in")
    assert "models taken together" not in out
    assert "models taken together" in mixed("history", "--split", "2026-01-21", "--by", "project").out


def test_chance_is_not_put_down_to_the_mix(run: Run) -> None:
    """Opposite signs of two differences that both may be none claim nothing."""
    gave_in = {("a", False): (2, 15), ("a", True): (2, 5), ("b", False): (3, 5), ("b", True): (3, 15)}
    records = [
        record(
            f"{model}{is_since}{i}",
            "P" * (often - (is_since and i == 0)) + "T" * 7,
            minute=1440 * (i + 20 * is_since),
            model=model,
        )
        for (model, is_since), (often, sessions) in gave_in.items()
        for i in range(sessions)
    ]
    LOG.parent.mkdir()
    LOG.write_bytes(b"".join(as_lines(records)))
    out = " ".join(run("history", "--split", "2026-01-21", "--by", "model").out.split())
    said = "gave in less often over all events within the groups; over all more; either may be chance, so neither is"
    assert said in out and "because the mix changed" not in out


def test_the_mix_settles_nothing_that_takes_more_events(run: Run) -> None:
    """Ten events' worth on either side, over all groups together: nine sessions of one event each are not."""
    sessions = [record(f"s{i}", "P" if i < 9 else "T", minute=1440 * i) for i in range(18)]
    LOG.parent.mkdir()
    LOG.write_bytes(b"".join(as_lines(sessions)))
    ran = run("history", "--split", "2026-01-10", "--by", "model", "--output-format", "json")
    contrasts = [one for one in json.loads(ran.out)["contrasts"] if one["measure"] == "sycophancy"]
    assert {one["within"] for one in contrasts} == {None, "claude-opus-4", "standardised"}
    assert not any(one["settled"] for one in contrasts)


def test_the_json_has_each_difference(mixed: Run) -> None:
    """Over all, in each model, and standardised."""
    out = mixed("history", "--split", "2026-01-21", "--by", "model", "--output-format", "json").out
    found = [one for one in json.loads(out)["contrasts"] if one["measure"] == "sycophancy"]
    assert {one["within"]: round(one["difference"], 2) > 0 for one in found} == {
        None: True, "a": False, "b": False, "standardised": False
    }  # fmt: skip


def test_a_group_on_one_side_only_is_named_and_left_out(mixed: Run) -> None:
    """Nothing is made up for it."""
    LOG.write_bytes(LOG.read_bytes() + as_lines([record("x", "TTTT", minute=1440 * 39, model="c")])[0])
    out = mixed("history", "--split", "2026-01-21", "--by", "model").out
    assert "Left out, with events on one side only: c." in out


def test_where_narrows_any_view(mixed: Run) -> None:
    """To lines that say so, or that say nothing; a key that lines do not have, a value that none has, or a glob that
    means nothing, is wrong usage."""
    only = json.loads(mixed("history", "--where", "model=b", "--output-format", "json").out)["groups"]
    assert [group["sessions"] for group in only] == [20]
    assert mixed("history", "--where", "modle=b").code == 2 and mixed("history", "--where", "model").code == 2
    none = mixed("history", "--where", "model=zz")
    assert none.code == 2 and "no session has model=zz; there are " in none.err and "b (20)" in none.err
    unnamed = json.loads(mixed("history", "--where", "domain=", "--output-format", "json").out)
    assert len(unnamed["sessions"]) == 40
    for command in ("history", "survey"):
        assert "error: --where model=[: a [ is never closed" in mixed(command, "--where", "model=[").err


def test_notes_from_before_without_tags_are_named(mixed: Run) -> None:
    """Both sides of a split can grow: what lies unlabelled is counted, with the survey to type, and what is begun."""
    Path("sessions").mkdir()
    for day in ("2026-01-02", "2026-01-03", "2026-02-20"):
        head = f"kind: session\nsession: {day}"
        Path(f"sessions/{day}-a.md").write_text(f"---\n{head}\n---\n**Me:** a\n\n**Agent:** b\n")
    named = Path("sessions/2026-01-03-a.md")
    named.write_text("\ufeff" + named.read_text().replace("session: 2026-01-03", "date: 2026-01-03"))
    named.rename("sessions/named.md")
    out = " ".join(mixed("history", "--split", "2026-01-21").out.split())
    assert "2 notes from before 2026-01-21 without tags" in out
    assert "mdtally survey sessions --split 2026-01-21" in out
    assert "3 recorded sessions not reviewed yet; " in mixed("history").out
    named = Path("sessions/named.md")
    named.write_text(f"{named.read_text()} `[hold evidence=none]` is a tag.\n")
    assert "3 recorded sessions not reviewed yet; " in mixed("history").out
    named.write_text(f"{named.read_text()} [hold evidence=none]\n")
    assert "3 recorded sessions not reviewed yet, 1 of them begun; " in mixed("history").out
    out = mixed("history", "--split", "2026-01-21").out
    assert "1 note from before 2026-01-21 without tags" in " ".join(out.split())
    survey = {
        "survey": "s",
        "look": 1,
        "sessions": [],
        "id": "0",
        "schema": 1,
        "sentence": "6 of 9",
        "split": "2026-01-21",
    }
    LOG.with_name("surveys.jsonl").write_text(json.dumps({**survey, "compared": "Since it gave in less."}) + "\n")
    out = mixed("history", "--split", "2026-01-21").out
    assert "(s): 6 of 9. Since it gave in less.\n" in out and "survey them" not in out
    assert "survey them" in mixed("history", "--split", "2026-01-22").out


def test_a_table_of_short_sessions_is_a_line_each(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the counts "too few to judge" says it all; a recording is called as its note, and by its id if two are."""
    monkeypatch.setenv("COLUMNS", "80")
    name = "0ccf1a04-1b4c-43b6-8aa5-79e41db43a68"
    LOG.parent.mkdir()
    LOG.write_bytes(b"".join(as_lines([replace(record(name, "PTT"), source="sessions/why-is-it-slow.md")])))
    assert run("history").out.split("\n")[-2].split()[1:] == "why-is-it-slow 1 of 3 0 too few to judge".split()
    names = [name, name.replace("0", "1")]
    LOG.write_bytes(b"".join(as_lines([replace(record(one, "PTT"), source=f"{one}/chat.md") for one in names])))
    rows = run("history").out.split("\n")[-3:-1]
    assert sorted(row.split()[2] for row in rows if " chat " in row) == ["0ccf1a04", "1ccf1a14"]


def test_a_window_is_deflated_by_its_own_sessions(run: Run) -> None:
    """One long session long ago does not widen the range of the last twenty."""
    short = [record(f"s{i}", "PTTTT" if i % 2 else "TTTTP", minute=1440 * (i + 1)) for i in range(30)]
    LOG.parent.mkdir()
    widths = []
    for lines in (short, [record("long", "PT" * 100), *short]):
        LOG.write_bytes(b"".join(as_lines(lines)))
        rolling = json.loads(run("history", "--output-format", "json").out)["groups"][0]["rolling"]
        widths.append(rolling["interval_deflated"][1] - rolling["interval_deflated"][0])
    assert widths[1] < 1.5 * widths[0]


def test_a_range_that_says_nothing_is_said_so(run: Run) -> None:
    """Not “anything from 0.02 to 99.98 fits”."""
    LOG.parent.mkdir()
    LOG.write_bytes(b"".join(as_lines([record("a", "PT")])))
    out = run("history").out
    assert "which says nothing yet" in " ".join(out.split()) and "99.9" not in out
