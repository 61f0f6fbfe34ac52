"""A label to the pattern that it is one of: the name is `{speaker}`, what stands beside it becomes fields.

What stands in brackets, behind an arrow or a dash is a field, a number is `{number}`, a time `{time}`, the text on the
label's line `{text}`; all else stays as it is written. A label that has no name in it becomes a pattern for one voice.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from mdtally.text import rounds
from mdtally.text.line_parts import EMOJI, LABEL_TAIL
from mdtally.text.names import Name, plain
from mdtally.text.regex import regex
from mdtally.text.times import STAMPS
from mdtally.transcript.labels.shapes import Label

DIGITS = regex(r"\d+(?:\.\d+)*")
"""A number as labels count by it: "3", "2.1"."""
TELLING = 60
"""How many characters of a line tell it from others."""
# An emoji at the line's beginning or right before the name, which a pattern need not have.
_FACES = regex(rf"^(?:\d?[{EMOJI}]+\s*)+|(?:\d?[{EMOJI}]+\s*)+$")
# What a label says behind the name: "(CTO)", "[10:12]", "→ Ben", "— opening".
_PIECE = regex(
    r"\((?P<round>[^()]+)\)|（(?P<wide>[^（）]+)）|\[(?P<square>[^\[\]]+)\]"
    r"|(?P<arrow>(?:→|--?>|==?>)\s*)(?P<to>\*\*[^:：*]+\*\*|[^\s:：*\])][^:：*\])]*?)(?=\s*(?:[:：*\])]|$))"
    r"|(?<=\s)(?P<dash>[—–·|-])\s+(?P<stage>[^:：*()\[\]—–·|]+?)(?=\s*(?:[:：*\])—–·|]|\s-\s|$))"
)
# "### Ana: ✅ accepted", "## Prompt 2: why?": a heading goes on behind a colon; "### 用户：为什么"
_TITLED = regex(r"(\s*#?\d*(?::(?=\s)|：))(\s*)\S")
_LABEL_TAIL = regex(rf"{LABEL_TAIL}$")
_COLON = regex(r"(?:[:：]\*\*|\*\*[:：]|[:：])\s*$")
_LONGEST = 200
"""Characters before or behind a name from which on anything may stand there."""


def template_of(
    line: str,
    label: Label,
    names: Collection[str] = (),
    *,
    is_wide: bool = False,
    is_round: bool = False,
    is_said: bool = False,
) -> tuple[str, str]:
    """The pattern of a label's line, and the name as it is written there; "" for the name if the line has none.

    Args:
        line: the label's line.
        label: the label.
        names: further spellings of its voice.
        is_wide: anything may stand behind the name, where a heading's end or a colon shows where the label ends.
        is_round: a number that is the label's round is `{round}`.
        is_said: what stands behind a colon in a heading is said there.
    """
    tail = line[label.end :].strip() if label.end is not None and label.body is not None else ""
    text = "" if label.body is None else " {text}" if line[label.body - 1].isspace() else "{text}"
    text += f" {tail}" if tail else "\n{time}" if label.form.stop == "time" else ""
    written = line.rstrip() if label.body is None else line[: label.body]
    headed = label.form.mark == "heading"
    if headed and is_said and (titled := _match_title(line, label)):
        written, text = line[: titled.end(1)], " " * bool(titled[2]) + "{text}"
    template, spelt = _template(written, label.name, tuple(names), headed, is_wide, is_round)
    # Of a line of thousands of characters only fields are left: the last one takes all the rest.
    return ("{any}{speaker}" if text and template == "{any}{speaker}{any}" else template) + text, spelt


def is_titled(line: str, label: Label) -> bool:
    """True if a heading goes on behind the name and a colon: "## User: list the files"."""
    return label.form.mark == "heading" and _match_title(line, label) is not None


def _match_title(line: str, label: Label) -> re.Match[str] | None:
    found = find_name(line, 0, len(line), label.name.speaker)
    return _TITLED.match(line, found.end()) if found else None


@lru_cache(4096)  # most labels of a page say the same
def _template(
    line: str, name: Name, names: tuple[str, ...], is_headed: bool, is_wide: bool, is_round: bool
) -> tuple[str, str]:
    """The template of a line up to its text, and the name as it stands there."""
    lead, stop = len(line) - len(line.lstrip()), len(line)
    found = next((hit for one in (name.speaker, *names) if (hit := find_name(line, lead, stop, one))), None)
    if found is None:
        return literal(line[lead:].rstrip())[:_LONGEST] + "{any}" * (stop - lead > _LONGEST), ""
    used: set[str] = {"speaker"}
    before = _with_fields(_FACES.sub("", line[lead : found.start()]), name, used, is_round)
    behind = _LABEL_TAIL.sub("", line[found.end() :].rstrip())
    colon = _COLON.search(behind)
    if behind and behind == name.note and "stage" in name.cut:  # "正方申論"
        behind = "{stage}"
    elif is_wide and (is_headed or colon):
        behind = "{any}" + ("" if is_headed or not colon else colon.group().rstrip())
    elif is_headed and (titled := _TITLED.match(behind)):
        behind = _with_fields(titled[1], name, used, is_round) + " " * bool(titled[2]) + "{any}"
    else:
        behind = _behind(behind, name, used, is_round)
    # A line of a thousand characters makes no label, but somebody may point at it.
    return "{speaker}".join(part if len(part) < _LONGEST else "{any}" for part in (before, behind)), found.group()


def find_name(line: str, begin: int, stop: int, name: str) -> re.Match[str] | None:
    """Where a label's line has a name."""
    words = (re.escape(word).replace("'", "['’]") for word in name.split())
    wanted = r"[\s*_`\\]+".join(words)
    forms = rf"(?<![^\W_]){wanted}(?![^\W_])", wanted
    return next(filter(None, (re.compile(form, re.IGNORECASE).search(line, begin, stop) for form in forms)), None)


def literal(text: str) -> str:
    """A text as a pattern has it: nothing in it may pass for a field."""
    return re.sub(r"\{(?=[?A-Za-z_ ]*\})|\{\?|\?\}", "{any}", " ".join(text.split()))


def with_spaces(text: str) -> str:
    """A text as a pattern has it, with one space at each edge that has white space."""
    if not text.strip():
        return " " if text else ""
    return " " * text[0].isspace() + literal(text) + " " * text[-1].isspace()


def _with_fields(text: str, name: Name, used: set[str], is_round: bool) -> str:
    """What stands beside a name, with times, numbers and emoji generalised."""

    def number_field(match: re.Match[str]) -> str:
        states = is_round and name.round is not None and rounds.number_of(match.group()) == name.round
        return _field("round" if states else "number", used)

    gaps = [DIGITS.sub(number_field, with_spaces(part)) for part in STAMPS.on(text).split(text)]
    return gaps[0] + "".join(_field("time", used) + gap for gap in gaps[1:])


def _behind(text: str, name: Name, used: set[str], is_round: bool) -> str:
    """What stands behind a name: brackets, arrows and dashes hold fields."""
    shown, at = "", 0
    for piece in _PIECE.finditer(text):
        if piece["stage"] and STAMPS.on(text).match(text, piece.start("stage")):  # its colons end no label
            continue
        shown += _with_fields(text[at : piece.start()], name, used, is_round)
        kind = piece.lastgroup
        said = plain(piece[kind or 0])
        if kind == "to":
            shown += with_spaces(piece["arrow"]) + _field("to", used)
        else:
            parsed = rounds.parse(said)
            states = is_round and parsed is not None and parsed.number == name.round
            states = states and (kind != "stage" or len(said.split()) < 3)  # "Round 1", not "Phase 1 sell orders"
            inner = _with_fields(piece[kind or 0], name, used, is_round) if states else _field(_what(said, name), used)
            shown += f"{piece['dash']} {inner}" if kind == "stage" else piece.group()[0] + inner + piece.group()[-1]
        at = piece.end()
    return shown + _with_fields(text[at:], name, used, is_round)


def _what(said: str, name: Name) -> str:
    """The field for what a label says in brackets."""
    if STAMPS.on(said).search(said) and not re.search(r"[^\W\d]{3}", STAMPS.on(said).sub("", said)):
        return "time"
    found = (field for field in ("model", "addressee", "role") if getattr(name, field) and getattr(name, field) in said)
    return next(found, "stage").replace("addressee", "to")


def _field(name: str, used: set[str]) -> str:
    """A field; `{any}` if it stands in the pattern already."""
    shown = "{any}" if name in used else f"{{{name}}}"
    used.add(name)
    return shown
