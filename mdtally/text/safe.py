"""Untrusted text, made harmless for the place it is printed in.

Names, messages and lines come from transcripts, and transcripts from models and strangers. An escape sequence in a
speaker's name could repaint a terminal, a bidirectional override could show a path backwards, a newline could open a
second workflow command on a build server. So every renderer passes such text through the one function here that fits
its place, and nothing else in the program escapes anything.

A character that may not be shown is written as Python writes it: ``\\x1b``, ``\\n``, ``\\u202e``. A backslash in the
text itself stays single: the form is for reading, not for decoding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath

from mdtally.text.chars import HIDDEN, escape, without_hidden
from mdtally.text.regex import regex

# "##[stop-commands]" is a workflow command of the older form anywhere in a line of a build log.
_UNSAFE = regex(f"[\x00-\x1f{HIDDEN}]|(?<=##)\\[")
_JSON_UNSAFE = regex(f"[{HIDDEN}]")
# "::error" at a line's start, "##[error]"
_COMMAND = regex(r"^[^\S\n]*:(?=:)|##\[", re.MULTILINE)
# `mdtally turns FILE`, and behind a colon up to the end of the clause
_COMMANDS = regex(r"`mdtally [^`\n]*`|(?<=: )mdtally (?:'[^'\n]*'|[^'`\n;()])*(?<=\S)")
_HELD = "\0"
# A letter, or what colours those behind it: "\x1b[1;31m"
_LETTERS = regex("\x1b\\[[\\d;]+m|.", re.DOTALL)
# The start of an embedded link in a SARIF message: "[text](target)".
_LINK = regex(r"\[(?=[^\[\]]*\]\()")

# What Markdown or GitHub would act upon.
# "%%" opens a comment in Obsidian, "==" a highlight; a line of "=" makes a heading of the one above it.
_ACTIVE = regex(r"[\\`*_{}\[\]#!|~$^]|(?:^|(?<=[%=]))[%=]|[%=](?=[%=])")


def terminal(text: str) -> str:
    """The text as one line for a terminal or a log: whatever could steer it is shown as an escape."""
    return _UNSAFE.sub(escape, text)


def opening(text: str) -> str:
    """As ``terminal``, for the start of a line: a text such as "::add-mask::x" opens no workflow command there.

    One colon is enough to change it, as the line may go on with another.
    """
    shown = terminal(text)
    return shown.replace(":", "\\x3a", 1) if shown.lstrip().startswith(":") else shown


def excerpt(text: str) -> str:
    """As ``terminal``, for a message that repeats what somebody wrote: not longer than a person reads."""
    return clip(terminal(text), 100)


def path(filename: str) -> str:
    """A path for the start of a line: as ``opening``, but "::error::x.md" stays a path, "./::error::x.md"."""
    shown = terminal(filename)
    return f"./{shown}" if shown.lstrip().startswith(":") else shown


def argument(filename: str) -> str:
    """A path in a command that is printed, so that it works as it stands: quoted where a shell needs it.

    "-x.md" is no option, "./-x.md"; what may not be shown is given by its bytes, as shells read ``$'a\\x09b.md'``.
    Of what is piped in, "-", commands are about the FILE in which it will stand.
    """
    import shlex  # only where a command is printed

    written = "FILE" if filename == "-" else f"./{filename}" if filename.startswith("-") else filename
    if terminal(written) == written:
        return shlex.quote(path(written))
    written = written.replace("\\", "\\\\").replace("'", "\\'")
    quoted = _UNSAFE.sub(lambda sign: "".join(f"\\x{byte:02x}" for byte in _encode(sign[0])), written)
    return f"$'{quoted}'"


def with_file_name(text: str, filename: str) -> str:
    """A text in which the commands are about a file that is named, instead of FILE."""
    return _COMMANDS.sub(lambda command: re.sub(r"\bFILE\b", lambda _: argument(filename), command[0]), text)


def markup(text: str) -> str:
    """The text as one line for XML or HTML, in an element or a quoted attribute."""
    shown = terminal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace('"', "&quot;").replace("'", "&#39;")


def markdown(text: str) -> str:
    """The text as plain words in a line or a table cell of Markdown."""
    shown = _ACTIVE.sub(r"\\\g<0>", terminal(text))
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
    # Bare addresses become links on GitHub; a reference for the colon keeps them words.
    return shown.replace("://", "&#58;//").replace("www.", "www&#46;")


def page(text: str) -> str:
    """A page in HTML that may stand in a build's log: no line of it is a workflow command."""
    return _COMMAND.sub(lambda sign: f"{sign[0][:-1]}&#{ord(sign[0][-1])};", text)


def prompt(text: str) -> str:
    """A text to be pasted, likewise: a character without width stands before what would be one, and none steers the
    terminal that shows it.
    """
    return _COMMAND.sub(lambda sign: f"{sign[0][:-1]}\u200b{sign[0][-1]}", without_hidden(text))


def workflow_data(text: str) -> str:
    """The text as the message of a GitHub workflow command, on one line; the runner decodes %25, %0D and %0A."""
    return terminal(text).replace("%", "%25")


def workflow_property(text: str) -> str:
    """The text as a property (``file=``, ``title=``) of a GitHub workflow command."""
    return workflow_data(text).replace(":", "%3A").replace(",", "%2C")


def json_document(document: str) -> str:
    """A JSON text, such that printing it is harmless and every parser takes it; strings decode to what they were.

    Only halves of surrogate pairs change: strict parsers refuse them, so they become U+FFFD.
    """
    return _JSON_UNSAFE.sub(_json_escape, document.replace("##[", "##\\u005b"))


def sarif_message(text: str) -> str:
    """A text as the plain message of a SARIF result: what looks like an embedded link is none."""
    return _LINK.sub(r"\\[", text)


def uri(filename: str, kind: type[PurePath] = PurePath) -> str:
    """A path as a URI reference: relative ones stay relative, absolute ones become ``file:`` URIs.

    Args:
        filename: the path.
        kind: paths of a system: on Windows a backslash divides folders, and a drive or server makes a path absolute.
    """
    from urllib.parse import quote

    path = kind(filename)
    data = _encode(path.as_posix())
    if not path.is_absolute():
        return quote(data)
    start = "file:" if path.drive.startswith("\\") else "file:///" if path.drive else "file://"
    return start + quote(data, safe="/:" if path.drive else "/")


def _encode(filename: str) -> bytes:
    """The bytes of a file's name, also of one that is not UTF-8."""
    try:
        return filename.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character that stands for no byte
        return filename.encode("utf-8", "surrogatepass")


def cells(text: str) -> int:
    """How many columns of a terminal a harmless text takes: wide letters two, combining marks and colour none."""
    return len(text) if text.isascii() and "\x1b" not in text else sum(map(_cell, _LETTERS.findall(text)))


def clip(text: str, width: int) -> str:
    """A harmless text cut to a number of terminal columns, with "…" where something is missing."""
    return text if cells(text) <= width else f"{next(_pieces(text, width - 1, ''))}…"


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """A harmless text as lines of at most so many columns, 0 for no end of them; broken at spaces, or in a longer word.

    A command in backticks or behind a colon is one word, and is never broken: it is there to be copied.

    Args:
        text, width: the text, and how many columns there are.
        first, rest: what stands before the text in its first line, and in the others.
    """
    lines, line, is_begun = list[str](), first, False
    for word in _COMMANDS.sub(lambda command: command[0].replace(" ", _HELD), text).split(" "):
        if is_begun and word and 0 < width < cells(line) + 1 + cells(word):
            lines.append(line)
            line, is_begun = rest, False
        line += f" {word}" if is_begun else word
        is_begun = True
        if 0 < width < cells(line) and word and _HELD not in word:
            *full, line = _pieces(line, width, rest)
            lines += full
    return [line.rstrip(" ").replace(_HELD, " ") for line in (*lines, line)]


def _pieces(word: str, width: int, rest: str) -> Iterator[str]:
    """The beginning of a line with a word that is longer than it, cut where each line ends."""
    piece, room = "", width
    for letter in _LETTERS.findall(word):
        room -= _cell(letter)
        if room < 0:
            yield piece
            piece, room = rest, width - cells(rest) - _cell(letter)
        piece += letter
    yield piece


def shorten(text: str, width: int) -> str:
    """A text cut in its middle, where the names of one project differ least."""
    half = (width - 1) // 2
    return text if cells(text) <= width else f"{text[: width - 1 - half]}…{text[-half:]}"


def _json_escape(match: re.Match[str]) -> str:
    return "\\ufffd" if "\ud800" <= match[0] <= "\udfff" else json.dumps(match[0])[1:-1]


@cache
def _cell(one: str) -> int:
    import unicodedata  # most texts for a terminal are ASCII

    if len(one) > 1 or unicodedata.category(one) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(one) in "WF" else 1
