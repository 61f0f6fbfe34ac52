"""What a turn says, gathered once: which phrases, signals and negators stand in it, and which of them count.

All layers read the same walk over the folded text. A hit counts where it is *used*: not negated in its clause, not
taken back behind it, not in the company that shows another meaning, not ironic. What remains is evidence with a place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from mdtally.gate.fold import MENTION, NAME, fold, visible_words
from mdtally.gate.pack import Hit, Pack, own_hits
from mdtally.text.chars import has_han
from mdtally.text.model import Span
from mdtally.text.plain import Plain
from mdtally.text.records import by_key, record, replace
from mdtally.text.regex import regex

# "It fails. Twice!", "不同意。", "太贵!没有人"
_SENTENCE_END = regex(r"[.!?](?=[\s\"')\]”»]|$)|[。！？\n]")
_SENTENCE_END_IN_HAN = regex(r"[.!?](?=[\s\"')\]”»\u3400-\u9fff]|$)|[。！？\n]")

# "Dr. Chen's", "J. Smith's": no sentence ends there
_IN_NAME = regex(r"(?<![^\W_])(?:[a-z]|dra?|mrs?|ms|mme|st|sra?|prof)\.$")

# "I like it, but", "fine; still", "good - until"
TURN = regex(
    r"(?<![^\W_])(?:but|however|yet|although|though|except|still|until|only if|whereas|instead|while|unless)(?![^\W_])"
    r"|;| - "
)
"""Words and marks by which a sentence turns against what it has conceded."""

# a figure, somebody's claim, a quotation: "12 seconds", "Ana's forty", "“at no cost”"
_PARTICULAR = regex(rf"\d|{NAME}'s|{MENTION}")

# "point-to-point", "not‑so‑great"
_HYPHEN = regex(r"(?<=[^\W_])[-‐‑](?=[^\W_])")

_USED = ("forbidden", "padding", "vague", "stall", "signal")
"""The kinds of groups whose hits count only where nothing takes them back."""
_PRAISE = frozenset({"agreement", "harmony", "praise and thanks", "reassurance"})
_CONTRARY = "on the contrary"
"""The family that objects only where no objection is denied in front of it."""
_OUTRIGHT = "outright disagreement"
"""The family that a negator takes back from inside, too."""


@record
class Sentence:
    """A sentence of the folded text.

    Attributes:
        start: where it begins; text: its words.
        hits: signals, padding and forbidden phrases that count in it.
        about: families of its words that say whom or what it is about, from the pack's table ``address``.
    """

    start: int
    text: str
    hits: tuple[Hit, ...] = ()
    about: frozenset[str] = frozenset()

    @property
    def signs(self) -> frozenset[str]:
        """The families of its signals, those that speak for agreement among them."""
        return frozenset([hit.owner.name for hit in self.hits if hit.owner.kind == "signal"])

    @property
    def praises(self) -> bool:
        """True if praise stands in it and nothing turns against it: "I like it, but" praises nothing."""
        praise = [hit for hit in self.hits if hit.owner.kind != "signal" or hit.owner.name in _PRAISE]
        return any(not TURN.search(self.text, hit.end - self.start) for hit in praise)

    @property
    def sides(self) -> bool:
        """True if it praises somebody or sides with them: "Ana is right"."""
        return self.praises or "siding" in self.about


@record
class Evidence:
    """Everything a pack sees in one response.

    Attributes:
        folded: the folded text with the way back; sentences: its sentences in order; words: how many it has.
        used: the hits that count, by kind of group, in the order of the text.
        stand_down: True where an un-negated stand-down stands in it; misplaced: where one does that is about an
            argument of another occasion.
        denied: True where an outright objection is negated or taken back.
    """

    folded: Plain
    sentences: tuple[Sentence, ...]
    words: int
    used: Mapping[str, Sequence[Hit]]
    stand_down: bool = False
    misplaced: bool = False
    denied: bool = False

    @property
    def is_vague(self) -> bool:
        """True if it doubts, and no doubt goes on to something in particular: "… issues: the log shows 12 seconds"."""
        doubts = [(hit, self.sentence(hit.start)) for hit in self.used["vague"]]
        return bool(doubts) and not any(
            hit.owner.name != "contempt" and _PARTICULAR.search(sentence.text, hit.end - sentence.start)
            for hit, sentence in doubts
        )

    def sentence(self, at: int) -> Sentence:
        """The sentence around a place in the folded text."""
        n = bisect_right(self.sentences, at, key=lambda sentence: sentence.start)
        return self.sentences[n - 1] if n else Sentence(0, "")


def gather(
    text: str, names: Sequence[str], pack: Pack, phrases: tuple[str, ...] = (), beside: Sequence[Hit] = ()
) -> Evidence:
    """Read a response with a pack.

    Args:
        text: the response.
        names: the earlier speakers.
        pack: what is known of its language.
        phrases: forbidden ones beside the pack's.
        beside: what counts in it by another pack, and so here if no word of this one takes it back.
    """
    folded = fold(text, names)
    # One letter for one, so that the way back stays.
    body = folded.text.translate(pack.variants) if pack.variants else folded.text
    folded = replace(folded, text=body)
    hits = by_key((hit.owner.kind, hit) for hit in pack.matcher.find(body))
    scope = _Scope(body, pack, hits)
    retractions = [hit for hit in hits.get("retraction", ()) if not scope.is_negated(hit.start)][-1:]
    used = {kind: distinct(hit for hit in hits.get(kind, ()) if scope.counts(hit)) for kind in _USED}
    for last in retractions:
        used["signal"] = [hit for hit in used["signal"] if hit.start >= last.end or hit.owner.strength == "against"]
    for kind in ("forbidden", "padding"):
        used[kind] = [hit for hit in used[kind] if not _is_in_hyphens(folded.span(hit.start, hit.end), text)]
    own = (hit for hit in own_hits(phrases, body) if scope.counts(hit) and not scope.is_negated(hit.start))
    used["forbidden"] = sorted([*used["forbidden"], *own], key=lambda hit: hit.start)
    for hit in beside:
        found = used[hit.owner.kind]
        # "Das ist kein great point"; and a phrase that both packs know is one.
        is_phrase = hit.owner.kind == "forbidden"
        is_known = is_phrase and any(one.start < hit.end and hit.start < one.end for one in found)
        if scope.counts(hit) and not is_known and not (is_phrase and scope.is_negated(hit.start)):
            used[hit.owner.kind] = sorted([*found, hit], key=lambda hit: hit.start)
    used["retraction"] = retractions
    used["asks"] = hits.get("asks", [])
    sentences = scope.sentences([*used["signal"], *used["padding"], *used["forbidden"]], hits.get("address", ()))
    here = [*_stand_downs(scope, hits, pack)]
    return Evidence(folded, sentences, visible_words(text), used, any(here), bool(here) and not any(here), scope.denied)


def distinct(hits: Iterable[Hit], kind: Callable[[Hit], object] = lambda hit: id(hit.owner)) -> list[Hit]:
    """Of overlapping hits of a kind, one group's by default, the first; the longest where two start together."""
    last: dict[object, int] = {}
    found = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.start >= last.get(kind(hit), -1):
            last[kind(hit)] = hit.end
            found.append(hit)
    return found


def _is_in_hyphens(span: Span, text: str) -> bool:
    """True if a stretch begins or ends inside of a hyphenated word: "a great point-to-point link"."""
    return bool(_HYPHEN.match(text, span.end) or (span.start and _HYPHEN.match(text, span.start - 1)))


class _Scope:
    """The clauses and sentences of a folded text, and what takes words back in them.

    Attributes:
        denied: whether an outright objection was found negated or taken back.
    """

    def __init__(self, body: str, pack: Pack, hits: Mapping[str, Sequence[Hit]]) -> None:
        self.body = body
        self._clauses = [match.end() for match in pack.breaks.finditer(body)]
        sentence_end = _SENTENCE_END_IN_HAN if has_han(body) else _SENTENCE_END
        self._ends = [match.end() for match in sentence_end.finditer(body)]
        self._whole_ends = [end for end in self._ends if not _IN_NAME.search(body, max(end - 6, 0), end)]
        spared = [(hit.start, hit.end) for hit in hits.get("spared", ())]
        # "not just" negates nothing; and "couldn't disagree more" holds its negator inside.
        negators = (hit for hit in hits.get("negator", ()) if not any(a <= hit.start < b for a, b in spared))
        self._negators = sorted((hit.end, hit.start) for hit in negators)
        self._behind = [hit.start for hit in hits.get("negator_after", ())]
        self._ironies = [self.sentence(hit.start) for hit in hits.get("irony", ())]
        self.denied = False

    def clause(self, at: int) -> tuple[int, int]:
        """Start and end of the clause around a place."""
        return _around(self._clauses, at, len(self.body))

    def sentence(self, at: int) -> tuple[int, int]:
        """Start and end of the sentence around a place."""
        return _around(self._ends, at, len(self.body))

    def whole_sentence(self, at: int) -> tuple[int, int]:
        """Start and end of the sentence around a place, where a title or an initial ("Dr.", "J.") ends none."""
        return _around(self._whole_ends, at, len(self.body))

    def is_negated(self, start: int) -> bool:
        """True if a negator stands before a place in its clause."""
        return self._holds_negator(self.clause(start)[0], start)

    def _holds_negator(self, start: int, end: int) -> bool:
        """True if a negator stands between two places."""
        n = bisect_right(self._negators, (end, len(self.body)))
        return n > 0 and self._negators[n - 1][1] >= start

    def counts(self, hit: Hit) -> bool:
        """True if a hit is used, not mentioned in another meaning, negated, taken back or ironic."""
        group = hit.owner
        if group.kind in ("forbidden", "padding") and any(a <= hit.start < b for a, b in self._ironies):
            return False
        refuted = (
            (group.after is not None and group.after.match(self.body, hit.end))
            or (group.before is not None and group.before.search(self.body, self.clause(hit.start)[0], hit.start))
            or (group.kind == "signal" and group.negatable and self._is_taken_back(hit))
            # "Ich kann mich dem nicht anschließen"
            or (group.kind == "forbidden" and group.negatable and self._holds_negator(hit.start, hit.end))
            # "I don't disagree, on the contrary"
            or (group.name == _CONTRARY and self.denied)
        )
        self.denied = self.denied or bool(refuted and group.strength == "strong")
        return not refuted

    def _is_taken_back(self, hit: Hit) -> bool:
        """True if a signal is negated, or a strong one refuted right behind it: "a counter-argument? who cares"."""
        if self.is_negated(hit.start):
            return True
        if hit.owner.strength != "strong":
            return False
        if hit.owner.name == _OUTRIGHT and self._holds_negator(hit.start + 1, hit.end):  # "Ich sehe das nicht anders"
            return True
        _, closes = self.clause(max(hit.end - 1, hit.start))
        n = bisect_right(self._behind, hit.end - 1)
        return n < len(self._behind) and (self._behind[n] < closes or self._behind[n] == hit.end)

    def sentences(self, hits: Iterable[Hit], addresses: Iterable[Hit]) -> tuple[Sentence, ...]:
        """The sentences of more than two letters, with what stands in each."""
        signs = by_key((self.sentence(hit.start)[0], hit) for hit in hits)
        about = by_key((self.sentence(hit.start)[0], hit.owner.name) for hit in addresses)
        texts = {start: self.body[start:end] for start, end in pairwise((0, *self._ends, len(self.body)))}
        texts = {start: text for start, text in texts.items() if len(text.strip()) > 2}
        pairs = texts.items()
        return tuple(Sentence(at, text, tuple(signs.get(at, ())), frozenset(about.get(at, ()))) for at, text in pairs)


def _around(ends: Sequence[int], at: int, length: int) -> tuple[int, int]:
    """Start and end of the stretch around a place in a text that is cut at these ends."""
    n = bisect_right(ends, at)
    return ends[n - 1] if n else 0, ends[n] if n < len(ends) else length


def _stand_downs(scope: _Scope, hits: Mapping[str, Sequence[Hit]], pack: Pack) -> Iterator[bool]:
    """For each sentence that says it tested something and found nothing: True if that is an argument of this debate.

    Whose it is does not matter: its speaker may have spoken in another round. An argument "from last quarter" is none
    of this debate.
    """
    for tested in hits.get("tested", ()):
        start, end = scope.whole_sentence(tested.start)
        # "Has anybody stress-tested this and found a weakness?" asks for one.
        if scope.is_negated(tested.start) or scope.body[tested.start : end].rstrip().endswith("?"):
            continue
        nothing = next((hit for hit in hits.get("nothing", ()) if tested.end <= hit.start < end), None)
        if nothing is None:
            continue
        # German and Chinese name the argument before they say what was done with it.
        between = scope.body[start if pack.object_first else tested.start : nothing.start]
        if NAME in between or pack.this.search(between):
            yield not pack.elsewhere.search(between)
