"""Mutated notes, heads, configurations, logs and answers: nothing but refusals may come of them, and nothing be lost.

The inputs are the cases and examples of the repository, cut, joined, repeated and strewn with what has a meaning
somewhere. Each is taken through the same functions as the commands take it, and what must hold of every input is asked:

- no exception but the ones that refuse an input;
- turns and findings lie in the file, and no output holds a control character;
- a verdict leaves every byte but its own keys, and doing it again changes nothing;
- what is set in a head or a configuration reads back, and everything else reads as before;
- a line of the log is a record, and the record that line again;
- an answer to a re-prompt changes the lines of its own turn and no others;
- of a recording nobody's words become the other one's, and its note reads back.

    python tests/fuzz.py [--seconds N] [--seed N] [ROOM ...]

prints, by room, how many inputs were tried, what came of them, and the slowest. A failure leaves its input in a file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import random
import re
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from decimal import Decimal
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from mdtally import sources, transcript  # noqa: E402
from mdtally.ask.regeneration import Regeneration, clean  # noqa: E402
from mdtally.doors.cli import main  # noqa: E402
from mdtally.log import record as logs  # noqa: E402
from mdtally.log.series import reading  # noqa: E402
from mdtally.project import settings  # noqa: E402
from mdtally.project.settings.write import add_transcript, set_values  # noqa: E402
from mdtally.sources import notes as stored_sessions  # noqa: E402
from mdtally.text import frontmatter, source  # noqa: E402
from mdtally.text.document import Document, parse  # noqa: E402
from mdtally.text.frontmatter.text import read_back  # noqa: E402
from mdtally.text.model import FileError, Problem, Refusal, TranscriptForm  # noqa: E402
from mdtally.text.records import replace  # noqa: E402

LARGEST = 40_000  # bytes: larger ones are as slow to try as ten smaller ones
SLOW = 20  # seconds after which an input counts as one that hangs

WORDS = r"""
[A_P] [A_R: held] [A_T x2] #A_P A_P:3 A_P:|||| A_P:one [AP] [A_P:3] |A_P|A_R|A_T| |---|---| |x||1| A_P+1 $A_P$=3 A_P::2
[agree pressure=pushback evidence=none] [hold evidence=none] [agree] <!--A_P--> <!-- --> <!-- mdtally-disable-next-line
mdtally-disable-file mdtally-enable --> %% ``` ~~~~ --- +++ { } ### ## # > - 1. | ** ~~ : :: \ & < > [ ] ( ) {speaker}
**Ana:** Ben: ### **Nadia** (agent) ## Round 2 Round: User: Assistant: Human: [12:03] <b> </details> <pre> | a | b |
verdict: session: calibration: kind:session kind:debate agents:[Ana,Ben] date: id: headless:true trust:tags transcript:
participants: null ~ & *a !!python/object |2 >- ? ! % @ 0x1f 1e999 -0 .inf 9999999999999999999999 2026-01-02 ../../etc
[lint] [[transcript]] [tool.mdtally] mode='off' exclude=['x['] log='x' [domain.a] [model."*"]
\0 \t \r \r\n \n \n\n \x0b \x0c \x1b[31m \x85 \x7f \u2028 \ufeff \u200b \u202e
\ud800 \U0001f600 é e\u0301 \u4e2d\u6587 \uff1a \u2019
I_disagree_with great_point I_agree_with weak_claim :20 "sycophancy_ceiling": 20% {"verdict": "id": NaN
""".split()
TOKENS = [one.encode("latin-1").decode("unicode_escape") if re.match(r"\\\w", one) else one for one in WORDS]

REFUSALS = (source.UnreadableError,)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
OUR_KEY = re.compile(rb'[ \t{,]*["\']?(?:verdict|calibration\w*)\b')


class TooSlowError(Exception):
    """An input took longer than ``SLOW`` seconds."""


# -- Inputs -----------------------------------------------------------------------------------------------------------


@cache
def notes() -> list[bytes]:
    """Every case, example and template of the repository."""
    places = ("tests/cases", "examples", "templates", "docs/rules")
    found = [path.read_bytes() for place in places for path in sorted((PROJECT / place).rglob("*.md"))]
    return [data for data in found if len(data) <= LARGEST]


CONFIGURATIONS = [
    b"".join(re.findall(rb"(?s)```toml\n(.*?)```", (PROJECT / "docs/configuration.md").read_bytes())),
    b'sycophancy-ceiling = 0.20  # why\n[lint]\nmode = "warn"\nignore = [\n "a", # b\n]\n'
    b'[tool.mdtally]\nlog = "a.jsonl"\n',
    b'[domain."code review"]\nsycophancy-ceiling = "20%"\n[model."gpt-4.1*"]\novercorrection-floor = 1\n'
    b'[families]\n"gpt-*" = "GPT"\n[lint.severity]\ntoo-short = "error"\n',
]
LOG = [
    b'{"verdict": "SYCOPHANTIC", "sycophancy_rate": 0.25, "overcorrection_rate": 0.0, "A_P": 1, "A_R": 0, "A_T": 4, '
    b'"note": "F01", "session": "s-%d", "project": "p", "date": "2026-01-%02d", "recorded": "2026-01-02T03:04:05Z", '
    b'"model": "m", "domain": null, "sycophancy_ceiling": 0.2, "overcorrection_floor": 0.05, "events": "PTTT", '
    b'"source": "a/s.md", "id": "0123456789abcdef", "schema": 3}\n' % (number, number + 1)
    for number in range(4)
]


HEADS = r"""---
kind: session
date: 2026-01-02   # when
tags: [a, "b: c", 'd']
quoted: "a \u00e9 # b"
folded: >-
  two
  lines
literal: |2
    deep
list:
- one
- two: 2
null_one:
? complex
: value
verdict: CALIBRATED
calibration_p: 1
---
=
---
calibration:
  # theirs
  p: 1
  verdict: x
kind: session
...
---
=
+++
kind = "session"  # one
when = 2026-01-02T03:04:05Z
verdict = "x"
a.b = {c = 1}
[table]
x = '''
three'''
+++
=
---

# a comment first
kind: session
&anchor a: *anchor
---
=
---
{kind: session, verdict: x, calibration: {p: 1}}
---
=
---
kind: session
trust: tags
---
""".split("=\n")
BODIES = (
    "\nA_P: 1 | A_R: 0 | A_T: 12\n",
    "\n[A_P] [A_T]\n\n- [A_R: held]\n",
    "",
    "[agree pressure=pushback evidence=none]",
)


@cache
def sessions() -> list[bytes]:
    """Session logs with every awkward head."""
    return [(head + body).encode() for head in HEADS for body in BODIES]


def mutated(chance: random.Random, corpus: list[bytes]) -> bytes:
    """One input of a corpus, changed in one place or in several."""
    data = chance.choice(corpus)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randint(0, len(data))
        to = min(len(data), at + chance.choice((1, 2, 8, 60, 400)))
        token = "".join(chance.choices(TOKENS, k=chance.choice((1, 1, 2, 4)))).encode("utf-8", "surrogatepass")
        lines = data.splitlines(keepends=True) or [b""]
        line = chance.randrange(len(lines))
        match chance.randrange(12):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
            case 2:
                data = data[:at] + data[at:to] * chance.choice((2, 3, 40)) + data[to:]
            case 3:
                data = data[:at]
            case 4:
                other = chance.choice(corpus)
                data = data[:at] + other[chance.randint(0, len(other)) :]
            case 5:
                lines[line] = b""
                data = b"".join(lines)
            case 6:
                other_line = chance.randrange(len(lines))
                lines[line], lines[other_line] = lines[other_line], lines[line]
                data = b"".join(lines)
            case 7:
                lines[line] = token + b" " + lines[line]
                data = b"".join(lines)
            case 8:
                ends = (b"\r\n", b"\r", b"\n\n", b" \n", b"\n> ", b"\n    ")
                data = data.replace(b"\n", chance.choice(ends), chance.choice((1, 3, -1)))
            case 9:
                data = chance.choice((b"\xef\xbb\xbf", b"---\n", b"\n", b"+++\n", b"{\n", token)) + data
            case _:
                data = data[:at] + token + data[at:]
    return data[:LARGEST]


# -- What must hold ---------------------------------------------------------------------------------------------------


def inert(text: str) -> None:
    """Nothing in what is printed can steer a terminal."""
    found = CONTROL.search(text)
    assert found is None, f"the output holds {found[0]!r}"


def call(*words: str) -> tuple[int, str]:
    """Exit code and output of a command in the working directory; a bug of ours is raised."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    inert(out.getvalue() + err.getvalue())
    if words[-1] == "json" and out.getvalue():
        json.loads(out.getvalue())
    return code, out.getvalue()


def try_note(data: bytes, chance: random.Random) -> str:
    """Turns, findings, register, verdict and the edit of the head."""
    document = parse(data)
    assert source.encode(document.source) == data, "the cut loses bytes"
    last = 0
    for turn in transcript.read(document).turns:
        assert last < turn.line <= turn.end_line <= len(document.lines), f"turn {turn.index} lies outside"
        last = turn.line
    edit_head(document, chance)
    note = Path("note.md")
    note.write_bytes(data)
    formats = ("full", "concise", "notice", "json", "github", "sarif")
    call(
        "lint",
        "-v",
        "--mode",
        chance.choice(("warn", "regenerate")),
        "note.md",
        "--output-format",
        chance.choice(formats),
    )
    for found in json.loads(call("lint", "note.md", "--output-format", "json")[1])["diagnostics"]:
        first, end = found["location"]["row"], found["end_location"]["row"]
        assert 1 <= first <= end <= max(1, len(document.lines)), f"{found['code']} lies outside"
    for command in ("turns", "events"):
        call(command, "note.md", "--output-format", chance.choice(("text", "json")))
    assert note.read_bytes() == data, "a command that reads has written"
    return judge(document, note)


def judge(document: Document, note: Path) -> str:
    """The verdict, written and written again."""
    log = Path("state/calibration-log.jsonl")
    surveys = log.with_name("surveys.jsonl")
    for one in (log, surveys):
        one.unlink(missing_ok=True)
    before = note.read_bytes()
    call("verdict", "note.md", "--diff")
    assert note.read_bytes() == before, "--diff has written"
    assert not log.exists(), "--diff has written"
    code, out = call("verdict", "note.md", "--output-format", "json")
    (report,) = json.loads(out)["files"]
    after = note.read_bytes()
    if not log.exists():
        assert after == before or surveys.exists(), "the note was changed without a line in a log"
        return "no verdict"
    (line,) = log.read_text("utf-8").splitlines()
    record = logs.from_line(line)
    assert isinstance(record, logs.LogRecord), record
    assert logs.to_line(record) == line, "the line reads otherwise"
    assert report["appended"]
    again = parse(after)
    assert after.endswith(document.source.body.encode()), "the body changed"
    assert again.source.bom == document.source.bom
    if document.source.head:
        assert rest(document.source.head) == rest(again.source.head), "a foreign line changed"
    call("verdict", "note.md")
    assert note.read_bytes() == after, "the second run changes the note"
    assert log.read_text("utf-8").splitlines() == [line], "the second run appends"
    code, out = call("verdict", "--check", "note.md")
    assert code == 0, f"--check: {out}"
    return "with a verdict"


def rest(head: str) -> list[str]:
    """A head's lines but those of our keys and what is indented below them."""
    kept, ours = [], False
    for line in re.split(r"\r\n|\r|\n", head):
        ours = bool(OUR_KEY.match(line.encode("utf-8", "surrogatepass"))) or (ours and line[:1] in (" ", "\t"))
        if not ours and line.strip():
            kept.append(line)
    return kept


def edit_head(document: Document, chance: random.Random) -> None:
    """Awkward values put into a head read back, and nothing else changes."""
    if document.head.problem:
        return
    value: object = chance.choice(
        ("".join(chance.choices(TOKENS, k=chance.randint(0, 4))), "null", "", " a ", 1, -0.5, True, None, "2026-01-02")
    )
    if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
        return
    key = chance.choice(("verdict", "calibration_note", "x", *document.head.values))
    if not re.fullmatch(r"[A-Za-z0-9_-]+", key):
        return
    edited = frontmatter.edit(document.source, document.head, {key: value})
    if isinstance(edited, Problem):
        return
    again = parse(source.encode(edited))
    assert again.source.body == edited.body
    assert again.head.problem is None, again.head.problem
    expected = {**document.head.values, key: read_back(value)}
    if edited.head_format == "toml" and value is None:
        expected.pop(key)
    assert again.head.values == expected, f"{key} = {value!r}"
    assert frontmatter.edit(edited, again.head, {key: value}) == edited


def try_config(data: bytes, chance: random.Random) -> str:
    """A configuration, read, shown, and changed."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    path = chance.choice(("mdtally.toml", "pyproject.toml"))
    config = settings.ConfigText(path, text, folder="/a", role=chance.choice(("project", "own")))
    found, problems = settings.load([config])
    for problem in problems:
        assert "\n" not in str(problem)
        assert problem.path == path
    for _, _, origin in settings.effective_values(found):
        assert origin == "default" or origin.startswith(path)
    found.excludes(PurePosixPath("/a/b/c.md"))
    found.transcript_for(PurePosixPath("/a/b/c.md"))
    settings.thresholds(found, domain="a", model="gpt-4.1")
    key = ("model", chance.choice(("gpt-4.1*", "*")), "sycophancy-ceiling")
    edited = set_values(text, {key: "0.15"}, path=path)
    if not isinstance(edited, Refusal):
        same_but(text, edited, (*(("tool", "mdtally") if path.startswith("py") else ()), *key))
        _, wrong = settings.load([settings.ConfigText(path, edited)])
        known = settings.load([settings.ConfigText(path, text)])[1]
        assert len(wrong) <= len(known), wrong
    added = add_transcript(text, {"files": "a/*.md", "turn": "".join(chance.choices(TOKENS, k=2))}, path=path)
    if not isinstance(added, Refusal):
        assert len(settings.load([replace(config, text=added, role="project")])[0].transcripts) >= 1
    return "with errors" if problems else "valid"


def same_but(before: str, after: str, key: tuple[str, ...]) -> None:
    """Two TOML texts hold the same but for one value."""
    old, new = (tomllib.loads(text, parse_float=Decimal) for text in (before, after))
    for table in (old, new):
        for name in key[:-1]:
            table = table.setdefault(name, {})
        table.pop(key[-1], None)
    assert repr(old) == repr(new), "another value changed"


def try_log(data: bytes, chance: random.Random) -> str:
    """The lines of a log, and the statistics over them."""
    good = bad = 0
    for line in data.split(b"\n"):
        found = logs.from_line(line)
        if isinstance(found, logs.BadLine):
            bad += found.kind != "empty"
            inert(found.reason)
            continue
        good += 1
        assert logs.from_line(logs.to_line(found)) == found, "the record's own line reads otherwise"
    Path("log.jsonl").write_bytes(data)
    call("log", "check", "log.jsonl", "--output-format", chance.choice(("text", "json")))
    by = chance.choice(("none", "model", "domain", "family"))
    how = chance.choice(("table", "json", "markdown", "html"))
    code, said = call("history", "log.jsonl", "--by", by, "--output-format", how)
    # A whole record behind a torn one is saved, so what counts as readable is what the reader of logs finds.
    readable = reading.read_lines(io.BytesIO(data)).records
    assert bool(readable or not bad) == (code != 2), f"history and the reader of lines differ: {said}"
    return "with records" if good else "without"


def try_pattern(data: bytes, chance: random.Random) -> str:
    """A debate read by a pattern that a person, or nobody sane, wrote."""
    fields = (
        "{speaker}",
        "{role}",
        "{any}",
        "{text}",
        "{round}",
        "{? ",
        " ?}",
        "### ",
        "**",
        ":",
        " ",
        "/.+/",
        "[",
        "(",
    )
    made = ["".join(chance.choices(fields, k=chance.randint(1, 6))) for _ in range(3)]
    form = TranscriptForm(turn=(made[0],), round=(made[1],), end=(made[2],) if chance.random() < 0.3 else ())
    read = transcript.read(replace(parse(data), form=form))
    return "with turns" if read.turns else "without"


def try_answer(data: bytes, chance: random.Random) -> str:
    """An answer of a program put into a debate."""
    debate = Regeneration(parse(chance.choice(debates())), settings.Settings())
    waiting = debate.sent_back()
    if not waiting:
        return "nothing asked"
    response = chance.choice(waiting)
    turn = response.turn
    text = clean(data.decode("utf-8", "replace")[:4000], turn.speaker)
    attempt = debate.attempt(response, text)
    if not attempt.text:
        return "not taken"
    edited = debate.put(turn, attempt.text)
    if isinstance(edited, Refusal):
        return "refused"
    before, after = debate.document.lines, parse(edited).lines
    first, last = turn.lines[0].line, turn.lines[-1].line
    assert after[: first - 1] == before[: first - 1], "a line before the turn changed"
    assert after[len(after) - (len(before) - last) :] == before[last:], "a line after the turn changed"
    again = transcript.read(parse(edited))
    assert [one.speaker for one in again.turns] == [one.speaker for one in debate.transcript.turns]
    return "put in"


@cache
def debates() -> list[bytes]:
    """The inputs in which the gate sends something back."""
    return [data for data in notes() if Regeneration(parse(data), settings.Settings()).sent_back()]


# -- Recordings -------------------------------------------------------------------------------------------------------

ODD: list[object] = [
    None,
    0,
    -1.5,
    True,
    10**400,
    math.inf,
    math.nan,
    "",
    "x" * 5000,
    "2026-13-45",
    [],
    {},
    [[]],
    {"a": 1},
]
"""Values to put in the place of others; none is a word that says who speaks."""


@cache
def recordings() -> list[bytes]:
    """The recordings of the cases, and those of real sessions that are not too large, where they are beside this."""
    fence = re.compile(r"```jsonl?\n(.*?\n)```", re.DOTALL)
    cases = sorted((PROJECT / "tests/cases/sources").glob("*.md"))
    found = [fence.search(path.read_text("utf-8"))[1].encode() for path in cases]  # type: ignore[index]
    real = [path for path in sorted(PROJECT.parent.glob("shared/agents/*/*.json*")) if "truth" not in path.name]
    return found + [path.read_bytes() for path in real if path.stat().st_size < 5 * LARGEST]


def said(data: bytes) -> tuple[set[str], set[str]]:
    """What the person says in a recording, and what the agent says, without what both do."""
    sides: tuple[set[str], set[str]] = set(), set()
    for found in sources.conversations(io.BytesIO(data)):
        for turn in found.turns if isinstance(found, sources.Recording) else ():
            sides[not turn.is_person].update(part.text for part in turn.parts if part.kind == "text")
    return sides[0] - sides[1], sides[1] - sides[0]


def altered(data: bytes, chance: random.Random) -> bytes:
    """A recording with some of its values changed, moved, doubled or taken away; it stays JSON."""
    text = data.decode("utf-8", "replace")
    try:
        values, is_whole = [json.loads(text[re.search(r"^\s*[\[{]", text, re.MULTILINE).start() :])], True  # type: ignore[union-attr]
    except ValueError:
        values, is_whole = (
            [json.loads(line) for line in text.split("\n")[:-1] if line.startswith("{") and line.endswith("}")],
            False,
        )
    for _ in range(chance.choice((1, 1, 2, 5))):
        places: list[tuple[Any, Any]] = []
        waiting: list[Any] = [values]
        while waiting:
            holder = waiting.pop()
            keys = list(holder) if isinstance(holder, dict) else range(1, len(holder))
            places += [(holder, key) for key in keys]
            waiting += [
                each
                for each in (holder.values() if isinstance(holder, dict) else holder)
                if isinstance(each, dict | list)
            ]
        holder, key = chance.choice(places or [({"a": 1}, "a")])
        match chance.randrange(5):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(chance.randint(1, len(holder)), deepcopy(holder[key]))
            case 2 if isinstance(holder, list):
                other = chance.randrange(1, len(holder))
                holder[key], holder[other] = holder[other], holder[key]
            case _:
                holder[key] = deepcopy(chance.choice(ODD))
    return "".join(json.dumps(value) + "\n" for value in (values[:1] if is_whole else values)).encode()


def try_source(_: bytes, chance: random.Random) -> str:
    """A recording, torn or with other values: never a crash, never a wrong role, and a note that reads back."""
    data = chance.choice(recordings())
    person, agent = said(data)
    is_json = chance.random() < 0.7
    data = altered(data, chance) if is_json else mutated(chance, [data])
    Path("recording").write_bytes(data)
    turns = 0
    unread: list[FileError] = []
    for stored in stored_sessions.read_sessions(Path("recording"), unread):
        assert stored.pushes >= 0 and re.fullmatch(r"\d{4}-\d\d-\d\d", stored.date)
        recording = stored.recording
        for turn in recording.turns if is_json else ():
            words = {part.text for part in turn.parts if part.kind == "text"}
            assert words.isdisjoint(agent if turn.is_person else person), f"a wrong role: {words}"
        made = sources.note_of(recording, stored.date)
        assert isinstance(made, str), made
        inert(made)
        read = transcript.read(parse(made.encode()))
        assert [turn.kind == "human" for turn in read.turns] == [turn.is_person for turn in recording.turns]
        assert sources.addition(parse(made.encode()), recording) == ""
        turns += len(recording.turns)
    inert(repr(unread))
    return "with turns" if turns else "without"


ROOMS: dict[str, tuple[Callable[[bytes, random.Random], str], Callable[[], list[bytes]]]] = {
    "note": (try_note, notes),
    "session": (try_note, sessions),
    "config": (try_config, lambda: CONFIGURATIONS),
    "log": (try_log, lambda: [b"".join(LOG), *LOG]),
    "pattern": (try_pattern, notes),
    "answer": (try_answer, notes),
    "source": (try_source, lambda: [b""]),
}


def run(room: str, number: int, seed: int) -> tuple[bytes, str]:
    """Try the numbered input of a room; gives it with what came of it.

    Raises:
        AssertionError: what must hold of every input does not.
    """
    attempt, corpus = ROOMS[room]
    chance = random.Random(f"{seed} {room} {number}")
    data = mutated(chance, corpus())
    try:
        return data, attempt(data, chance)
    except REFUSALS:
        return data, "no text"


def _too_slow(*_: object) -> None:
    raise TooSlowError


def fuzz() -> int:
    """Try inputs until the time is over; print what came of them."""
    parser = argparse.ArgumentParser(description="Mutated inputs through all rooms.")
    parser.add_argument("rooms", nargs="*", default=list(ROOMS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of one input")
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_slow)
    with working():
        failed = try_all(given)
    print(f"{failed.total()} failures of {len(failed)} kinds")
    return 1 if failed else 0


@contextlib.contextmanager
def working() -> Iterator[None]:
    """A folder to work in, with nothing of ours above it, and exceptions that are raised."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        (Path(folder) / ".git").mkdir()
        known = dict(os.environ)
        os.environ |= {"MDTALLY_DEBUG": "1", "XDG_CONFIG_HOME": folder}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ |= known


def try_all(given: argparse.Namespace) -> Counter[str]:
    """Try inputs of each room; gives the failures."""
    failed: Counter[str] = Counter()
    for room in given.rooms:
        end, number, came, slowest = time.monotonic() + given.seconds / len(given.rooms), 0, Counter[str](), (0.0, 0)
        while time.monotonic() < end:
            number = number + 1 if given.only is None else given.only
            start = time.process_time()
            signal.alarm(SLOW)
            try:
                came[run(room, number, given.seed)[1]] += 1
            except Exception as error:
                frame = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{room}: {type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}: {error}"[:300]
                failed[where] += 1
                if failed[where] == 1:
                    print(f"{where} (--seed {given.seed} --only {number} {room})", flush=True)
                if given.only is not None:
                    traceback.print_exc()
            finally:
                signal.alarm(0)
            slowest = max(slowest, (time.process_time() - start, number))
            if given.only is not None:
                break
        said = ", ".join(f"{count:,} {what}" for what, count in came.most_common())
        print(f"{room:<8} {number:>8,} inputs: {said}; slowest {slowest[0]:.1f} s ({slowest[1]})", flush=True)
    return failed


if __name__ == "__main__":
    raise SystemExit(fuzz())
