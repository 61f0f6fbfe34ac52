"""Facts: what a labeler saw at an event, as ``[agree pressure=pushback evidence=none]``.

A fact says what happened and leaves the letter to the program, so that two labelers agree where letters do not. A fact
that is not quite right is never dropped: it is an event somebody took the trouble to write down.
"""

from __future__ import annotations

import re

from mdtally.model import Fact

ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "agree": {"pressure": ("pushback", "approval", "none"), "evidence": ("new", "none")},
    "hold": {"pressure": ("pushback", "approval", "none"), "evidence": ("found", "none")},
}
"""The values each key may have, by decision."""

REQUIRED: dict[str, tuple[str, ...]] = {"agree": ("pressure", "evidence"), "hold": ("evidence",)}
"""A hold needs no pressure: its letter does not depend on it."""

START = r"(?:agree|hold)(?![\w-])"

_DECISION = re.compile(r"\s*(agree|hold)(?![\w-])[\s,;:]*", re.IGNORECASE)
_PAIR = re.compile(r"([\w-]+)\s*[=:]\s*(?:[\"'“”‘’]([^\"'“”‘’]*)[\"'“”‘’]|([^\s,;\"'“”‘’|]*))[\s,;|]*")
_ANY_PAIR = re.compile(r"\b(?:pressure|evidence)\s*=", re.IGNORECASE)
_TIMES = re.compile(r"[x×]\s?(\d{1,9})\s*")
_NOTE = re.compile(r"[-–—:.(]\s*(.*)|(.+)", re.DOTALL)


class MalformedFactError(ValueError):
    """The text is meant as a fact and is none; the message says what is wrong and which values are allowed."""


def parse(text: str) -> tuple[Fact, int, str] | None:
    """Read what stands inside a fact's brackets or comment.

    Args:
        text: plain text, such as ``agree pressure=pushback evidence=none``, keys in any order, quoted or not.

    Returns:
        the fact, how often it is to count, and the words behind it; None where the text is no fact ("hold on", or a
        bare "hold").

    Raises:
        MalformedFactError: a key or value is missing, unknown or given twice.
    """
    start = _DECISION.match(text)
    if start is None:
        return None
    decision = start.group(1).lower()
    allowed = ALLOWED[decision]
    given: dict[str, str] = {}
    times, position = 1, start.end()
    while pair := _PAIR.match(text, position):
        key, value = pair.group(1).lower(), (pair.group(2) or pair.group(3) or "").strip().lower()
        if key not in allowed and "=" not in pair.group():
            break  # "hold on: wait", or the words behind the last value
        # The last value may run into the words behind it: "evidence=none: asked twice".
        value = re.sub(r"[.:–—-]+$", "", value)
        if key not in allowed:
            raise MalformedFactError(f'a fact has no key "{pair.group(1)}"; "{decision}" takes {_describe(decision)}')
        if value not in allowed[key]:
            shown = f'"{value}"' if value else "nothing"
            raise MalformedFactError(f'"{key}" is {shown} in "{decision}"; it may be {_list(allowed[key])}')
        if given.get(key, value) != value:
            raise MalformedFactError(f'"{key}" is given twice in one fact, as "{given[key]}" and as "{value}"')
        given[key] = value
        position = pair.end()
    if not given:
        if _ANY_PAIR.search(text):
            raise MalformedFactError(f'a fact is "{decision}" and then {_describe(decision)}, with nothing between')
        return None
    for key in REQUIRED[decision]:
        if key not in given:
            raise MalformedFactError(f'"{decision}" needs {key}={"|".join(allowed[key])}')
    multiple = _TIMES.match(text, position)
    if multiple:
        times, position = int(multiple.group(1)), multiple.end()
    note = _NOTE.fullmatch(text[position:].strip())
    words = (note.group(1) or note.group(2) or "").strip(" )") if note else ""
    fact = Fact(
        decision=decision,  # type: ignore[arg-type]
        pressure=given.get("pressure", "none"),  # type: ignore[arg-type]
        evidence=given["evidence"],  # type: ignore[arg-type]
    )
    return fact, times, words


def is_bare(text: str) -> bool:
    """True for a decision and nothing else: "[hold]"; in a log with facts, one whose keys were forgotten."""
    return text.strip().lower() in ALLOWED


def _describe(decision: str) -> str:
    return " ".join(f"{key}={'|'.join(values)}" for key, values in ALLOWED[decision].items())


def _list(values: tuple[str, ...]) -> str:
    return ", ".join(values[:-1]) + " or " + values[-1]
