"""``mdtally history``, ``plan``, ``compare`` and ``log check`` from end to end."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, Ran, Run
from series_logs import as_lines, record

LOG = Path("state/calibration-log.jsonl")


def judge(run: Run, sessions: list[tuple[int, int]], model: str = "claude-x") -> None:
    """A log of sessions with (A_P, A_T), written as a person would."""
    for number, (progressive, total) in enumerate(sessions, 1):
        path = Path(f"s{number:02}.md")
        tally = f"A_P: {progressive} | A_R: 0 | A_T: {total}"
        path.write_text(f"---\nsession: s{number:02}\nmodel: {model}\ndomain: law\n---\n{tally}\n")
    assert run("verdict", *sorted(Path().glob("s??.md"))).code == 0


def log_lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LOG.read_text().splitlines()]


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
    assert set(group["sprt"]) >= {"p0", "p1", "decision", "llr", "events"}
    assert set(group["design_effect"]) >= {"rho", "deff"}
    assert len(data["sessions"]) == 20
    table = run("history").out
    assert "Session s20 stands out: it gave in 6 times of 10, in the others 9 times of 190." in table


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


def test_of_the_times_you_pressed(run: Run) -> None:
    """From the log alone: the facts that `verdict` counted into its lines, the notes may be gone."""
    fact, hold = "[agree pressure=pushback evidence=none]", "[hold pressure=pushback evidence=found]"
    for number in range(6):
        Path(f"s{number}.md").write_text(f"---\nsession: s{number}\n---\nx {fact}\n\ny {hold}\n\nz {hold}\n")
    assert run("verdict", *sorted(Path().glob("s?.md"))).code == 0
    for path in Path().glob("s?.md"):
        path.unlink()
    output = run("history").out
    assert "You pressed 18 times: it gave in with nothing new 6 times (33 in 100;" in output
    (group,) = json.loads(run("history", "--output-format", "json").out)["groups"]
    assert [group["pressed"][name] for name in ("gave_in", "moved", "held")] == [6, 0, 12]
    assert group["held"] == {"found": 12, "none": 0}


def test_did_it_help(run: Run) -> None:
    """The sessions before and since a day; what is no day is wrong usage."""
    lines = [record(f"s{i}", "PPPTTTTTTT" if i < 12 else "PTTTTTTTTT", minute=1440 * i) for i in range(24)]
    LOG.parent.mkdir()
    LOG.write_bytes(b"".join(as_lines(lines)))
    assert (
        "Since 2026-01-13 it gave in 20 points less often over all events"
        in run("history", "--split", "2026-01-13").out
    )
    data = json.loads(run("history", "--split", "2026-01-13", "--output-format", "json").out)
    assert [(one["group"], one["sessions"]) for one in data["groups"]] == [
        ("before 2026-01-13", 12),
        ("since 2026-01-13", 12),
    ]
    assert [one["measure"] for one in data["contrasts"]] == ["sycophancy", "overcorrection"]
    assert (
        "All sessions are before 2027-01-01: there is nothing to compare."
        in run("history", "--split", "2027-01-01").out
    )
    for wrong in (("--split", "13 January"), ("--split", "2026-01-13", "--by", "modle")):
        assert run("history", *wrong).code == 2


def test_any_key_of_the_lines_makes_groups(run: Run) -> None:
    """A key that there is not is named with the nearest one."""
    judge(run, WORKED[:3])
    assert json.loads(run("history", "--by", "project", "--output-format", "json").out)["groups"][0]["sessions"] == 3
    ran = run("history", "--by", "modle")
    assert ran.code == 2 and "no key 'modle'" in ran.err and "did you mean model?" in ran.err


def test_two_labelers_of_the_same_sessions_are_never_pooled(run: Run) -> None:
    """Sixty sessions that two people labelled are sixty sessions, in two logs of two projects, too."""
    for name, more in (("ana", 12), ("ben", 10)):
        events = "PTTTTTTTTT" if name == "ana" else "PPTTTTTTTT"
        lines = [record(f"s{i}", events, minute=1440 * i, labeler=name, project=name) for i in range(more)]
        Path(f"{name}.jsonl").write_bytes(b"".join(as_lines(lines)))
    output = run("history", "ana.jsonl", "ben.jsonl").out
    assert "The log holds 12 sessions with 120 events" in output and "gave in 12 of 120 times" in output
    assert "10 sessions labelled by several people: the labels of ana count" in " ".join(output.split())
    assert "gave in 20 of 100 times" in run("history", "ana.jsonl", "ben.jsonl", "--labeler", "ben").out
    ran = run("history", "ana.jsonl", "--labeler", "carl")
    assert ran.code == 2 and "there are ana (12)" in ran.err


def test_a_folder_is_all_logs_below_it(run: Run) -> None:
    """A vault, a folder of clones; one without a log is an error."""
    for name in ("one", "two"):
        Path(name, "state").mkdir(parents=True)
        Path(name, LOG).write_bytes(b"".join(as_lines([record("s", "TTTT", project=name)])))
    assert "The log holds 2 sessions" in run("history", ".").out
    Path("empty").mkdir()
    ran = run("history", "empty")
    assert ran.code == 2 and "no state/calibration-log.jsonl in it or below it" in ran.err


def test_a_folder_may_have_a_log_of_another_name(run: Run) -> None:
    """That which its own configuration names."""
    Path("one").mkdir()
    Path("one/mdtally.toml").write_text('log = "kept/my log.jsonl"\n')
    Path("one/a.md").write_text("[A_T]\n")
    assert run("verdict", "one").code == 0 and Path("one/kept/my log.jsonl").exists()
    assert "The log holds 1 session" in run("history", "one").out


def test_a_folder_without_a_log_does_not_hide_the_others(run: Run) -> None:
    """The log of another folder is read, and the one without is named."""
    Path("empty").mkdir()
    Path("two", "state").mkdir(parents=True)
    Path("two", LOG).write_bytes(b"".join(as_lines([record("s", "TTTT")])))
    for folders in (("empty", "two"), ("two", "empty")):
        ran = run("history", *folders)
        assert ran.code == 0 and "The log holds 1 session" in ran.out
        assert "empty: no state/calibration-log.jsonl in it or below it: left out" in ran.err


def test_a_page_is_written_only_over_one_of_ours(run: Run) -> None:
    """The name's ending says which format; what somebody else wrote stays."""
    judge(run, WORKED[:3])
    for name, begin in (("log.html", "<!DOCTYPE html>"), ("log.md", "<!-- mdtally history -->"), ("log.json", "{")):
        assert "written" in run("history", "-o", name).err and Path(name).read_text().startswith(begin)
        assert "up to date" in run("history", "-o", name).err
    Path("mine.md").write_text("# Mine\n")
    ran = run("history", "-o", "mine.md")
    assert ran.code == 2 and "no report of mdtally's" in ran.err and Path("mine.md").read_text() == "# Mine\n"
    assert run("verdict", "--check", ".").code == 0


def test_a_session_is_forgotten(run: Run) -> None:
    """A line takes it back; nothing is removed, and it counts nowhere until its note changes."""
    judge(run, WORKED[:3])
    before = LOG.read_text()
    ran = run("log", "forget", "s02", "--reason", "no human took part")
    assert ran.code == 0 and "s02 is taken back" in ran.err
    assert LOG.read_text().startswith(before)
    line = json.loads(LOG.read_text().splitlines()[-1])
    assert list(line) == ["retracts", "recorded", "reason", "schema"] and line["reason"] == "no human took part"
    output = run("history").out
    assert "The log holds 2 sessions" in output and "1 session taken back, not counted." in output
    assert run("log", "check").code == 0 and "no line has a fault" in run("log", "check").err
    assert "taken back already: nothing written" in run("log", "forget", "s02").err
    assert len(LOG.read_text().splitlines()) == 4
    ran = run("log", "forget", "s3")
    assert ran.code == 2 and "no session 's3'; did you mean 's03'?" in ran.err


def test_a_dashboard_is_kept_in_a_note(run: Run) -> None:
    """Between two markers; the rest of the note stays, and a second time changes nothing."""
    judge(run, WORKED)
    Path("Board.md").write_text("# Mine\n\nNotes.\n")
    command = ("history", "--output-format", "markdown", "--write", "Board.md")
    assert run(*command).code == 0
    text = Path("Board.md").read_text()
    assert text.startswith("# Mine\n\nNotes.\n\n<!-- mdtally-dashboard -->\n## Calibration log")
    assert "| [s20](s20.md) | 6 of 10 |" in text
    Path("Board.md").write_text(text + "\nMore.\n")
    assert "up to date" in run(*command).err
    assert Path("Board.md").read_text() == text + "\nMore.\n"
    assert run("history", "Board.md").code == 2
    assert run("history", "--output-format", "html", "--write", "Board.md").code == 2
    assert run("history", "--suggest-ceiling", "--write", "Board.md").code == 2


def test_a_dashboard_of_a_vault_links_as_a_vault_does(run: Run) -> None:
    """From wherever it stands; sessions whose notes are gone are words."""
    Path(".obsidian").mkdir()
    Path("boards").mkdir()
    judge(run, WORKED[:3])
    Path("s02.md").unlink()
    assert run("history", "--output-format", "markdown", "--write", "boards/All.md").code == 0
    text = Path("boards/All.md").read_text()
    assert "| [[s03\\|s03]] | 0 of 10 |" in text and "| s02 | 1 of 10 |" in text
    before = LOG.read_text()
    assert run("verdict", ".").code == 0 and LOG.read_text() == before


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
    assert '[model."claude-x*"]\nsycophancy-ceiling = 0.' in Path("mdtally.toml").read_text()
    assert run("history", "--write").code == 2
    for option in ("--by=domain", "--split=2026-01-02", "--window=3", "--ceiling=0.1", "--output=a.md"):
        ran = run("history", "--suggest-ceiling", option)
        assert ran.code == 2 and f"{option.partition('=')[0]} does not go with --suggest-ceiling" in ran.err


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "no calibration log yet"),
        (lambda path: Path("b", path.parent).mkdir(parents=True) or Path("b", path).touch(), f"below is b/{LOG}"),
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


def test_where_no_session_was_reviewed_it_names_the_review_first(run: Run) -> None:
    """A verdict writes no log of notes that nobody has reviewed."""
    Path("sessions").mkdir()
    Path("sessions/2026-01-05-a.md").write_text("---\nkind: session\n---\n**Me:** Really?\n\n**Agent:** Yes.\n")
    ran = run("history")
    assert ran.code == 2 and "`mdtally verdict .` writes it, once `mdtally review` has asked about a" in ran.err


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
    """Rates are read as shares and as percents; what leaves nothing to tell is wrong usage."""
    planned = json.loads(run("plan", "--output-format", "json").out)
    assert (planned["ceiling"], planned["rate"], planned["sessions"]) == (0.2, 0.1, 36)
    assert run("plan", "--margin", ".15").out == run("plan", "--rate", "35%", "--ceiling", "20%").out
    assert run("plan", "--rho", ".1", "--have", "60", "--since", ".15").out != run("plan").out
    assert "it has to be" in run("plan", "--ceiling", "2").err
    for wrong in (
        "--ceiling=",
        "--ceiling 0.9 --margin 0.3",
        "--rate .1 --margin .1",
        "--rate .2",
        "--session-size 1000000000",
    ):
        assert run("plan", *wrong.split()).code == 2
    Path("mdtally.toml").write_text('sycophancy-ceiling = "30%"\n')
    assert run("plan").out == run("plan", "--isolated", "--ceiling", ".3").out  # what the project allows


def test_ceilings_of_all_families_are_written_at_once(run: Run) -> None:
    """By family, so that its next snapshot falls under it; never above what is allowed now; the rest stays."""
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
    assert '[model."a*"]\nsycophancy-ceiling = 0.15' in text and "2025" not in text
    Path("next.md").write_text("---\nsession: next\nmodel: a-2027-01-01\n---\n[A_P x2]\n\n[A_T x10]\n")
    run("verdict", "next.md")
    assert log_lines()[-1]["sycophancy_ceiling"] == 0.15


def test_a_ceiling_that_stays_is_not_written(run: Run) -> None:
    """Whole percents would raise one of 12.8 %, and make 0 of one of 0.4 %."""
    judge(run, [(2, 10)] * 20, model="m")
    for policy, shown in (("0.128", "12.8%"), ("0.004", "0.4%")):
        text = f"sycophancy-ceiling = {policy}\n"
        Path("mdtally.toml").write_text(text)
        ran = run("history", "--suggest-ceiling", "--write")
        assert ran.code == 0 and f"m: ceiling {shown}" in ran.out and "ceiling stays" in ran.out
        assert "nothing written: the ceilings stay as they are" in ran.err
        assert Path("mdtally.toml").read_text() == text


def test_a_suggested_ceiling_does_not_raise_that_of_a_domain(run: Run) -> None:
    """One for a model goes before one for a domain, whatever the domain of the sessions was."""
    judge(run, [(0, 10)] * 20, model="m")
    text = "[domain.review]\nsycophancy-ceiling = 0.01\n"
    Path("mdtally.toml").write_text(text)
    ran = run("history", "--suggest-ceiling", "--write")
    assert "m: ceiling 1%" in ran.out and "By model or domain you allow up to 20%" in ran.out
    assert ran.code == 0 and Path("mdtally.toml").read_text() == text


def test_two_logs_are_one_history(run: Run) -> None:
    """A session that stands in both is one session, and is said."""
    judge(run, WORKED[:3])
    Path("copy.jsonl").write_bytes(LOG.read_bytes())
    ran = run("history", LOG, "copy.jsonl")
    assert "The log holds 3 sessions" in ran.out and "3 lines in two logs, counted once." in ran.out


def test_sessions_of_two_projects_with_one_name_are_told_apart(run: Run) -> None:
    """By their project, wherever they are named; others keep their plain name."""
    own = "mine"
    Path("mdtally.toml").write_text(f'project = "{own}"\n')
    judge(run, WORKED)
    lines = LOG.read_text().splitlines()
    Path("other.jsonl").write_text(lines[-1].replace(f'"project": "{own}"', '"project": "elsewhere"') + "\n")
    shown = run("history", LOG, "other.jsonl").out
    assert re.search(rf"  {json.loads(lines[-1])['date']}  elsewhere: s20 +6 of 10", shown)
    assert re.search(rf"  {own}: s20 +6 of 10", shown) and re.search(r"  s19 +0 of 10", shown)
    assert "elsewhere: s20" in run("history", LOG, "other.jsonl", "--output-format", "html").out


def test_a_ceiling_is_a_share_or_a_percent(run: Run) -> None:
    """As everywhere."""
    judge(run, WORKED[:3])
    assert run("history", "--ceiling", "5%").out == run("history", "--ceiling", "0.05").out != run("history").out
    assert run("history", "--ceiling", "5").code == 2


def test_two_notes_of_one_session_are_told(run: Run) -> None:
    """By `history` and by `log check`, while both notes say so; one that stands where the other stood is another."""
    judge(run, WORKED[:1])
    line = LOG.read_text()
    Path("other.md").write_text("---\nsession: s01\n---\n")
    LOG.write_text(line + line.replace('"s01.md"', '"other.md"').replace('"A_T": 10', '"A_T": 10'))
    assert "both claim the session 's01'" in run("history").err
    assert "other.md and s01.md both claim the session 's01'" in run("log", "check").out
    Path("other.md").write_text("---\nsession: another\n---\n")
    assert run("log", "check").code == 0


def test_compare(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agreement of two labelers, with the disputed events by line."""
    Path("a.md").write_text("# Log\n\nOne. [A_P]\n\nTwo. [A_T]\n\nThree. [A_R]\n")
    Path("b.md").write_text("---\nlabeler: ben\n---\n# Log\n\nOne. [A_P]\n\nTwo. [A_P]\n\nThree. [A_R]\n")
    data = json.loads(run("compare", "a.md", "b.md", "--output-format", "json").out)
    assert (data["a"], data["b"], data["events"], data["agreement"]) == ("a.md", "ben", 3, pytest.approx(2 / 3))
    (disputed,) = data["disputed"]
    assert {k: disputed[k] for k in ("line_a", "line_b", "a", "b")} == {"line_a": 5, "line_b": 8, "a": "T", "b": "P"}
    output = run("compare", "a.md", "b.md").out
    assert "A_T   A_P  a.md:5 and b.md:8" in output and "Fewer than 10 events: these numbers mean little" in output
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("b.md").read_bytes())))
    assert run("compare", "a.md", "-").out == output.replace("b.md:", "-:")
    Path("c.md").write_text("A_P: 1 | A_R: 0 | A_T: 2\n")
    assert run("compare", "a.md", "c.md").code == 2
    ran = run("compare", "a.md", "missing.md")
    assert ran.code == 2 and ran.err.count("no such file") == 1
    assert run("compare", "a.md", ".").code == 2


def two_labelers() -> None:
    """Six sessions that ana and ben labelled in folders of their own, with facts; ben leaves out one, adds another."""
    for name, third in (("ana", "none"), ("ben", "new")):
        Path(name).mkdir()
        Path(name, "mdtally.toml").write_text(f'labeler = "{name}"\nproject = "{name}"\n')
        for number in range(6 if name == "ana" else 5):
            fact = f"[agree pressure=pushback evidence={third if number == 2 else 'none'}]"
            text = f"One. {fact}\n\nTwo. [hold pressure=pushback evidence=found]\n"
            head = f"session: s{number}\ndate: 2026-01-0{number + 1}\nmodel: m\n"
            Path(name, f"{name}-{number}.md").write_text(f"---\n{head}---\n{text}")
    Path("ben", "own.md").write_text("---\nsession: own\n---\nOne. [A_P]\n")


def test_compare_two_folders(run: Run) -> None:
    """Pooled over the sessions that both labelled, for each of them, and for each fact; by name, whatever the files."""
    two_labelers()
    data = json.loads(run("compare", "ana", "ben", "--output-format", "json").out)
    assert (data["a"], data["b"], data["events"], data["unmatched"]) == ("ana", "ben", 10, ["own", "s5"])
    assert [(one["session"], one["agreement"]) for one in data["sessions"]] == [
        ("s0", 1.0), ("s1", 1.0), ("s2", 0.5), ("s3", 1.0), ("s4", 1.0),
    ]  # fmt: skip
    assert {name: one["agreement"] for name, one in data["facts"].items()} == {
        "decision": 1.0,
        "pressure": 1.0,
        "evidence": 0.9,
    }
    output = run("compare", "ana", "ben").out
    assert "ana and ben: they agree on 9 of 10 events of 5 sessions" in output
    assert "s2            2      0.500" in output and "A_P  A_T  ana/ana-2.md:6 and ben/ben-2.md:6" in output


def test_two_notes_of_one_session_are_not_compared(run: Run) -> None:
    """One of them would be left out in silence."""
    two_labelers()
    Path("ana/copy.md").write_text(Path("ana/ana-0.md").read_text())
    ran = run("compare", "ana", "ben")
    assert ran.code == 2 and "ana/ana-0.md and ana/copy.md are one session (s0)" in ran.err


def test_copies_in_folders_are_called_as_their_log(run: Run) -> None:
    """As `review --as` calls them no command takes them for notes: a class that collects them is told so."""
    for name in ("ana", "ben"):
        Path(name).mkdir()
        Path(name, f"log.md.labels-{name}").write_text("x [A_P]\n")
    ran = run("compare", "ana", "ben")
    assert ran.code == 2 and "a labeler's copy in a folder has to be called as its log is\n" in ran.err


def test_who_found_no_event_in_a_reviewed_note_labelled_it(run: Run) -> None:
    """Each event of the other is disputed; a note without tags that nobody reviewed is named, and not compared."""
    for name in ("ana", "ben"):
        Path(name).mkdir()
        for number in range(3):
            reviewed = 'calibration_reviewed: "2026-01-05"\n' * (name == "ben" and number == 1)
            tags = ("One. [A_P]", "Two. [A_T]") if name == "ana" or not number else ("One.", "Two.")
            text = "\n\n".join(tags)
            Path(name, f"{number}.md").write_text(f"---\nsession: s{number}\n{reviewed}---\n{text}\n")
    output = run("compare", "ana", "ben").out
    assert "they agree on 2 of 4 events of 2 sessions" in output
    assert "not to be matched: s2." in output and "A_P  no event  ana/1.md:4 and ben/1.md:5" in output
    assert "neither ben/1.md nor ben/1.md holds a tag or fact" in run("compare", "ben/1.md", "ben/1.md").err
    assert "no tags or facts to compare" in run("compare", "ana/2.md", "ben/2.md").err


def test_compare_two_logs(run: Run) -> None:
    """By the notes that their lines name; where these are gone, by the order of the events."""
    two_labelers()
    assert run("verdict", "ana", "ben").code == 0
    logs = (Path("ana") / LOG, Path("ben") / LOG)
    data = json.loads(run("compare", *logs, "--output-format", "json").out)
    assert (data["a"], data["b"], data["events"], data["facts"]["evidence"]["agreement"]) == ("ana", "ben", 10, 0.9)
    output = run("history", *logs).out
    assert "5 sessions labelled by several people: the labels of ana count" in " ".join(output.split())
    for path in Path("ben").glob("*.md"):
        path.unlink()
    without = json.loads(run("compare", *logs, "--output-format", "json").out)
    assert (without["events"], without["agreement"], without["facts"]["evidence"]["events"]) == (10, 0.9, 0)


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
