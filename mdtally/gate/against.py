"""Whom a turn takes issue with: signs that an objection is about what somebody of this debate has said.

Polemic against somebody who is not here is none. Two advocates of one side, neither of whom has read the other, object
to the same third party in the same words; so a turn has to show that it takes up an earlier one. What shows it, each
with its reason:

- a name, "you" or "my opponent" in a sentence that objects, or in the one before it: the objection is addressed;
- a claim of theirs told again ("you say", "Ana's argument"), a quotation or an id that stands in an earlier turn;
- content words of one earlier turn in such a sentence: it is about that turn's subject;
- a question in a sentence that is addressed;
- "no" or "I disagree" at the very start: an answer.

What speaks against it: a long speech that addresses nobody, which makes a case of its own, and a turn that has next to
no words in common with those before it, whatever they are about.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain, pairwise

from mdtally.gate.echo import REACH, Before, Turns, content_words
from mdtally.gate.evidence import TURN, Evidence, Sentence
from mdtally.gate.fold import MENTION, NAME, quotations
from mdtally.gate.names import named_voices
from mdtally.gate.words import WORDS
from mdtally.text.records import record
from mdtally.text.regex import regex

DOUBTS = WORDS["doubts"]
"""Families of signals that doubt what somebody says."""
_OBJECTS = DOUBTS | {"a concern raised", "a change asked for"}
SECOND_PERSON = frozenset("you your you're you've you'd you'll yours yourself".split())

# "claim", "3", "doesn"
_RUNNING_WORD = regex(r"\w+")
# "C1.5", "ADR-041", "R3"
_ID = regex(r"(?<!\w)[A-Z]{1,4}-?\d+(?:\.\d+)*(?!\w)")
# "[P2.1] ", "- **R3:**" at the start of a line
_OWN_ID = regex(r"^[^\w\n]*([A-Z]{1,4}-?\d+(?:\.\d+)*)(?!\w)", re.MULTILINE)
# "doesn't", "queue"
WORD = regex(r"[^\W_]+(?:'[^\W_]+)?")
_MET = 2
"""How many content words of one earlier turn make a sentence one about it."""
_NO_ADDRESS = 3
"""How many it takes in a sentence that addresses nobody."""
_QUOTED = 2
"""How many words make a quotation."""
_BRIEF, _SPEECH = 5, 13
"""Up to so many sentences an objection may go without an address, and from so many on none is as bad as can be."""
_RELATED = 0.2
"""From this share of shared words on, for as many as the earlier turns have, a turn is about the same subject."""


@record
class TakenUp:
    """What a turn takes up of the turns before it.

    Attributes:
        voices: whom its objections are about, whom most of them are about first; empty where that does not show.
        numbers: what shows it, by name, for the learnt weights.
    """

    voices: tuple[str, ...]
    numbers: Mapping[str, float]


def taken_up(evidence: Evidence, raw: str, before: Before) -> TakenUp:
    """What a response takes up of the other agents' turns before it.

    Args:
        evidence: what was gathered from it.
        raw: the response as it stands.
        before: what stands before it.
    """
    signs = _Signs(evidence, raw, before.prior)
    for sentence in evidence.sentences:
        signs.look_at(sentence)
    count, apart = signs.count, signs.apart
    is_addressed = any(count[sign] for sign in ("named", "addressed", "asked", "quoted"))
    length = (len(evidence.sentences) - _BRIEF) / (_SPEECH - _BRIEF)
    first = evidence.sentences[0].about if evidence.sentences else frozenset()
    numbers = {
        # Names and quotations are of this debate, whatever the turn is about.
        **{sign: math.log1p(count[sign]) for sign in ("named", "quoted")},
        **{sign: math.log1p(count[sign]) * (1.0 - apart) for sign in ("addressed", "met", "retold", "asked")},
        "apart from them": apart,
        "addresses nobody": 0.0 if is_addressed else min(1.0, max(0.0, length)),
        "answers at once": float("an answer opened" in first),
    }
    return TakenUp(tuple(name for name, _ in (signs.voices or signs.likely).most_common()), numbers)


class _Signs:
    """Counts the signs, sentence by sentence.

    Attributes:
        count: the signs by name; voices: by whom an addressed objection is about; likely: the same for those that
            address nobody and share words with somebody's turn.
    """

    def __init__(self, evidence: Evidence, raw: str, prior: Turns) -> None:
        self.evidence, self.raw = evidence, raw
        self.names = tuple(dict.fromkeys(speaker for speaker, _ in prior))
        self.turns = [(speaker, text) for speaker, text in prior if text][-REACH:]
        self.count, self.voices, self.likely = Counter[str](), Counter[str](), Counter[str]()
        self._last: tuple[str, tuple[str, ...]] = ("", ())
        # "[P2.1] The price" numbers a paragraph of its own.
        self._ids = frozenset(_ID.findall(raw)) - frozenset(_OWN_ID.findall(raw))

    @property
    def apart(self) -> float:
        """From 0 to 1: how surely the turn is about something else than the turns before it."""
        known = frozenset[str]().union(*(content_words(text) for _, text in self.turns))
        if not known:
            return 0.0
        mine = content_words(self.evidence.folded.text)
        # By chance a text shares words with others about as the root of their number grows.
        related = (len(mine & known) + 1.5) / (len(mine) + 8) / math.sqrt(len(known) + 20) * 10
        return min(1.0, max(0.0, math.log(_RELATED / related)) * math.sqrt(len(mine) / 30))

    def look_at(self, sentence: Sentence) -> None:
        """Count what one sentence shows."""
        sides = sentence.sides
        # "But Ana's right" turns against what stands before it, and not against Ana.
        turn = TURN.search(sentence.text, len(sentence.text) - len(sentence.text.lstrip()) + 1) if sides else None
        if sides and not turn:
            self._last = ("", ())
            return
        # "I agree with Ana that it is late, but Ben's figure is wrong": who is named in front is agreed with.
        how, whom = self._address(sentence, turn.start() if turn else 0)
        objects, third = bool(_OBJECTS & sentence.signs), "a third party" in sentence.about
        near, meant = (how, whom) if how else self._last
        self._last = how, whom
        if not (objects or near):
            return
        shared, speaker = self._nearest(sentence.text)
        if objects and near and not third:
            self.count[near] += 1
            self.count["met"] += shared >= _MET
            # A name that several voices share names none of them; "you" is whoever's words these are, or spoke last.
            guessed = (speaker,) if shared >= _MET else self.names[-1:]
            self.voices.update(meant if meant or near == "named" else guessed)
        elif objects and not third and shared >= _NO_ADDRESS:
            self.likely[speaker] += 1
        self.count["retold"] += "a claim retold" in sentence.about and bool(how) and shared > 0
        self.count["asked"] += bool(near) and sentence.text.rstrip().endswith("?")

    def _nearest(self, sentence: str) -> tuple[int, str]:
        """How many content words of a sentence the turn has that has most of them, and whose it is."""
        if not self.turns:
            return _MET, self.names[-1] if self.names else ""
        words = content_words(sentence)
        # Of several the last one: it is what was said just now.
        most, at = max((len(words & content_words(text)), at) for at, (_, text) in enumerate(self.turns))
        return most, self.turns[at][0]

    def _address(self, sentence: Sentence, start: int) -> tuple[str, tuple[str, ...]]:
        """How a sentence addresses somebody from an offset on, "" where it does not, and whom, as far as it says so."""
        whom = self._quoted_names(sentence)
        if NAME in sentence.text[start:]:
            mentions = (named_voices(words, self.names) for words in self._written_words(sentence, NAME, start))
            return "named", tuple(dict.fromkeys((*chain.from_iterable(mentions), *whom)))
        is_you = "you" in sentence.text and SECOND_PERSON.intersection(WORD.findall(sentence.text))
        return "addressed" if whom or is_you or "an opponent" in sentence.about else "", whom

    def _quoted_names(self, sentence: Sentence) -> tuple[str, ...]:
        """Whose words or ids a sentence quotes."""
        written = self._written_words(sentence, MENTION) if MENTION in sentence.text else []
        words = [" ".join(found) for text in written if len(found := _RUNNING_WORD.findall(text.lower())) >= _QUOTED]
        if self._ids:
            span = self.evidence.folded.span(sentence.start, sentence.start + len(sentence.text))
            ids = self._ids.intersection(_ID.findall(self.raw, span.start, span.end))
            words += [" ".join(_RUNNING_WORD.findall(each.lower())) for each in ids]
        last_first = [(speaker, _running(text)) for speaker, text in reversed(self.turns)] if words else []
        found = [speaker for each in words if (speaker := next((who for who, said in last_first if each in said), ""))]
        self.count["quoted"] += len(found)
        return tuple(found)

    def _written_words(self, sentence: Sentence, token: str, start: int = 0) -> list[str]:
        """The words that the response has where a sentence has this token ("NAME" and the like), from an offset on."""
        places = [sentence.start + at for at, letter in enumerate(sentence.text) if letter == token and at >= start]
        return [self.raw[span.start : span.end] for span in (self.evidence.folded.span(at, at + 1) for at in places)]


@lru_cache(maxsize=1024)
def _running(text: str) -> str:
    """A turn's own words in lower case, with one space between them: without quotations, such as the motion."""
    kept = ((0, 0), *quotations(text), (len(text), len(text)))
    own = "".join(text[end:start] for (_, end), (start, _) in pairwise(kept))
    return " ".join(_RUNNING_WORD.findall(own.lower()))
