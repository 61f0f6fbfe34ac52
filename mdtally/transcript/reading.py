"""The reading of a document: who spoke, where, in which round, and what.

A reading is a set of patterns, and one engine reads by them. Four ways choose the patterns, from the surest to the
least sure: a person gave them; declared participants are one rule; an exporter's signature is a row of a table;
structure is a guess that knows when it is one. A file that is no transcript is an empty one, silently.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from mdtally.text import system, words
from mdtally.text.document import Document, once_a_document
from mdtally.text.layout import Layout
from mdtally.text.lines import is_rule
from mdtally.text.model import Problem, Region, Transcript, Turn
from mdtally.text.names import Name, fold, is_field, is_model, is_name, is_person_beside, is_role, is_voice, kind_of
from mdtally.text.records import by_key, record, replace
from mdtally.text.regex import regex
from mdtally.text.times import STAMPS
from mdtally.transcript import build, exporters, forms, participants, structure, unmatched
from mdtally.transcript import declared as declarations
from mdtally.transcript.bounds import among_fields, roles, row_above
from mdtally.transcript.declared import kind_by_words
from mdtally.transcript.engine import read_form
from mdtally.transcript.labels.shapes import NOTICE, Label, candidates, openings, visible
from mdtally.transcript.page import Page, Reading, page_of
from mdtally.transcript.patterns import Start, compile_pattern, read_turn

LONGEST = 5
"""Seconds of the processor that patterns may take on a short file. A hostile one would take years."""

_PLACE = regex(r"\{\{\s*\w+\s*\}\}")
_SAID = regex(r"[?.!。？！][ *_]*\n|\n[ \t]+\w")  # a line that ends as a sentence does or is wrapped: no field's value


@record
class Readings:
    """All that is made of a document.

    Attributes:
        page: the document.
        transcript: its conversation.
        reading: what the patterns read that were chosen; None if none were.
        labels: the lines that may be labels; () if nobody had to look for them.
        left_out: labels that were taken as text: of declared names, inside turns of another form; or in a chat of two.
    """

    page: Page
    transcript: Transcript
    reading: Reading | None = None
    labels: tuple[Label, ...] = ()
    left_out: tuple[Label, ...] = ()


def read(document: Document) -> Transcript:
    """Read the conversation of a document.

    Returns:
        its turns with the way they were read; an empty transcript if the file holds no conversation. Wrong declarations
        and recovered fences are in its problems.
    """
    return readings_of(document).transcript


@once_a_document
def readings_of(document: Document) -> Readings:
    """All that is made of a document, made once."""
    return _read(document)


def label_lines(document: Document) -> list[int]:
    """The indices of the lines that are labels of turns, ascending: `counts.read` asks where a fence is in doubt."""
    return [turn.line - 1 for turn in read(document).turns]


def readings_by(document: Document, values: Mapping[str, object]) -> Readings:
    """All that is made of a document as if its frontmatter said some values, too."""
    head = replace(document.head, values={**document.head.values, **values})
    return _read(replace(document, head=head))


def labels_of(document: Document) -> tuple[Page, tuple[Label, ...]]:
    """The page of a document with every line that may be a label."""
    found = readings_of(document)
    return found.page, found.labels or tuple(candidates(found.page.lines, found.page.first, found.page.layout))


def _read(document: Document) -> Readings:
    """The conversation, read anew."""
    declared = declarations.read(document.head, document.form)
    page = page_of(document, declared)
    # A survey quotes what others say; what a template with places to fill declares is for files made of it.
    if document.is_survey or (not declared.form.patterns.turns and _PLACE.search(document.source.head)):
        return Readings(page, Transcript())
    if any(problem.severity == "error" for problem in declared.problems):  # a pattern that cannot be used
        return Readings(page, Transcript(kind=declared.form.kind, problems=declared.problems))
    if not declared.form.patterns.turns:
        return _read_page(page)
    try:
        with system.within_seconds(LONGEST + len(document.source.body) / 200_000):
            return _read_page(page)
    except system.TooLongError:
        line = document.head.lines.get("transcript", 1)
        said = f"a pattern of {declared.origin} takes too long on this file; write one with fewer repeats"
        slow = Problem("invalid-declaration", said, Region(line, 1, line, 1), "error", evidence="transcript")
        return Readings(page, Transcript(kind=declared.form.kind, problems=(*declared.problems, slow)))


def _read_page(page: Page) -> Readings:
    """The conversation as it is declared, or as it looks."""
    declared, chosen = page.declared, _choose(page)
    reading, form, way = chosen.reading, declared.form, chosen.transcript.reading
    problems = (*declared.problems, *unmatched.sections(page))
    if reading is None or not reading.starts:
        if form.patterns.turns:
            problems += (unmatched.turns(page, form),)
        elif form.participants and not declared.is_open:
            problems += (*unmatched.voices(page, (), chosen.labels),)
        meant = declared.is_transcript
        way = "unsure" if way == "unsure" and not meant else "none"
        found = Transcript(form.kind, declared=meant, reading=way, problems=problems)
        return Readings(page, found, None, chosen.labels)
    turns, labels = build.turns(page, reading), chosen.labels
    if form.patterns.turns:
        fitting = [*unmatched.matched_lines(page, form.patterns)] if form.participants else []
        problems += (*unmatched.marks(page, form.patterns, reading), *unmatched.names(page, reading, fitting))
        problems += (*unmatched.in_plain_fences(page, reading),)
        is_exact = "source" in declared.lines  # a recording's note
        if fitting and not is_exact and _may_hold_others(page, reading, fitting):
            labels = tuple(candidates(page.lines, page.first, page.layout))
    elif way == "declared":
        left_out = {label.row for label in chosen.left_out} | unmatched.lines_of_names(page, turns)
        problems += (*unmatched.inside(page, left_out), *unmatched.strangers(page, reading))
    elif way == "sure" or _is_shifted(reading) or (way == "unsure" and _hides_talk(page, reading)):
        problems += (*unmatched.inside(page, reading.in_code, unmatched.IN_CODE),)
    if way not in ("declared", "signature"):
        problems += (*unmatched.otherwise(page, turns, labels),)
    if way == "sure" and chosen.left_out:
        problems += (*unmatched.inside(page, {label.row for label in chosen.left_out}, unmatched.OF_TWO),)
    elif way in ("declared", "pattern", "sure"):
        problems += (*unmatched.voices(page, turns, labels),)
    kind = form.kind or reading.form.kind or build.kind_of_file(turns)
    problems += (*unmatched.between(page, turns),) if way == "sure" and kind == "session" else ()
    problems += (*unmatched.opening(page, turns, reading.starts), *_fence_problems(page, reading.layout, turns))
    found = Transcript(kind, chosen.transcript.exporter, turns, declared.is_transcript, way, problems)
    return replace(chosen, transcript=found)


def _may_hold_others(page: Page, reading: Reading, fitting: Sequence[Start]) -> bool:
    """True if a settled page may have labels that are none of its patterns: else nobody has to look for them.

    A name that nobody declared comes back in their form, they have no place for one, or a declared name begins a line.
    """
    known, names = reading.form.by_spelling, Counter(fold(start.name.speaker) for start in fitting)
    if any(one.voice for one in reading.form.patterns.turns) or any(names[one] > 1 for one in names.keys() - known):
        return True
    label = re.compile(rf"(?:{'|'.join(map(re.escape, known))})\s*[:：]", re.IGNORECASE)
    rows = {one.row for one in reading.starts}
    return any(label.match(line) and row not in rows for row, line in enumerate(page.lines))


def _choose(page: Page) -> Readings:
    """What the patterns read of the surest way that chooses any; the transcript only says whose form it is, and how."""
    declared = page.declared
    if declared.form.patterns.turns:
        return Readings(page, Transcript(reading="pattern"), read_form(page, declared.form))
    signed = max(exporters.signed_readings(page), key=lambda one: len(one[1].starts), default=None)
    if signed and not _is_pasted(page, signed[1]):
        name, reading = signed
        if not declared.form.participants or declared.is_open:
            is_quoted = len(reading.in_code) > len(reading.starts)  # a note that shows terminals in code
            return Readings(page, Transcript(exporter=name, reading="unsure" if is_quoted else "signature"), reading)
        reading = exporters.only_participants(page, reading)
        if reading.starts:
            return Readings(page, Transcript(exporter=name, reading="declared"), reading)
    labels = _likely_labels(page)
    if declared.form.participants:
        chosen = _by_participants(page, labels)
        if chosen.reading is not None or not declared.is_open:
            return chosen
    guess = structure.guess(page, labels)
    found, way = read_guess(page, guess.labels), guess.way
    if way == "sure" and found and found.starts:
        is_doubtful = _hides_talk(page, found) or _leaves_out(page, found, labels) or _has_intruder(page, found.starts)
        way = "unsure" if is_doubtful else way
    return Readings(page, Transcript(reading=way), found, labels, guess.left_out)


def _is_pasted(page: Page, reading: Reading) -> bool:
    """True if two voices take turns above all that an exporter's form reads: one of them pasted that.

    They are a person and a machine, or two that come back and do not speak below, as those of a list of voices do.
    """
    above = candidates(page.lines[: reading.starts[0].row], page.first, page.layout)
    kinds = Counter(kind_of(label.name) for label in above)
    known, counts = {start.name.key for start in reading.starts}, Counter(label.name.key for label in above)
    again = {key for key, count in counts.items() if count > 1 and key not in known and not is_field(key)}
    return (kinds["human"] > 1 and kinds["agent"] > 0) or len(again) > 1


def _likely_labels(page: Page) -> tuple[Label, ...]:
    """The lines that may be labels, without fields of a head that name a role or a model."""
    labels = tuple(candidates(page.lines, page.first, page.layout))
    fields = roles(page, {label.name.key: label.row for label in reversed(labels)})
    return tuple(_without_models(page, [label for label in labels if label.row not in fields]))


def _without_models(page: Page, labels: Sequence[Label]) -> Iterator[Label]:
    """Labels without a voice's first ones that only name its model: "Model B (critic): mistral-nemo" in a head."""
    counts, seen = Counter(one.name.key for one in labels), set[str]()
    for one in labels:
        said = page.lines[one.row][one.body :].strip() if one.body is not None else ""
        is_first = one.name.key not in seen and counts[one.name.key] > 1
        is_model_alone = 0 < len(said.split()) < 4 and said[-1].isalnum() and is_model(said)
        if not (is_first and is_model_alone and is_voice(one.name)):
            yield one
        seen.add(one.name.key)


def _has_intruder(page: Page, starts: Sequence[Start]) -> bool:
    """True if a name that tells nothing is likely a field's, or a figure's in what a machine writes.

    A rare one that only ever follows one of two that talk, "**Credits:**"; any if only a machine, or one voice, answers
    the person; a thought right above a person, because the answer stands in it, too; or what is part of an answer in a
    chat.
    """
    names = {start.name.key: start.name for start in starts}
    counts = Counter(start.name.key for start in starts)
    pairs = [(a.name, b.name) for a, b in itertools.pairwise(starts) if a.name.key != b.name.key]
    answering = {below.key for above, below in pairs if kind_of(above) == "human"}
    strangers = {key for key, name in names.items() if not kind_of(name)} - answering
    is_one = len(answering) == 1 and not any(is_voice(names[key]) for key in strangers)
    if strangers and (is_one or (answering and all(kind_of(names[key]) == "agent" for key in answering))):
        return True
    if any(above.key in words.table("thought-labels") and kind_of(below) == "human" for above, below in pairs):
        return True
    talking = {key for key, _ in counts.most_common(2)}
    if not any(kind_of(names[key]) in ("human", "agent") for key in talking):
        return False
    rare = {key for key in names if 4 * counts[key] <= sum(counts[one] for one in talking)} - talking
    kinds = {key: kind_of(names[key]) for key in talking}
    is_chat = {*kinds.values()} == {"human", "agent"} or is_person_beside(kinds)
    if is_chat and (_is_quoted(page, starts, talking) or _is_unasked(starts, counts, talking)):
        return True
    above_of = {key: {above.key for above, below in pairs if below.key == key} for key in rare}
    return any(len(above_of[key]) == 1 and not is_voice(names[key]) for key in rare)


def _is_quoted(page: Page, starts: Sequence[Start], talking: Collection[str]) -> bool:
    """True if a third voice, no tool's, first stands below "This is what it told me:"."""
    others = [one for one in starts if one.name.key not in talking and kind_of(one.name) != "other"]
    begin = {one.name.key: one.row for one in reversed(others)}
    above = {row_above(page, row) for row in begin.values()} - {one.row for one in starts if one.body is None}
    return any(page.lines[row].endswith((":", "：")) for row in above)


def _is_unasked(starts: Sequence[Start], counts: Mapping[str, int], talking: Collection[str]) -> bool:
    """True if a third voice without a time never stands first, or behind a person or another name that tells nothing.

    It stands once, "**Model:**", or, if no role talks, it is an agent or a moderator that is no model, "**Pro:**".
    """
    pairs = ((above.name, below.name.key) for above, below in itertools.pairwise(starts))
    asked = {key for above, key in pairs if above.key != key and kind_of(above) in ("human", None)}
    untimed = {one.name.key for one in starts if "{time}" not in one.pattern.source}
    unasked = untimed - asked - {*talking, starts[0].name.key}
    kinds = {one.name.key: kind_of(one.name) for one in starts}
    roles = [key for key in unasked if kinds[key] in ("agent", "moderator") and not is_model(key)]
    return any(counts[key] == 1 for key in unasked) or bool(roles and not any(map(is_role, talking)))


def _hides_talk(page: Page, reading: Reading) -> bool:
    """True if many labels are in code, or one fence holds two different ones, as one does whose end is missing."""
    if _is_shifted(reading) or 4 * len(reading.in_code) > len(reading.starts):
        return True
    rows, fences = reading.in_code, reading.layout.fences
    inside = (rows[bisect_left(rows, one.first) : bisect_right(rows, one.last or one.first)] for one in fences)
    return any(len({page.lines[row].strip() for row in some}) > 1 for some in inside)


def _is_shifted(reading: Reading) -> bool:
    """True if labels stand in code above a fence that nothing closes: one above them was cut off."""
    odd = [fence.first for fence in reading.layout.fences if fence.recovered or fence.last is None]
    return bool(odd and reading.in_code) and reading.in_code[0] < odd[-1]


def _leaves_out(page: Page, reading: Reading, labels: Sequence[Label]) -> bool:
    """True if a line that opens no turn has a voice's name and a dash, or brackets: "Ana (next day, 8:02) – I did it".

    Or what is a label alone on its line, and text: "ana says:no". Or the name and a time in another order than its
    labels, unless it is the head of a quotation right below a label; or any name beside a time as in those. Or the
    person's and the machine's names above all of its turns, alone or with a sentence. Or two names that
    come back above all turns, in no form of labels: "*Ana:* Why?" Or a person's and a machine's alone on lines,
    wherever they stand: "*user*".
    """
    rows, keys = {start.row for start in reading.starts}, {start.name.key for start in reading.starts}
    timed = {one.row: one.name.key in keys for one in labels if one.form.mark == "time"}
    is_left = any(is_known and not rows & {row, row - 1} for row, is_known in timed.items())
    first = min(rows)
    higher = (one for one in labels if one.row < first and one.name.key in keys and not one.form.level)
    said = (one for one in higher if one.body is None or _SAID.search("\n".join(page.lines[one.row : one.row + 2])))
    is_left |= {kind_of(one.name) for one in said} >= {"human", "agent"}
    alone = tuple({line for row in rows if (line := page.lines[row].rstrip()).endswith((":", "："))})
    shown = [(row, line.rstrip()) for row, line, _ in visible(page.lines, page.first, page.layout) if line.strip()]
    weak = ((one, row) for row, line in shown if row < first for one in openings(line) if not one.set_off)
    begin = by_key((one.zone.casefold(), row) for one, row in weak if not one.form.inside and is_name(one.zone))
    is_left |= sum(len({*found}) > 1 for found in begin.values()) > 1
    again = Counter(line.strip("#*_-=: ") for row, line in shown if row not in rows and line[:2] not in ("- ", "* "))
    if is_left or {kind_of(Name(text)) for text, often in again.items() if often > 1} >= {"human", "agent"}:
        return True
    # "GROK" beside "GROK:", with words below: else it is a signature
    bare = {line[:-1] for line in alone}
    for (row, line), (below, _) in itertools.pairwise((*shown, (first, ""))):
        if row not in rows and (line.startswith(alone) or (line in bare and below not in rows)):
            return True
    sources, names = {start.pattern.source for start in reading.starts}, {one.name.speaker for one in reading.starts}
    return any(True for _ in likely_rows(page, sources, names, rows))


def likely_rows(page: Page, sources: Collection[str], names: Iterable[str], rows: Collection[int]) -> Iterator[int]:
    """The rows, beside some, of a name beside a time as in these patterns, of a voice's and a dash or brackets, or of a
    person's at a prompt: "You> why?".
    """
    dash = "" if all(one.startswith("#") for one in sources) else "| [–—-]+ "  # below headings, what a name has done
    sign, spelt = rf"(?: ?[(\[][^()\[\]]{{1,40}}[)\]][*_]{{0,3}} ?[:：–—-]{dash})", "|".join(map(re.escape, names))
    prompt = rf"(?:{words.either('humans')}) ?> \S"
    label = re.compile(rf"[*_]{{0,3}}(?:{spelt})[*_]{{0,3}}{sign}|{prompt}", re.IGNORECASE)
    timed = [compile_pattern(one) for one in sources if "{time}" in one]
    others = ((row, line) for row, line, _ in visible(page.lines, page.first, page.layout) if row not in rows)
    for row, line in others:
        starts = filter(None, (read_turn(one, page.lines, row) for one in timed))
        if label.match(line) or any(_is_stamped(start, page.lines[start.last]) for start in starts):
            yield row


def _is_stamped(start: Start, line: str) -> bool:
    """True if a label has a name, and a time beside it; and is no notice of the program's."""
    is_named = start.name.speaker[0].isalpha() and is_name(start.name.speaker)
    is_said = is_named and not line.startswith(NOTICE, start.body or 0)
    return is_said and any(found[0] != line.strip() for found in STAMPS.on(line).finditer(line))


def _by_participants(page: Page, labels: tuple[Label, ...]) -> Readings:
    """What the declared names label; nothing if they label nothing, or if bare names do not account for the page."""
    guess = structure.guess(page, labels)
    sure = read_guess(page, guess.labels) if guess.way == "sure" else None
    known, people = page.declared.form.by_spelling, page.declared.form.participants
    starts = sure.starts if sure else ()
    voices = {one.row: known[name] for one in starts if (name := fold(one.name.speaker)) in known}
    found, inside = participants.labels_of(page, voices)
    # "**Hiroshi:**" below "**Hiroshi Tanaka** (Payments):", "10:01:11 From Mika Ito : Hello"
    rows = voices.keys() - {label.row for label in found}
    more = ((label, voices[label.row]) for label in guess.labels if label.row in rows)
    named = ((label, replace(label.name, speaker=one.name, kind=kind_by_words(one))) for label, one in more)
    found += [replace(label, name=name) for label, name in named]
    speakers = {label.name.speaker for label in found}
    if not found or (page.declared.is_open and {one.name for one in people} - speakers):
        return Readings(page, Transcript(), labels=labels)  # another program's list of names may be open
    kinds = {label.name.kind for label in found}
    is_session = page.declared.form.kind == "session" or ("human" in kinds and len(speakers) == 2)
    found.sort(key=lambda label: label.row)
    reading = forms.read_labels(page, found, is_session=is_session, participants=people)
    left_out = tuple(one for one in inside if one.row not in rows)
    return Readings(page, Transcript(reading="declared"), reading, labels, left_out)


def read_guess(page: Page, labels: Sequence[Label]) -> Reading | None:
    """What the patterns of guessed labels read, without what stands among fields; None without labels."""
    fields = among_fields(page, {one.row: one.form for one in labels}) if labels else set[int]()
    fields |= {labels[0].row} if labels and _is_head(page, labels[0], labels[1:]) else set()
    chosen = [one for one in labels if one.row not in fields or len(fields) == len(labels)]
    return forms.read_labels(page, chosen, is_session=structure.is_session(chosen)) if chosen else None


def _is_head(page: Page, first: Label, others: Sequence[Label]) -> bool:
    """True if the first label is the only field of a chat's head: "**Model:** gpt-4o", a rule, and then a person."""
    said = page.lines[first.row][first.body :].strip() if first.body is not None else ""
    below = next(filter(str.strip, page.lines[first.row + 1 :]), "")
    is_field = 0 < len(said.split()) < 5 and said[-1] not in ".!?…。！？" and is_rule(below)
    kinds = [kind_of(one.name) for one in (first, *others[:1])]
    is_voice = first.name.key in {one.name.key for one in others}  # "**Claude:** Hi", unless it is "claude-sonnet-4"
    return is_field and (not is_voice or is_model(said.split()[0])) and kinds[0] != "human" and kinds[1:] == ["human"]


def _fence_problems(page: Page, layout: Layout, turns: Sequence[Turn]) -> Iterator[Problem]:
    """A finding for each fence that would swallow turns, if it were read strictly."""
    for fence in layout.fences:
        unclosed = fence.last is None and turns and fence.first + 1 < turns[-1].line
        if fence.recovered or unclosed:
            what = "it was ended at the next label" if fence.recovered else "it never closes, and was read as text"
            region = Region(fence.first + 1, 1, fence.first + 1, len(page.lines[fence.first]) + 1)
            yield Problem("recovered-fence", f"a code fence here would swallow turns; {what}", region, "info")
