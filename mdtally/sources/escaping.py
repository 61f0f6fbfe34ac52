"""Texts of a conversation, such that in a note nothing in them acts on what stands around them."""

from __future__ import annotations

from mdtally.events.tools import VERBS
from mdtally.text.layout import COMMENT
from mdtally.text.lines import scan
from mdtally.text.regex import regex

# What may not stand in a file that people open in terminals and editors: control characters, marks that turn the order
# of letters, halves of characters.
_CONTROL = regex("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE_END = regex(r"\r\n?")
# "**Me:** I said", "  **agent:**", "**[Agent]:** x"
_LABEL = regex(r"(?i)^(\W*?)\*\*(?=\W*(?:me|agent)\W*:\*\*)")
# "> read src/app.py" in a text is not a call of a tool.
_CALL = regex(rf"^(\s*)>(?=\s*(?:{'|'.join(VERBS)}|interrupted|refused|answered|failed|attached|not in this note)\b)")
# "```python", "~~~", "<pre>"; "<!-- a comment", "%% one of Obsidian's", and "<<<<<<< HEAD", a conflict of git's
_OPENS = regex(r"(?i)`{3,}|~{3,}|<(?=(?:pre|script|style|textarea)\b)")
_COMMENT = regex(r"(?<!\\)<!--|(?<![\w%\\])%%|^<{7}(?= |$)(?! SEARCH\s*$)")
_TICKS = regex(r"`+")
# Without one of these a text holds none of all that.
_MAY_ACT = regex(r"\*\*|[<>]|%%|`{3}|~{3}")


def clean(text: str) -> str:
    """The text with LF line ends, and with control characters as Python writes them."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], _LINE_END.sub("\n", text))


def escape_text(text: str) -> str:
    """The text with a backslash before what would open a turn, a comment or a block that is never closed."""
    before = "" if _MAY_ACT.search(text) else text
    while before != text:
        before, lines = text, text.split("\n")
        layout = scan(lines)
        for index, line in enumerate(lines):
            line = _LABEL.sub(r"\1\\*\\*", line)
            if not layout.hidden[index] or layout.kinds[index] == COMMENT:
                line = _CALL.sub(r"\1\\>", _COMMENT.sub(r"\\\g<0>", line))
            lines[index] = line
        for fence in layout.fences:
            if fence.last is None or fence.inner is not None:
                lines[fence.first] = _OPENS.sub(r"\\\g<0>", lines[fence.first], count=1)
        text = "\n".join(lines)
    return text


def literal(text: str) -> str:
    """A text of one line with a backslash before what would open a comment or inline code."""
    return _COMMENT.sub(r"\\\g<0>", text.replace("`", "\\`"))


def fence_text(text: str) -> str:
    """The text as a block of code, whatever stands in it."""
    marks = "`" * max(3, 1 + max((len(ticks) for ticks in _TICKS.findall(text)), default=0))
    return f"{marks}text\n{text}\n{marks}"


def in_code(words: str) -> str:
    """Words of one line as inline code."""
    marks = "`" * (1 + max((len(ticks) for ticks in _TICKS.findall(words)), default=0))
    space = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{marks}{space}{words}{space}{marks}"
