"""What a turn says, gathered once: which phrases, signals and negators stand in it, and which of them count.

All layers read the same walk over the folded text. A hit counts where it is *used*: not negated in its clause, not
taken back behind it, not in the company that shows another meaning, not ironic. What remains is evidence with a place.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mdtally.gate.fold import MENTION, NAME, Folded, fold
from mdtally.gate.pack import Entry, Pack
from mdtally.gate.pattern import Hit

_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')\]”»\u3400-\u9fff]|$)|[。！？\n]")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NUMBER = re.compile(r"(?<![^\W_])[$€£¥]?\d")
_SECOND = frozenset("you your you're you've you'd you'll yours yourself".split())
_FIRST = frozenset("i i'm i've i'd i'll my me mine myself".split())
_GROUP = frozenset("we our us we're we've we'd we'll ours together let's".split())
_NEGATIVE = re.compile(r"(?<![^\W_])(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without|[a-z]+n't)(?![^\W_])")
_CONTRAST = re.compile(
    r"(?<![^\W_])(?:but|however|yet|although|though|whereas|instead|rather|unless|despite|still)(?![^\W_])"
)
OPENING = 160
"""How many folded characters of a turn count as its opening: about two sentences."""


@dataclass(frozen=True)
class Evidence:
    """Everything a pack sees in one response.

    Attributes:
        folded: the folded text with the way back.
        used: the hits that count, by kind of entry, in the order of the text.
        conceded: forbidden phrases and padding that stand in a sentence which then turns against it.
        stand_down: place of an un-negated stand-down in the folded text, or None.
        tried_to_stand_down: True where the words of a stand-down occur without its being one.
    """

    folded: Folded
    used: Mapping[str, tuple[Hit[Entry], ...]]
    sentences: tuple[int, ...]
    stand_down: tuple[int, int] | None

    def sentence(self, at: int) -> tuple[int, int]:
        """Start and end of the sentence around a place in the folded text."""
        n = bisect_right(self.sentences, at)
        start = self.sentences[n - 1] if n else 0
        return start, self.sentences[n] if n < len(self.sentences) else len(self.folded.text)


def gather(text: str, names: Sequence[str], pack: Pack) -> Evidence:
    """Read a response with a pack; ``names`` are the earlier speakers."""
    folded = fold(text, names)
    if pack.variants:
        # One letter for one, so that the way back stays.
        folded = folded._replace(text=folded.text.translate(pack.variants))
    return read(folded, pack)


def read(folded: Folded, pack: Pack) -> Evidence:
    """The same over a text that is folded already."""
    body = folded.text
    # A clause starts behind its punctuation, but with the word that opens it.
    clauses = [m.start() if m.group()[0].isalpha() else m.end() for m in pack.breaks.finditer(body)]
    sentences = [match.end() for match in _SENTENCE_END.finditer(body)]
    hits: dict[str, list[Hit[Entry]]] = {}
    for hit in pack.matcher.find(body):
        hits.setdefault(hit.owner.kind, []).append(hit)
    spared = [(hit.start, hit.end) for hit in hits.get("spared", ())]
    negators = _negators(hits.get("negator", ()), spared)
    negator_ends = [end for _, end in negators]
    behind = [hit.start for hit in hits.get("negator_after", ())]
    ironies = [_bounds(sentences, hit.start, len(body)) for hit in hits.get("irony", ())]

    def clause(at: int) -> tuple[int, int]:
        n = bisect_right(clauses, at)
        return clauses[n - 1] if n else 0, clauses[n] if n < len(clauses) else len(body)

    def negated(start: int, end: int) -> bool:
        opens, _ = clause(start)
        n = bisect_right(negator_ends, start)
        return n > 0 and negators[n - 1][0] >= opens and negators[n - 1][1] <= start

    def taken_back(start: int, end: int) -> bool:
        _, closes = clause(max(end - 1, start))
        n = bisect_right(behind, end - 1)
        return n < len(behind) and (behind[n] < closes or behind[n] == end)

    def counts(hit: Hit[Entry]) -> bool:
        entry = hit.owner
        if entry.after is not None and entry.after.match(body, hit.end):
            return False
        if entry.before is not None and entry.before.search(body, clause(hit.start)[0], hit.start):
            return False
        if entry.kind in ("forbidden", "padding") and any(start <= hit.start < end for start, end in ironies):
            return False
        if entry.kind in ("signal", "forbidden", "padding", "vague") and entry.negatable:
            if entry.kind == "signal" and negated(hit.start, hit.end):
                return False
            if entry.strength == "strong" and taken_back(hit.start, hit.end):
                return False
        return True

    retracted = max((hit.start for hit in hits.get("retraction", ()) if not negated(hit.start, hit.end)), default=-1)
    used: dict[str, tuple[Hit[Entry], ...]] = {}
    for kind in ("forbidden", "padding", "vague", "filler", "signal"):
        found = _distinct(hit for hit in hits.get(kind, ()) if counts(hit))
        if kind == "signal" and retracted >= 0:
            found = [hit for hit in found if hit.start > retracted or hit.owner.strength == "against"]
        used[kind] = tuple(found)
    used["retraction"] = tuple(hit for hit in hits.get("retraction", ()) if hit.start == retracted)
    stand_down = _stand_down(body, hits, pack, sentences, negated)
    return Evidence(folded, used, tuple(sentences), stand_down)


def _negators(hits: Iterable[Hit[Entry]], spared: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found = []
    for hit in hits:
        # "not just" negates nothing; and "couldn't disagree more" holds its negator inside.
        if not any(start <= hit.start < end for start, end in spared):
            found.append((hit.start, hit.end))
    return sorted(found, key=lambda place: place[1])


def _bounds(sentences: Sequence[int], at: int, length: int) -> tuple[int, int]:
    n = bisect_right(sentences, at)
    return sentences[n - 1] if n else 0, sentences[n] if n < len(sentences) else length


def _distinct(hits: Iterable[Hit[Entry]]) -> list[Hit[Entry]]:
    """One hit a place and entry: of overlapping ones the first, the longest where two start together."""
    last: dict[int, int] = {}
    found = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        key = id(hit.owner)
        if hit.start >= last.get(key, -1):
            last[key] = hit.end
            found.append(hit)
    return found


def _stand_down(body, hits, pack, sentences, negated):  # type: ignore[no-untyped-def]
    for tested in hits.get("tested", ()):
        start, end = _bounds(sentences, tested.start, len(body))
        if negated(tested.start, tested.end) or body[tested.start : end].rstrip().endswith("?"):
            continue
        nothing = next((hit for hit in hits.get("nothing", ()) if tested.end <= hit.start < end), None)
        if nothing is None:
            continue
        # German and Chinese name the argument before they say what was done with it.
        between = body[start if pack.object_first else tested.end : nothing.start]
        if NAME in between or pack.this.search(between):
            return tested.start, nothing.end
    return None


# -- The shape of a turn -----------------------------------------------------------------------------------------------


def shape(evidence: Evidence) -> dict[str, float]:
    """Properties of the whole turn that help to weigh the evidence; all near the range 0 to 3."""
    body = evidence.folded.text
    words = _WORD.findall(body)
    count = len(words)
    per = 100.0 / (count + 40)
    opening = body[:OPENING]
    second = sum(word in _SECOND for word in words)
    group = sum(word in _GROUP for word in words)
    first = sum(word in _FIRST for word in words)
    strong = sum(1 for hit in evidence.used["signal"] if hit.owner.strength == "strong")
    return {
        "length": math.log1p(count) - 4.5,
        "long": float(count > 250),
        "names": math.log1p(body.count(NAME)),
        "opens with a name": float(NAME in body[:40]),
        "second person": min(second * per, 6.0) / 2,
        "group": min(group * per, 6.0) / 2,
        "first person": min(first * per, 8.0) / 2,
        "quotes": math.log1p(body.count(MENTION)),
        "numbers": math.log1p(len(_NUMBER.findall(body))),
        "questions": math.log1p(body.count("?")),
        "exclamations": math.log1p(body.count("!")),
        "negation": min(len(_NEGATIVE.findall(body)) * per, 8.0) / 2,
        "contrast": min(len(_CONTRAST.findall(body)) * per, 6.0) / 2,
        "opening negation": float(len(_NEGATIVE.findall(opening)) > 0),
        "opening contrast": float(len(_CONTRAST.findall(opening)) > 0),
        "opening padding": float(any(hit.start < OPENING for hit in evidence.used["padding"])),
        "opening strong": float(any(h.start < OPENING and h.owner.strength == "strong" for h in evidence.used["signal"])),
        "strong density": min(strong * per, 6.0),
        "lines": math.log1p(body.count("\n")),
    }


def features(evidence: Evidence, pack: Pack) -> dict[str, float]:
    """The evidence as numbers: a family's is the logarithm of one plus its count, a shape's is its value."""
    counts = Counter(hit.owner.name for hit in evidence.used["signal"])
    found = {f"family:{entry.name}": 0.0 for entry in pack.entries if entry.kind == "signal"}
    for name, number in counts.items():
        found[f"family:{name}"] = math.log1p(number)
    found["family:padding"] = math.log1p(len(evidence.used["padding"]) + len(evidence.used["forbidden"]))
    found["family:vague"] = math.log1p(len(evidence.used["vague"]))
    found.update({f"shape:{name}": value for name, value in shape(evidence).items()})
    return found
