"""``mdtally turns``: what it shows of a file, and patterns tried on it and kept."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import schemas
from conftest import PROJECT, Run

DEBATE = "# Debate\n\n## Round 1\n\n### Ana [CTO]\n\nOne queue.\n\n### Ben [CFO]\n\nTwo.\n"
PATTERN = "### {speaker} [{model}]"


@pytest.fixture(autouse=True)
def debate(run: Run) -> None:
    """A folder with a debate in a form that is nobody's."""
    Path("debates").mkdir()
    Path("debates/a.md").write_text(DEBATE)


def voices(run: Run, *words: str) -> list[tuple[str, str | None, float | None]]:
    """Of the only file, each turn's speaker, model and round."""
    ran = run("turns", "--output-format", "json", *words)
    assert not ran.err.startswith("error"), ran.err
    (file,) = json.loads(ran.out)["files"]
    return [(turn["speaker"], turn["model"], turn["round"]) for turn in file["turns"]]


READ = [("Ana", "CTO", 1), ("Ben", "CFO", 1)]


def test_a_tried_pattern_stands_in_for_what_the_file_declares(run: Run) -> None:
    """What is not tried stays as the frontmatter or configuration has it, but for rounds that a saved one replaces."""
    Path("declared.md").write_text("---\ntranscript:\n  turn: '# {speaker}'\n---\n" + DEBATE)
    assert voices(run, "declared.md") == [("Debate", None, None)]
    assert voices(run, "declared.md", "--turn", PATTERN, "--round", "## Round {round}") == READ
    Path("mdtally.toml").write_text(f"[[transcript]]\nfiles = 'debates/**'\nturn = '{PATTERN}'\n")
    assert voices(run, "debates/a.md", "--round", "## Round {round}") == READ
    run("turns", "debates/a.md", "--turn", PATTERN, "--round", "## Round {round}", "--save", "debates/**")
    shown = voices(run, "debates/a.md", "--turn", "### {speaker}", "--save", "debates/**")
    assert shown == voices(run, "debates/a.md") == [("Ana [CTO]", None, None), ("Ben [CFO]", None, None)]


def test_a_tried_pattern_can_be_kept_in_the_file(run: Run) -> None:
    """In its frontmatter, with the rounds that stand there; nothing is where it opens no turn."""
    assert run("turns", "debates/a.md", "--turn", PATTERN, "--round", "## Round {round}", "--accept", "1").code == 0
    assert voices(run, "debates/a.md") == READ
    ran = run("turns", "debates/a.md", "--turn", "### {speaker}", "--accept", "1")
    assert ran.code == 1 and "not kept" in ran.err and voices(run, "debates/a.md") == READ
    assert run("turns", "debates/a.md", "--turn", "### {speaker} [{any}]", "--accept", "1").code == 0
    assert voices(run, "debates/a.md") == [("Ana", None, 1), ("Ben", None, 1)]


def test_a_pattern_is_kept_and_holds_from_then_on(run: Run) -> None:
    """Also a second one for files that an earlier one means: what was tried is what is read."""
    args = ("--turn", PATTERN, "--round", "## Round {round}", "--save")
    assert voices(run, "debates/a.md", "--turn", "### {speaker}", "--save", "**/*.md")
    assert voices(run, "debates/a.md", *args, "debates/**") == READ
    assert voices(run, "debates/a.md") == READ
    os.chdir("debates")
    assert voices(run, "a.md") == READ


@pytest.mark.parametrize(
    ("glob", "kept"),
    [("a*", "debates/**/a*"), ("./a*", "debates/a*"), ("x/a*", "debates/x/a*"), ("/debates/*", "/debates/*")],
)
def test_what_is_saved_in_a_subfolder_goes_to_the_project(run: Run, glob: str, kept: str) -> None:
    """A configuration of its own would make the folder a project with another log; the glob counts from there on."""
    Path(".obsidian").mkdir()
    os.chdir("debates")
    ran = run("turns", "a.md", "--turn", PATTERN, "--round", "## Round {round}", "--save", glob)
    assert ran.code == 0 and ("is not read by it" in ran.err) == ("x" in glob)
    assert not Path("mdtally.toml").exists()
    assert f'files = "{kept}"' in Path("../mdtally.toml").read_text()
    assert "x" in glob or voices(run, "a.md") == READ


@pytest.mark.parametrize("glob", ["debates/*", "**/a.md", "/*"])
def test_what_is_saved_goes_where_it_holds_for_the_file(run: Run, glob: str) -> None:
    """The configuration that is nearest to the file, not to whoever calls, is the one that is read for it."""
    Path("debates/mdtally.toml").write_text("# mine\n")
    ran = run("turns", "debates/a.md", "--turn", PATTERN, "--round", "## Round {round}", "--save", glob)
    assert ran.code == 0 and "kept in debates/mdtally.toml" in ran.err and "warning" not in ran.err
    assert not Path("mdtally.toml").exists()
    assert voices(run, "debates/a.md") == READ


def test_a_glob_that_does_not_mean_the_file_is_said(run: Run) -> None:
    """It is kept, with a warning that names the file."""
    ran = run("turns", "debates/a.md", "--turn", PATTERN, "--save", "debate/**")
    assert ran.code == 0
    assert "kept in mdtally.toml" in ran.err
    assert "debates/a.md is not read by it" in ran.err


def test_files_that_a_saved_form_does_not_read_are_counted(run: Run) -> None:
    """At once, with one of them named; those that the glob does not mean are left out."""
    Path("debates/b.md").write_text("## Ana\n\nOne.\n\n## Ben\n\nTwo.\n")
    Path("c.md").write_text("**Ana:** One.\n\n**Ben:** Two.\n")
    ran = run("turns", "debates/a.md", "--turn", PATTERN, "--round", "## Round {round}", "--save", "debates/**")
    assert "an error now in 1 of its 2 files, such as debates/b.md: narrow the glob" in ran.err
    kept = Path("mdtally.toml").read_bytes()
    for name in "de":
        Path(f"debates/{name}.md").write_bytes(Path("debates/b.md").read_bytes())
    ran = run("turns", "debates/a.md", "--turn", PATTERN, "--round", "## Round {round}", "--save", "debates/?.md")
    assert ran.code == 2 and "not kept: an error in 3 of the 4 files of debates/?.md" in ran.err
    assert Path("mdtally.toml").read_bytes() == kept
    for is_there in (True, False):  # an empty one marks a project
        Path("mdtally.toml").unlink()
        Path("mdtally.toml").write_text("") if is_there else None
        assert run("turns", "debates/a.md", "--turn", PATTERN, "--save", "debates/?.md").code == 2
        assert Path("mdtally.toml").exists() == is_there
        Path("mdtally.toml").touch()


def test_a_pattern_that_fails_is_not_kept(run: Run) -> None:
    """The nearest line is shown, and nothing is written; neither is anything without a pattern for turns."""
    ran = run("turns", "debates/a.md", "--turn", "### {speaker} ({role})", "--save", "debates/**")
    assert ran.code == 1
    assert "nearest is line 5, '### Ana [CTO]': it has no '(' there" in ran.out
    assert "not kept" in ran.err
    assert run("turns", "debates/a.md", "--turn", "### {speker}").code == 2
    assert "give a pattern for those" in run("turns", "debates/a.md", "--turn", "Ana={text}").err
    assert "--turn" in run("turns", "debates/a.md", "--round", "# {any}", "--save", "debates/**").err
    assert not Path("mdtally.toml").exists()


@pytest.mark.parametrize("pattern", ["### {speker}", "### {speaker} ({role})"])
def test_a_wrong_pattern_of_the_configuration_is_told_as_such(run: Run, pattern: str) -> None:
    """The finding stands at a line of the debate, where nothing can be mended."""
    Path("mdtally.toml").write_text(f"[[transcript]]\nfiles = 'debates/**'\nturn = '{pattern}'\n")
    assert "of the configuration" in run("turns", "debates/a.md").out


def test_standard_input_is_read_as_the_file_it_is_said_to_be(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """For its configuration and in the output, as in the other commands."""
    Path("mdtally.toml").write_text(f"[[transcript]]\nfiles = 'debates/**'\nturn = '{PATTERN}'\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DEBATE.encode())))
    ran = run("turns", "--stdin-filename", "debates/new.md", "-")
    assert ran.out.startswith("debates/new.md: debate (as its pattern says): 2 turns")


def test_a_head_that_cannot_be_read_is_said(run: Run) -> None:
    """What it declares was not heeded: that is a finding beside the turns, or instead of them."""
    Path("broken.md").write_text("---\ntranscript:\n  turn: **{speaker}:** {text}\n---\n**Ana:** one\n\n**Ben:** two\n")
    ran = run("turns", "broken.md")
    assert ran.code == 1
    assert "broken.md:3:10: error: MDT004 invalid-frontmatter" in ran.out
    Path("broken.md").write_text("---\ntranscript:\n  turn: {Me: > {text}, It: {text}}\n---\n> Why?\n\nSo.\n")
    assert "broken.md:3:14: error: MDT004 invalid-frontmatter" in run("turns", "broken.md").out


SHORT = "## Ana\n\nOne queue.\n\n## Ben\n\nIt is not.\n"


HEADS = ["", "---\ntitle: x\n---\n", '+++\ntitle = "x"\n+++\n']


def turns_of(run: Run, *words: str) -> dict[str, Any]:
    (file,) = json.loads(run("turns", "--output-format", "json", *words).out)["files"]
    return file  # type: ignore[no-any-return]


@pytest.mark.parametrize("head", HEADS)
def test_an_accepted_offer_settles_an_unsure_reading(run: Run, head: str) -> None:
    """One key: the frontmatter, in its own syntax, says the patterns and the voices from then on."""
    Path("unsure.md").write_text(head + SHORT)
    shown = run("turns", "unsure.md").out
    assert "1. Ana 1, Ben 1: `## {speaker}`" in shown
    assert "mdtally turns unsure.md --accept 1" in shown
    before = turns_of(run, "unsure.md")
    assert (before["reading"], before["offers"][0]["patterns"]) == ("unsure", {"turn": ["## {speaker}"]})
    ran = run("turns", "unsure.md", "--accept", "0")
    assert (ran.code, ran.err) == (2, "error: unsure.md: there is no offer 0, only 1\n")
    ran = run("turns", "unsure.md", "--accept", "1")
    assert (ran.code, ran.out) == (0, "")
    settled = turns_of(run, "unsure.md")
    assert (settled["reading"], settled["declared"], settled["offers"]) == ("pattern", True, [])
    assert [turn["speaker"] for turn in settled["turns"]] == ["Ana", "Ben"]
    assert Path("unsure.md").read_text().endswith(SHORT)


def test_what_a_kept_reading_leaves_over_is_told(run: Run) -> None:
    """A line that is like a label, and opens no turn, is named with its line as soon as the reading is kept."""
    Path("talk.md").write_text(
        "**Ana**: Why?\n\n**Ben**: So.\n\n**Ben first try**: No.\n\n**Ana**: Oh.\n\n**Ben**: Yes.\n"
    )
    ran = run("turns", "talk.md", "--like", "1", "--like", "3", "--accept", "1")
    assert ran.code == 0 and "line 12: this fits the pattern, but its name is 'Ben first try'" in ran.err


def test_the_person_is_named_with_the_offer(run: Run) -> None:
    """Where names tell no kind, --human says who the person is: the file is a session then."""
    Path("unsure.md").write_text(SHORT)
    assert "`mdtally turns unsure.md --accept 1 --human Ana`, or Ben" in run("turns", "unsure.md").out
    assert run("turns", "unsure.md", "--accept", "1", "--human", "Bert").code == 2
    run("turns", "unsure.md", "--accept", "1", "--human", "ben")
    settled = turns_of(run, "unsure.md")
    assert [(turn["speaker"], turn["kind"]) for turn in settled["turns"]] == [("Ana", "agent"), ("Ben", "human")]
    assert settled["kind"] == "session"


@pytest.mark.parametrize("people", [("Ana",), ("Ana", "Ben"), ("Ben",)])
def test_who_names_the_person_again_corrects_it(run: Run, people: tuple[str, ...]) -> None:
    """The voices that the last call names are persons, and no others beside them: else nobody could give in."""
    Path("unsure.md").write_text(SHORT)
    run("turns", "unsure.md", "--accept", "1", "--human", "Ben")
    run("turns", "unsure.md", "--accept", "1", *(part for name in people for part in ("--human", name)))
    kinds = {turn["speaker"]: turn["kind"] for turn in turns_of(run, "unsure.md")["turns"]}
    assert {name for name, kind in kinds.items() if kind == "human"} == {*people}


GLYPHS = "❯ why so slow?\n\n⏺ The index is missing.\n\n❯ so add it\n\n⏺ Done.\n"


def test_pointing_at_labels_makes_the_only_offer(run: Run) -> None:
    """Two label lines, one a voice; a label that is a sign alone becomes a pattern that fixes the voice."""
    Path("pasted.md").write_text(GLYPHS)
    (offer,) = turns_of(run, "pasted.md", "--like", "1", "--like", "3")["offers"]
    assert offer["lines"] == [1, 3, 5, 7]
    assert offer["patterns"]["turn"] == {"User": ["❯ {text}"], "Agent": ["⏺ {text}"]}
    run("turns", "pasted.md", "--like", "1", "--like", "3", "--accept", "1")
    settled = turns_of(run, "pasted.md")
    assert [turn["speaker"] for turn in settled["turns"]] == ["User", "Agent", "User", "Agent"]
    assert run("turns", "pasted.md", "--like", "2").code == 2
    Path("plain.md").write_text("I think we keep it as it is.\n\nYou may be right.\n\nI think it has been mended.\n")
    assert "line 1 has no label: “I” marks no voice" in run("turns", "plain.md", "--like", "1").err


@pytest.mark.parametrize("label", ["{}:", "- {}:", "{} -"])
def test_pointing_at_two_voices_in_three_turns_makes_an_offer(run: Run, label: str) -> None:
    """One of them speaks once, between turns of the other; and each command that is printed then works."""
    names = [label.format(name) for name in ("Ana", "Ben", "Ana")]
    Path("three.md").write_text("# Notes\n\n{} I would wait.\n\n{} I would not.\n\n{} We differ.\n".format(*names))
    ran = run("turns", "three.md", "--like", "3", "--like", "5")
    assert "Ana 2, Ben 1" in ran.out
    assert "`mdtally turns three.md --like 3 --like 5 --accept 1 --human Ana`" in ran.out
    assert run("turns", "three.md", "--like", "3", "--like", "5", "--accept", "1", "--human", "Ana").code == 0


def test_a_saved_offer_settles_the_sisters_of_a_file(run: Run) -> None:
    """The configuration keeps the patterns for a glob; other files of the form need no key."""
    Path("debates/one.md").write_text(SHORT)
    Path("debates/two.md").write_text(SHORT.replace("Ana", "Cleo"))
    assert "add --save 'debates/*.md'; any other file" in run("turns", "debates/one.md").out
    assert run("turns", "debates/one.md", "--accept", "1", "--save", "debates/*").code == 0
    assert Path("debates/one.md").read_text() == SHORT
    for name, voice in (("one", "Ana"), ("two", "Cleo")):
        settled = turns_of(run, f"debates/{name}.md")
        assert (settled["reading"], settled["turns"][0]["speaker"]) == ("pattern", voice)


@pytest.mark.parametrize("path", ["one.md", "debates/one.md"])
@pytest.mark.parametrize("place", [Path, Path.absolute])
def test_the_glob_that_is_advised_means_the_files_folder(run: Run, path: str, place: Callable[[Path], Path]) -> None:
    """No folder below it, which a glob without a slash would mean, too; however the file is named."""
    Path(path).write_text(SHORT)
    Path("debates/below").mkdir()
    Path("debates/below/two.md").write_text(SHORT)
    named = place(Path(path))
    glob = shlex.split(run("turns", named).out.partition("add --save ")[2].partition(";")[0])[0]
    ran = run("turns", named, "--accept", "1", "--save", glob)
    assert ran.code == 0 and "not read" not in ran.err
    assert [turns_of(run, one)["reading"] for one in (path, "debates/below/two.md")] == ["pattern", "unsure"]


def test_signs_as_labels_are_saved_by_voice(run: Run) -> None:
    """The configuration holds patterns that fix a voice, too."""
    Path("debates/one.md").write_text(GLYPHS)
    Path("debates/two.md").write_text(GLYPHS + "\n❯ thanks\n")
    ran = run("turns", "debates/one.md", "--like", "1", "--like", "3", "--save", "debates/*")
    assert ran.code == 0, ran.err
    assert [turn["speaker"] for turn in turns_of(run, "debates/two.md")["turns"]] == ["User", "Agent"] * 2 + ["User"]


def test_what_is_shown_of_an_unsure_file_is_its_first_offer(run: Run) -> None:
    """Voices stand first, many ends are a number, and the label lines are those that not all offers share."""
    labels = "**GROK:**", "**GROK:**", "**CLAUDE:**", "**ChatGPT Plus**", "**ChatGPT Plus**"
    asked = (f"### Is the queue empty in run {n} of {n} May, as you said {n * n}?" for n in range(5))
    said = "The log shows where it waits for the lock that the other process holds."
    text = "".join(f"**Usuario:**\n{one}\n\n{label}\n\n{said}\n\n" for one, label in zip(asked, labels, strict=True))
    Path("t.md").write_text(text)
    shown = run("turns", "t.md").out
    assert "1. Usuario 5, GROK 2, CLAUDE 1: `**{speaker}:**`\n   line 18: **CLAUDE:**\n\n" in shown
    said = "What do I need?", "Three parts.", "Why not my own disk?", "It breaks.", "No, that's wrong.", "You're right."
    names = ("Doe, Jane", "Copilot") * 3
    chat = (f"[10:0{n}] {name}\n{text}\n\n" for n, (name, text) in enumerate(zip(names, said, strict=True)))
    Path("t.md").write_text("".join(chat))
    read = turns_of(run, "t.md")
    assert [turn["line"] for turn in read["turns"]] == read["offers"][0]["lines"] == [1, 4, 7, 10, 13, 16]


def test_a_text_without_labels_is_told_what_to_write(run: Run) -> None:
    """Paragraphs alternate, and no line says who speaks."""
    Path("plain.md").write_text("why so slow?\n\nthe index is missing\n\nso add it\n")
    assert "such as `Me:` and `Claude:`" in run("turns", "plain.md").out


@pytest.mark.parametrize("answer", ["the index is missing", "**Index:** it is missing\n\n1. Table (T): it is old"])
def test_a_text_without_labels_is_told_the_walk_over_paragraphs(run: Run, answer: str) -> None:
    """Also where lines of an answer look like labels."""
    Path("plain.md").write_text(f"why so slow?\n\n{answer}\n\nso add it\n")
    assert "answer paragraph by paragraph: mdtally review plain.md\n" in run("turns", "plain.md").out


def test_where_no_label_is_seen_one_may_be_pointed_at(run: Run) -> None:
    """The rows of a table are not read by themselves, but two of them say how."""
    Path("t.md").write_text("| Who | What |\n| --- | --- |\n| Me | why? |\n| Bot | the index |\n| Me | add it |\n")
    assert "mdtally turns t.md --like LINE --like LINE" in run("turns", "t.md").out
    shown = run("turns", "t.md", "--like", "3", "--like", "4").out
    assert "1. Me 2, Bot 1: `| {speaker} | {text} |`" in shown
    assert "To keep the first one: mdtally turns t.md --like 3 --like 4 --accept 1\n" in shown
    shown = run("turns", "t.md", "--like", "3", "--like", "4", "--human", "Me").out
    assert "mdtally turns t.md --like 3 --like 4 --human Me --accept 1\n" in shown


def test_labels_that_name_nobody_declared_are_shown(run: Run) -> None:
    """A declared debate without turns: what was seen, and what to do."""
    Path("a.md").write_text("---\nkind: debate\nagents: [Ana, Ben]\n---\n**Anna:** one\n\n**Bern:** two\n")
    ran = run("turns", "a.md")
    assert ran.code == 1
    assert "line 5: **Anna:** one\n   line 7: **Bern:** two" in ran.out
    assert "--like LINE" in ran.out


def test_every_way_of_reading_is_described_by_the_schema(run: Run) -> None:
    """Patterns, declarations, guesses, findings, none at all, and names that are an attack on a terminal."""
    for name, text in {
        "pattern": "---\ntranscript: '{speaker}: {text}'\n---\nEv\x1b[31mil\x07: hi\n\nBen\u202e: no\n",
        "declared": f"---\nkind: debate\nagents: [Ana, Ben]\n---\n{SHORT}",
        "unsure": SHORT,
        "failed": "---\ntranscript: '* {speaker}'\n---\n# Notes\n",
        "ordinary": "# Notes\n\nfoo\n",
        "empty": "",
        "quoted": "---\ntranscript: {turn: '**{speaker}:**', start: '## Go', line: '> {text}'}\n---\n## Go\n"
        "**Ana:**\n> Why?\n\n**Ben:**\n> Hm.\n",
    }.items():
        Path(f"debates/{name}.md").write_text(text)
    ran = run("turns", "debates", PROJECT / "tests" / "cases" / "turns", "--output-format", "json")
    data = json.loads(ran.out)
    schemas.validate(data, "turns.schema.json")
    assert {"turn", "round", "end", "line", "start", "rounds", "section"} <= {
        key for file in data["files"] for key in (file["form"] or {"patterns": ()})["patterns"]
    }
    shown = run("turns", "debates")
    assert (ran.code, shown.code) == (1, 1)
    assert not {"\x1b", "\x07", "\u202e"} & set(ran.out + shown.out)


def test_tag_and_verdict_say_the_same_of_a_text_without_labels(run: Run) -> None:
    """Whatever command meets it, a person is told what to write before the turns."""
    Path("plain.md").write_text("why so slow?\n\nthe index is missing\n\nso add it\n")
    for words in (["turns"], ["events", "--candidates"], ["verdict"]):
        ran = run(*words, "plain.md")
        assert "such as `Me:` and `Claude:`" in ran.out + ran.err


def test_skipped_files_are_named_with_v(run: Run) -> None:
    """Ordinary Markdown is left alone, and counted; with -v it is named, too."""
    Path("notes.md").write_text("# Notes\n\nfoo\n")
    assert "notes.md" not in run("lint", "notes.md").out
    assert "notes.md: skipped: not a transcript" in run("lint", "-v", "notes.md").out


def test_a_file_is_unsure_or_no_transcript_but_not_both(run: Run) -> None:
    """What may hold a conversation is not counted a second time as ordinary Markdown."""
    Path("notes.md").write_text(
        "# Our debates\n\nHere we keep: what they said.\n\nNote: keep it short.\nWarning: do.\n"
    )
    ran = run("lint", "-v", "notes.md")
    assert "may hold a conversation" in ran.out and "skipped" not in ran.out + ran.err
    assert "1 file unsure, not checked" in ran.err


def test_a_printed_command_works_for_a_path_with_spaces(run: Run) -> None:
    """It is quoted as a shell wants it, in `turns`, in `lint` and in a refusal."""
    names = ["debates/der erste.md", "debates/der zweite.md"]
    for name in names:
        Path(name).write_text(
            "> **Ana**: Two queues cost more.\n\n> **Ben**: One is slow.\n\n> **Ana**: Not at night.\n"
        )
    shown = run("turns", names[0]).out
    assert "mdtally turns 'debates/der erste.md' --accept 1\n" in shown
    assert "mdtally turns 'debates/der erste.md' --like LINE" in shown
    assert "mdtally turns 'debates/der erste.md'` settles who speaks" in run("lint", *names).err
    assert "--write-baseline 'my baseline.json'`" in run("lint", "--baseline", "my baseline.json", names[0]).err
    assert "--baseline 'my baseline.json'`" in run("lint", "--write-baseline", "my baseline.json", names[0]).err


def test_what_settles_one_file_says_why_it_cannot_be_read(run: Run) -> None:
    """And not that one is to be named."""
    Path("old.txt").write_bytes("Ana: naïve\n\nBen: no\n".encode("latin-1"))
    ran = run("turns", "old.txt", "--like", 1)
    assert ran.code == 2
    assert ran.err == "error: old.txt: not UTF-8 at line 1 (byte 7); save the file as UTF-8\n"
