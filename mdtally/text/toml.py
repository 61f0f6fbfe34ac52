"""TOML: its values, what is wrong with it in words for a person, and where each value stands.

For heads between ``+++`` and for configurations. The standard library reads the values; tomlkit, which keeps every
byte, tells their places. It takes 30 ms to import, so places are asked for where one is shown or a value is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from mdtally.text.model import KeyPath, Span
from mdtally.text.regex import regex

# "a.b.c": the standard library takes quadratic time for the parts of one key.
_DEEP_KEY = regex(r"(?<![\w.\"'-])(?:(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*\.[ \t]*){64}")
# " (at line 3, column 5)"
_PLACE = regex(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class TomlError(ValueError):
    """A text that is not valid TOML: line and column, both from 1 on, and what is wrong there."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.column, self.reason = line, column, reason


def read(text: str, number: Callable[[str], Any] = str) -> dict[str, Any]:
    """The values of a text; ``number`` makes the value of a decimal fraction.

    Raises:
        TomlError: it is not valid.
    """
    # Most files have neither a head nor a configuration in TOML.
    import tomllib

    if deep := _DEEP_KEY.search(text):
        raise TomlError(text.count("\n", 0, deep.start()) + 1, 1, "a key has more than 64 parts")
    try:
        return tomllib.loads(text, parse_float=number)
    except RecursionError:
        raise TomlError(1, 1, "it is nested too deeply") from None
    except (ValueError, ArithmeticError) as error:
        complaint = str(error)
        place = _PLACE.search(complaint)
        if place is None:
            raise TomlError(1, 1, "a number in it is too long") from None
        lines = text.rstrip().split("\n")
        line, column = (int(place[1]), int(place[2])) if place[1] else (len(lines), max(1, len(lines[-1])))
        raise TomlError(line, column, complaint[0].lower() + complaint[1 : place.start()]) from None


def spans(text: str) -> dict[KeyPath, Span]:
    """Where each value of a valid text stands, in the order of the text; an array or an inline table is one value.

    Every value is replaced by a mark, and the text is written down again: what stands between the marks stays. Nothing
    is told of a text of which tomlkit does not keep every byte.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    name = "place-"
    while name in text:
        name += "-"
    values: list[tuple[KeyPath, str]] = []
    try:
        document = tomlkit.parse(text)
        for path, table, key in _leaves(document, ()):
            # What is true or false comes as Python's own.
            value = table[key]
            values.append((path, value.as_string() if hasattr(value, "as_string") else str(value).lower()))
            table[key] = f"{name}{len(values) - 1}."
        between = re.split(rf'"{name}(\d+)\."', tomlkit.dumps(document))
    except (TOMLKitError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return {}
    found, rebuilt, end = {}, [between[0]], len(between[0])
    for number, after in zip(between[1::2], between[2::2], strict=True):
        path, written = values[int(number)]
        found[path] = Span(end, end + len(written))
        rebuilt += [written, after]
        end += len(written) + len(after)
    return found if "".join(rebuilt) == text else {}


def _leaves(table: MutableMapping[str, Any], above: KeyPath) -> Iterator[tuple[KeyPath, MutableMapping[str, Any], str]]:
    """Each value that is not a table: the parts of its key, the table that holds it, and its name there."""
    from tomlkit.items import AoT, InlineTable

    for key in list(table):
        value = table[key]
        if isinstance(value, AoT):
            for number, one in enumerate(value, 1):
                yield from _leaves(one, (*above, key, str(number)))
        elif isinstance(value, MutableMapping) and not isinstance(value, InlineTable):
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), table, key
