"""The packs as data: every entry can fire, and keeps silent where its words mean something else."""

import tomllib
from pathlib import Path

import pytest

from mdtally import gate
from mdtally.gate.evidence import gather
from mdtally.gate.judge import HINTS
from mdtally.gate.pack import compile_pack, load

PACKS = Path(gate.__file__).parents[1] / "packs"
LANGUAGES = sorted(path.stem for path in PACKS.glob("*.toml") if path.stem != "en")
NAMES = ["Ana", "Ben"]


def entries(language: str) -> list[tuple[int, str, str]]:
    """(number of the entry, pattern, example) of every pattern of a pack."""
    pack = load(language)
    assert pack is not None
    return [(n, *example) for n, entry in enumerate(pack.entries) for example in entry.examples if example[1]]


def counted(language: str, text: str) -> list[object]:
    """The entries that count in a text, after negation and context; a stand-down as the word."""
    pack = load(language)
    assert pack is not None
    evidence = gather(text, NAMES, pack)
    found: list[object] = [hit.owner for hits in evidence.used.values() for hit in hits]
    return found + (["stand-down"] if evidence.stand_down else [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_fires_in_its_example(language: str) -> None:
    """Each pattern alone is found in its example and, for phrases and signals, counts there."""
    path = PACKS / f"{language}.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    pack = load(language)
    assert pack is not None
    bad = []
    for n, pattern, example in entries(language):
        entry = pack.entries[n]
        only = dict(data)
        for kind in ("forbidden", "padding", "vague", "filler", "stall", "signal", "retraction", "irony"):
            only[kind] = []
        if entry.kind in ("tested", "nothing"):
            if "stand-down" not in counted(language, example):
                bad.append((entry.kind, pattern, example))
            continue
        if entry.kind in ("negator", "negator_after", "irony"):
            raw = [hit.owner for hit in pack.matcher.find(gather(example, NAMES, pack).folded.text)]
            alone = compile_pack({**only, "negator": [], entry.kind: [{"match": [[pattern, example]]}]})
            folded = gather(example, NAMES, alone).folded.text
            if entry not in raw or not list(alone.matcher.find(folded)):
                bad.append((entry.kind, pattern, example))
            continue
        table = next(t for t in data[entry.kind] if [pattern, example] in t["match"])
        alone = compile_pack({**only, entry.kind: [{**table, "match": [[pattern, example]]}]})
        evidence = gather(example, NAMES, alone)
        if not evidence.used[entry.kind]:
            bad.append((entry.name, pattern, example))
    assert not bad


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_fires_in_a_silent_sentence(language: str) -> None:
    """A sentence that stands beside an entry as silent lets none of its patterns count."""
    pack = load(language)
    assert pack is not None
    bad = []
    for entry in pack.entries:
        for sentence in entry.silent:
            if entry.kind in ("tested", "nothing"):
                fires = "stand-down" in counted(language, sentence)
            elif entry.kind == "negator":
                # A negator's silent sentences hold a signal that stays.
                evidence = gather(sentence, NAMES, pack)
                fires = not any(hit.owner.kind == "signal" for hit in evidence.used["signal"])
            elif entry.kind in ("negator_after", "irony"):
                fires = entry in [hit.owner for hit in pack.matcher.find(gather(sentence, NAMES, pack).folded.text)]
            else:
                fires = entry in counted(language, sentence)
            if fires:
                bad.append((entry.kind, entry.name, sentence))
    assert not bad


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_table_has_silent_sentences(language: str) -> None:
    """No table is without a sentence in which it must not fire."""
    pack = load(language)
    assert pack is not None
    assert not [(e.kind, e.name) for e in pack.entries if not e.silent and e.kind != "spared"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_are_complete_and_can_be_filled_in(language: str) -> None:
    """A pack says every corrective sentence in its language, with no placeholder that isn't filled."""
    pack = load(language)
    assert pack is not None
    assert set(pack.hints) >= set(HINTS)
    for name, sentence in pack.hints.items():
        filled = sentence.format(phrases="x", words=12, speakers="Ana", speaker="Ana")
        assert filled and "{" not in filled, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_stand_down_a_hint_asks_for_is_accepted(language: str) -> None:
    """Whoever writes the sentence that the hint asks for stands down: hint and gate agree."""
    pack = load(language)
    assert pack is not None
    template = pack.hints["stand_down_sentence"]
    sentence = template[: template.index("[")] + "Ana" + template[template.index("]") + 1 :]
    result = gate.check_response(sentence, ["Ana"], language=language)
    assert result.stand_down and result.ok
    assert not gate.check_response(sentence, ["Dora"], language=language).stand_down
