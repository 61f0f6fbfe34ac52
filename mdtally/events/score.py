"""How likely a run holds an event, and of an event whether the person pushed and the agent agreed.

Three small logistic models over cues that a person can read. The cues, their phrases and what weights their words lead
one to expect stand in ``cues.txt``; ``bench/fit_events.py`` moves the weights from there as far as labelled turns say,
into ``weights.json``. A score is the share of events among labelled turns with such cues: scores of files compare.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal

from mdtally.events.runs import Run
from mdtally.gate.language import contradicts, detect_language
from mdtally.gate.pack import pack_of
from mdtally.text import datafiles
from mdtally.text.records import record
from mdtally.text.regex import regex

Question = Literal["event", "pushback", "agree"]
ASKED: tuple[Question, ...] = ("event", "pushback", "agree")
"""What the cues are weighed for: is it an event; of an event, was there a push before it; did the agent agree."""

PUSH_SEEN, AGREE_SEEN = 0.7, 2.0
"""Log odds from which on a push and an agreement are offered: right in .85 and .95 of the labelled events."""

OFFERED = 0.1
"""The score under which nothing is offered of a turn: it hardly holds an event."""

_READ = 4000  # characters of a reply that may hold its opening
_SAMPLE = 200, 500  # characters of each message, in which much may be pasted, and reply that tell the language
_START = 6  # words
_OPENING = 60  # words of a reply in which it says where it stands
_HEAD, _TAIL = 80, 120  # words of a long message that are read: what it opens and ends with
_FIRST = 20  # words of a reply in which a negation denies something
_LONG = 120  # words from which on a message's length says no more
_SPACED, _UNSPACED = ("es", "fr", "de"), ("ja", "ko", "zh")
_SCRIPTS = {"ja": regex("[\u3040-\u30ff]"), "ko": regex("[\uac00-\ud7af]"), "zh": regex("[\u4e00-\u9fff]")}
_CODE = regex(r"`[^`]*`|(?<!\S)\S+://\S+")  # looked for where words begin: a long one takes no time squared
_WORD = regex(r"[^\W_]+(?:[-'][^\W_]+)*|\?")
_NEGATIVE = regex(r"\b(?:not|no|never|nothing|none|without)\b")


@record
class Cue:
    """A block of ``cues.txt``.

    Attributes:
        name: the key of its weights.
        where: the text that its phrases are looked for in; "own" if the program computes it.
        expected: the weight to start from, by what is asked.
        means: what a person is told.
        phrases: as `texts` writes them, with the spaces around them, the longest first.
        denials: what says the contrary right before and right behind a phrase, or "".
    """

    name: str
    where: str
    expected: Mapping[Question, float]
    means: str
    phrases: tuple[str, ...]
    denials: tuple[tuple[str, str], ...] = ()


@record
class Weighed:
    """What the cues of a run say.

    Attributes:
        score: how likely it holds an event, from 0 to 1; scores of different files compare.
        cue: what speaks most for it, in words; "" if nothing does.
        decision: "agree" if the reply's cues say so; a hold is never offered.
        pressure: "pushback" if one is seen.
        consent: what shows that it agreed, in words; "" if nothing is offered.
        push: what shows the push, in words; "" without one.
    """

    score: float
    cue: str
    decision: Literal["agree"] | None
    pressure: Literal["pushback"] | None
    consent: str
    push: str


@record
class Languages:
    """The languages in which cues are looked for.

    Attributes:
        person, agent: the code of what each of them writes; None if it is a language without cues.
    """

    person: str | None = "en"
    agent: str | None = "en"


ENGLISH = Languages()
"""The languages in which alone the cues were measured."""


@cache
def cues(language: str = "en") -> tuple[Cue, ...]:
    """Every cue with its phrases in a language, in the order of the file."""
    translated = {name: "\n".join(body) for name, _, body in datafiles.sections(__file__, "languages.txt")}
    found = []
    for name, head, body in datafiles.sections(__file__, "cues.txt"):
        about, _, means = head.partition(": ")
        where, *weights = about.split()
        expected = dict(zip(ASKED, map(float, weights), strict=True))
        listed = "\n".join(body) if language == "en" else translated.get(f"{language} {name}", "")
        denials = _denials(translated.get(f"{language} {name} not", ""), is_spaced=language not in _UNSPACED)
        # Scripts without spaces have no words to stand between.
        spaces = ("", "") if language in _UNSPACED else (" ", " ")
        spaces = (" ", "") if language in _UNSPACED and where.endswith("-start") else spaces
        phrases = {" ".join(_plain_words(phrase)).join(spaces) for phrase in listed.split(",") if phrase.strip()}
        longest_first = tuple(sorted(phrases, key=lambda one: (-len(one), one)))
        found.append(Cue(name, where, expected, means, longest_first, denials))
    return tuple(found)


def _denials(listed: str, *, is_spaced: bool) -> tuple[tuple[str, str], ...]:
    """What stands before and behind "~" in each of the entries, as `texts` would write it beside a phrase."""
    pairs = (entry.strip().split("~") for entry in listed.split(",") if "~" in entry)
    return tuple((f" {one}".rstrip(), f"{other} ".lstrip()) if is_spaced else (one, other) for one, other in pairs)


@cache
def _short_forms() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Each with what a text has to hold for it; "" for nothing."""
    forms = (row.partition(" = ") for row in datafiles.rows(__file__, "short-forms.txt"))
    needs = re.compile(r"(?!.*'\?).*('[a-z]+)")  # "'ve", and nothing if a form can do without an apostrophe
    found = ((needs.match(form), re.compile(form), written) for form, _, written in forms)
    return tuple((need[1] if need else "", form, written) for need, form, written in found)


@cache
def _table(languages: Languages) -> tuple[Cue, ...]:
    """Every cue, with the phrases of the one whose words it is looked for in; English ones where there are none."""
    both = zip(cues(languages.person or "en"), cues(languages.agent or "en"), strict=True)
    return tuple(asked if asked.where.startswith("message") else said for asked, said in both)


def languages_of(runs: Sequence[Run]) -> Languages:
    """The languages of a log: English unless it is plainly another one; one who plainly writes another has his own."""
    # Once each: "yes" said ten times tells no more than one.
    pairs = dict.fromkeys((run.message[: _SAMPLE[0]], run.reply[: _SAMPLE[1]]) for run in runs[:20])
    both = "\n".join(text for pair in pairs for text in pair)[:8000]
    found = detect_language([both])
    whole = _language_of(both, found if found in _SPACED else "en")
    return Languages(*(_language_of("\n".join(side), whole) for side in zip(*pairs, strict=True)))


def _language_of(sample: str, presumed: str | None) -> str | None:
    """The code of the language of a text if it has cues, else None; the presumed one unless it is plainly another."""
    for language, letters in _SCRIPTS.items():
        if len(letters.findall(sample)) * 5 > len(sample):
            return language
    other = contradicts(sample, presumed or "") or presumed
    return other if other in ("en", *_SPACED, *_UNSPACED) else None


def features(read: Mapping[str, str], table: Sequence[Cue]) -> dict[str, float]:
    """The value of each cue of a table in the texts of a run, by its name; phrases count at most twice."""
    values = {cue.name: float(min(2, len(matching_phrases(cue, read)))) for cue in table if cue.where in read}
    message, opening = read["message"].split(), read["opening"].split()
    asked = len(message) - message.count("?")
    values["negates"] = float(min(2, len(_NEGATIVE.findall(" ".join(opening[:_FIRST])))))
    values["asserts"] = float(asked > 3 and "?" not in message and not values["order"])
    values["length"] = math.log1p(min(_LONG, asked))
    return values


def texts(message: str, reply: str) -> dict[str, str]:
    """The stretches that phrases are looked for in: words in lower case and question marks, a space around each."""
    asked, said = _plain_words(message), _plain_words(reply[:_READ], _OPENING)
    start = asked[:_START]
    if len(asked) > _HEAD + _TAIL:
        asked = [*asked[:_HEAD], *asked[-_TAIL:]]
    stretches = {"message": asked, "message-start": start, "opening": said[:_OPENING], "reply-start": said[:_START]}
    return {where: f" {' '.join(words)} " for where, words in stretches.items()}


def matching_phrases(cue: Cue, read: Mapping[str, str]) -> list[str]:
    """The phrases of a cue that stand in its text, longer ones first; where only a start is looked at, the first one.

    Phrases are looked for one by one, because to compile them all as regular expressions takes longer than a file.
    """
    text = read[cue.where]
    if cue.where.endswith("-start"):
        return [phrase.strip() for phrase in cue.phrases if text.startswith(phrase)][:1]
    seen = []
    for phrase in cue.phrases:
        for before, after in cue.denials if phrase in text else ():
            text = text.replace(f"{before}{phrase}{after}", " | ")
        if phrase in text:
            seen.append(phrase.strip())
            text = text.replace(phrase, " | ")  # "wrong" in "is wrong" is not a second one
    return seen


def _plain_words(text: str, most: int = 0) -> list[str]:
    """Words in lower case, short forms written out: "don't" and "dont" are "do not"; so many at least, 0 for all."""
    text = _CODE.sub(" ", text).casefold().replace("’", "'")
    if most and (beyond := next(islice(_WORD.finditer(text), most, None), None)):
        text = text[: beyond.end()]
    for need, form, written in _short_forms():
        text = form.sub(written, text) if need in text else text
    return _WORD.findall(text)


def _in_simple_letters(text: str, language: str | None) -> str:
    """A Chinese text in simplified letters, as the phrases are written; any other as it is."""
    pack = pack_of("zh") if language == "zh" else None
    return text.translate(pack.variants) if pack else text


@cache
def _weights() -> Mapping[Question, Mapping[str, float]]:
    weights: dict[Question, dict[str, float]] = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    return weights


@lru_cache(8192)  # a walk asks again after each tag, and nearly all is as it was
def score(message: str, reply: str, languages: Languages = ENGLISH) -> Weighed:
    """What the cues of a message and the reply say: how likely an event is, whether it agrees, whether a push is seen.

    Cues are told in words, with the phrase that was seen: "the agent concedes: you are right".
    """
    table = _table(languages)
    read = texts(_in_simple_letters(message, languages.person), _in_simple_letters(reply, languages.agent))
    values = features(read, table)
    parts, odds = dict[Question, list[float]](), dict[Question, float]()
    for asked, weights in _weights().items():
        parts[asked] = [weights.get(cue.name, cue.expected[asked]) * values[cue.name] for cue in table]
        odds[asked] = weights["bias"] + sum(parts[asked])
    likely = 1 / (1 + math.exp(-odds["event"]))
    consent = _strongest_cue(table, parts["agree"], read, "opening", "reply")
    is_agreed = odds["agree"] >= AGREE_SEEN and likely >= OFFERED and consent.startswith("the agent")
    push = _strongest_cue(table, parts["pushback"], read, "message")
    # In other languages, in which the weights were not measured, there has to be a phrase that can be shown.
    is_push = odds["pushback"] >= PUSH_SEEN and likely >= OFFERED and (languages.person == "en" or ":" in push)
    cue, consent, push = _strongest_cue(table, parts["event"], read), consent * is_agreed, push * is_push
    return Weighed(likely, cue, "agree" if is_agreed else None, "pushback" if is_push else None, consent, push)


def _strongest_cue(table: Sequence[Cue], parts: Sequence[float], read: Mapping[str, str], *where: str) -> str:
    """The cue that speaks most for something, with the phrase that was seen; one in ``where`` if there is any.

    A cue without phrases is told only if ``where`` is given and no other one speaks for it.
    """
    speaking = [
        (bool(cue.phrases), cue.where.startswith(where), part, cue)
        for cue, part in zip(table, parts, strict=True)
        if part > 0 and (cue.phrases or where)
    ]
    best = max(speaking, key=lambda one: one[:3], default=None)
    if best is None:
        return ""
    cue = best[3]
    return f"{cue.means}: {matching_phrases(cue, read)[0]}" if cue.phrases else cue.means
