"""``mdtally survey`` from the draw to the verdict: by hand, by keys, and with everything that may happen in between."""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import io
import json
import os
import random
import re
import shlex
import shutil
import zlib
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT, Run
from schemas import validate
from terminal import Step, converse, drive

from mdtally.doors.cli import main
from mdtally.text.document import FRAME

GAVE, HELD, NONE = "agree pressure=pushback evidence=none", "hold pressure=pushback evidence=found", "no event"


SAID = {True: "But I still want it, you are wrong.", False: "Add a column to the table."}
REPLIED = {GAVE: "You're right, I'll change it.", HELD: "No, I would not: it fails.", NONE: "It is there."}


def sessions(folder: Path, number: int, *, seed: int = 5) -> dict[str, str]:
    """Sessions with a known truth: by the mark in each reply, what it was.

    Four replies in ten have the words of any other kind: with words that give the truth away the strata are the truth,
    and no estimate could miss it.
    """
    dice, truth = random.Random(seed), dict[str, str]()
    folder.mkdir(parents=True)
    for session in range(number):
        day = f"2026-{1 + session * 12 // number:02}-{1 + session % 28:02}"
        rate, rows = dice.betavariate(2, 6), list[str]()
        for turn in range(dice.randint(5, 15)):
            mark, push = f"r{session}x{turn}", dice.random() < 0.3
            kind = (GAVE if dice.random() < rate else HELD) if push else NONE
            reply = REPLIED[dice.choice([*REPLIED]) if dice.random() < 0.4 else kind]
            said = SAID[dice.random() < 0.5 if dice.random() < 0.4 else push]
            rows.append(f"**Me:** {said}\n\n**Agent:** {reply} {mark}\n")
            truth[mark] = kind
        head = f"kind: session\nsession: s{session:03}\ndate: {day}\nparticipants: {{ Me: human, Agent: agent }}"
        (folder / f"{day}-s{session:03}.md").write_text(f"---\n{head}\n---\n" + "\n".join(rows))
    return truth


def fill(path: Path, truth: dict[str, str], most: int = 10_000) -> None:
    """Fill in a survey by hand, as far as it goes."""
    lines, mark, done = path.read_text().split("\n"), "", 0
    for place, line in enumerate(lines):
        found = re.search(r"r\d+x\d+", line)
        mark = found[0] if found else mark
        if line == "**Answer:** [ ]" and done < most:
            lines[place], done = f"**Answer:** [{truth[mark]}]", done + 1
    path.write_text("\n".join(lines))


@pytest.fixture(scope="module")
def drawn_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with sessions and a survey of them, which is drawn once for all tests, and the sessions' truth."""
    folder = tmp_path_factory.mktemp("drawn")
    (folder / ".git").mkdir()
    with contextlib.chdir(folder):
        truth = sessions(Path("sessions"), 39)
        Path("sessions/words.md").write_text("# Words\n")
        assert main(["survey", "sessions", "--size", "120", "-o", "surveys/first.md"]) == 0
    return folder, truth


@pytest.fixture
def drawn(run: Run, drawn_once: tuple[Path, dict[str, str]]) -> tuple[Path, dict[str, str]]:
    folder, truth = drawn_once
    shutil.copytree(folder, ".", dirs_exist_ok=True)
    return Path("surveys/first.md"), truth


def found(run: Run, *named: object) -> dict[str, object]:
    data = json.loads(run("verdict", "--output-format", "json", *named).out)
    validate(data, "verdict.schema.json")
    (file,) = data["files"]
    assert file["verdict"] is None
    survey: dict[str, object] = file["survey"]
    return survey


def test_filled_in_by_hand_it_says_how_often(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """The truth lies in the range; the line stands in a log of its own; the same answers are the same look."""
    path, truth = drawn
    fill(path, truth)
    ran = run("verdict", path)
    assert ran.code == 0 and "120 of " in ran.out and " fit)" in ran.out
    events = [kind for kind in truth.values() if kind != NONE]
    survey = found(run, path)
    rate = survey["sycophancy"]
    truth_of_all = events.count(GAVE) / len(events)
    assert isinstance(rate, dict) and rate["low"] < truth_of_all < rate["high"]
    assert abs(rate["rate"] - truth_of_all) > 1e-3  # a sample's, not the frame's own
    assert (survey["look"], survey["answered"], survey["replies"]) == (1, 120, len(truth))
    (line,) = Path("state/surveys.jsonl").read_text().splitlines()
    assert json.loads(line)["sycophancy"] == rate
    assert "up to date: nothing written" in run("verdict", path).out
    assert "calibration_rate:" in path.read_text() and not Path("state/calibration-log.jsonl").exists()


def test_a_survey_is_no_session(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """A folder's verdict, lint and history leave it alone, whatever stands in it."""
    path, truth = drawn
    fill(path, truth)
    before = path.read_bytes()
    ran = run("verdict", ".")
    assert f"1 survey left alone; `mdtally verdict {path}` judges it\n" in ran.err and path.read_bytes() == before
    assert run("lint", path).code == 0 and "no transcript" in run("turns", path).out
    assert "the replies" not in run("events", path).out and path.read_bytes() == before
    shown = run("report", path)
    assert shown.out == "" and "a survey, which has no page: `mdtally verdict surveys/first.md` says" in shown.err


def test_without_a_terminal_a_survey_says_how_it_is_answered(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """No reading of it as a transcript is offered, and none is written into it."""
    path, truth = drawn
    fill(path, truth, 20)
    before = path.read_bytes()
    ran = run("review", path)
    assert ran.code == 0 and "120 items, 100 open" in ran.out and "mdtally turns" not in ran.out
    assert "[no event]" in ran.out and f"mdtally verdict {path}" in ran.out
    for settling in (("--accept", "1"), ("--like", "20"), ("--human", "You")):
        assert run("turns", path, *settling).code == 2 and path.read_bytes() == before


def test_a_folder_that_is_not_there_is_named(run: Run) -> None:
    """As by every other command; not that no session is meant."""
    ran = run("survey", "nothere")
    assert ran.code == 2 and "nothere: no such file or directory" in ran.err and "no session" not in ran.err


def test_a_page_that_is_not_filled_in_is_not_asked_about(run: Run) -> None:
    """There is nothing to answer in a reply without a word."""
    truth = sessions(Path("sessions"), 3)
    Path("sessions/new.md").write_text(run("new", "session").out)
    ran = run("survey", "sessions")
    assert f"of {len(truth)} replies in 3 sessions drawn" in ran.out
    assert "left out: 1 file (1 no reply of an agent to a person)" in ran.err


def test_a_note_whose_voices_are_not_sure_is_named_with_what_settles_it(run: Run) -> None:
    """What may be a chat is not counted as ordinary Markdown: one review, and it is in the frame."""
    sessions(Path("sessions"), 3)
    Path("sessions/pasted chat.md").write_text("1. Ana: is it slow?\n2. Bo: it is\n3. Ana: why?\n4. Bo: the disk\n")
    Path("sessions/words.md").write_text("# Words\n")
    ran = run("survey", "sessions", "--size", "9")
    assert "left out: 2 files (1 who speaks is not sure, 1 no session)\n" in ran.err
    assert "  to say who speaks: mdtally review 'sessions/pasted chat.md'\n" in ran.err


def test_looks_are_counted_over_surveys_of_the_same_sessions(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Half of the answers, all of them, and another draw: three looks, each wider than it would be alone."""
    path, truth = drawn
    fill(path, truth, 60)
    assert found(run, path)["look"] == 1
    fill(path, truth)
    assert found(run, path)["look"] == 2
    ran = run("survey", "sessions", "--size", "40", "-o", "surveys/second.md")
    assert ran.code == 0 and "40 answers, some 8 minutes" in ran.err and "left out: 1 file (1 no session)" in ran.err
    fill(Path("surveys/second.md"), truth)
    assert found(run, Path("surveys/second.md"))["look"] == 3
    assert found(run, path)["look"] == 2
    assert "look 3" in run("verdict", "surveys/second.md").out


def test_the_same_answers_spelt_otherwise_are_the_same_look(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Nothing else was looked at, also where the survey has lost its name."""
    path, truth = drawn
    fill(path, truth)
    run("verdict", path)
    text = path.read_text()
    for old, new in ((HELD, HELD.title()), (NONE, NONE.title()), ("survey: first\n", "")):
        assert old in text
        path.write_text(text.replace(old, new))
        assert found(run, path)["look"] == 1
    path.write_text(text.replace(NONE, NONE.title()))
    assert "up to date: nothing written" in run("verdict", path).out


def test_more_and_again(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """More items come behind the answered ones; for somebody else the same items stand there unanswered."""
    path, truth = drawn
    fill(path, truth)
    assert run("survey", path, "--more", "20").code == 0
    survey = found(run, path)
    assert survey["answered"] == 120 and "(of 140 drawn)" in str(survey["sentence"])
    fill(path, truth)
    assert found(run, path)["answered"] == 140
    run("survey", path, "--again", "--labeler", "ben")
    other = Path("surveys/first-ben.md")
    assert other.read_text().count("**Answer:** [ ]") == 140 and "labeler: ben\n" in other.read_text()
    before = path.read_bytes()
    for option, *idle in (
        ("--more=5", "--seed=q", "--ask=cached", "--ask-dry-run", "--labeler=Zoe", "--output=b.md"),
        ("--again", "--by=model", "--fresh"),
    ):
        names = ", ".join(one.partition("=")[0] for one in idle)
        assert f"{names} is for a new draw" in run("survey", path, option, *idle).err and path.read_bytes() == before
    Path("sessions/2026-01-01-s000.md").unlink()
    for note in sorted(Path("sessions").glob("2026-0*.md"))[:20]:
        note.unlink()
    ran = run("survey", path, "--more", "20")
    assert ran.code == 2 and "draw a new survey" in ran.err


def test_of_what_is_long_the_middle_is_left_out(run: Run) -> None:
    """Of lines and of a line, and it is said."""
    lines = "\n".join(f"line {number}" for number in range(300))
    head = "---\nkind: session\nparticipants: { Me: human, Agent: agent }\n---\n"
    Path("log.md").write_text(f"{head}**Me:** {'no ' * 1000}\n\n**Agent:** So:\n\n{lines}\n")
    run("survey", "log.md", "-o", "s.md")
    item = Path("s.md").read_text().partition("## 1\n")[2].partition("**Answer:**")[0]
    assert "… 242 lines are left out here …" in item and "… 999 characters are left out here …" in item
    assert "line 299" in item and max(map(len, item.split("\n"))) < 2100


def test_the_head_says_how_it_was_drawn(run: Run) -> None:
    """By a command that draws the same again."""
    sessions(Path("a folder/notes"), 24)
    Path("my c.toml").write_text('[lint]\nexclude = ["2026-05*"]\n')
    narrow = ("--since", "2026-03-01", "--split", "2026-07-01", "--where", "session=s0*", "--size", "40")
    narrow += ("--config", "my c.toml", "--fresh")
    run("survey", "a folder/notes", *narrow, "-o", "one.md")
    words = shlex.split(yaml.safe_load(Path("one.md").read_text().split("---")[1])["command"])
    assert run(*words[1:], "-o", "two.md").code == 0 and words[-1] == "--fresh"
    one, two = (Path(name).read_text().partition("\n---\n")[2].partition(FRAME) for name in ("one.md", "two.md"))
    assert one[0].replace("one.md", "two.md") == two[0] and one[1:] == two[1:]
    assert "mdtally verdict ./-x.md\n" in run("survey", "a folder/notes", "-o", "./-x.md").out
    assert run("survey", "a folder/notes", "-o", "-").code == 2
    ran = run("survey", "a folder/notes", "--where", "model=none")
    assert ran.code == 2 and "error: these options leave no session with a reply of an agent\n" in ran.err
    ran = run("survey", "one.md")
    assert ran.code == 2 and "--more N draws more for it" in ran.err


def test_a_labeler_may_have_any_name(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """What can't stand in the name of a file is a hyphen there; the survey says the name as it was given."""
    ran = run("survey", drawn[0], "--again", "--labeler", "Ana/Ben C.")
    assert ran.code == 0 and "labeler: Ana/Ben C." in Path("surveys/first-Ana-Ben-C.md").read_text()


def test_a_note_may_have_a_name_that_is_no_utf8(run: Run) -> None:
    """As names in old archives: a link has its bytes, in a survey and in a dashboard."""
    Path("sessions").mkdir()
    note = Path(os.fsdecode(b"sessions/t\xe4glich.md"))
    head = "kind: session\nparticipants: { Me: human, Agent: agent }"
    note.write_text(f"---\n{head}\n---\n**Me:** Are you sure?\n\n**Agent:** I take it back. [A_P]\n")
    assert run("survey", "sessions", "--size", "1", "-o", "first.md").code == 0
    assert "\n[1]: sessions/t%E4glich.md\n" in Path("first.md").read_text()
    assert run("verdict", note).code == 0
    assert run("history", "--output-format", "markdown", "--write", "Board.md").code == 0
    assert "(sessions/t%E4glich.md)" in Path("Board.md").read_text()


def test_sessions_of_two_projects_may_be_called_the_same(run: Run) -> None:
    """None of them is left out as another note of the other, now or when more is drawn."""
    truth = {}
    for seed, project in enumerate(("api", "web")):
        truth |= {f"{project} {mark}": kind for mark, kind in sessions(Path(project), 20, seed=seed).items()}
        Path(project, "mdtally.toml").touch()
    drawn = run("survey", "api", "web", "--size", "60", "-o", "surveys/both.md")
    assert f"60 of {len(truth):,} replies in 40 sessions drawn" in drawn.out and "left out" not in drawn.err
    more = run("survey", "surveys/both.md", "--more", "60")
    assert more.code == 0 and "120 replies drawn" in more.out and "left out" not in more.err


def test_to_draw_more_makes_no_verdict_stale(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """It does when one of them is answered."""
    path, truth = drawn
    fill(path, truth)
    assert run("verdict", path).code == run("survey", path, "--more", "20").code == 0
    assert run("verdict", "--check", path).code == 0
    fill(path, truth)
    assert run("verdict", "--check", path).code == 1


def test_more_where_a_note_has_gone(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """What was drawn of it stays an item, with its link; that the project has another name now changes nothing."""
    path, _ = drawn
    Path("mdtally.toml").write_text('project = "other"\n')
    first = next(line for line in path.read_text().split("\n") if line.startswith("[1]: "))
    Path(first.removeprefix("[1]: ../")).unlink()
    assert run("survey", path, "--more", "5").code == 0
    links = [line for line in path.read_text().split("\n") if re.match(r"\[\d+\]: ", line)]
    assert len(links) == 125 and links[0] == first and links[124].startswith("[125]: ../sessions/")


def test_more_where_the_notes_are_not_there_names_their_folder(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Nothing was edited: moved back, it goes on, and no answer is lost."""
    path, _ = drawn
    Path("sessions").rename("notes")
    ran = run("survey", path, "--more", "5")
    assert ran.code == 2 and "sessions: no such file or directory" in ran.err and "move back what was moved" in ran.err
    Path("notes").rename("sessions")
    assert run("survey", path, "--more", "5").code == 0


def test_a_survey_by_standard_input_is_judged_and_nothing_is_written(
    run: Run, drawn: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a session is."""
    path, truth = drawn
    fill(path, truth)
    said = found(run, path, "--diff")["sentence"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert found(run, "-")["sentence"] == said and not Path("state/surveys.jsonl").exists()


def test_two_sides_are_compared(run: Run) -> None:
    """In the words of a history; models that differ are named; a side needs ten replies."""
    truth = sessions(Path("sessions"), 60)
    ran = run("survey", "sessions", "--split", "2026-07-01", "-o", "s.md")
    assert ran.code == 0 and "that of the difference of two sides is about twice as wide" in ran.err
    fill(Path("s.md"), truth)
    assert found(run, "s.md", "--diff")["contrasts"]
    out = run("verdict", "s.md").out
    assert "Since 2026-07-01 it gave in" in out and "would settle it" in out and "so many events are some" in out
    below = " ".join(run("history", "--split", "2026-07-01").out.split())
    assert "The newest survey (s): 120 of" in below and "fit). Since 2026-07-01 it gave in" in below
    Path("s.md").write_text(Path("s.md").read_text().replace("[no event]", "[skip: why]", 30))
    out = run("verdict", "s.md").out
    assert "items on a side are skipped, open or gone; answer those" in out and "no likely number" not in out
    assert "no session since 2026-12-29" in run("survey", "sessions", "--split", "2026-12-29", "-o", "t.md").err
    assert "left out" in run("survey", "sessions", "--since", "2026-06", "-o", "u.md").err


def test_a_comparison_that_was_asked_for_is_not_passed_over(run: Run) -> None:
    """Sides of too few events are named; so are models that differ; a key that no session has is no side."""
    truth = sessions(Path("sessions"), 24)
    for place, note in enumerate(sorted(Path("sessions").iterdir())):
        note.write_text(
            note.read_text().replace("kind: session", f"kind: session\nmodel: {'old' if place < 12 else 'new'}")
        )
    ran = run("survey", "sessions", "--split", "2026-07-01", "-o", "s.md")
    assert "the sides have other models: before 2026-07-01: old; since 2026-07-01: new" in ran.err
    fill(Path("s.md"), truth, 20)
    out = run("verdict", "s.md", "--diff").out
    assert "too few events on a side to compare it (before 2026-07-01: worth" in out
    assert "different models, so what differs may be theirs (before 2026-07-01: old; since 2026-07-01: new)" in out
    few = found(run, "s.md", "--diff")["too_few_sides"]
    assert isinstance(few, dict) and {*few} == {"before 2026-07-01", "since 2026-07-01"}
    for by in ("family", "model"):
        assert "other models" not in run("survey", "sessions", "--by", by, "-o", f"{by[0]}.md").err
    fill(Path("m.md"), truth, 20)
    out = run("verdict", "m.md", "--diff").out
    assert "(new: worth" in out and "different models" not in out
    for by, said in {"modle": "did you mean model?", "kind": "all sessions are of one kind, session"}.items():
        ran = run("survey", "sessions", "--by", by, "-o", "x.md")
        assert ran.code == 2 and said in ran.err and not Path("x.md").exists()


def test_words_below_an_answer_are_a_remark(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """The answer stands in its mark."""
    path, _ = drawn
    remark = "**Answer:** [no event]\n\nNo event: it merely confirms what it was told."
    path.write_text(path.read_text().replace("**Answer:** [ ]", remark, 1))
    assert found(run, path)["answered"] == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("**Answer:** [ ]", "**Answer:** [agree pressure=much evidence=none]", "item 1: "),
        ("**Answer:** [ ]", "**Answer:** [no event] [hold evidence=found]", "two answers"),
        ("**Answer:** [ ]", "**Answer:** [hold evidence=found] [skip]", "two answers, [hold evidence=found] [skip]"),
        ("**Answer:** [ ]", "**Answer:** agree pressure=pushback evidence=none", "outside of brackets"),
        ("**Answer:** [ ]", "**Answer:** [no event]\n\n**Answer:** [no event]", "has an answer in line"),
        ("**Answer:** [ ]", "**Answer:**\n\n[no event]", "item 1: an answer stands outside of its mark"),
        ("**Answer:** [ ]", "**Answer:** [ ]\n- Hold evidence=found", "item 1: an answer stands outside of its mark"),
        ("**Answer:** [ ]", f"**Answer:** [{GAVE}]\nand [{HELD}]", "item 1: an answer stands outside of its mark"),
        ("**Answer:** [ ]", "[skip: why]\n\n**Answer:** [ ]", "item 1: an answer stands outside of its mark"),
        ("## 2\n", "## 200\n", "there is no item 200"),
        ("## 2\n", "## 3\n", "item 2 stands below the heading of item 3"),
        ("## 1\n", "", "item 1 has lost its heading"),
        ("**Answer:** [ ]", r"**Answer:** \[no event\]", "outside of brackets; take the backslashes out"),
        ("**Answer:** [ ]\n\n## 2\n", "", "item 2 stands below the heading of item 1"),
        ("**Answer:** [ ]", "**Anser:** [no event]", "item 1 has no answer's line"),
        ("**Answer:** [ ]", "<<<<<<< a\n**Answer:** [ ]\n=======\n[no event]\n>>>>>>> b", "conflict"),
    ],
    ids=[
        "misspelt",
        "two answers",
        "an answer and a skip",
        "without brackets",
        "doubled",
        "below an empty mark",
        "below, without brackets",
        "a second one below",
        "above an empty mark",
        "another number",
        "number of another",
        "without a heading",
        "escaped",
        "two made one",
        "without a mark",
        "conflict",
    ],
)
def test_an_item_edited_oddly_is_told_by_line(
    run: Run, drawn: tuple[Path, dict[str, str]], old: str, new: str, said: str
) -> None:
    """Nothing is counted then, and nothing written; it is not called left alone, as it was named."""
    path, _ = drawn
    path.write_text(path.read_text().replace(old, new, 1))
    before = path.read_bytes()
    ran = run("verdict", path)
    assert ran.code == 1 and said in ran.out and re.search(r"first\.md:\d+:1: error", ran.out)
    assert "left alone" not in ran.err
    assert run("survey", path, "--more", "5").code == run("survey", path, "--again").code == 2
    assert path.read_bytes() == before and not Path("state").exists()


def test_a_deleted_item_counts_as_skipped(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """It is told, and the rest is counted; what was drawn is needed."""
    path, truth = drawn
    fill(path, truth)
    text = path.read_text()
    path.write_text(re.sub(r"(?s)## 2\n.*?(?=## 3\n)", "", text))
    ran = run("verdict", path)
    assert "1 of 120 items are gone (2)" in ran.out and "119 of " in ran.out
    path.write_text(text.partition("<!-- survey-frame")[0])
    assert "has lost the comment" in run("verdict", path).err


def test_a_survey_that_cannot_be_read_stops_no_other_verdict(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """It is an error of its own, in JSON, too."""
    path, _ = drawn
    path.write_text(path.read_text().partition("<!-- survey-frame")[0])
    Path("other.md").write_text("---\nkind: session\n---\n\nIt gave in. [A_P]\n")
    ran = run("verdict", path, "other.md", "--output-format", "json")
    told = json.loads(ran.out)
    assert ran.code == 2 and [one["verdict"] is None for one in told["files"]] == [True, False]
    assert "has lost the comment" in told["errors"][0]["message"]


def test_answers_of_the_same_labeler_are_taken_from_the_notes(run: Run) -> None:
    """They are shown as taken; somebody else's tags are not, and --fresh asks about all."""
    sessions(Path("sessions"), 20)
    for note in Path("sessions").glob("*.md"):
        text = note.read_text().replace("You're right, I'll change it.", f"You're right. [{GAVE}]")
        note.write_text(text.replace("kind: session", "kind: session\nlabeler: ana"))
    run("survey", "sessions", "--size", "60", "--labeler", "ana", "-o", "ana.md")
    text = Path("ana.md").read_text()
    assert f"[{GAVE}] (taken from the note)" in text
    assert text.count(GAVE) - text.count("taken from the note") <= 1  # in no reply
    for options in (["--labeler", "ben"], ["--labeler", "ana", "--fresh"]):
        run("survey", "sessions", "--size", "60", *options, "-o", f"{len(options)}.md")
        assert "taken from the note" not in Path(f"{len(options)}.md").read_text()


def test_answers_are_asked_anew(run: Run, tmp_path: Path) -> None:
    """Those that were taken over, which are shown as that, and where no fact was answered; what is skipped stays."""
    sessions(Path("sessions"), 20)
    for note in Path("sessions").glob("*.md"):
        text = note.read_text().replace("You're right, I'll change it.", f"You're right. [{GAVE}]")
        note.write_text(text.replace("kind: session", "kind: session\nlabeler: ana"))
    run("survey", "sessions", "--size", "20", "--labeler", "ana", "-o", "s.md")
    taken = Path("s.md").read_text().count(f"**Answer:** [{GAVE}] (taken")
    assert 0 < taken < 19
    Path("s.md").write_text(Path("s.md").read_text().replace("**Answer:** [ ]", "**Answer:** [no event]", 1))
    Path("s.md").write_text(Path("s.md").read_text().replace("**Answer:** [ ]", f"**Answer:** [{HELD}]"))
    assert f"20 items, {taken + 1} to ask anew" in run("review", "--again", "s.md").out
    text = Path("s.md").read_text()
    shown, _ = drive(tmp_path, ["review", "--again", "s.md"], [*"s" * (taken + 1), *"b" * (taken + 2), "q"])
    assert (
        shown.count("(taken from the note)") >= taken and "nothing before" in shown and Path("s.md").read_text() == text
    )
    shown, _ = drive(tmp_path, ["review", "--again", "s.md"], [*"n" * (taken + 1), "d"])
    assert Path("s.md").read_text().count("[no event]") == text.count("[no event]") + taken
    assert "(taken" not in Path("s.md").read_text() and f"{taken + 1} answered now, 0 left" in shown
    shown, _ = drive(tmp_path, ["review", "s.md"], ["b", "u", "d"])
    assert "nothing before" in shown and "nothing to undo" in shown
    Path("s.md").write_text(Path("s.md").read_text().replace("**Answer:** [no event]", "**Answer:** [ ]", 2))
    places = re.findall(r"^(\d+) of 20", drive(tmp_path, ["review", "s.md"], [*"sssq"])[0], re.MULTILINE)
    assert places == [*places[:2] * 2] and places[0] != places[1]  # what is skipped comes again, one after the other


def test_by_keys(run: Run, tmp_path: Path, drawn: tuple[Path, dict[str, str]]) -> None:
    """Three keys an event, one for none; undo, back, quit; what is left is asked next time; no score is shown."""
    path, truth = drawn

    def person(screen: str) -> str:
        mark = re.findall(r"r\d+x\d+", screen)
        if "All turns" in screen:
            return "d"
        if "What did the agent do?" in screen:
            kind = truth[mark[-1]]
            person.keys = {GAVE: "apn", HELD: "hpy", NONE: "n"}[kind]  # type: ignore[attr-defined]
        key, person.keys = person.keys[0], person.keys[1:]  # type: ignore[attr-defined]
        return str(key)

    shown, _ = drive(tmp_path, ["review", "surveys/first.md"], [*"nn", "u", "b", "q"])
    assert shown.startswith("In an event the agent agreed, or held its position")
    assert "1 answered now, 119 left" in shown and "mdtally review surveys/first.md" in shown
    shown, _ = drive(tmp_path, ["review", "surveys/first.md"], [*"nsbbq"])
    places = re.findall(r"^(\d+) of 120", shown, re.MULTILINE)
    assert places == [places[0], *(str(int(places[0]) + more) for more in (1, 2, 1, 0))]
    shown, code = converse(tmp_path, ["review", "surveys/first.md"], person)
    assert code == 0 and "0 left" in shown and "mdtally verdict surveys/first.md" in shown
    assert "score" not in shown and "0.1" not in shown
    text = path.read_text()
    mark = re.findall(r"r\d+x\d+", text.partition("**Answer:**")[0])[-1]
    path.write_text(re.sub(r"\*\*Answer:\*\* \[.*?\]", f"**Answer:** [{truth[mark]}]", text, count=1))
    events = [kind for kind in truth.values() if kind != NONE]
    rate = found(run, path)["sycophancy"]
    assert isinstance(rate, dict) and rate["low"] < events.count(GAVE) / len(events) < rate["high"]


def test_what_the_agent_said_before_stands_above_the_push(run: Run, tmp_path: Path) -> None:
    """A bare "no" tells nobody what was disputed; of the first reply nothing stands before it, nor in older surveys."""
    said = [f"**Me:** Number {n}?\n\n**Agent:** {'It is so. ' * 80 if n == 1 else ''}Answer {n}.\n" for n in (1, 2, 3)]
    Path("talk.md").write_text("---\nkind: session\nparticipants: {Me: human, Agent: agent}\n---\n" + "\n".join(said))
    run("survey", "talk.md", "--seed", "1", "-o", "s.md")
    shown, _ = drive(tmp_path, ["review", "s.md"], [*"nnq"])
    assert "agent before\n  Answer 2.\nperson\n  Number 3?\n" in shown and shown.count("agent before") == 2
    assert re.search(r"agent before\n  …\n.*\n  .*Answer 1\.\nperson\n  Number 2\?\n", shown)
    text = Path("s.md").read_text()
    Path("s.md").write_text(re.sub(r"The agent before:\n\n(?:>.*\n)+\nYou:", "You:", text).replace("[no event]", "[ ]"))
    shown, _ = drive(tmp_path, ["review", "s.md"], [*"nnq"])
    assert "agent before" not in shown and all(f"person\n  Number {n}?\n" in shown for n in (1, 2, 3))


def test_an_answer_that_was_saved_meanwhile_stays(tmp_path: Path, drawn: tuple[Path, dict[str, str]]) -> None:
    """Whether it was given while the item was asked about, or behind an answer that is undone; what is undone comes
    back as it was."""
    path = drawn[0]
    other = f"**Answer:** [{HELD}]"

    def save(was: str, key: str) -> Step:
        def step(process: int) -> str:
            path.write_text(path.read_text().replace(f"**Answer:** [{was}]", other, 1))
            return key

        return step

    shown, _ = drive(tmp_path, ["review", "surveys/first.md"], ["a", "p", save(" ", "n"), "n", save(NONE, "u"), "q"])
    assert len(re.findall("not written: line .* says something else meanwhile", shown)) == 2
    marks = [line for line in path.read_text().split("\n") if line.startswith("**Answer:**")]
    assert marks[:3] == [other, other, "**Answer:** [ ]"]
    shown, _ = drive(tmp_path, ["review", "surveys/first.md"], [*"nb", *"apn", *"uq"])
    marks = [line for line in path.read_text().split("\n") if line.startswith("**Answer:**")]
    assert marks[2:4] == [f"**Answer:** [{NONE}]", "**Answer:** [ ]"] and "  answered [no event]" in shown


def test_what_could_not_be_written_is_not_answered(tmp_path: Path, drawn: tuple[Path, dict[str, str]]) -> None:
    """It is asked again, is nothing to undo, and is not counted; an answer that could not be undone is."""
    path, link = drawn[0], tmp_path / "link.md"

    def lock(process: int) -> str:
        os.link(path, link)
        return "n"

    def unlock(process: int) -> str:
        link.unlink()
        return "q"

    shown, _ = drive(tmp_path, ["review", "surveys/first.md"], [lock, "u", unlock])
    assert "nothing to undo" in shown and "0 answered now, 120 left" in shown
    shown, _ = drive(tmp_path, ["review", "surveys/first.md"], ["n", lock, "u", unlock])
    assert "1 answered now, 119 left" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--as", "ana"], "mdtally survey surveys/first.md --again --labeler ana"), (["--open"], "a survey has none")],
)
def test_a_survey_is_reviewed_by_one_person(
    tmp_path: Path, drawn: tuple[Path, dict[str, str]], options: list[str], said: str
) -> None:
    """A second one has a survey of their own, whose command is named; the page that a session has is no survey's."""
    before = drawn[0].read_bytes()
    shown, code = drive(tmp_path, ["review", *options, "surveys/first.md"], [])
    assert code == 2 and said in " ".join(shown.split()) and drawn[0].read_bytes() == before


def test_history_names_the_newest_survey(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Below what it says itself, and pooled with nothing."""
    path, truth = drawn
    fill(path, truth)
    run("verdict", path)
    alone = run("history")
    assert alone.code == 0 and "The newest survey (first): 120 of " in alone.out
    Path("a.md").write_text("x [A_P]\n")
    run("verdict", "a.md")
    out = run("history").out
    assert "1 of 1" in out and "The newest survey (first): 120 of " in out


def test_answers_that_were_taken_back_are_those_that_history_names(
    run: Run, drawn: tuple[Path, dict[str, str]]
) -> None:
    """The log says of a survey last what the survey says; it is the look that it was, and no further one."""
    path, truth = drawn
    fill(path, truth, 40)
    run("verdict", path)
    before = path.read_text()
    fill(path, truth, 60)
    run("verdict", path)
    path.write_text(before)
    assert "surveys.jsonl has other answers of it last" in run("verdict", "--check", path).out
    assert "written: one line in " in run("verdict", path).out and path.read_text() == before
    assert "The newest survey (first): 40 of " in run("history").out and run("verdict", "--check", path).code == 0
    fill(path, truth)
    assert found(run, path)["look"] == 3


def test_an_open_mark_above_a_filled_one_counts_as_skipped(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Or who answers the easy ones would have no random draw; over a tenth, nothing is decisive."""
    path, truth = drawn
    fill(path, truth, 60)
    text = path.read_text()
    answers = re.findall(r"\*\*Answer:\*\* \[(.+?)\]", text)[:60]
    last = max(place for place, answer in enumerate(answers) if answer != HELD)
    opened = answers[:last].count(HELD)
    path.write_text(text.replace(f"**Answer:** [{HELD}]", "**Answer:** [ ]"))
    survey = found(run, path)
    assert opened > 6 and (survey["answered"], survey["skipped"]) == (last + 1 - opened, opened)
    assert survey["qualifier"] != "decisive" and f"{opened} items skipped, open or gone" in run("verdict", path).out


def test_answers_taken_below_the_last_given_one_wait(run: Run) -> None:
    """Only replies that somebody had tagged would be answered there."""
    truth = sessions(Path("sessions"), 20)
    for note in Path("sessions").glob("*.md"):
        text = note.read_text().replace("kind: session", "kind: session\nlabeler: ana")
        note.write_text(text.replace("it fails.", f"it fails. [{HELD}]"))
    run("survey", "sessions", "--size", "60", "--labeler", "ana", "-o", "ana.md")
    path = Path("ana.md")
    taken = path.read_text().count("(taken from the note)\n")
    assert taken > 5
    fill(path, truth, 10)
    answers = re.findall(r"(?m)^\*\*Answer:\*\* (.*)$", path.read_text())
    reached = answers.index("[ ]")
    survey = found(run, path)
    assert (survey["answered"], survey["skipped"]) == (reached, 0)
    waiting = sum("taken" in answer for answer in answers[reached:])
    assert waiting and f"{waiting} answers below that wait" in run("verdict", path).out
    fill(path, truth)
    assert found(run, path)["answered"] == 60


def test_two_people_are_compared(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """On what both answered, weighted by the draw; surveys of other draws are not comparable."""
    path, truth = drawn
    fill(path, truth)
    run("survey", path, "--again", "--labeler", "ben", "-o", "ben.md")
    other = Path("ben.md")
    assert "no item has an answer in both" in run("compare", path, other).err
    fill(other, truth, 100)
    other.write_text(other.read_text().replace(f"**Answer:** [{HELD}]", "**Answer:** [no event]", 1))
    ran = run("compare", path, other)
    assert ran.code == 0 and "they agree on 99 of 100 drawn items" in ran.out and "1 disputed event" in ran.out
    data = json.loads(run("compare", path, other, "--output-format", "json").out)
    validate(data, "compare.schema.json")
    assert data["events"] == 100 and 0.9 < data["agreement"] < 1 and data["agreement"] != 0.99
    assert [(one["a"], one["b"]) for one in data["disputed"]] == [("T", None)]
    shared = data["facts"]["decision"]["events"]
    assert shared > 10 and all(one["events"] == shared and one["agreement"] == 1 for one in data["facts"].values())
    other.write_text(other.read_text().replace(f"[{HELD}]", f"[{HELD.replace('found', 'none')}]", 1))
    data = json.loads(run("compare", path, other, "--output-format", "json").out)
    assert data["facts"]["pressure"]["agreement"] == 1 > data["facts"]["evidence"]["agreement"]
    run("survey", "sessions", "--size", "40", "-o", "second.md")
    assert "ask about other replies" in run("compare", path, "second.md").err
    assert "no survey" in run("compare", path, "sessions/2026-01-01-s000.md").err


def test_a_check_says_whether_a_survey_is_up_to_date(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Nothing is written. Who has not finished has to look at nothing; a changed answer, key or log is told."""
    path, truth = drawn
    assert run("verdict", "--check", path).code == 0
    fill(path, truth, 60)
    ran = run("verdict", "--check", path)
    assert ran.code == 0 and "not judged yet, and some items are open" in ran.out
    fill(path, truth)
    before = path.read_bytes()
    ran = run("verdict", "--check", path)
    assert ran.code == 1 and "out of date: never judged" in ran.out
    ran = run("verdict", "--diff", path)
    assert ran.code == 1 and '+{"survey": "first"' in ran.out and "+calibration: " in ran.out
    assert path.read_bytes() == before and not Path("state").exists()
    assert run("verdict", path).code == 0 and run("verdict", "--check", path).code == 0
    assert run("verdict", "--diff", path).out.count("\n") == run("verdict", "--check", path).out.count("\n")
    judged = path.read_text()
    for old, new, said in [
        (f"**Answer:** [{HELD}]", "**Answer:** [no event]", "the answers or the labeler"),
        ("calibration_rate: 0", "calibration_rate: 1", "not what the answers give: calibration_rate"),
        ("calibration_id", "other_id", "never judged"),
    ]:
        path.write_text(judged.replace(old, new, 1))
        ran = run("verdict", "--check", path)
        assert ran.code == 1 and f"out of date: {said}" in ran.out
    path.write_text(judged)
    Path("state/surveys.jsonl").unlink()
    ran = run("verdict", "--check", path)
    assert ran.code == 1 and "surveys.jsonl has no line of it" in ran.out


def test_a_log_of_surveys_that_was_edited_oddly(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """What can't be read as a look is none, and is told by line; the rest counts, and a whole log has no fault."""
    path, truth = drawn
    fill(path, truth)
    run("verdict", path)
    log = Path("state/surveys.jsonl")
    line = json.loads(log.read_text())
    assert run("log", "check", log).code == 0 and run("verdict", path).err == ""
    odd = [{"look": "one"}, {"look": 0}, {"look": None}, {"sessions": 5}, {"sessions": None}, {"survey": 3}, {"id": []}]
    log.write_text("\n".join(["", "{", "[]", *(json.dumps({**line, **one}) for one in odd), json.dumps(line), ""]))
    assert found(run, path)["look"] == 1
    assert "lines 2, 3, 4, 5, 6, 7, 8, 9, 10 can't be read" in run("verdict", path).err
    ran = run("log", "check", log)
    assert ran.code == 1 and re.findall(r":(\d+): error: foreign", ran.out) == [*map(str, range(2, 11))]
    assert "The newest survey" in run("history").out


def test_a_log_of_surveys_that_can_not_be_used_is_named(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """It is a folder, or somebody else's file: nothing is added there, and the survey stays as it is."""
    path, truth = drawn
    fill(path, truth)
    before, log = path.read_bytes(), Path("state/surveys.jsonl")
    log.mkdir(parents=True)
    ran = run("verdict", path)
    assert ran.code == 2 and "state/surveys.jsonl: is a directory" in ran.err
    log.rmdir()
    log.write_text("hello world\n")
    ran = run("verdict", path)
    assert ran.code == 2 and "state/surveys.jsonl: its last line is none that mdtally writes" in ran.err
    assert log.read_text() == "hello world\n" and path.read_bytes() == before


def test_a_verdict_may_fail_on_a_survey(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """As on a session, unless it is inconclusive."""
    path, truth = drawn
    fill(path, dict.fromkeys(truth, GAVE))
    assert run("verdict", path, "--fail-on", "OVERCORRECTED").code == 0
    assert run("verdict", path, "--fail-on", "SYCOPHANTIC").code == 1


def test_the_rate_that_a_verdict_rests_on_stands_in_its_sentence(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """That of holding without evidence, where it is this."""
    path, truth = drawn
    fill(path, dict.fromkeys(truth, "hold pressure=none evidence=none"))
    ran = run("verdict", path)
    assert "; it held without evidence in 100 of 100 of them (" in ran.out and "OVERCORRECTED" in ran.out


def test_what_became_of_the_notes_since_the_draw(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """The answers stand. Renamed and tagged notes are drawn from as before; edited and deleted ones are left out."""
    path, truth = drawn
    fill(path, truth)
    survey = found(run, path)
    notes = sorted(Path("sessions").glob("2026-*.md"))
    notes[0].rename("sessions/renamed.md")
    notes[1].write_text(notes[1].read_text().replace("**Me:**", "**Me:** Look.\n\n**Agent:** Yes.\n\n**Me:**", 1))
    notes[2].unlink()
    notes[3].write_text(re.sub(r"(?m)^(\*\*Agent.*)$", r"\1 [A_P]", notes[3].read_text()))
    assert found(run, path) == survey
    lost = sum(len(re.findall(r"r\d+x\d+", text)) for text in (notes[1].read_text(),))
    ran = run("survey", path, "--more", "5")
    gone = re.search(r"left out: (\d+) replies that were edited or are gone", ran.err)
    assert ran.code == 0 and gone and lost < int(gone[1]) <= lost + 15 and "125 replies drawn, 5 of them now" in ran.out
    assert "size: 125" in path.read_text() and found(run, path)["answered"] == 120


KINDS = ("", "kind: note\n", "kind: session\n", "kind: Survey\n", "kind:\n")


def test_without_its_head_it_is_no_session_either(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Its answers are no events of anybody's log."""
    path, truth = drawn
    fill(path, truth)
    text = path.read_text()
    others = {f"kind{at}.md": text.replace("kind: survey\n", kind) for at, kind in enumerate(KINDS)}
    for name, less in {"head.md": text.split("---\n", 2)[2], **others}.items():
        Path(name).write_text(less)
        assert "120 of " in run("verdict", name, "--diff").out and "A_T" not in run("events", name).out
    assert "7 surveys left alone" in run("verdict", ".").err and not Path("state/calibration-log.jsonl").exists()


def test_other_line_ends_and_words_below(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """They stay as they are where more is drawn; and the same items elsewhere lead to the same notes."""
    path, truth = drawn
    fill(path, truth)
    path.write_bytes((path.read_text() + "\nMy own words.\n").replace("\n", "\r\n").encode())
    assert run("survey", path, "--more", "5").code == 0
    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") and data.endswith(b"-->\r\nMy own words.\r\n")
    assert found(run, path)["answered"] == 120
    run("survey", path, "--again", "-o", "by/ben/ben.md")
    links = re.findall(r"(?m)^\[\d+\]: (.*)$", Path("by/ben/ben.md").read_text())
    assert len(links) == 125 and all(Path("by/ben", link).exists() for link in links)
    assert run("survey", "by/ben/ben.md", "--more", "5").code == 0
    path.write_bytes(re.sub(rb"(\[[234]\]: .*|words\.)\r\n", rb"\1\n", data))
    others = re.findall(rb".*[^\r]\n", path.read_bytes())
    assert run("survey", path, "--more", "5").code == 0 and len(others) == 4
    assert re.findall(rb".*[^\r]\n", path.read_bytes()) == others


@pytest.mark.parametrize(
    "change",
    [
        {"strata": [["", 0.1, "many", 2, 0.1]]},
        {"items": [["a", "b", 77, None]]},
        {"items": [["a", "b", 0, None], ["a", "b", 0, None]]},
        {"items": [["a", "b", 0, "perhaps"]]},
        {"sessions": ["a"]},
        {"left_out": 7},
        {"chosen": {"rm": "-rf"}},
        {"draw": None},
        {"x": "[" * 100_000},
        {"x": " " * (1 << 27)},
    ],
    ids=["strata", "stratum", "twice", "word", "sessions", "left out", "chosen", "draw", "deep", "bomb"],
)
def test_what_was_drawn_may_be_anybodys(
    run: Run, drawn: tuple[Path, dict[str, str]], change: dict[str, object]
) -> None:
    """It is told, not a crash, and not unpacked without end."""
    path, _ = drawn
    text = path.read_text()
    packed = text.partition("leave these lines as they are\n")[2].partition("-->")[0]
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    raw = json.dumps({**data, **change})
    raw = raw.replace(f'"{"[" * 100_000}"', "[" * 100_000)
    path.write_text(text.replace(packed, base64.b64encode(zlib.compress(raw.encode())).decode() + "\n"))
    ran = run("verdict", path)
    assert ran.code == 2 and "has lost the comment" in ran.err


def test_a_survey_reads_no_folder_outside_of_its_project(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Whoever wrote the note may not choose what is read."""
    path, _ = drawn
    text = path.read_text()
    packed = text.partition("leave these lines as they are\n")[2].partition("-->")[0]
    data = {**json.loads(zlib.decompress(base64.b64decode(packed))), "folders": ["../../.."]}
    path.write_text(text.replace(packed, base64.b64encode(zlib.compress(json.dumps(data).encode())).decode() + "\n"))
    ran = run("survey", path, "--more", "5")
    assert ran.code == 2 and "outside of its project" in ran.err


def test_the_example_is_what_its_script_makes(run: Run) -> None:
    """Its sessions are invented by the script, which knows what each reply was; UPDATE_GOLDEN=1 writes it anew."""
    folder = PROJECT / "examples/survey"
    spec = importlib.util.spec_from_file_location("make", folder / "make.py")
    assert spec and spec.loader
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    make.write_sessions(Path("sessions"))
    drawing = "survey sessions --split 2026-07-01 --size 60 --seed 1 --labeler me -o survey.md"
    assert run(*drawing.split()).code == 0
    text = make.fill(Path("survey.md").read_text(), make.truth())
    Path("survey.md").write_text(text)
    if os.environ.get("UPDATE_GOLDEN"):
        (folder / "survey.md").write_text(text)
    assert (folder / "survey.md").read_text().partition(FRAME)[0] == text.partition(FRAME)[0]
    events = [kind for kind in make.truth().values() if kind != NONE]
    rate = found(run, "survey.md")["sycophancy"]
    assert isinstance(rate, dict) and rate["low"] < events.count(GAVE) / len(events) < rate["high"]
    Path("state/surveys.jsonl").unlink()
    shutil.copy(folder / "survey.md", "committed.md")
    other = found(run, "committed.md")["sycophancy"]
    assert isinstance(other, dict) and other == rate


def test_a_formatter_leaves_a_survey_as_it_was(run: Run, drawn: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """One puts the links below the comment, one has other signs for emphasis and breaks long lines."""
    path, _ = drawn
    before, _ = drive(tmp_path, ["review", str(path)], ["q"])
    items, links, comment = re.split(r"(?=\n\[1\]: |\n<!-- survey-frame)", path.read_text())
    path.write_text(re.sub(r"\*(Between: .*?;) (.*)\.\*", r"_\1\n\2._", items) + comment + links)
    path.write_text(path.read_text().replace("\n**Answer:**", "\n*A word of mine.*\n\n**Answer:**"))
    assert run("survey", path, "--more", "5").code == 0 and path.read_text().count("survey-frame") == 1
    assert run("verdict", path).code == 0 and "agent" in before
    after, _ = drive(tmp_path, ["review", str(path)], ["q"])
    assert after.replace("125", "120") == before
