"""``mdtally history``, ``plan``, ``compare`` and ``log check`` from end to end."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, Ran, Run

LOG = Path("state/calibration-log.jsonl")


def judge(run: Run, sessions: list[tuple[int, int]], model: str = "claude-x") -> None:
    """A log of sessions with (A_P, A_T), written as a person would."""
    for number, (progressive, total) in enumerate(sessions, 1):
        path = Path(f"s{number:02}.md")
        tally = f"A_P: {progressive} | A_R: 0 | A_T: {total}"
        path.write_text(f"---\nsession: s{number:02}\nmodel: {model}\ndomain: law\n---\n{tally}\n")
    assert run("verdict", *sorted(Path().glob("s??.md"))).code == 0


WORKED = [(number % 2, 10) for number in range(19)] + [(6, 10)]


def test_the_worked_example(run: Run) -> None:
    """Nineteen sessions at 0 or 1 of 10 and one at 6 of 10: pooled under the ceiling, the spike named."""
    judge(run, WORKED)
    ran = run("history", "--output-format", "json")
    assert ran.code == 0
    data = json.loads(ran.out)
    (group,) = data["groups"]
    assert (group["sessions"], group["events"], group["A_P"]) == (20, 200, 15)
    assert group["rolling"]["rate"] < 0.2
    assert group["spikes"] == ["s20"]
    assert group["hidden_spikes"] == ["s20"]
    assert set(group["sprt"]) >= {"p0", "p1", "decision", "llr", "events"}
    assert set(group["design_effect"]) >= {"rho", "deff"}
    assert len(data["sessions"]) == 20
    table = run("history").out
    assert "Session s20 stands out: it gave in 6 times of 10, the others 9 times of 190." in table


@pytest.mark.parametrize("name", ["table", "json", "markdown", "html"])
def test_every_format_prints(run: Run, name: str) -> None:
    """From the same log; the page is whole and needs no script."""
    judge(run, WORKED)
    ran = run("history", "--output-format", name)
    assert ran.code == 0
    assert "s20" in ran.out
    if name == "html":
        assert ran.out.startswith("<!DOCTYPE html>")
        assert ran.out.rstrip().endswith("</html>")
        assert "<script" not in ran.out


def test_evidence_is_counted_over_all_notes_by_group(run: Run) -> None:
    """However many there are; a group's notes are its own, and those that are gone are counted."""
    text = "---\nsession: n000\nmodel: a\n---\n[agree pressure=pushback evidence=none]\n"
    Path("n000.md").write_text(text)
    run("verdict", "n000.md")
    (line,) = LOG.read_text().splitlines()
    others = [line]
    for number in range(1, 230):
        name, model = f"n{number:03}", "ab"[number % 2]
        Path(f"{name}.md").write_text(text)
        others.append(line.replace("n000", name).replace('"model": "a"', f'"model": "{model}"'))
    LOG.write_text("\n".join(others) + "\n")
    found = json.loads(run("history", "--by", "model", "--output-format", "json").out)["evidence"]
    assert [(one["group"], one["notes"], one["caved"]) for one in found] == [("a", 115, 115), ("b", 115, 115)]
    Path("n000.md").unlink()
    output = run("history").out
    assert "under pressure 229 times of 229" in output and "not found: 1 note that the log names" in output


def test_stakes_stand_in_the_notes(run: Run) -> None:
    """A group for each word; notes that say nothing are one."""
    for name, stakes in (("x", "stakes: high\n"), ("y", "stakes: low\n"), ("z", "")):
        Path(f"{name}.md").write_text(f"---\nkind: session\n{stakes}---\nA_P: 0 | A_R: 0 | A_T: 12\n")
    run("verdict", "x.md", "y.md", "z.md")
    groups = json.loads(run("history", "--by", "stakes", "--output-format", "json").out)["groups"]
    assert {group["group"]: group["sessions"] for group in groups} == {"high": 1, "low": 1, None: 1}


def test_a_dashboard_is_kept_in_a_note(run: Run) -> None:
    """Between two markers; the rest of the note stays, and a second time changes nothing."""
    judge(run, WORKED)
    Path("Board.md").write_text("# Mine\n\nNotes.\n")
    command = ("history", "--output-format", "markdown", "--write", "Board.md")
    assert run(*command).code == 0
    text = Path("Board.md").read_text()
    assert text.startswith("# Mine\n\nNotes.\n\n<!-- mdtally-dashboard -->\n# Calibration log")
    Path("Board.md").write_text(text + "\nMore.\n")
    assert "up to date" in run(*command).err
    assert Path("Board.md").read_text() == text + "\nMore.\n"
    assert run("history", "Board.md").code == 2
    assert run("history", "--output-format", "html", "--write", "Board.md").code == 2
    assert run("history", "--suggest-ceiling", "--write", "Board.md").code == 2


def test_a_ceiling_is_suggested_after_twenty_sessions(run: Run) -> None:
    """Refused before, with the count, which is no finding; written into the configuration on demand, and where it
    can't be, that is one."""
    judge(run, WORKED[:19])
    refused = run("history", "--suggest-ceiling")
    assert "19 of 20" in refused.out
    assert refused.code == 0
    unwritten = run("history", "--suggest-ceiling", "--write")
    assert unwritten.code == 1
    assert "nothing written: no family has enough sessions" in unwritten.err
    assert not Path("mdtally.toml").exists()
    judge(run, WORKED)
    ran = run("history", "--suggest-ceiling", "--output-format", "json")
    assert ran.code == 0
    assert not Path("mdtally.toml").exists()
    assert run("history", "--suggest-ceiling", "--write").code == 0
    assert "[model.claude-x]\nsycophancy-ceiling = 0." in Path("mdtally.toml").read_text()
    assert run("history", "--write").code == 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "no calibration log yet"),
        (lambda path: path.mkdir(parents=True), "directory"),
        (lambda path: path.write_text('{"level": "info", "msg": "started"}\n' * 3), "not a calibration log"),
    ],
)
def test_what_is_no_log_is_a_clear_error(run: Run, make: object, words: str) -> None:
    """Missing, a folder, another program's."""
    LOG.parent.mkdir()
    make(LOG)  # type: ignore[operator]
    for arguments in (("history",), ("history", LOG)):
        ran = run(*arguments)
        assert ran.code == 2
        assert "Traceback" not in ran.err
    assert words in run("history").err


def test_a_torn_last_line_is_named_and_passed_over(run: Run) -> None:
    """By a note and exit code 1; log check has its number."""
    judge(run, WORKED[:2])
    whole = LOG.read_bytes()
    LOG.write_bytes(whole + whole[:80])
    ran = run("history")
    assert ran.code == 1
    assert f"{LOG}:3" in ran.err.replace(str(Path.cwd()) + "/", "")
    assert "2 sessions" in ran.out
    checked = run("log", "check")
    assert checked.code == 1
    assert ":3" in checked.out
    assert LOG.read_bytes() == whole + whole[:80]


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams the way a POSIX shell does")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(run: Run, closed: str) -> None:
    """A program may be started without any of its standard streams."""
    judge(run, WORKED[:2])
    command = f'exec "$0" -m mdtally history --output-format json {closed}'
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ran = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, text=True, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (">&-" in closed.replace("2>&-", "")) or json.loads(ran.stdout)["groups"]


def test_log_check_names_conflicts_and_duplicates(run: Run) -> None:
    """Lines that a merge leaves behind."""
    judge(run, WORKED[:2])
    first, second = LOG.read_text().splitlines()
    LOG.write_text(f"<<<<<<< HEAD\n{first}\n=======\n{second}\n>>>>>>> other\n{first}\n")
    ran = run("log", "check", "--output-format", "json")
    assert ran.code == 1
    # The copy stands behind a line that may have been written a second later.
    lines = {problem["line"] for problem in json.loads(ran.out)["problems"]}
    assert lines == {1, 3, 5, 6}


def test_plan(run: Run) -> None:
    """Rates are read as shares and as percents; what leaves no room for a test is wrong usage."""
    assert json.loads(run("plan", "--output-format", "json").out)["false_h1"] == pytest.approx(0.041, abs=5e-4)
    assert run("plan", "--ceiling", ".20", "--margin", ".15", "--rho", ".1").out != run("plan").out
    assert run("plan", "--ceiling", "0.9", "--margin", "0.3").code == 2
    assert run("plan", "--ceiling", "20%", "--margin", "15%").out == run("plan").out
    assert "it has to be" in run("plan", "--ceiling", "2").err
    assert "69 events on" in run("plan").out and "72 events on" not in run("plan", "--power", "0.9").out


def test_ceilings_of_all_families_are_written_at_once(run: Run) -> None:
    """Under the models that the log names, never above what is allowed now; the rest of the file stays."""
    lines = []
    for model, progressive in (("a-2025-01-01", 1), ("a-2025-06-01", 1), ("b", 5)):
        judge(run, [(progressive, 10)] * 12, model=model)
        lines += [line.replace('"session": "', f'"session": "{model}') for line in LOG.read_text().splitlines()[-12:]]
        LOG.unlink()
    LOG.write_text("\n".join(lines) + "\n")
    Path("mdtally.toml").write_text("# mine\nsycophancy-ceiling = 0.25\n")
    ran = run("history", "--suggest-ceiling", "--write")
    assert ran.code == 0 and "a: ceiling 15%" in ran.out and "b: no ceiling suggested: 12 of 20" in ran.out
    text = Path("mdtally.toml").read_text()
    assert text.startswith("# mine\nsycophancy-ceiling = 0.25\n")
    assert "2025-01-01" in text and "2025-06-01" in text and text.count("sycophancy-ceiling = 0.15") == 2
    over = run("history", "--suggest-ceiling", "--rate", "overcorrection", "--output-format", "json").out
    assert json.loads(over)["suggestions"][0]["policy"] == 0.95


def test_a_verdict_shows_the_test_of_its_own_session(run: Run) -> None:
    """With -v, event by event where they are known."""
    Path("s.md").write_text("".join("[A_P] again\n\n" for _ in range(6)) + "[A_T x9]\n")
    assert "1 test: 0 favoured 20% over 35%, 1 35% over 20%" in run("verdict", "-v", "s.md").out
    assert "sequential test" not in run("verdict", "s.md").out


def test_two_logs_are_one_history(run: Run) -> None:
    """A session that stands in both is one session, and is said."""
    judge(run, WORKED[:3])
    Path("copy.jsonl").write_bytes(LOG.read_bytes())
    ran = run("history", LOG, "copy.jsonl")
    assert "The log holds 3 sessions" in ran.out and "3 lines in two logs, counted once." in ran.out


def test_sessions_of_two_projects_with_one_name_are_told_apart(run: Run) -> None:
    """By their project, wherever they are named; others keep their plain name."""
    judge(run, WORKED)
    lines = LOG.read_text().splitlines()
    own = json.loads(lines[0])["project"]
    Path("other.jsonl").write_text(lines[-1].replace(f'"project": "{own}"', '"project": "elsewhere"') + "\n")
    shown = run("history", LOG, "other.jsonl").out
    assert re.search(rf"  {json.loads(lines[-1])['date']}  elsewhere: s20 +gave in 6 times", shown)
    assert re.search(rf"{own}: s20 +gave in 6 times", shown) and re.search(r"  s19 +gave in", shown)
    assert "elsewhere: s20" in run("history", LOG, "other.jsonl", "--output-format", "html").out


def test_a_ceiling_is_a_share_or_a_percent(run: Run) -> None:
    """As everywhere."""
    judge(run, WORKED[:3])
    assert run("history", "--ceiling", "5%").out == run("history", "--ceiling", "0.05").out != run("history").out
    assert run("history", "--ceiling", "5").code == 2


def test_two_notes_of_one_session_are_told(run: Run) -> None:
    """By `history` and by `log check`, while both notes exist."""
    judge(run, WORKED[:1])
    line = LOG.read_text()
    Path("other.md").write_text("x\n")
    LOG.write_text(line + line.replace('"s01.md"', '"other.md"').replace('"A_T": 10', '"A_T": 10'))
    assert "both claim the session 's01'" in run("history").err
    assert "other.md and s01.md both claim the session 's01'" in run("log", "check").out
    Path("s01.md").unlink()
    assert run("log", "check").code == 0


def test_compare(run: Run) -> None:
    """Agreement of two labelers, with the disputed events by line."""
    Path("a.md").write_text("# Log\n\nOne. [A_P]\n\nTwo. [A_T]\n\nThree. [A_R]\n")
    Path("b.md").write_text("# Log\n\nOne. [A_P]\n\nTwo. [A_P]\n\nThree. [A_R]\n")
    data = json.loads(run("compare", "a.md", "b.md", "--output-format", "json").out)
    assert (data["events"], data["agreement"]) == (3, pytest.approx(2 / 3))
    (disputed,) = data["disputed"]
    assert {k: disputed[k] for k in ("line_a", "line_b", "a", "b")} == {"line_a": 5, "line_b": 5, "a": "T", "b": "P"}
    assert "a.md:5 and b.md:5" in run("compare", "a.md", "b.md").out
    Path("c.md").write_text("A_P: 1 | A_R: 0 | A_T: 2\n")
    assert run("compare", "a.md", "c.md").code == 2
    assert run("compare", "a.md", "missing.md").code == 2


def test_a_log_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash reads a log from a pipe, beside others, and says the same of it; its bad lines are named by the dash."""
    judge(run, WORKED)
    expected = run("history", LOG, "--output-format", "json").out
    text = LOG.read_bytes()

    def piped(data: bytes, *words: object) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return run("history", *words)

    assert piped(text, "-", "--output-format", "json").out == expected
    halves = text.splitlines(keepends=True)
    Path("first.jsonl").write_bytes(b"".join(halves[:9]))
    assert (
        json.loads(piped(b"".join(halves[9:]), "first.jsonl", "-", "--output-format", "json").out)["groups"]
        == (json.loads(expected)["groups"])
    )
    torn = piped(text[:-20], "-")
    assert torn.code == 1
    assert torn.err.startswith("-:20: ")
    assert piped(b"{}\n", "-").code == 2
