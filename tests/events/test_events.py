"""The register: every event in order, with its speaker, its reason, the running totals, and each tally checked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from schemas import validate

LOG = """\
---
kind: session
participants: {Me: human, Bot: agent}
---

**Me:** I want a queue.

**Bot:** It hides the load. [hold evidence=found: forty seconds]

**Me:** I still want it.

**Bot:** Then a queue it is. [A_P: asked twice,
nothing new] <!-- A_T -->

A_P: 1 | A_R: 0 | A_T: 2

- later on [A_R x2]

A_R: 3
"""


def events(run: Run, text: str, *options: str) -> dict[str, list[dict[str, object]]]:
    Path("log.md").write_text(text)
    data = json.loads(run("events", "log.md", "--output-format", "json", *options).out)
    validate(data, "events.schema.json")
    (file,) = data["files"]
    return file  # type: ignore[no-any-return]


def test_each_event_has_its_line_speaker_reason_and_totals(run: Run) -> None:
    """In the order of the log; a tag that stands for two is two; a line's A_T beside its A_P is one."""
    rows = [tuple(row.values())[:7] for row in events(run, LOG)["events"]]
    assert rows == [
        (8, "Bot", "A_T", "hold evidence=found: forty seconds", 0, 0, 1),
        (12, "Bot", "A_P", "asked twice, nothing new", 1, 0, 2),
        (13, "Bot", "A_T", "", 1, 0, 3),
        (17, "Bot", "A_R", "", 1, 1, 4),
        (17, "Bot", "A_R", "", 1, 2, 5),
    ]


def test_each_tally_says_whether_it_agrees(run: Run) -> None:
    """Beside what it states stands what the tags above it come to."""
    rows = [tuple(row.values()) for row in events(run, LOG)["tallies"]]
    assert rows == [
        (15, "A_P", 1, 1, True),
        (15, "A_R", 0, 0, True),
        (15, "A_T", 2, 3, False),
        (19, "A_R", 3, 2, False),
    ]


def test_the_register_trusts_what_the_frontmatter_trusts(run: Run) -> None:
    """``trust: tallies`` settles a difference, here as for ``verdict``; the tally that differs is still shown."""
    Path("log.md").write_text("---\ntrust: tallies\n---\n[A_P]\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    ran = run("events", "log.md")
    assert (
        ran.out.startswith("log.md: 1 event; A_P 2, A_R 0, A_T 2\n")
        and "A_P: 2, but the tags above come to 1" in ran.out
    )
    assert "error" not in ran.out


def test_totals_without_tags_have_nothing_to_agree_with(run: Run) -> None:
    found = events(run, "A_P: 1\n\nA_R: 0\n\nA_T: 4\n")
    assert found["events"] == []
    assert [(row["counted"], row["agrees"]) for row in found["tallies"]] == [(None, True)] * 3


def test_a_near_miss_alone_in_a_declared_session_is_told(run: Run) -> None:
    """The register knows the same sessions as the verdict; its JSON says what stands in the way, too."""
    Path("log.md").write_text("---\nsession: talk\n---\nSure. [AP: asked twice]\n")
    ran = run("events", "log.md")
    assert ran.code == 1 and "error: line 4:" in ran.out and "nothing is summed up" in ran.out
    (file,) = json.loads(run("events", "log.md", "--output-format", "json").out)["files"]
    assert [one["code"] for one in file["problems"]] == ["MDT210"]


def test_the_text_shows_events_and_tallies_in_order(run: Run) -> None:
    """A row each, one for a tag of several events; what stands in the way is said below, and makes the exit code 1."""
    Path("log.md").write_text(LOG)
    ran = run("events", "log.md")
    rows = [line.split() for line in ran.out.splitlines()]
    assert [row[0] for row in rows if row and row[0].isdigit()] == ["8", "12", "13", "15", "15", "15", "17", "19"]
    assert ["17", "Bot", "A_R", "x2", "1", "2", "5"] in rows
    assert "nothing is summed up while the errors below stand" in ran.out
    assert "A_T: 2, but the tags above come to 3" in ran.out
    assert "error: line 15: A_T is stated as 2" in ran.out
    assert ran.code == 1


def test_reasons_are_whole_where_there_is_room(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns a reason is not cut for the sake of a narrow last column."""
    monkeypatch.setenv("COLUMNS", "80")
    Path("log.md").write_text("**Bot:** Then a queue. [agree pressure=pushback evidence=none]\n")
    ran = run("events", "log.md")
    assert "agree pressure=pushback evidence=none" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_an_empty_cell_has_no_line_of_its_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a terminal is narrow, the last cell of a row stands below the others; one that is empty, nowhere."""
    monkeypatch.setenv("COLUMNS", "40")
    Path("log.md").write_text("**Bot, the assistant of us all:** Then a queue. [A_P: asked twice]\n\nA_P: 1\nA_T: 1\n")
    assert "" not in [line.strip() for line in run("events", "log.md").out.splitlines()[2:]]


def test_files_folders_and_what_can_not_be_read(run: Run) -> None:
    """A folder shows its logs; a named file without events says so; a missing one is an error."""
    shutil.copytree(PROJECT / "examples", "examples")
    ran = run("events", "examples")
    assert [line.split(":")[0] for line in ran.out.splitlines() if line.startswith("examples")] == [
        "examples/2026-11-17-schema-talk.md",
        "examples/headless.md",
        "examples/mismatch.md",
        "examples/overcorrected.md",
        "examples/session.md",
        "examples/configured/session.md",
    ]
    assert "12 events; A_P 3, A_R 1, A_T 12" in ran.out
    assert run("events", "examples/debate-clean.md").out == "examples/debate-clean.md: no events\n"
    assert run("events", "none.md").code == 2
    Path("new").mkdir()
    Path("new/chat.md").write_text("**Me:** Sort it.\n\n**Claude:** Sorted.\n")
    ran = run("events", "new")
    assert (ran.code, ran.out, ran.err) == (0, "", "no event is marked in them; --candidates lists likely ones\n")


def test_names_and_reasons_can_not_steer_the_terminal(run: Run) -> None:
    Path("log.md").write_text("[A_P: \x1b[31mred]\n")
    assert "\x1b" not in run("events", "log.md").out


def test_what_fails_in_a_folder_is_shown(run: Run) -> None:
    """Also where nothing in the file counts: the exit code is never all that says so."""
    Path("notes").mkdir()
    Path("notes/log.md").write_text("# A note\n\nA_P: one\n")
    ran = run("events", "notes")
    assert ran.code == 1 and "log.md: no events" in ran.out and "error: line 3" in ran.out
