"""The frontmatter: what it says, where it is broken, and edits that leave every other byte alone.

The edits' cases are pairs of files in ``cases/frontmatter``: ``NAME.before.md`` edited with ``UPDATES`` is
``NAME.after.md``.
"""

import json
import tomllib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mdtally import frontmatter as head
from mdtally.frontmatter import yaml_head
from mdtally.frontmatter.text import written
from mdtally.model import Head, Problem, Source
from mdtally.source import encode, read

CASES = Path(__file__).parent / "cases" / "frontmatter"
NAMES = sorted(path.name.removesuffix(".before.md") for path in CASES.glob("*.before.md"))
UPDATES = {
    "verdict": "CALIBRATED",
    "calibration": {
        "A_P": 3,
        "rate": 0.25,
        "recorded": "2026-01-02T03:04:05Z",
        "note": "4%: fine",
    },
}


def load(text: str) -> Head | None:
    return head.read(read(text.encode()))


def edit(source: Source, updates: Mapping[str, object]) -> Source:
    edited = head.edit(source, updates)
    assert isinstance(edited, Source), edited
    return edited


def typed(source: Source) -> dict[str, object]:
    """What another program reads from a head."""
    lines = source.head.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    if source.head_format == "json":
        return dict(json.loads(source.head))
    inner = "\n".join(lines[1:-1]) + "\n"
    return dict(tomllib.loads(inner) if source.head_format == "toml" else yaml.safe_load(inner) or {})


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
            {"a": 2, "d": 3, "f": 4, "b": 5, "s": 6, "t": 8},
        ),
        ("+++\ra = 1\rb = 2\r+++\r", {"a": "1", "b": "2"}, {"a": 2, "b": 3}),
        (
            "+++\n'q k'.x = 1\n[[list]]\na = 1\n[[list]]\n+++\n",
            {"q k": {"x": "1"}, "list": [{"a": "1"}, {}]},
            {"q k": 2, "list": 3},
        ),
        (
            '{\n "a": 1.10, "b": [true, null],\n "c": {"d": 1e2}\n}\nbody',
            {"a": "1.10", "b": ["true", "null"], "c": {"d": "1e2"}},
            {"a": 2, "b": 2, "c": 3},
        ),
        ("{}\n", {}, {}),
    ],
)
def test_values_are_the_strings_written(text: str, values: dict[str, object], lines: dict[str, int] | None) -> None:
    """No number, date, boolean or null is converted, and each key knows its line, with every newline and syntax."""
    found = load(text)
    assert found is not None
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
    assert load(text) is None


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
        ("---\na: " + "[" * 3000 + "\n---\n", 1, 1, "deep"),
        ("---\na: 1\n--- # two\nb: 2\n---\n", 3, 1, "second '---'"),
        ("+++\na = 1\nb = x\n+++\n", 3, 5, "invalid value"),
        ("+++\na = 1\na = 2\n+++\n", 3, 6, "overwrite"),
        ("+++\na = 1\nb\n+++\n", 3, 2, "expected '='"),
        ('+++\na = "x\n+++\n', 2, 7, "illegal character|unterminated"),
        ("+++\na = 2026-02-30\n+++\n", 2, 5, "date"),
        ("+++\na = " + "[" * 3000 + "\n+++\n", 2, 1, "deep"),
        ('{\n "a": 1,\n "b": x\n}\n', 3, 7, "expecting value"),
        ('{\n "a": 1,\n}\n', 3, 1, "property name|trailing comma"),
        ('{\n "a": 1\n "b": 2\n}\n', 3, 2, "delimiter"),
        ('{\n "a": 1,\n "a": 2\n}\n', 3, 2, "twice"),
        ('{\n "a": {"b": 1, "b": 2}\n}\n', 2, 16, "twice"),
        ('{"a": "\\ud800"}\n', 1, 1, "half a character"),
    ],
)
def test_a_broken_head_is_a_problem_with_its_place(text: str, line: int, column: int, words: str) -> None:
    """What can't be read is told in a sentence, with line and column in the file; nothing is guessed or edited."""
    found = load(text)
    assert found is not None
    problem = found.problem
    assert problem is not None
    assert (problem.rule, problem.severity) == ("invalid-frontmatter", "error")
    assert (problem.region.line, problem.region.column) == (line, column), problem
    assert any(word in problem.message for word in words.split("|")), problem.message
    assert "\n" not in problem.message
    assert found.last_line == len(text.replace("\r\n", "\n").rstrip("\n").split("\n"))
    assert head.edit(read(text.encode()), UPDATES) == problem


@pytest.mark.parametrize(
    "text",
    [
        "---\nsession: s1\nA_P: 3\n\n# Log\n",
        "---\n\n# mine\nsession: s1\n\n# Log\n",
        "---\r\nsession: s1\r\n\r\nThe plan: this.\r\n\r\nA_P: 3 | A_R: 1\r\n\r\n---\r\n\r\nMore.\r\n",
        '+++\nsession = "s1"\n\n# Log\n',
        '{\n  "session": "s1"\n\n# Log\n',
    ],
)
def test_a_head_that_is_never_closed_is_an_error_at_line_1(text: str) -> None:
    """Its keys would count for nothing; also where the ruled line that seems to close it is one of the body."""
    found = load(text)
    assert found is not None and found.problem is not None
    assert found.problem.region.line == 1
    assert "frontmatter" in found.problem.message and "closed" in found.problem.message
    assert head.edit(read(text.encode()), UPDATES) == found.problem


@pytest.mark.parametrize(
    "text", ["---\nAda: I think so.\n\nBen: No.\n", "---\n", "---\n\nText.\n", "{% raw %}\n", "+++\n"]
)
def test_a_ruled_line_opens_no_head(text: str) -> None:
    """A line of hyphens above prose or a turn is a line of hyphens."""
    assert load(text) == Head()


def test_comments_stay_where_keys_go() -> None:
    """A removed mapping leaves the comments that stood beside and between its keys."""
    text = "---\ncalibration: # ours\n  a: 1 # one\n  # two\n  b: 2\n# three\nx: 1\n---\n"
    edited = edit(read(text.encode()), {"calibration": head.REMOVED, "calibration_a": 1})
    assert edited.head == "---\n# ours\n# one\n# two\n# three\nx: 1\ncalibration_a: 1\n---\n"


def test_aliases_within_aliases_do_not_fill_the_memory() -> None:
    """Nine levels of nine aliases would unfold to 400 million values: refused as soon as there are too many."""
    names = "abcdefghij"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{this}: &{this} [{', '.join(['*' + last] * 9)}]" for last, this in pairwise(names)]
    found = load("---\n" + "\n".join(lines) + "\n---\n")
    assert found is not None
    assert found.problem is not None
    assert "unfold" in found.problem.message


@given(
    st.text(st.sampled_from("ab1 :-#'\"[]{}&*!|>?%@,.=\t\\\n\r\u2028"), max_size=40), st.sampled_from(["---", "+++"])
)
def test_no_head_makes_it_crash(inner: str, fence: str) -> None:
    """Whatever stands between the fences is read, reported or left alone; what can be read can be edited or refused."""
    source = read(f"{fence}\n{inner}\n{fence}\nbody".encode())
    found = head.read(source)
    edited = head.edit(source, UPDATES)
    if isinstance(edited, Source):
        assert edited.body == (source.body if found is not None else source.text)
    else:
        assert edited.message


@given(st.text(st.sampled_from('ab1 :-"[]{},.\\tue\n\r'), max_size=40))
def test_no_json_head_makes_it_crash(inner: str) -> None:
    """The same for a JSON object, whole or broken."""
    source = read(('{"k": 1,' + inner + "\n}\nbody").encode())
    head.read(source)
    assert head.edit(source, UPDATES)


# -- Editing, by cases ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("name", NAMES)
def test_an_edit_changes_the_values_and_nothing_else(name: str, newline: str, bom: str) -> None:
    """Each pair of case files, with every newline, with and without BOM and final newline; and once is enough."""
    before, after = ((CASES / f"{name}.{part}.md").read_text("utf-8") for part in ("before", "after"))
    for cut in (0, 1):
        old, new = ((bom + text[: len(text) - cut].replace("\n", newline)).encode() for text in (before, after))
        edited = edit(read(old), UPDATES)
        assert encode(edited).decode() == new.decode()
        assert edit(read(new), UPDATES) == edited


@pytest.mark.parametrize("name", NAMES)
def test_another_program_reads_the_new_values(name: str) -> None:
    """PyYAML's, TOML's and JSON's own readers find numbers as numbers and strings as strings."""
    values = typed(read((CASES / f"{name}.after.md").read_bytes()))
    assert {key: values[key] for key in UPDATES} == UPDATES


def test_a_head_that_ends_the_file_without_a_newline() -> None:
    """The closing fence may be the file's last bytes."""
    assert encode(edit(read(b"---\na: 1\n---"), {"b": 2})) == b"---\na: 1\nb: 2\n---"
    assert encode(edit(read(b'{"a": 1}'), {"b": 2})) == b'{"a": 1,\n"b": 2\n}'
    assert encode(edit(read(b"---\n---"), {"b": 2})) == b"---\nb: 2\n---"


def test_utf_16_stays_utf_16() -> None:
    """A file in UTF-16 gets its head in UTF-16."""
    data = "\ufeffGrüße\r\n".encode("utf-16-le")
    assert encode(edit(read(data), {"a": 1})) == "\ufeff---\r\na: 1\r\n---\r\nGrüße\r\n".encode("utf-16-le")


def test_an_empty_file_gets_a_head() -> None:
    """A file of no bytes is a file without a head."""
    assert encode(edit(read(b""), {"a": 1})) == b"---\na: 1\n---\n"


def test_toml_has_no_null() -> None:
    """A None is left out of a TOML head, and takes a key away that was there."""
    assert encode(edit(read(b"+++\na = 1\nb = 2\n+++\n"), {"b": None, "c": None, "d": {"x": None}})) == (
        b"+++\na = 1\nd = {}\n+++\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\nverdict: &x y\nb: *x\n---\n",
        "---\n{verdict: x, a: 1}\n---\n",
        "---\n? verdict\n: y\n---\n",
        "---\na: &x verdict\n*x : y\n---\n",
        '{"verdict": "x", "a": 1}\n',
        '+++\nverdict = """\nx"""\n+++\n',
    ],
)
def test_what_can_not_be_edited_safely_is_refused(text: str) -> None:
    """Anchors, braces and keys in unusual forms get a problem that says how to write them, and no edit."""
    problem = head.edit(read(text.encode()), {"verdict": "X"})
    assert isinstance(problem, Problem)
    assert "can't be changed safely" in problem.message
    assert "write each of its keys on a line of its own, such as `" in problem.message
    assert any(line in problem.message for line in ("`verdict: X`", '`verdict = "X"`', '`"verdict": "X",`'))


def test_a_key_in_a_deeper_mapping_is_another_key() -> None:
    """One of our names inside a block of text, braces or a table is the user's, and stays."""
    for text, after in (
        ("---\na: |\n verdict: x\nb: {\nverdict: y}\n", "verdict: X\n---\n"),
        ('{\n"a": {\n"verdict": 1\n}', ',\n"verdict": "X"\n}'),
    ):
        closing = "---\n" if text.startswith("-") else "\n}"
        assert edit(read((text + closing).encode()), {"verdict": "X"}).head == text + after
    text = "+++\na = 1\n# table\n[b]\nverdict = 1\n+++\n"
    assert edit(read(text.encode()), {"verdict": "X"}).head == text.replace("# table", 'verdict = "X"\n# table')


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {"a": {1, 2}}, "\ud800"])
def test_values_that_no_head_can_hold_are_refused(value: object) -> None:
    """No NaN, no half character and no object of another kind gets into a file."""
    for text in ("", "+++\n+++\n", '{"a": 1}\n'):
        assert isinstance(head.edit(read(text.encode()), {"k": value}), Problem)


# -- Editing, by properties -------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "Key", "key-2", "verdict", "calibration", "calibration_rate"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["yes", "No", "12:30", "1e5", "0x1F", "1_000", "~", "null", "", " a", "a ", "# no", "a #b", "a: b", "- a", "...",
     "---", "2026-01-02", "*x", "&x", "!x", "%x", "@x", "`x`", "'", '"', "\\", "a\nb", "\u2028", "\x85", "é", "=", "<<",
     ".inf", "+1", "0o7", "012", "1.", "on", "{a}", "[a]", "a, b", "?", "|", ">"]
)  # fmt: skip
SCALARS = TEXTS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
VALUES = SCALARS | st.dictionaries(KEYS, SCALARS, min_size=1, max_size=4)
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
JSON_VALUES = st.sampled_from(["1", "1.10", '"a, b"', "null", "[1, [2]]", '{"a" : {}}', "true", '"\\u00e9"'])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def numbered(entries: list[str], keys: list[str]) -> list[str]:
    return [entry.replace("K", key) for entry, key in zip(entries, keys, strict=False)]


def check(chunks: dict[str, str], opening: str, closing: str, newline: str, updates: dict[str, object]) -> None:
    """The properties of every edit: cut and join, other entries stay byte by byte, values read back, twice is once."""
    text = (opening + "".join(chunks.values()) + closing).replace("\n", newline)
    source = read(("\ufeff" + text + "body" + newline).encode())
    before = head.read(source)
    assert before is not None
    assert before.problem is None
    edited = head.edit(source, updates)
    if isinstance(edited, Problem):
        # Forms that are not read line by line are refused; which are not, the case files tell.
        assert "can't be changed safely" in edited.message
        return
    assert read(encode(edited)) == edited
    assert (edited.bom, edited.body) == (source.bom, source.body)
    position = 0
    for key, chunk in chunks.items():
        if key not in updates:
            position = edited.head.find(chunk.replace("\n", newline), position)
            assert position >= 0, (key, edited.head)
    values = typed(edited)
    new = {key: value for key, value in updates.items() if key not in before.values}
    # 1 == True == 1.0 in Python, and not in a file.
    assert repr({key: in_order(values[key]) for key in new}) == repr({k: in_order(v) for k, v in new.items()})
    after = head.read(edited)
    assert after is not None
    assert {k: v for k, v in after.values.items() if k not in updates} == {
        k: v for k, v in before.values.items() if k not in updates
    }
    assert {k: after.values[k] for k in updates} == {k: written(v) for k, v in updates.items()}
    assert text.count("#") <= edited.head.count("#") or chunks.keys() & updates.keys()
    assert edit(edited, updates) == edited


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
    """Random TOML heads, with random updates; a table is only ever set to a mapping."""
    keys = ["verdict", "a", "b"][: len(pairs)] + ["calibration", "Key"][: len(tables)]
    chunks = dict(zip(keys, numbered(pairs + tables, keys), strict=True))
    for key in keys[len(pairs) :]:
        if key in updates and not isinstance(updates[key], dict):
            updates[key] = {"n": updates[key]}
    check(chunks, "+++\n", "+++\n", newline, updates)


@given(
    st.lists(JSON_VALUES, min_size=1, max_size=4),
    st.sampled_from([("", ", "), ("", ","), ("\n  ", ","), ("\n\t", " ,")]),
    ENDS,
    ALL_UPDATES,
)
def test_json_edits(values: list[str], layout: tuple[str, str], newline: str, updates: dict[str, object]) -> None:
    """Random JSON heads, flat and tall, with random updates."""
    lead, comma = layout
    keys = ["verdict", "a1", "calibration", "ü"][: len(values)]
    chunks = {key: f'{lead}"{key}": {value}' for key, value in zip(keys, values, strict=True)}
    joined = {key: chunk + (comma if key != keys[-1] else "") for key, chunk in chunks.items()}
    text = ("{" + "".join(joined.values()) + ("\n}" if lead else "}") + "\n").replace("\n", newline)
    source = read((text + "body").encode())
    edited = head.edit(source, updates)
    if isinstance(edited, Problem):
        assert updates.keys() & chunks.keys() and ("\n" not in lead or not comma.startswith(",")), edited
        return
    assert edited.body == source.body
    found = head.read(edited)
    assert found is not None
    assert {key: found.values[key] for key in updates} == {key: written(value) for key, value in updates.items()}
    assert all(chunk.replace("\n", newline) in edited.head for key, chunk in chunks.items() if key not in updates)
    assert edit(edited, updates) == edited


PLAIN_HEADS = st.lists(
    st.tuples(
        st.sampled_from(["title", "kind", "agents", "A_P", "date", "no", "null"]),
        st.sampled_from([": ", ":", ":  "]),
        st.text(st.sampled_from("aé1 _-.'()[],/%+:#"), max_size=9)
        | st.sampled_from(
            [
                "2026-01-01",
                "yes",
                "1.10",
                "12:30",
                "[Ana, Ben]",
                "[a]",
                "[]",
                "a b  c",
                "'x'",
                "~",
                "",
                "null",
                "2026-01-01T00:00:00Z",
                '"a: b"',
                '"  x "',
                '""',
                "1:Z",
            ]
        ),
    ),
    min_size=1,
    max_size=4,
)


@given(PLAIN_HEADS)
def test_plain_lines_are_read_as_by_the_whole_reader(lines: list[tuple[str, str, str]]) -> None:
    """The short way, which imports no YAML reader, gives the same values and lines, or leaves the head to it."""
    text = "".join(f"{key}{colon}{value}\n" for key, colon, value in lines)
    source = read(f"---\n{text}---\n".encode())
    with pytest.MonkeyPatch.context() as patched:
        quick = head.read(source)
        patched.setattr(yaml_head, "_plain_lines", lambda text: None)
        assert quick == head.read(source)
