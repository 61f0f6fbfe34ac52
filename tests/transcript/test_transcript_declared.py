"""Declared participants by the one rule: what is their label, in every shape that people write, and what is none."""

import re
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.check import settling
from mdtally.text import document
from mdtally.text.model import Transcript
from mdtally.text.records import replace

HEAD = "---\nkind: debate\nagents: [{}]\n---\n"
WAIT, COST = "I would wait for the fair.", "That ignores the cost."

BEFORE_TEXT = """
<{}> ... | [12:01] <{}> ... | 12:01 <{}> ... | {} - ... | {} – ... | {} — ... | {} > ... | @{}: ... | {}: ... | {}：...
**{}:** ... | **{}**: ... | **{}** — ... | **{} (claude-opus-4-6):** ... | **{}, CTO:** ... | **{} · Finance:** ...
**{}** → **Max**: ... | {} -> Max: ... | **{} → Max:** ... | 🏗️ **{}**: ... | 12:01 - {}: ... | [00:30] **{}:** ...
[05.01.26, 10:12:33] {}: ... | 2026-01-05 10:12 - {}: ... | [{}]: ... | [{}] ... | [[{}]]: ... | [{}](ana.md): ...
`{}`: ... | <u>{}</u>: ... | <b>{}:</b> ... | 1. **{}**: ... | 1. {}: ... | - **{}**: ... | - **{}** — ...
> **{}:** ... | **[{} - 2025-10-21 11:36:28]:** ... | **{}.** ... | *{}:* ... | 【{}】... | {}（产品经理）：...
{}「...」 | «{}»: ... | "{}": ... | — {}: ... | {} says: ... | Agent 1 ({}): ... | ({}): ... | {}> ... | *{} (CTO)*: ...
{} [10:12] ... | **{}** `10:12` ... | #1 [opening] {}: ... | (1) {}: ... | :robot: **{}:** ... | ![](a.png) **{}:** ...
"""
ABOVE_TEXT = """
### {} | ### {} (CTO) | ## {} — opening | ### 1️⃣ {} | ### 1. {} | ### [12:01] {} | ### {} · 12:01 | ### CTO: {}
### {} says: | ### {} replies to Max: | ### Turn 1: {} (opening) | ### {}'s Final Position | {} | {} (12:01)
{} 00:01:20 | **{}** | **{}** [12:01] | **{}**  12:01 PM | **{}** · 12:01 | **[{}](ana.md)** | **Speaker:** {}
From: {} | --- {} --- | <details><summary>{}</summary> | <summary><b>{}</b> (CTO)</summary> | <p><b>{}</b></p>
<h3>{}</h3>
### {} Ruiz | **{}** — opening | ### Agent {} | ### Reply by {} | #1 [opening] {} some-model 23:07:59
"""


def forms(table: str) -> list[str]:
    return re.split(r" \| |\n", table.strip())


def read(text: str, names: str = "Ana, Ben") -> Transcript:
    return transcript.read(document.parse((HEAD.format(names) + text).encode()))


def speakers(text: str, names: str = "Ana, Ben") -> list[str]:
    result = read(text, names)
    assert result.reading in ("declared", "none")
    return [turn.speaker for turn in result.turns]


@pytest.mark.parametrize("names", ["Ana, Ben", "Q, A", "小王, 老李", "Анна, Борис", "helper_bot, qa-lead"])
@pytest.mark.parametrize("form", forms(BEFORE_TEXT))
def test_a_label_before_its_text(form: str, names: str) -> None:
    """In every shape that text follows on the label's line, in any script, of one letter, too."""
    one, two = names.split(", ")
    lines = [form.replace("{}", name).replace("...", text) for name, text in ((one, WAIT), (two, COST), (one, COST))]
    result = read("# Queue\n\n" + "\n\n".join(lines) + "\n", names)
    assert [turn.speaker for turn in result.turns] == [one, two, one]
    assert [turn.text.strip("「」") for turn in result.turns] == [WAIT, COST, COST]


@pytest.mark.parametrize("form", forms(ABOVE_TEXT))
def test_a_label_above_its_text(form: str) -> None:
    """In every shape that stands on a line of its own."""
    turns = [f"{form.replace('{}', name)}\n\n{text}\n" for name, text in (("Ana", WAIT), ("Ben", COST))]
    result = read("# Queue\n\n" + "\n".join(turns))
    assert [(turn.speaker, turn.text) for turn in result.turns] == [("Ana", WAIT), ("Ben", COST)]


@pytest.mark.parametrize(
    "text",
    [
        "### Ana\n\nI would wait.\n\n### Agent Ben\n\nThe cost.\n\n### Ana\n\nYes.\n",
        "Moderator Ana: I would wait.\n\nDr. Ben: The cost.\n\nAna: Yes.\n",
        "Ana\n: I would wait.\n\nBen\n: The cost.\n",
        "Ana\n---\n\nI would wait.\n\nBen\n---\n\nThe cost.\n",
        "> [!quote] Ana\n> I would wait.\n\n> [!quote]- Ben (CFO)\n> The cost.\n",
        "| Who | What |\n| --- | --- |\n| Ana | I would wait. |\n| 2 | **Ben** | The cost. |\n",
        "## Openings\n\n### Ana\n\nI would wait.\n\n## Discussion\n\n**Ben:** The cost.\n",
        "**Ana:** I would wait.\n\nBen: The cost.\n",
        "### Ana\n\n**Ana:** I would wait.\n\n### Ben\n\nBen: The cost.\n",
    ],
)
def test_shapes_of_more_than_one_line(text: str) -> None:
    """Words for who it is, definitions, underlined headings, callouts, tables, shapes that change, names said twice."""
    assert speakers(text)[:2] == ["Ana", "Ben"]


@pytest.mark.parametrize(
    "line",
    [
        "Ben thinks that we should not.",
        "Ben, that ignores the fair: nobody can come.",
        "Ben and Ana: both are right.",
        "**Ben** made a point about the fair.",
        "[[Ben]] said so.",
        "> The cost is what we forget.\n> — Ben",
        "```\n**Ben:** not said\n```",
        "<pre>\nBen: not said\n</pre>",
        "### What Ben conceded",
        "- **Ben**: wait\n- **Ana**: go",
        "- Ben: wait",
        "@Ben: what do you say?",
        "Option 1 (Ben): cheap.",
        "## Votes\n\n- **Ben:** yes\n\n- **Ana:** no\n\n## Round 2",
        "### Response to Ben",
    ],
)
def test_a_name_in_running_text_is_no_label(line: str) -> None:
    """Nor one in code, in an attribution, in a heading's sentence, or in a list where labels look otherwise."""
    assert speakers(f"**Ana:** One.\n\n{line}\n\n**Ben:** Two.\n\n**Ana:** Three.\n") == ["Ana", "Ben", "Ana"]


@pytest.mark.parametrize(
    "piece", ["**", "`12:01` ", "🤖", "(a) ", "[a] ", "- ", "> ", "<1>", "— ", "![](a) ", "→ a", "1) "]
)
def test_a_row_of_marks_is_read(piece: str) -> None:
    """There are exponentially many ways to part it, and the first has to do."""
    assert speakers(f"**Ana:** One.\n\n{piece * 500}x\n\n**Ben:** Two.\n") == ["Ana", "Ben"]


ROSTERS = ["- [Ana](#ana)\n- [Ben](#ben)", "**Date:** May\n**Ana:** runs sales\n**Ben:** runs shops"]
ROSTERS += [
    "## Participants\n\n- **Ana** — runs sales\n- **Ben** — runs shops",
    "Here are:\n\n- Ana: sales\n- Ben: shops",
]


@pytest.mark.parametrize("roster", ROSTERS)
def test_a_roster_is_no_run_of_turns(roster: str) -> None:
    """Whatever shape it has; nor are votes behind the last turn."""
    said = "## Round 1\n\n**Ana:** One.\n\n**Ben:** Two.\n\n## Votes\n\n- Ana: no\n- Ben: yes\n"
    turns = read(f"# Panel\n\n{roster}\n\n{said}").turns
    assert [(turn.speaker, turn.round, turn.text) for turn in turns] == [("Ana", 1, "One."), ("Ben", 1, "Two.")]


def test_a_voice_that_nobody_declared_is_said() -> None:
    """Its text is part of the turn above, and a finding names it; a participant's own fields are none."""
    text = "**Ana:** One.\n\n**Moderator:** And you?\n\n**Ben:** Two.\n\n**Moderator:** Thanks to you.\n\n"
    result = read(text + "**Ana:** Three.\n\n**Note:** a\n\n**Note:** b\n")
    assert [turn.speaker for turn in result.turns] == ["Ana", "Ben", "Ana"]
    (problem,) = result.problems
    assert (problem.rule, problem.severity, problem.region.line) == ("invalid-declaration", "info", 7)
    assert "Moderator (2 labels)" in problem.message and "Note" not in problem.message


def test_a_pattern_that_cannot_be_used_is_all_that_is_said() -> None:
    """No other way of reading stands in for what a person wrote."""
    text = "**Ana:** One.\n\n**Ben:** Two.\n\n**Ana:** Three.\n"
    result = transcript.read(document.parse(f"---\ntranscript: {{turn: '/(?P<speaker>[/'}}\n---\n{text}".encode()))
    assert (result.turns, [problem.severity for problem in result.problems]) == ((), ["error"])


# -- What holds on every page that is at hand ------------------------------------------------------------------------

TESTS = Path(__file__).parents[1]
PAGES = [*TESTS.glob("cases/turns/*.md"), *TESTS.glob("cases/chats/*.md"), *TESTS.glob("../../shared/samples/*/*.md")]


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: path.stem)
def test_declaring_loses_no_turn(path: Path) -> None:
    """Every turn that is found surely without a declaration is found with one, with the same voice."""
    parsed = document.parse(path.read_bytes())
    found = transcript.read(parsed)
    if found.reading in ("sure", "signature"):
        head = replace(parsed.head, values={**parsed.head.values, "participants": settling.kinds_of(found.turns)})
        told = transcript.read(replace(parsed, head=head))
        lines = {turn.line: turn.speaker.casefold() for turn in told.turns}
        missing = [turn.line for turn in found.turns if lines.get(turn.line) != turn.speaker.casefold()]
        assert missing == []


def test_labels_of_a_rarer_shape_inside_turns_are_counted() -> None:
    """Headings hold, because they are more; the bold label in a turn is text, and that is said."""
    text = "---\nagents: [Ana, Ben]\n---\n### Ana\n\none\n\n**Ben:** so\n\n### Ben\n\ntwo\n\n### Ana\n\nthree\n"
    result = transcript.read(document.parse(text.encode()))
    assert [(turn.line, turn.speaker) for turn in result.turns] == [(4, "Ana"), (10, "Ben"), (14, "Ana")]
    (problem,) = result.problems
    assert (problem.severity, problem.region.line) == ("info", 8)
    assert "1 line such as '**Ben:** so', with a participant's name" in problem.message


@pytest.mark.parametrize(
    ("title", "opens"),
    [
        ("The name is taken (Ana, Cleo)", False),
        ("DISAGREE: Ana (me) on the queue", False),
        ("Summary (2/3 completed: ana, cleo)", False),
        ("Risk: Ana", False),
        ("Ana's numbers (Cleo)", False),
        ("Ana", True),
        ("Ana (CTO)", True),
    ],
)
def test_a_heading_inside_a_turn_opens_one_only_as_a_name(title: str, opens: bool) -> None:
    """Where names alone head the turns, a deeper heading that holds one is the speaker's."""
    text = f"### Ana\n\none\n\n### Ben\n\ntwo\n\n#### {title}\n\nthree\n\n### Cleo\n\nfour\n"
    found = read(text, "Ana, Ben, Cleo")
    assert [turn.speaker for turn in found.turns] == ["Ana", "Ben", *["Ana"] * opens, "Cleo"]


def test_a_label_unlike_all_others_is_told() -> None:
    """It opens a turn, because a declared name stands there alone; but five headings look otherwise."""
    turns = "".join(f"### {name}\n\nwords\n\n" for name in ("Ana", "Ben", "Ana", "Ben", "Ana"))
    text = f"---\nagents: [Ana, Ben]\n---\nBen:\n\nno, so\n\n{turns}"
    result = transcript.read(document.parse(text.encode()))
    assert len(result.turns) == 6
    (problem,) = result.problems
    assert problem.region.line == 4 and "5 others look like '### Ana'" in problem.message


def test_a_declared_name_may_be_written_with_other_signs() -> None:
    """Accents as signs of their own, as files from a Mac have them, and a mark of direction around a name."""
    said = "**Chloe\u0301:** It costs four.\n\n**Ju\u0308rgen:** Five.\n\n**\u2067Chloé\u2069:** No, four.\n"
    text = f"---\nkind: debate\nagents: [Chloé, Jürgen]\n---\n# Debate\n\n{said}"
    found = transcript.read(document.parse(text.encode())).turns
    assert [turn.speaker for turn in found] == ["Chloé", "Jürgen", "Chloé"]


def test_a_field_of_the_head_gives_a_voice_its_kind() -> None:
    """Who moderates or is the person, declared or not; the field itself is no label, which made the file unsure."""
    fields = "# The table\n\n**Topic:** the plan\n**Moderator:** Tim Berg\n**Participants:** Ana Lee\n\n---\n\n"
    turns = f"**Tim Berg:** Thoughts?\n\n**Ana Lee:** {WAIT}\n\n**Ben Cole:** {COST}\n\n"
    for head in ("", "---\nparticipants: [Tim Berg, Ana Lee, Ben Cole]\n---\n"):
        found = transcript.read(document.parse(f"{head}{fields}{turns * 2}".encode()))
        assert found.reading in ("sure", "declared")
        assert [turn.kind for turn in found.turns] == ["moderator", "agent", "agent"] * 2


def test_a_role_that_labels_turns_is_no_voices_kind() -> None:
    """A model may argue, and judge under another label."""
    turns = f"### Claude\n\n{WAIT}\n\n### GPT\n\n{COST}\n\n### Judge\n\nGPT is right.\n"
    text = f"---\nparticipants: [Claude, GPT, Judge]\n---\n# Debate\n\n**Day:** 1\n**Judge:** Claude\n\n---\n\n{turns}"
    found = transcript.read(document.parse(text.encode())).turns
    assert [turn.kind for turn in found] == ["agent", "agent", "moderator"]


@pytest.mark.parametrize(
    ("field", "words", "kinds"),
    [
        ("**Client:** Claude\n\n---\n\n", "", ["agent", "human"]),
        ("**Judge:** Ben\n\n---\n\n", "", ["agent", "human"]),
        ("", "\n\n- Coordinator: Ben", ["agent", "human"]),
    ],
)
def test_a_field_makes_no_machine_a_person_and_leaves_no_voice_alone(field: str, words: str, kinds: list[str]) -> None:
    """Nor does a line of a list in a turn say who leads."""
    turns = f"### Claude\n\n{WAIT}{words}\n\n### Ben\n\n{COST}\n\n"
    found = transcript.read(document.parse(f"# On caches\n\n{field}{turns * 2}".encode())).turns
    assert [turn.kind for turn in found] == kinds * 2


def test_whom_a_letter_greets_does_not_write_it() -> None:
    """Above a letter stands whom it is for, and its writer below: these are not the words of who is greeted."""
    assert speakers(f"Ana,\n\n{WAIT}\n\nYours,\nBen\n\nBen,\n\n{COST}\n\nYours,\nAna\n\n" * 2) == []
