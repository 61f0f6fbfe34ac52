"""What is declared about a transcript: patterns, participants, rounds, sections; in the frontmatter or for a folder.

The keys are read leniently in form (a list, a mapping, a mapping of mappings) and strictly in meaning: a kind that does
not exist is a finding at its line. Keys of the same name in files that are none of ours (`kind: Deployment`) are not
findings: a key is taken for ours if its value nearly is, or if another of our keys stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from mdtally.text import rounds, voices
from mdtally.text.model import (  # fmt: skip
    FileKind,
    Head,
    Problem,
    Region,
    RoundNumber,
    Severity,
    SpeakerKind,
    TranscriptForm,
)
from mdtally.text.names import clean, fold, kind_of, plain
from mdtally.text.records import record
from mdtally.text.voices import Participant, strings
from mdtally.transcript.patterns import PatternError, Patterns, compile_all

_FILE_KINDS: dict[str, FileKind] = {"debate": "debate", "session": "session"}
_ROUNDS: dict[str, Literal["none", "heading", "stage"]] = {"none": "none", "heading": "heading", "stage": "stage"}
_KEYS = ("turn", "round", "end", "line", "start", "participants", "rounds", "section", "ignore")
"""What `transcript:` may say; a `[[transcript]]` of the configuration says the same."""
_Wrong = Callable[..., None]


@record
class Form:
    """How a transcript is written: what a frontmatter declares, what an exporter's row says, and what a reading is by.

    Attributes:
        patterns: of its labels, rounds and ends; without those of turns they are to be found.
        participants: the voices whose labels alone open turns; () for anybody's.
        kinds: by name, case-folded, the kind of voices of which that is known.
        kind: "debate", "session", or None if the voices tell.
        rounds: where round numbers come from; None to detect it.
        stages: stage words with their round numbers, case-folded.
        ignored: titles of sections without turns, case-folded.
        sections: titles of the only sections with turns, case-folded; () for the whole file.
    """

    patterns: Patterns = Patterns()
    participants: tuple[Participant, ...] = ()
    kinds: Mapping[str, SpeakerKind] = MappingProxyType({})
    kind: FileKind | None = None
    rounds: Literal["none", "heading", "stage"] | None = None
    stages: Mapping[str, RoundNumber] = MappingProxyType({})
    ignored: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()

    @cached_property
    def by_spelling(self) -> dict[str, Participant]:
        """The participants by each spelling of their names; the first has it if two share one."""
        return {spelling: one for one in reversed(self.participants) for spelling in spellings(one)}

    def stage_in(self, text: str) -> RoundNumber | None:
        """The round of the first stage word that stands in a text; None if none does."""
        folded = text.casefold() if self.stages else ""
        return next((number for word, number in self.stages.items() if word in folded), None)


@record
class Declared:
    """All that is declared about one transcript.

    Attributes:
        form: how it is written, as far as that is declared.
        origin: where its patterns stand, for messages ("the frontmatter", "the configuration").
        problems: declarations that cannot be right.
        lines: by key of the frontmatter, in small letters, the line it stands on.
    """

    form: Form = Form()
    origin: str = "the frontmatter"
    problems: tuple[Problem, ...] = ()
    lines: Mapping[str, int] = {}

    @property
    def is_open(self) -> bool:
        """True if the participants are bare names, as other programs' frontmatter lists them, and may not be all."""
        return bool(self.form.participants) and all(one.kind is None for one in self.form.participants)

    @property
    def is_transcript(self) -> bool:
        """True if the file is declared to be a debate or session."""
        return bool(self.form.kind or self.form.patterns.turns or any(one.kind for one in self.form.participants))


def spellings(one: Participant) -> tuple[str, ...]:
    """Every spelling of a participant's name as labels are compared with, case aside."""
    return tuple(fold(name) for name in (one.name, *one.aliases) if name.strip())


def voice_names(people: Sequence[Participant]) -> dict[str, str]:
    """By spelling the voice's name, as ``compile_all`` takes it."""
    return {spelling: one.name for one in people for spelling in spellings(one) if spelling}


def read(head: Head, form: TranscriptForm | None = None) -> Declared:
    """Read the declarations of a frontmatter, and those of the configuration that it leaves open.

    Args:
        head: the frontmatter's values, every scalar a string.
        form: the `[[transcript]]` that is configured for the file, or None.
    """
    values = {str(key).casefold(): value for key, value in head.values.items()}
    if not values and form is None:
        return Declared()
    lines = {str(key).casefold(): line for key, line in head.lines.items()}
    problems: list[Problem] = []

    def wrong(key: str, message: str, allowed: Collection[str] = (), severity: Severity = "warning") -> None:
        region = Region(line := lines.get(key, 1), 1, line, 1)
        hint = f"use one of: {', '.join(allowed)}" if allowed else ""
        message += " (in a [[transcript]] of the configuration)" if key == "transcript" and key not in values else ""
        problems.append(Problem("invalid-declaration", message, region, severity, evidence=key, hint=hint))

    given = _given_patterns(values.get("transcript"), form, wrong)
    participants, unclear = voices.declared_voices(head, form)
    problems += unclear
    patterns = _patterns(given, participants, wrong) if given.keys() & {"turn", "round", "end"} else Patterns()
    ours = bool(participants or patterns.turns or values.keys() & {"ignore_sections", "transcript_section"})
    kind = _FILE_KINDS.get(_one_of("kind", values.get("kind"), _FILE_KINDS, ours, wrong))
    protocol = _one_of("protocol", values.get("protocol"), ("true", "false"), ours or bool(kind), wrong)
    if "kind" not in values and protocol == "true":
        kind = "debate"  # nothing else is run under the protocol
    source = given.get("rounds", values.get("rounds"))
    word = "stage" if isinstance(source, Mapping) else _one_of("rounds", source, _ROUNDS, ours or bool(kind), wrong)
    where, stages = _ROUNDS.get(word), dict(_stages(source, wrong)) if isinstance(source, Mapping) else {}
    ignored = _titles(given.get("ignore", values.get("ignore_sections")))
    sections = _titles(given.get("section", values.get("transcript_section")))
    people = with_fixed(participants, patterns)
    found = Form(patterns, people, kind=kind, rounds=where, stages=stages, ignored=ignored, sections=sections)
    origin = "the configuration" if form is not None and "transcript" not in values else "the frontmatter"
    return Declared(found, origin, tuple(problems), lines)


def with_fixed(participants: tuple[Participant, ...], patterns: Patterns) -> tuple[Participant, ...]:
    """The participants with the voices that patterns fix, if there are any of both."""
    known = {spelling for one in participants for spelling in spellings(one)}
    fixed = {pattern.voice for pattern in patterns.turns if pattern.voice} if participants else ()
    return (*participants, *(Participant(voice) for voice in sorted(fixed) if fold(voice) not in known))


def kind_by_words(participant: Participant) -> SpeakerKind:
    """The kind of a participant: the declared one, else what the name says, else agent."""
    name = clean(participant.name)
    return participant.kind or (kind_of(name) if name else None) or "agent"


def _given_patterns(nested: object, form: TranscriptForm | None, wrong: _Wrong) -> dict[str, object]:
    """What says how the transcript is written: the frontmatter's `transcript:`, else the configuration."""
    if any("{speaker}" in one or "(?P<speaker>" in one for one in strings(nested)):
        nested = {"turn": nested}
    given: dict[str, object] = {key: value for key in _KEYS if (value := getattr(form, key, None))}
    if isinstance(nested, Mapping):
        keys = {str(key).casefold(): value for key, value in nested.items()}
        given.update(keys)
        for key in keys.keys() - set(_KEYS):
            near = _near(key, _KEYS)
            if near or keys.keys() & set(_KEYS):
                meant = f"; did you mean {near}?" if near else ""
                wrong("transcript", f"transcript: has no key {key}{meant}", _KEYS)
    return given


def _patterns(given: Mapping[str, object], participants: Sequence[Participant], wrong: _Wrong) -> Patterns:
    told = given.get("turn")
    by_voice = {str(voice): strings(found) for voice, found in told.items()} if isinstance(told, Mapping) else {}
    turn = {voice: found for voice, found in by_voice.items() if found} or strings(told)
    round_, end, line, first = (strings(given.get(key)) for key in ("round", "end", "line", "start"))
    if "turn" in given and not turn:
        wrong("transcript", "turn: is empty; a pattern stands in quotes, because # begins a comment", (), "error")
        return Patterns()
    try:
        return compile_all(turn, round_, end, "".join(line[:1]), "".join(first[:1]), voice_names(participants))
    except PatternError as error:
        wrong("transcript", str(error), (), "error")
        return Patterns()


def _one_of(key: str, stated: object, allowed: Collection[str], ours: bool, wrong: _Wrong) -> str:
    """The value of a key that takes one of some words; "" if it is none of them, with a finding if it is ours."""
    word = str(stated or "").strip().casefold().replace("_", "-").replace(" ", "-")
    if word in allowed or not word or word.isdecimal():  # `rounds: 3` counts them
        return word if word in allowed else ""
    if ours or _near(word, allowed):
        near = _near(word, allowed, 0.5)
        wrong(key, f"there is no {key} {word}" + (f"; did you mean {near}?" if near else ""), allowed)
    return ""


def _stages(stated: Mapping[object, object], wrong: _Wrong) -> Iterator[tuple[str, RoundNumber]]:
    """The stage words of a mapping with their round numbers."""
    for word, number in stated.items():
        value = rounds.number_of(str(number).strip())
        if value is None:
            wrong("rounds", f"rounds: {word} has {number}, which is no round number")
        else:
            yield str(word).casefold(), value


def _near(word: str, allowed: Collection[str], likeness: float = 0.75) -> str:
    """The allowed word that a word is a slip of; "" if it is none."""
    import difflib  # 5 ms, and most files declare nothing

    return next(iter(difflib.get_close_matches(word, allowed, 1, likeness)), "")


def _titles(value: object) -> tuple[str, ...]:
    """Titles of sections as headings are compared with: without hashes, emphasis and case."""
    return tuple(plain(title.lstrip("# ")).casefold() for title in strings(value))
