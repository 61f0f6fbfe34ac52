"""The parts of the reading that can be told wrong alone: names, round lines, fences, word tables."""

import pytest

from mdtally.text import document, names, rounds, words
from mdtally.text.model import RoundNumber
from mdtally.transcript import structure
from mdtally.transcript.reading import labels_of


@pytest.mark.parametrize(
    ("label", "speaker", "cut"),
    [
        ("Noor Haddad (CTO)", "Noor Haddad", {"role": "CTO"}),
        ("Noor Haddad, CTO", "Noor Haddad", {"role": "CTO"}),
        ("Dr. Noor Haddad", "Dr. Noor Haddad", {}),
        ("Noor _(claude-4)_", "Noor", {"model": "claude-4"}),
        ("🟢 ChatGPT (5.2) Response", "ChatGPT", {"model": "5.2", "note": "Response"}),
        ("🤖 Grok (4.1 Thinking — 24s) Response", "Grok", {"model": "4.1 Thinking"}),
        ("Agent A · `claude-x` · 108s", "Agent A", {"model": "claude-x", "note": "108s"}),
        ("Grok says:", "Grok", {}),
        ("ChatGPT cross-examines Grok:", "ChatGPT", {"addressee": "Grok"}),
        ("Grok (revised):", "Grok", {"note": "revised"}),
        ("Grok's Final Position:", "Grok", {"note": "Final Position"}),
        ("NOOR → IMRE:", "NOOR", {"addressee": "IMRE"}),
        ("Noor (to Imre & Salma):", "Noor", {"addressee": "Imre & Salma"}),
        ("Architect: ✅ ACCEPT", "Architect", {"note": "ACCEPT"}),
        ("Meadow Advocate — opening", "Meadow Advocate", {"note": "opening"}),
        ("Noor (Calm Doubt) — Devil's Advocate", "Noor", {"role": "Devil's Advocate", "note": "Calm Doubt"}),
        ("[Alpha rebuts Beta]", "Alpha", {"addressee": "Beta"}),
        ("KEEPER [🌀 PRESENT]", "KEEPER", {"role": "PRESENT"}),
        ("<role>BUILDER</role> Notes", "BUILDER", {"note": "Notes"}),
        ("🤖A Claude_A", "Claude_A", {}),
        (":robot: **ChatGPT**", "ChatGPT", {}),
        ("Response from Noor (CTO)", "Noor", {"role": "CTO"}),
        ("editor at 2026-01-05 10:12:00", "editor", {"note": "2026-01-05 10:12:00"}),
        ("🧑 human _(Sep 28, 2024, 07:53 PM)_", "human", {"note": "Sep 28, 2024, 07:53 PM"}),
        ("Nadia 5 March 2026, 10:12:", "Nadia", {"note": "5 March 2026, 10:12"}),
        ("[12:30] Noor:", "Noor", {"note": "12:30"}),
        ("[12:30:01] @noor", "noor", {"note": "12:30:01"}),
        ("[12.03.24, 18:02:11] Noor:", "Noor", {"note": "12.03.24, 18:02:11"}),
        ("3/12/24, 6:02 PM - Noor:", "Noor", {"note": "3/12/24, 6:02 PM"}),
        ("Pavla-AI 🛡️:", "Pavla-AI", {}),
        ("[Noor](https://example.org)", "Noor", {}),
        ("Closing Argument (Prosecution)", "Prosecution", {"note": "Closing Argument"}),
        ("Rebuttal: Claude", "Claude", {"note": "Rebuttal"}),
        ("Rebuttal 2: Noor", "Noor", {"note": "Rebuttal 2"}),
        ("Counterargument 1 (Gemini)", "Gemini", {}),
        ("Final response from Claude", "Claude", {"note": "Final response"}),
        ("Winner of Round 1", "Winner of Round 1", {"round": None}),
        ("Noor --> Tom:", "Noor", {"addressee": "Tom"}),
        ("Grok Round 2 Response", "Grok", {"round": 2, "note": "Response"}),
        ("[R1-T2] Noor", "Noor", {"round": 1}),
        ("DeepSeek R1", "DeepSeek R1", {"round": None}),
        ("DeepSeek R1 R2", "DeepSeek R1", {"round": 2}),
        ("DeepSeek (R1)", "DeepSeek", {"round": None, "model": "R1"}),
        ("[M3] [Noor]", "Noor", {"round": None}),
        ("2B. Noor", "Noor", {}),
        ("UI/UX Designer (Noor)", "UI/UX Designer", {"role": "Noor"}),
        ("Moderator Synthesis", "Moderator", {"note": "Synthesis"}),
        ("Judge's Justification", "Judge", {"note": "Justification"}),
    ],
)
def test_a_label_is_freed_of_what_is_no_name(label: str, speaker: str, cut: dict[str, str]) -> None:
    """Role, model, addressee, verb, stage, verdict, state and time are cut and kept."""
    name = names.clean(label)
    assert name is not None
    assert name.speaker == speaker
    assert {field: getattr(name, field) for field in cut} == cut
    assert not names.is_field(name.key)


@pytest.mark.parametrize(
    "label",
    [
        "What happened:",
        "Your words:",
        "Verdict",
        "Key insights",
        "The question",
        "From ChatGPT:",
        "Notable changes",
        "Next steps",
    ],
)
def test_a_field_is_no_voice(label: str) -> None:
    """Words that open fields, and words of sections, name nobody."""
    name = names.clean(label)
    assert name is None or names.is_field(name.key)


@pytest.mark.parametrize(
    "label",
    [
        "",
        "---",
        "12",
        "Q1: YES. Make it so.",
        "Opening Statement",
        "a/b/c",
        "Step 3",
        "See https://x.y",
        "Response: OK",
        "Plan (User)",
        "Claude vs ChatGPT",
        "A Dialogue Between Claude",
        "问题的答案是",
        "The Final Position",
        "Closing — Summary",
        "Rebuttal: Costs",
        "Answer: Claude",
    ],
)
def test_what_cannot_be_a_name_is_none(label: str) -> None:
    """Sentences, numbers, paths and bare stages are no names."""
    assert names.clean(label) is None


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("User", "human"), ("You", "human"), ("Human (Noor)", "human"), ("用户", "human"), ("User Researcher", None),
        ("VS Code", None),
        ("Chair", "moderator"), ("Audience-Representative", "moderator"),
        ("Debate Moderator", "moderator"), ("Judge", "moderator"), ("Judge Whisperer", None),
        ("裁判", "moderator"), ("Noor (Moderator)", "moderator"), ("System", "other"), ("Tool", "other"),
        ("Agent B", "agent"), ("FOR", "agent"), ("Command R+", "agent"), ("Claude Code", "agent"),
        ("gpt-4o", "agent"), ("4o", "agent"), ("o3-mini", "agent"),
        ("私", "human"), ("クロード", "agent"), ("正方", "agent"), ("Affirmative Argument", "agent"), ("Noor", None),
    ],
)  # fmt: skip
def test_kinds_are_told_by_words(label: str, kind: str | None) -> None:
    """The head of a name tells its kind; other names tell none."""
    name = names.clean(label)
    assert name is not None
    assert names.kind_of(name) == kind


@pytest.mark.parametrize(
    ("line", "number", "rest"),
    [
        ("Round 1: First Positions", 1, "First Positions"),
        ("ROUND B — Cross-Examination", 2, "Cross-Examination"),
        ("Round 1.5 — Late", 1.5, "Late"),
        ("Round 1/5 — Wild", 1, "Wild"),
        ("Round 2 of 3 — Revision", 2, "Revision"),
        ("Round Two", 2, ""),
        ("First round", 1, ""),
        ("2nd Round", 2, ""),
        ("Round III", 3, ""),
        ("Runde 2", 2, ""),
        ("第二輪：反駁", 2, "反駁"),
        ("第2轮", 2, ""),
        ("回合 1", 1, ""),
        ("回合二：反駁", 2, "反駁"),
        ("Раунд 3", 3, ""),
        ("1라운드: 반박", 1, "반박"),
        ("제2라운드", 2, ""),
        ("Primo round", 1, ""),
        ("Primeira rodada", 1, ""),
        ("الجولة الثانية", 2, ""),
        ("Turn 0", 0, ""),
        ("Critique Round 1", 1, ""),
        ("Round #2", 2, ""),
    ],
)
def test_a_round_line_states_its_number(line: str, number: RoundNumber, rest: str) -> None:
    """Numbers, letters, halves, numerals and words, in several languages."""
    parsed = rounds.parse(line)
    assert parsed is not None
    assert (parsed.number, parsed.rest) == (number, rest)


@pytest.mark.parametrize("line", ["Round 1 Analysis", "Round 1 survivors: C", "Round 1 votes", "Round 1: Summary"])
def test_a_look_alike_is_refused(line: str) -> None:
    """Lines about rounds open none."""
    assert rounds.parse(line) is None


@pytest.mark.parametrize("line", ["Round a table", "Rounds 2-3", "Around 1", "Turn around", "Roundtable 1x"])
def test_other_words_are_no_round(line: str) -> None:
    """A round is a word with a number behind it."""
    assert rounds.parse(line) is None


def test_numerals_read_back() -> None:
    """Every Roman numeral up to ten has its value; a letter that is none counts by its place in the alphabet."""
    numerals = "I II III IV V VI VII VIII IX X".split()
    assert [rounds.number_of(numeral) for numeral in numerals] == [*range(1, 11)]
    assert rounds.number_of("B") == 2


@pytest.mark.parametrize(
    ("title", "place"), [("Opening Statements", 1), ("Rebuttals", 2), ("CLOSING ARGUMENTS", 3), ("Opening hours", None)]
)
def test_a_stage_is_its_words_and_no_others(title: str, place: int | None) -> None:
    """ "Opening statements" is a stage, "Opening hours" is not."""
    assert rounds.stage(title) == place


def test_the_word_tables_hold_words() -> None:
    """Tables are case-folded, as the words are that are looked up in them; phrases have no stray marks."""
    assert len(words._TABLES) > 40
    for name, table in words._TABLES.items():
        assert table, name
        assert [word for word in table if word != word.casefold() or "," in word] == [], name


@pytest.mark.parametrize("name", ["Human caught Claude guessing", "Claude on the tide", "Cook"])
def test_what_tells_of_a_voice_may_be_no_voice(name: str) -> None:
    """A name that stands once beside two frequent ones, and goes on from one of them, though a model's is in it."""
    text = "**Human:** Is it late?\n\n**Claude:** By a day.\n\n" * 4 + f"**{name}:** once.\n"
    assert structure.strays(labels_of(document.parse(text.encode()))[1]) == {name.lower()}


@pytest.mark.parametrize("name", ["Claude Code", "Claude Opus 4.1", "Claude o3"])
def test_a_name_with_more_of_a_model_is_a_voice(name: str) -> None:
    """So is "Claude Code", once beside "Claude"."""
    text = "**User:** Is it late?\n\n**Claude:** By a day.\n\n" * 6 + f"**User:** And now?\n\n**{name}:** No.\n"
    assert structure.strays(labels_of(document.parse(text.encode()))[1]) == set()
