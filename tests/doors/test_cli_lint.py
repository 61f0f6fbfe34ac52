"""``mdtally lint`` from end to end: findings, formats, levels, modes, suppression, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from schemas import validate

from mdtally.check import rules
from mdtally.project.settings import schema
from mdtally.show.lint_formats import FORMATS

HEAD = "---\nkind: debate\nparticipants: {{ Ana: agent, Ben: agent, Cleo: agent }}\n{}---\n\n"
OPENING = (
    "## Round 1\n\n### Ana\n\nLaunch on the ninth. The audit closes on the sixth, both findings are fixed already.\n\n"
)
FLATTERY = (
    "### Ben\n\nGreat point! I agree with Ana on every count, and I have nothing to add to such a clear plan.\n\n"
)
OBJECTION = (
    "### Cleo\n\nBen, that ignores the trade fair: from the eighth to the tenth nobody in sales can take a call, and "
    "last year's launch brought 340 calls in two days.\n"
)


def debate(*turns: str, head: str = "", name: str = "debate.md") -> Path:
    """A debate with an opening and these turns."""
    path = Path(name)
    path.write_text(HEAD.format(head) + OPENING + "".join(turns))
    return path


def test_flattery_is_flagged_and_an_objection_is_not(run: Run) -> None:
    """The findings stand at their columns, and the exit code is 1."""
    path = debate(FLATTERY, OBJECTION)
    ran = run("lint", "--output-format", "concise", path)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert "debate.md:14:1: warning: MDT101 forbidden-phrase: “Great point” is performative agreement" in lines
    assert any(line.startswith("debate.md:14:14: warning: MDT101") for line in lines)
    assert not any(line.startswith(("debate.md:16", "debate.md:18")) for line in lines)
    assert "3 turns checked" in ran.err
    assert run("lint", debate(OBJECTION)).code == 0


@pytest.mark.parametrize(
    ("example", "code", "turns"),
    [
        ("debate-clean.md", 0, 5),
        ("debate-stand-down.md", 0, 4),
        ("debate-flagged.md", 1, 5),
        ("debate-deutsch.md", 1, 3),
        ("configured/debates/queue.md", 1, 2),
    ],
)
def test_the_examples_are_what_their_names_say(run: Run, example: str, code: int, turns: int) -> None:
    """Debates that pass, a stand-down in a second round among them, and debates that don't."""
    ran = run("lint", PROJECT / "examples" / example)
    assert ran.code == code
    assert f"{turns} turns checked" in ran.err


def test_the_notice_of_a_flagged_response(run: Run) -> None:
    """One line a response, each kind once."""
    ran = run("lint", "--output-format", "notice", debate(FLATTERY, OBJECTION))
    (line,) = ran.out.splitlines()
    assert line.startswith("⚠ quality gate: Ben response flagged (forbidden_phrase")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_prints(run: Run, name: str) -> None:
    """Each format of the table works from the command line, with findings and without."""
    assert run("lint", "--output-format", name, debate(FLATTERY)).code == 1
    assert run("lint", "--output-format", name, debate(OBJECTION)).code == 0


@pytest.mark.parametrize("how", [*(f"--output-format={name}" for name in sorted(FORMATS)), "--statistics"])
def test_an_output_goes_over_an_older_one_only(run: Run, how: str) -> None:
    """In any format; a note or a log that the shell put behind -o stays, and the call is refused."""
    path = debate(FLATTERY)
    assert run("lint", path, how, "-o", "found.txt").code == 1
    assert (again := run("lint", path, how, "-o", "found.txt")).code == 1, f"{again.err}; is_output tells what is ours"
    assert run("lint", debate(OBJECTION), how, "-o", "found.txt").code == 0
    assert run("lint", path, how, "-o", "none.txt").code == 0 and Path("none.txt").exists()
    for name in ("session.md", "debate-flagged.md", "calibration-log.jsonl"):
        text = (PROJECT / "examples" / name).read_bytes()
        Path(name).write_bytes(text)
        ran = run("lint", path, how, "-o", name)
        assert (ran.code, Path(name).read_bytes()) == (2, text)
        assert "is no report of mdtally's" in ran.err


def test_the_formats_of_the_configuration_are_those_of_the_renderers() -> None:
    """The schema lists what the table of renderers has."""
    assert {one.key: one.kind for one in schema.SCHEMA}["output-format"] == tuple(FORMATS)


def test_json(run: Run) -> None:
    """Ruff's field names, and the turn."""
    data = json.loads(run("lint", "--output-format", "json", debate(FLATTERY)).out)
    validate(data, "lint.schema.json")
    assert {"schema_version", "tool", "column_unit", "diagnostics", "errors", "summary"} <= set(data)
    first = next(d for d in data["diagnostics"] if d["code"] == "MDT101")
    assert {"filename", "code", "name", "severity", "message", "location", "end_location", "url", "fix"} <= set(first)
    assert first["location"] == {"row": 14, "column": 1}
    assert first["turn"] == {"index": 2, "line": 12, "round": 1, "speaker": "Ben"}


def test_selecting_and_ignoring(run: Run) -> None:
    """By code, by name and by the beginning of codes; an unknown one is a usage error with the nearest."""
    path = debate(FLATTERY)
    assert run("lint", "--select", "too-short", path).code == 0
    assert run("lint", "--select", "MDT101", path).code == 1
    assert run("lint", "--ignore", "MDT1", path).code == 0
    ran = run("lint", "--select", "to-short", path)
    assert ran.code == 2
    assert "MDT103 too-short" in ran.err


def test_fail_level_and_exit_zero(run: Run) -> None:
    """What stops a commit is a matter of level."""
    path = debate(FLATTERY)
    assert run("lint", "--fail-level", "error", path).code == 0
    assert run("lint", "--exit-zero", path).code == 0
    assert run("lint", "--exit-zero", path, "missing.md").code == 2
    assert run("lint", "--fail-level", "fatal", path).code == 2


def test_under_the_protocol_every_failed_layer_is_a_warning(run: Run) -> None:
    """`protocol: true` in the frontmatter, or lint.strict."""
    bland = BLAND.replace("Cleo", "Ben")
    strict = run("lint", "--output-format", "concise", debate(bland, head="protocol: true\n"))
    assert "warning: MDT102" in strict.out
    assert strict.code == 1
    Path("mdtally.toml").write_text("[lint]\nstrict = true\n")
    assert "warning: MDT102" in run("lint", "--output-format", "concise", debate(bland)).out


def test_modes(run: Run) -> None:
    """Off does nothing and says so; regenerate prints the corrective hint too."""
    path = debate(FLATTERY)
    off = run("lint", "--mode", "off", path)
    assert off.code == 0
    assert "the gate is off" in off.err
    assert "Ana" in run("lint", "--mode", "regenerate", path).out
    assert run("lint", "--mode", "loud", path).code == 2


def test_literal_matching(run: Run) -> None:
    """The published rules to the letter notice none of the ways in which people really object."""
    path = debate(OBJECTION)
    assert run("lint", path).code == 0
    Path("mdtally.toml").write_text('[lint]\nmatching = "literal"\n')
    literal = run("lint", "--output-format", "concise", path)
    assert "MDT102" in literal.out


# It takes issue with nobody, and yet it says something.
BLAND = (
    "### Cleo\n\nI have the list of that week: Ana Ruiz and Ben Okoye at desk 4, Carla Peeters at desk 6 from 8:30. "
    "I wonder whether we could plan the steps for Ostend first, and I will print 120 badges on Monday.\n\n"
)


def test_what_is_shown_and_what_fails_are_two_things(run: Run) -> None:
    """Warnings by default, information with -v, the summary alone with -q; the exit code hangs on the fail level."""
    path = debate(FLATTERY, BLAND)
    plain, verbose, quiet = run("lint", path), run("lint", "-v", path), run("lint", "-q", path)
    assert "Cleo" not in plain.out and "1 info not shown" in plain.err
    assert "Cleo: line 16, round 1" in verbose.out and "info: MDT102" in verbose.out
    assert quiet.out == "" and quiet.err == plain.err and quiet.code == 1
    assert "Cleo" in run("lint", "--min-level", "info", path).out
    bland = debate(BLAND)
    assert run("lint", bland).code == 0
    failing = run("lint", "--fail-level", "info", bland)
    assert (failing.code, failing.out) == (1, "")
    assert run("lint", "--min-level", "high", path).code == 2


def test_formats_for_programs_hold_everything_unless_told(run: Run) -> None:
    """Only an explicit level trims them."""
    path = debate(FLATTERY, BLAND)
    for options, severities in (
        ((), {"warning", "info"}),
        (("-q",), {"warning", "info"}),
        (("-v",), {"warning", "info"}),
    ):
        found = json.loads(run("lint", "--output-format", "json", *options, path).out)["diagnostics"]
        assert {one["severity"] for one in found} == severities
    trimmed = json.loads(run("lint", "--output-format", "json", "--min-level", "warning", path).out)["diagnostics"]
    assert {one["severity"] for one in trimmed} == {"warning"}


def test_names_of_features_show_only_when_asked_for(run: Run) -> None:
    """A reader is told who is not answered; what the words were weighed by is for -v and JSON."""
    path = debate(FLATTERY)
    assert "answers nobody: no claim of Ana is questioned\n" in run("lint", path).out
    assert "against it" not in run("lint", path).out.split("help:")[0]
    assert "against it" in run("lint", "-v", path).out
    found = json.loads(run("lint", "--output-format", "json", path).out)["diagnostics"]
    assert any("against it" in (one["detail"] or "") for one in found)


def test_the_accepted_form_of_agreement_is_spelled_out_once(run: Run) -> None:
    """However many turns answer nobody."""
    path = debate(FLATTERY, FLATTERY.replace("Ben", "Cleo").replace("plan", "schedule"))
    assert run("lint", path).out.count("cannot find a material weakness") == 1


def test_help_speaks_of_what_is_reported_only(run: Run) -> None:
    """Not of a suppressed finding, nor of a rule that is off; nor does the sentence to ask again with."""
    comment = "<!-- mdtally-disable-next-turn MDT101: an example -->\n\n"
    for text, options in ((comment + FLATTERY, []), (FLATTERY, ["--ignore", "MDT101"])):
        ran = run("lint", "--mode", "regenerate", *options, debate(text))
        assert ran.out.count("help: ") == 2 and "ask again: " in ran.out
        assert "Great point" not in ran.out


@pytest.mark.parametrize(
    ("language", "text", "quoted"),
    [
        ("de", "Ich stimme dir voll zu, Ana, und da schließe ich mich an, denn alles hieran ist gut und klar.",
         ("Ich stimme dir voll zu", "schließe ich mich an")),
        ("fr", "Très bon point ! Je suis d’accord avec Ana sur tous les points, et je n’ai rien à ajouter.",
         ("Très bon point", "Je suis d’accord")),
    ],
)  # fmt: skip
def test_a_finding_quotes_the_file_and_not_the_pack(
    run: Run, language: str, text: str, quoted: tuple[str, ...]
) -> None:
    """In the message and in its help, in the words as they stand there."""
    out = run("lint", "-v", debate(f"### Ben\n\n{text}\n", head=f"language: {language}\n")).out
    for words in quoted:
        assert f"“{words}” is performative agreement" in out
        assert f"“{words}”" in out.partition("help:")[2]


@pytest.mark.parametrize("kind", ["agent", "human"])
def test_the_same_words_again_are_a_warning(run: Run, kind: str) -> None:
    """Whoever wrote them first; the stand-down form alone may be repeated."""
    said = OBJECTION.split("\n\n", 1)[1]
    text = f"### Dana\n\n{said}\n### Cleo\n\n{said.upper()}"
    path = debate(text)
    path.write_text(path.read_text().replace("Cleo: agent", f"Cleo: agent, Dana: {kind}"))
    ran = run("lint", path)
    assert ran.code == 1
    assert "MDT111 echo: repeats line 12 (Dana), word for word" in ran.out
    own = debate(OBJECTION + "\n" + OBJECTION)
    assert "repeats line 12 (Cleo's own turn), word for word" in run("lint", own).out
    stand_down = "I've stress-tested Ana's argument and cannot find a material weakness.\n\n"
    path = debate(f"### Ben\n\n{stand_down}### Cleo\n\n{stand_down}")
    assert "MDT111" not in run("lint", path).out


def test_every_finding_has_a_place_that_can_be_seen(run: Run) -> None:
    """The words that are meant, or the line of the label where the whole turn is."""
    found = json.loads(run("lint", "--output-format", "json", debate(FLATTERY)).out)["diagnostics"]
    lines = Path("debate.md").read_text().splitlines()
    seen = {}
    for one in found:
        start, end = one["location"], one["end_location"]
        assert start["row"] == end["row"]
        seen[one["code"]] = lines[start["row"] - 1][start["column"] - 1 : end["column"] - 1]
    assert seen == {"MDT101": "I agree with", "MDT102": "### Ben", "MDT104": "nothing to add"}


def test_what_may_be_no_debate_is_not_gated(run: Run) -> None:
    """It says what the file looks like, and the summary counts it; a declaration settles it."""
    text = "# Queue\n\n**Ana:** One queue is enough until June.\n\n**Ben:** Great point! I agree with all of it.\n"
    path = Path("note.md")
    path.write_text(text)
    ran = run("lint", "-v", path)
    assert ran.code == 0
    assert "MDT012 unsure-reading: looks like a debate of Ana and Ben (2 turns); declare it" in ran.out
    assert "MDT101" not in ran.out
    assert "1 file unsure, not checked" in run("lint", "-q", path).err
    path.write_text(f"---\nagents: [Ana, Ben]\n---\n{text}")
    assert "MDT101" in run("lint", path).out


def test_a_chat_of_people_is_not_gated(run: Run) -> None:
    """Short turns under bare names are no debate until somebody says so: no message of theirs is too short."""
    chat = "".join(f"[12.03.24, 18:0{n}:11] {'Nina' if n % 2 else 'Tom'}: Shall we meet at {n}?\n" for n in range(1, 9))
    Path("chat.md").write_text(chat)
    ran = run("lint", "chat.md")
    assert (ran.code, ran.out) == (0, "") and "1 file not gated: a chat by its short turns; declare" in ran.err
    assert "a chat by its short turns" in run("regenerate", "chat.md").err
    Path("debate.md").write_text(f"---\nagents: [Nina, Tom]\n---\n{chat}")
    assert "MDT103" in run("lint", "debate.md").out


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("select = 'MDT201'", "not gated: none of its rules is asked"),
        ("per-file-ignores.'debate.md' = 'all'", "not checked: all rules are ignored"),
        ("mode = 'off'", "not gated: the gate is off (lint.mode)"),
    ],
)
def test_where_nothing_was_asked_nothing_is_called_clean(run: Run, setting: str, words: str) -> None:
    """Of a debate that flatters: the summary says why no turn was judged; of a session's tallies it says nothing."""
    Path("debate.md").write_text((PROJECT / "examples" / "debate-flagged.md").read_text())
    Path("session.md").write_text((PROJECT / "examples" / "session.md").read_text())
    Path("mdtally.toml").write_text(f"[lint]\n{setting}\n")
    assert run("lint", "debate.md").err == f"No turn was judged\n  1 file {words}\n"
    both = run("lint").err
    assert both.startswith("No findings in 1 file (0 turns checked)\n") and f"  1 file {words}\n" in both


def test_that_a_session_is_not_gated_is_said_once(run: Run) -> None:
    """In the summary; a debate that shows one agent may be read wrongly, and is a finding."""
    text = "**Me:** Which queue?\n\n**Ana:** One queue is enough until June.\n\n**Me:** Fine.\n\n**Ana:** Done.\n"
    path = Path("note.md")
    for head in ("", "kind: session\nagents: [Ana, Me]\n"):
        path.write_text(f"---\n{head}---\n{text}" if head else text)
        ran = run("lint", "-v", path)
        assert "MDT008" not in ran.out
        assert "1 session not gated" in ran.err
    path.write_text(f"---\nkind: debate\nagents: [Ana]\nhumans: [Me]\n---\n{text}")
    ran = run("lint", "-v", path)
    assert "MDT008 single-expert: only Ana speaks" in ran.out
    assert "1 file not gated: no panel" in ran.err


def test_one_expert_and_one_answer_is_no_error(run: Run) -> None:
    """A declared debate with one turn is read; there is nobody to argue with, and that is all that is said."""
    said = "The hall floods every spring, and the pump holds four hundred litres, which is too little for May."
    for head, label in (
        ("agents: [Ana]", "### Ana\n\n"),
        ("agents: [Ana]", "**Ana:** "),
        ("participants: {Ana: agent}", "### Ana\n\n"),
    ):
        Path("one.md").write_text(f"---\nkind: debate\n{head}\n---\n\n{label}{said}\n")
        ran = run("lint", "-v", "one.md")
        assert ran.code == 0, head
        assert "MDT008 single-expert: only Ana speaks" in ran.out


def test_every_agent_s_turn_is_in_the_json(run: Run) -> None:
    """With what layer 2 says of it."""
    turns = json.loads(run("lint", "--output-format", "json", debate(FLATTERY, OBJECTION)).out)["turns"]
    assert [(one["speaker"], one["line"], one["round"]) for one in turns] == [
        ("Ana", 8, 1),
        ("Ben", 12, 1),
        ("Cleo", 16, 1),
    ]
    assert turns[0]["issue"] is None
    assert turns[1]["issue"]["answer"] == "silent" and turns[1]["issue"]["decided_by"] == "words"


@pytest.mark.parametrize(("options", "unused"), [((), 1), (("--mode", "off"), 0), (("--ignore", "MDT103"), 0)])
def test_an_unused_suppression_is_silent_where_its_rule_is_off(run: Run, options: tuple[str, ...], unused: int) -> None:
    """Off by name, or because the gate was not asked at all."""
    path = debate("<!-- mdtally-disable-next-turn too-short: quoted -->\n\n" + OBJECTION)
    assert run("lint", *options, path).out.count("MDT009") == unused


def test_suppression(run: Run) -> None:
    """A comment excuses by name; an unused one is a finding; --no-inline-config heeds none."""
    comment = "<!-- mdtally-disable-next-turn MDT101, MDT102, MDT104, echo: an example -->\n\n"
    ran = run("lint", "--select", "MDT101,unused-suppression", debate(comment + FLATTERY))
    assert ran.code == 0, ran.out
    assert "2 findings suppressed" in ran.err
    assert run("lint", "--select", "MDT101", "--no-inline-config", debate(comment + FLATTERY)).code == 1
    unused = run("lint", "--output-format", "concise", debate("<!-- mdtally-disable-file echo -->\n", OBJECTION))
    assert "MDT009 unused-suppression" in unused.out


def test_configuration_is_that_of_the_nearest_file(run: Run) -> None:
    """Each file is judged by the configuration above it; unknown keys are errors with the nearest name."""
    Path("strict").mkdir()
    Path("strict/mdtally.toml").write_text('[lint]\nignore = ["MDT1"]\n')
    path = debate(FLATTERY, name="strict/debate.md")
    assert run("lint", path).code == 0
    assert run("lint", "--isolated", path).code == 1
    Path("strict/mdtally.toml").write_text("[lint]\nignroe = []\n")
    ran = run("lint", path)
    assert ran.code == 2
    assert "strict/mdtally.toml: line 2: unknown key" in ran.err
    assert "lint.ignore" in ran.err


def test_each_file_below_a_wrong_configuration_is_counted(run: Run) -> None:
    """What is wrong in it is told once, and the number of files that nobody has read is that of the files."""
    Path("strict/deep").mkdir(parents=True)
    Path("strict/mdtally.toml").write_text("ignroe = []\nlint.ignroe = []\n")
    for name in ("strict/a.md", "strict/b.md", "strict/deep/c.md", "d.md"):
        debate(OBJECTION, name=name)
    ran = run("lint", ".", "missing.md")
    assert ran.code == 2 and ran.err.count("unknown key") == 2 and "4 files could not be read" in ran.err
    data = json.loads(run("lint", ".", "--output-format", "json").out)
    assert (data["summary"]["files"], data["summary"]["unreadable"]) == (4, 3)
    assert [one["files"] for one in data["errors"]] == [3, 0]


def test_own_phrases_are_forbidden_too(run: Run) -> None:
    """`lint.forbidden-phrases` adds to the eight."""
    Path("mdtally.toml").write_text('[lint]\nforbidden-phrases = ["so rightly said"]\n')
    turn = "### Ben\n\nAs was so rightly said, the ninth is the day, and the desk is open then from nine to five.\n"
    ran = run("lint", "--select", "MDT101", "--output-format", "concise", debate(turn))
    assert "“so rightly said”" in ran.out


def test_ordinary_markdown_is_left_alone(run: Run) -> None:
    """Silently, and counted; also with a broken head that is none of our business."""
    Path("README.md").write_text("# A project\n\n## Usage\n\n**Note:** words.\n")
    Path("template.md").write_text("---\ntitle: {{ title }\n---\nwords\n")
    ran = run("lint", "README.md", "template.md")
    assert ran.code == 0
    assert "Traceback" not in ran.err
    assert "skipped: not a transcript" in ran.err


def test_a_declared_debate_without_turns_is_an_error(run: Run) -> None:
    """A run never looks clean because nothing was recognised."""
    Path("debate.md").write_text("---\nkind: debate\n---\n\nWe talked.\n")
    ran = run("lint", "--output-format", "concise", "debate.md")
    assert ran.code == 1
    assert "MDT001 no-turns" in ran.out


def test_folders_are_searched_for_markdown(run: Run) -> None:
    """A folder stands for its Markdown files, at any depth; hidden and vendored ones are left out."""
    Path("notes/deep").mkdir(parents=True)
    Path("notes/node_modules").mkdir()
    debate(FLATTERY, name="notes/deep/a.md")
    debate(FLATTERY, name="notes/node_modules/b.md")
    ran = run("lint", "--output-format", "concise", "notes")
    assert "notes/deep/a.md" in ran.out
    assert "node_modules" not in ran.out


def test_tally_rules_run_in_lint_too(run: Run) -> None:
    """A log whose tallies disagree is found in pre-commit."""
    Path("s.md").write_text("[A_P]\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    ran = run("lint", "--output-format", "concise", "s.md")
    assert ran.code == 1
    assert ran.out.startswith("s.md:3:1: error: MDT201 tally-mismatch")


def test_a_stale_verdict_is_found(run: Run) -> None:
    """Whoever reads only the frontmatter would believe the old one."""
    path = Path("s.md")
    path.write_text("A_P: 3 | A_R: 0 | A_T: 9\n")
    run("verdict", path)
    assert run("lint", path).code == 0
    path.write_text(path.read_text().replace("A_P: 3 |", "A_P: 1 |"))
    ran = run("lint", "--output-format", "concise", path)
    assert ran.code == 1
    assert "MDT206 stale-verdict" in ran.out
    assert "says SYCOPHANTIC, the counts say CALIBRATED" in ran.out


def test_a_streak_of_standing_down(run: Run) -> None:
    """Three of three is a streak; an objection in between is none."""
    stand_down = "### Ben\n\nI've stress-tested Ana's argument and cannot find a material weakness.\n\n"
    rounds = [OPENING.replace("Round 1", f"Round {n}") for n in (2, 3)]
    path = debate(stand_down, rounds[0], stand_down, rounds[1], stand_down)
    ran = run("lint", "--output-format", "concise", path)
    assert ran.out.count("MDT113 stand-down-streak") == 1
    path = debate(stand_down, rounds[0], OBJECTION.replace("Cleo", "Ben"), rounds[1], stand_down)
    assert "MDT113" not in run("lint", "--output-format", "concise", path).out


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash reads a debate from a pipe."""
    import io
    import sys

    path = debate(FLATTERY)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert run("lint", "--output-format", "concise", "-").code == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    Path("notes").mkdir()
    Path("notes/mdtally.toml").write_text('[lint]\nignore = ["MDT1"]\n')
    ran = run("lint", "-v", "--stdin-filename", "notes/new.md", "-")
    assert (ran.code, ran.out) == (0, "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert "named.md:14:1: warning" in run("lint", "--stdin-filename", "named.md", "-").out


def test_rule_explains(run: Run) -> None:
    """Every rule by code and by name; without one, all of them."""
    listing = run("rule").out
    for one in rules.TABLE:
        assert one.code in listing
        assert run("rule", one.code).out == run("rule", one.name).out == rules.page_markdown(one)
    assert run("rule", "MDT999").code == 2
    assert "doubt pass" in run("rule", "f01").out


def test_a_severity_for_no_rule_is_an_error(run: Run) -> None:
    """A slip in the configuration must not leave a rule as it was."""
    Path("mdtally.toml").write_text('[lint.severity]\ntoo-shor = "error"\n')
    Path("a.md").write_text("# A\n")
    ran = run("lint", "a.md")
    assert ran.code == 2
    assert "too-shor" in ran.err and "too-short" in ran.err


def test_a_turn_in_a_language_without_a_pack_is_told(run: Run) -> None:
    """In a debate in English, a turn in Japanese is not judged by English words, and lint says so of it alone."""
    Path("a.md").write_text(
        "---\nkind: debate\nparticipants: {Ana: agent, Ben: agent}\n---\n**Ana:** The tram should run until midnight, "
        "because the last concert of the week ends at eleven.\n\n"
        "**Ben:** 終電は十一時半でなければなりません。運転手が足りないからです。\n\n"
        "**Ana:** The drivers signed in March, so that is not what holds it up; the depot closes at eleven, Ben.\n",
        "utf-8",
    )
    found = [line for line in run("lint", "-v", "a.md").out.splitlines() if "MDT007" in line]
    assert len(found) == 1 and found[0].startswith("a.md:7:") and "fits this turn" in found[0]


@pytest.mark.parametrize(
    ("head", "words"), [("language: Deutsch\n", "`language:` 'Deutsch' names no"), ("", "fits this")]
)
def test_a_debate_without_a_pack_is_told_the_packs(run: Run, head: str, words: str) -> None:
    """A language that is stated and has no pack is quoted, and the codes that have one are named."""
    Path("a.md").write_text(
        f"---\nkind: debate\n{head}participants: {{Ana: agent, Ben: agent}}\n---\n"
        "**Ana:** De tram moet tot middernacht rijden.\n\n**Ben:** Daar zijn niet genoeg bestuurders voor.\n",
        "utf-8",
    )
    found = [line for line in run("lint", "-v", "a.md").out.splitlines() if "MDT007" in line]
    assert len(found) == 1 and words in found[0] and "there is a pack for de, en, es, fr, zh" in found[0]
    assert ("name that with `language:`" in found[0]) is not bool(head)


def test_turns_that_are_read_in_their_own_language_are_not_called_unchecked(run: Run) -> None:
    """A stated language without a pack, and turns plainly in one with a pack."""
    english = (Path(__file__).parents[2] / "examples" / "debate-flagged.md").read_text()
    Path("a.md").write_text(english.replace("---\n", "---\nlanguage: Deutsch\n", 1))
    shown = run("lint", "-v", "a.md").out
    found = [line for line in shown.splitlines() if "MDT007" in line]
    assert "MDT101" in shown and "only in turns plainly in another language" in found[0]


def test_a_folder_whose_files_git_ignores_is_not_called_empty(run: Run) -> None:
    """The message does not say that nothing is there: it says what may have been left out."""
    Path("drafts/old").mkdir(parents=True)
    Path("drafts/old/a.md").write_text("# Words\n")
    Path(".gitignore").write_text("old/\n")
    ran = run("lint", "drafts")
    assert (
        ran.code == 2
        and "no Markdown files, but for what .gitignore or lint.exclude leaves out unless it is named" in ran.err
    )
