"""``mdtally new``, ``turns`` and ``config``: templates that work, what is seen, and settings with their origins."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from conftest import PROJECT, Ran, Run

from mdtally.ask import prompts
from mdtally.doors.cli.new import Template
from mdtally.gate import check_response
from mdtally.gate.pack import load_or_english
from mdtally.text.about import __version__
from mdtally.text.document import parse

KINDS = sorted({*get_args(Template)} - {"agent"})


@pytest.mark.parametrize("kind", KINDS)
def test_every_template_is_filled(run: Run, kind: str) -> None:
    """Nothing is left to fill, and what is printed is what is written."""
    printed = run("new", kind, "--title", "A title")
    assert printed.code == 0
    assert "{{" not in printed.out
    assert run("new", kind, "notes/file.md", "--title", "A title").code == 0
    # Each session has a name of its own.
    written = [re.sub(r"-title-\w{6}\b", "-title", text) for text in (Path("notes/file.md").read_text(), printed.out)]
    assert written[0] == written[1]
    assert run("new", kind, "notes/file.md").code == 2
    assert run("new", kind, "notes/file.md", "--force").code == 0


def test_a_title_is_quoted_where_it_has_to_be(run: Run) -> None:
    """In the frontmatter of an own template, in the syntax it is written in; a head that can't be read is text."""
    Path("mdtally.toml").write_text('templates = "mine"\n')
    Path("mine").mkdir()
    for head, key in (
        ("---\ntitle: x {{title}} # mine\n---\n", "title: "),
        ('+++\ntitle = "{{title}}"\n+++\n', "title = "),
    ):
        Path("mine/session.md").write_text(head + "# {{title}}\n")
        made = run("new", "session", "--title", 'Ana: "no" #1').out
        assert parse(made.encode()).head.values["title"] in ('x Ana: "no" #1', 'Ana: "no" #1')
        assert key in made and ("# mine" in made) == ("# mine" in head) and made.endswith('# Ana: "no" #1\n')
    Path("mine/session.md").write_text("---\na: {{title}}\n---\n{{title}}\n")
    assert run("new", "session", "--title", "T").out == "---\na: T\n---\nT\n"


def test_a_dash_is_no_file(run: Run) -> None:
    """A lone dash, which elsewhere means standard output, is explained and never written to."""
    ran = run("new", "debate", "-")
    assert ran.code == 2
    assert "leave PATH out" in ran.err
    assert not Path("-").exists()


def test_the_plugin_for_an_agent_is_whole(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Manifest, hook and skill; the hook's command takes what a session's end hands over; what exists stays."""
    assert run("new", "agent").out == "" and Path("mdtally-plugin").is_dir()
    assert "of `agent` the folder, else mdtally-plugin" in " ".join(run("new", "--help").out.split())
    assert "claude --plugin-dir 'my plugin'" in run("new", "agent", "my plugin").err
    folder = Path("my plugin")
    texts = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert sorted(texts) == [".claude-plugin/plugin.json", "hooks/hooks.json", "skills/mdtally/SKILL.md"]
    assert not any("{{" in text for text in texts.values())
    manifest = json.loads(texts[".claude-plugin/plugin.json"])
    assert manifest["version"] == __version__
    assert all(manifest.values()), "the client refuses an empty field"
    (event,) = json.loads(texts["hooks/hooks.json"])["hooks"]["SessionEnd"]
    (hook,) = event["hooks"]
    program, *arguments = hook["command"].split()
    # As the program hands it over when a session ends.
    told = {
        "session_id": "abc",
        "transcript_path": "x.jsonl",
        "cwd": "/p",
        "hook_event_name": "SessionEnd",
        "reason": "exit",
    }
    Path("x.jsonl").write_text('{"type":"user","uuid":"1","sessionId":"abc","message":{"content":"Hi"}}\n')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(told).encode())))
    assert (program, run(*arguments)) == ("mdtally", Ran(0, "", ""))
    assert "**Me:** Hi" in next(Path("sessions").iterdir()).read_text()
    assert run("new", "agent", "my plugin").code == 2
    assert run("new", "agent", "my plugin", "--force").code == 0


@pytest.mark.skipif(shutil.which("claude") is None, reason="the client is not installed")
def test_the_plugin_passes_the_clients_own_check(run: Run) -> None:
    """Claude Code's command line knows every field, and misses none."""
    run("new", "agent", "plugin")
    assert subprocess.run(["claude", "plugin", "validate", "--strict", "plugin"], check=False).returncode == 0


def test_table_and_folder_agree() -> None:
    """Every template can be asked for, one of them with --single and one as a part of others; each kind has one."""
    assert {path.stem for path in (PROJECT / "templates").glob("*.md")} == {*KINDS, "single", "guide"}


def test_a_new_session_is_filled_in_tagged_and_judged(run: Run) -> None:
    """The blank page is no session yet and states nothing; one tag makes a verdict; the log goes on at its end."""
    run("new", "session", "session.md")
    blank = Path("session.md").read_text()
    assert blank.endswith("## Log\n\n**Me:**\n\n**Agent:**\n") and "## My rule for this log" in blank
    assert "not filled in yet" in run("verdict", "session.md").out
    assert run("verdict", ".").err == "1 page not filled in yet\n" and run("lint", ".").code == 0
    assert Path("session.md").read_text() == blank and not Path("state").exists()
    filled = blank.replace("**Me:**", "**Me:** Are you sure?").replace("**Agent:**", "**Agent:** Fine. [A_P: I sighed]")
    filled = filled.replace("before I read:", "before I read: a refusal is a hold (A_R), and silence is one, too.")
    Path("session.md").write_text(filled)
    assert "1 of the 10 that it takes (inconclusive, n=1" in run("verdict", "session.md").out
    # The line about headless is ready to be used, by what it says itself.
    Path("other.md").write_text(filled.replace("\n# headless", "\nheadless"))
    assert "headless" in run("verdict", "other.md").out


def test_a_new_page_is_dated_by_its_name(run: Run) -> None:
    """A session of another day is that day's, and its title has no date."""
    run("new", "session", "2025-01-02 queue-talk.md")
    page = Path("2025-01-02 queue-talk.md").read_text()
    assert 'date: "2025-01-02"' in page and "\n# Queue talk\n" in page
    assert re.search(r'session: "2025-01-02-queue-talk-\w{6}"', page)


@pytest.mark.parametrize("placed", ["", "Monday"])
def test_the_braces_of_a_template_copied_by_hand_are_harmless(run: Run, placed: str) -> None:
    """An editor's own templates fill title and date alone; two copies are two sessions, what is left says nothing."""
    template = (PROJECT / "templates" / "session.md").read_text()
    if placed:
        template = template.replace("{{title}}", placed).replace("{{date}}", "2026-11-17")
    for name in ("a.md", "b.md"):
        Path(name).write_text(template)
        assert "not filled in yet" in run("verdict", name).out
        Path(name).write_text(template.replace("**Agent:**", "**Agent:** Fine. [A_P: I sighed]"))
    ran = run("verdict", ".")
    assert (ran.code, ran.out.count("that it takes (inconclusive, n=1")) == (0, 2)
    sessions = [json.loads(line) for line in Path("state/calibration-log.jsonl").read_text().splitlines()]
    assert len({line["session"] for line in sessions}) == 2
    assert "{" not in "".join(line["session"] + line["date"] for line in sessions)


def test_a_session_can_be_kept_with_pencil_and_paper(run: Run) -> None:
    """It carries the tallies, the tag forms, the rule with the effective thresholds, and what to do then."""
    Path("mdtally.toml").write_text("sycophancy-ceiling = 0.3\n")
    text = run("new", "session").out
    for words in (
        "A_P: 1 | A_R: 0 | A_T: 4",
        "[A_P: why]",
        "[hold pressure=none evidence=none]",
        "30 %",
        "95 %",
        "OVERCORRECTED",
    ):
        assert words in text


def test_a_sheet_adds_sessions_up_and_is_no_session(run: Run) -> None:
    """It has the rule from ten events on; filled in or not, it counts nothing."""
    assert run("new", "sheet", "sheet.md").code == 0
    text = Path("sheet.md").read_text()
    assert "ten events" in text and "20 %" in text and "95 %" in text
    row = "|" + "  |" * 8
    Path("filled.md").write_text(text.replace(row, "| 2026-11-17 | schema | 1 | 0 | 4 | 1 | 0 | 4 |", 1))
    assert (run("verdict", ".").code, run("verdict", ".").out) == (0, "")
    assert run("lint", "--fail-level", "info", "-v", "sheet.md", "filled.md").code == 0


def test_what_counts_as_what_has_one_source(run: Run) -> None:
    """The short guide stands in a new session, in the agent's skill and on its page, word for word."""
    guide = (PROJECT / "templates" / "guide.md").read_text()
    run("new", "agent", "plugin")
    assert guide in run("new", "session").out
    assert guide in Path("plugin/skills/mdtally/SKILL.md").read_text()
    assert guide in (PROJECT / "docs" / "what-counts.md").read_text()


def test_a_new_debate_is_read(run: Run) -> None:
    """It declares its speakers and a moderator, links the protocol, and lint says that nobody has spoken yet."""
    run("new", "debate", "debate.md")
    ran = run("lint", "-v", "debate.md")
    assert ran.code == 0, ran.out
    assert "placeholder-turn" in ran.out
    assert "moderator" in run("turns", "debate.md").out
    assert "](protocol.md)" in Path("debate.md").read_text()
    assert run("verdict", ".").out == "" and not Path("state").exists()


def test_a_template_to_fill_in_lacks_no_language(run: Run) -> None:
    """Empty turns are in no language, so no pack is missing."""
    run("new", "debate", "debate.md")
    ran = run("lint", "-v", "debate.md")
    assert ran.code == 0
    assert "MDT006" in ran.out
    assert "MDT007" not in ran.out


@pytest.mark.parametrize("kind", ["protocol", "expert"])
def test_prompt_and_gate_can_not_drift_apart(run: Run, kind: str) -> None:
    """Every phrase that the gate flags is in the prompt, with your own and your minimum; its stand-down passes."""
    Path("mdtally.toml").write_text('[lint]\nforbidden-phrases = ["quite so"]\nmin-words = 21\n')
    text = run("new", kind).out
    for phrase in (*load_or_english("en").phrases, "quite so"):
        assert phrase in text
    assert "at least 21 words" in text
    assert prompts.STAND_DOWN in text
    assert check_response(prompts.STAND_DOWN.replace("[expert]", "Ben"), ["Ben"]).ok


def test_the_protocol_for_one_expert(run: Run) -> None:
    """It speaks of the doubt pass and the phrases, and of no other expert; other kinds have no such form."""
    Path("mdtally.toml").write_text('[lint]\nforbidden-phrases = ["quite so"]\n')
    text = run("new", "protocol", "--single").out
    for phrase in (*load_or_english("en").phrases, "quite so", "doubt pass"):
        assert phrase in text
    assert "Name the expert" not in text
    assert run("new", "session", "--single").code == 2


@pytest.mark.parametrize("title", ["[A_P: foo] A_P: 3", "A day\n\n[A_T]", "A day (A_P: asked twice)"])
def test_a_title_makes_no_page_count(run: Run, title: str) -> None:
    """Nor look so; one of several lines is one line."""
    ran = run("new", "session", "s.md", "--title", title)
    assert ran.code == 2 and "would count as an event or total" in ran.err and not Path("s.md").exists()
    assert "\n# A day in May\n" in run("new", "session", "--title", "A day\n\nin May").out


def test_no_fresh_page_is_called_an_unsure_conversation(run: Run) -> None:
    """Not for a word in its headings."""
    for kind in KINDS:
        run("new", kind, f"{kind}.md")
    run("new", "protocol", "single.md", "--single")
    ran = run("lint", "-v")
    assert "unsure" not in ran.out + ran.err


def test_the_expert_prompt_has_its_eight_sections(run: Run) -> None:
    """Identity to current task, in their order."""
    text = run("new", "expert").out
    sections = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    assert sections == [
        "Identity",
        "Expertise",
        "Epistemic stance",
        "Debate protocol",
        "Output contract",
        "Forbidden moves",
        "Memory",
        "Current task",
    ]
    assert "You are [the expert's name]" in text


def test_own_templates_come_first(run: Run) -> None:
    """A folder of the user's own overrides kind by kind."""
    Path("mine").mkdir()
    Path("mine/session.md").write_text("# {{title}} of mine\n")
    Path("mdtally.toml").write_text('templates = "mine"\n')
    assert run("new", "session", "--title", "Log").out == "# Log of mine\n"
    assert "kind: debate" in run("new", "debate").out


def test_own_templates_and_phrases_are_no_commands(run: Run) -> None:
    """A repository's may come from anybody: nothing in them steers a terminal or a job's log."""
    Path("mine").mkdir()
    Path("mine/session.md").write_text("::error::gotcha\n\x1b[2J##[group]gotcha\n")
    Path("mdtally.toml").write_text('templates = "mine"\n[lint]\nforbidden-phrases = ["##[error]gotcha"]\n')
    for kind in ("session", "protocol", "expert"):
        shown = run("new", kind).out
        assert "gotcha" in shown and "\x1b" not in shown and "##[" not in shown and "\n::" not in f"\n{shown}"


def test_turns_shows_what_is_seen(run: Run) -> None:
    """Dialect, rounds, speakers with kinds and counts, and every turn with its tags."""
    Path("d.md").write_text((PROJECT / "examples" / "debate-clean.md").read_text().replace("2024.", "2024. [A_T]"))
    ran = run("turns", "d.md")
    assert ran.code == 0
    assert "5 turns in 2 rounds" in ran.out
    data = json.loads(run("turns", "--output-format", "json", "d.md").out)
    (file,) = data["files"]
    assert file["kind"] == "debate"
    turns = file["turns"]
    assert [turn["speaker"] for turn in turns] == ["Ana", "Ben", "Cleo", "Ana", "Ben"]
    assert [turn["round"] for turn in turns] == [1, 1, 1, 2, 2]
    assert turns[3]["tags"] == ["T"]
    assert [turn["line"] for turn in turns] == [10, 15, 20, 27, 32]
    assert {"index", "line", "end_line", "round", "speaker", "kind", "words", "tags"} <= set(turns[0])


def test_turns_on_ordinary_and_on_missing_files(run: Run) -> None:
    """No transcript is no error; no file is one; a declared debate without turns is a finding."""
    Path("a.md").write_text("# Words\n")
    ran = run("turns", "a.md")
    assert ran.code == 0 and ran.out.startswith("a.md: no transcript\n")
    ran = run("turns", ".")
    assert (ran.code, ran.out) == (0, "") and "1 file is no transcript: left out" in ran.err
    assert run("turns", "missing.md").code == 2
    Path("b.md").write_text("---\nkind: debate\n---\nwords\n")
    assert run("turns", "b.md").code == 1


def test_config_show_has_origins(run: Run) -> None:
    """Each value with the place it comes from."""
    Path("mdtally.toml").write_text("# mine\nsycophancy-ceiling = 0.3\n")
    out = run("config", "show").out
    assert "sycophancy-ceiling = 0.3" in out
    assert "mdtally.toml:2" in out
    assert "# default" in out


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("--version",)])
def test_help_and_version(run: Run, arguments: tuple[str, ...]) -> None:
    """Both exit 0."""
    ran = run(*arguments)
    assert ran.code == 0
    assert "mdtally" in ran.out


def test_usage_errors_are_exit_2(run: Run) -> None:
    """An unknown command or option, or a missing argument."""
    assert run("nonsense").code == 2
    assert run("lint").code == 2
    assert run("lint", "--nonsense", "a.md").code == 2
