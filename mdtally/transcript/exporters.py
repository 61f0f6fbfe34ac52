"""Known exporters: what programs write is told by a signature, and then exact.

To add one: a row in `EXPORTERS`, and a case in tests/cases/turns. A row whose labels cannot be told by one regular
expression a line names a function that reads the page (`aider`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from mdtally.model import FileKind, SpeakerKind
from mdtally.regex import regex
from mdtally.transcript import rounds
from mdtally.transcript.names import Name, kind_of, plain
from mdtally.transcript.page import Mark, Page, Reading, Start

_PERSON: Final[Mapping[str, SpeakerKind]] = {
    "user": "human", "human": "human", "you": "human", "prompt": "human", "system": "other", "tool": "other",
}  # fmt: skip


class Exporter(NamedTuple):
    """A program's form of transcripts.

    Attributes:
        name: as `dialect:` and the output name it.
        needs: texts that each have to stand somewhere in the file: a quick look before anything is compiled.
        label: a label's line; groups `who` (or `person`, `chat`), and where the form has them `role`, `model`, `to`, `time`, `round`, `text`.
        sign: a line that has to be there; None if the label is sign enough.
        least: how many labels there have to be.
        kind: what the form is always a transcript of; None to tell by the voices.
        kinds: by case-folded name or chat role, its kind; of all others their words tell it.
        section: the heading below which alone turns stand, up to the next heading of its level.
        round: a line that opens a round.
        end: a line that ends a turn without opening one.
        marker: what each line of a body may carry in front, and is no text.
        read: reads the page if no label of one line can.
    """

    name: str
    needs: tuple[str, ...]
    label: re.Pattern[str]
    sign: re.Pattern[str] | None = None
    least: int = 2
    kind: FileKind | None = None
    kinds: Mapping[str, SpeakerKind] = _PERSON
    section: re.Pattern[str] | None = None
    round: re.Pattern[str] | None = None
    end: re.Pattern[str] | None = None
    marker: re.Pattern[str] | None = None
    read: Callable[[Page, Exporter], Reading | None] | None = None


def read(page: Page) -> Reading | None:
    """The reading of the first exporter whose signature the page bears; None if it bears none."""
    wanted = page.declared.dialect
    text = "\n".join(page.lines[page.first :])
    for row in EXPORTERS:
        if wanted not in ("", row.name) or not all(need in text for need in row.needs):
            continue
        if row.sign is not None and not any(row.sign.match(line) for line in page.lines[page.first :]):
            continue
        reading = row.read(page, row) if row.read else _by_label(page, row)
        if reading is not None and len(reading.starts) >= row.least:
            return reading
    return None


def _by_label(page: Page, row: Exporter) -> Reading | None:
    """A turn for each line that is the exporter's label, in its section; a stray fence around one is ended there."""
    lines = page.lines
    begin, stop = _section(page, row)
    labels = {index: match for index in range(begin, stop) if (match := row.label.match(lines[index]))}
    layout = page.scanned(list(labels))
    starts: list[Start] = []
    marks: list[Mark] = []
    ends = [stop] if stop < len(lines) else []
    for index in range(begin, stop):
        if layout.hidden[index]:
            continue
        opened = row.round.match(lines[index]) if row.round else None
        if opened is not None:
            parsed = rounds.parse(plain(opened["text"]))
            marks.append(Mark(index, parsed.number if parsed else None))
        elif index in labels and not (marks and marks[-1].number is None):  # behind "━━━ Synthesis ━━━" nobody speaks
            starts.append(_start(lines[index], index, labels[index], row))
        elif row.end and row.end.match(lines[index]):
            ends.append(index)
    return Reading("signature", row.name, tuple(starts), tuple(ends), tuple(marks), layout, row.kind, row.marker)


def _section(page: Page, row: Exporter) -> tuple[int, int]:
    """Where the row's section begins and ends; the whole page if it needs none."""
    if row.section is None:
        return page.first, len(page.lines)
    opened = next((heading for heading in page.headings if row.section.fullmatch(heading.plain)), None)
    return (opened.row + 1, page.section_end(opened)) if opened else (len(page.lines), len(page.lines))


def _start(line: str, index: int, match: re.Match[str], row: Exporter) -> Start:
    said = {key: (value or "").strip() for key, value in match.groupdict().items()}
    who = said.get("who") or said.get("person") or said.get("chat", "")
    speaker = plain(who) or who
    name = Name(
        speaker, role=said.get("role", ""), model=said.get("model", ""), addressee=said.get("to", ""),
        note=said.get("time", ""), round=int(said["round"]) if said.get("round") else None,
    )  # fmt: skip
    kind = row.kinds.get(said.get("as", "").casefold()) or row.kinds.get(speaker.casefold()) or kind_of(name)
    body = match.start("text") if said.get("text") else None
    return Start(index, len(line) - len(line.lstrip()), body, name._replace(kind=kind or "agent"), row.name)


def _aider(page: Page, row: Exporter) -> Reading | None:
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
    return Reading("signature", row.name, tuple(starts), tuple(sorted(ends)), (), layout, "session", row.marker)


def _tool_results(page: Page, row: Exporter) -> Reading | None:
    """Claude Code: a tool's result comes back under the user's heading; who spoke there is the tool."""
    reading = _by_label(page, row)
    if reading is None:
        return None
    times = set(reading.ends)
    starts: list[Start] = []
    for start in reading.starts:
        if not any(above in times for above in range(start.row - 6, start.row)):
            continue
        first = next((line for line in page.lines[start.row + 1 : start.row + 5] if line.strip()), "")
        if re.match(r"\W{0,6}(?:\*\*)?\[?Tool[ _]Result", first, re.IGNORECASE):
            start = start._replace(name=Name("Tool", kind="other"))
        starts.append(start)
    return reading._replace(starts=tuple(starts))


_COUNCIL_MARKER = regex(r"(?:> ?| {2})?(?:\\(?=[#>=~`*+_<-]))?")

EXPORTERS: Final[tuple[Exporter, ...]] = (
    Exporter(
        "council-markdown", ("## Transcript", "#### "), regex(r"#### (?P<who>.+?)(?: _\((?P<model>[^()]+)\)_)?\s*$"),
        sign=regex(r"_Exported by Council\b|#### .+ _\([^()]+\)_\s*$"), least=1, kind="debate",
        section=regex("transcript", re.IGNORECASE), round=regex(r"### (?P<text>.+)$"), end=regex(r"---\s*$|_Exported by"),
        marker=_COUNCIL_MARKER,
    ),
    Exporter(
        "council-adr", ("Generated by Council", "## Discussion"), regex(r"- \*\*(?P<who>[^*]+)\*\*: ?(?P<text>.*)$"),
        least=1, kind="debate", section=regex("discussion", re.IGNORECASE),
        round=regex(r"(?:\*\*(?P<text>Round [^*]+)\*\*|_Single round\b.*_)\s*$"), end=regex(r"---\s*$"), marker=_COUNCIL_MARKER,
    ),
    Exporter(
        "council-share", ("by Council", "## Transcript"), regex(r"\*\*(?P<who>[^*]+)\*\*\s*$"),
        sign=regex(r"_(?:Exported|Generated) by Council\b"), least=1, kind="debate",
        section=regex("transcript", re.IGNORECASE), round=regex(r"### (?P<text>.+)$"), end=regex(r"---\s*$"), marker=_COUNCIL_MARKER,
    ),
    Exporter(
        "council-plain", ("Round", "["),
        regex(r"\[\[(?:\d+\] ?(?P<who>[^\[\]()]+?)(?: ?\((?P<role>[^()]*)\))?|(?P<person>You)\] \[\d+\] ?(?P<to>[^\[\]()]+?))\]\s*$|\[\d+\] (?P<chat>[^>\n]{1,60}?) > (?P<text>.*)$"),
        sign=regex(r"\[\[\d+\] [^\[\]]+\]\s*$|\[\d+\] [^>\n]{1,60}? > "), kind="debate",
        round=regex(r"\s*(?:━{2,}|-{3}) ?(?P<text>.+?) ?(?:━{2,}|-{3})\s*$"),
        end=regex(r"\[(?:Premium requests|retry|discard|error from)\b|\s*⚠\s*quality gate|\s*🎯 ?\[|--- Debate complete|\s*🏛️?\s+Panel"),
    ),
    Exporter(
        "specstory", ("_**",),
        regex(
            r"_\*\*(?P<who>User|Assistant|Agent|Human|System|Tool)\b(?:: (?P<role>[^()*]+?))?"
            r"(?: ?\((?:model )?(?P<model>[A-Za-z][^()*\s,]*\d[^()*\s,]*)?,? ?(?P<time>[^()*]*)\))?[^*]*\*\*_\s*$"
        ),
        kind="session",
    ),
    Exporter(
        "claude-code", ("**[20", "# "), regex(r"#{2,4} (?:👤|🤖|🧑|💻|⚙️|🛠️|🔧) ?(?P<who>[^()]+?)(?: \((?P<model>[^()]*)\))?\s*$"),
        sign=regex(r"\*\*\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]]*\]\*\*\s*$"), kind="session",
        end=regex(r"\*\*\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]]*\]\*\*\s*$|#+ .{0,4}(?:Export|Session) Summary"), read=_tool_results,
    ),
    Exporter(
        "chat-bridge", ("** [", "("),
        regex(r"\*\*(?P<who>[^*()]{1,80}?)(?: [–—-] (?P<model>[^*()]+?))? \((?P<as>user|assistant|system|human|tool)\)\*\*\s*\[(?P<time>[^\]]+)\]:?\s*(?P<text>.*)$"),
        kinds={"user": "human", "human": "human", "assistant": "agent", "system": "other", "tool": "other"},
    ),
    Exporter(
        "dated-roles", ("** (", ":"),
        regex(r"\*\*(?P<who>User|Human|You|Assistant|AI|Claude|ChatGPT|Gemini|Copilot)\*\* \((?P<time>[^()]*\b\d{1,2}:\d\d\b[^()]*)\)\s*$", re.IGNORECASE),
        kind="session",
    ),
    Exporter(
        "aistorm", ("<aistorm ",), regex(r"#{1,3} \[(?P<who>[^\[\]]+)\]:?\s*$"), sign=regex(r"<aistorm [^>]*type=\"message\""),
        end=regex("<aistorm "),
    ),
    Exporter(
        "aider", ("# aider chat started at ",), regex("####"), kind="session", marker=regex(r"#### ?"), least=1, read=_aider,
    ),
    Exporter(
        "autogen", ("(to ", "):"), regex(r"(?P<who>[^\W\d_][\w .-]{0,60}) \(to (?P<to>[\w .-]{1,60})\):\s*$"),
        kinds=dict.fromkeys(("user", "human", "admin", "user_proxy", "userproxy", "human_proxy", "admin_proxy"), "human"),
        end=regex(r"-{20,}\s*$|>{4,} |Next speaker: "),
    ),
    Exporter(
        "openclaw", ("# Session: ", "- **Session "), regex(r"(?P<who>user|assistant|system|tool):(?:\s+(?P<text>\S.*)?|$)"),
        sign=regex(r"- \*\*Session (?:Key|ID)\*\*:"), least=1, kind="session",
    ),
    Exporter(
        "web-export", ("## Prompt:", "## Response:"), regex(r"## (?P<who>Prompt|Response):\s*$"), kind="session",
        sign=regex(r"\*\*Exported:\*\*\s|Powered by \[\w+ Exporter\]"), end=regex(r"Powered by \["),
    ),
    Exporter(
        "cursor", ("_Exported on ", "from Cursor"), regex(r"\*\*(?P<who>User|Cursor|Assistant)\*\*\s*$"), kind="session",
    ),
    Exporter(
        "chatgpt-page", (" said",), regex(r"(?:#{2,6} )?\**(?P<who>You|ChatGPT|Claude|Gemini|Copilot|Grok) said:?\**\s*$"),
        kind="session",
    ),
)  # fmt: skip
"""Every known exporter; the first whose signature a page bears reads it."""

NAMES: Final = tuple(row.name for row in EXPORTERS)
"""What `dialect:` may name, beside the shapes of labels."""
