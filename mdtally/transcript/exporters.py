"""Known exporters: what programs write is told by a signature, and then exact.

A row of `exporters.txt` is a form as a frontmatter has it, with the signature by which a file is known to have it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, takewhile

from mdtally.text import datafiles, words
from mdtally.text.model import FileKind, SpeakerKind
from mdtally.text.names import fold
from mdtally.text.records import by_key, record, replace
from mdtally.text.regex import regex
from mdtally.text.text_blocks import blocks
from mdtally.text.voices import KINDS
from mdtally.transcript.declared import Form
from mdtally.transcript.engine import REST, read_form
from mdtally.transcript.labels.templates import TELLING
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import ANYBODY, compile_all, compile_pattern

# "{=thought-for}"
_TABLE = regex(r"\{=([\w-]+)\}")
_FIELD = regex(r"\s*\S+[:：][*_]*(?:\s|$)")  # "Date: 2 June", "**Model:** x"; no "https://"
_SAID = frozenset(("paragraph", "quote", "item", "table", "code"))
OPENING = "/(?P<text>"
"""How the pattern of a prompt begins that has no label: it is text from the line's start on."""


@record
class Exporter:
    """A program's form of transcripts, as a block of `exporters.txt` has it.

    Attributes:
        name: as the output names it.
        kind: what the form is always a transcript of; None to tell by the voices.
        given: the lines of the block by their key, in order.
    """

    name: str
    kind: FileKind | None
    given: Mapping[str, list[str]]

    def first(self, key: str) -> str:
        """The only value of a key; "" if there is none."""
        return next(iter(self.given.get(key, ())), "")

    def form(self, person: str, declared: Form) -> Form:
        """How the program writes, with what the file declares of it: sections, rounds.

        Args:
            person: what the person is called; "" where no name is needed.
            declared: what the file declares.
        """
        voices = [one.split(" ", 2) for one in self.given.get("voice", ())]
        stated = [*(one.split(" = ") for one in self.given.get("kind", ())), *(one[:2] for one in voices)]
        turn = by_key((voice, source) for voice, _, source in voices)
        if named := [source.replace("{person}", re.escape(person)) for source in self.given.get("turn", ())]:
            turn[ANYBODY] = named
        kinds: dict[str, SpeakerKind] = {fold(person): "human", **{fold(name): KINDS[kind] for name, kind in stated}}
        patterns = compile_all(turn, self.given.get("round", ()), self.given.get("end", ()), self.first("line"))
        sections = declared.sections or tuple(self.given.get("section", ()))
        return replace(declared, patterns=patterns, participants=(), kinds=kinds, kind=self.kind, sections=sections)


@cache
def exporters() -> tuple[Exporter, ...]:
    """Every known exporter; the first whose signature a page bears reads it."""
    found: list[Exporter] = []
    for name, kind, rows in datafiles.sections(__file__, "exporters.txt"):
        pairs = (row.partition(" ") for row in rows)
        given = by_key((key, _TABLE.sub(lambda name: words.either(name[1]), value)) for key, _, value in pairs)
        found.append(Exporter(name, "session" if "session" in kind else "debate" if "debate" in kind else None, given))
    return tuple(found)


def signed_readings(page: Page) -> Iterator[tuple[str, Reading]]:
    """The names and the readings of all exporters whose signature a page bears.

    A single voice that speaks again and again is not an exporter's: the other's labels have another form.
    """
    lines = page.lines[page.first :]
    text = "\n".join(lines)
    for row in exporters():
        sign, without, person = row.first("sign"), row.first("without"), ""
        is_signed = all(need in text for need in row.given.get("needs", ())) and re.search(f"(?m)^(?:{sign})", text)
        if not is_signed or (without and re.search(f"(?m)^(?:{without})", text)):
            continue
        if row.first("person") and not (person := _person(row, lines)):
            continue
        reading = read_form(page, row.form(person, page.declared.form))
        spoke = {start.name.speaker for start in reading.starts}
        fixed = {one.split(" ")[0] for one in row.given.get("voice", ())} if "turn" not in row.given else set[str]()
        if len(reading.starts) < int(row.first("least") or 2) or (fixed | {person}) - {""} - spoke:
            continue
        labels, other = {start.row for start in reading.starts}, row.first("unless")
        if other and any(re.match(other, line) and at not in labels for at, line in enumerate(lines, page.first)):
            continue
        if len({start.name.key for start in reading.starts}) > 1 or len(reading.starts) == 1:
            yield row.name, _with_opening(page, reading, row.first("opening"))


def _with_opening(page: Page, reading: Reading, voice: str) -> Reading:
    """The reading with the prompt above a machine's first label, by its first line: the page was copied from there on."""
    form, first = reading.form, reading.starts[0]
    begin = bare_prompt(page, first.row) if voice and first.name.speaker != voice else None
    if begin is None or page.lines[begin].startswith("  "):  # a terminal's, copied from the middle of an answer on
        return reading
    line = re.escape(page.lines[begin].strip()[:TELLING]).replace(r"\ ", " ")
    opening = compile_pattern(f"{OPENING}{line}.*)/", turn=True, voice=voice)
    patterns = replace(form.patterns, turns=(*form.patterns.turns, opening))
    found, rows = read_form(page, replace(form, patterns=patterns)), [begin, *(start.row for start in reading.starts)]
    return found if [start.row for start in found.starts] == rows else reading


def bare_prompt(page: Page, row: int) -> int | None:
    """The row at which a prompt without a label may begin whose last line stands above a row; None if there is none."""
    above = reversed([one for one in blocks(page.lines[:row], page.first, page.layout) if one.kind != "comment"])
    said = [*takewhile(lambda block: block.kind in _SAID and not _FIELD.match(page.lines[block.first]), above)]
    words = " ".join(page.lines[said[-1].first : row]).split() if said else ()
    return said[-1].first if len(words) > 2 else None


def _person(row: Exporter, lines: Sequence[str]) -> str:
    """The person: of the names above a machine's first label the one that comes back before most others; "" if unclear.

    "Note: no keys in here" may stand above, and a prompt may hold "Error: line 3". Of several as frequent, or a single
    one, it is the one that opens the text.
    """
    names = [label["speaker"] for line in lines if (label := re.match(row.first("person"), line))]
    machines = {one.split(" = ")[0] for one in row.given["kind"]}
    last = max((at for at, name in enumerate(names) if name in machines), default=len(names))
    parts = [{*part} for is_machines, part in groupby(names[:last], machines.__contains__) if not is_machines]
    counts = Counter(name for part in parts for name in part & parts[0])
    (person, most), (_, more) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    opening = next((line for line in lines if line.strip() and line[0] not in "#<"), "")
    if (label := re.match(row.first("person"), opening)) and 0 < most == counts[label["speaker"]]:
        return label["speaker"]
    return person if most > max(more, 1) else ""


def only_participants(page: Page, reading: Reading) -> Reading:
    """An exporter's reading with the declared names and kinds; the labels of others end turns."""
    form, declared, patterns = reading.form, page.declared.form, reading.form.patterns
    others = [replace(pattern, voice="") for pattern in patterns.turns if pattern.source != REST]
    patterns = replace(patterns, ends=(*patterns.ends, *others))
    return read_form(page, replace(form, patterns=patterns, participants=declared.participants))
