"""Lines that open a round: "Round 1", "ROUND B", "Runde 2", "First round", "第二輪", "1라운드", "Round 3/5".

"Round 1 Analysis", "ROUND 2-5 SYNTHESIS" and "Round 1 survivors" only look as if they did. One line at a time is judged
here; which of a file's round words count (a title "Phase 2" above "Round 1") is decided where the whole file is seen.
"""

from __future__ import annotations

import re
from functools import cache

from mdtally.text import words
from mdtally.text.model import RoundNumber
from mdtally.text.records import record
from mdtally.text.regex import regex

_OF_TOTAL = regex(r"\A\s*(?:/|of|von|de|из)\s*\d+")
_SEPARATOR = regex(r"\s*(?:[:：—–|·•/>(（,-]|→)\s*")


@record
class RoundLine:
    """What a line says about a round.

    Attributes:
        number: the round's number; a letter counts by its place in the alphabet.
        rank: how plainly the word says "round"; 0 is plainest.
        rest: what follows behind a separator ("Opening Positions").
    """

    number: RoundNumber
    rank: int
    rest: str


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """The three ways to say it: word and number, number and word, and the one of Chinese and Japanese."""
    names = "|".join(map(re.escape, sorted(words.numbers_of("round-words"), key=len, reverse=True)))
    numbers = "|".join(map(re.escape, sorted(words.numbers_of("number"), key=len, reverse=True)))
    kinds = "|".join(sorted(words.table("round-kinds")))
    token = rf"(?P<token>\d{{1,4}}(?:\.\d+)?|{numbers}|[A-Z])"
    number = rf"(?P<token>\d{{1,3}}|{numbers})(?:st|nd|rd|th|er|e|ème|ª|\.)?(?:\s+|(?=라운드|ラウンド))"  # "1라운드"
    counted = r"第\s*(?P<token>\d{1,3}|[一二两兩三四五六七八九十]{1,2})\s*"
    forms = (
        rf"(?:(?:{kinds})\s+)?(?P<word>{names})\s*[:#№.]?\s*{token}(?![\w])",
        rf"(?:the\s+|제)?{number}(?P<word>{names})(?!\w)",
        rf"{counted}(?P<word>轮|輪|回合|回|阶段|階段|ラウンド|局|轮次)",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


@cache
def parse(text: str, is_any: bool = False) -> RoundLine | None:
    """What a cleaned heading or line says about a round; None if it opens none ("Round 1 Analysis" is about one).

    Args:
        text: the heading or line.
        is_any: it holds labels, so that it opens one whatever its title is.
    """
    match = next((match for form in _forms() if (match := form.match(text))), None)
    if match is None:
        return None
    token, number = match["token"], number_of(match["token"])
    if number is None or (len(token) == 1 and token.isascii() and token.islower()):  # "turn a corner"
        return None
    rest = _OF_TOTAL.sub("", text[match.end() :])
    separator = _SEPARATOR.match(rest)
    said = rest[separator.end() :].strip() if separator else ""
    if separator and {"(", "（"} & {*separator.group()}:  # "Round 2 (Ana)", and not "Round 2: Ana (CTO)"
        said = said.strip(")） ")
    # "Round 1 survivors": without a separator any such word turns the line; behind one, only the first.
    found = re.findall(r"[^\W\d]+", (said or rest).casefold())[: 1 if separator else None]
    if not is_any and words.table("round-lookalikes").intersection(found):
        return None
    return RoundLine(number, words.numbers_of("round-words").get(match["word"].casefold(), 0), said)


def number_of(token: str) -> RoundNumber | None:
    """The number that a token stands for: digits, a decimal, a letter, a word, a Roman numeral; None for any other."""
    if token.isdecimal():
        return int(token)
    if re.fullmatch(r"\d+\.\d+", token):
        return float(token)
    letter = ord(token) - ord("A") + 1 if len(token) == 1 and "A" <= token <= "Z" else None
    return words.numbers_of("number").get(token.casefold(), letter)


@cache
def stage(text: str) -> int | None:
    """Place of the stage that a heading names and nothing more ("Opening Statements" 1, "Closing remarks" 3)."""
    found = [word.strip("-") for word in re.findall(r"[\w-]+", text.casefold())]
    if not 0 < len(found) < 5:
        return None
    nouns = words.table("stage-nouns") | {"the", "of", "and", "final", "phase"}
    for place in (1, 2, 3):
        of_stage = words.table(f"stage-{place}")
        if any(word in of_stage for word in found) and all(word in of_stage or word in nouns for word in found):
            return place
    return None


@cache
def numbered_stage(text: str) -> tuple[int, int] | None:
    """Place of the stage that a text names, and its number there, 0 if it has none ("Rebuttal 2" is (2, 2))."""
    words_of_it, number = re.fullmatch(r"(.*?)\s*#?(\d{0,2})", text, re.DOTALL).groups()  # type: ignore[union-attr]
    place = stage(words_of_it)
    return (place, int(number or 0)) if place else None


def fused_stage(text: str) -> tuple[str, str, int] | None:
    """A side and a stage written as one ("正方申論"): side, stage, round; None for any other text."""
    ends = (one for one in words.numbers_of("fused-stage").items() if text.endswith(one[0]) and len(text) > len(one[0]))
    return next(((text.removesuffix(word).strip(), word, place) for word, place in ends), None)
