"""What holds for every transcript, whatever its form: places, order, kinds, groups, declarations."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtally import transcript
from mdtally.check import settling
from mdtally.text import document, words
from mdtally.text.line_parts import count_words
from mdtally.text.model import Transcript
from mdtally.transcript.exporters import exporters

CASES = sorted((Path(__file__).parents[1] / "cases" / "turns").glob("*.md"))


def read(text: str) -> Transcript:
    return transcript.read(document.parse(text.encode()))


def check(text: str) -> None:
    """The facts about places that every reader of a transcript relies on."""
    parsed = document.parse(text.encode())
    result = transcript.read(parsed)
    last = 0
    for number, turn in enumerate(result.turns, start=1):
        assert turn.index == number
        assert last < turn.line <= turn.end_line <= len(parsed.lines)
        last = turn.line
        for line in turn.lines:
            assert turn.line <= line.line <= turn.end_line
            source = parsed.lines[line.line - 1][line.column - 1 :]
            # Character by character; a comment that nobody said is blank.
            assert len(line.text) <= len(source)
            assert all(said in (" ", written) for said, written in zip(line.text, source, strict=False))
            assert "%%" in source or source.startswith(line.text)
        assert turn.words == count_words(turn.text)
        assert turn.speaker
        assert turn.placeholder or turn.lines
    if result.turns:
        assert result.exporter in ("", *(row.name for row in exporters()))
        assert result.kind in ("debate", "session")
    groups = [turn.group for turn in result.turns]
    assert groups == sorted(groups)
    assert groups[:1] in ([], [1])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_line_of_a_body_points_at_its_text(path: Path, newline: str) -> None:
    """Turns are in order and do not overlap; a body line's place is where its text stands in the file."""
    check(path.read_text().replace("\n", newline))


LINES = """
# A debate|## Round 1|## Round 2: x|### Ana (CTO)|### Ben|**Ana:** I say.|**Ben:**|> quoted|- **Ana:** item|> **Ben:** q
Ana: plain|[12:30] Ben: t|[USER]|_**User**_|## 👤 User|## 🤖 Claude|---|```|```python|~~~~|<!--|-->|I think, Ana, so.
#### x|*ε=0.5, 12:30*|# aider chat started at 2026|[[1] Ana (CTO)]|━━━ Round 1 ━━━|===|## Synthesis|**VERDICT: x**
<aistorm type="message" from="Ana" />|\u3000|## Prompt|
"""
TABLE = ["| Speaker | Statement |", "| --- | --- |", "| Ana | x |"]
PIECES = st.lists(st.sampled_from([*LINES.replace("\n", "|").split("|"), *TABLE]), max_size=40).map("\n".join)


@given(PIECES)
def test_no_order_of_labels_fences_and_rules_breaks_the_reading(text: str) -> None:
    """Any pile of labels, fences, rules and quotes reads without an error, and what is read is in place."""
    check(text)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading(text: str) -> None:
    """Nor does any text at all."""
    check(text.replace("\0", ""))


@pytest.mark.parametrize(
    "name",
    [
        "a-heading-may-name-round-and-speaker",
        "rounds-may-be-numbered-in-words",
        "specstory-writes-roles-in-bold-italics",
        "councils-terminal-puts-names-in-brackets",
        "times-in-brackets-may-stand-before-names",
    ],
)
def test_ten_times_the_text_has_ten_times_the_turns(name: str) -> None:
    """A transcript written ten times over reads as ten times the turns: no part of it hides another."""
    text = next(path for path in CASES if path.stem == name).read_text()
    assert len(read(text * 10).turns) == 10 * len(read(text).turns)


def test_every_exporter_has_a_case_that_is_read_by_it() -> None:
    """The table and the cases agree: no row without an example that makes it fire."""
    used = {transcript.read(document.parse(path.read_bytes())).exporter for path in CASES}
    assert [row.name for row in exporters() if row.name not in used] == []


# -- Kinds, groups, spellings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", sorted(words.table("you-said")))
def test_one_exchange_of_a_page_is_read_in_every_language(asked: str) -> None:
    names = [f"{sign}ChatGPT {said}" for said in words.table("it-said") for sign in ("O ", "A ", "Το ", "Програма ")]
    for answered in (*names, "قال ChatGPT"):
        text = f"{asked.capitalize()}:\nWhy?\n{answered}:\nThought for 3m 12s\n\nSo.\n"
        result = transcript.read(document.parse(text.encode()))
        assert [(turn.speaker, turn.kind, turn.text) for turn in result.turns] == [
            ("You", "human", "Why?"),
            ("ChatGPT", "agent", "So."),
        ]


@pytest.mark.parametrize(
    ("human", "agent"),
    [("Jane Doe\n  10:02 AM", "Acme Helper\nAPP  10:02 AM"), ("Jane Doe — 10:02 AM", "HelperAPP — 10:02 AM")],
)
def test_a_voice_with_a_messengers_badge_is_the_machine_and_the_other_one_the_person(human: str, agent: str) -> None:
    """As Slack and Discord copy it, with no other word about who is a program."""
    text = "".join(f"{human}\nHow {number}?\n{agent}\nPress {number}.\n" for number in range(3))
    result = read(text)
    assert [turn.kind for turn in result.turns] == ["human", "agent"] * 3
    assert result.kind == "session"


def test_a_machines_name_right_below_a_question_is_a_label() -> None:
    """As a page copied from its first answer on has it: the person's words end, and no blank line stands there."""
    later = "".join(f"\nUser\nAnd box {number}?\nChatGPT\nBox {number} is empty, too.\n" for number in range(2, 6))
    result = read(f"What is in box 1?\nChatGPT\nBox 1 is empty.\n{later}")
    assert result.reading == "sure"
    assert [(turn.line, turn.speaker) for turn in result.turns[:3]] == [(2, "ChatGPT"), (5, "User"), (7, "ChatGPT")]
    assert ["ChatGPT speaks first" in problem.message for problem in result.problems] == [True]
    # an answer says for what which one is good
    answer = "Good at code:\nClaude\n\nCheap:\nGemini\n\nCheap and good at code:\nClaude\n"
    chat = f"**User:** Which one?\n\n**Assistant:** It depends:\n\n{answer}\n**User:** Sure?\n\n**Assistant:** Yes.\n"
    assert [turn.line for turn in read(chat).turns] == [1, 3, 14, 16]
    assert read(chat).reading == "sure"


@pytest.mark.parametrize(("asks", "answers"), [("Q", "A"), ("问", "答")])
def test_who_asks_with_one_sign_is_the_person(asks: str, answers: str) -> None:
    """It stays unsure: answers to questions that come up often look the same."""
    said = "How do I reset my token number", "Open the settings and press reset. I would do it now"
    text = "".join(f"**{asks}:** {said[0]} {at}?\n\n**{answers}:** {said[1]}, {at}.\n\n" for at in range(3))
    result = transcript.read(document.parse(text.encode()))
    assert [turn.kind for turn in result.turns] == ["human", "agent"] * 3
    assert (result.kind, result.reading) == ("session", "unsure")


def test_a_human_opens_a_group_where_no_round_is_stated() -> None:
    """Consecutive human turns open one group; an agent's turn never does."""
    turns = read("**User:** a\n\n**User:** b\n\n**Assistant:** c\n\n**User:** d\n\n**Assistant:** e\n").turns
    assert [(turn.kind, turn.group) for turn in turns] == [
        ("human", 1), ("human", 1), ("agent", 1), ("human", 2), ("agent", 2),
    ]  # fmt: skip


def test_a_moderator_who_hands_the_word_on_opens_no_group() -> None:
    """Most groups would hold one agent's turn, so there is one; a question that two agents answer opens a group."""
    head = "---\nkind: debate\nagents: [Ana, Ben]\nmoderators: [Chair]\n---\n"
    handed = "**Chair:** Ana?\n\n**Ana:** a\n\n**Chair:** Ben?\n\n**Ben:** b\n\n**Chair:** Ana?\n\n**Ana:** c\n"
    assert [turn.group for turn in read(head + handed).turns] == [1] * 6
    asked = "**Chair:** So?\n\n**Ana:** a\n\n**Ben:** b\n\n**Chair:** And?\n\n**Ana:** c\n\n**Ben:** d\n"
    assert [turn.group for turn in read(head + asked).turns] == [1, 1, 1, 2, 2, 2]


def test_stated_rounds_win_over_humans_and_may_restart() -> None:
    """Round 1 of a second session is a group of its own."""
    text = """# Debate
## Round 1

**Ana:** I start.

**User:** go on

**Ben:** I go on, Ana.

# Session 2

## Round 1

**Ben:** I start, Ana.

**Ana:** I follow, Ben.
"""
    assert [(turn.round, turn.group) for turn in read(text).turns] == [(1, 1), (1, 1), (1, 1), (1, 2), (1, 2)]


def test_one_voice_under_several_spellings_is_one() -> None:
    """Capitals, underscores and a version's hyphen make no new voice; the spelling that is not shouted stays."""
    text = "# Debate\n\n## Round 1\n\n**ANA → GPT-4:**\n\nI ask.\n\n**GPT-4:** I say.\n\n"
    text += "## Round 2\n\n**Ana:** I see.\n\n**GPT 4:** So.\n"
    assert [turn.speaker for turn in read(text).turns] == ["Ana", "GPT-4", "Ana", "GPT-4"]


# -- Declarations -----------------------------------------------------------------------------------------------------

BODY = "\n\n**Ana:** one\n\n**Bo:** two\n\n**Note:** three\n"


@pytest.mark.parametrize(
    "participants",
    [
        "{Ana: agent, Bo: moderator}",
        "\n  Ana: expert\n  Bo: {kind: moderator, role: chair}",
        "\n  - Ana\n  - name: Bo\n    kind: moderator",
        "\n  - Ana: agent\n  - Bo: moderator",
        "\n  - Ana (agent)\n  - Bo (chair)",
        "\nagents: Ana\nmoderators: '[[people/bo|Bo]]'",
    ],
)
def test_participants_may_be_a_mapping_or_a_list(participants: str) -> None:
    """All the ways a person would write them declare the same voices, and only they open turns."""
    result = read(f"---\nkind: debate\nparticipants: {participants}\n---{BODY}")
    assert [(turn.speaker, turn.kind) for turn in result.turns] == [("Ana", "agent"), ("Bo", "moderator")]
    assert result.declared
    assert not result.unsure
    assert result.problems == ()


def test_declared_participants_hold_in_an_exact_form_as_well() -> None:
    """Only they open turns; the label of another voice ends the turn above without opening one."""
    head = "---\nparticipants: {Assistant: agent}\n---\n\n"
    text = f"{head}_**User**_\n\nask\n\n_**Assistant**_\n\nsay\n\n_**User**_\n\nmore\n"
    (turn,) = read(text).turns
    assert (turn.speaker, turn.kind, turn.text) == ("Assistant", "agent", "say")


@pytest.mark.parametrize(
    ("head", "line", "words"),
    [
        ("participants: {Ana: wizard, Bo: agent}", 2, "wizard"),
        ("kind: debat", 2, "debat"),
        ("kind: debate\nrounds: sometimes", 3, "sometimes"),
        ("kind: debate\nprotocol: yes", 3, "there is no protocol yes"),
        ("kind: debate\nrounds: {opening: soon}", 3, "soon"),
        ("kind: debate\nparticipants: [[Ana]]", 3, "neither"),
        ("kind: debate\ntranscript_section: 7", 3, "no heading is called '7'"),
        ("kind: debate\nhumans: [Me]\ntranscript: {section: '7'}", 4, "no heading is called '7'"),
    ],
)
def test_a_wrong_declaration_is_a_finding_at_its_line(head: str, line: int, words: str) -> None:
    """An unknown kind or round is a problem: no crash, and not silently nothing."""
    problems = read(f"---\n{head}\n---{BODY}").problems
    assert [(problem.rule, problem.region.line) for problem in problems] == [("invalid-declaration", line)]
    assert words in problems[0].message


@pytest.mark.parametrize(
    "head",
    [
        "kind: Deployment",
        "rounds: 3",
        "participants: [Ana, Bo]\ntitle: lunch",
        "agents: 3",
        "agents: all",
        "agent: Ana",
        "agents: 3\nhumans: 1",
        "agents: [.agents/planner.md, .agents/critic.md]",
        "agents: {planner: {model: small}}",
    ],
)
def test_keys_of_other_tools_are_left_alone(head: str) -> None:
    """`kind: Deployment` is no declaration of ours and no finding."""
    result = read(f"---\n{head}\n---\n\n# A page\n\nText.\n")
    assert (result.kind, result.declared, result.problems) == (None, False, ())


def test_a_declared_debate_without_turns_says_that_it_was_declared() -> None:
    """So that a rule can say that nothing was found."""
    result = read("---\nkind: debate\n---\n\nNothing here.\n")
    assert (result.kind, result.declared, result.turns) == ("debate", True, ())


def test_a_list_of_agents_is_a_declaration() -> None:
    """Alone, too: they are agents whatever their names say; if no line is labelled so, that is said."""
    result = read("---\nagents: [Ana, Moderator]\n---\n\n**Ana:** one\n\n**Moderator:** two\n\n**Note:** three\n")
    assert [(turn.speaker, turn.kind) for turn in result.turns] == [("Ana", "agent"), ("Moderator", "agent")]
    missed = read(f"---\nagents: [Anna, Bob]\n---{BODY}")
    assert (missed.declared, missed.turns) == (True, ())


def test_a_guess_says_so_and_shows_what_settles_it() -> None:
    """If no voice comes back the reading is unsure; the offer has the same turns, as a pattern."""
    text = "# Debate\n\n**Ana:** I would wait, Ben.\n\n**Ben:** I would not wait for you, Ana.\n"
    guess = read(text)
    assert guess.reading == "unsure"
    (offer,) = settling.offers(document.parse(text.encode()))
    assert offer.patterns == {"turn": ["**{speaker}:** {text}"]}
    assert offer.voices == {"Ana": 1, "Ben": 1}


@pytest.mark.parametrize(
    "told",
    [
        "**{who}:** point {n} is open, and I would rather wait for the audit.\n**Status:** phase {n}, an hour\n\n",
        "> **{who}:** point {n} is open, and I would rather wait for the audit.\n\n",
    ],
    ids=["another name of the shape comes back", "in a quotation"],
)
def test_a_likely_reading_is_unsure(told: str) -> None:
    """Fields of a report and quoted words look like a conversation, too; without either the same turns are sure."""
    page = "# A chat\n\n" + "".join(told.format(who=("User", "Claude")[n % 2], n=n) for n in range(8))
    assert read(page).reading == "unsure"
    plain = re.sub(r"(?m)^\*\*Status.*\n|^> ", "", page)
    assert (read(plain).reading, len(read(plain).turns)) == ("sure", 8)


def test_words_in_a_comment_do_not_count() -> None:
    """What a reader doesn't see is no part of a response; a comment that never closes is text."""
    assert count_words("Fine. <!-- one two\nthree --> Really. <!-- four -->") == 2
    assert count_words("Fine. <!-- one two") == 3
    assert count_words("<!---->a<!-- b -->c") == 2


def test_words_in_tags_and_addresses_do_not_count() -> None:
    """Nor does a reader see them; what only looks like a tag is text, and an address that stands for itself is read."""
    assert count_words('<details type="reasoning" done="true">Hi.</details> <div style="a: b">you</div>') == 2
    assert count_words('[Hi.](https://x.org/a_(b) "A title") You,[^1_1] there.<br>Yes.') == 4
    assert count_words("if a<b and c>d: see https://x.org") == 9


def test_a_page_of_more_labels_than_anybody_writes_is_no_guess() -> None:
    """It is said to be unsure, and its memory stays bounded."""
    page = document.parse(b"# A heading\n" * 100_001)
    result = transcript.read(page)
    assert (result.reading, result.turns, settling.offers(page)) == ("unsure", (), ())


def test_an_answer_that_breaks_off_in_code_hides_no_label() -> None:
    """The fence that it opened is ended at the next label of a chat, though another one seems to close it."""
    said = "user: Write it.\nassistant: Here:\n\n```python\nshow(\n"
    said += "user: finish\nassistant: The rest:\n\n```python\n)\n```\nuser: Thank you.\nassistant: Any time.\n"
    result = read(said)
    assert [turn.line for turn in result.turns] == [1, 2, 6, 7, 12, 13]
    assert [problem.rule for problem in result.problems] == ["recovered-fence"]


def test_two_names_in_brackets_that_take_turns_may_talk() -> None:
    """Whatever the names and however long the file: it is not passed over in silence."""
    said = "[NOVA]: Small agents can call tools now.\n\n[ALLOY]: Long jobs fail.\n\n"
    assert (read(said * 40).reading, len(read(said * 40).turns)) == ("unsure", 80)
