"""Patterns are exact: the ten forms of the docs, what they refuse, and what they say when nothing fits."""

import re
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.text import document
from mdtally.text.model import Transcript, TranscriptForm
from mdtally.text.names import Name
from mdtally.text.records import replace
from mdtally.transcript.labels.shapes import Label, LabelForm
from mdtally.transcript.labels.templates import template_of
from mdtally.transcript.patterns import FIELDS, PatternError, compile_pattern, read_turn

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "patterns.md").read_text(encoding="utf-8")
FORMS = re.findall(
    r"### ([^\n]+)\n\n(turn: [^\n]+)\n\n```text\n(.*?)\n```", PAGE.partition("## Ten forms")[2], re.DOTALL
)


def read(text: str, head: str) -> Transcript:
    return transcript.read(document.parse(f"---\n{head}\n---\n{text}\n".encode()))


def head_of(line: str) -> str:
    """A form's line of the page as frontmatter: "turn: `a` and `b` · round: `c`"."""
    parts = [part.partition(":") for part in line.split(" · ") if part.partition(":")[0] in ("turn", "round", "end")]
    if "{model} · {number}" in line:
        parts = [("turn", ":", line.partition(":")[2])]
    lines = [
        f"  {key}: [{', '.join(quoted(pattern) for pattern in re.findall('`([^`]+)`', rest))}]"
        for key, _, rest in parts
    ]
    return "transcript:\n" + "\n".join(lines)


def quoted(pattern: str) -> str:
    return "'" + pattern.replace("'", "''") + "'"


def test_the_page_shows_ten_forms_and_every_field() -> None:
    """Nothing of the table is missing, and no form is only a title."""
    assert len(FORMS) == 10
    assert [field for field in FIELDS if f"`{{{field}}}`" not in PAGE] == []


ANA, BEN = ("Ana", "One queue is enough."), ("Ben", "It is not.")
SAID = {
    "Whom it is said to": [("Ana", "Where would you put the second one?")],
    "The model and the seconds it took": [ANA],
    "A round in every label": [ANA, ("Ana", "Still enough.")],
    "A field that holds the name": [ANA],
}
"""Who says what in the examples of the page, where it is not Ana and then Ben."""


@pytest.mark.parametrize(("title", "patterns", "text"), FORMS, ids=[form[0] for form in FORMS])
def test_a_form_of_the_page_is_read_exactly(title: str, patterns: str, text: str) -> None:
    """Nothing but their words is in their turns."""
    result = read(text, head_of(patterns))
    assert result.reading == "pattern"
    assert result.problems == ()
    assert [(turn.speaker.capitalize(), turn.text) for turn in result.turns] == SAID.get(title, [ANA, BEN])


@pytest.mark.parametrize(
    ("pattern", "line", "speaker"),
    [
        ("### {speaker}", "### 🟢 Ana", "Ana"),
        ("### {speaker}", "###   **Ana**:  ", "Ana"),
        ("### {speaker}", "## Ana", None),
        ("### {speaker}", "#### Ana", None),
        ("**{speaker}:** {text}", "  🟢 **Ana:** hello", "Ana"),
        ("**{speaker}:** {text}", "**Ana:**", "Ana"),
        ("**{speaker}:**", "**Ana:** hello", None),
        ("{speaker}: {text}", "Ana: at 10:12: hello", "Ana"),
        ("## {speaker}{? ({model})?}", "## Ana (some-model)", "Ana"),
        ("## {speaker}{? ({model})?}", "## Ana", "Ana"),
        ("/(?i)speaker (?P<speaker>\\w+)/", "SPEAKER Ana says so", "Ana"),
    ],
)
def test_a_pattern_fits_or_does_not(pattern: str, line: str, speaker: str | None) -> None:
    """White space, emoji and emphasis do not matter; levels, marks and what stands behind do."""
    told = read_turn(compile_pattern(pattern, turn=True), [line], 0)
    assert (told.name.speaker if told else None) == speaker


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("### {speker}", "did you mean {speaker}"),
        ("### Ana", "put {speaker} there"),
        ("/### (.*)/", "(?P<speaker>"),
        ("{speaker} {speaker}", "twice"),
        ("{? {speaker}", "never ends"),
        ("/(/", "no regular expression"),
        ("", "empty"),
        ("x" * 600 + "{speaker}", "609 characters"),
    ],
)
def test_a_pattern_that_cannot_be_used_says_why(pattern: str, words: str) -> None:
    """Each refusal names the pattern's fault in words for a person."""
    with pytest.raises(PatternError, match=re.escape(words)):
        compile_pattern(pattern, turn=True)


def test_a_pattern_that_matches_nothing_shows_the_nearest_line() -> None:
    """With its number, and where it departs from the pattern."""
    result = read("# Debate\n\n### Ana [CTO]\n\nOne queue.", "transcript:\n  turn: '### {speaker} ({role})'")
    (problem,) = result.problems
    assert (problem.severity, problem.region.line) == ("error", 7)
    assert "### Ana [CTO]" in problem.message
    assert "'('" in problem.message
    assert result.declared


def test_only_whole_names_of_participants_open_turns() -> None:
    """Of several patterns the one whose name is a participant's counts; other labels are part of the body."""
    head = "transcript:\n  turn: ['**{speaker}:** {text}', '**{speaker} response:** {text}']"
    head += "\nparticipants: {Ana: agent, Ben: agent}"
    text = "**Ana:** one\n\n**Ben response:** two\n\n**Note:** three\n\n**Anabel:** four\n"
    result = read(text, head)
    assert [(turn.speaker, turn.text) for turn in result.turns] == [
        ("Ana", "one"), ("Ben", "two\n\n**Note:** three\n\n**Anabel:** four"),
    ]  # fmt: skip


def test_a_voice_that_joins_a_settled_chat_is_told() -> None:
    """What it says is part of the turn above, as the pattern and the participants have it: two labels are no slip."""
    head = "transcript:\n  turn: '**{speaker}:** {text}'\nparticipants: {Me: human, Agent: agent}"
    text = "**Me:** is it so?\n\n**Agent:** It is.\n\n**Note:** ask again\n\n"
    assert read(text * 2, head).problems == ()
    (problem,) = read(text * 2 + text.replace("Agent", "ChatGPT") * 2, head).problems
    assert "nobody declared is called ChatGPT (2 labels)" in problem.message
    (problem,) = read(f"{text}## Me\n\nare you sure?\n\n{text}", head).problems
    assert "taken as text: 1 line such as '## Me'" in problem.message
    assert "not in the form of the turns' labels" in problem.message


@pytest.mark.parametrize("pattern", ["{speaker}: {text}", "**{speaker}** - {text}", "{speaker} > {text}"])
def test_behind_the_sign_of_a_known_name_no_white_space_is_needed(pattern: str) -> None:
    """It is often forgotten. Of a name that is not declared it is needed: addresses and times have a colon, too."""
    first, second = (pattern.format(speaker="Ana", text=text) for text in ("one", "two"))
    page = f"{first}\n\n{second.replace(' two', 'two')}\n\nhttps://example.org\n"
    head = f"transcript:\n  turn: '{pattern}'\n"
    assert len(read(page, head).turns) == 1
    assert [turn.text[:3] for turn in read(page, head + "participants: {Ana: agent}").turns] == ["one", "two"]


def test_nothing_but_a_pattern_ends_a_turn() -> None:
    """Headings, rules and look-alikes are body; blank lines and rules at a turn's end are not."""
    text = "**Ana:** one\n\n## Round 2\n\n### Ben\n\ntwo\n\n---\n\n**Ana:** three\n\n---\n"
    first, second = read(text, "transcript:\n  turn: '**{speaker}:** {text}'").turns
    assert first.text == "one\n\n## Round 2\n\n### Ben\n\ntwo"
    assert (first.round, second.text) == (None, "three")


def test_code_holds_no_labels_and_a_stray_fence_ends_at_one() -> None:
    """A label in a fence or indented is text; one that stands behind a fence that never closes opens its turn."""
    inside = "### Ana\n\n```\n### Ben\n```\n\none\n"
    assert [turn.speaker for turn in read(inside, "transcript: {turn: '### {speaker}'}").turns] == ["Ana"]
    indented = "### Ana\n\n    ### Ben\n\n```\nsome code\n```\n"  # also beside a fence
    assert [turn.speaker for turn in read(indented, "transcript: {turn: '### {speaker}'}").turns] == ["Ana"]
    behind = "### Ana\n\n```\nsome code\n\n### Ben\n\ntwo\n"
    result = read(behind, "transcript: {turn: '### {speaker}'}")
    assert [turn.speaker for turn in result.turns] == ["Ana", "Ben"]
    assert [problem.rule for problem in result.problems] == ["recovered-fence"]


TURN = "transcript: {turn: '### {speaker}'}"
WHOLE = "# D\n\n## Warm-up\n\n### Ana\n\none\n\n## Notes\n\n### Ben\n\ntwo\n\n## Fight\n\n### Ana\n\nthree\n"


@pytest.mark.parametrize(
    ("head", "text", "words", "line"),
    [
        (f"{TURN}\nagents: [Ana]\nhumans: [Me]", "### Anna\n\none\n\n### Bern\n", "'Anna', 'Bern'; declared", 6),
        (TURN, "```\n### Ana\n```\n", "matches line 5, but that is code", 5),
        (f"{TURN}\ntranscript_section: Warmup", WHOLE, "did you mean 'Warm-up'", 3),
        (f"{TURN}\nignore_sections: [Note]", WHOLE, "did you mean 'Notes'", 3),
        (f"{TURN}\nignore_sections: [Warm-up, Notes, Fight]", WHOLE, "all of them in sections to be left out", 9),
        ("transcript: {turn: '### {speaker}', round: '## R {round}'}", WHOLE, "'## R {round}' matches no line", 6),
        ("transcript: {turn: '### {speaker}', end: '## Synthesis'}", WHOLE, "'## Synthesis' matches no line", 6),
        ('transcript: {turn: "### {speaker}\\n({any})"}', WHOLE, "what stands below it does not fit '({any})'", 8),
        ("transcript: {turn: '## {speaker}', round: '## Fight'}", WHOLE, "a line is tried as a turn first", 18),
        ("transcript:\n  turn: ### {speaker}", "### Ana\n\none\n", "in quotes, because # begins a comment", 2),
        ("transcript: {turn: '/### {speaker}/'}", "### Ana\n\none\n", "between slashes is a regular expression", 2),
        ("transcript: {turns: '### {speaker}'}", "### Ana\n\none\n", "has no key turns; did you mean turn?", 2),
        ("transcript: {turn: '# {speaker}'}\nparticipants: {Ana: human}", "# Ana (me)\n\none\n\n# Ana\n\ntwo\n",
         "its name is 'Ana (me)' and not 'Ana'", 5),
    ],
)  # fmt: skip
def test_what_a_person_gets_wrong_is_said_at_its_line(head: str, text: str, words: str, line: int) -> None:
    """A pattern that matches nothing, or too little, says what it did meet."""
    problems = read(text, head).problems
    assert [problem.region.line for problem in problems if words in problem.message] == [line], problems


def test_rounds_and_ends_of_a_folder_need_not_be_in_every_file() -> None:
    """Patterns of the configuration that match nothing in a file are worth a word there, and no error."""
    form = TranscriptForm(files=("**",), turn=("### {speaker}",), round=("## Round {round}",), end=("## Synthesis",))
    result = transcript.read(replace(document.parse(WHOLE.encode()), form=form))
    assert [(problem.rule, problem.severity) for problem in result.problems] == [("invalid-declaration", "info")] * 2


@pytest.mark.parametrize(
    ("more", "rounds"),
    [
        ("", [None, None, None]),
        ("rounds: {Warm-up: 0, Notes: 1, Fight: 2}", [0, 1, 2]),
        ("rounds: {Warm-up: 1, Fight: 2}\nignore_sections: ['## Notes']", [1, 2]),
        ("rounds: none", [None, None, None]),
        ("transcript_section: Fight", [None]),
    ],
)
def test_sections_and_stages_hold_with_a_pattern_too(more: str, rounds: list[int | None]) -> None:
    """Stage words number rounds with a pattern for rounds and without; sections without turns have none."""
    assert [turn.round for turn in read(WHOLE, f"{TURN}\n{more}").turns] == rounds
    if "transcript" not in more:
        marked = f"transcript: {{turn: '### {{speaker}}', round: '## {{stage}}'}}\n{more}"
        assert [turn.round for turn in read(WHOLE, marked).turns] == rounds


def test_a_round_in_a_label_holds_below_it_and_against_its_rounds_heading() -> None:
    """What answers a numbered question is of its round, be it below its heading or not; what stands behind an end is
    of none."""
    head = "transcript:\n  turn: ['## {round}. {speaker}', '### {speaker}', '## {speaker}']"
    text = "## 1. Ana\n\na\n\n### Ben\n\nb\n\n## 2. Ana\n\na\n\n### Ben\n\nb\n\n## Cleo\n\nc\n\n### Ben\n\nb"
    assert [turn.round for turn in read(text, head).turns] == [1, 1, 2, 2, None, None]
    head = "transcript:\n  turn: ['## Stage {round}: {speaker}', '### {speaker}']\n  round: '# Stage {round}'"
    text = "# Stage 1\n\n## Stage 3: Chair\n\na\n\n### Ben\n\nb"
    assert [turn.round for turn in read(text, head).turns] == [3, 1]
    head = "transcript:\n  turn: {Me: '{round}. {text}', Bot: '{text}'}\nparticipants: {Me: human, Bot: agent}"
    assert [turn.round for turn in read("1. Why?\n\nSo.\n\n2. And?\n\nNo.", head).turns] == [1, 1, 2, 2]
    head = head.replace("'{text}'}", "'So{any}'}\n  end: '***'")
    assert [turn.round for turn in read("1. Why?\n\nSo.\n\n***\n\nSo far.", head).turns] == [1, 1, None]


@pytest.mark.parametrize(
    ("pattern", "text", "read_as"),
    [
        ("{?[{to}] ?}{speaker}: {text}", "Ana: one\n[Chair] Ben: two", "Ana//one Ben/Chair/two"),
        ("{speaker}{?, the {to}?}: {text}", "Ana: one\nBen, the CFO: two", "Ana//one Ben/CFO/two"),
        ("# {speaker}{? ({to})?}{? [{model}]?}", "# Ana [m]\n# Ben (CFO) [m]\n# Me", "Ana// Ben/CFO/ Me//"),
        ("{speaker}: {text}{? [{time}]?}", "Ana: one [10:12]\nBen: two", "Ana//one Ben//two"),
        ("{{speaker}} {text}", "{Ana} one", "Ana//one"),
        ("### {speaker}", "### Ana[1]\n### [Ben]\n### __Me__:", "Ana[1]// Ben// Me//"),
        ("###  {speaker}", "###\tAna\n###\u00a0Ben", "Ana// Ben//"),
    ],
)  # fmt: skip
def test_optional_parts_and_names(pattern: str, text: str, read_as: str) -> None:
    """What may be absent may be so at the start, in the middle and at the end."""
    result = read(text, f"transcript: {quoted(pattern)}")
    assert " ".join(f"{turn.speaker}/{turn.addressee}/{turn.text}" for turn in result.turns) == read_as


def test_fields_side_by_side_are_limited() -> None:
    """Five fields with only white space between them would take a long line for ever."""
    with pytest.raises(PatternError, match="side by side"):
        compile_pattern("{?{any} ?}{?{role} ?}{?{any} ?}{?{model} ?}{speaker}: {text}", turn=True)
    pattern = compile_pattern("{time} {speaker} {role}: {text}", turn=True)
    assert read_turn(pattern, ["10:12 Ana CTO: so"], 0) is not None


def test_a_voice_that_a_pattern_fixes_needs_no_declaration() -> None:
    """It speaks beside the participants that are declared; of these only the pattern with the name asks."""
    turn = "{Me: '❯ {text}', speaker: '**{speaker}:** {text}'}"
    head = f"---\ntranscript:\n  turn: {turn}\nparticipants: {{Ana: agent}}\n---\n"
    result = transcript.read(document.parse(f"{head}❯ why?\n\n**Ana:** so\n\n**Note:** no\n".encode()))
    assert [(turn.speaker, turn.kind) for turn in result.turns] == [("Me", "human"), ("Ana", "agent")]


def test_the_mark_of_a_line_alone_is_a_blank_line_of_its_turn() -> None:
    """As quoted paragraphs are written."""
    result = read("Ana:\n> One.\n>\n> Two.\n\nBen:\n> No.\n", "transcript: {turn: '{speaker}:', line: '> {text}'}")
    assert [(one.text, one.column) for one in result.turns[0].lines] == [("One.", 3), ("", 2), ("Two.", 3)]


def test_what_an_answer_announces_is_its_own_without_a_declaration() -> None:
    """The voice's name says that it is a person; and an answer's list does not part for its own numbers."""
    quoting = "> Why?\n\nThe manual says:\n\n> Because.\n\nSo be it.\n"
    result = read(quoting, "transcript: {turn: {Me: '> {text}', Agent: '{text}'}}")
    assert [(turn.line, turn.speaker) for turn in result.turns] == [(4, "Me"), (6, "Agent")]
    numbered = "1. Why?\n\nDo this.\n\n1. Stop.\n2. Wait.\n\n2. And then?\n\nNo.\n"
    result = read(numbered, "transcript: {turn: {Me: '{number}. {text}', Agent: '{text}'}}")
    assert [(turn.line, turn.speaker) for turn in result.turns] == [
        (4, "Me"),
        (6, "Agent"),
        (11, "Me"),
        (13, "Agent"),
    ]


def test_a_number_in_doubt_is_the_persons_if_the_next_one_follows() -> None:
    """The last items of a list in an answer, and a prompt below it or a colon, look alike."""
    for doubtful in ("Steps:\n\n1. Stop.\n\n2. Wait.", "So they say:"):
        told = f"1. Why?\n\nSo.\n\n2. How?\n\n{doubtful}\n\n3. And then?\n\nNo.\n\n"
        pattern = "transcript: {turn: {Me: '{number}. {text}', Agent: '{text}'}}"
        assert [turn.speaker for turn in read(told, pattern).turns] == ["Me", "Agent"] * 2
        assert [turn.speaker for turn in read(f"{told}4. Sure?\n\nYes.\n", pattern).turns] == ["Me", "Agent"] * 4


@pytest.mark.parametrize(("sign", "count"), [("—", 4), ("•", 4), ("☞", 6), ("me>", 6)])
def test_a_sign_as_in_prose_parts_no_paragraph(sign: str, count: int) -> None:
    """A dash or a bullet also begins lines of an answer; a glyph or a name does not."""
    said = f"{sign} Why?\n\nThe lock is held, and the other\n{sign} a worker\n\nWaits.\n\n{sign} Sure?\n\nYes.\n"
    result = read(said, f"transcript: {{turn: {{Me: '{sign} {{text}}', Agent: '{{text}}'}}}}")
    assert len(result.turns) == count


def test_labels_in_plain_fences_beside_one_outside_are_told() -> None:
    """One line below a kept chat in a fence makes code of the chat; a label in other code makes no difference."""
    chat = "A chat:\n\n```\nMe: Why?\nBot: So.\nMe: Sure?\n```\n\nMy words on it.\n\n"
    head = "transcript: {turn: '{speaker}: {text}'}\nparticipants: {Me: human, Bot: agent}"
    assert len(read(chat, head).turns) == len(read(f"{chat}```yaml\nMe: a\n```\n", head).turns) == 3
    (problem,) = read(f"{chat}Me: It was the disk.\n", head).problems
    assert problem.region.line == 8 and "3 lines such as 'Me: Why?', labels but for the code" in problem.message


def test_prompts_in_plain_fences_are_answered_outside() -> None:
    """A fence without a language around a label is none where a person gave its pattern."""
    head = "transcript: {turn: {me: 'me> {text}', bot: '{text}'}}"
    prompts = "```\nme> Why?\n```\n\nSo.\n\n```\nme> Sure?\n```\n\nYes.\n"
    assert [turn.text for turn in read(prompts, head).turns] == ["Why?", "So.", "Sure?", "Yes."]


def test_a_mark_without_words_is_nobodys_block() -> None:
    """A program leaves the mark of the next prompt at the file's end; above more of a prompt one is its empty line."""
    text = "### Why?\n\nSo.\n\n###\n### And then?\n\nNo.\n\n### \n"
    result = read(text, "transcript: {turn: {Me: '### {text}', It: '{text}'}}")
    assert [turn.line for turn in result.turns] == [4, 6, 8, 11]


def test_a_participant_of_signs_alone_breaks_nothing() -> None:
    """A name without a letter is folded to nothing; its label is met as it stands."""
    found = read(
        "### Ana\n\nOne queue.\n\n### ❯\n\nNone.\n", "participants: [Ana, '❯']\ntranscript: {turn: '### {speaker}'}"
    )
    assert [turn.speaker for turn in found.turns] == ["Ana", "❯"]


def test_a_name_far_behind_the_beginning_of_a_heading_has_a_pattern() -> None:
    """What stands before it is too long for a pattern, and anything may stand behind: no fourth field is beside."""
    line = f"## {'[x] ' * 200}Ana: no"
    label = Label(0, 0, None, Name("Ana"), LabelForm(mark="heading", level=2))
    template, _ = template_of(line, label, is_wide=True, is_said=True)
    assert compile_pattern(template).match(line)
