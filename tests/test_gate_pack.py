"""The English pack and the pattern language: every entry can fire, and keeps silent where its words mean otherwise."""

import tomllib
from pathlib import Path

import pytest

from mdtally import gate
from mdtally.gate.echo import overlap
from mdtally.gate.evidence import Evidence, gather
from mdtally.gate.fold import fold
from mdtally.gate.pack import Entry, Pack, load
from mdtally.gate.pattern import Matcher, PatternError
from mdtally.gate.shape import SHAPES, features
from mdtally.gate.thin import THIN, thin_features
from mdtally.gate.weigh import sign

PACK = Path(gate.__file__).parents[1] / "packs" / "en.toml"
DATA = tomllib.loads(PACK.read_text("utf-8"))
NAMES = ["Ana", "Ben"]
COUNTED = ("forbidden", "padding", "vague", "filler", "stall", "signal", "retraction")


def english() -> Pack:
    pack = load("en")
    assert pack is not None
    return pack


EXAMPLES = [(entry, *example) for entry in english().entries for example in entry.examples if example[1]]
SILENT = [(entry, sentence) for entry in english().entries for sentence in entry.silent]


@pytest.mark.parametrize(("entry", "pattern", "example"), EXAMPLES)
def test_every_pattern_fires_in_its_example(entry: Entry, pattern: str, example: str) -> None:
    """Each pattern alone is found in its example, and its entry counts there."""
    alone: Matcher[str] = Matcher()
    alone.add("it", pattern, DATA["lists"])
    assert list(alone.find(fold(example, NAMES).text))
    evidence = gather(example, NAMES, english())
    if entry.kind in ("tested", "nothing"):
        assert evidence.stand_down
    elif entry.kind in COUNTED:
        assert any(hit.owner is entry for hit in evidence.used[entry.kind])


@pytest.mark.parametrize(("entry", "sentence"), SILENT)
def test_nothing_fires_in_a_silent_sentence(entry: Entry, sentence: str) -> None:
    """Where the words mean another thing, or are negated, the entry doesn't count; a negator lets a signal stand."""
    evidence = gather(sentence, NAMES, english())
    if entry.kind in ("tested", "nothing"):
        assert evidence.stand_down is None
    elif entry.kind in COUNTED:
        assert not any(hit.owner is entry for hit in evidence.used[entry.kind])
    elif entry.kind in ("negator", "negator_after"):
        assert _argues(evidence) or entry.kind == "negator_after"


def _argues(evidence: Evidence) -> bool:
    return any(hit.owner.strength == "strong" for hit in evidence.used["signal"])


def test_every_negator_takes_back_its_example() -> None:
    """No example of a negator leaves an outright signal standing."""
    for entry, pattern, example in EXAMPLES:
        if entry.kind in ("negator", "negator_after"):
            assert not _argues(gather(example, NAMES, english())), pattern


def test_every_entry_has_examples_and_a_silent_sentence() -> None:
    """Nothing stands in the pack without proof of both."""
    for entry in english().entries:
        if entry.kind != "spared":
            assert entry.examples and entry.silent, entry.name


def test_the_eight_published_phrases_are_the_core() -> None:
    """Layer 1 is the published list, in its order, and nothing else."""
    phrases = [entry.name for entry in english().entries if entry.kind == "forbidden"]
    assert phrases == [
        "I agree with",
        "great point",
        "solid analysis",
        "well said",
        "just echoing",
        "echoing your",
        "echoing the",
        "building on that",
    ]


def test_weights_belong_to_features_and_keep_their_sign() -> None:
    """Each learnt weight is of a feature that exists, and "I disagree" can't have come to mean agreement."""
    pack = english()
    evidence = gather("A word.", [], pack)
    found = features(evidence, pack) | {f"word:{word}": 0.0 for word in pack.small_words}
    thin = thin_features(evidence, found, "A word.", None, overlap("A word.", [])) | {"thin:score": 0.0}
    weights = pack.weights
    assert weights is not None
    learnt = {f"family:{name}": value for name, value in weights.families.items()}
    learnt |= {f"shape:{name}": value for name, value in weights.shape.items()}
    learnt |= {f"thin:{name}": value for name, value in weights.thin.items()}
    learnt |= {f"word:{name}": value for name, value in weights.words.items()}
    assert learnt.keys() <= found.keys() | thin.keys()
    assert {f"shape:{name}" for name in SHAPES} <= found.keys()
    assert {f"thin:{name}" for name in THIN} == thin.keys()
    assert all(value * sign(name, pack) >= 0 for name, value in learnt.items())


def test_public_turns_are_kept_in_features_of_today() -> None:
    """The numbers kept of public debates name features that the gate has, and hold no text."""
    lines = (Path(__file__).parents[1] / "bench" / "public-turns.tsv").read_text("utf-8").splitlines()
    names, rows = lines[1].split("\t"), [line.split("\t") for line in lines[2:] if not line.startswith("# ")]
    pack = english()
    evidence = gather("A word.", [], pack)
    known = features(evidence, pack).keys() | {f"word:{word}" for word in pack.small_words}
    known |= thin_features(evidence, features(evidence, pack), "A word.", None, overlap("A word.", [])).keys()
    assert set(names) <= known
    assert len(rows) > 500
    for later, disagreement, sent_back, echo, flags, cells in rows:
        assert later in ("later", "first")
        assert disagreement in ("substantive", "stand_down", "vague", "none", "?")
        assert (sent_back, echo) in {(a, b) for a in ("sent back", "fine", "?") for b in ("echo", "own", "?")}
        assert set(flags) <= set("sedwca-")
        assert all(int(cell.split(":")[0]) < len(names) and float(cell.split(":")[1]) for cell in cells.split())


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("weak claim", "A weak claim.", ["weak claim"]),
        ("weak claim", "A weak-claim, a weak  claim, tweak claims.", ["weak claim", "weak claim"]),
        ("claim|point", "Point and claim.", ["point", "claim"]),
        ("does_not|doesn't follow", "It doesn't follow, it does not follow.", ["doesn't follow", "does not follow"]),
        ("overlook*", "He overlooks it, overlooking all.", ["overlooks", "overlooking"]),
        ("is really|quite? bad", "It is bad, is quite bad, is so bad.", ["is bad", "is quite bad"]),
        ("find ..2 flaw", "Find a small flaw. Find a very very small flaw. Find. A flaw.", ["find a small flaw"]),
        ("{things} first", "Cats first, blue dogs first.", ["cats first", "blue dogs first"]),
        ("^ no", "No. Say no. No!", ["no", "no"]),
        ("why ?", "Why? Why not.", ["why?"]),
        ("not {number}", "Not 410, not 12%, not many.", ["not 410", "not 12%"]),
    ],
)
def test_the_pattern_language(pattern: str, text: str, found: list[str]) -> None:
    """What each sign of the pattern language matches, and what it doesn't."""
    matcher: Matcher[str] = Matcher()
    matcher.add("it", pattern, {"things": ["cats", "blue dogs"]})
    folded = fold(text).text
    assert [folded[hit.start : hit.end] for hit in matcher.find(folded)] == found


@pytest.mark.parametrize("pattern", ["", "..2 flaw", "{nothing} first", "really?", "|"])
def test_a_pattern_that_says_nothing_is_an_error(pattern: str) -> None:
    """A mistake in a pack is told with the pattern in the message."""
    with pytest.raises(PatternError, match="pattern"):
        Matcher[str]().add("it", pattern, {})
