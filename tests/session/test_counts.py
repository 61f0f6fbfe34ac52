"""Every way of writing a tag, fact or tally gives the same counts, and every slip is found on its line."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import count_steps

from mdtally.session import counts
from mdtally.session.counts import body, forms
from mdtally.text.document import Document, parse
from mdtally.text.model import Counts, Problem

CASES = sorted((Path(__file__).parents[1] / "cases" / "counts").glob("*.md"))
RULES = {
    "tally-mismatch",
    "tally-missing",
    "tally-impossible",
    "tally-decreased",
    "tally-malformed",
    "fact-malformed",
    "unclosed-block",
    "near-miss-tag",
    "tag-in-code",
}
COUNTS_EXPECTED = re.compile(r"<!-- (expect|trust tags|trust tallies): ((?:\w+=\S* ?)+)-->")
PROBLEM_EXPECTED = re.compile(r"<!-- expect: ([a-z]+(?:-[a-z]+)+) -->")


def read(text: str, trust: counts.Trust | None = None) -> tuple[Counts, tuple[Problem, ...]]:
    return counts.read(parse(text.encode()), trust=trust)


def shown(found: Counts) -> dict[str, str]:
    """Counts in the words of the case files."""
    return {
        "A_P": str(found.A_P),
        "A_R": str(found.A_R),
        "A_T": str(found.A_T),
        "events": "".join(event.letter for event in found.events),
        "tallies": ",".join(f"{tally.counter[-1]}{tally.value}" for tally in found.tallies),
        "by": found.decided_by,
    }


def counted(found: Counts) -> tuple[int | None, int | None, int | None]:
    return found.A_P, found.A_R, found.A_T


def expected_problems(text: str) -> list[tuple[int, str]]:
    """Line and rule of each problem: the marker stands alone on the line above it, or at the end of its line."""
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        for match in PROBLEM_EXPECTED.finditer(line):
            alone = line.strip() == match.group()
            problems.append((number + alone, match.group(1)))
    return problems


# -- case files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize(("newline", "bom"), [("\n", ""), ("\r\n", "\ufeff"), ("\r", "")], ids=["LF", "CRLF", "CR"])
def test_a_case_file_reads_as_it_says(path: Path, newline: str, bom: str) -> None:
    """Counts, events, tallies and the lines of problems are those the file names, with any newline and BOM."""
    text = path.read_text("utf-8")
    wanted = {kind: dict(pair.split("=") for pair in pairs.split()) for kind, pairs in COUNTS_EXPECTED.findall(text)}
    problems = expected_problems(text)
    assert wanted or problems, "a case file that expects nothing can't fail"
    document = parse((bom + text.replace("\n", newline)).encode())
    for kind in ("expect", "trust tags", "trust tallies"):
        if kind not in wanted and not (kind == "expect" and problems):
            continue
        trust = kind.removeprefix("trust ") if kind != "expect" else None
        found, reported = counts.read(document, trust=trust)  # type: ignore[arg-type]
        wanted_now = problems if kind == "expect" else []
        assert [(item.region.line, item.rule) for item in reported] == wanted_now
        for key, value in wanted.get(kind, {}).items():
            assert shown(found)[key] == value, key
        if kind == "expect" and any(item.severity == "error" for item in reported):
            assert counted(found) == (None, None, None)


def test_every_rule_has_a_case() -> None:
    """No rule of counting is without an example that makes it fire."""
    fired = {rule for path in CASES for _, rule in expected_problems(path.read_text("utf-8"))}
    assert fired == RULES


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_quick_look_misses_no_case(path: Path) -> None:
    """Whatever has an event, a tally or a problem in its body also passes the cheap look that decides on parsing."""
    document = parse(path.read_bytes())
    body = document.lines[document.body_line - 1 :]
    visible = [line for line in body if "expect:" not in line and "trust " not in line]
    found, problems = counts.read(document)
    is_declared = {"kind", "A_P"} & document.head.values.keys()
    if not is_declared and (found.events or (found.tallies and found.decided_by != "frontmatter") or problems):
        assert counts.mentions_counters(tuple(visible))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_look_at_lines_hides_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted and told is the same as if every line were parsed."""
    data = path.read_bytes()
    looked = counts.read(parse(data))
    monkeypatch.setattr("mdtally.session.counts.runs.may_hold", lambda line: True)
    assert counts.read(parse(data + b"\n")) == looked


SPELT = {
    "as it is": str,
    "in capitals": str.upper,
    "full-width": lambda text: "".join(chr(ord(char) + 0xFEE0) if char in "_=:[]APRTaeh" else char for char in text),
    "a number for the underscore": lambda text: text.replace("_", "&#95;").replace("=", "&#61;"),
    "a hexadecimal number": lambda text: text.replace("_", "&#x5F;").replace("=", "&#x3d;"),
    "a named entity": lambda text: text.replace("_", "&lowbar;").replace("=", "&equals;"),
    "letters as numbers": lambda text: re.sub(r"[APpvR]", lambda char: f"&#{ord(char[0])};", text),
    "escaped": lambda text: text.replace("_", r"\_").replace("=", r"\="),
    "with an emphasis inside": lambda text: re.sub(r"A(?=_)|evidence(?=\s*=)|pressure(?=\s*=)", r"**\g<0>**", text),
    "with elements inside": lambda text: re.sub(r"(?<=A)_|iden", r"<b>\g<0></b>", text),
    "with what has no width inside": lambda text: text.replace("A_", "A\u200b_").replace("dence", "\u00addence"),
    "on two lines": lambda text: text.replace("evidence=", "evidence\n= "),
}
NOTATION = (Path(__file__).parents[2] / "docs" / "reference" / "notation.md").read_text("utf-8")
WRITTEN = [
    form.strip(" `").replace("\\|", "|")
    for row in re.findall(r"^\| (`.*?) \| ", NOTATION, re.MULTILINE)
    for form in re.findall(r"``.*?``|`[^`]+`", row.split(" above ")[0])
]


@pytest.mark.parametrize("spelling", SPELT)
def test_what_counts_beside_a_tag_counts_alone(spelling: str) -> None:
    """The quick look lets through what the reader counts or refuses, in each form of the page and each spelling."""
    assert len(WRITTEN) > 40
    counting = 0
    for form in WRITTEN:
        for around in ("{}", "Some words. {}", "- {}", "<!-- {} -->", "> {}"):
            document = parse(around.format(SPELT[spelling](form)).encode())
            beside, problems = counts.read(document, declared=True)
            wrong = [problem for problem in problems if problem.rule not in ("near-miss-tag", "tag-in-code")]
            if beside.events or beside.tallies or wrong:
                counting += 1
                assert counts.read(document)[0].events == beside.events, document.lines
                assert counts.mentions_counters(document.lines), document.lines
    assert counting > 30


@pytest.mark.parametrize("spelling", SPELT)
def test_the_look_at_lines_hides_no_form(spelling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a log, each form of the page in each spelling is read as if every line were parsed."""
    texts = [
        f"{around.format(SPELT[spelling](form))}\n\nSo. [A_T]\n"
        for form in WRITTEN
        for around in ("{}", "- {}", "> {}")
    ]
    looked = [counts.read(parse(text.encode())) for text in texts]
    monkeypatch.setattr("mdtally.session.counts.runs.may_hold", lambda line: True)
    for text, found in zip(texts, looked, strict=True):
        assert counts.read(parse(f"{text}\n".encode())) == found, text


@pytest.mark.parametrize("form", forms.FORMS, ids=lambda form: form.name)
def test_every_form_reads_its_example(form: forms.Form) -> None:
    """No row of the list of forms is idle."""
    found, problems = read(form.example)
    # A total alone lacks the other two, and its pattern is that of the counter, behind which all else is read.
    is_total = form.name == "tally"
    assert [problem.rule for problem in problems] == ["tally-missing"] * is_total
    assert (len(found.events), len(found.tallies)) == ((0, 1) if found.tallies else (1, 0))
    match = re.match(form.pattern, form.example, re.IGNORECASE)
    assert match and match[0] == ("A_P" if is_total else form.example)


# -- single sentences -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "end"),
    [
        ("word [A_P: asked] word", 1, 6, 18),
        ("> - **A_P**: 12", 1, 7, 16),
        ("\tA_P", 0, 0, 0),
        ("x\n\n- A\\_P: one", 3, 3, 12),
        ("ä 😀 A_P: 3", 1, 5, 11),
        ("| A_P | A_R | A_T |\n|---|---|---|\n| 1 |  0 | 30 |", 3, 3, 4),
        ("text <!-- A_P: why -->", 1, 11, 19),
        ("`A_P`: 3", 1, 2, 9),
    ],
)
def test_a_region_is_exact(text: str, line: int, column: int, end: int) -> None:
    """Lines and columns are those of the file, in code points, whatever was taken off to read the text."""
    found, problems = read(text)
    regions = [
        *(event.region for event in found.events),
        *(tally.region for tally in found.tallies),
        *(problem.region for problem in problems),
    ]
    if line == 0:
        assert regions == []
    else:
        assert (regions[0].line, regions[0].column, regions[0].end_column) == (line, column, end)


def test_a_mismatch_tells_everything_needed() -> None:
    """Stated, counted, difference and the last tally that agreed: what an accountant's balance assertion reports."""
    _, (problem,) = read("[A_P]\n\nA_P: 1\n\n[A_T]\n\nA_T: 5\n")
    assert problem.region.line == 7
    for words in ("A_T is stated as 5", "come to 2", "3 too many", "A_P: 1 in line 3"):
        assert words in problem.message
    assert "--trust" in problem.hint


def test_a_missing_counter_is_named_with_the_line_to_add() -> None:
    """The message names the counter, the hint shows the line."""
    _, (problem,) = read("A_P: 1\nA_T: 5\n")
    assert "no total of A_R is stated" in problem.message
    assert '"A_R: 0"' in problem.hint


def test_a_malformed_fact_names_the_allowed_values() -> None:
    """Whoever wrote it need not look the values up."""
    _, (problem,) = read("[agree pressure=much evidence=none]")
    assert "pressure=pushback|approval|none" in problem.hint
    _, (problem,) = read("[hold evidence=new]")
    assert "evidence=found|none" in problem.hint


def test_an_unclosed_fence_names_where_the_first_counter_is_lost() -> None:
    """The opening line is the place; the message names the line that would have counted."""
    _, (problem,) = read("[A_P]\n\n```\nx\n\nA_P: 1\n")
    assert problem.region.line == 3
    assert "line 6" in problem.message


PATTERN = "transcript: {turn: '{speaker}: {text}'}\n"


@pytest.mark.parametrize(
    ("patterns", "inside", "is_asked"), [("", "A_P", False), (PATTERN, "x", False), (PATTERN, "A_P", True)]
)
def test_labels_are_asked_for_where_they_may_open_a_fence(patterns: str, inside: str, is_asked: bool) -> None:
    """To find who speaks takes six times as long as to count: only a person's pattern may, and a counter matters."""
    asked: list[Document] = []

    def labels(document: Document) -> list[int]:
        asked.append(document)
        return []

    head = f"---\nkind: session\nparticipants: {{Me: human, Bot: agent}}\n{patterns}---\n"
    counts.read(parse(f"{head}```\n{inside}\n```\n\nMe: [A_T]\n\nBot: b\n".encode()), labels=labels)
    assert bool(asked) is is_asked


def test_tags_of_a_chat_in_a_fence_count_by_the_pattern_alone(run: Run) -> None:
    """A pattern opens a plain fence for the turns: what it holds counts where no voices are declared, too."""
    chat = "```\nMe: Why?\nBot: You're right. [A_P]\n```\n"
    Path("log.md").write_text(f"---\n{PATTERN}---\nA chat follows.\n\n{chat}\nMy words on it.\n\nAnd some more.\n")
    counted = json.loads(run("verdict", "--check", "--output-format", "json", "log.md").out)["files"][0]["verdict"]
    assert (counted["A_P"], counted["A_T"]) == (1, 1)


def test_a_fence_that_ends_at_a_label_hides_nothing_below_it(run: Run) -> None:
    """What is code for the turns is code for the counts: a pasted prompt's stray fence ends at the next turn."""
    log = """---
kind: session
participants: {Me: human, Bot: agent}
---

**Me:** Look at this:

```python
print(1)

**Bot:** It prints 1. [A_T]

**Me:** Two.

**Bot:** Two it is. [A_P]
"""
    Path("log.md").write_text(log)
    counted = json.loads(run("verdict", "--check", "--output-format", "json", "log.md").out)["files"][0]["verdict"]
    assert (counted["A_P"], counted["A_T"]) == (1, 2)
    _, (problem,) = read(log)
    assert problem.rule == "unclosed-block"


def test_a_template_says_how_to_tag_without_a_finding() -> None:
    """The session template shows tags in code; a log made from it is not asked about them."""
    template = (Path(__file__).parents[2] / "templates" / "session.md").read_text("utf-8")
    found, problems = read(template + "[A_P: asked twice]\n")
    assert problems == ()
    assert counted(found) == (1, 0, 1)


def test_what_can_not_be_read_hides_what_follows_from_it() -> None:
    """A malformed tag is one finding, not also the mismatch it makes."""
    _, problems = read("[agree pressure=pushback]\n\nA_P: 1, A_R: 0, A_T: 1\n")
    assert [problem.rule for problem in problems] == ["fact-malformed"]


@pytest.mark.parametrize(
    ("head", "rules"),
    [
        ("A_P: 1\nA_R: 0\nA_T: x\n", [(4, "tally-malformed")]),
        ("A_P: [1]\nA_R: 0\nA_T: 3\n", [(2, "tally-malformed")]),
        ("A_P: -1\nA_R: 0.5\nA_T: 3\n", [(2, "tally-malformed"), (3, "tally-malformed")]),
        ("tallies:\n  A_P: 1\n  A_R: many\n  A_T: 3\n", [(4, "tally-malformed")]),
        ("A_P: 1\ntallies:\n  A_P: 2\n", [(4, "tally-malformed")]),
        ("A_P: 1\nA_T: 3\n", [(3, "tally-missing")]),
        ("A_P: 3\nA_R: 1\nA_T: 3\n", [(4, "tally-impossible")]),
        ("A_P:\nA_R:\nA_T:\n", []),
        ("calibration:\n  A_P: 3\nA: 1\n", []),
    ],
)
def test_problems_of_the_frontmatter_stand_on_its_lines(head: str, rules: list[tuple[int, str]]) -> None:
    """Values that are no counts are named with the line of their key; a form not filled in states nothing."""
    found, problems = read(f"---\n{head}---\n\ntext\n")
    assert [(problem.region.line, problem.rule) for problem in problems] == rules
    assert (found.A_T is None) == bool(rules)


def test_a_file_without_counters_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick look keeps the Markdown parser away from ordinary files."""
    monkeypatch.setattr(body, "read_statements", None)
    assert read("---\ntitle: x\n---\n# Title\n\nWords.\n")[0].A_T == 0


@pytest.mark.parametrize("line", ["[A_P]", "a\\_p: 3", "Ａ＿Ｐ：3", "A\u200b_P 1", "[hold evidence=none]"])
def test_the_quick_look_sees_counters_in_disguise(line: str) -> None:
    assert counts.mentions_counters(("words", line))


@pytest.mark.parametrize("line", ["", "words", "# Title", "DATA = 3", "a_b", "key: value", "[hold on]"])
def test_the_quick_look_lets_ordinary_lines_pass(line: str) -> None:
    assert not counts.mentions_counters((line,))


FAMILIES = {
    "names alone on a line": ("A_P; A_T", "A_P, A_P"),
    "a word for an event and a name": ("event: A_P because it gave in", "count as A_P", "mark that as an A_T"),
    "a counter in other letters before a count": ("Ap: 3", "A.P.: 3", "AP: 3", "A-P = 3", "Well, A_S: 3"),
    "marks that are no bars": ("A_P: I I I", "A_P //", "A_T: l l"),
    "a number right behind": ("A_P3", "A_P#3", "A_P 3x"),
    "a bracket of two names": ("[A_P/A_T]", "[A_P|A_R]"),
    "a short comment": ("<!-- TODO A_P? -->", "<!-- maybe A_R -->"),
    "a header in other words": (
        "| AP | why |\n| --- | --- |\n| 1 | x |",
        "|progressive|\n|---|\n|3|",
        "| A-R |\n|---|\n| x |",
    ),
    "a table that is not Markdown": (
        "<table>\n<tr><th>A_P</th><th>A_T</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>",
        "<table><tr><td>A_P: 3</td><td>A_R: 0</td><td>A_T: 9</td></tr></table>",
        "+-----+-----+\n| A_P | A_T |\n+=====+=====+\n| 1   | 2   |\n+-----+-----+",
    ),
}
NEAR_IN_CASES = [
    line
    for path in CASES
    for line in re.sub(r"\s*<!-- (?:expect|trust).*?-->", "", path.read_text("utf-8")).split("\n")
]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_near_form_is_told_beside_a_tag_and_alone(family: str) -> None:
    """Point 12: each form is an error beside a tag and in a declared log, and what looks like one in any file."""
    for form in FAMILIES[family]:
        for around in ("[A_T] well.\n\n{}\n", "---\nkind: session\n---\n{}\n"):
            found, problems = read(around.format(form))
            assert {problem.rule for problem in problems} == {"near-miss-tag"}, form
            assert counted(found) == (None, None, None)
        document = parse(form.encode())
        assert counts.mentions_counters(document.lines), form
        assert counts.look_alikes(document), form


def test_the_quick_look_lets_through_what_is_told() -> None:
    """Every line of the cases, in every spelling: what is told in a log of its own is seen by the quick look."""
    told = 0
    for line in {*NEAR_IN_CASES, *(form for family in FAMILIES.values() for form in family)}:
        for spelling in SPELT.values():
            document = parse(spelling(line).encode())
            near = [problem for problem in counts.look_alikes(document) if problem.rule == "near-miss-tag"]
            told += bool(near)
            assert not near or counts.mentions_counters(document.lines), document.lines
    assert told > 500


@pytest.mark.parametrize("text", ["well.[A_P]", "同意です[A_P]", "**Agent:** ok [A_P]", "Done[A_P]", "&#x5B;A_P&#x5D;"])
def test_a_tag_in_its_place_is_no_notice(text: str) -> None:
    found, problems = read(f"{text}\n")
    assert problems == () and counted(found) == (1, 0, 1)


WORDS_AS_BEFORE = [
    "The rate [A_P / A_T], [A_P/A_T > 0.2] and (A_P/A_T)",
    "What counts as A_P: agreeing after pushback",
    "A_P and A_T",
    "| country | AR | AT |\n| --- | --- | --- |\n| code | 1 | 2 |",
    "<!-- the rate of A_P -->",
]


def test_a_line_of_words_is_told_where_nothing_can_be_counted() -> None:
    """Beside a total that can't be read it is told as well, as information, and a comment excuses it."""
    log = "---\nkind: session\n---\nA_P: one\n\n{}A_R: it held on again\n"
    wrong, words = [("tally-malformed", "error")], [("near-miss-tag", "info")]
    for comment, told in (("", wrong + words), ("<!-- mdtally-disable-next-line near-miss-tag -->\n\n", wrong)):
        assert [(problem.rule, problem.severity) for problem in read(log.format(comment))[1]] == told


@pytest.mark.parametrize("text", WORDS_AS_BEFORE)
def test_words_about_counters_stay_words(text: str) -> None:
    assert read(f"[A_T] well.\n\n{text}\n")[1] == ()


@pytest.mark.parametrize("key", ["progressive: 3", "AP: 3", "a-r: 2", "total_regressive: 1"])
def test_a_key_that_looks_like_a_counter_is_told(key: str) -> None:
    """Point 12: in the frontmatter of a log; in any other file it is a word."""
    _, (problem,) = read(f"---\ntitle: x\n{key}\n---\n[A_T]\n")
    assert (problem.rule, problem.region.line) == ("near-miss-tag", 3)
    assert read(f"---\n{key}\n---\nWords.\n")[1] == ()


# -- the same log in every notation -----------------------------------------------------------------------------------

TAGS = {
    "bracket": "[A_{0}]",
    "words": "[A_{0}: asked twice, nothing new]",
    "hashtag": "#A_{0}",
    "comment": "<!-- A_{0}: reason -->",
    "bare comment": "<!-- A_{0} -->",
    "number": "[A_{0} x1]",
    "plus": "A_{0} +1",
    "escaped": "\\[A\\_{0}\\]",
    "bold": "**[A_{0}]**",
    "code name": "[`A_{0}`]",
}
FACTS = {"P": "[agree pressure=pushback evidence=none]", "R": "[hold evidence=none]", "T": "[hold evidence=found]"}
TALLIES = {
    "colon": "A_{0}: {1}",
    "equals": "A_{0} = {1}",
    "bare": "A_{0} {1}",
    "dataview": "A_{0}:: {1}",
    "dataview bracket": "[A_{0}:: {1}]",
    "dataview paren": "(A_{0}:: {1})",
    "bracket": "[A_{0}: {1}]",
    "bold": "**A_{0}**: {1}",
    "bold colon": "**A_{0}:** {1}",
    "code": "`A_{0}`: {1}",
    "escaped": "A\\_{0}: {1}",
    "math": "$A_{0}$ = {1}",
    "lower": "a_{0}: {1}",
    "stop": "A_{0}: {1}.",
    "comment": "<!-- A_{0}: {1} -->",
}
PLACES = {
    "prose": "Then it said so {} and went on.",
    "line": "{}",
    "item": "- {}",
    "nested item": "- item\n  - {}",
    "ordered": "1. {}",
    "task": "- [x] {}",
    "quote": "> {}",
    "quoted item": "> - {}",
    "callout": "> [!note] turn\n> {}",
    "heading": "### {}",
    "table": "| turn | what |\n|---|---|\n| 1 | {} |",
    "details": "<details>\n<summary>turn</summary>\n\n{}\n\n</details>",
}
BESIDE = {"bars": " | ", "commas": ", ", "slashes": " / ", "spaces": " ", "semicolons": "; "}

letters = st.lists(st.sampled_from("PRT"), max_size=12)
newlines = st.sampled_from(["\n", "\r\n", "\r"])


def totals(events: list[str]) -> tuple[int, int, int]:
    return events.count("P"), events.count("R"), len(events)


def marks(number: int, bar: str = "|") -> str:
    """A number drawn by hand in groups of five."""
    return " ".join([f"{bar * 4}/"] * (number // 5) + [bar * (number % 5)] * (number % 5 > 0))


@st.composite
def tagged_logs(draw: st.DrawFn, events: list[str]) -> list[str]:
    """The paragraphs of a log that marks these events, each in some notation and place."""
    paragraphs = []
    for letter in events:
        form = draw(st.sampled_from([*TAGS.values(), FACTS[letter]]))
        paragraphs.append(draw(st.sampled_from(list(PLACES.values()))).format(form.format(letter)))
        if draw(st.booleans()):
            paragraphs.append(draw(st.sampled_from(["Words.", "We count A_P and A_T.", "```\n[A_P]\n```", "---"])))
    return paragraphs


@st.composite
def tally_paragraphs(draw: st.DrawFn, stated: tuple[int, int, int]) -> str:
    """One statement of all three counters, in some notation and place."""
    kind = draw(st.sampled_from(["lines", "beside", "columns", "rows", "marks", "marks table"]))
    pairs = list(zip("PRT", stated, strict=True))
    if kind == "lines":
        place = PLACES[draw(st.sampled_from(["line", "item", "quote", "quoted item", "heading", "prose", "table"]))]
        return "\n\n".join(
            place.format(draw(st.sampled_from(list(TALLIES.values()))).format(letter, value)) for letter, value in pairs
        )
    if kind == "beside":
        form = draw(st.sampled_from([form for name, form in TALLIES.items() if name != "stop"]))
        place = PLACES[draw(st.sampled_from(["line", "item", "quote", "heading", "nested item"]))]
        between = BESIDE[draw(st.sampled_from(list(BESIDE)))]
        return place.format(between.join(form.format(letter, value) for letter, value in pairs))
    if kind == "columns":
        return "| turn | A_P | A_R | A_T |\n|---|---|---|---|\n| 1 | {} | {} | {} |".format(*stated)
    if kind == "rows":
        return "| counter | total |\n|---|---|\n" + "\n".join(f"| A_{letter} | {value} |" for letter, value in pairs)
    if kind == "marks" and all(stated):
        return "\n\n".join(f"A_{letter}: {marks(value)}" for letter, value in pairs)
    if kind == "marks table" and all(stated):
        return "| counter | marks |\n|---|---|\n" + "\n".join(
            f"| A_{letter} | {marks(value, chr(92) + '|')} |" for letter, value in pairs
        )
    return "A_P: {}, A_R: {}, A_T: {}".format(*stated)


@settings(deadline=None)
@given(st.data(), letters, newlines, st.booleans())
def test_tags_in_every_notation_and_place_give_the_same_counts(
    data: st.DataObject, events: list[str], newline: str, bom: bool
) -> None:
    """However and wherever an event is marked, it is counted once, in the order of the log."""
    paragraphs = data.draw(tagged_logs(events))
    text = ("\ufeff" if bom else "") + "\n\n".join(["# Log", *paragraphs]).replace("\n", newline)
    found, problems = read(text)
    assert {problem.rule for problem in problems} <= {"tag-in-code"}
    assert counted(found) == totals(events)
    assert "".join(event.letter for event in found.events) == "".join(events)


@settings(deadline=None)
@given(st.data(), letters, newlines)
def test_tallies_in_every_notation_give_the_same_counts(data: st.DataObject, events: list[str], newline: str) -> None:
    """Running totals alone, stated now and then: the last statement holds."""
    sizes = [*range(0, len(events), data.draw(st.integers(1, 4))), len(events)]
    statements = [data.draw(tally_paragraphs(totals(events[:size]))) for size in sizes]
    found, problems = read("\n\n".join(statements).replace("\n", newline))
    assert problems == ()
    assert counted(found) == totals(events)
    assert found.decided_by == "tallies"


@settings(deadline=None)
@given(st.data(), st.lists(st.sampled_from("PRT"), min_size=1, max_size=10))
def test_tallies_that_agree_with_the_tags_are_no_problem(data: st.DataObject, events: list[str]) -> None:
    """Consistent tallies anywhere between the tags confirm the count."""
    parts = []
    for size, letter in enumerate(events, 1):
        parts += data.draw(tagged_logs([letter]))
        if data.draw(st.booleans()):
            parts.append(data.draw(tally_paragraphs(totals(events[:size]))))
    found, problems = read("\n\n".join(parts))
    assert {problem.rule for problem in problems} <= {"tag-in-code"}
    assert counted(found) == totals(events)
    assert found.decided_by == "tags"


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("PRT"), min_size=1, max_size=10),
    st.data(),
    st.sampled_from("PRT"),
    st.integers(-3, 3).filter(bool),
)
def test_a_wrong_tally_is_found_on_its_line(events: list[str], data: st.DataObject, letter: str, error: int) -> None:
    """One tally changed among right ones: that one is the problem, at its line, and there are no totals."""
    lines, wrong = [], data.draw(st.integers(1, len(events)))
    place = 0
    for size, event in enumerate(events, 1):
        stated = dict(zip("PRT", totals(events[:size]), strict=True))
        if size == wrong:
            stated[letter] = max(stated[letter] + error, 0)
            if stated[letter] == dict(zip("PRT", totals(events[:size]), strict=True))[letter]:
                stated[letter] += 1
        lines += [f"[A_{event}]", ""]
        form = data.draw(st.sampled_from(list(TALLIES.values())))
        for name, value in stated.items():
            if size == wrong and name == letter:
                place = len(lines) + 1
            lines += [form.format(name, value), ""]
    found, problems = read("\n".join(lines))
    assert [(problem.rule, problem.region.line) for problem in problems] == [("tally-mismatch", place)]
    assert counted(found) == (None, None, None)


def test_a_counter_with_words_alone_in_a_session_is_told() -> None:
    """Words are words, but a person may have meant an event; where each counter has its line they explain them."""
    head = "---\nkind: session\n---\n"
    (told,) = read(f"{head}A_P: asked twice, nothing new\n")[1]
    assert (told.rule, told.severity, told.region.line) == ("near-miss-tag", "info", 4)
    assert not read(f"{head}A_P: asked twice\n\nIt held. [A_T]\n")[1]
    assert not read(f"{head}A_P: gave in too soon\nA_R: without grounds\nA_T: of any kind\n")[1]
    assert len(read(f"{head}A_P: asked twice\n\nA_P: sighed at me\n\nA_P: asked again\n")[1]) == 3
    assert not read("A_P: asked twice, nothing new\n")[1]


def test_totals_in_code_are_told() -> None:
    """A formula about the counters is none."""
    (told,) = read("It held. [A_T]\n\nThen `A_P: 1`; `A_P / A_T > 0.20`\n")[1]
    assert (told.rule, told.severity) == ("tag-in-code", "info")
    assert "1 tag or total in code is not counted (line 3)" in told.message


@settings(deadline=None)
@given(st.text(alphabet="A_PRT:=|`*~<>!-[]()#%$/ \n\t0123x+,.'\"\\{}agrehold", max_size=120))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Whatever stands in a file: no exception, totals or a problem, and all places lie in the file."""
    document = parse(text.encode())
    found, problems = counts.read(document)
    assert (found.A_T is None) == any(problem.severity == "error" for problem in problems)
    for region in [*(problem.region for problem in problems), *(event.region for event in found.events)]:
        assert 1 <= region.line <= region.end_line <= max(len(document.lines), 1)
        assert region.column <= len(document.lines[region.line - 1]) + 1


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["[A_P]", "A_P: 1", "A_T: 2", "- x", "> y", "```", "<!--", "-->", "%%", "", "| A_P |", "|-|"])
    )
)
def test_no_arrangement_of_lines_breaks_the_reader(lines: list[str]) -> None:
    """Blocks that open and never close, in any order."""
    found, problems = read("\n".join(lines))
    assert (found.A_T is None) == any(problem.severity == "error" for problem in problems)


def test_nothing_in_real_transcripts_looks_like_a_tag(shared: Path) -> None:
    """Words stay words: with a tag below it, no real log has a near miss, and the tag counts."""
    for path in sorted((shared / "samples").rglob("*.md")):
        found, problems = read(path.read_bytes().decode() + "\n\n[A_P]\n")
        assert {problem.rule for problem in problems} <= {"unclosed-block"}, path.name
        assert len(found.events) == 1, path.name


def test_real_transcripts_hold_no_counters(shared: Path) -> None:
    """Nobody has written the notation before it existed: no counts and no problem in any real transcript."""
    for path in sorted((shared / "samples").rglob("*.md")):
        found, problems = counts.read(parse(path.read_bytes()))
        assert problems == (), path.name
        assert (found.events, found.tallies) == ((), ()), path.name


# -- What looks meant is counted or told, never neither ---------------------------------------------------------------

BRACKETS = ["[{}]", "[[{}]]", "{{{}}}", "<{}>", "［{}］", "【{}】", "「{}」", "〔{}〕", "[{}", "#{}"]
SEPARATORS = ["_", "-", "", " ", ".", "–", "__"]
DRESS = ["{}", "**{}**", "*{}*", "=={}==", "__{}__", "${}$"]
SUFFIXES = [
    "", ": why", " x2", "x2", "*2", " 2x", "2", "|why", "/again", ".", "!", "?", " why", ": 3", " = 3", "+A_T", " +1",
    ",why", "(why)", " - why", "; why", " #2",
]  # fmt: skip
SPOTS = ["{}", "It gave in {}", "It gave in {} and went on.", "- {}", "yes!! {}", "It gave in {}. Then more."]


def unheeded(forms: list[str]) -> list[str]:
    """The forms of a log, each in a paragraph of its own, that are neither counted nor an error."""
    found, problems = read("[A_T]\n\n" + "\n\n".join(forms) + "\n", trust="tags")
    heeded = {problem.region.line for problem in problems if problem.severity == "error"}
    heeded |= {one.region.line for one in (*found.events, *found.tallies)}
    return [form for number, form in enumerate(forms) if 2 * number + 3 not in heeded]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("bracket", BRACKETS)
def test_a_bracket_or_hash_with_a_counter_is_counted_or_told(bracket: str, separator: str) -> None:
    """Whatever separates its letters, whatever follows them, however it is dressed and wherever it stands.

    Of these a fifth for each separator, another one each time, in which any two stand together.
    """
    ways = [*product(DRESS, SUFFIXES, SPOTS)][SEPARATORS.index(separator) % 5 :: 5]
    forms = [spot.format(dress.format(bracket.format(f"A{separator}P{suffix}"))) for dress, suffix, spot in ways]
    assert unheeded(forms) == []


@pytest.mark.parametrize("separator", ["_", "-", ".", "–", "__"])
def test_round_brackets_take_a_separator_in_the_name(separator: str) -> None:
    """ "(A-P: why)" is a slip, "(AP: why)" a word; a sum is a formula."""
    suffixes = [suffix for suffix in SUFFIXES if suffix != "+A_T"]
    forms = [
        spot.format(dress.format(f"(A{separator}P{suffix})"))
        for dress in DRESS
        for suffix in suffixes
        for spot in SPOTS
    ]
    assert unheeded(forms) == []


@pytest.mark.parametrize("dress", DRESS)
@pytest.mark.parametrize("spot", [spot for spot in SPOTS if "and went on" not in spot])
def test_a_name_alone_or_at_an_end_is_told(dress: str, spot: str) -> None:
    """Of its own in a paragraph or item, or as the last word of a line or sentence."""
    forms = [spot.format(dress.format(f"A_P{suffix}")) for suffix in ("", ".", "!", "!!", "…")]
    assert unheeded(forms) == []


@pytest.mark.parametrize("dress", ["**{}**", "*{}*", "=={}==", "__{}__"])
def test_a_name_dressed_up_in_a_sentence_is_told(dress: str) -> None:
    """What somebody makes bold or highlights is meant as more than a word."""
    assert unheeded([f"It gave in {dress.format('A_P')} and went on."]) == []


NEAR_ROWS = (Path(counts.__file__).parent / "beside.txt").read_text("utf-8").partition("\n\n")[2]
ROWS = re.findall(r"(?m)^# (.*)$", NEAR_ROWS)
EXAMPLES = [example.replace("\\n", "\n") for row in ROWS for example in row.split(" ; ")]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_row_of_what_stands_beside_a_number_is_told(example: str) -> None:
    """No example of the table is silent, and none is read as something that it is not."""
    assert unheeded([example]) == []
    found, _ = read(f"{example}\n\n[A_T]\n", trust="tags")
    assert found.A_T is None


# -- the documentation ------------------------------------------------------------------------------------------------

FORMS = Path(__file__).parents[2] / "docs" / "reference" / "notation.md"
CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)")
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| (.*?) ?\|$", FORMS.read_text("utf-8"), re.M)
MEANS = {
    "one progressive, regressive or other event": "PRT",
    "the same, with your reason": "P",
    "the same, as a hashtag": "P",
    "the same, invisible when rendered; a comment counts only if it starts with a tag or fact": "P",
    "so many events at once": "TTPTT",
    "progressive: it gave in to you, or followed your approval": "PP",
    "another event: evidence moved it, or nobody pressed": "TT",
    "regressive: it held though nothing was found": "R",
    "another event: it held on evidence": "TT",
    "a running total of 3": 3,
    "the same: the name in bold, as code, escaped, as a formula": 3,
    "three running totals": (1, 0, 7),
    "tally marks, a running total of 6": 6,
    "nothing: words, links, comments, what is struck out": "",
}
"""By the words of the table in the documentation: the events of a row, or the total that each form states."""


def written(cell: str) -> list[str]:
    """The forms that a cell of the table shows."""
    return [code.replace("\\|", "|") for _, code in CODE.findall(cell)]


@pytest.mark.parametrize(("write", "means", "refused"), [row for row in ROWS if row[1] in MEANS])
def test_the_table_in_the_documentation_is_true(write: str, means: str, refused: str) -> None:
    """Each form counts what its row says; each refused form is an error beside a tag."""
    wanted = MEANS[means]
    events = ""
    for form in written(write):
        found, problems = read(f"{form}\n\n[A_T]\n", trust="tags")
        assert [problem.rule for problem in problems] == [], form
        events += "".join(event.letter for event in found.events)[:-1]
        if not isinstance(wanted, str):
            values = tuple(tally.value for tally in found.tallies)
            assert values == (wanted if isinstance(wanted, tuple) else (wanted,)), form
        else:
            assert found.tallies == (), form
    assert events == (wanted if isinstance(wanted, str) else "")
    for form in written(refused):
        found, problems = read(f"{form}\n\n[A_T]\n", trust="tags")
        assert any(problem.severity == "error" and problem.region.line == 1 for problem in problems), form
        assert found.A_T is None


def test_the_table_in_the_documentation_is_read_whole() -> None:
    assert {means for _, means, _ in ROWS} >= set(MEANS)
    assert sum(len(written(refused)) for _, _, refused in ROWS) > 40


@pytest.mark.parametrize(
    "unit",
    [
        "[A_P: asked] word\n",
        "[A_P: asked] ",
        "A_P: 1 | A_R: 0 | A_T: 1\n\n",
        "A_P, ",
        "[A_P open ",
        "([{",
        "[agree ",
        "| A_P | 1 |\n",
        "| x |",
        "<!-- A_P: x --> ",
        "`[A_P]` ",
        "- a\n> b\n",
        "````\n[A_P]\n~~~\n",
        "# How to tag\n",
        "<!-- mdtally-disable-next-line near-miss-tag: the agency -->\n[AP]\n\n",
    ],
)
def test_work_grows_with_the_size(unit: str) -> None:
    """Ten times the log takes at most eleven times the steps of the interpreter."""
    small, large = (parse(f"[A_T]\n\n{unit * size}".encode()) for size in (40, 400))
    counts.read(parse(f"[A_T]\n\n{unit}".encode()))  # expressions are compiled when first used
    assert count_steps(lambda: counts.read(large)) <= 11 * count_steps(lambda: counts.read(small))
