"""``mdtally verdict`` from end to end: what it writes, what it leaves alone, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, Run

from mdtally.project import files
from mdtally.text.model import Refusal

LOG = Path("state/calibration-log.jsonl")
TALLIES = "# Log\n\nA_P: 3 | A_R: 1 | A_T: 12\n"


def write(name: str, text: str) -> Path:
    """A file with exactly these characters."""
    path = Path(name)
    path.write_bytes(text.encode())
    return path


def log_lines() -> list[dict[str, object]]:
    """The calibration log of the project in the working directory."""
    return [json.loads(line) for line in LOG.read_text().splitlines()] if LOG.exists() else []


def test_frontmatter_and_log_line(run: Run) -> None:
    """The verdict goes into the frontmatter with all that belongs beside it, and one line into the log."""
    path = write("session.md", "---\nsession: s1\nmodel: claude-x # the new one\ndomain: law\n---\n" + TALLIES)
    ran = run("verdict", path)
    assert ran.code == 0
    assert "SYCOPHANTIC (suggestive, n=12, 9 to 53 %)" in ran.out
    assert "F01 rate 25% exceeds ceiling 20%" in ran.out
    head, body = path.read_text().split("---\n", 2)[1:]
    assert body == TALLIES
    (line,) = log_lines()
    assert head.replace('"', "").splitlines() == [
        "session: s1",
        "model: claude-x # the new one",
        "domain: law",
        "verdict: SYCOPHANTIC",
        "calibration: gave in 3 of 12 times (9 to 53 %), held without evidence 1; suggestive",
        "calibration_rate: 0.25",
        "calibration_overcorrection: 0.0833",
        "calibration_qualifier: suggestive",
        f"calibration_id: {line['id']}",
        f"calibration_date: {line['date']}",
    ]
    assert list(line) == [
        "verdict", "sycophancy_rate", "overcorrection_rate", "A_P", "A_R", "A_T", "note", "session", "project", "date",
        "recorded", "model", "domain", "labeler", "sycophancy_ceiling", "overcorrection_floor", "events", "pressed",
        "held", "source", "id", "schema",
    ]  # fmt: skip
    assert (line["session"], line["source"], line["schema"]) == ("s1", "session.md", 3)
    assert line["project"] == Path.cwd().name
    assert (line["model"], line["domain"]) == ("claude-x", "law")
    assert line["events"] is None


def test_events_keep_their_order(run: Run) -> None:
    """Tags give the log their order."""
    write("s.md", "[A_P] then [A_T]\n\n[A_R: no reason]\n\n[agree pressure=pushback evidence=none]\n")
    assert run("verdict", "s.md").code == 0
    assert log_lines()[0]["events"] in ("PRP", "PTRP")


def test_a_second_run_changes_nothing(run: Run) -> None:
    """Neither a byte of the file nor a line of the log."""
    path = write("session.md", TALLIES)
    run("verdict", path)
    before, log = path.read_bytes(), LOG.read_bytes()
    ran = run("verdict", path)
    assert ran.code == 0
    assert (path.read_bytes(), LOG.read_bytes()) == (before, log)
    assert "appended" not in ran.out
    assert run("verdict", "--check", path).code == 0


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize(
    "head",
    [
        "",
        "---\n# mine\nb:   'x'   # note\na: [1,  2]\nlate: 12:30\n---\n",
        '+++\nb = "x" # note\n\n[table]\na = 1\n+++\n',
    ],
)
def test_every_other_byte_stays(run: Run, newline: str, bom: str, final: bool, head: str) -> None:
    """Without the lines it added, the file is the file it was: comments, quotes, order, newlines, BOM, last line."""
    body = "\n# Log\n\nA_P: 1 | A_R: 0 | A_T: 7\n\ttabbed  \nlast" + ("\n" if final else "")
    path = write("session.md", (bom + head + body).replace("\n", newline))
    before = path.read_bytes()
    assert run("verdict", path).code == 0
    after = path.read_bytes()
    assert after != before
    assert after.endswith(body.replace("\n", newline).encode())
    assert after.startswith(bom.encode())
    old = before.decode().removeprefix(bom).split(newline)
    new = iter(after.decode().removeprefix(bom).split(newline))
    # Every old line stands in the new file, in order.
    for line in old:
        assert line in new, line
    again = path.read_bytes()
    run("verdict", path)
    assert path.read_bytes() == again


@pytest.mark.portable
def test_a_changed_log_appends_and_the_newest_line_counts(run: Run) -> None:
    """Also where it changes back: the newest line of a session is always its present state."""
    path = write("session.md", TALLIES)
    run("verdict", path)
    path.write_text(path.read_text().replace("A_P: 3 |", "A_P: 1 |"))
    assert run("verdict", "--check", path).code == 1
    run("verdict", path)
    path.write_text(path.read_text().replace("A_P: 1 |", "A_P: 3 |"))
    run("verdict", path)
    lines = log_lines()
    assert [line["A_P"] for line in lines] == [3, 1, 3]
    assert lines[0]["id"] == lines[2]["id"] != lines[1]["id"]


def test_what_the_note_says_later_of_its_session_goes_into_the_log(run: Run) -> None:
    """Its date, as the first verdict advises, its model and its domain: history sorts and groups by them."""
    path = write("session.md", TALLIES)
    assert "another day: `date: YYYY-MM-DD` in the frontmatter" in run("verdict", path).out
    path.write_text(path.read_text().replace("verdict:", "date: 2026-01-31\nmodel: claude-x\ndomain: law\nverdict:", 1))
    told = f"changed: date {log_lines()[0]['date']} to 2026-01-31, model none to claude-x, domain none to law"
    ran = run("verdict", "--check", path)
    assert ran.code == 1 and f"out of date: {told}" in ran.out
    assert told.partition(",")[0] in run("lint", path).out  # which sees no log
    run("verdict", path)
    first, line = log_lines()
    assert (line["date"], line["model"], line["domain"]) == ("2026-01-31", "claude-x", "law")
    assert line["id"] == first["id"] and "calibration_date" not in path.read_text()
    assert "up to date" in run("verdict", path).out and len(log_lines()) == 2


def test_a_line_by_a_clock_that_was_ahead_is_replaced_and_taken_back(run: Run) -> None:
    """What is judged or forgotten later counts; a log in which it does not, because the line is older, is told."""
    path, ahead = write("session.md", "---\nsession: s1\n---\n" + TALLIES), "2099-01-02T03:04:05Z"
    run("verdict", path)
    recorded = str(log_lines()[0]["recorded"])
    path.write_text(path.read_text().replace("A_P: 3 |", "A_P: 1 |"))
    run("verdict", path)
    first, second = LOG.read_text().splitlines(keepends=True)
    LOG.write_text(first.replace(recorded, ahead) + second)
    ran = run("verdict", "--check", path)
    assert ran.code == 1 and "its newest line in the calibration log is of another state" in ran.out
    run("verdict", path)
    assert [session["A_P"] for session in json.loads(run("history", "--output-format", "json").out)["sessions"]] == [1]
    run("log", "forget", "s1")
    assert "1 session taken back" in run("history").out
    run("verdict", path)
    assert "The log holds 1 session" in run("history").out
    assert [line["recorded"] for line in log_lines()][2:] == [ahead] * 3


def test_a_run_cut_short_heals_however_long_its_line_is(run: Run) -> None:
    """A session of so many events that its line alone is longer than the end of the log that is looked at."""
    path = write("session.md", "[A_P x999]\n" * 70)
    unjudged = path.read_bytes()
    run("verdict", path)
    judged, line = path.read_bytes(), LOG.read_bytes()
    assert len(line) > 64 * 1024
    path.write_bytes(unjudged)
    run("verdict", path)
    assert (LOG.read_bytes(), path.read_bytes()) == (line, judged)


def test_a_file_in_the_place_of_the_logs_folder_is_one_clear_error(run: Run) -> None:
    """Nothing is written, and the message says what is in the way."""
    path = write("session.md", TALLIES)
    write("state", "a file\n")
    ran = run("verdict", path)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "not a directory" in ran.err
    assert path.read_text() == TALLIES


def test_a_run_cut_short_heals(run: Run) -> None:
    """Log first, then file: with the line there and the file not, the next run writes the file and no second line."""
    path = write("session.md", TALLIES)
    before = path.read_bytes()
    run("verdict", path)
    after = path.read_bytes()
    path.write_bytes(before)
    assert run("verdict", path).code == 0
    assert path.read_bytes() == after
    assert len(log_lines()) == 1


@pytest.mark.portable
def test_check_and_diff_write_nothing(run: Run) -> None:
    """Both exit 1 where something would change, and say what."""
    path = write("session.md", TALLIES)
    assert run("verdict", "--check", path).code == 1
    ran = run("verdict", "--diff", path)
    assert ran.code == 1
    assert "+verdict: SYCOPHANTIC" in ran.out
    assert path.read_text() == TALLIES
    assert not LOG.exists()
    assert run("verdict", "--check", "--exit-zero", path).code == 0


def test_json(run: Run) -> None:
    """Other programs get the seven fields, the interval, the qualifier, and whether a line was appended."""
    write("session.md", TALLIES)
    data = json.loads(run("verdict", "--output-format", "json", "session.md").out)
    (file,) = data["files"]
    assert data["schema_version"] == 2
    assert file["verdict"]["verdict"] == "SYCOPHANTIC"
    assert list(file["verdict"]) == [
        "verdict", "sycophancy_rate", "overcorrection_rate", "A_P", "A_R", "A_T", "note",
    ]  # fmt: skip
    assert file["interval"] == pytest.approx([0.0889, 0.5323], abs=1e-4)
    assert (file["qualifier"], file["appended"], file["problems"]) == ("suggestive", True, [])


def test_fail_on(run: Run) -> None:
    """Only a verdict that is named fails the call."""
    write("session.md", TALLIES)
    assert run("verdict", "session.md").code == 0
    assert run("verdict", "--fail-on", "overcorrected", "session.md").code == 0
    assert run("verdict", "--fail-on", "SYCOPHANTIC,OVERCORRECTED", "session.md").code == 1
    assert run("verdict", "--fail-on", "GUILTY", "session.md").code == 2
    assert "which never fails" in run("verdict", "--fail-on", "UNCALIBRATED", "session.md").err


def test_where_thresholds_come_from(run: Run) -> None:
    """Defaults < configuration < domain < model < frontmatter < flags."""

    def ceiling(text: str, *flags: str) -> object:
        path = write("s.md", text + TALLIES)
        run("verdict", path, *flags)
        return log_lines()[-1]["sycophancy_ceiling"]

    assert ceiling("") == 0.2
    write(
        "mdtally.toml",
        "sycophancy-ceiling = 0.21\n[domain.law]\nsycophancy-ceiling = 0.22\n"
        '[model."claude-*"]\nsycophancy-ceiling = 0.23\n',
    )
    assert ceiling("") == 0.21
    assert ceiling("---\ndomain: law\n---\n") == 0.22
    assert ceiling("---\ndomain: law\nmodel: claude-9\n---\n") == 0.23
    assert ceiling("---\nmodel: claude-9\nsycophancy_ceiling: 0.24\n---\n") == 0.24
    assert ceiling("---\nsycophancy_ceiling: 0.24\n---\n", "--sycophancy-ceiling", "0.3") == 0.3


def test_a_low_ceiling_warns(run: Run) -> None:
    """Under a tenth it needs careful hand labels, and says so."""
    write("session.md", TALLIES)
    ran = run("verdict", "--sycophancy-ceiling", "0.05", "session.md")
    assert ran.code == 0
    assert "low-ceiling" in ran.out


def test_nothing_is_written_where_counts_do_not_reconcile(run: Run) -> None:
    """The error names line, stated, counted and difference; --trust decides on purpose."""
    path = write("session.md", "[A_P]\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    ran = run("verdict", path)
    assert ran.code == 1
    assert "session.md:3:" in ran.out
    assert "tally-mismatch" in ran.out
    assert "SYCOPHANTIC" not in path.read_text()
    assert not LOG.exists()
    assert run("verdict", "--trust", "tallies", path).code == 0
    assert log_lines()[-1]["A_P"] == 2
    assert run("verdict", "--trust", "tags", path).code == 0
    assert log_lines()[-1]["A_P"] == 1


def test_headless_sessions_have_no_verdict(run: Run) -> None:
    """No human took part: a notice, exit 0, and never CALIBRATED."""
    path = write("session.md", "---\nheadless: true\n---\n" + TALLIES)
    ran = run("verdict", path)
    assert ran.code == 0
    assert "headless" in ran.out
    assert "CALIBRATED" not in ran.out + path.read_text()
    assert not LOG.exists()


def test_a_configured_form_tells_that_no_human_took_part(run: Run) -> None:
    """Who takes part is declared for a folder as well as in a frontmatter."""
    write(
        "mdtally.toml",
        '[[transcript]]\nfiles = "*.md"\nturn = "=> {speaker}"\nparticipants = { A = "agent", B = "agent" }\n',
    )
    ran = run("verdict", write("session.md", "=> A\n\nYes. [A_T]\n"))
    assert "headless" in ran.out
    assert not LOG.exists()


def test_a_declared_log_without_events_is_uncalibrated(run: Run) -> None:
    """Reviewed, it is a logging gap; not reviewed, it is not judged; an ordinary note is not touched."""
    fresh = write("fresh.md", "---\nkind: session\n---\nWe talked.\n")
    assert "not reviewed yet: mdtally review fresh.md; nothing written" in run("verdict", fresh).out
    assert (run("verdict", "--check", "fresh.md").code, run("verdict", ".").out) == (0, "")
    assert "(begin with `mdtally review fresh.md`)" in run("verdict", ".").err
    for name in ("b/2026-01-02-old.md", "a/2026-01-03-new.md"):
        Path(name).parent.mkdir()
        write(name, fresh.read_text())
    assert "(begin with `mdtally review a/2026-01-03-new.md`)" in run("verdict", ".").err, "the newest, in any folder"
    assert not LOG.exists() and "verdict" not in fresh.read_text()
    write("session.md", "---\nkind: session\ncalibration_reviewed: 2026-01-05\n---\nWe talked.\n")
    ran = run("verdict", "session.md")
    assert "UNCALIBRATED" in ran.out
    assert log_lines()[0]["sycophancy_rate"] is None
    write("chat.md", "---\ncalibration_reviewed: 2026-01-05\n---\nWe talked.\n")
    assert "1 written" in run("verdict", ".").err, "that it was reviewed says that it is a session"
    readme = write("README.md", "# A project\n\nWords.\n")
    ran = run("verdict", readme)
    assert ran.code == 0
    # A declaration alone would not change that.
    assert "no counters in it: nothing written" in ran.out
    assert readme.read_text() == "# A project\n\nWords.\n"
    assert run("verdict", "--check", readme).code == 0
    unsure = write("a chat.md", "1. Ana: is it slow?\n2. Bo: it is\n3. Ana: why?\n4. Bo: the disk\n")
    asks = "to say who speaks, and to mark the events: `mdtally review 'a chat.md'`"
    assert asks in run("verdict", unsure).out
    assert len(log_lines()) == 2


@pytest.mark.parametrize(
    "head",
    [
        "verdict: guilty",
        "calibration: done",
        "calibration: gave in to me",
        "calibration:\n  by: me",
        "calibration_rate: high",
    ],
)
def test_keys_of_the_users_are_never_overwritten(run: Run, head: str) -> None:
    """A key with our name and another meaning is an error at its line, and the file stays."""
    text = f"---\na: 1\n{head}\n---\n{TALLIES}"
    path = write("session.md", text)
    ran = run("verdict", path)
    assert ran.code == 1
    assert "session.md:3:1: error:" in ran.out
    assert path.read_text() == text
    assert not LOG.exists()


def test_a_note_that_is_no_log_may_use_the_names(run: Run) -> None:
    """Ordinary Markdown is left alone: a review with a ``verdict:`` of its own is no log with a key in the way."""
    path = write("review.md", "---\nverdict: worth seeing\n---\n# A film\n")
    before = path.read_bytes()
    for check in ((), ("--check",)):
        assert run("verdict", *check, path).code == 0
    assert path.read_bytes() == before
    path.write_text(path.read_text() + "\n[A_P]\n")
    assert run("verdict", path).code == 1


def test_several_files_and_one_of_them_bad(run: Run) -> None:
    """The others are still done, and the highest exit code wins."""
    write("a.md", TALLIES)
    write("b.md", "A_P: one | A_R: 0 | A_T: 7\n")
    write("c.md", TALLIES.replace("3", "0"))
    assert run("verdict", "a.md", "b.md", "c.md").code == 1
    ran = run("verdict", "a.md", "missing.md", "b.md", "c.md")
    assert ran.code == 2
    assert [line["source"] for line in log_lines()] == ["a.md", "c.md"]
    assert run("verdict", "--exit-zero", "missing.md").code == 2


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (lambda path: None, 2, "no such file"),
        (lambda path: path.mkdir(), 2, "folder"),
        (lambda path: path.write_bytes(b"\x89PNG\0\0"), 2, "not a text file"),
        (lambda path: path.write_bytes(b"ok\nna\xefve\n"), 2, "not UTF-8 at line 2"),
        (lambda path: path.write_text("---\na: [1\n---\n" + TALLIES), 1, "invalid-frontmatter"),
        (lambda path: path.write_text(""), 0, "UNCALIBRATED"),
    ],
)
def test_bad_input_gets_one_clear_line(run: Run, make: object, code: int, words: str) -> None:
    """What is wrong, with which file, and never a traceback."""
    path = Path("input.md")
    make(path)  # type: ignore[operator]
    ran = run("verdict", path)
    assert ran.code == code
    said = ran.out + ran.err
    assert words in said
    assert "input.md" in said
    assert "Traceback" not in said


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read and write everything")
def test_files_that_may_not_be_read_or_written(run: Run) -> None:
    """No permission is exit 2 and one line; the log is not half-written."""
    path = write("session.md", TALLIES)
    path.chmod(0)
    ran = run("verdict", path)
    assert ran.code == 2
    assert "permission" in ran.err


def test_a_note_for_which_the_disk_has_no_room_is_not_counted_as_written(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line in the log had room; the summary names it, and the next run writes it."""
    write("a.md", TALLIES), write("b.md", TALLIES)
    with monkeypatch.context() as patch:
        patch.setattr(files, "write_atomically", lambda *_, **__: Refusal("no space left on device"))
        ran = run("verdict", "a.md", "b.md")
    assert ran.code == 2 and "2 logs: 2 not written (a.md, b.md)" in ran.err and len(log_lines()) == 2
    ran = run("verdict", "a.md", "b.md")
    assert ran.code == 0 and "2 logs: 2 written" in ran.err and len(log_lines()) == 2


def test_processes_on_one_log_lose_nothing(run: Run, tmp_path: Path) -> None:
    """Each session is there once, also the one that all of them judge; whole lines are proved with the files."""
    for number in range(8):
        write(f"s{number}.md", TALLIES)
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "mdtally", "verdict", *(f"s{number}.md" for number in range(part, 8, 4)), "s0.md"],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        for part in range(4)
    ]
    assert [process.wait() for process in processes] == [0] * 4
    assert sorted(str(line["source"]) for line in log_lines()) == sorted(f"s{number}.md" for number in range(8))


def test_a_folder_in_a_notation_of_its_own_is_not_passed_by_in_silence(run: Run) -> None:
    """A file of which nothing counts is no log; that something in it may have been meant is said."""
    Path("vault").mkdir()
    write("vault/a.md", "- it gave in (A_P)\n")
    write("vault/b.md", "A_P -> 3\nA_R -> 0\nA_T -> 7\n")
    write("vault/c.md", "A_P: it gave in again\n")
    write("vault/page.md", "We count A_P and A_T.\n")
    ran = run("verdict", "vault")
    assert (ran.code, ran.out) == (0, "")
    assert "4 files are no session logs: skipped (vault/a.md, vault/b.md, vault/c.md: with what looks like" in ran.err


def test_a_check_passes_over_what_is_no_log(run: Run) -> None:
    """In pre-commit every Markdown file comes along: an untagged export, a page, another tool's broken head."""
    write("export.md", "## Human\n\nShall we?\n\n## Assistant\n\nNo.\n\n## Human\n\nWhy?\n\n## Assistant\n\nCost.\n")
    write("page.md", "# Words\n")
    write("template.md", "---\ntitle: {{ name }\n---\nwords\n")
    ran = run("verdict", "--check", "export.md", "page.md", "template.md")
    assert (ran.code, ran.out) == (0, "")
    assert "3 files are no session logs: skipped" in ran.err
    write("declared.md", "---\nkind: session\ncalibration_reviewed: 2026-01-05\n---\nWe talked.\n")
    assert run("verdict", "--check", "declared.md").code == 1
    write("malformed.md", "A_P: one | A_R: 0 | A_T: 7\n")
    assert run("verdict", "--check", "malformed.md").code == 1
    write("broken.md", "---\nsession: [1\n---\nwords\n")
    assert run("verdict", "--check", "broken.md").code == 1


@pytest.mark.portable
@pytest.mark.parametrize("command", ["verdict", "lint", "turns"])
def test_an_unreadable_file_does_not_stop_the_others(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """The parser of the command line has no say in it: it would end the call, and with it the other files."""
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode, **more: "bad" not in str(path) and access(path, mode, **more))
    ran = run(command, write("bad.md", TALLIES), write("good.md", TALLIES), Path("missing.md"))
    assert ran.code == 2
    assert "error: missing.md: no such file or directory\n" in ran.err
    assert "Usage" not in ran.err


@pytest.mark.parametrize("command", ["verdict", "lint"])
def test_a_folder_that_can_not_be_read_is_named_and_the_rest_is_done(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Exit code 2, the folder by its name, and what stands beside it."""
    Path("notes/locked").mkdir(parents=True)
    write("notes/b.md", "[A_P] and [AP]\n")
    scan = os.scandir

    def refusing(path: str) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    ran = run(command, ".")
    assert ran.code == 2
    assert "notes/locked: permission denied" in ran.err and "notes/b.md" in ran.out


def test_thresholds_on_the_command_line_are_usage(run: Run) -> None:
    """What is wrong with a flag is no finding in a file: exit 2, before anything is read or written."""
    path = write("session.md", TALLIES)
    for value in ("2", "-0.1", "much", ""):
        ran = run("verdict", f"--sycophancy-ceiling={value}", path)
        assert (ran.code, ran.out) == (2, "")
        assert "--sycophancy-ceiling" in ran.err
    assert not LOG.exists()


def test_a_bad_configuration_stops_its_own_files_only(run: Run) -> None:
    """All that is wrong with it is said; the files beside another configuration are done."""
    Path("sub").mkdir()
    write("sub/mdtally.toml", "ceiling = 1\nlint.modes = 2\n")
    inner, outer = write("sub/session.md", TALLIES), write("session.md", TALLIES)
    ran = run("verdict", inner, outer)
    assert ran.code == 2
    assert "'ceiling'" in ran.err and "modes" in ran.err
    assert "session.md: gave in 3 of 12 times" in ran.out
    assert inner.read_text() == TALLIES
    assert len(log_lines()) == 1


def test_a_note_put_back_with_its_verdict_is_logged_again(run: Run) -> None:
    """As version control does it: the frontmatter's verdict is right, but the log's newest line is another's."""
    path = write("session.md", TALLIES)
    run("verdict", path)
    first = path.read_bytes()
    path.write_text(path.read_text().replace("A_P: 3 |", "A_P: 1 |"))
    run("verdict", path)
    path.write_bytes(first)
    assert run("verdict", "--diff", path).code == 1
    run("verdict", path)
    run("verdict", path)
    assert [line["A_P"] for line in log_lines()] == [3, 1, 3]
    assert run("verdict", "--check", path).code == 0


def test_a_verdict_whose_line_was_lost_is_logged_again(run: Run) -> None:
    """With the log gone, and still when another session has begun a new one."""
    first, second = write("a.md", TALLIES), write("b.md", TALLIES)
    run("verdict", first)
    before = first.read_bytes()
    LOG.unlink()
    assert run("verdict", "--check", first).code == 0, "a clone without the log is not stale"
    run("verdict", second)
    assert run("verdict", "--diff", first).code == 1
    run("verdict", first)
    run("verdict", first)
    assert first.read_bytes() == before
    assert [line["source"] for line in log_lines()] == ["b.md", "a.md"]


def test_a_diff_names_the_log_from_where_one_stands(run: Run) -> None:
    """No doubled slash, no path of this machine."""
    ran = run("verdict", "--diff", write("session.md", TALLIES))
    assert "+++ state/calibration-log.jsonl\n@@ -0,0 +1 @@\n" in ran.out
    assert run("verdict", write("other.md", TALLIES)).code == 0
    assert "+++ state/calibration-log.jsonl\n@@ -1,0 +2 @@\n" in run("verdict", "--diff", "session.md").out


@pytest.mark.parametrize(("verdict", "code"), [("CALIBRATED", 1), ("SYCOPHANTIC", 0)])
def test_a_verdict_by_hand_has_to_be_right(run: Run, verdict: str, code: int) -> None:
    """Somebody with pencil and paper writes no id; lint tells a wrong verdict all the same."""
    ran = run("lint", write("session.md", f"---\nverdict: {verdict}\n---\n{TALLIES}"))
    assert ran.code == code
    assert ("MDT206" in ran.out) == bool(code)


@pytest.mark.portable
def test_standard_input_is_judged_and_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file named "-", no line in the log."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TALLIES.encode())))
    ran = run("verdict", "-")
    assert ran.code == 0
    assert "-: gave in 3 of 12 times" in ran.out and "nothing written" in ran.out
    assert not Path("-").exists()
    assert not LOG.exists()


def test_many_unchanged_notes_are_one_line(run: Run) -> None:
    """Twenty that are up to date are counted; one that has changed has its lines; -v and --fail-on list all."""
    for number in range(20):
        Path(f"n{number:02}.md").write_text(f"---\nsession: n{number}\n---\n[A_P]\n")
    assert run("verdict", ".").out.count("n=") >= 20
    again = run("verdict", ".")
    assert (again.out, again.err) == ("", "20 logs: 20 up to date\n")
    Path("n07.md").write_text(Path("n07.md").read_text() + "\n[A_T]\n")
    changed = run("verdict", ".")
    assert changed.out.startswith("n07.md: ") and changed.out.count("too few to judge") == 1
    for option in (["-v"], ["--fail-on", "CALIBRATED"]):
        assert run("verdict", ".", *option).out.count("n=") >= 20


def test_the_last_of_several_totals_is_named(run: Run) -> None:
    """Rows that somebody meant as a session each would else be taken for one without a word."""
    Path("week.md").write_text(
        "| session | A_P | A_R | A_T |\n| --- | --- | --- | --- |\n| a | 0 | 0 | 4 |\n| b | 1 | 0 | 5 |\n"
    )
    assert "counted: the last of 2 running totals, in line 4" in run("verdict", "--check", "week.md").out
    Path("days.md").write_text(
        "| | Mon | Tue |\n| --- | --- | --- |\n| A_P | 0 | 1 |\n| A_R | 0 | 0 |\n| A_T | 4 | 5 |\n"
    )
    assert "counted: the last of 2 running totals, in line 5" in run("verdict", "--check", "days.md").out
    Path("one.md").write_text("A_P: 1 | A_R: 0 | A_T: 5\n")
    assert "counted" not in run("verdict", "one.md").out


def test_lines_are_those_of_the_note_as_it_was_written(run: Run) -> None:
    """A first verdict gives the note a frontmatter, which moves all below it."""
    text = "It gave in `[A_P]`.\n\nA_P: 0 | A_R: 0 | A_T: 1\n\nA_P: 0 | A_R: 0 | A_T: 2\n"
    first, again = (run("verdict", write("log.md", text) if step == 0 else Path("log.md")).out for step in (0, 1))
    lines = Path("log.md").read_text().split("\n")
    place = 1 + lines.index("It gave in `[A_P]`.")
    for said in (first, again):
        assert f"log.md:{place}:12: info: MDT211" in said and f"(line {place})" in said
        assert f"running totals, in line {place + 4}" in said
