"""What a report says in words and numbers, whatever it looks like: the sentence, the tables, the marks of a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from mdtally.debate import ANSWERS, Answer, Debate, Round, State, TurnAnswer, Voice
from mdtally.records import record
from mdtally.render.summary import count

MOST_VOICES = 40
"""Voices in a table, those with most turns; a page with a thousand rows is read by nobody."""
MOST_IN_MATRIX = 12
"""Voices in the matrix, those who take issue, or are taken issue with, most."""

_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
_SAYS: Mapping[Answer, tuple[str, str]] = {
    "argues": ("argues", "argue"),
    "stands_down": ("stands down", "stand down"),
    "unsure": ("may or may not", "may or may not"),
    "silent": ("answers nobody", "answer nobody"),
}
_WHY_NOT: Mapping[State, str] = {
    "no_turns": "No turns were recognised, so there is nothing to show",
    "session": "This is the log of a session, not of a panel, so nothing is judged",
    "no_language": "No language pack fits this debate, so only the length of its turns was judged",
    "off": "The gate, or each of its rules, is switched off here, so nothing is judged",
}
LEGEND: Mapping[Answer, str] = {
    "argues": "it takes issue with what somebody said before it in the round",
    "stands_down": "it says that it has tested an argument and found no material weakness",
    "unsure": "the words do not tell; reading it does, or a second opinion (mdtally lint --second-opinion)",
    "silent": "no claim of anybody who spoke before it in the round is questioned",
}
"""What each answer means."""


HEADINGS = tuple(answer.replace("_", " ") for answer in ANSWERS)
"""The answers as they stand over columns."""


@record
class Table:
    """A table of the report.

    Attributes:
        title: its heading.
        caption: what it counts, and what it leaves out.
        headings: one a column; the first column names the row, numbers stand in the others.
        rows: the cells.
        bars: for each row the answers that a page draws beside it; () where it draws none.
    """

    title: str
    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[Mapping[Answer, int], ...] = ()


def headline(debate: Debate) -> str:
    """The one sentence that stands first."""
    if debate.state == "unsure":
        voices = ", ".join(voice.name for voice in debate.voices[:3]) + (", …" if len(debate.voices) > 3 else "")
        what = f"{count(len(debate.turns), 'turn')} of {voices}" if debate.turns else "no turn was recognised"
        return f"How to read this file is not sure ({what}), so nothing is judged"
    if debate.state == "one_voice":
        agents = [voice.name for voice in debate.voices if voice.kind == "agent"]
        who = f"Only {agents[0]} speaks" if agents else "Nobody speaks"
        return f"{who} as an agent: this is no panel, so nothing is judged"
    if debate.state != "judged":
        return _WHY_NOT[debate.state]
    worst = max(debate.rounds, key=lambda one: (_silent_share(one), one.answers["silent"]))
    if _silent_share(worst) >= 0.5 and worst.asked > 1:
        said = f"{_of(worst.answers['silent'], worst.asked)} {_says('silent', worst.answers['silent'])}"
        unsure = f", {_number(n)} may or may not" if (n := worst.answers["unsure"]) else ""
        where = f"{round_name(worst)}: " if len(debate.rounds) > 1 else "Of the turns that could answer somebody, "
        return f"{where}{said}{unsure}"
    asked = sum(debate.answers.values())
    if not asked:
        return "No agent speaks after another one in the same round, so nobody could answer"
    found = [(kind, n) for kind, n in debate.answers.items() if n]
    if len(found) == 1 and asked > 1:
        return f"All {count(asked, 'turn')} that could answer somebody {_says(found[0][0], asked)}"
    parts = [f"{n:,} {_says(kind, n)}" for kind, n in found]
    return f"Of the {count(asked, 'turn')} that could answer somebody, {', '.join(parts)}"


def settles(debate: Debate) -> str:
    """What would settle that a file was read unsurely; "" where it was not."""
    if debate.state not in ("unsure", "no_turns"):
        return ""
    if debate.file.suggestion:
        return "If the turns below are right, say so in the file's frontmatter, and correct names and kinds:"
    return 'Say what a label looks like: mdtally turns --turn "### {speaker}" FILE'


def answer(one: TurnAnswer) -> str:
    """What a turn does, in words: "argues with Ana"; "" where nothing is said of it."""
    if one.answer is None:
        return "no response" if one.turn.placeholder else ""
    whom = f" with {', '.join(one.against)}" if one.against else ""
    return f"{one.answer.replace('_', ' ')}{whom}{' (second opinion)' if one.decided_by == 'opinion' else ''}"


def round_name(found: Round) -> str:
    """``Round 2``, or where none is stated ``Turns from line 40``."""
    return f"Turns from line {found.line}" if found.number is None else f"Round {found.number}"


def tables(debate: Debate) -> Iterator[Table]:
    """The voices, the rounds and who takes issue with whom; of an unsure reading only the voices."""
    judged = debate.state == "judged"
    busiest = {id(voice) for voice in sorted(debate.voices, key=lambda voice: -voice.turns)[:MOST_VOICES]}
    shown = [voice for voice in debate.voices if id(voice) in busiest]
    left = len(debate.voices) - len(shown)
    caption = f"The {len(shown)} voices with most turns; {left} more are left out." if left else ""
    headings: tuple[str, ...] = ("voice", "turns", "words")
    if judged:
        caption = f"Argues to silent count the turns before which another agent spoke in the round. {caption}".strip()
        headings += (*HEADINGS, "padding", "repeats")
    if shown:
        yield Table("Voices", caption, headings, tuple(_voice(voice, judged) for voice in shown))
    if not judged:
        return
    asked = [one for one in debate.rounds if one.asked]
    if asked:
        rows = tuple((round_name(one), _share(one), *(str(n) for n in one.answers.values())) for one in asked)
        yield Table(
            "Round by round",
            "How many of the turns that could answer somebody argue.",
            ("", "share", *HEADINGS),
            rows,
            tuple(one.answers for one in asked),
        )
    if debate.against:
        yield _matrix(debate)


def _voice(voice: Voice, judged: bool) -> tuple[str, ...]:
    kind = "" if voice.kind == "agent" else f" ({voice.kind})"
    row = (f"{voice.name}{kind}", str(voice.turns), f"{voice.words:,}")
    if not judged:
        return row
    if voice.kind != "agent":
        return (*row, *("",) * 6)
    repeats = ", ".join(f"{name}{f' ×{n}' if n > 1 else ''}" for name, n in voice.repeats.items())
    return (*row, *map(str, voice.answers.values()), str(voice.padding), repeats)


def _matrix(debate: Debate) -> Table:
    weight: Counter[str] = Counter()
    for (who, whom), n in debate.against.items():
        weight[who] += n
        weight[whom] += n
    most = {name for name, _ in weight.most_common(MOST_IN_MATRIX) if name}
    names = [voice.name for voice in debate.voices if voice.name in most]
    rows = tuple((who, *(str(debate.against.get((who, whom), 0) or "") for whom in (*names, ""))) for who in names)
    left = sum(1 for name in weight if name and name not in most)
    return Table(
        "Who takes issue with whom",
        "Turns of the voice in the row that argue and name the one above in a sentence that objects without praise,"
        " or on the label; of two voices it is the other one. The last column: it argues, and names nobody so."
        + (f" {count(left, 'more voice')} left out." if left else ""),
        ("", *names, "nobody named"),
        rows,
    )


def _share(found: Round) -> str:
    return f"{found.answers['argues']} of {found.asked}"


def _silent_share(found: Round) -> float:
    return found.answers["silent"] / found.asked if found.asked else 0.0


def _says(kind: Answer, number: int) -> str:
    return _SAYS[kind][number != 1]


def _of(part: int, whole: int) -> str:
    if part == whole == 2:
        return "both later turns"
    return f"all {_number(whole)}" if part == whole else f"{_number(part)} of {_number(whole)}"


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
