"""The voices that a frontmatter or a configuration declares: their names, kinds, roles and further spellings.

What is declared is read leniently in form (a list, a mapping, a mapping of mappings, `agents: [Ana, Ben]`) and strictly
in meaning: a kind that does not exist is a finding at its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mdtally.text.model import Head, Problem, Region, SpeakerKind, TranscriptForm
from mdtally.text.records import record

KINDS: dict[str, SpeakerKind] = {
    "agent": "agent", "expert": "agent", "assistant": "agent", "ai": "agent", "model": "agent",
    "human": "human", "user": "human", "person": "human",
    "moderator": "moderator", "chair": "moderator", "judge": "moderator", "facilitator": "moderator",
    "other": "other", "system": "other", "tool": "other",
}  # fmt: skip
"""What a participant's kind may be called."""

LISTS: dict[str, SpeakerKind] = {
    "agents": "agent", "experts": "agent", "humans": "human", "moderators": "moderator", "others": "other",
}  # fmt: skip
"""Keys that list the names of one kind, which editors such as Obsidian show as properties."""

_SINGLE: dict[str, SpeakerKind] = {"moderator": "moderator", "human": "human"}


@record
class Participant:
    """A declared voice: its name, kind (None if only the name is given), role, further spellings, and its model."""

    name: str
    kind: SpeakerKind | None = None
    role: str = ""
    aliases: tuple[str, ...] = ()
    model: str = ""


def declared_voices(
    head: Head, form: TranscriptForm | None = None
) -> tuple[tuple[Participant, ...], tuple[Problem, ...]]:
    """The voices that a frontmatter declares, or else the configuration, and a problem for each that can't be right.

    Args:
        head: the frontmatter's values, every scalar a string; keys in any case.
        form: the ``[[transcript]]`` that is configured for the file, or None.
    """
    if not head.values and form is None:
        return (), ()
    problems: list[Problem] = []
    values = {str(key).casefold(): value for key, value in head.values.items()}
    lines = {str(key).casefold(): line for key, line in head.lines.items()}
    nested = values.get("transcript")
    elsewhere: object = form.participants if form else None
    if isinstance(nested, Mapping):
        elsewhere = {str(key).casefold(): value for key, value in nested.items()}.get("participants", elsewhere)
    found = [*_voices("participants", values.get("participants", elsewhere), None, lines, problems)]
    # A word or a number is other programs' (`agents: 3`) unless another of our keys stands beside it: "humans: Zoe".
    is_ours = word_of(values.get("kind")) in ("debate", "session") or "protocol" in values
    is_ours = is_ours or len({kind for name, kind in (LISTS | _SINGLE).items() if _is_names([values.get(name)])}) > 1
    if is_ours or any(_is_names(values.get(name)) for name in LISTS):
        lists = {name: kind for name, kind in LISTS.items() if isinstance(values.get(name), (str, Sequence))}
        for name, kind in (lists | _SINGLE if lists else lists).items():
            value = values.get(name)
            found += _voices(name, value if isinstance(value, str) else strings(value), kind, lines, problems)
    return tuple(found), tuple(problems)


def strings(value: object) -> list[str]:
    """The texts of a value that is a text or a list of texts, without those that are empty."""
    items = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]


def word_of(value: object) -> str:
    """A value as a word to compare: case-folded, without white space around it; "" for what is not a text."""
    return value.strip().casefold() if isinstance(value, str) else ""


def _is_names(value: object) -> bool:
    """True for a list of names: no paths, no numbers."""
    names = strings(value) if not isinstance(value, str) else []
    return bool(names) and all(len(name) <= 60 and "/" not in name and not name.isdecimal() for name in names)


def _voices(
    key: str, value: object, kind: SpeakerKind | None, lines: Mapping[str, int], problems: list[Problem]
) -> Iterator[Participant]:
    """Participants from a value in any of the ways that people write one; of a kind if the key says it."""
    for name, detail in _entries(value):
        role, model, aliases, stated, message = "", "", tuple[str, ...](), detail, ""
        if isinstance(detail, Mapping):
            stated, role = detail.get("kind"), str(detail.get("role") or "")
            model = str(detail.get("model") or "")
            aliases = tuple(strings(detail.get("aliases") or detail.get("alias")))
        elif not name or (detail is not None and not isinstance(detail, str)):
            message = f"participant {name or detail} has neither a name nor a kind"
            stated = None
        if detail is None and name.endswith(")") and " (" in name:  # "Noor (Treasurer)", as rosters have it
            aliases, (name, _, role) = (name,), name[:-1].partition(" (")
        word = word_of(stated) or (role.casefold() if role.casefold() in KINDS else "")  # "Noor (human)"
        if word and word not in KINDS:
            message = f"participant {name} has the unknown kind {word}"
        if message:
            region = Region(line := lines.get(key, 1), 1, line, 1)
            hint = f"use one of: {', '.join(sorted(set(KINDS.values())))}"
            problems.append(Problem("invalid-declaration", message, region, "warning", evidence=key, hint=hint))
        if name:
            name = name.strip("[]").rpartition("|")[2] if name.startswith("[[") else name  # "[[people/noor|Noor]]"
            yield Participant(name, kind or KINDS.get(word), role, aliases, model)


def _entries(value: object) -> Iterator[tuple[str, object]]:
    """Names with what is said of each, from a mapping, a list or a line; "" in place of a name that is none."""
    if isinstance(value, str):
        yield from ((part.strip(), None) for part in value.split(",") if part.strip())
    elif isinstance(value, Mapping):
        for name, detail in value.items():
            kind = KINDS.get(str(name).casefold()) or LISTS.get(str(name).casefold())
            if kind and isinstance(detail, Sequence) and not isinstance(detail, str):
                yield from ((one, kind) for one in strings(detail))  # agents = ["Ana", "Ben"]
            else:
                yield str(name).strip(), detail
    elif isinstance(value, Sequence):
        for entry in value:
            if isinstance(entry, str):
                yield entry.strip(), None
            elif isinstance(entry, Mapping) and (isinstance(entry.get("name"), str) or len(entry) == 1):
                yield from [(entry["name"].strip(), entry)] if "name" in entry else _entries(entry)
            else:
                yield "", entry
