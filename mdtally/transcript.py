"""A document to the conversation it holds: who spoke, where, in which round, and what.

The forms themselves are `mdtally.dialects`'s; here the first that fits is chosen, its turns are built, voices with
several spellings become one, and kinds are told. A file that is no transcript is an empty one, silently: most Markdown
is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from mdtally.dialects import EXPORTERS, FORMS, NAMES, bodies, hand_kept, names, numbered_headings
from mdtally.dialects.declared import Declared
from mdtally.dialects.declared import read as read_declared
from mdtally.dialects.names import EMOJI
from mdtally.dialects.page import Page, Reading, Start, read_page
from mdtally.model import Document, FileKind, Problem, Region, SpeakerKind, Transcript, Turn
from mdtally.text import count_words

# A heading, an underline of one, a bold or bracketed opening, a table row, a name with a colon.
_SHAPED = re.compile(
    rf" {{0,3}}(?:>\s?)?(?:(?:[-*+]|\d{{1,3}}[.)])\s+)?"
    rf"(?:#{{1,6}}\s|={{3,}}\s*$|-{{3,}}\s*$|[{EMOJI}\s\d:.()T\[\]-]{{0,40}}(?:\*\*|__|_\*\*|<b>|<strong>)|\[|\||@?[^\W_][^\n]{{0,90}}?[:：]|[{EMOJI}])",
    re.IGNORECASE,
)
_DECLARES = re.compile(r"\s*\"?(?:kind|dialect|participants|speakers)\"?\s*[:=]")

__all__ = ["may_hold_turns", "read"]


def read(document: Document) -> Transcript:
    """Read the conversation of a document.

    Returns:
        its turns with the form they were read from; an empty transcript where the file holds no conversation. Wrong
        declarations and recovered fences are in its problems.
    """
    declared = read_declared(document.head, NAMES)
    page = read_page(document, declared)
    dialect, reading = _choose(page)
    if reading is None or not reading.starts:
        return Transcript(
            kind=declared.kind, dialect=declared.dialect, declared=declared.is_transcript, problems=declared.problems
        )
    turns = _turns(page, reading)
    kind: FileKind = declared.kind or reading.kind or _kind_of_file(turns)
    return Transcript(
        kind=kind,
        dialect=dialect,
        turns=turns,
        declared=declared.is_transcript,
        unsure=reading.unsure,
        hints=reading.hints,
        problems=declared.problems + _fence_problems(page, reading, turns),
    )


def may_hold_turns(lines: Sequence[str]) -> bool:
    """A quick look at a file's lines: False where they can't be a transcript.

    True means only that reading is worth while: two lines have a label's shape, or the frontmatter declares something.
    """
    shaped = 0
    for line in lines:
        if _SHAPED.match(line) or _DECLARES.match(line):
            shaped += 1
            if shaped > 1:
                return True
    return bool(shaped and any(_DECLARES.match(line) for line in lines[:200]))


def _choose(page: Page) -> tuple[str, Reading | None]:
    wanted = page.declared.dialect
    for dialect in EXPORTERS:
        if wanted in ("", dialect.name) and (wanted or dialect.matches(page)):
            reading = dialect.read(page)
            if reading is not None:
                return dialect.name, reading
    forms = [form for form in FORMS if wanted in ("", form.name)]
    reading = hand_kept.read(page, forms) if forms else None
    if wanted in ("", "numbered-headings"):
        numbered = numbered_headings.read(page)
        if numbered is not None and not _holds_labels(numbered, reading):
            return "numbered-headings", numbered
    if reading is None:
        return "", None
    used = Counter(start.form.partition(":")[0] for start in reading.starts).most_common(1)[0][0]
    return {
        "heading": "heading-speakers",
        "item": "list-labels",
        "quote": "quoted-labels",
        "bold-alone": "bold-names",
    }.get(used, f"{used}-labels"), reading


def _holds_labels(numbered: Reading, reading: Reading | None) -> bool:
    """True where numbered headings are rounds: most of them hold two or more labelled voices."""
    if reading is None:
        return False
    lines = [start.index for start in numbered.starts]
    voices: dict[int, set[str]] = {}
    for start in reading.starts:
        voices.setdefault(bisect_right(lines, start.index), set()).add(start.name.key)
    return sum(1 for place, found in voices.items() if place and len(found) > 1) * 2 >= len(lines)


def _turns(page: Page, reading: Reading) -> tuple[Turn, ...]:
    starts = reading.starts
    spelling = _spellings(starts, page.declared)
    kinds = _kinds(starts, page.declared)
    turns: list[Turn] = []
    group = 0
    last_round: tuple[int, object] | None = None
    in_rounds = any(start.round is not None for start in starts)
    for place, start in enumerate(starts):
        limit = starts[place + 1].index if place + 1 < len(starts) else len(page.lines)
        body, last, flags = bodies.cut(page, reading, start, max(limit, start.index + 1))
        kind = start.name.kind or kinds[start.name.key]
        if in_rounds:
            group += last_round != (start.container, start.round)
            last_round = (start.container, start.round)
        elif not turns or (kind in ("human", "moderator") and turns[-1].kind not in ("human", "moderator")):
            group += 1
        name = start.name
        note = f"{name.note}, {flags}" if name.note and flags else name.note or flags
        turns.append(
            Turn(
                index=place + 1,
                line=start.index + 1,
                end_line=last + 1,
                column=start.column + 1,
                speaker=spelling[start.name.key],
                kind=kind,
                round=start.round,
                group=group,
                lines=body,
                words=count_words("\n".join(line.text for line in body)),
                placeholder=bodies.is_placeholder(body),
                role=name.role,
                model=name.model,
                addressee=name.addressee,
                note=note,
            )
        )
    return tuple(turns)


def _spellings(starts: Sequence[Start], declared: Declared) -> dict[str, str]:
    """One spelling a voice: the declared one, or else the first that is not all capitals."""
    found: dict[str, str] = {}
    for start in starts:
        key, speaker = start.name.key, start.name.speaker
        if key not in found or (found[key].isupper() and not speaker.isupper()):
            found[key] = speaker
    return found


def _kinds(starts: Sequence[Start], declared: Declared) -> dict[str, SpeakerKind]:
    found: dict[str, SpeakerKind] = {}
    for start in starts:
        kind = names.kind_of(replace(start.name, kind=None))
        if start.name.key not in found or (kind and found[start.name.key] == "agent"):
            found[start.name.key] = kind or found.get(start.name.key, "agent")
    for key, kind in declared.kinds.items():
        if key in found:
            found[key] = kind
    return found


def _kind_of_file(turns: Sequence[Turn]) -> FileKind:
    return "debate" if len({turn.speaker for turn in turns if turn.kind == "agent"}) > 1 else "session"


def _fence_problems(page: Page, reading: Reading, turns: Sequence[Turn]) -> tuple[Problem, ...]:
    if reading.code is None:
        return ()
    return tuple(
        Problem(
            "recovered-fence",
            "a code fence here would swallow turns; it was ended at the next label",
            Region(index + 1, 1, index + 1, len(page.lines[index]) + 1),
            "info",
        )
        for index in reading.code.recovered
    )
