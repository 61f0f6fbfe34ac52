"""Setting the keys of a head line by line, in one way for YAML, TOML and JSON.

Simple on purpose: a key is found by the line that begins with it, and its value is what stands behind it and on the
deeper lines below. Where a head is written in another way (in braces, in strings over several lines), what comes out
is wrong, and is never used: ``mdtally.frontmatter`` reads every edit again before it hands it out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from mdtally.frontmatter.text import REMOVED, inner, scalar, written
from mdtally.model import Source
from mdtally.regex import regex

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# A value on its key's line: white space, a quoted string or any text.
_VALUE = r"""([ \t]*)(?:"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\r\n]|'')*'|[^\s#][^\r\n]*?|)"""
# A comment at the end of any line of a longer value.
_COMMENT = regex(r"""(?:\A|[ \t])(\#[^\r\n"']*)[\r\n]*\Z""")
_TABLE = regex(r"[ \t]*\[")
# Strings that every YAML reader takes as that string when unquoted, in flow and in block style.
_PLAIN = regex(r"[A-Za-z_](?:[\w .+/%()=-]*[\w.+/%()=-])?\Z", re.ASCII)
# Words that some version of YAML reads as a boolean, null or number.
_RESERVED = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"])


class _Form(NamedTuple):
    """How a syntax writes a pair on a line of its own.

    Attributes:
        key: what matches a key, its name being KEY, with what separates it from the value.
        pair: a key and its value.
        tail: what matches all that may stand behind a value.
        further: what matches a line, from its key's indentation on, that goes on with the value above it.
        end: what ends a line.
        is_yaml: text may stand without quotes, and a mapping on the deeper lines below its key.
    """

    key: str
    pair: str
    tail: str
    further: str
    end: str = ""
    is_yaml: bool = False

    def value(self, value: object) -> str:
        """A value as text; a mapping on one line."""
        if isinstance(value, Mapping):
            return "{" + ", ".join(self.pair.format(key, scalar(item)) for key, item in value.items()) + "}"
        is_plain = self.is_yaml and isinstance(value, str) and _PLAIN.match(value) and value.lower() not in _RESERVED
        return str(value) if is_plain else scalar(value)

    def lines(self, key: str, value: object, start: str, newline: str) -> list[str]:
        """The lines of a pair, beginning with an indentation; none if it is to be removed."""
        if value is REMOVED:
            return []
        if self.is_yaml and isinstance(value, Mapping):
            deeper = (self.lines(name, item, start + "  ", newline) for name, item in value.items())
            return [f"{start}{key}:{newline}", *(line for lines in deeper for line in lines)]
        return [f"{start}{self.pair.format(key, self.value(value))}{self.end}{newline}"]


_HASH = r"([ \t]*|[ \t]+\#[^\r\n]*)"
_FORMS = {
    "yaml": _Form(r"KEY[ \t]*:(?!\S)", "{}: {}", _HASH, r"[ \t-]", is_yaml=True),
    # Also the header of a table, to which all lines belong until the next one.
    "toml": _Form(r"(?:KEY[ \t]*=|\[[ \t]*KEY[ \t]*\](?=[ \t\r\n]))", "{} = {}", _HASH, r"(?!)"),
    "json": _Form(r"KEY[ \t]*:", '"{}": {}', r"([ \t]*,?[ \t]*)", r"[ \t\]}]", end=","),
}


def edited(source: Source, old: Mapping[str, object], updates: Mapping[str, object]) -> str:
    """The head with top-level keys set, old being its values as written: right only if it reads back so; see
    ``mdtally.frontmatter.edit``.
    """
    head, newline, form = source.head, source.newline, _FORMS[source.head_format or "yaml"]
    if source.head_format is None:
        return "".join(["---" + newline, *_set([], {}, updates, form, newline), "---" + newline])
    if source.head_format != "json":
        start, end = inner(head)
        lines = _set(_LINE.findall(head[start:end]), old, updates, form, newline)
        return head[:start] + "".join(lines) + head[end:]
    # Each pair gets a comma, and the last one's goes again.
    start, end = head.index("{") + 1, head.rindex("}")
    pairs, space = _stripped(head[start:end])
    lines = _set(_LINE.findall((pairs and pairs + ",") + space) or [newline], old, updates, form, newline)
    pairs, space = _stripped("".join(lines))
    return head[:start] + pairs.removesuffix(",") + space + head[end:]


def example(source: Source, updates: Mapping[str, object]) -> str:
    """How the first of the keys to set stands on a line of its own."""
    form = _FORMS[source.head_format or "yaml"]
    return next((form.lines(key, new, "", "")[0] for key, new in updates.items() if new is not REMOVED), "key: value")


def _set(
    lines: list[str], old: Mapping[str, object], updates: Mapping[str, object], form: _Form, newline: str
) -> list[str]:
    """The lines of a mapping with keys set; what reads as its new value already stays, new keys come last."""
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    indent = first[: len(first) - len(first.lstrip())]
    for key, new in updates.items():
        before = old.get(key, REMOVED)
        if written(new) == before:
            continue
        name = re.escape(key)
        head = re.compile(indent + form.key.replace("KEY", f"""(?:{name}|"{name}"|'{name}')"""))
        found = ((at, match) for at, line in enumerate(lines) if (match := head.match(line)))
        at, opening = next(found, (0, None)) if before is not REMOVED else (0, None)
        if opening is None:
            place = _above_tables(lines) if form is _FORMS["toml"] else len(lines)
            above = [line if line.endswith(("\n", "\r")) else line + newline for line in lines[:place]]
            lines = [*above, *form.lines(key, new, indent, newline), *lines[place:]]
            continue
        end = _end_of(lines, at, indent, r"(?!\[)" if opening[0].endswith("]") else form.further)
        value = re.compile(_VALUE + form.tail + r"([\r\n]*)\Z").match(lines[at], opening.end())
        if isinstance(new, Mapping) and isinstance(before, Mapping) and end > at + 1 and form.end == "":
            # Key by key, so that the comments between them stay where they are.
            gone = dict.fromkeys(before.keys() - new.keys(), REMOVED)
            replaced = [lines[at], *_set(lines[at + 1 : end], before, {**new, **gone}, form, newline)]
        elif value and end == at + 1 and new is not REMOVED and not (form.is_yaml and isinstance(new, Mapping)):
            replaced = [f"{lines[at][: value.start()]}{value[1] or ' '}{form.value(new)}{value[2]}{value[3]}"]
        else:
            replaced = form.lines(key, new, indent, newline)
            replaced += (f"{indent}{m[1]}{newline}" for m in map(_COMMENT.search, lines[at:end]) if m)
        lines = [*lines[:at], *replaced, *lines[end:]]
    return lines


def _end_of(lines: list[str], at: int, indent: str, further: str) -> int:
    """Where the lines of a key's value end: behind the last that goes on with it and is no comment."""
    goes_on, end = re.compile(indent + further), at + 1
    for number in range(at + 1, len(lines)):
        text = lines[number].strip()
        if text and not text.startswith("#"):
            if not goes_on.match(lines[number]):
                break
            end = number + 1
    return end


def _above_tables(lines: list[str]) -> int:
    """Where pairs end and tables begin in TOML: above the comments that stand on the first table."""
    # A bracket may open a line of a long string or list, too: then what stands above it is not whole.
    tables = (at for at, line in enumerate(lines) if _TABLE.match(line) and _is_toml("".join(lines[:at])))
    place = next(tables, len(lines))
    while 0 < place < len(lines) and lines[place - 1].strip()[:1] in ("", "#"):
        place -= 1
    return place


def _is_toml(text: str) -> bool:
    """True for whole TOML."""
    import tomllib

    try:
        tomllib.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except (ValueError, RecursionError):
        return False
    return True


def _stripped(text: str) -> tuple[str, str]:
    """A text without the white space at its end, and that white space."""
    return text.rstrip(), text[len(text.rstrip()) :]
