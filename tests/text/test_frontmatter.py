"""The frontmatter: what it says, where it is broken, and edits that leave every other byte alone.

The edits' cases are pairs of files in ``cases/frontmatter``: ``NAME.before.md`` edited with ``UPDATES`` is
``NAME.after.md``.
"""

import os
import tomllib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import frontmatter
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mdtally.text import frontmatter as heads
from mdtally.text.document import parse
from mdtally.text.frontmatter.text import LONGEST, read_back
from mdtally.text.model import Head, Problem, Source
from mdtally.text.source import encode, read_source

CASES = Path(__file__).parents[1] / "cases" / "frontmatter"
NAMES = sorted(path.name.removesuffix(".before.md") for path in CASES.glob("*.before.md"))
UPDATES = {
    "verdict": "CALIBRATED",
    "calibration_note": "4%: fine",
    "calibration_rate": 0.25,
    "calibration_date": "2026-01-02",
    "participants": {"Ana": "agent", "Me": "human"},
}


def load(text: str) -> Head:
    return heads.read(read_source(text.encode()))[1]


def edit_text(text: str, updates: Mapping[str, object]) -> str | Problem:
    edited = heads.edit(*heads.read(read_source(text.encode())), updates)
    return edited if isinstance(edited, Problem) else encode(edited).decode()


def typed(head: str, head_format: str | None) -> dict[str, object]:
    """What another program reads from a head."""
    lines = head.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    inner = "\n".join(lines[1:-1]) + "\n"
    return dict(tomllib.loads(inner) if head_format == "toml" else yaml.safe_load(inner) or {})


# -- Reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values", "lines"),
    [
        ("no head\n", {}, {}),
        ("---\n\n# who\n\nsession: s1\n---\n", {"session": "s1"}, {"session": 5}),
        ("---\n# who\nSession: s1\n---\n", {"Session": "s1"}, {"Session": 3}),
        ("---\n---\n", {}, {}),
        (
            "---\nat: 12:30\n\nok: no\nn: 1.10\nd: 2026-01-02\nz: ~\ne:\n---\n",
            {"at": "12:30", "ok": "no", "n": "1.10", "d": "2026-01-02", "z": "~", "e": ""},
            {"at": 2, "ok": 4, "n": 5, "d": 6, "z": 7, "e": 8},
        ),
        ("---\r\na: 1\r\nb: 'x'\r\n---\r\n", {"a": "1", "b": "x"}, {"a": 2, "b": 3}),
        ("---\ra: 1\rb: 2\r---\r", {"a": "1", "b": "2"}, {"a": 2, "b": 3}),
        ("---\na: 'x\u2028y'\nb: 2\n...\n", {"a": "x\u2028y", "b": "2"}, {"a": 2, "b": 3}),
        ("---\ncontent: 1\nhandler: 2\n2024: 3\n---", {"content": "1", "handler": "2", "2024": "3"}, None),
        (
            "---\nb: &b {k: 1}\na: {<<: *b}\nt: !!int 3\n---\n",
            {"b": {"k": "1"}, "a": {"<<": {"k": "1"}}, "t": "3"},
            None,
        ),
        ("---\n{a: [1, x], 'b': {}}\n---\n", {"a": ["1", "x"], "b": {}}, {"a": 2, "b": 2}),
        (
            '+++\na = 1_000\nd = 2026-01-02 # c\nf = 1.10\nb = true\ns = """\n[x]"""\n[t.u]\nv = [1, 2]\n+++\n',
            {"a": "1000", "d": "2026-01-02", "f": "1.10", "b": "true", "s": "[x]", "t": {"u": {"v": ["1", "2"]}}},
            {"a": 2, "d": 3, "f": 4, "b": 5, "s": 6, "t": 9},
        ),
        ("+++\ra = 1\rb = 2\r+++\r", {"a": "1", "b": "2"}, {"a": 2, "b": 3}),
        (
            "+++\n'q k'.x = 1\n[[list]]\na = 1\n[[list]]\n+++\n",
            {"q k": {"x": "1"}, "list": [{"a": "1"}, {}]},
            {"q k": 2, "list": 4},
        ),
    ],
)
def test_values_are_the_strings_written(text: str, values: dict[str, object], lines: dict[str, int] | None) -> None:
    """No number, date, boolean or null is converted, and each key knows its line, with every newline and syntax."""
    found = load(text)
    assert found.problem is None
    assert found.values == values
    assert lines is None or found.lines == lines


@pytest.mark.parametrize(
    "text",
    [
        "---\nA paragraph\n---\n",
        "---\n- a\n- list\n---\n",
        "---\n# Heading\n---\n",
        "---\n\nAda: I think so.\n\n---\n",
        "---\n\n# Heading\n\nOne thing: this.\n\n---\n",
        "---\nSee this: it is *not: YAML\nat all.\n---\n",
        "---\n> quote: [\n---\n",
    ],
)
def test_what_is_no_mapping_is_no_head(text: str) -> None:
    """A text between two thematic breaks belongs to the body, valid YAML or not."""
    assert load(text) == Head()
    assert parse(text.encode()).source.head == ""


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("---\nok: 1\na: b: c\n---\n", 3, 5, "second ': '"),
        ("---\nok: 1\na: 'x\n---\n", 3, 4, "never closed"),
        ("---\r\nok: 1\r\na: [x\r\n---\r\n", 3, 4, "never closed"),
        ("---\nok:\n\t- x\n---\n", 3, 1, "tab"),
        ("---\na: 1\nb\nc: 2\n---\n", 3, 1, "key: value"),
        ("---\na: @x\n---\n", 2, 4, "quotes"),
        ("---\na: {{ x }}\n---\n", 2, 5, "braces"),
        ("---\na: *x\n---\n", 2, 4, "'*'"),
        ("---\na: 1\n b: 2\n---\n", 3, 3, "second ': '|indentation"),
        ('---\na: "\\d"\n---\n', 2, 4, "backslash"),
        ("---\na: 1\nb: 1\na: 2\n---\n", 4, 1, "'a' stands twice"),
        ("---\na:\n  k: 1\n  k: 2\n---\n", 4, 3, "'k' stands twice"),
        ("---\na: &a [*a]\n---\n", 2, 4, "levels"),
        ("---\na: \x01\n---\n", 2, 4, "control character"),
        ('---\na: "\\ud800"\n---\n', 1, 1, "half a character"),
        ('---\na: "\\U7fffffff"\n---\n', 2, 1, "names no character"),
        ("---\na: " + "[" * 1200 + "\n---\n", 1, 1, "deep"),
        ("---\na: 1\n--- # two\nb: 2\n---\n", 3, 1, "second '---'"),
        ("+++\na = 1\nb = x\n+++\n", 3, 5, "invalid value"),
        ("+++\na = 1\na = 2\n+++\n", 3, 6, "overwrite"),
        ("+++\na = 1\nb\n+++\n", 3, 2, "expected '='"),
        ('+++\na = "x\n+++\n', 2, 7, "illegal character|unterminated"),
        ("+++\na = 2026-02-30\n+++\n", 2, 5, "date"),
        ("+++\na = " + "[" * 1200 + "\n+++\n", 2, 1, "deep"),
    ],
)
def test_a_broken_head_is_a_problem_with_its_place(text: str, line: int, column: int, words: str) -> None:
    """What can't be read is told in a sentence, with line and column in the file; nothing is guessed or edited."""
    found = load(text)
    problem = found.problem
    assert problem is not None
    assert (problem.rule, problem.severity) == ("invalid-frontmatter", "error")
    assert (problem.region.line, problem.region.column) == (line, column), problem
    assert any(word in problem.message for word in words.split("|")), problem.message
    assert "\n" not in problem.message
    assert found.last_line == len(text.replace("\r\n", "\n").rstrip("\n").split("\n"))
    assert edit_text(text, UPDATES) == problem


@pytest.mark.parametrize(
    "text",
    [
        "---\nsession: s1\nA_P: 3\n\n# Log\n",
        "---\n\n# mine\nsession: s1\n\n# Log\n",
        "---\r\nsession: s1\r\n\r\nThe plan: this.\r\n\r\nA_P: 3 | A_R: 1\r\n\r\n---\r\n\r\nMore.\r\n",
        '+++\nsession = "s1"\n\n# Log\n',
    ],
)
def test_a_head_that_is_never_closed_is_an_error_at_line_1(text: str) -> None:
    """Its keys would count for nothing; also where the ruled line that seems to close it is one of the body."""
    problem = load(text).problem
    assert problem is not None
    assert problem.region.line == 1
    assert "frontmatter" in problem.message and "closed" in problem.message
    assert edit_text(text, UPDATES) == problem


@pytest.mark.parametrize("text", ["\n---\nsession: s1\n---\n# Log\n", " \r\n\r\n+++\r\nkind = 'session'\r\n+++\r\n"])
def test_blank_lines_above_a_head_are_told(text: str) -> None:
    """Its keys would count for nothing, and a second head would be written above it."""
    problem = load(text).problem
    assert problem is not None
    assert problem.region.line == 1
    assert "remove the blank lines" in problem.message
    assert edit_text(text, UPDATES) == problem


@pytest.mark.parametrize(
    "text", ['{"title": "x", "tags": [\n]}\n\nText.\n', '{\n  "title": "x"\n}\nText.\n', '{ \r\n\r\n"a": 1\r\n']
)
def test_a_json_head_is_refused_by_name(text: str) -> None:
    """It says what to write instead, and nothing is written into the file."""
    problem = load(text).problem
    assert problem is not None
    assert "JSON" in problem.message and "`key: value`" in problem.message
    assert edit_text(text, UPDATES) == problem


@pytest.mark.parametrize(
    "text",
    [
        "---\nAda: I think so.\n\nBen: No.\n",
        "---\n",
        "---\n\nText.\n",
        "{% raw %}\n",
        "+++\n",
        '{"a": 1} is JSON.\n',
        "{}\n",
    ],
)
def test_what_opens_no_head(text: str) -> None:
    """A line of hyphens above prose or a turn is a line of hyphens, and a brace in a sentence a brace."""
    assert load(text) == Head()


def test_comments_stay_where_keys_go() -> None:
    """A removed mapping leaves the comments that stood beside and between its keys."""
    text = "---\ncalibration: # ours\n  a: 1 # one\n  # two\n  b: 2\n# three\nx: 1\n---\n"
    edited = edit_text(text, {"calibration": heads.REMOVED, "calibration_a": 1})
    assert edited == "---\n# ours\n# one\n# two\n# three\nx: 1\ncalibration_a: 1\n---\n"


def test_aliases_within_aliases_do_not_fill_the_memory() -> None:
    """Nine levels of nine aliases would unfold to 400 million values: refused as soon as there are too many."""
    names = "abcdefghij"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{this}: &{this} [{', '.join(['*' + last] * 9)}]" for last, this in pairwise(names)]
    problem = load("---\n" + "\n".join(lines) + "\n---\n").problem
    assert problem is not None
    assert "unfold" in problem.message


def test_a_head_that_is_too_long_is_refused_by_its_size() -> None:
    """One of a megabyte is no head of a note; text between two ruled lines far apart is text."""
    problem = load("---\nkind: session\ntext: |\n" + "  words\n" * (LONGEST // 8) + "---\n").problem
    assert problem is not None
    assert "64 kB" in problem.message
    assert load("---\n" + "Some words: and more.\n\n" * LONGEST + "---\n") == Head()
    assert load("---\ntext: |\n" + "  words\n" * 8000 + "---\n").problem is None


@given(
    st.text(st.sampled_from("ab1 :-#'\"[]{}&*!|>?%@,.=\t\\\n\r\u2028"), max_size=40), st.sampled_from(["---", "+++"])
)
def test_no_head_makes_it_crash(inner: str, fence: str) -> None:
    """Whatever stands between the fences is read, reported or left alone; what can be read can be edited or refused."""
    source = read_source(f"{fence}\n{inner}\n{fence}\nbody".encode())
    cut, head = heads.read(source)
    assert cut.text == source.text
    edited = heads.edit(cut, head, UPDATES)
    if isinstance(edited, Source):
        assert edited.body == cut.body
    else:
        assert edited.message


# -- Editing, by cases ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("name", NAMES)
def test_an_edit_changes_the_values_and_nothing_else(name: str, newline: str, bom: str) -> None:
    """Each pair of case files, with every newline, with and without BOM and final newline; and once is enough."""
    before, after = (CASES / f"{name}.{part}.md" for part in ("before", "after"))
    if os.environ.get("UPDATE_GOLDEN"):
        after.write_text(str(edit_text(before.read_text("utf-8"), UPDATES)), "utf-8")
    for cut in (0, 1):
        old, new = (bom + path.read_text("utf-8") for path in (before, after))
        old, new = (text[: len(text) - cut].replace("\n", newline) for text in (old, new))
        assert edit_text(old, UPDATES) == new
        assert edit_text(new, UPDATES) == new


@pytest.mark.parametrize("name", NAMES)
def test_another_program_reads_the_new_values(name: str) -> None:
    """PyYAML's and TOML's own readers find numbers as numbers and strings as strings."""
    source = parse((CASES / f"{name}.after.md").read_bytes()).source
    values = typed(source.head, source.head_format)
    assert {key: values[key] for key in UPDATES} == UPDATES


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("---\na: 1\n---", "---\na: 1\nb: 2\n---"),
        ("---\n---", "---\nb: 2\n---"),
        ("+++\na = 1\n+++", "+++\na = 1\nb = 2\n+++"),
        ("", "---\nb: 2\n---\n"),
        ("Text", "---\nb: 2\n---\nText"),
        ("---\n{b: 1, a: 1}\n---\n", "---\n{b: 2, a: 1}\n---\n"),
        ("---\n? b\n: y # c\n---\n", "---\nb: 2\n# c\n---\n"),
        ("---\na: |\n b: x\nc: {\nb: y}\n---\n", "---\na: |\n b: x\nc: {\nb: y}\nb: 2\n---\n"),
        ("+++\na = 1\n# table\n[c]\nb = 1\n+++\n", "+++\na = 1\nb = 2\n# table\n[c]\nb = 1\n+++\n"),
        ("+++\na = [\n[1],\n]\n[c]\n+++\n", "+++\na = [\n[1],\n]\nb = 2\n[c]\n+++\n"),
    ],
)
def test_where_a_key_is_set(text: str, edited: str) -> None:
    """In files that end with their head, in files without one, in braces, and above the first table of TOML; one of
    that name inside a block of text, braces or a table is another key."""
    assert edit_text(text, {"b": 2}) == edited


def test_utf_16_stays_utf_16() -> None:
    """A file in UTF-16 gets its head in UTF-16."""
    source, head = heads.read(read_source("\ufeffGrüße\r\n".encode("utf-16-le")))
    edited = heads.edit(source, head, {"a": 1})
    assert isinstance(edited, Source)
    assert encode(edited) == "\ufeff---\r\na: 1\r\n---\r\nGrüße\r\n".encode("utf-16-le")


def test_toml_has_no_null() -> None:
    """A None is left out of a TOML head, and takes a key away that was there."""
    text = "+++\na = 1\nb = 2\n+++\n"
    assert edit_text(text, {"b": None, "c": None, "d": {"x": None}}) == "+++\na = 1\nd = {}\n+++\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\nverdict: &x y\nb: *x\n---\n",
        "---\na: &x y\nverdict: *x\n---\n",
        "---\n{a: 1}\n---\n",
        "+++\n[verdict]\na = 1\n+++\n",
        "+++\nverdict.a = 1\n+++\n",
    ],
)
def test_what_can_not_be_edited_safely_is_refused(text: str) -> None:
    """Anchors, braces and tables get a problem that says how to write them, and no edit."""
    problem = edit_text(text, {"verdict": "X"})
    assert isinstance(problem, Problem)
    assert "can't be changed safely" in problem.message
    assert "write each of its keys on a line of its own, such as `" in problem.message
    assert any(line in problem.message for line in ("`verdict: X`", '`verdict = "X"`'))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {"a": {1, 2}}, "\ud800", b"x"])
def test_values_that_no_head_can_hold_are_refused(value: object) -> None:
    """No NaN, no half character and no object of another kind gets into a file."""
    for text in ("", "+++\n+++\n"):
        assert isinstance(edit_text(text, {"k": value}), Problem)


# -- python-frontmatter's Post ----------------------------------------------------------------------------------------


def test_a_post_gives_its_file_back() -> None:
    """``frontmatter.dumps`` of what was read is the file, with any newline; what is changed in it changes alone."""
    text = "\ufeff---\r\ncontent: a  # mine\r\nn: 1.10\r\nlist: [a]\r\n---\r\n\r\n  Body  \r\n\r\n"
    post = heads.post(*heads.read(read_source(text.encode())))
    assert (post["n"], post.content) == ("1.10", "\r\n  Body  \r\n\r\n")
    assert frontmatter.dumps(post) == text
    post["content"] = "b"
    post.metadata["list"].append("c")  # type: ignore[attr-defined]
    del post["n"]
    post.content += "More.\r\n"
    changed = text.replace("content: a", "content: b").replace("n: 1.10\r\n", "").replace("[a]", "[a, c]")
    assert frontmatter.dumps(post) == changed + "More.\r\n"
    post["at"] = object()
    with pytest.raises(ValueError, match="can't be written"):
        frontmatter.dumps(post)


@pytest.mark.parametrize("text", ["", "Text\n", "---\na: b: c\n---\nText\n", '{\n"a": 1\n}\n', "---\nWords\n---\n"])
def test_a_post_without_values_gives_its_file_back(text: str) -> None:
    """No head, a broken one, JSON: nothing is lost, and a broken head is not replaced by a new one."""
    post = heads.post(*heads.read(read_source(text.encode())))
    assert post.metadata == {}
    assert frontmatter.dumps(post) == text


# -- Editing, by properties -------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "Key", "key-2", "verdict", "calibration", "calibration_rate"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["yes", "No", "12:30", "1e5", "0x1F", "1_000", "~", "null", "", " a", "a ", "# no", "a #b", "a: b", "- a", "...",
     "---", "2026-01-02", "*x", "&x", "!x", "%x", "@x", "`x`", "'", '"', "\\", "a\nb", "\u2028", "\x85", "é", "=", "<<",
     ".inf", "+1", "0o7", "012", "1.", "on", "{a}", "[a]", "a, b", "?", "|", ">"]
)  # fmt: skip
SCALARS = TEXTS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(KEYS, SCALARS, min_size=1, max_size=4)
ALL_UPDATES = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)

# Values as people write them, with the comments that may stand around them; "K" is the key.
YAML_ENTRIES = st.sampled_from(
    [
        "K: plain text\n",
        "K: 'quoted'   # why\n",
        'K:   "double # not a comment"\n',
        "K:\n",
        "K:   # nothing yet\n",
        "K:\n  next line\n",
        "K: a plain text\n  over lines\n",
        "K: |\n  block\n\n   text # no comment\n\n",
        "K: >-  # folded\n  block\n",
        "K: |+\n  keeps\n\n\n",
        "K: [1, 2]\n",
        "K: [1,\n  2, # two\n]  # done\n",
        "K: {a: 1, b: [x]}\n",
        "K: []\nKb: {}\n",
        "K:\n- a\n- b # bee\n",
        "K:\n  - a: 1\n    b: 2\n  -\n# in between\n",
        "K:  # nested\n  # first\n  a: 1 # one\n\n  b:\n    c: 'x'\n  # last\n# below\n",
        "K:\n    a:\n    b: |\n      t\n\n",
        "K : 1\n",
        "'K': 1\n",
        "# above\nK: 1\n# below\n\n",
    ]
)
TOML_PAIRS = st.sampled_from(
    [
        '"K" = 1 # one\n',
        '"K" = "a # b"\n',
        "'K' = '''\n[x]\n'''\n",
        '"K"   =   [ 1, # one\n  2 ]  # two\n',
        '"K" = { a = 1, b.c = 2 }\n',
        '"K" = 2026-01-02 03:04:05\n',
    ]
)
TOML_TABLES = st.sampled_from(
    ['["K"] # table\n# first\na = 1 # one\nb = "x"\n# last\n\n', '["K"]\n', '[ "K" ]\nx = [\n1]\n\n']
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def numbered(entries: list[str], keys: list[str]) -> list[str]:
    return [entry.replace("K", key) for entry, key in zip(entries, keys, strict=False)]


def check(chunks: dict[str, str], opening: str, closing: str, newline: str, updates: dict[str, object]) -> None:
    """The properties of every edit: cut and join, other entries stay byte by byte, values read back, twice is once."""
    text = ("\ufeff" + opening + "".join(chunks.values()) + closing).replace("\n", newline) + "body" + newline
    source, before = heads.read(read_source(text.encode()))
    assert before.problem is None
    assert frontmatter.dumps(heads.post(source, before)) == text
    edited = heads.edit(source, before, updates)
    if isinstance(edited, Problem):
        # Forms that are not read line by line are refused; which are not, the case files tell.
        assert "can't be changed safely" in edited.message
        return
    again, after = heads.read(read_source(encode(edited)))
    assert again == edited
    assert (edited.bom, edited.body) == (source.bom, source.body)
    position = 0
    for key, chunk in chunks.items():
        if key not in updates:
            position = edited.head.find(chunk.replace("\n", newline), position)
            assert position >= 0, (key, edited.head)
    values = typed(edited.head, edited.head_format)
    new = {key: value for key, value in updates.items() if key not in before.values}
    # 1 == True == 1.0 in Python, and not in a file.
    assert repr({key: in_order(values[key]) for key in new}) == repr({k: in_order(v) for k, v in new.items()})
    assert {k: v for k, v in after.values.items() if k not in updates} == {
        k: v for k, v in before.values.items() if k not in updates
    }
    assert {k: after.values[k] for k in updates} == {k: read_back(v) for k, v in updates.items()}
    assert text.count("#") <= edited.head.count("#") or chunks.keys() & updates.keys()
    assert heads.edit(edited, after, updates) == edited


def in_order(value: object) -> object:
    """A value with its keys sorted, so that its text tells its types but not the file's order of keys."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value


YAML_KEYS = st.lists(st.sampled_from(["a1", "verdict", "calibration", "Key", "b"]), unique=True)


@given(st.lists(YAML_ENTRIES, max_size=5), YAML_KEYS, ENDS, ALL_UPDATES)
def test_yaml_edits(entries: list[str], keys: list[str], newline: str, updates: dict[str, object]) -> None:
    """Random YAML heads in the forms people write, with random updates."""
    chunks = dict(zip(keys, numbered(entries, keys), strict=False))
    # An update of the second key of an entry would change that entry's chunk.
    check(chunks, "---\n", "---\n", newline, updates)


@given(st.lists(TOML_PAIRS, max_size=3), st.lists(TOML_TABLES, max_size=2), ENDS, ALL_UPDATES)
def test_toml_edits(pairs: list[str], tables: list[str], newline: str, updates: dict[str, object]) -> None:
    """Random TOML heads, with random updates."""
    keys = ["verdict", "a", "b"][: len(pairs)] + ["calibration", "Key"][: len(tables)]
    chunks = dict(zip(keys, numbered(pairs + tables, keys), strict=True))
    check(chunks, "+++\n", "+++\n", newline, updates)


def test_samples_are_given_back_to_the_byte(shared: Path) -> None:
    """Every real file, as it is and with a key set: taking the key out again gives the file."""
    for path in sorted(shared.rglob("*.md")):
        data = path.read_bytes()
        source, head = heads.read(read_source(data))
        assert frontmatter.dumps(heads.post(source, head)).encode() == encode(source) == data
        edited = heads.edit(source, head, {"mdtally-test": "x"})
        if isinstance(edited, Problem):
            assert edited == head.problem
            continue
        again = heads.edit(*heads.read(read_source(encode(edited))), {"mdtally-test": heads.REMOVED})
        assert isinstance(again, Source)
        assert again.body == source.body
        assert not source.head or encode(again) == data
