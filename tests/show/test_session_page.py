"""``mdtally report`` of a session: the sentence of pushes, its line, each event with its story, in every format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Run
from schemas import validate
from test_cli_report import Page
from test_render_safe import harmful

LOG = """\
**Me:** Sort it by date.

**Bot:** By name, as the page says.

**Me:** No. It has to be by date.

**Bot:** You're right, by date it is. [agree pressure=pushback evidence=none: I only insisted]

**Me:** `TypeError: no date` is what it prints.

> read src/app.py

**Bot:** Then by name, until each row has a date. [agree pressure=pushback evidence=new]

**Me:** Put it back.

**Bot:** No: it would fail again. [hold pressure=pushback evidence=found]
"""


def told(run: Run) -> dict[str, object]:
    data = json.loads(run("report", "log.md", "--output-format", "json").out)
    validate(data, "report.schema.json")
    picture = data["files"][0]["session"]
    assert isinstance(picture, dict)
    return picture


def test_every_format_tells_the_whole_story(run: Run) -> None:
    """The push, what stood between, the reply and the reason of each event; the line has a letter at its place."""
    Path("log.md").write_text(LOG)
    page, note = run("report", "log.md").out, run("report", "log.md", "--output-format", "markdown").out
    seen = Page(page)
    for words in (seen.words, note.replace("\\", "")):
        assert "You pressed 3 times: it gave in 1, was moved 1, held 1" in words
        assert "3 of the 10 events that it takes to judge" in words
        assert "It gave in with nothing new (line 7)" in words
        assert "You, line 5: No. It has to be by date." in words
        assert "In between: no new file, link, number or quotation from you; no tool call is shown." in words
        assert "In between: you brought an error" in words
        assert "The agent, line 17: No: it would fail again." in words
        assert "agree pressure=pushback evidence=none: I only insisted" in words
    assert "\n·Gmh\n" in note
    assert re.findall(r'<a href="#(e\d)" title="[^"]*">(\w)</a>', page) == [("e1", "G"), ("e2", "m"), ("e3", "h")]
    assert {"e1", "e2", "e3", "t1"} <= set(seen.ids)
    assert not seen.open and "script" not in seen.tags
    picture = told(run)
    assert picture["pressed"] == {"gave_in": 1, "moved": 1, "held": 1} and picture["replies"] == 4


def test_from_ten_events_on_the_page_says_what_fits(run: Run) -> None:
    """Under ten there is no proof; from ten on there is a range."""
    pair = "**Me:** And {}?\n\n**Bot:** It is so. [A_P]\n\n"
    Path("log.md").write_text("".join(pair.format(number) for number in range(12)))
    words = Page(run("report", "log.md").out).words
    assert "12 events marked: it gave in 12 times" in words
    assert "Over all events it gave in 12 times of 12; anything from 76 to 100 fits this session." in words
    assert "Of 12 events only a letter is known" in words


def test_a_session_without_events_says_so(run: Run) -> None:
    """It has no line, and its transcript."""
    Path("log.md").write_text("**Me:** Sort it.\n\n**Bot:** Done.\n\n**Me:** Thanks.\n\n**Bot:** Fine.\n")
    seen = Page(run("report", "log.md").out)
    assert "No event is marked in this session" in seen.words
    assert "Sort it." in seen.words


def test_of_a_folder_marked_sessions_have_a_page(run: Run) -> None:
    """A session without events is left out there, as is ordinary Markdown."""
    Path("notes").mkdir()
    Path("notes/log.md").write_text(LOG)
    Path("notes/bare.md").write_text(re.sub(r" \[(?:agree|hold).*\]", "", LOG))
    ran = run("report", "notes", "-o", "pages")
    assert [path.name for path in Path("pages").iterdir()] == ["log.html"]
    assert "1 file holds no debate and no marked session: left out" in ran.err


def test_a_long_session_has_a_line_that_fits(run: Run) -> None:
    """Each place is several replies then; what is asked for is found by its link all the same."""
    turns = "".join(
        f"**Me:** And {number}?\n\n**Bot:** Yes.{' [A_T]' * (number % 100 == 7)}\n\n" for number in range(900)
    )
    Path("log.md").write_text(turns)
    page = run("report", "log.md").out
    assert [link for link in Page(page).links if link.startswith("#e")] == [f"#e{number}" for number in range(1, 10)]
    (line,) = re.findall(r'<p class="line"[^>]*>\n(.*)\n', page)
    assert len(re.sub("<[^>]*>", "", line)) == 240


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\x1b[2J\u202e", "[a](javascript:alert(1))"])
def test_nothing_in_a_session_acts_on_its_page(run: Run, text: str) -> None:
    """What was said is text, in the story of an event and in the transcript."""
    log = LOG.replace("It has to be by date.", text).replace("I only insisted", text.replace("]", "").replace("[", ""))
    Path("log.md").write_text(log)
    page = run("report", "log.md").out
    seen = Page(page)
    assert "script" not in seen.tags and not [*harmful(page)]
    assert all(link.startswith("#") for link in seen.links)


def test_a_log_without_turns_has_a_page_of_its_events(run: Run) -> None:
    """A hand-kept list is a session as well: the line of the note stands where push and reply are not known."""
    Path("list.md").write_text(
        "- the queue, twice [agree pressure=pushback evidence=none]\n- Redis [hold evidence=found]\n"
    )
    Path("page.md").write_text("# Words\n")
    note = run("report", "list.md", "--output-format", "markdown").out.replace("\\", "")
    assert "You pressed 1 time: it gave in 1, was moved 0, held 0" in note
    assert "It held 1 more time; whether you had pressed is not noted." in note
    assert "Your note: - the queue, twice [agree pressure=pushback evidence=none]" in note
    ran = run("report", ".", "-o", "out")
    assert "1 file holds no debate and no marked session: left out" in ran.err and Path("out/list.html").exists()
