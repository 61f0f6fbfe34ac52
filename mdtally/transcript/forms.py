"""From chosen labels to the form by which the engine reads: patterns of labels, rounds and ends, and the voices."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from mdtally.text import rounds
from mdtally.text.layout import Layout
from mdtally.text.model import RoundNumber
from mdtally.text.names import is_capitalised, is_role, key_of, kind_of, plain
from mdtally.text.records import by_key, replace
from mdtally.text.voices import Participant
from mdtally.transcript.bounds import bounds
from mdtally.transcript.declared import Form, voice_names, with_fixed
from mdtally.transcript.engine import read_form
from mdtally.transcript.labels.shapes import Label, visible
from mdtally.transcript.labels.templates import DIGITS, TELLING, is_titled, literal, template_of, with_spaces
from mdtally.transcript.page import Page, Reading, RoundMarks
from mdtally.transcript.patterns import ANYBODY, PatternError, compile_all, compile_pattern

_Shape = tuple[str, str]
"""Of a label its pattern, and its voice if the line has no name."""
_MOST = 12
"""From how many patterns on what stands beside a name may be anything: so many are a list of lines, and no form."""


def read_labels(
    page: Page, labels: Sequence[Label], *, is_session: bool, participants: tuple[Participant, ...] = ()
) -> Reading:
    """What the patterns of some labels read: their turns, as far as patterns can tell these labels from other lines.

    Args:
        page: the document.
        labels: the labels, in order; not empty.
        is_session: a person and a machine talk, so that headings of any level are part of answers.
        participants: the voices, if they are declared.
    """
    people = participants or _voices(labels)
    if not participants:
        spelt = {key_of(spelling): one.name for one in people for spelling in (one.name, *one.aliases)}
        labels = [replace(one, name=replace(one.name, speaker=spelt[one.name.key])) for one in labels]
    layout = page.layout_with([label.row for label in labels])
    ends, marks = bounds(page, layout, labels, session=is_session)
    rows = {label.row for label in labels}
    declared = page.declared.form
    round_, words = _rounds(page, layout, marks, rows)
    if not marks:  # "正方申論": the side and the stage are one word
        words |= {one.name.note: one.name.round for one in labels if "stage" in one.name.cut and one.name.round}
    end = _ends(page, layout, sorted(rows), marks, ends)
    templates = _templates(page, labels, people, is_round=_states_rounds(labels, marks, declared))

    def read(turn: Mapping[str, Sequence[str]], first: str = "") -> Reading:
        patterns = compile_all(turn, round_, end, "", first, voice_names(people))
        form = replace(declared, patterns=patterns, participants=with_fixed(people, patterns))
        return read_form(page, replace(form, rounds="stage", stages={**form.stages, **words}) if words else form)

    reading = read(_by_voice(templates, {}))
    beside = [start for start in reading.starts if start.row not in rows]
    if beside:  # lines that fit, too, of other voices or above the first label
        strangers = dict.fromkeys((start.pattern.source, start.name.speaker) for start in beside)
        known = dict.fromkeys((one, label.name.speaker) for label, (one, _) in zip(labels, templates, strict=True))
        names = by_key(known)
        owned = {template: names.get(template, []) for template, name in strangers if (template, name) not in known}
        above = max((start.row for start in beside if start.row < min(rows)), default=None)
        reading = read(_by_voice(templates, owned), "" if above is None else _first(page, above, min(rows)))
    return reading


def _first(page: Page, above: int, row: int) -> str:
    """The pattern of the line at which turns begin, below one that fits and is no label; "" if another is the same.

    It is the first heading between that and the first label, or that label.
    """
    begin = next((heading.row for heading in page.headings if above < heading.row < row), row)
    line = literal(page.lines[begin].strip()[:TELLING]) + "{any}"
    return "" if any(map(compile_pattern(line).match, page.lines[page.first : begin])) else line


def _voices(labels: Sequence[Label]) -> tuple[Participant, ...]:
    """The voices of some labels, each by its first spelling that is not all capitals, with the kind that all state.

    Who is introduced as "Ana Silva" and goes on as "Ana" is one voice.
    """
    by_case = sorted(labels, key=lambda label: (label.name.speaker.isupper(), label.row))
    named = by_key((label.name.key, label.name) for label in by_case)
    names = {key: same[0].speaker for key, same in named.items()}
    whole = _whole_names(labels)
    aliases = {key: tuple(names[short] for short, long in whole.items() if long == key) for key in whole.values()}
    told = ((key, {one.kind for one in same}) for key, same in named.items() if key not in whole)
    kinds = ((key, stated.pop() if len(stated) == 1 else None) for key, stated in told)
    return tuple(Participant(names[key], kind, aliases=aliases.get(key, ())) for key, kind in kinds)


def _whole_names(labels: Sequence[Label]) -> dict[str, str]:
    """By a first or last name alone the whole name, where several persons are introduced by it and go on without it."""
    first = {label.name.key: label for label in reversed(labels)}
    last = {label.name.key: label.row for label in labels}
    names = [label.name for label in first.values() if is_capitalised(label.name.speaker)]
    parts = [(name.key, name.key.split()) for name in names if not (is_role(name.key) or kind_of(name))]
    whole = by_key((one, key) for key, words in parts if 1 < len(words) < 4 for one in {words[0], words[-1]})
    known = {one: keys[0] for one, keys in whole.items() if one in first and len(keys) == 1}
    found = {one: key for one, key in known.items() if last[key] < first[one].row}
    return found if len(found) > 1 else {}


def _templates(page: Page, labels: Sequence[Label], people: Sequence[Participant], *, is_round: bool) -> list[_Shape]:
    """By label its pattern, and its voice if the line has no name; behind names stands anything if they are many."""
    names = {one.name: one.aliases for one in people}
    limits = [*(label.row for label in labels[1:]), len(page.lines)]
    titled = [pair for pair in zip(labels, limits, strict=True) if is_titled(page.lines[pair[0].row], pair[0])]
    bare = [one for one, limit in titled if not any(map(str.strip, page.lines[one.row + 1 : limit]))]
    is_said = 0 < len(titled) <= 2 * len(bare)  # "## User: list the files", and nothing below

    def shape(label: Label, is_wide: bool = False) -> _Shape:
        line, spelt = page.lines[label.row], names.get(label.name.speaker, ())
        template, written = template_of(line, label, spelt, is_wide=is_wide, is_round=is_round, is_said=is_said)
        return template, "" if written else label.name.speaker

    found = [*map(shape, labels)]
    return found if len({*found}) <= _MOST else [shape(label, is_wide=True) for label in labels]


def _by_voice(templates: Collection[_Shape], owned: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Patterns by voice, without those that another one covers, the most particular first.

    Args:
        templates: of each label its pattern, and the voice that it fixes.
        owned: patterns that are only some voices' labels, with the names of these.
    """
    voices = ((owned.get(template, [voice or ANYBODY]), template) for template, voice in templates)
    found = by_key((name, template) for names, template in voices for name in names)
    return {voice: _merge_forms({*found[voice]}) for voice in sorted(found, key=lambda voice: voice == ANYBODY)}


def _merge_forms(shapes: Collection[str]) -> list[str]:
    """Patterns without those that a longer one covers, the most particular first."""
    tight = {one: one.replace(" {text}", "{text}") for one in shapes}
    found = {one for one in shapes if tight[one] == one or tight[one] not in shapes}
    kept = [one for one in found if not {f"{one} {{text}}", f"{one}{{text}}"} & found]
    return sorted(kept, key=lambda one: (-len(re.sub(r"\{\w+\}", "", one)), one))


def _states_rounds(labels: Sequence[Label], marks: RoundMarks, declared: Form) -> bool:
    """True if the labels state the rounds: no mark does, and not each label has a number of its own.

    Nor do numbers that fall back again and again, "[Ana → Ben] Message 3" where each pair counts its own messages.
    """
    if declared.rounds == "none" or any(number is not None for number in marks.values()):
        return False
    stated = [(number, label.name.cut) for label in labels if (number := label.name.round) is not None]
    known, counted = [number for number, _ in stated], [number for number, cut in stated if cut & {"turn", "count"}]
    falls = sum(below < above for above, below in itertools.pairwise(counted))
    return bool(known) and falls < 2 and not len(known) == len(set(known)) > 1


def _rounds(
    page: Page, layout: Layout, marks: RoundMarks, rows: Collection[int]
) -> tuple[tuple[str, ...], dict[str, RoundNumber]]:
    """The patterns of the lines that open rounds, and the words for numbers that do not stand there."""
    wanted = {*marks, *rows}
    found: dict[str, None] = {}
    words: dict[str, RoundNumber] = {}
    fits_only = cache(lambda pattern: _fits_only(page, layout, pattern, wanted))
    for row, number in marks.items():
        line = page.lines[row].strip()
        pattern = next(filter(fits_only, _round_patterns(line, number)), "")
        found[pattern or literal(line)] = None
        if not pattern and number is not None:
            words[plain(line.lstrip("# ")).casefold()] = number
    return tuple(found), words


def _round_patterns(line: str, number: RoundNumber | None) -> Iterator[str]:
    """The patterns that the line of a round with this number may stand for, the most general first."""
    for token in re.finditer(r"\d+(?:\.\d+)?|(?<!\w)[A-Z](?!\w)|[一二两兩三四五六七八九十]{1,3}", line):
        if number is not None and rounds.number_of(token.group()) == number:
            before, rest = with_spaces(line[: token.start()]), line[token.end() :].rstrip()
            yield before + "{round}" + ("{any}" if rest else "")
            if sign := re.match(r"\W+", rest):
                yield before + "{round}" + with_spaces(sign.group()) + "{any}"
            yield before + "{round}" + with_spaces(rest)
            return


def _ends(
    page: Page, layout: Layout, rows: Sequence[int], marks: Collection[int], ends: Sequence[int]
) -> tuple[str, ...]:
    """The patterns of the lines that end turns, where no label and no round does."""
    opening = {*rows, *marks}
    limits = sorted({*opening, *ends})
    limits.append(len(page.lines))
    last = {row: limits[bisect_right(limits, row)] for row in rows}
    closing = sorted(set(last.values()) - opening - {len(page.lines)})
    if not closing:
        return ()
    said = {row for start, limit in last.items() for row in range(start + 1, limit)}
    free = set(range(page.first, len(page.lines))) - said
    found: dict[str, None] = {}
    fits_only = cache(lambda pattern: _fits_only(page, layout, pattern, free))
    for row in closing:
        line = page.lines[row].strip()
        if any(compile_pattern(one).match(line) for one in found):
            continue
        # What stands inside turns as well can't end one.
        if pattern := next(filter(fits_only, _end_patterns(line)), ""):
            found[pattern] = None
    return tuple(found)


def _end_patterns(line: str) -> Iterator[str]:
    """The patterns that the line which ends a turn may stand for, the most general first."""
    heading = re.match(r"#{1,6}\s", line)
    if heading:
        yield heading.group().strip() + " {any}"
    key = re.match(r"\W*[\w ]{1,30}?[:：]\W*(?=\s)", line)
    if key:
        yield literal(key.group()).strip() + " {any}"
    if len(line) > 200:
        yield literal(line[:100]) + "{any}"
    yield DIGITS.sub("{any}", literal(line))


def _fits_only(page: Page, layout: Layout, pattern: str, rows: Collection[int]) -> bool:
    """True if a pattern can be used, and matches only lines among some."""
    try:
        compiled = compile_pattern(pattern)
    except PatternError:
        return False
    return not any(row not in rows and compiled.match(line) for row, line, _ in visible(page.lines, page.first, layout))
