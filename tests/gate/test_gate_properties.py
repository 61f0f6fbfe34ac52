"""What holds for any text: folding changes no verdict, places are true, nothing raises, nothing explodes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import count_steps

from mdtally.gate import check
from mdtally.gate.fold import fold
from mdtally.gate.pack import pack_of
from mdtally.gate.result import GateResult

PRIOR = [("Ana", ""), ("Ben Okri", "")]
TURNS = [
    "That is a great point, and I agree with Ana that nothing needs to change in any part of the plan.",
    "I disagree with the date: the hall is taken until the ninth, so the crew can't start before the tenth.",
    "I don't disagree with Ben, and it's well said; building on that, I would only add my thanks to everyone.",
    "Ana's estimate isn't wrong, it's unproven. Who has measured the second site, and what did it cost?",
    "What a wonderful idea! I couldn't agree more, and I truly appreciate your vision for the whole harbour.",
    "I've stress-tested Ana's argument and cannot find a material weakness.",
]
turns = st.sampled_from(TURNS)
# Enough of what people type to reach every branch: marks, quotes, code, names, other scripts.
PIECES = ["great point", "I agree with", "disagree", "not", "Ana", "Ben Okri", "`", "```", '"', "'", "“", "”", "«", "»"]
PIECES += [
    "> ",
    "- ",
    "\n",
    "\n\n",
    " ",
    "*",
    "_",
    "~~",
    "…",
    "—",
    "-",
    "\u200b",
    "\u00ad",
    "’",
    "ﬁ",
    "İ",
    "ｇ",
    "é",
    "e\u0301",
]
PIECES += [
    "stress-tested",
    "12%",
    "?",
    "!",
    "<!--",
    "-->",
    "](",
    "https://a.b/c",
    "我反对",
    "、",
    "\r\n",
    "\t",
    "    x",
    "|",
    "#",
]
messy = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=200)


def verdict(result: GateResult) -> tuple[object, ...]:
    """What a result says, without places."""
    failures = sorted((f.kind, f.severity, f.layer, f.detail) for f in result.failures)
    return failures, result.ok, result.stand_down, result.language


@given(turns, st.data())
def test_emphasis_changes_nothing(text: str, data: st.DataObject) -> None:
    """Emphasised words are the same words."""
    words = text.split(" ")
    n = data.draw(st.integers(0, len(words) - 1))
    mark = data.draw(st.sampled_from(["*", "**", "_", "__", "***", "~~"]))
    core = re.fullmatch(r"(\W*)(.*?)(\W*)", words[n])
    assert core
    words[n] = f"{core[1]}{mark}{core[2]}{mark}{core[3]}"
    assert verdict(check(" ".join(words), PRIOR)) == verdict(check(text, PRIOR))


@given(turns, st.sampled_from("’‘ʼ＇"))
def test_apostrophes_change_nothing(text: str, apostrophe: str) -> None:
    """An apostrophe may have any shape."""
    assert verdict(check(text.replace("'", apostrophe), PRIOR)) == verdict(check(text, PRIOR))


@given(turns, st.data(), st.sampled_from("\u200b\u200d\u2060\ufeff\u00ad"))
def test_characters_without_width_change_nothing(text: str, data: st.DataObject, nothing: str) -> None:
    """What nobody sees doesn't count, between words or inside them, names included."""
    places = [m.start() for m in re.finditer(r"(?<=[A-Za-z])[a-z]", text)]
    at = data.draw(st.sampled_from(places))
    assert verdict(check(text[:at] + nothing + text[at:], PRIOR)) == verdict(check(text, PRIOR))


@given(turns, st.data(), st.sampled_from(["\n", "\r\n", "  ", "\u00a0", " \n"]))
def test_soft_breaks_and_spaces_change_nothing(text: str, data: st.DataObject, space: str) -> None:
    """A line may break anywhere between two words, and a space may be any."""
    places = [m.start() for m in re.finditer(" ", text)]
    at = data.draw(st.sampled_from(places))
    assert verdict(check(text[:at] + space + text[at + 1 :], PRIOR)) == verdict(check(text, PRIOR))


@given(turns)
def test_full_width_changes_nothing(text: str) -> None:
    """Full-width letters are letters; names are compared as they are written."""
    plain = re.sub("Ana|Ben", "you", text)
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in plain)
    assert verdict(check(wide, PRIOR))[0] == verdict(check(plain, PRIOR))[0]


@given(messy)
def test_nothing_raises_and_every_place_is_true(text: str) -> None:
    """Any text has a result, whose places lie in it; a phrase's place folds back to the phrase."""
    for result in (check(text, PRIOR), check(text, PRIOR, matching="literal"), check(text, language=None)):
        for failure in result.failures:
            if failure.span is not None:
                assert 0 <= failure.span.start < failure.span.end <= len(text)
    for failure in check(text).failures:
        if failure.kind == "forbidden_phrase" and failure.span is not None:
            covered = text[failure.span.start : failure.span.end]
            assert failure.detail.lower().split()[-1] in fold(covered).text


@given(messy)
def test_the_way_back_is_monotonous(text: str) -> None:
    """Later in the folded text is never earlier in the raw one, and every stretch lies inside it."""
    folded = fold(text, ["Ana"])
    last = 0
    for at in range(len(folded.text)):
        span = folded.span(at, at + 1)
        assert last <= span.start <= span.end <= len(text)
        last = span.start


PATHOLOGICAL = {
    "quotes": '"' * 50_000,
    "open quotes": " “a" * 20_000,
    "apostrophes": " 'a" * 20_000,
    "backticks": "".join("`" * (n % 300 + 1) + " " for n in range(1200)),
    "brackets": "](" * 30_000,
    "comments": "<!--" * 20_000,
    "emphasis": "*_~~" * 20_000,
    "dashes": " -" * 30_000,
    "spaces": " " * 60_000,
    "one word": "a" * 60_000,
    "starts of phrases": "i don't i can't you are not the " * 2_500,
    "gaps": "if " * 20_000,
    "numbers": "1,000.00 not " * 6_000,
    "combining": "e\u0301" * 20_000,
    "quoted lines": "> a\n" * 15_000,
    "fences": "```\n~~~\n" * 6_000,
    "names": "Ana Ben Okri " * 5_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_work_grows_with_the_text(name: str) -> None:
    """Four times the text takes about four times the steps, not sixteen: on texts made to hurt."""
    pack_of("en")
    text = PATHOLOGICAL[name]
    small, large = text[: len(text) // 48], text[: len(text) // 12]
    # Patterns are compiled when first tried: that is no part of the measure.
    check(text[: len(text) // 10], PRIOR)
    assert count_steps(lambda: check(large, PRIOR)) < 7 * count_steps(lambda: check(small, PRIOR)) + 20_000


@settings(max_examples=20)
@given(st.lists(turns, min_size=1, max_size=3))
def test_checking_twice_says_the_same(texts: list[str]) -> None:
    """Nothing is remembered from one check to the next."""
    prior = [("Ana", text) for text in texts[1:]]
    assert check(texts[0], prior) == check(texts[0], prior)
