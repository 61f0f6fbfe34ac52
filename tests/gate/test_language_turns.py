"""The packs beyond English on whole turns: the labelled ones in `tests/data`, and how a language is recognised.

The rates are over turns by the packs' own author, and the packs were mended after a first look at them; so the floors
guard against decay and promise nothing about other debates. docs/reference/gate.md has the figures of the first runs.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mdtally import gate
from mdtally.gate.language import detect_language

DATA = Path(__file__).parents[1] / "data"
LANGUAGES = ["de", "es", "fr", "zh"]


class Rates(NamedTuple):
    """What a pack does on labelled turns, each a share from 0 to 1.

    Attributes:
        noticed: of later turns that take issue or stand down, those without `no_disagreement_signal`.
        silent: of the other later turns, those with it.
        precision: of the turns with a warning, those to be sent back.
        recall: of the turns to be sent back, those with a warning.
    """

    noticed: float
    silent: float
    precision: float
    recall: float


def rows(language: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"turns-{language}.jsonl").read_text("utf-8").splitlines()]


def check(row: dict[str, Any], language: str) -> tuple[bool, bool]:
    """(layer 2 failed, anything is a warning) for a turn behind what the others said."""
    prior = [(turn["speaker"], turn["text"]) for turn in row["prior"] if turn["speaker"] != row["speaker"]]
    result = gate.check(row["text"], prior, language=language)
    failed = any(failure.kind == "no_disagreement_signal" for failure in result.failures)
    return failed, any(failure.severity != "info" for failure in result.failures)


def rates(language: str) -> Rates:
    seen = [(row, *check(row, language)) for row in rows(language)]
    takes_issue = [
        failed for row, failed, _ in seen if row["prior"] and row["disagreement"] in ("substantive", "stand_down")
    ]
    others = [failed for row, failed, _ in seen if row["prior"] and row["disagreement"] in ("vague", "none")]
    warned = [row["should_flag"] for row, _, warns in seen if warns]
    wanted = [warns for row, _, warns in seen if row["should_flag"]]
    return Rates(
        1 - sum(takes_issue) / len(takes_issue),
        sum(others) / len(others),
        sum(warned) / len(warned),
        sum(wanted) / len(wanted),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pack_holds_its_rates(language: str) -> None:
    """Objections are noticed and padding, echoes and vague doubts are warned of, at rates that must not fall."""
    found = rates(language)
    assert found.noticed >= 0.90, found
    assert found.silent >= 0.75, found
    assert found.precision >= 0.90, found
    assert found.recall >= 0.85, found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_debate_is_read_in_its_language(language: str) -> None:
    """The turns of each scene together are recognised as their language, and none of them contradicts it."""
    scenes: dict[str, list[str]] = {}
    for row in rows(language):
        scene = scenes.setdefault(row["id"].rsplit("-", 1)[0], [turn["text"] for turn in row["prior"]])
        scene.append(row["text"])
    assert {name: detect_language(texts) for name, texts in scenes.items()} == dict.fromkeys(scenes, language)
    for row in rows(language):
        assert gate.check(row["text"], language=language).language == language, row["id"]


def cases() -> list[tuple[str, tuple[str, str], list[str], str]]:
    """(language, earlier turn, layer 2's answer and the failures, response) of every item of the case file."""
    found = []
    language, said = "", ("", "")
    for line in (DATA.parent / "cases" / "gate" / "other-languages.md").read_text("utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "##":
            language = rest
        elif mark == ">":
            said = (rest.split(" | ")[0], rest.split(" | ")[1])
        elif mark == "-":
            found.append((language, said, rest.split(" | ")[0].split(", "), rest.split(" | ")[1]))
    return found


@pytest.mark.parametrize(("language", "said", "expected", "text"), cases())
def test_a_turn_gets_the_answer_of_its_language(
    language: str, said: tuple[str, str], expected: list[str], text: str
) -> None:
    """Silence is told only where something shows assent; each failure is expected, and none beside them."""
    result = gate.check(text, [said], language=language)
    assert result.issue
    assert [result.issue.answer, *sorted({failure.kind for failure in result.failures})] == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ich stimme Anna zu, die Tabelle reicht für alle, wenn wir damit so weitermachen wie bisher."),
        ("es", "Estoy de acuerdo con Anna y, cuando quieras, me gustaría seguir adelante con la propuesta."),
        ("fr", "Je suis d'accord avec Anna, la table suffit pour tous et il ne faut rien de plus dans ce projet."),
        ("zh", "我同意安娜的看法，这张表对大家来说已经足够，不需要别的东西了，我们就这样做吧。"),
    ],
)
def test_a_silent_turn_concedes_nothing(language: str, text: str) -> None:
    """ "When", "nothing" and the like turn against nothing: the published phrase is a warning."""
    result = gate.check(text, [("Anna", "")], language=language)
    assert result.issue and result.issue.answer == "silent"
    assert [failure.severity for failure in result.failures if failure.kind == "forbidden_phrase"] == ["warning"]


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("我不同意这个算法，每单要多付三块钱。", "我不同意這個算法，每單要多付三塊錢。"),
        ("说得太好了，两位的分析非常到位。", "說得太好了，兩位的分析非常到位。"),
        ("方案没有考虑检修，两个半小时做不完。", "方案沒有考慮檢修，兩個半小時做不完。"),
        ("我对林工的论点做了压力测试，没有发现实质性的弱点。", "我對林工的論點做了壓力測試，沒有發現實質性的弱點。"),
        ("我还有一些顾虑，也许会出现问题，建议大家再想想。", "我還有一些顧慮，也許會出現問題，建議大家再想想。"),
    ],
)
def test_both_chinese_scripts_read_the_same(simplified: str, traditional: str) -> None:
    """A traditional turn gets what its simplified twin gets, at the same places."""
    one, other = (gate.check_response(text, ["林工"], language="zh") for text in (simplified, traditional))
    assert [(f.kind, f.span, f.severity) for f in one.failures] == [
        (f.kind, f.span, f.severity) for f in other.failures
    ]
    assert one.stand_down is other.stand_down
    assert one.issue == other.issue


@pytest.mark.parametrize(
    ("language", "text", "speaker"),
    [
        ("de", "Ich habe Anas Argument auf die Probe gestellt und finde keine wesentliche Schwäche.", "Ana"),
        ("de", "Ich habe das Argument von Dr. J. Chen auf die Probe gestellt und finde keine Schwäche.", "Ana"),
        ("de", "Ich habe das Argument von Frau Albers auf die Probe gestellt und finde keine Schwäche.", "Frau Albers"),
        ("es", "He puesto a prueba el argumento de doña Pilar y no encuentro ninguna debilidad.", "Doña Pilar"),
        ("fr", "J’ai mis à l’épreuve l’argument d’Awa et je ne trouve aucune faiblesse majeure.", "Awa"),
        ("zh", "林工的论点我反复推敲过了，没有找到明显的漏洞。", "林工"),
    ],
)
def test_a_stand_down_names_its_speaker_as_the_language_does(language: str, text: str, speaker: str) -> None:
    """Genitives, titles, elisions and names without spaces are found; whoever spoke before."""
    for prior in ([speaker], [], ["Quill"]):
        assert gate.check_response(text, prior, language=language).ok


def test_chinese_echoes_are_seen() -> None:
    """Restating an earlier turn without spaces between words counts as an echo, a rebuttal of it does not."""
    said = "我建议把三号线的末班车延到凌晨一点，去年夜间打车的人次涨了四成，很多人下班后没有地铁可坐。"
    again = "也就是说，三号线的末班车要延到凌晨一点，因为去年夜间打车的人次涨了四成，很多人下班后没有地铁。"
    against = "我不同意，轨道每天只有四个小时的检修时间，接触网放电还要四十分钟，剩下的时间连一次换轨都做不完。"
    kinds = [[f.kind for f in gate.check(text, [("林工", said)], language="zh").failures] for text in (again, against)]
    assert "echo" in kinds[0] and "echo" not in kinds[1]
