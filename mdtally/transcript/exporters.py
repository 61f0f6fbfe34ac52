"""Known exporters: what programs write is told by a signature, and then exact.

A form is a block of `exporters.txt`: patterns of labels, rounds and ends, with kinds. Two programs write what no pattern
of one line tells: aider's answers have no label, and Claude Code's tools answer under the user's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from mdtally import datafiles
from mdtally.labels.names import Name, kind_of
from mdtally.model import FileKind, SpeakerKind
from mdtally.records import record, replace
from mdtally.transcript.matching import matched
from mdtally.transcript.page import Page, Reading, Start
from mdtally.transcript.patterns import Patterns, compile_pattern
from mdtally.voices import KINDS


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

    @property
    def patterns(self) -> Patterns:
        """The form's patterns, compiled; labels stand at the line's beginning."""
        voices = (one.split(" ", 2) for one in self.given.get("voice", ()))
        return Patterns(
            tuple(compile_pattern(_at_start(source), turn=True, voice=voice) for voice, _, source in voices)
            + tuple(compile_pattern(_at_start(source), turn=True) for source in self.given.get("turn", ())),
            tuple(compile_pattern(_at_start(source)) for source in self.given.get("round", ())),
            tuple(compile_pattern(_at_start(source)) for source in self.given.get("end", ())),
        )

    @property
    def kinds(self) -> dict[str, SpeakerKind]:
        """The kinds of voices and roles, beside what their words tell."""
        stated = [one.split(" = ") for one in self.given.get("kind", ())]
        stated += [one.split(" ", 2)[:2] for one in self.given.get("voice", ())]
        return {name.casefold(): KINDS[kind] for name, kind in stated}


@cache
def exporters() -> tuple[Exporter, ...]:
    """Every known exporter; the first whose signature a page bears reads it."""
    found: list[Exporter] = []
    for name, kind, rows in datafiles.sections(__file__, "exporters.txt"):
        given: dict[str, list[str]] = {}
        for row in rows:
            key, _, value = row.partition(" ")
            given.setdefault(key, []).append(value)
        found.append(Exporter(name, "session" if "session" in kind else "debate" if "debate" in kind else None, given))
    return tuple(found)


def read(page: Page) -> Reading | None:
    """The reading of the exporter that finds most turns among those whose signature the page bears; None if none does.

    A single voice that speaks again and again is not an exporter's: the other's labels have another form.
    """
    text = "\n".join(page.lines[page.first :])
    best: Reading | None = None
    for row in exporters():
        if not all(need in text for need in row.given["needs"]):
            continue
        reading = _read(page, row)
        if reading is None or len(reading.starts) < int(row.first("least") or 2):
            continue
        if 1 < len(reading.starts) and len({start.name.key for start in reading.starts}) < 2:
            continue
        if best is None or len(reading.starts) > len(best.starts):
            marker = re.compile(row.first("marker")) if row.first("marker") else None
            best = replace(reading, kind=row.kind, marker=marker)
    return best


def _read(page: Page, row: Exporter) -> Reading | None:
    """A page as an exporter writes it; None if its sign, its person or one of its voices is not there."""
    lines = page.lines[page.first :]
    sign = row.first("sign")
    if sign and not any(re.match(sign, line) for line in lines):
        return None
    if row.name == "aider":
        return _aider(page, row)
    kinds, voices = row.kinds, set[str]()
    if row.first("person"):
        first = next((line for line in lines if line.strip() and line[0] not in "#<"), "")
        opening = re.match(row.first("person"), first)
        if opening is None:
            return None
        kinds = {opening["speaker"].casefold(): "human", **kinds}
        voices = {opening["speaker"], *(stated.split(" = ")[0] for stated in row.given["kind"])}

    def named(name: Name, chat_role: str) -> Name | None:
        if voices and name.speaker not in voices:  # in another case it is not a program's: "user: {"
            return None
        stated = kind_of(Name(chat_role)) or kinds.get(name.speaker.casefold())
        return replace(name, kind=stated or kind_of(name) or "agent")

    reading = matched(
        page, row.patterns, "signature", row.name, within=_section(page, row.first("section")), name_of=named,
        is_quiet="round" in row.given, is_pasted="voice" in row.given,
    )  # fmt: skip
    labels, other = {start.row for start in reading.starts}, row.first("unless")
    if other and any(re.match(other, line) and place not in labels for place, line in enumerate(lines, page.first)):
        return None
    spoke = {start.name.speaker for start in reading.starts}
    fixed = {one.split(" ")[0] for one in row.given.get("voice", ())}
    if (fixed - spoke and "turn" not in row.given) or voices - spoke:
        return None
    return _with_tools(page, reading) if row.name == "claude-code" else reading


def _section(page: Page, title: str) -> range | None:
    """The rows of the section that alone holds turns; None for the whole page."""
    if not title:
        return None
    opened = next((heading for heading in page.headings if heading.plain.casefold() == title), None)
    return range(opened.row + 1, page.section_end(opened)) if opened else range(0)


def _at_start(expression: str) -> str:
    """An expression between slashes that fits at a line's beginning only."""
    return rf"/(?<!\s)(?:{expression})/"


def _aider(page: Page, row: Exporter) -> Reading:
    """aider: each line of a prompt is a fourth-level heading, lines behind "> " are the program's, answers have no label."""
    lines = page.lines
    banners = [index for index in range(page.first, len(lines)) if lines[index].startswith("# aider chat started at")]
    layout = page.scanned(banners)
    starts: list[Start] = []
    ends = list(banners)
    asked = said = False  # the line above is part of a prompt; an answer has begun
    for index in range(page.first, len(lines)):
        line = lines[index]
        if line.startswith("####") and line[4:5] in ("", " ") and not layout.hidden[index]:
            if not asked:
                starts.append(Start(index, 0, 5 if len(line) > 5 else None, Name("User", kind="human"), row.name))
            asked, said = True, False
        elif line.startswith("# aider chat started at"):
            asked = said = False
        elif line.startswith(">") and not layout.hidden[index]:
            if starts:
                ends.append(index)
            asked = said = False
        elif not line.strip():
            asked = False
        elif starts and not line.startswith("<!--"):
            if not said and not (starts[-1].name.kind == "agent" and layout.hidden[index]):
                if starts[-1].name.kind == "agent":
                    ends = [end for end in ends if not starts[-1].row < end < index]
                else:
                    starts.append(Start(index, 0, 0, Name("aider", kind="agent"), row.name))
            asked, said = False, True
    return Reading("signature", row.name, tuple(starts), tuple(sorted(ends)), (), layout)


def _with_tools(page: Page, reading: Reading) -> Reading:
    """Claude Code: a tool's result comes back under the user's heading; who spoke there is the tool."""
    times = set(reading.ends)
    starts: list[Start] = []
    for start in reading.starts:
        if not any(above in times for above in range(start.row - 6, start.row)):
            continue
        first = next((line for line in page.lines[start.row + 1 : start.row + 5] if line.strip()), "")
        if re.match(r"\W{0,6}(?:\*\*)?\[?Tool[ _]Result", first, re.IGNORECASE):
            start = replace(start, name=Name("Tool", kind="other"))
        starts.append(start)
    return replace(reading, starts=tuple(starts))
