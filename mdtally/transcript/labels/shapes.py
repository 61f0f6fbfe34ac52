"""Lines that may be a turn's label, taken apart: one function for declared names and for guessing.

A line has a form, a zone that may hold the name, what stands beside the name, and the text behind:

    heading        all of it is the zone           ### 1. CTO: Ana (opening)
    bold           what the marks enclose          **Ana:** text   **Ana** (CTO): text   **Ana** [10:12]:   <b>Ana:</b>
    bold, text     the same, with no colon         **Ana.** text   **Ana** — text
    bold, line                                     **Ana**   _**Ana (10:12)**_   **[Ana — round 1]**
    bracket                                        [Ana] text   [[Ana]]: text   【Ana】text   <ana> text
    no mark        up to the first separator       Ana: text   12:01 - Ana (CTO): text   Ana - text   Ana > text
    emoji          the same, an emoji first        🗣️ Ana (Round 1): text
    no mark, line  a short line of its own         Ana   Ana 12:01
    time           a line of a chat                [12:01] <ana> text   Ana 12:01
    callout, row                                   > [!quote] Ana   | Ana | text |

and the same inside a quote or a list's item.

Whether it means a voice is decided over the whole page: declared names open turns wherever they are the zone or a part
of it (`participants`), others where they look and behave like voices (`structure`).
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from mdtally.text import words
from mdtally.text.layout import Heading, Layout
from mdtally.text.line_parts import EMOJI
from mdtally.text.names import Name, clean, is_capitalised, kind_of
from mdtally.text.records import by_key, record, replace
from mdtally.text.regex import regex
from mdtally.text.times import BADGE, STAMP, UNTIL, Timed

_TAG: Final = r"</?(?!https?:)[A-Za-z][A-Za-z1-6]*(?:\s[^<>]{0,200})?/?>"
# What makes a line a quote, a callout, a list item, or a table's row.
_WRAP = regex(
    r"\s*(?P<quote>(?:>\s?)+(?P<callout>\[!\w+\][+-]?\s*)?)?(?P<item>(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?"
    r"(?P<row>\|\s*(?:#?\d{0,4}\.?\s*\|)?)?"
)
# "#USER:", which without a space makes no heading
_HASHED = regex(rf"#{{1,6}}(?={words.either('humans', 'agents', 'models')}[:：]\s*$)", re.IGNORECASE)
# What may stand before the zone: "12:01 - ", "1️⃣ ", "1\. ", "#3 [stage] ", "Round 1 — ", "**From:** ", "<p>", "@", "==="
_BEFORE = Timed(
    rf"(?:\s+|{STAMP}[\s,，|>–—-]*|\d?[{EMOJI}]+|[#(]?\d{{1,3}}(?:\.\d+)*(?:\\?[.):])?\s+|\[[^\[\]\n]{{1,20}}\]\s+(?=\S)"
    r"|[=━─~]{2,}\s|-{2,}\s|@(?=\w)|[—–]\s+(?=[^:：\n]{1,60}[:：])|:[a-z][a-z0-9_+-]*:\s|!\[[^\[\]\n]*\]\([^()\s]*\)\s"
    r"|<(?:[ipu]|em|h[1-6]|div|details|summary|span|small|font|center|td|tr|li|dt)(?:\s[^<>]{0,200})?>"
    rf"|(?:\*\*)?{words.either('announces', 'announces-counted', 'announces-known')}(?:\s\d{{1,3}})?"
    r"\s*(?::\*\*|\*\*:|[:：]|\s[—–-]+\s))*",
    2,
)
_MARKED = regex(
    r"(?:[*_]{2,4}|<b>|<strong>)(?!\s)(?P<bold>[^\n]{1,160}?)(?:[*_]{2,4}|</b>|</strong>)"
    r"|[*_](?![\s*_])(?P<italic>[^\n*]{1,80})[*_](?!\w)|\[(?P<link>[^\[\]\n]{1,80})\]\([^()\s]{0,300}\)|\[\[(?P<wiki>[^\[\]\n]{1,120})\]\]"
    r"|\[(?P<bracket>(?:\[[^\[\]\n]{1,20}\]\s*)*[^\[\]\n]{1,80})\](?![(\[])|【(?P<square>[^【】\n]{1,60})】|<(?P<angle>[^<>\n]{1,60})>",
    2,
)
# "**From:** Ana" alone on its line, as messages in files begin.
_FROM = regex(rf"(?i)\*\*{words.either('announces')}\s*(?::\*\*|\*\*:)\s+(?P<zone>[^*:\n]{{1,60}})$")
# Where a zone without marks may end.
_CUT = Timed(
    rf"\s*(?:[:：(（\[<「『|·•>—–→*`~]|_(?!\w)|[-=]>|\s-+\s)|\s+(?={STAMP})|\s{{2,}}|\s+[=━─~-]{{2,}}\s*$|\s*$"
)
# What stands beside a name and is not text: "(CTO)", "[10:12]", "→ Ben", "· 12:01", "#gpt", an emoji, marks that close.
# The group is atomic and gives no space back, because a row of marks can be parted in more ways than there is time for.
_BEHIND = Timed(
    rf"(?>(?:\s*+(?:[*_`~]+|{_TAG}|[{EMOJI}]+|\([^()\n]{{1,80}}\)|（[^（）\n]{{1,80}}）|\[[^\[\]\n]{{1,60}}\]"
    rf"|(?<=\s)#[^\W\d][\w/-]*|[|·•@—–-]?\s*+[`*_]*+{STAMP}[`*_]*|(?:→|[-=]>)\s?[^:：\n]{{1,60}}?(?=[:：]|\s*$)))*)"
    rf"(?P<stop>\s*(?P<colon>[:：])(?:[*_`~]+(?=\s|$)|</\w+>)*|\s*>\s|\s*[|·•]|(?P<dash>\s+-+\s|\s*[—–]+)"
    rf"|(?=[「『])|\s*[=━─~-]{{2,}}\s*$|\s*$|(?:(?<=:\d\d[\])`])|(?<=:\d\d\.\d\d[\])`])|(?<=:\d\d\.\d\d\d[\])`]))\s)"
)
# "-- Ana --------"
_RULED = regex(r"[=━─~-]{2,}\s.*?\s[=━─~-]{2,}\s*$")
# A zone without marks that may be a name though nobody declared it, and a colon that is none of a time or path.
_LIKE_A_NAME = regex(rf"[\s{EMOJI}]*@?[^\W_](?:[-=]>|[^|>*`#\[\]{{}}=;!?。]){{0,70}}")
_SAYS = regex(r"\s*(?:：|(?<=[^\x00-\x7f]):|:(?=\s|$|[^\x00-\x7f])|(?<=\s)>)")
# A quick look: marks or brackets at the line's beginning, or a colon behind a few words.
_MAY_BE_SET_OFF = regex(
    r"(?:</?[A-Za-z][^<>\n]{0,80}>|[\W_\d]){0,40}?"
    r"(?:\*\*|__|_\*|\*_|<b>|<strong>|[\[【]|[^\W_](?:[-=]>|[^|>*`#{}=;!?。\n]){0,70}?(?:[:：](?!//)|\s>\s))",
    2,
)
# "**Ana** — I would wait." and not "**Ana** — opening": a sentence, or longer than what stands beside a name
_SENTENCE = regex(r".*[.!?…。！？][\"”’'»)*_]*\s*$|.{61,}")
_TIMED = Timed(STAMP)
_CLOSING = regex(r"(?:</\w+>|[*_`~]+(?=\s|$))*")
_FACE = regex(rf"\s*[{EMOJI}]")
_CHAT_NAME: Final = r"[^\W\d](?:[\w .'’-]{0,38}[\w.])?"
# "[12:01] <ana> ...", "**[Ana - 12:01]:** ...", "12:01 - Ana: ...", "<ana> ...", "[12:01] Ana"; "Ana at 12:01"
_CHAT = Timed(
    rf"\s*(?:[*\[<@]*{STAMP}[\s,|*–—-]*[*<\[@]*(?P<behind>{_CHAT_NAME})(?:(?:\*\*)?[>\]:]+\**|\s*$|\s\|(?=\s))"
    rf"|<(?P<angle>[\w.-]{{1,20}})>(?=\s)"
    rf"|[*<\[@]*(?P<before>{_CHAT_NAME})(?<! at| um)(?<! à)[*\]]*[\s·|,(\[–—-]+"
    rf"(?:(?:at|um|à) )?{STAMP}{UNTIL}\]?:?\**(?=\s|$))\s*"
)
_TIME_ALONE = Timed(rf"\s*{BADGE}{STAMP}\s*$")
_MAY_BE_CHAT = regex(r"\s*<|.{0,50}\d")
_ALONE = regex(rf"(?P<mark>[*_]?)[{EMOJI}\s]*(?P<name>[^\W\d_][\w .'’-]{{0,38}}?)(?P=mark)\s*$")
_WORD = regex(r"\s*([^\W_]+)(?:[ -][\w.]{1,9}){0,2}\s*$")  # "user", "ChatGPT", "GPT-4o mini", "Claude Opus 4.5"
_COUNTER = regex(r"a [prt]$")  # "A_P: 3"

_BELOW: Final = dict.fromkeys(("", "agent"), words.table("humans", "models")) | {"human": words.table("models")}
"""By the kind of who spoke last, if anybody did, the names that may stand alone right below that."""

NOTICE: Final = "\u200e"
"""What WhatsApp puts before its own words: "[5.4.24, 20:41] Porto trip: \\u200eMessages are end-to-end encrypted"."""

MOST: Final = 100_000
"""How many labels are collected: a page with more is not a guess worth its memory."""


Inside = Literal["", "item", "quote", "callout", "row"]
_INSIDE: Final[tuple[Inside, ...]] = ("row", "callout", "quote", "item")


@record
class LabelForm:
    """What the labels of one form have in common: the key by which labels are grouped.

    Attributes:
        inside: what the label stands in; "" for the text itself.
        mark: what sets the name off; "" for nothing.
        level: of a heading, else 0.
        stop: what ends the label: a colon or what stands for one, the text behind it, the line, or a time on the next.
    """

    inside: Inside = ""
    mark: Literal["", "heading", "bold", "bracket", "at", "arrow", "emoji", "time", "glyph"] = ""
    level: int = 0
    stop: Literal["colon", "text", "line", "time"] = "colon"

    @property
    def is_listed(self) -> bool:
        """True in a list, a quotation or a table, where opinions and votes stand, too."""
        return self.inside in ("item", "quote", "row")


@record
class Label:
    """A line that is, or may be, a turn's label.

    Attributes:
        row: index of its line.
        column: offset of the label in its line.
        body: offset of the text behind the label on the same line; None if there is none.
        name: who speaks, with what the label says besides.
        form: its form.
        end: offset at which the text on the label's line ends; None for the line's end.
    """

    row: int
    column: int
    body: int | None
    name: Name
    form: LabelForm
    end: int | None = None


@record
class Opening:
    """A line taken apart at one of the places where a name may end.

    Attributes:
        form, column, body, end: as a label has them.
        zone: the text that may be the name, or hold it.
        shown: the label with all that is said beside the name.
        whole: True if all of the zone has to be the name, False if a part of it may be.
        set_off: True if it may be a label though nobody declared its name.
        dashed: True if nothing but a dash stands between a zone without marks and the text: "Ana - text".
    """

    form: LabelForm
    column: int
    zone: str
    shown: str
    body: int | None = None
    end: int | None = None
    whole: bool = False
    set_off: bool = True
    dashed: bool = False


@lru_cache(1 << 15)  # after an edit of the file nearly all lines are as they were
def _label_on(line: str, level: int, title: str) -> tuple[int, int | None, Name, LabelForm] | None:
    """Column, body, name and form of the label that a line may be; of a heading with its level and text."""
    if not level and not _MAY_BE_SET_OFF.match(line):
        return None
    every = (one for one in openings(line, Heading(0, level, title) if level else None) if one.set_off)
    named = ((one, name) for one in every if (name := clean(one.shown)) is not None)
    return next(((one.column, one.body, name, one.form) for one, name in named), None)


def candidates(lines: Sequence[str], first: int, layout: Layout) -> list[Label]:
    """Every line that may be a label, in order; also what only a name that comes back makes likely: a name alone on a
    line, or one in a chat.

    None of a page with too many headings: nobody can say which are labels.

    Args:
        lines: every line of the file.
        first: index of the first line below the frontmatter.
        layout: what is code; nothing there is a label.
    """
    labels, chat, alone, above, last = list[Label](), list[Label](), list[Label](), -2, ""
    closeness = Counter[str | None]()  # by kind, how many names alone stand right below words, less the others
    for row, line, heading in visible(lines, first, layout) if len(layout.headings) <= MOST else ():
        label = _label_on(line, heading.level if heading else 0, heading.text if heading else "")
        if label and not _COUNTER.match(label[2].key):
            labels.append(Label(row, *label))
            last = last if (kind := kind_of(label[2])) is None else kind if label[1] is None else "other"
        elif heading is None:
            said = _CHAT.on(line).match(line) if _MAY_BE_CHAT.match(line) and not _is_time_alone(line) else None
            is_timed = row + 1 < len(lines) and len(line) < 60 and _is_time_alone(lines[row + 1])
            is_fresh = is_timed or above < row - 1
            # "ChatGPT" right below a question, "User" right below its answer
            word = None if is_fresh else _WORD.match(line)
            may_be_name = len(line) < 60 and (is_fresh or (word and word[1].casefold() in _BELOW.get(last, ())))
            bare = _ALONE.match(line) if said is None and may_be_name else None
            if said is not None and (name := clean(said[said.lastgroup or 0])) is not None:
                body = said.end() if said.end() < len(line) else None
                form = LabelForm(mark="time", stop="line" if said["before"] else "colon")
                chat.append(Label(row, 0, body, name, form))
            elif bare and (name := clean(bare["name"])):
                kind = kind_of(name)
                if (is_fresh and is_capitalised(name.speaker)) or (kind and (is_fresh or closeness[kind] >= 0)):
                    closeness[kind] += (-1 if is_fresh else 1) if alone else 0  # the page's first tells nothing
                    alone.append(Label(row, 0, None, name, LabelForm(stop="time" if is_timed else "line")))
                    last = kind or last
        above = row
        if len(labels) == MOST:
            break
    often = [found for found in (chat, alone) if len({label.name.key for label in found}) < len(found) > 2]
    every = sorted((*labels, *itertools.chain(*often)), key=lambda label: (label.row, label.column))
    return list(itertools.dropwhile(lambda label: lines[label.row].startswith(NOTICE, label.body), every))


def by_form(labels: Sequence[Label]) -> dict[LabelForm, list[Label]]:
    """The labels by form; where the names that come back always have a time, without those that never do in few turns.

    "User: Hi" is said there, or a whole dialogue is pasted. Nor those that are only quoted; a heading is nowhere said.
    """
    found = by_key((label.form, label) for label in labels)
    for form, alike in found.items():
        if form.level:
            continue
        timed = [label for label in alike if "time" in label.name.cut]
        rows, counts = [label.row for label in timed], Counter(label.name.key for label in timed)
        bare = {(label.name.key, bisect(rows, label.row)) for label in alike if "time" not in label.name.cut}
        turns = Counter(key for key, _ in bare)
        if turns and len(counts) > 1 and not counts.keys() & turns.keys():
            rare = {key for key, count in turns.items() if 3 * count <= counts.most_common(2)[1][1]}
            alike = [label for label in alike if label.name.key not in rare]
        plain = Counter(label.name.key for label in alike if "verb" not in label.name.cut)
        labels_below = itertools.zip_longest(alike, alike[1:])
        found[form] = [one for one, below in labels_below if plain[one.name.key] < 2 or not _is_quoted(one, below)]
    return found


def _is_quoted(label: Label, below: Label | None) -> bool:
    """True for a person's "You said: no" that no other voice answers: where labels are "You: ", an answer says it."""
    is_answered = below and below.name.key != label.name.key
    return "verb" in label.name.cut and kind_of(label.name) == "human" and not is_answered


@lru_cache(1 << 15)
def _is_time_alone(line: str) -> bool:
    return bool(_TIME_ALONE.on(line).match(line))


def visible(lines: Sequence[str], first: int, layout: Layout) -> Iterator[tuple[int, str, Heading | None]]:
    """Every line that is neither code nor blank: its index, the line, and the heading that it is."""
    headings = iter(layout.headings)
    heading = next(headings, None)
    for index in range(first, len(lines)):
        while heading is not None and heading.row < index:
            heading = next(headings, None)
        if not layout.hidden[index] and lines[index] and not lines[index].isspace():
            yield index, lines[index], heading if heading is not None and heading.row == index else None


def openings(line: str, heading: Heading | None = None, *, fresh: bool = False) -> Iterator[Opening]:
    """Every way to take a line apart as a label, the likeliest first.

    Args:
        line: a line that is not blank.
        heading: the heading that it is, if it is one.
        fresh: a paragraph may begin here, so that a name may stand alone.
    """
    text, column, form = line, 0, LabelForm()
    if heading is not None:
        text, form = heading.text, LabelForm(mark="heading", level=heading.level, stop="line")
    elif line.startswith("#") and (hashed := _HASHED.match(line)):
        column = hashed.end()
    elif wrap := _WRAP.match(line):
        column, form = wrap.end(), LabelForm(next((inside for inside in _INSIDE if wrap[inside]), ""))
    if sender := _FROM.match(text, column):
        yield Opening(replace(form, mark="bold", stop="line"), column, sender["zone"], sender["zone"])
    before = _BEFORE.on(text).match(text, column)
    for at in dict.fromkeys((column, before.end() if before else column)):
        if heading is not None or form.inside == "callout":
            yield Opening(form, len(line) - len(line.lstrip()), text[at:], text[column:], set_off=bool(text[column:]))
        else:
            yield from _openings_at(line, at, column, form, fresh)


def _openings_at(line: str, at: int, column: int, form: LabelForm, fresh: bool) -> Iterator[Opening]:
    """The openings of a line that is not a heading, with a name that begins at an offset."""
    marked = _MARKED.match(line, at)
    if marked is not None and marked.lastgroup == "italic":
        if behind := _BEHIND.on(line).match(line, marked.end()):
            one = _with_text(line, column, form, marked["italic"].rstrip(":："), at, behind)
            yield replace(one, whole=True, set_off=False)
    elif marked is not None:
        kind = marked.lastgroup or ""
        form, zone = replace(form, mark="bold" if kind == "bold" else "bracket"), marked[kind].rstrip()
        behind = _BEHIND.on(line).match(line, marked.end())
        if zone.endswith((":", "：")):
            end = _CLOSING.match(line, marked.end())
            yield Opening(form, column, zone, line[column:at] + zone, _text(line, end.end() if end else 0))
        elif behind is not None:
            one = _with_text(line, column, form, zone, at, behind)
            set_off = kind not in ("link", "angle") and (behind["colon"] is not None or one.body is None)
            yield replace(one, set_off=set_off and form.inside != "row")
        elif kind in ("bracket", "square", "angle") or zone.endswith("."):
            form = replace(form, stop="text") if kind == "bold" else form
            body = _text(line, marked.end())
            shown = line[column:at] + zone.rstrip(".")
            yield Opening(form, column, zone.rstrip("."), shown, body, whole=True, set_off=kind != "angle")
        return
    for cut in _CUT.on(line).finditer(line, at):
        zone = line[at : cut.start()].strip()
        behind = _BEHIND.on(line).match(line, cut.start()) if zone else None
        if behind is not None and (fresh or form.inside or behind["stop"] or line[at - 1 : at] == ">"):
            one = _with_text(line, column, form, zone, at, behind)
            ends = _SAYS.match(line, behind.start("stop")) or _RULED.match(line, column)
            set_off = bool(ends and _LIKE_A_NAME.fullmatch(zone))
            if set_off and not form.inside and "->" in line[cut.start() : behind.start("stop")]:  # as diagrams have it
                one = replace(one, form=LabelForm(mark="arrow"))
            elif set_off and not form.inside and (_FACE.match(line, column) or line[column] in "[@"):
                signs: dict[str, Literal["bracket", "at"]] = {"[": "bracket", "@": "at"}
                one = replace(one, form=LabelForm(mark=signs.get(line[column], "emoji")))
            dashed = one.body is not None and behind["dash"] is not None
            timed = one.body is None and _LIKE_A_NAME.fullmatch(zone) and _TIMED.on(line).search(line, cut.start())
            yield replace(one, whole=not timed, set_off=set_off and form.inside != "row", dashed=dashed)
        if cut.start() > at + 99 or len(zone) > 60 or (behind is not None and behind["colon"]):
            return


def _with_text(line: str, column: int, form: LabelForm, zone: str, at: int, behind: re.Match[str]) -> Opening:
    """A zone with the text behind its separator."""
    body, shown = _text(line, behind.end()), line[column : behind.start("stop")]
    if form.inside == "row":
        end = line.rstrip().rfind("|") if body else None
        return Opening(LabelForm("row"), column, zone, zone, body, end, set_off=False)
    if body and behind["dash"] and not _SENTENCE.match(line, body):
        body, shown = None, line[column:]
    if not behind["colon"] and (form.mark == "bold" or not (form.mark or body)):
        form = replace(form, stop="text" if body else "line")
    return Opening(form, column, zone, shown, body)


def form_of_line(line: str) -> LabelForm | None:
    """The form of a line that is not a heading and may be a label of anybody; None for any other."""
    return next((one.form for one in openings(line) if one.set_off), None)


def _text(line: str, offset: int) -> int | None:
    """Offset of the first text from here on; None if there is none."""
    text = line[offset:].lstrip()
    return len(line) - len(text) if text else None
