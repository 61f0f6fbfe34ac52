"""What a turn says, gathered once: which phrases, signals and negators stand in it, and which of them count.

All layers read the same walk over the folded text. A hit counts where it is *used*: not negated in its clause, not
taken back behind it, not in the company that shows another meaning, not ironic. What remains is evidence with a place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from mdtally.gate.fold import NAME, Folded, fold
from mdtally.gate.pack import Hit, Pack, own_phrases
from mdtally.model import Span
from mdtally.records import record
from mdtally.regex import regex

_SENTENCE_END = regex(r"[.!?](?=[\s\"')\]”»]|$)|[。！？\n]")
_SENTENCE_END_UNSPACED = regex(r"[.!?](?=[\s\"')\]”»\u3400-\u9fff]|$)|[。！？\n]")


@record
class Evidence:
    """Everything a pack sees in one response.

    Attributes:
        folded: the folded text with the way back; sentences: where each of its sentences ends, ascending.
        used: the hits that count, by kind of entry, in the order of the text.
        stand_down: place of an un-negated stand-down in the folded text, or None.
        missed_stand_down: True where its words stand there, but about nobody who spoke earlier.
        denied: True where an outright objection is negated or taken back.
    """

    folded: Folded
    used: Mapping[str, tuple[Hit, ...]]
    sentences: tuple[int, ...]
    stand_down: tuple[int, int] | None
    missed_stand_down: bool = False
    denied: bool = False

    @property
    def signals(self) -> tuple[tuple[str, Span], ...]:
        """The signs of disagreement, each a family and its place in the response: the evidence for a pass."""
        found = (hit for hit in self.used["signal"] if hit.owner.strength != "against")
        return tuple((hit.owner.name, self.folded.span(hit.start, hit.end)) for hit in found)

    def sentence(self, at: int) -> tuple[int, int]:
        """Start and end of the sentence around a place in the folded text."""
        return _around(self.sentences, at, len(self.folded.text))


def gather(text: str, names: Sequence[str], pack: Pack, phrases: tuple[str, ...] = ()) -> Evidence:
    """Read a response with a pack; ``names`` are the earlier speakers, ``phrases`` forbidden ones beside the pack's."""
    folded = fold(text, names)
    # One letter for one, so that the way back stays.
    body = folded.text.translate(pack.variants) if pack.variants else folded.text
    folded = folded._replace(text=body)
    # A clause starts behind its punctuation, but with the word that opens it.
    clauses = [m.start() if m.group()[0].isalpha() else m.end() for m in pack.breaks.finditer(body)]
    ends = _SENTENCE_END_UNSPACED if pack.unspaced else _SENTENCE_END
    sentences = [match.end() for match in ends.finditer(body)]
    hits: dict[str, list[Hit]] = {}
    for hit in pack.matcher.find(body):
        hits.setdefault(hit.owner.kind, []).append(hit)
    own = [Hit(entry, m.start(), m.end()) for entry, pattern in own_phrases(phrases) for m in pattern.finditer(body)]
    spared = [(hit.start, hit.end) for hit in hits.get("spared", ())]
    # "not just" negates nothing; and "couldn't disagree more" holds its negator inside.
    negators = sorted(
        ((hit.start, hit.end) for hit in hits.get("negator", ()) if not any(a <= hit.start < b for a, b in spared)),
        key=lambda place: place[1],
    )
    negator_ends = [end for _, end in negators]
    behind = [hit.start for hit in hits.get("negator_after", ())]
    ironies = [_around(sentences, hit.start, len(body)) for hit in hits.get("irony", ())]

    def clause(at: int) -> tuple[int, int]:
        return _around(clauses, at, len(body))

    def negated(start: int) -> bool:
        n = bisect_right(negator_ends, start)
        return n > 0 and negators[n - 1][0] >= clause(start)[0]

    def taken_back(start: int, end: int) -> bool:
        _, closes = clause(max(end - 1, start))
        n = bisect_right(behind, end - 1)
        return n < len(behind) and (behind[n] < closes or behind[n] == end)

    denied: list[Hit] = []

    def counts(hit: Hit) -> bool:
        entry = hit.owner
        strong = entry.strength == "strong"
        if entry.kind in ("forbidden", "padding") and any(start <= hit.start < end for start, end in ironies):
            return False
        refuted = (
            (entry.after is not None and entry.after.match(body, hit.end))
            or (entry.before is not None and entry.before.search(body, clause(hit.start)[0], hit.start))
            or (entry.kind == "signal" and entry.negatable and negated(hit.start))
            or (entry.kind == "signal" and entry.negatable and strong and taken_back(hit.start, hit.end))
        )
        if refuted and strong:
            denied.append(hit)
        return not refuted

    retracted = max((hit.start for hit in hits.get("retraction", ()) if not negated(hit.start)), default=-1)
    used: dict[str, tuple[Hit, ...]] = {}
    for kind in ("forbidden", "padding", "vague", "filler", "stall", "signal"):
        found = distinct(hit for hit in hits.get(kind, ()) if counts(hit))
        if kind == "signal" and retracted >= 0:
            found = [hit for hit in found if hit.start > retracted or hit.owner.strength == "against"]
        used[kind] = tuple(found)
    if own:
        kept = (hit for hit in own if counts(hit) and not negated(hit.start))
        used["forbidden"] = tuple(sorted((*used["forbidden"], *kept), key=lambda hit: hit.start))
    used["retraction"] = tuple(hit for hit in hits.get("retraction", ()) if hit.start == retracted)
    stand_down, missed = _stand_down(body, hits, pack, sentences, negated)
    return Evidence(folded, used, tuple(sentences), stand_down, missed, bool(denied))


def _around(ends: Sequence[int], at: int, length: int) -> tuple[int, int]:
    """Start and end of the stretch around a place in a text that is cut at these ends."""
    n = bisect_right(ends, at)
    return ends[n - 1] if n else 0, ends[n] if n < len(ends) else length


def distinct(hits: Iterable[Hit], kind: Callable[[Hit], object] = lambda hit: id(hit.owner)) -> list[Hit]:
    """Of overlapping hits of a kind, one entry's by default, the first; the longest where two start together."""
    last: dict[object, int] = {}
    found = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.start >= last.get(kind(hit), -1):
            last[kind(hit)] = hit.end
            found.append(hit)
    return found


def _stand_down(
    body: str,
    hits: Mapping[str, Sequence[Hit]],
    pack: Pack,
    sentences: Sequence[int],
    negated: Callable[[int], bool],
) -> tuple[tuple[int, int] | None, bool]:
    """Place of a stand-down (tested, whose argument, nothing found: one sentence); and whether one misses its mark."""
    missed = False
    for tested in hits.get("tested", ()):
        start, end = _around(sentences, tested.start, len(body))
        # "Has anybody stress-tested this and found a weakness?" asks for one.
        if negated(tested.start) or body[tested.start : end].rstrip().endswith("?"):
            continue
        nothing = next((hit for hit in hits.get("nothing", ()) if tested.end <= hit.start < end), None)
        if nothing is None:
            continue
        # German and Chinese name the argument before they say what was done with it.
        between = body[start if pack.object_first else tested.start : nothing.start]
        if NAME in between or pack.this.search(between):
            return (tested.start, nothing.end), False
        missed = True
    return None, missed
