"""Frozen records, made thirty times as quickly as those of ``dataclasses``, which every short run would wait for.

    @record
    class Span:
        start: int
        end: int = 0

A record is made by position or keyword, compares and hashes by its fields, shows them and can't be changed; ``replace``
gives a changed copy, and ``__post_init__`` may refuse what can't be. ``dataclasses`` writes and compiles six methods
for each class, and imports ``inspect`` for that. Here all records share their methods, and only what makes one is
compiled, and that after the first few of a class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")
Key = TypeVar("Key")
Value = TypeVar("Value")
_FEW = 8


@dataclass_transform(frozen_default=True)
def record(cls: Class) -> Class:
    """The class as a record of its annotated fields; a default is shared, so it has to be one that never changes.

    A class with cached properties keeps them in a dictionary; any other has slots and no further attributes.
    """
    members = dict(vars(cls))
    names = tuple(members.get("__annotations__", ()))
    defaults = {name: members.pop(name) for name in names if name in members}
    members.pop("__dict__", None)
    members.pop("__weakref__", None)
    if not any(type(value).__name__ == "cached_property" for value in members.values()):
        members["__slots__"] = names
    get = attrgetter(*names) if len(names) > 1 else staticmethod(lambda one: tuple(getattr(one, key) for key in names))
    facts = {"_fields": names, "_defaults": defaults, "_get": get, "_made": 0}
    made: Class = type(cls)(cls.__name__, cls.__bases__, {**_METHODS, **members, **facts})
    return made


def replace(one: Record, **changes: Any) -> Record:
    """The record with some fields changed; itself if they have these values already."""
    for name, value in changes.items():
        if getattr(one, name, _tuple) is not value:
            fields: tuple[str, ...] = one._fields  # type: ignore[attr-defined]
            if not changes.keys() <= {*fields}:
                raise TypeError(f"a {type(one).__name__} has no {', '.join(changes.keys() - fields)}")
            return type(one)(*map(changes.get, fields, _tuple(one)))
    return one


def field_names(cls: type) -> tuple[str, ...]:
    """The names of a record's fields, in their order."""
    return cls._fields  # type: ignore[attr-defined,no-any-return]


def as_dict(value: Any) -> Any:
    """A record's fields by name, and so on for the records, lists and mappings in it."""
    if hasattr(value, "_defaults"):
        return {name: as_dict(item) for name, item in _values(value)}
    if isinstance(value, tuple | list):
        return [as_dict(item) for item in value]
    return {key: as_dict(item) for key, item in value.items()} if isinstance(value, dict) else value


def pick(one: object, names: str) -> dict[str, Any]:
    """Some attributes of a record by name, in the order named; all are None of None.

    ``pick(entry, "speaker line=event.region.line reason?")`` has the speaker, as "line" that of the event's region, and
    the reason, or None where that is empty.
    """
    getters = _getters(names)
    return {name: None if one is None or (may_lack and not get(one)) else get(one) for name, get, may_lack in getters}


@cache
def _getters(names: str) -> tuple[tuple[str, attrgetter[Any], bool], ...]:
    parts = (name.partition("=") for name in names.split())
    return tuple((key.rstrip("?"), attrgetter((path or key).rstrip("?")), key.endswith("?")) for key, _, path in parts)


def by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key, in their order; the keys in that of their first values."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _values(one: Any) -> Iterator[tuple[str, Any]]:
    return zip(one._fields, _tuple(one), strict=True)


def _tuple(one: Any) -> tuple[Any, ...]:
    return one._get(one)  # type: ignore[no-any-return]


def _init(self: Any, *args: Any, **kwargs: Any) -> None:
    """Make one of the first records of a class; then compile what makes all further ones, which most never need."""
    cls = type(self)
    given = dict(zip(cls._fields, args, strict=False)) | kwargs
    values = {**cls._defaults, **given}
    cls._made += 1
    if cls._made < _FEW and len(given) == len(args) + len(kwargs) and values.keys() == {*cls._fields}:
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()
        return
    parameters = ", ".join(f"{name}=_defaults[{name!r}]" if name in cls._defaults else name for name in cls._fields)
    # A slot's own setter takes half the time of `object.__setattr__`.
    setters = {f"_set_{name}": getattr(cls, name).__set__ for name in cls._fields if "__slots__" in vars(cls)}
    call = "_set_{0}(self, {0})" if setters else "_set(self, {0!r}, {0})"
    body = "".join(f"\n    {call.format(name)}" for name in cls._fields) or " pass"
    if hasattr(cls, "__post_init__"):
        body += "\n    self.__post_init__()"
    space: dict[str, Any] = {"_set": object.__setattr__, "_defaults": cls._defaults, **setters}
    exec(f"def __init__(self, {parameters}):{body}", space)
    cls.__init__ = space["__init__"]
    cls.__init__(self, *args, **kwargs)


def _raise_frozen(self: Any, name: str, value: object = None) -> None:
    raise AttributeError(f"a {type(self).__name__} can't be changed: {name}")


def _repr(self: Any) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in _values(self))})"


_METHODS: dict[str, Any] = {
    "__init__": _init,
    "__setattr__": _raise_frozen,
    "__delattr__": _raise_frozen,
    "__eq__": lambda one, other: _tuple(one) == _tuple(other) if other.__class__ is one.__class__ else NotImplemented,
    "__hash__": lambda one: hash(_tuple(one)),
    "__repr__": _repr,
    "__reduce__": lambda one: (type(one), _tuple(one)),
}
