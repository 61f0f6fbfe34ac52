"""What Council exports: a discussion as Markdown, as a decision record, to share, and as its terminal prints it.

    ## Transcript                     ## Discussion                  ━━━ Round 1 ━━━

    ### Round 1                       **Round 1**                    [[1] Noor Haddad (Treasurer)]
                                                                     We cannot pay for both.
    #### Noor Haddad _(some-model)_   - **Noor Haddad**: We cannot
                                        pay for both.                [[You] [1] Imre]
    > We cannot pay for both.                                        Then what?

The form to share has `**Noor Haddad**` for the fourth-level heading. In the first three every line of what was said is
behind a mark, with leading markers escaped by one backslash, so that nothing inside it can look like a label. The same
turns are repeated as positions elsewhere in the file, so that only the transcript's own section is read.
"""

from __future__ import annotations

import re
from typing import Literal

from mdtally.dialects import names, rounds
from mdtally.dialects.page import Dialect, Page, Reading, Start
from mdtally.model import RoundNumber

_FOOTER = re.compile(r"_(?:Exported|Generated) by Council\b.*_$")
_HEADING_LABEL = re.compile(r"#### (?P<name>.+?)\s*$")
_BOLD_LABEL = re.compile(r"\*\*(?P<name>[^*]+)\*\*\s*$")
_ITEM_LABEL = re.compile(r"- \*\*(?P<name>[^*]+)\*\*: ?")
_ROUND_HEADING = re.compile(r"### (?P<text>.+)$")
_ROUND_BOLD = re.compile(r"\*\*(?P<text>Round [^*]+)\*\*\s*$")
_SINGLE_ROUND = re.compile(r"_Single round\b.*_\s*$")
_ROUND_BAR = re.compile(r"\s*(?P<bar>━{2,}|-{3}) ?(?P<text>.+?) ?(?P=bar)\s*$")
_SEAT = re.compile(r"\[(?P<you>\[You\] )?(?:\[(?P<seat>\d+)\] ?)?(?P<name>[^\[\]]+)\]\s*$")
_CHAT = re.compile(r"\[\d+\] (?P<name>[^>\n]{1,60}?) > ")
_NOTICE = re.compile(
    r"\[(?:Premium requests|retry|discard|error from)\b|⚠\s*quality gate|🎯 ?\[|--- Debate complete|"
    r"🏛️?\s+Panel assembled"
)


def _signed(page: Page) -> bool:
    return bool(_FOOTER.match(page.last_text))


def _section(page: Page, title: str) -> tuple[int, int] | None:
    """First and last line of the export's own section, its heading excluded, the footer's rule excluded."""
    heading = page.heading_index(title)
    if heading is None:
        return None
    level_two = [other.index for other in page.headings if other.level <= 2 and other.index > heading]
    end = level_two[0] if level_two else len(page.lines)
    for index in range(end - 1, heading, -1):
        if page.lines[index].strip() == "---":
            end = index
            break
        if page.lines[index].strip() and not _FOOTER.match(page.lines[index].strip()):
            break
    return heading + 1, end


def _read(page: Page, form: Literal["markdown", "share", "adr"]) -> Reading | None:
    section = _section(page, "discussion" if form == "adr" else "transcript")
    if section is None:
        return None
    label, mark = {
        "markdown": (_HEADING_LABEL, _ROUND_HEADING),
        "share": (_BOLD_LABEL, _ROUND_HEADING),
        "adr": (_ITEM_LABEL, _ROUND_BOLD),
    }[form]
    starts: list[Start] = []
    ends = [section[1]]
    number: RoundNumber | None = None
    container = 0
    for index in range(*section):
        line = page.lines[index]
        opened = mark.match(line)
        parsed = rounds.parse(opened["text"]) if opened else None
        if parsed is not None or _SINGLE_ROUND.match(line):
            number = parsed.number if parsed else 1
            container += 1
            ends.append(index)
            continue
        match = label.match(line)
        if match:
            name = names.clean(match["name"]) or names.Name(match["name"].strip())
            body = match.end() if form == "adr" and match.end() < len(line) else None
            starts.append(Start(index, 0, body, name, number, container, f"council-{form}"))
    if not starts:
        return None
    return Reading(
        tuple(starts),
        tuple(sorted(ends)),
        quoted=form != "adr",
        escaped=True,
        indent=2 if form == "adr" else 0,
        kind="debate",
    )


def _matches_markdown(page: Page) -> bool:
    section = page.heading_index("transcript")
    if section is None:
        return False
    return any(re.match(r"#### .+ _\([^()]+\)_\s*$", line) for line in page.lines[section:]) or (
        _signed(page) and any(line.startswith("#### ") for line in page.lines[section:])
    )


def _matches_share(page: Page) -> bool:
    return _signed(page) and page.heading_index("transcript") is not None


def _matches_adr(page: Page) -> bool:
    return _signed(page) and page.heading_index("discussion") is not None


def _matches_plain(page: Page) -> bool:
    seats = bars = 0
    for index in range(page.first, len(page.lines)):
        line = page.lines[index]
        if line[:1] == "[" and page.visible(index):
            seat = _SEAT.match(line)
            seats += bool((seat and seat["seat"] and line.startswith("[[")) or _CHAT.match(line))
        elif line[:1] in "━-" and _ROUND_BAR.match(line) and page.visible(index):
            bars += 1
    return seats > 1 and (bars > 0 or seats > 3)


def _read_plain(page: Page) -> Reading | None:
    starts: list[Start] = []
    ends: list[int] = []
    number: RoundNumber | None = None
    container = 0
    dead = False
    for index in range(page.first, len(page.lines)):
        line = page.lines[index]
        if not page.visible(index):
            continue
        bar = _ROUND_BAR.match(line)
        if bar:
            parsed = rounds.parse(bar["text"])
            dead = parsed is None or parsed.refused
            number = None if parsed is None else parsed.number
            container += 1
            ends.append(index)
            continue
        if _NOTICE.match(line.strip()):
            ends.append(index)
            continue
        seat = _SEAT.match(line) if line.startswith("[[") else None
        chat = _CHAT.match(line) if seat is None else None
        if (seat is None and chat is None) or dead:
            continue
        match = seat or chat
        assert match is not None
        name = names.clean(match["name"])
        if name is None:
            continue
        if seat is not None and seat["you"]:
            # "[[You] [1] Imre]": the person, speaking to seat 1.
            name = names.Name("You", addressee=name.speaker, kind="human")
        body = chat.end() if chat is not None and chat.end() < len(line) else None
        starts.append(Start(index, 0, body, name, number, container, "council-plain"))
    return Reading(tuple(starts), tuple(ends), kind="debate") if len(starts) > 1 else None


MARKDOWN = Dialect("council-markdown", _matches_markdown, lambda page: _read(page, "markdown"))
ADR = Dialect("council-adr", _matches_adr, lambda page: _read(page, "adr"))
SHARE = Dialect("council-share", _matches_share, lambda page: _read(page, "share"))
PLAIN = Dialect("council-plain", _matches_plain, _read_plain)
