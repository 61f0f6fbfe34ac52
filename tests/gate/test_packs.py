"""The packs and the pattern language: every entry can fire, and keeps silent where its words mean another thing."""

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import pytest

from mdtally import gate
from mdtally.gate.against import taken_up
from mdtally.gate.echo import Before, Overlap
from mdtally.gate.evidence import Evidence, gather
from mdtally.gate.features import features
from mdtally.gate.fold import fold
from mdtally.gate.pack import Matcher, Pack, PhraseGroup, assemble, pack_of
from mdtally.gate.result import FailureKind

PROJECT = Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "bench"))

import build_packs as building  # noqa: E402
from build_packs import PACKS, PackError, tables  # noqa: E402
from gate_numbers import HERE, ISSUE, MANNER  # noqa: E402
from public_turns import ELSEWHERE  # noqa: E402

LANGUAGES = sorted(path.stem for path in PACKS.glob("*.toml"))
DATA = {language: tomllib.loads((PACKS / f"{language}.toml").read_text("utf-8")) for language in LANGUAGES}
NAMES = ["Ana", "Ben"]
FACTS = {"denied", "withdrawn", "copied"}
COUNTED = ("forbidden", "padding", "vague", "stall", "signal", "retraction")


def existing_pack(language: str) -> Pack:
    pack = pack_of(language)
    assert pack is not None
    return pack


def alone(pattern: str, lists: Mapping[str, Sequence[str]], *, unspaced: bool = False) -> Matcher:
    """A matcher of one pattern."""
    table = {"match": [[pattern, ""]]}
    data = {"language": "xx", "unspaced": unspaced, "lists": lists, "signal": [table]}
    return assemble(building.build(data)).matcher


def argues(evidence: Evidence) -> bool:
    return any(hit.owner.strength == "strong" for hit in evidence.used["signal"])


def fires(entry: PhraseGroup, sentence: str, pack: Pack) -> bool:
    """Whether an entry counts in a sentence, after negation and context."""
    evidence = gather(sentence, NAMES, pack)
    if entry.kind in ("tested", "nothing"):
        return evidence.stand_down
    if entry.kind in COUNTED:
        return any(hit.owner is entry for hit in evidence.used[entry.kind])
    if entry.kind == "negator":
        return not argues(evidence) and not evidence.used["signal"]
    return any(hit.owner is entry for hit in pack.matcher.find(evidence.folded.text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_fires_in_its_example(language: str) -> None:
    """Each pattern alone is found in its example, and its entry counts there."""
    pack, data = existing_pack(language), DATA[language]
    bad = []
    for entry, table in zip(pack.groups, tables(data), strict=True):
        for pattern, example in table.rows:
            if not example:
                continue
            folded = gather(example, NAMES, pack).folded.text
            found = list(alone(pattern, data.get("lists", {}), unspaced=data.get("unspaced", False)).find(folded))
            if not found or not (entry.kind == "negator" or fires(entry, example, pack)):
                bad.append((entry.kind, pattern, example))
    assert not bad


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_fires_in_a_silent_sentence(language: str) -> None:
    """Where the words mean another thing, or are negated, the entry doesn't count; a negator lets a signal stand."""
    pack = existing_pack(language)
    entries = zip(pack.groups, tables(DATA[language]), strict=True)
    assert not [
        (entry.name, sentence) for entry, table in entries for sentence in table.silent if fires(entry, sentence, pack)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_forbidden_phrase_is_found_as_the_protocol_prints_it(language: str) -> None:
    """Prompt and gate can't drift apart."""
    pack = existing_pack(language)
    phrases = [entry for entry in pack.groups if entry.kind == "forbidden"]
    assert not [entry.name for entry in phrases if not fires(entry, f"{entry.name.capitalize()}.", pack)]


def test_every_negator_takes_back_its_example() -> None:
    """No example of a negator leaves an outright signal standing."""
    pack = existing_pack("en")
    rows = [row for t in tables(DATA["en"]) if t.kind in ("negator", "negator_after") for row in t.rows]
    assert not [pattern for pattern, example in rows if argues(gather(example, NAMES, pack))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_table_has_examples_and_silent_sentences(language: str) -> None:
    """Nothing stands in a pack without proof of both."""
    assert not [t.kind for t in tables(DATA[language]) if t.kind != "spared" and not (t.rows and t.silent)]


def test_the_eight_published_phrases_are_the_core() -> None:
    """Layer 1 is the published list, in its order, and nothing else."""
    phrases = [entry.name for entry in existing_pack("en").groups if entry.kind == "forbidden"]
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_are_complete_and_can_be_filled_in(language: str) -> None:
    """For each kind of failure a pack says in its language what mends it, with no placeholder that isn't filled."""
    hints = existing_pack(language).hints
    assert {*hints} >= {*get_args(FailureKind), "stand_down"}
    for name, sentence in hints.items():
        filled = sentence.format(phrases="x", words=12, speakers="Ana", speaker="Ana")
        assert filled and "{" not in filled, name


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_the_stand_down_a_hint_asks_for_is_accepted(language: str) -> None:
    """Whoever writes the sentence that the hint asks for stands down: hint and gate agree."""
    template = existing_pack(language).hints["stand_down_sentence"]
    sentence = template[: template.index("[")] + "Ana" + template[template.index("]") + 1 :]
    result = gate.check_response(sentence, ["Ana"], language=language)
    assert result.stand_down and result.ok
    assert gate.check_response(sentence, language=language).ok


# -- What lies beside the packs, built -------------------------------------------------------------------------------


def test_the_built_packs_are_of_these_packs() -> None:
    """What is built equals what the TOML comes to today."""
    there = {path.name: path.read_text("utf-8") for path in (PACKS / "built").iterdir()}
    assert there == building.files(), "python bench/build_packs.py writes them"


def test_a_language_with_a_pack_is_known_by_its_own_words() -> None:
    """Those of languages without one would stand in their place."""
    words = building.files()["languages.json"]
    assert not json.loads(words)["packs"].keys() & json.loads(words)["others"], "take it out of others/stop_words.toml"


def known_numbers() -> set[str]:
    """The names of what the gate reads in a text, and the score."""
    evidence = gather("A word.", [], existing_pack("en"))
    nothing = Before((), ())
    return {*features(evidence, "A word.", nothing, Overlap(), taken_up(evidence, "A word.", nothing)), "score"}


def test_weights_belong_to_numbers_and_keep_their_sign() -> None:
    """Each learnt weight is of a number that exists, and "I disagree" can't have come to mean agreement."""
    weights = existing_pack("en").weights
    assert weights is not None
    assert known_numbers() == ISSUE.keys() | HERE.keys() | MANNER.keys() | FACTS
    signed = ((weights.issue, ISSUE), (weights.here, HERE), (weights.manner, MANNER))
    for learnt, known in (*signed, (weights.echo, MANNER)):
        assert learnt.keys() <= known.keys() | {"bias"}
    for learnt, known in signed:
        assert all(value * known[name][0] >= 0 for name, value in learnt.items() if name != "bias")
    assert weights.band[0] <= weights.band[1]


def test_public_turns_are_kept_in_numbers_of_today() -> None:
    """The numbers kept of public debates are those that the gate has, and hold no text."""
    lines = (Path(__file__).parents[2] / "bench" / "public-turns.tsv").read_text("utf-8").splitlines()
    names, rows = lines[1].split("\t"), [line.split("\t") for line in lines[2:] if not line.startswith("# ")]
    assert set(names[4:]) == known_numbers() - {"score"}
    assert len(rows) > 500
    for later, disagreement, sent_back, echo, *cells in rows:
        assert later in ("later", "first")
        assert disagreement in ("substantive", "stand_down", "vague", "none", "?", *ELSEWHERE)
        assert (sent_back, echo) in {(a, b) for a in ("sent back", "fine", "?") for b in ("echo", "own", "?")}
        assert len(cells) == len(names) - 4
        assert all(float(cell) > -1 for cell in cells)


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
    folded = fold(text).text
    assert [
        folded[hit.start : hit.end] for hit in alone(pattern, {"things": ["cats", "blue dogs"]}).find(folded)
    ] == found


@pytest.mark.parametrize("pattern", ["", "..2 flaw", "{nothing} first", "really?", "|"])
def test_a_pattern_that_says_nothing_is_an_error(pattern: str) -> None:
    """A mistake in a pack is told with the pattern in the message."""
    with pytest.raises(PackError, match="pattern"):
        alone(pattern, {})
