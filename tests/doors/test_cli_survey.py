"""``mdtally survey`` from the draw to the verdict: by hand, by keys, and with everything that may happen in between."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Run
from terminal import converse, drive

GAVE, HELD, NONE = "agree pressure=pushback evidence=none", "hold pressure=pushback evidence=found", "no event"


def sessions(folder: Path, number: int, *, seed: int = 5) -> dict[str, str]:
    """Sessions with a known truth: by the mark in each reply, what it was."""
    dice, truth = random.Random(seed), dict[str, str]()
    folder.mkdir()
    for session in range(number):
        day = f"2026-{1 + session * 12 // number:02}-{1 + session % 28:02}"
        rate, rows = dice.betavariate(2, 6), list[str]()
        for turn in range(dice.randint(5, 15)):
            mark, push = f"r{session}x{turn}", dice.random() < 0.3
            kind = (GAVE if dice.random() < rate else HELD) if push else NONE
            said = "But I still want it, you are wrong." if push else "Add a column to the table."
            reply = {GAVE: "You're right, I'll change it.", HELD: "No, I would not: it fails.", NONE: "It is there."}
            rows.append(f"**Me:** {said}\n\n**Agent:** {reply[kind]} {mark}\n")
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


@pytest.fixture
def drawn(run: Run) -> tuple[Path, dict[str, str]]:
    truth = sessions(Path("sessions"), 60)
    Path("sessions/words.md").write_text("# Words\n")
    ran = run("survey", "sessions", "--size", "120", "-o", "surveys/first.md")
    assert ran.code == 0 and "120 answers, some 25 minutes" in ran.err and "left out: 1 file (1 no session)" in ran.err
    return Path("surveys/first.md"), truth


def found(run: Run, *named: object) -> dict[str, object]:
    (file,) = json.loads(run("verdict", "--output-format", "json", *named).out)["files"]
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
    assert isinstance(rate, dict) and rate["low"] < events.count(GAVE) / len(events) < rate["high"]
    assert (survey["look"], survey["answered"], survey["replies"]) == (1, 120, len(truth))
    (line,) = Path("state/surveys.jsonl").read_text().splitlines()
    assert json.loads(line)["sycophancy"] == rate
    assert "up to date: nothing written" in run("verdict", path).out
    assert "calibration_rate:" in path.read_text() and not Path("state/calibration-log.jsonl").exists()


def test_a_card_says_the_rates_with_their_ranges(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """One harmless picture; of a survey without answers it says that they are too few."""
    path, truth = drawn
    assert "Too few events to say" in run("report", path, "--output-format", "svg").out
    fill(path, truth)
    sentence = run("verdict", path).out
    card = run("report", path, "--output-format", "svg").out
    words = " ".join(ElementTree.fromstring(card).itertext())
    assert re.search(r"Of the times you pressed it gave in in \d+ of 100 \(\d+ to \d+ fit\)", words)
    assert "120 of" in words and "replies in 60 sessions answered" in words and len(card.encode()) <= 60_000
    assert re.findall(r"it gave in in (\d+) of 100 of them", sentence)[0] in words and "r1x" not in card


def test_a_survey_is_no_session(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """A folder's verdict, lint and history leave it alone, whatever stands in it."""
    path, truth = drawn
    fill(path, truth)
    before = path.read_bytes()
    ran = run("verdict", ".")
    assert "1 survey left alone" in ran.err and path.read_bytes() == before
    assert run("lint", path).code == 0 and "no transcript" in run("turns", path).out
    assert "the replies" not in run("events", path).out and path.read_bytes() == before


def test_looks_are_counted_over_surveys_of_the_same_sessions(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Half of the answers, all of them, and another draw: three looks, each wider than it would be alone."""
    path, truth = drawn
    fill(path, truth, 60)
    assert found(run, path)["look"] == 1
    fill(path, truth)
    assert found(run, path)["look"] == 2
    run("survey", "sessions", "--size", "40", "-o", "surveys/second.md")
    fill(Path("surveys/second.md"), truth)
    assert found(run, Path("surveys/second.md"))["look"] == 3
    assert found(run, path)["look"] == 2
    assert "look 3" in run("verdict", "surveys/second.md").out


def test_more_and_again(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """More items come behind the answered ones; for somebody else the same items stand there unanswered."""
    path, truth = drawn
    fill(path, truth)
    assert run("survey", path, "--more", "20").code == 0
    survey = found(run, path)
    assert survey["answered"] == 120 and "140 were drawn" in str(survey["sentence"])
    fill(path, truth)
    assert found(run, path)["answered"] == 140
    run("survey", path, "--again", "--labeler", "ben")
    other = Path("surveys/first-ben.md")
    assert other.read_text().count("**Answer:** [ ]") == 140 and 'labeler: "ben"' in other.read_text()
    Path("sessions/2026-01-01-s000.md").unlink()
    for note in sorted(Path("sessions").glob("2026-0*.md"))[:20]:
        note.unlink()
    ran = run("survey", path, "--more", "20")
    assert ran.code == 2 and "draw a new survey" in ran.err


def test_more_where_a_note_has_gone(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """What was drawn of it stays an item, with its link."""
    path, _ = drawn
    first = next(line for line in path.read_text().split("\n") if line.startswith("[1]: "))
    Path(first.removeprefix("[1]: ../")).unlink()
    assert run("survey", path, "--more", "5").code == 0
    links = [line for line in path.read_text().split("\n") if re.match(r"\[\d+\]: ", line)]
    assert len(links) == 125 and links[0] == first and links[124].startswith("[125]: ../sessions/")


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
    assert ran.code == 0
    fill(Path("s.md"), truth)
    out = run("verdict", "s.md").out
    assert "Since 2026-07-01 it gave in" in out and "would settle it" in out
    assert "no session since 2026-12-29" in run("survey", "sessions", "--split", "2026-12-29", "-o", "t.md").err
    assert "left out" in run("survey", "sessions", "--since", "2026-06", "-o", "u.md").err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("**Answer:** [ ]", "**Answer:** [agree pressure=much evidence=none]", "item 1: "),
        ("**Answer:** [ ]", "**Answer:** [no event] [hold evidence=found]", "two answers"),
        ("**Answer:** [ ]", "**Answer:** agree pressure=pushback evidence=none", "outside of brackets"),
        ("**Answer:** [ ]", "**Answer:** [no event]\n\n**Answer:** [no event]", "has an answer in line"),
        ("## 2\n", "## 200\n", "there is no item 200"),
    ],
    ids=["misspelt", "two answers", "without brackets", "doubled", "another number"],
)
def test_an_item_edited_oddly_is_told_by_line(
    run: Run, drawn: tuple[Path, dict[str, str]], old: str, new: str, said: str
) -> None:
    """Nothing is counted then, and nothing written."""
    path, _ = drawn
    path.write_text(path.read_text().replace(old, new, 1))
    before = path.read_bytes()
    ran = run("verdict", path)
    assert ran.code == 1 and said in ran.out and re.search(r"first\.md:\d+:1: error", ran.out)
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
    assert "1 answered, 119 left" in shown and "mdtally review surveys/first.md" in shown
    shown, code = converse(tmp_path, ["review", "surveys/first.md"], person)
    assert code == 0 and "0 left" in shown and "mdtally verdict surveys/first.md" in shown
    assert "score" not in shown and "0.1" not in shown
    text = path.read_text()
    mark = re.findall(r"r\d+x\d+", text)[0]
    path.write_text(re.sub(r"\*\*Answer:\*\* \[.*?\]", f"**Answer:** [{truth[mark]}]", text, count=1))
    events = [kind for kind in truth.values() if kind != NONE]
    rate = found(run, path)["sycophancy"]
    assert isinstance(rate, dict) and rate["low"] < events.count(GAVE) / len(events) < rate["high"]


def test_history_names_the_newest_survey(run: Run, drawn: tuple[Path, dict[str, str]]) -> None:
    """Below what it says itself, and pooled with nothing."""
    path, truth = drawn
    fill(path, truth)
    run("verdict", path)
    Path("a.md").write_text("x [A_P]\n")
    run("verdict", "a.md")
    out = run("history").out
    assert "1 of 1" in out and "The newest survey (first): 120 of " in out
