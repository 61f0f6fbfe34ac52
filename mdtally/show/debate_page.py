"""A debate's page above its transcript: the sentence, who argues, who answers nobody, and who takes issue with whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdtally.check.debate import ANSWERS, Answer, Debate, Round, State, TurnAnswer, Voice, decided_counts
from mdtally.check.panel import PanelShare, PanelVoice
from mdtally.show.drawing import agent_names, busiest_names
from mdtally.show.page import PageContent, Section, Table
from mdtally.text import safe
from mdtally.text.percent import count, percent, span

MOST_VOICES = 40
"""Voices in a table, those with most turns."""
_SAYS: Mapping[Answer, tuple[str, str]] = {
    "argues": ("argues", "argue"),
    "stands_down": ("stands down", "stand down"),
    "unsure": ("may or may not argue", "may or may not argue"),
    "silent": ("answers nobody", "answer nobody"),
}
_WHY_NOT: Mapping[State, str] = {
    "no_turns": "No turns were recognised, so there is nothing to show",
    "session": "This is the log of a session, not of a panel, so nothing is judged",
    "no_language": "No language pack fits this debate, so only the length of its turns was judged",
    "off": "The gate is off, the turns are as short as those of a chat, or git left a conflict: nothing is judged",
}
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
_HEADINGS = tuple(f"{answer.replace('_', ' ')}:" for answer in ANSWERS)


def debate_page(debate: Debate) -> PageContent:
    """Voices, rounds, who takes issue with whom; of an unsure reading only the voices."""
    sections = [_voices_section(debate)] if debate.voices else []
    if debate.state == "judged":
        sections += [_rounds(debate)] if any(debate.answers.values()) else []
        sections += [_matrix(debate)] if debate.against else []
    settles = ""
    command = f"mdtally turns {safe.argument(debate.file.filename)}"
    if debate.state == "unsure":
        settles = f"To settle it, choose a reading; to keep the first: {command} --accept 1"
    elif debate.state == "no_turns":
        settles = f"If somebody speaks in it, say who; to see how: {command}"
    return PageContent(headline(debate), (debate.file.filename,), tuple(sections), settles)


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
    asked = sum(debate.answers.values())
    if not asked:
        return "No agent speaks after another one in the same round, so nobody could answer"
    rounds = (one for one in debate.rounds if one.answering_turns)
    worst = max(rounds, key=lambda one: (one.answers["silent"] / one.answering_turns, one.answers["silent"]))
    silent = worst.answers["silent"]
    if 2 * silent >= worst.answering_turns > 1:
        unsure = f", {_number(n)} may or may not argue" if (n := worst.answers["unsure"]) else ""
        where = f"{round_name(worst)}: " if len(debate.rounds) > 1 else "Of the turns that could answer somebody, "
        return f"{where}{_of(silent, worst.answering_turns)} {_SAYS['silent'][silent != 1]}{unsure}"
    found = [f"{n:,} {_SAYS[kind][n != 1]}" for kind, n in debate.answers.items() if n]
    if len(found) == 1 and asked > 1:
        return f"All {found[0].replace(' ', ' turns that could answer somebody ', 1)}"
    if asked == 1:
        return f"The only turn that could answer somebody {found[0].removeprefix('1 ')}"
    return f"Of the {count(asked, 'turn')} that could answer somebody, {', '.join(found)}"


def answer_words(one: TurnAnswer) -> str:
    """What a turn does, in words: "argues with Ana"; "" where nothing is said of it."""
    if one.answer is None:
        return "no response" if one.turn.placeholder else ""
    whom = f" with {', '.join(one.against)}" if one.against else ""
    how = {"opinion": " (a model says)", "stance": " (stated)"}.get(one.decided_by, "")
    return f"{one.answer.replace('_', ' ')}{whom}{how}"


def round_name(found: Round) -> str:
    """``Round 2``, or where none is stated ``Turns from line 40``."""
    return f"Turns from line {found.line}" if found.number is None else f"Round {found.number}"


def _voices_section(debate: Debate) -> Section:
    judged = debate.state == "judged"
    busiest = {voice.name for voice in sorted(debate.voices, key=lambda voice: -voice.turns)[:MOST_VOICES]}
    rows = tuple(_voice(voice, judged) for voice in debate.voices if voice.name in busiest)
    left = len(debate.voices) - len(rows)
    sentences = ["Argues to silent count the turns before which another agent spoke in the round."] if judged else []
    sentences += [f"The {len(rows)} voices with most turns, without {count(left, 'other')}."] if left else []
    headings = ("voice", "turns:", "words:", *((*_HEADINGS, "flattering phrases:", "repeats") if judged else ()))
    return Section("Voices", sentences=tuple(sentences), tables=(Table(headings, rows),))


def _voice(voice: Voice, judged: bool) -> tuple[str, ...]:
    is_agent, size = voice.kind == "agent", (str(voice.turns), f"{voice.words:,}")
    repeats = ", ".join(f"{name}{f' ×{n}' if n > 1 else ''}" for name, n in voice.repeats.items())
    done = (*map(str, voice.answers.values()), str(voice.padding), repeats) if is_agent else ("",) * 6
    return (voice.name if is_agent else f"{voice.name} ({voice.kind})", *size, *(done if judged else ()))


def voices_section(voices: Sequence[PanelVoice]) -> tuple[Section, ...]:
    """Each voice over several debates, and who nods more than the others; nothing for a single debate."""
    if max((one.debates for one in voices), default=0) < 2:
        return ()
    nodding = [f"{one.speaker}{f' ({one.model})' if one.model else ''}" for one in voices if one.nods_more]
    sentence = "No voice nods more than the others in the same debates, as far as these debates tell."
    if nodding:
        who = " and ".join(nodding)
        nod = f"{'answers' if len(nodding) == 1 else 'answer'} nobody more often than the others do in the same debates"
        adjusted = "Adjusted for the number of voices: where nobody does, at most 5 of 100 panels name somebody."
        sentence = f"{who} {nod}. {adjusted}"
    shown = sorted(voices, key=lambda one: not one.nods_more)[:MOST_VOICES]
    headings = ("voice", "model", "debates:", "turns:", "argues:", "pads:", "repeats:", "")
    table = Table(headings, tuple(map(_panel_voice, shown))).without_empty_columns()
    about = "Argues counts the turns before which another agent spoke in the round, without the unsure ones."
    left = (f"The {len(shown)} voices with most turns, without {count(len(voices) - len(shown), 'other')}.",)
    sentences = (sentence, f"{about} In brackets: what fits.", *left * (len(voices) > len(shown)))
    return (Section("The voices over all debates", sentences=sentences, tables=(table,)),)


def _panel_voice(one: PanelVoice) -> tuple[str, ...]:
    shares = map(_share, (one.argues, one.pads, one.repeats))
    return one.speaker, one.model, str(one.debates), f"{one.turns:,}", *shares, "nods more" * one.nods_more


def _share(one: PanelShare | None) -> str:
    return f"{percent(one.share)} ({span((one.low, one.high))})" if one else "-"


def _rounds(debate: Debate) -> Section:
    asked = [one for one in debate.rounds if one.answering_turns]
    rows = [
        (round_name(one), "{} of {}".format(*decided_counts(one.answers)), *map(str, one.answers.values()))
        for one in asked
    ]
    table = Table(("", "share:", *_HEADINGS), tuple(rows), bars=tuple(one.answers for one in asked))
    sentence = "How many of the turns that could answer somebody argue; the share leaves out the unsure ones."
    return Section("Round by round", sentences=(sentence,), tables=(table,))


def _matrix(debate: Debate) -> Section:
    names = busiest_names(debate)
    rows = tuple((who, *(str(debate.against.get((who, whom), 0) or "") for whom in (*names, ""))) for who in names)
    sentences = [
        "Turns of the voice in the row that argue and name the one above in a sentence that objects without praise, or"
        " on the label; else the only one who spoke before. The last column: it argues, and names nobody so."
    ]
    sentences += [f"{count(left, 'more voice')} left out."] if (left := len(agent_names(debate)) - len(names)) else []
    table = Table(("", *(f"{name}:" for name in names), "nobody named:"), rows)
    return Section("Who takes issue with whom", sentences=tuple(sentences), tables=(table,))


def _of(part: int, whole: int) -> str:
    every = "both later turns" if whole == 2 else f"all {_number(whole)}"
    return every if part == whole else f"{_number(part)} of {_number(whole)}"


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
