"""The shape of the labelled turns in `tests/data`: what any score over them rests on.

A score over these files means something only while they stay varied, balanced and hard, and while their rows keep to
the definitions in `tests/data/README.md`.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data"
# In the order of the file.
FIELDS = ["id", "subject", "voice", "speaker", "prior", "text", "disagreement", "performative", "phrase"]
FIELDS += ["echo", "should_flag", "hard", "why"]
FILES = sorted(DATA.glob("turns-*.jsonl"))


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def own() -> list[dict[str, Any]]:
    return read(DATA / "turns-own.jsonl")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_keep_to_the_definitions(path: Path) -> None:
    """Every row has the fields in order, with labels that don't contradict each other or the text."""
    rows = read(path)
    for row in rows:
        where = row["id"]
        assert list(row) == FIELDS, where
        assert row["disagreement"] in {"substantive", "stand_down", "vague", "none"}, where
        assert all(type(row[name]) is bool for name in ("performative", "echo", "should_flag", "hard")), where
        assert row["performative"] == bool(row["phrase"]), where
        assert row["phrase"] in row["text"], where
        assert row["text"].strip() == row["text"] != "", where
        assert row["why"] and row["voice"] and row["speaker"], where
        assert all(list(turn) == ["speaker", "text"] and all(turn.values()) for turn in row["prior"]), where
        # Nobody stands down before, and nobody restates, where nobody has spoken.
        assert row["prior"] or (row["disagreement"] != "stand_down" and not row["echo"]), where
        # A fair editor sends no specific objection back, and lets no vague one pass.
        assert row["should_flag"] is (row["disagreement"] == "vague") or row["disagreement"] == "none", where


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_turn_stands_once(path: Path) -> None:
    """No id and no text twice: a repeated turn would count double in every rate."""
    rows = read(path)
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["text"] for row in rows}) == len(rows)


def test_there_are_enough_of_each_label(own: list[dict[str, Any]]) -> None:
    """The English set is large, and no label is so rare or so common that a rate over it says nothing."""
    assert len(own) >= 170
    share = {label: count / len(own) for label, count in Counter(row["disagreement"] for row in own).items()}
    assert 0.40 <= share["substantive"] <= 0.50
    assert share["stand_down"] >= 0.05
    assert share["vague"] >= 0.08
    assert share["none"] <= 0.42
    assert 0.28 <= sum(row["should_flag"] for row in own) / len(own) <= 0.40


def test_half_are_hard(own: list[dict[str, Any]]) -> None:
    """At least half of the turns are hard, and of those to be sent back as of those to let pass."""
    for flagged in (True, False):
        rows = [row for row in own if row["should_flag"] is flagged]
        assert sum(row["hard"] for row in rows) / len(rows) >= 0.5


def test_subjects_and_lengths_are_spread(own: list[dict[str, Any]]) -> None:
    """Ten subjects with ten turns or more, none with a fifth of the set; short, middling and long turns."""
    subjects = Counter(row["subject"] for row in own)
    assert sum(count >= 10 for count in subjects.values()) >= 10
    assert max(subjects.values()) < len(own) / 5
    assert len({row["voice"] for row in own}) >= 100
    words = sorted(len(row["text"].split()) for row in own)
    assert words[0] < 12 and words[len(words) // 2] >= 40
    assert sum(count >= 80 for count in words) >= 25


@pytest.mark.parametrize("language", ["de", "es", "fr", "zh"])
def test_languages_have_turns_of_both_sorts(language: str) -> None:
    """At least 24 turns a language, about half of them to be sent back, some hard on either side."""
    rows = read(DATA / f"turns-{language}.jsonl")
    assert len(rows) >= 24
    assert 0.45 <= sum(row["should_flag"] for row in rows) / len(rows) <= 0.55
    assert {row["disagreement"] for row in rows} == {"substantive", "stand_down", "vague", "none"}
    for flagged in (True, False):
        assert sum(row["hard"] for row in rows if row["should_flag"] is flagged) >= 6
