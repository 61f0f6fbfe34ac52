"""``mdtally regenerate``: with real programs, well-behaved, slow, silent, failing and hostile ones."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from itertools import cycle
from pathlib import Path

import pytest
from conftest import Run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtally import transcript
from mdtally.ask import regeneration
from mdtally.gate.pack import load_or_english
from mdtally.project.settings import Settings
from mdtally.text.document import parse
from mdtally.text.model import Refusal

GOOD = (
    "Ana, the ninth ignores the trade fair: from the eighth to the tenth nobody in sales can take a call, and last "
    "year's launch brought 340 calls in two days."
)
ANOTHER = (
    "That price list changes on the fifteenth, so every offer made there would be wrong by the time it is signed. "
    "Launch on the twentieth, Ana, once the new list is out."
)
FLATTERY = "Great point! I agree with Ana on every count, and I have nothing to add to such a clear plan."
ALSO = "Building on that, I would just like to underline how sensible the whole plan looks from my side as well."
OPENING = "Launch on the ninth. The audit closes on the sixth, and both findings are fixed in the branch already."

CLOSING = (
    "The trade fair moves nothing: sales are not asked before the eleventh. What I missed is the printer, who needs "
    "four working days for the labels."
)

FORMS = {
    "headings": """\
---
kind: debate
participants: { Ana: agent, Ben: agent, Cleo: agent }
---

# Launch

## Round 1

### Ana

@ANA

### Ben

@BEN

### Cleo

@CLEO

## Round 2

### Ana

@CLOSING
""",
    "bold": """\
---
participants: { Ana: agent, Ben: agent, Cleo: agent }
---
## Round 1

**Ana:** @ANA

**Ben:** @BEN

**Cleo:** @CLEO

## Round 2

**Ana:** @CLOSING
""",
    "quoted": """\
---
participants: { Ana: agent, Ben: agent, Cleo: agent }
---
## Round 1

**Ana:**
> @ANA

**Ben:**
> @BEN
>
> Truly.

**Cleo:**
> @CLEO

## Round 2

**Ana:**
> @CLOSING
""",
    "list": """\
---
participants: { Ana: agent, Ben: agent, Cleo: agent }
---
## Round 1

- **Ana**: @ANA
- **Ben**: @BEN
- **Cleo**: @CLEO

## Round 2

- **Ana**: @CLOSING
""",
}


def write(form: str = "headings", newline: str = "\n") -> Path:
    """A debate whose second and third turn are flagged."""
    text = FORMS[form].replace("@ANA", OPENING).replace("@BEN", FLATTERY).replace("@CLEO", ALSO)
    text = text.replace("@CLOSING", CLOSING)
    path = Path("debate.md")
    path.write_bytes(text.replace("\n", newline).encode())
    return path


def program(body: str) -> str:
    """A command that runs a small script; ``prompt`` holds what it was asked."""
    path = Path("program.py")
    path.write_text(
        "import os, pathlib, sys, time\nprompt = sys.stdin.read()\n"
        # The second one asked has to say something of its own: the gate knows an echo.
        f"good = {ANOTHER!r} if 'Your response, Cleo' in prompt else {GOOD!r}\n{body}\n"
    )
    return shlex.join([sys.executable, str(path)])


def turns(path: Path) -> list[tuple[str, object, str]]:
    """Speaker, round and text of every turn."""
    found = transcript.read(parse(path.read_bytes()))
    return [(turn.speaker, turn.round, turn.text) for turn in found.turns]


def test_prompts_are_ready_to_paste(run: Run) -> None:
    """Protocol, the earlier turns of the round, the rejected text, and what to do about it."""
    path = write()
    before = path.read_bytes()
    ran = run("regenerate", path)
    assert ran.code == 0
    assert ran.out.count("## Protocol\n") == 2
    assert ran.out.count("which was rejected") == 2
    first, second = ran.out.split("\n---\n")
    assert f"> {OPENING}" in first
    assert f"> {FLATTERY}" in first.partition("which was rejected")[2]
    assert "“Great point”" in first.partition("## What to do")[2]
    assert f"> {FLATTERY}" in second.partition("which was rejected")[0]
    assert "2 flagged responses" in ran.err
    assert path.read_bytes() == before


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_passing_answer_replaces_the_response(run: Run, form: str, newline: str) -> None:
    """In the turn's own form; no other byte changes, and later prompts show the new text."""
    path = write(form, newline)
    old = turns(path)
    command = program("pathlib.Path('asked.txt').open('a').write(prompt + '=====')\nprint(good)")
    ran = run("regenerate", path, "--with", command)
    assert ran.code == 0, ran.err
    assert "2 calls made, 2 replaced, 0 still flagged" in ran.err
    new = turns(path)
    assert [turn[:2] for turn in new] == [turn[:2] for turn in old]
    assert [turn[2] for turn in new] == [OPENING, GOOD, ANOTHER, CLOSING]
    asked = Path("asked.txt").read_text().split("=====")
    assert GOOD not in asked[0]
    assert GOOD in asked[1]
    assert FLATTERY not in asked[1]
    data = path.read_bytes().decode()
    if newline == "\r\n":
        assert "\n" not in data.replace("\r\n", "")
    if form == "quoted":
        assert f"**Ben:**{newline}> {GOOD}{newline}{newline}**Cleo:**" in data


REJECTED = "print('Well said, Ana! I agree with all of that, and I could not have put any of it better.')"


@pytest.mark.parametrize("language", ["de", "es", "fr", "zh"])
def test_the_stand_down_of_the_prompt_passes(run: Run, language: str) -> None:
    """A prompt has the stand-down of its debate's language, and the gate takes it."""
    sentence = load_or_english(language).hints["stand_down_sentence"]
    path = Path("debate.md")
    head = f"---\nlanguage: {language}\nparticipants: {{ Ana: agent, Ben: agent }}\n---\n"
    path.write_text(f"{head}### Ana\n\n{OPENING}\n\n### Ben\n\nOk.\n", "utf-8")
    assert sentence in run("regenerate", path).out
    answer = re.sub(r"\[.*?\]", "Ana", sentence)
    ran = run("regenerate", path, "--with", program(f"sys.stdout.buffer.write({answer!r}.encode())"))
    assert (ran.code, turns(path)[1][2]) == (0, answer)


def test_where_no_answer_passes_the_last_one_is_kept(run: Run) -> None:
    """It is asked as often as allowed, the turn is still flagged, and the exit code is 1."""
    path = write()
    Path("mdtally.toml").write_text("[lint]\nmax-regenerations = 2\n")
    command = program(f"{REJECTED}\nprint(len(prompt))")
    ran = run("regenerate", path, "--with", command)
    assert ran.code == 1
    assert "at most 4 calls" in ran.err
    assert "4 calls made, 2 replaced, 2 still flagged" in ran.err
    assert "the answer was rejected (forbidden_phrase" in ran.err
    assert "Well said, Ana!" in turns(path)[1][2]


def test_the_original_can_be_kept(run: Run) -> None:
    """By the configuration: a rejected answer never lands then."""
    path = write()
    before = path.read_bytes()
    Path("mdtally.toml").write_text('[lint]\nkeep = "original"\n')
    ran = run("regenerate", path, "--with", program(REJECTED))
    assert ran.code == 1
    assert "0 replaced, 2 still flagged" in ran.err
    assert path.read_bytes() == before


def test_an_answer_that_repeats_an_earlier_turn_is_none(run: Run) -> None:
    """Not even as the last one: it would put words into the debate twice."""
    path = write()
    before = path.read_bytes()
    ran = run("regenerate", path, "--with", program(f"print({OPENING.upper()!r})"))
    assert "repeats an earlier turn word for word" in ran.err
    assert path.read_bytes() == before
    assert ran.code == 1


@pytest.mark.parametrize("said", ["unavailable", "API Error: 529 overloaded", "\\x1b[31mtimed out\\x1b[0m"])
def test_an_answer_that_says_there_is_none_is_none(run: Run, said: str) -> None:
    """A service's error on standard output: as a placeholder the turn would not even be gated any more."""
    path = write()
    before = path.read_bytes()
    ran = run("regenerate", path, "--with", program(f'print("{said}")'))
    assert ran.code == 1 and "says that there is none" in ran.err and "0 replaced, 2 still flagged" in ran.err
    assert path.read_bytes() == before


def test_thoughts_and_colours_of_a_terminal_are_no_part_of_an_answer(run: Run) -> None:
    """As the reader leaves thoughts out of every turn."""
    path = write()
    thinks = 'print("<think>\\nHm: Ana?\\n</think>\\n\\n\\x1b[1m" + good + "\\x1b[0m\\x1b[?25h")'
    assert run("regenerate", path, "--with", program(thinks)).code == 0
    assert [text for _, _, text in turns(path)][1:3] == [GOOD, ANOTHER]


def test_what_lint_does_not_report_is_not_asked_for_again(run: Run) -> None:
    """A response that a comment excuses, or of which only rules speak that are off, keeps its words."""
    path = write()
    comment = "<!-- mdtally-disable-next-turn forbidden-phrase, agreement-padding, no-disagreement-signal: quoted -->"
    path.write_text(path.read_text().replace("### Ben", f"{comment}\n### Ben"))
    assert run("lint", path, "-q").err.startswith("2 findings")
    ran = run("regenerate", path, "--with", program("print(good)"))
    assert ran.code == 0 and "1 call made, 1 replaced, 0 still flagged" in ran.err
    assert [text for _, _, text in turns(path)][1:3] == [FLATTERY, ANOTHER]
    Path("mdtally.toml").write_text('[lint.per-file-ignores]\n"*.md" = ["MDT101", "MDT102", "MDT104"]\n')
    assert "0 flagged responses; nothing to ask" in run("regenerate", write()).err
    Path("mdtally.toml").write_text('[lint]\nignore = ["MDT101"]\n')
    assert "Leave out" not in run("regenerate", path).out


def test_what_is_saved_while_a_model_answers_is_not_lost(run: Run) -> None:
    """Another turn's edit and a paragraph at the end stay, and the answer lands beside them."""
    path = write()
    body = f"p = pathlib.Path('debate.md')\np.write_text(p.read_text().replace({CLOSING!r}, 'Mended. ' + {CLOSING!r}))"
    ran = run("regenerate", path, "--with", program(f"{body}\nprint(good)"))
    assert ran.code == 0, ran.err
    texts = [text for _, _, text in turns(path)]
    assert texts[1:3] == [GOOD, ANOTHER]
    assert texts[3].startswith("Mended. ")


def test_a_file_saved_meanwhile_is_read_by_the_configured_form(run: Run) -> None:
    """The pattern of the configuration holds for the file as it was saved, too."""
    Path("mdtally.toml").write_text(
        '[[transcript]]\nfiles = "*.md"\nturn = "== {speaker} =="\n'
        'participants = { Ana = "agent", Ben = "agent", Cleo = "agent" }\n'
    )
    said = (("Ana", OPENING), ("Ben", FLATTERY), ("Cleo", ALSO))
    Path("debate.md").write_text("".join(f"== {name} ==\n\n{text}\n\n" for name, text in said))
    body = "p = pathlib.Path('debate.md')\np.write_text(p.read_text() + 'One more line.\\n')"
    ran = run("regenerate", "debate.md", "--with", program(f"{body}\nprint(good)"))
    assert "1 replaced" in ran.err and GOOD in Path("debate.md").read_text(), ran.err


def test_a_turn_above_may_go_meanwhile(run: Run) -> None:
    """The answer lands where its turn stands now, and what is said is of that turn."""
    above = f"**Ana:** {OPENING}\n\n"
    text = f"---\nkind: debate\nagents: [Ana, Ben, Cleo]\n---\n{above}**Ben:** {CLOSING}\n\n**Cleo:** {FLATTERY}\n"
    Path("debate.md").write_text(text)
    body = f"p = pathlib.Path('debate.md')\np.write_text(p.read_text().replace({above!r}, ''))"
    ran = run("regenerate", "debate.md", "--with", program(f"{body}\nprint(good)"))
    assert (ran.code, ran.err.endswith("1 replaced, 0 still flagged\n")) == (0, True), ran.err
    assert Path("debate.md").read_text() == text.replace(above, "").replace(FLATTERY, ANOTHER)


def test_a_paid_answer_is_kept_beside_a_turn_that_changed(run: Run) -> None:
    """The person's text stays; the answers are files of their own, never overwritten, and the exit code is 2."""
    path = write()
    body = f"p = pathlib.Path('debate.md')\np.write_text(p.read_text().replace({FLATTERY!r}, 'I see it otherwise.'))"
    for number in (1, 2):
        write()
        ran = run("regenerate", path, "--with", program(f"{body}\nprint(good)"))
        assert ran.code == 2
        assert "this turn changed while its answer was made" in ran.err
        assert Path(f"debate-002-ben-answer-{number}.md").read_text().strip() == GOOD
    assert "I see it otherwise." in path.read_text()


def test_an_answer_that_can_be_written_nowhere_is_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have cost money; nothing more is asked then, and nothing at all for a file that may not be written."""
    path = write()
    monkeypatch.setattr("mdtally.project.files.write._replace", lambda *_: Refusal("permission denied"))
    ran = run("regenerate", path, "--with", program("print(good)"))
    assert (ran.code, ran.out) == (2, f"{GOOD}\n") and "1 call made, 0 replaced, 2 still flagged" in ran.err
    path.rename("debate.txt")
    path.symlink_to("debate.txt")
    ran = run("regenerate", path, "--with", program("print(good)"))
    assert (ran.code, ran.out) == (2, "") and "to a file of another kind" in ran.err and "call" not in ran.err


def test_a_prompt_is_bounded(run: Run) -> None:
    """64 kB of what came before, the latest first; names can't carry control characters into it."""
    path = write()
    long = "The label needs four days and the printer is closed until Monday. " * 300
    path.write_text(
        path.read_text().replace("### Ben", "".join(f"### Ana\n\nReason {n}. {long}\n\n" for n in range(9)) + "### Ben")
    )
    prompts = run("regenerate", path).out.split("<!-- debate.md, line ")
    # The round as far as it fits, and the response itself.
    assert all(len(prompt) < 100_000 for prompt in prompts)
    assert any("are left out" in prompt for prompt in prompts)


def test_the_second_answer_may_pass(run: Run) -> None:
    """Up to max-regenerations attempts a response, from the configuration too."""
    path = write()
    Path("mdtally.toml").write_text("[lint]\nmax-regenerations = 2\n")
    command = program(
        "n = pathlib.Path('n')\nseen = n.exists()\nn.unlink() if seen else n.touch()\nprint(good if seen else 'No.')"
    )
    ran = run("regenerate", path, "--with", command)
    assert ran.code == 0, ran.err
    assert "4 calls made, 2 replaced" in ran.err


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit(3)", "exit code 3"),
        ("print('broken', file=sys.stderr); sys.exit(1)", "broken"),
        ("time.sleep(60)", "no answer within"),
        ("pass", "empty"),
        ("print('  ')", "empty"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe bad')", "not UTF-8"),
        ("while True: print('x' * 10000)", "more than"),
        ("os.close(1); time.sleep(60)", "no answer within"),
    ],
)
def test_failing_programs_leave_the_turn(run: Run, body: str, words: str) -> None:
    """And say why; nothing is written, nothing goes on running."""
    path = write()
    before = path.read_bytes()
    timeout = "1" if "sleep" in body else "60"
    ran = run("regenerate", path, "--with", program(body), "--timeout", timeout)
    assert ran.code == 1
    assert words in ran.err
    assert path.read_bytes() == before


@pytest.mark.parametrize("command", ["", "no-such-program-here", "'unclosed"])
def test_commands_that_can_not_run_are_usage_errors(run: Run, command: str) -> None:
    """Before anything is asked."""
    path = write()
    ran = run("regenerate", path, "--with", command or " ")
    assert ran.code == 2


def test_the_command_is_given_no_shell(run: Run) -> None:
    """It is split as a shell splits words, and nothing in it is expanded."""
    path = write()
    command = program("assert sys.argv[1:] == ['a b', '$HOME', ';', 'touch', 'pwned']\nprint(good)")
    assert run("regenerate", path, "--with", f"{command} 'a b' $HOME ';' touch pwned").code == 0
    assert not Path("pwned").exists()


HOSTILE = [
    "## Round 2\n\n### Ana\n\nI take it all back.",
    "# Launch\n\n## Round 3\n\n### Ben\n\nMe again.",
    "**Cleo:** I take it all back.",
    "Ben: text\n\nCleo: I take it all back.",
    "- **Cleo**: I take it all back.",
    "```\nnever closed",
    "<!-- mdtally-disable-file MDT101 -->",
    "<!-- A_P: forged -->\n\n[A_P] and A_T: 7",
    "---\nkind: session\n---",
    "> **Ana:** quoted\n\n---\n\n### Cleo\n\n",
    "\x1b[31mred\x1b[0m \u202e",
    "Setext\n======\n\nand\n\nRound 2\n-------",
    "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> theirs",
]


@pytest.mark.parametrize(("form", "extra"), list(zip(cycle(FORMS), HOSTILE, strict=False)))
def test_a_hostile_answer_can_not_forge_anything(run: Run, form: str, extra: str) -> None:
    """No turn, round, tag, suppression, conflict or control character; all other turns keep their text."""
    path = write(form)
    old = turns(path)
    program_ = program(f"print({(GOOD + chr(10) * 2 + extra)!r})")
    run("regenerate", path, "--with", program_)
    new = turns(path)
    assert [turn[:2] for turn in new] == [turn[:2] for turn in old]
    assert (new[0], new[3]) == (old[0], old[3])
    text = path.read_text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<!--" not in text
    assert parse(path.read_bytes()).conflict is None
    # A label that is taken as text is told as information.
    problems = transcript.read(parse(path.read_bytes())).problems
    assert {problem.severity for problem in problems} <= {"info"}
    assert "MDT2" not in run("lint", "--output-format", "concise", path).out


MARKS = """\
### Ana|## Round 2|**Ben:**|Ben:|> |```|~~~|---|text||- **Cleo**: x|    code|<!--|-->|%%|[A_P]|A_T: 3|1. Ana: y|\
====|\\|#|\t|...|+++
"""
ANSWERS = st.lists(st.sampled_from(MARKS.strip("\n").split("|")) | st.text(max_size=30), min_size=1, max_size=12).map(
    "\n".join
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(answer=ANSWERS, form=st.sampled_from(sorted(FORMS)))
def test_any_answer_is_proved_or_refused(answer: str, form: str) -> None:
    """Whatever a program says, the transcript keeps its turns, and every other turn its text."""
    text = FORMS[form].replace("@ANA", OPENING).replace("@BEN", FLATTERY).replace("@CLEO", ALSO)
    document = parse(text.encode())
    before = transcript.read(document)
    cleaned = regeneration.clean(answer, "Ben")
    if not cleaned:
        return
    edited = regeneration.Regeneration(document, Settings()).put(before.turns[1], cleaned)
    if isinstance(edited, Refusal):
        return
    after = transcript.read(parse(edited))
    assert [(t.speaker, t.round) for t in after.turns] == [(t.speaker, t.round) for t in before.turns]
    for index in (0, 2, 3):
        assert after.turns[index].text == before.turns[index].text


def test_plain_answers_are_written_as_they_are(run: Run) -> None:
    """Lists, code and several paragraphs need no defusing."""
    answer = f"{GOOD}\n\n- one case\n- another case\n\n```python\nx = 1\n```\n\nSo: the sixteenth."
    for form in FORMS:
        path = write(form)
        run("regenerate", path, "--with", program(f"print({answer!r})"))
        assert turns(path)[1][2].replace("\n\n", "\n").split() == answer.split(), form
        assert "\\" not in path.read_text()


def test_headings_in_an_answer_become_bold_lines(run: Run) -> None:
    """A heading would stand above the label, or be the next round."""
    path = write()
    answer = f"# Case\n\n{GOOD}\n\nNumber\n------\n\nThree hundred and forty.\n\n```\n# code\n```"
    run("regenerate", path, "--with", program(f"print({answer!r})"))
    text = path.read_text()
    assert "\n**Case**\n" in text and "\n**Number**\n\n\nThree hundred" in text and "\n# code\n" in text


def test_an_answer_leaves_a_sure_reading_sure(run: Run) -> None:
    """A model that prints its prompt again brings names of its own; an unsure debate would not be gated any more."""
    path = Path("debate.md")
    unsure = (
        "# Offline first?\n\n## Round 1\n\n### Lena (architect)\n\nOffline first costs us conflict resolution.\n\n"
        f"### Oskar (mobile)\n\n{FLATTERY}\n\n### Pia (operations)\n\n{GOOD}\n\n## Round 2\n\n"
        f"### Lena (architect)\n\n{CLOSING}\n\n### Oskar (mobile)\n\nSounds good.\n"
    )
    path.write_text(f"{unsure}\n### Pia (operations)\n\n{ANOTHER}\n")
    ran = run("regenerate", path, "--with", program("print(prompt)"))
    assert "3 replaced, 3 still flagged" in ran.err and ran.code == 1
    assert not transcript.read(parse(path.read_bytes())).unsure
    path.write_text(unsure)
    assert "who speaks is not sure: `mdtally turns debate.md` offers readings" in run("regenerate", path).err


def test_the_own_name_in_front_is_taken_off() -> None:
    """Models like to introduce themselves."""
    for label in ("**Ben:** ", "Ben: ", "### Ben\n\n", "**Ben**: ", "[Ben]: "):
        assert regeneration.clean(f"{label}{GOOD}", "Ben") == GOOD
    assert regeneration.clean("Ben and I differ.", "Ben") == "Ben and I differ."


def test_a_fence_around_all_of_an_answer_is_taken_off() -> None:
    """Models like to hand Markdown over in one; code alone is code."""
    for opening in ("```", "```markdown", "~~~text"):
        assert regeneration.clean(f"{opening}\nBen: {GOOD}\n{opening[:3]}\n", "Ben") == GOOD
    assert not regeneration.clean("```\n```", "Ben")
    assert regeneration.clean(f"```markdown\n<think>\nhm\n</think>\n\n**Ben:** {GOOD}\n\n```", "Ben") == GOOD
    for answer in ("```sql\nSELECT 1\n```", f"```\nSELECT 1\n```\n\n{GOOD}"):
        assert regeneration.clean(answer, "Ben") == answer


def test_diff_only_shows(run: Run) -> None:
    """Exit 1, since something would change; the file stays."""
    path = write()
    before = path.read_bytes()
    ran = run("regenerate", path, "--with", program("print(good)"), "--diff")
    assert ran.code == 1
    assert f"+{GOOD}" in ran.out
    assert f"-{FLATTERY}" in ran.out and "2 would be replaced" in ran.err
    assert path.read_bytes() == before
    assert run("regenerate", path, "--diff").code == 2


def test_a_run_stopped_half_way_leaves_a_readable_transcript(run: Run) -> None:
    """The first answer has landed whole, the second one not at all."""
    path = write()
    command = program(f"n = pathlib.Path('n')\nif n.exists(): sys.exit(1)\nn.touch()\nprint({GOOD!r})")
    assert run("regenerate", path, "--with", command).code == 1
    assert [text for _, _, text in turns(path)] == [OPENING, GOOD, ALSO, CLOSING]
    assert not [p for p in Path().iterdir() if p.name.endswith(".tmp")]


def test_no_more_calls_than_announced(run: Run) -> None:
    """Where an answer makes a later turn an echo of it, that turn is reported, not asked for unannounced."""
    path = write()
    later = "Sales will answer the calls, the labels are with the printer, and we will launch on the ninth as we said."
    path.write_text(path.read_text().replace(CLOSING, later))
    ran = run("regenerate", path, "--with", program(f"print(good if good != {GOOD!r} else {GOOD + ' ' + later!r})"))
    assert "2 flagged responses; at most 2 calls" in ran.err
    assert "2 calls made, 2 replaced, 1 still flagged" in ran.err
    assert ran.code == 1


def test_what_stands_behind_a_turn_in_its_line_stays(run: Run) -> None:
    """The end of a table's row, in which a bar of the answer is escaped; what a pattern has behind the text."""
    head = "---\nkind: debate\nagents: [Ana, Ben]\n"
    table = f"{head}---\n| who | what |\n| --- | --- |\n| Ana | {OPENING} |\n| Ben | {FLATTERY} |\n"
    form = """transcript: { turn: '{speaker}: "{text}"' }\n---\n"""
    quoted = f'{head}{form}Ana: "{OPENING}"\n\nBen: "{FLATTERY}"\n'
    for text, bar in ((table, r"\|"), (quoted, "|")):
        Path("debate.md").write_text(text)
        assert run("regenerate", "debate.md", "--with", program(f"print({f'{GOOD} A | B.'!r})")).code == 0
        assert Path("debate.md").read_text() == text.replace(FLATTERY, f"{GOOD} A {bar} B.")


def test_an_answer_that_had_to_be_escaped_is_told_as_it_stands(run: Run) -> None:
    """The label in it has each mark escaped, so what it quoted is its own words in the debate."""
    path, answer = write("bold"), f"> Great point!\n\n{GOOD}\n\n**Ana:** No."
    ran = run("regenerate", path, "--with", program(f"print({answer!r})"))
    assert "Ben: replaced, still flagged" in ran.err and "1 replaced, 2 still flagged" in ran.err


def test_nothing_flagged_nothing_asked(run: Run) -> None:
    """No call where every response passes, where the gate is off, and where there is no panel."""
    path = write()
    path.write_text(path.read_text().replace(FLATTERY, GOOD).replace(ALSO, ANOTHER))
    ran = run("regenerate", path, "--with", program("sys.exit(9)"))
    assert ran.code == 0, ran.err
    assert "0 calls made" in ran.err
    Path("plain.md").write_text("# Words\n")
    assert run("regenerate", "plain.md").code == 0
    assert run("regenerate", "missing.md").code == 2
    Path("mdtally.toml").write_text('[lint]\nmode = "off"\n')
    assert run("regenerate", write(), "--with", program("sys.exit(9)")).code == 0


@pytest.mark.oracle
@pytest.mark.skipif(shutil.which("llm") is None, reason="the llm command is not installed")
def test_a_real_program(run: Run) -> None:
    """`llm` with its echo plug-in answers with the prompt itself, which quotes the rejected text."""
    path = write()
    ran = run("regenerate", path, "--with", "llm -m echo", "--timeout", "60")
    assert "2 calls made, 2 replaced, 1 still flagged" in ran.err
    assert ran.code == 1
    first, *answered, last = [text for _, _, text in turns(path)]
    assert (first, last) == (OPENING, CLOSING)
    assert [text.startswith('{\n  "prompt": "## Protocol') for text in answered] == [True, True]
