"""Two labelers of one log, or of several: how far they agree, and on which events they don't.

A rate is only as good as the labels under it. Two people label copies of one log, and the copies differ in nothing but
their annotations. So the annotations are cut out, the lines that remain are matched, and the events on matched lines
are compared in their order. Where one marks an event and the other none, that is a disagreement too: also where the
other marked one on the next line, because nobody can tell that it is the same event.

Raw agreement is high wherever most events are plain ones. Cohen's kappa (1960) corrects for chance, but collapses where
one letter is rare, as "progressive" should be. Agreement on the rare letter itself is told by the specific agreements
of Cicchetti and Feinstein (1990). All are given; none is *the* number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from math import sqrt

from mdtally.log.record import LogRecord
from mdtally.text.intervals import normal_quantile
from mdtally.text.model import Counts, Fact, Interval, Letter, Region
from mdtally.text.records import record
from mdtally.text.regex import regex

NONE = "-"
"""Stands for "no event marked" in a pair of letters."""
FACTS = ("decision", "pressure", "evidence")
"""What a fact says of an event."""
CLUSTERS = 5
"""Sessions from which on an interval goes by how sessions differ, because labels of one session are alike."""

# What is left of annotations where their events are cut out: the rest of a comment, or a tag that adds no event of its
# own ("[A_P] [A_T]" is one event), or a total ("A_T: 4").
_LEFT_OVER = regex(r"(?i)\[A\\?_[PRT]\b[^\]]*\]|#A_[PRT]\b|\bA\\?_[PRT]\b[ \t]*(?:::?|[=+])[ \t]*\d+|<!--[ \t]*-->")
_LONG_LINE = 64
"""Events on a line up to which the best pairing is sought; beyond, they are paired from the left."""

Words = tuple[str, str]
"""What the one labeler and the other said of an event."""
WeighedWords = tuple[Words, object, float]
"""The same with the session of the event, and with how many it counts for, where a survey drew it."""


@record
class Agreement:
    """How far two labelers agree in one thing. All measures are None without events.

    Attributes:
        events: events that at least one of them marked; of facts, events of which both gave one.
        agreement: share of events with the same word.
        kappa, kappa_interval: see `kappa`.
        positive_agreement, negative_agreement: of letters, specific agreement on "progressive" and on "not
            progressive"; None of facts.
    """

    events: int
    agreement: float | None = None
    kappa: float | None = None
    kappa_interval: Interval | None = None
    positive_agreement: float | None = None
    negative_agreement: float | None = None


@record
class Marked:
    """An event with its line, and the fact it was written as, if it was one; without a letter, that none stands there.

    Line 0 stands for one that is not known, or that a file does not have.
    """

    letter: Letter | None
    line: int
    fact: Fact | None = None


@record
class Row:
    """A line of text without its annotations, and the events that are marked on it or below it.

    Attributes:
        is_open: True in a reply about which the labeler has said nothing yet: no event there is no answer.
    """

    line: int
    text: str
    events: list[Marked]
    is_open: bool = False


@record
class Dispute:
    """An event on which two labelers differ.

    Attributes:
        line_a, line_b: its line in either file; None where the other file has no such line, or lines are not known.
        a, b: the letters; None where a labeler marked no event.
    """

    line_a: int | None
    line_b: int | None
    a: Letter | None
    b: Letter | None


@record
class Comparison:
    """Two labelings of one session.

    Attributes:
        session: its name; a, b: where either stands.
        letters: agreement on the events' letters; facts: on each of ``FACTS``.
        disputed: the events they differ on, in the order of the log.
        lines_matched: share of lines that were found in both files; far from 1, they are not one log.
        words: by "letter" and the names of ``FACTS``, what they said of each event.
        left_out: events of the one in replies that are still open for the other; they are in nothing of the above.
    """

    session: str
    a: str
    b: str
    letters: Agreement
    facts: Mapping[str, Agreement]
    disputed: tuple[Dispute, ...]
    lines_matched: float
    words: Mapping[str, Sequence[Words]]
    left_out: int = 0


@record
class Labelers:
    """Two labelers of several sessions.

    Attributes:
        a, b: their names, or where their labels stand.
        letters, facts: agreement over all sessions together, as of a ``Comparison``.
        sessions: those that both labelled; unmatched: names of those that only one of them did.
        is_drawn: True for two surveys of one draw: what is compared are replies, each for as many as it stands for.
    """

    a: str
    b: str
    letters: Agreement
    facts: Mapping[str, Agreement]
    sessions: tuple[Comparison, ...]
    unmatched: tuple[str, ...] = ()
    is_drawn: bool = False


Pair = tuple[Marked | None, Marked | None]
"""An event of a line as either labeler marked it; None where one marked none."""


def pool(a: str, b: str, sessions: Sequence[Comparison], unmatched: Iterable[str] = ()) -> Labelers:
    """Two labelers over all sessions together."""
    return Labelers(a, b, *_measures([one.words for one in sessions]), tuple(sessions), tuple(unmatched))


def compare_records(
    a: Iterable[LogRecord],
    b: Iterable[LogRecord],
    names: tuple[str, str] = ("a", "b"),
    by_notes: Callable[[LogRecord, LogRecord], Comparison | None] = lambda a, b: None,
) -> Labelers:
    """Two labelers by the lines of their logs: sessions by their names, events by their order.

    By lines alone a session is compared if both give the order of as many events: else nobody can tell which of them
    are one. Nothing is known of facts then, and of lines.

    Args:
        a, b: the lines that count; names: of the logs, for those that name no labeler.
        by_notes: compares the notes of two lines; None where they are not there.
    """
    of_a, of_b = ({line.session: line for line in lines} for lines in (a, b))
    both = [(of_a[name], of_b[name]) for name in of_a if name in of_b]
    compared = [one for lines in both if (one := by_notes(*lines) or _compare_events(*lines))]
    left = sorted((of_a.keys() | of_b.keys()) - {one.session for one in compared})
    who = [", ".join(sorted({line.labeler or "" for line in lines.values()} - {""})) for lines in (of_a, of_b)]
    return pool(who[0] or names[0], who[1] or names[1], compared, left)


def _compare_events(a: LogRecord, b: LogRecord) -> Comparison | None:
    """Two labelings of a session by the order of their events; None where that can't tell which of them are one."""
    if not a.events or not b.events or len(a.events) != len(b.events):
        return None
    pairs = [(Marked(x, 0), Marked(y, 0)) for x, y in zip(a.events, b.events, strict=True)]  # type: ignore[arg-type]
    return _comparison((a.session, a.source or "", b.source or ""), pairs, 1.0, 0)


def compare(rows_a: Sequence[Row], rows_b: Sequence[Row], names: tuple[str, str, str] = ("", "", "")) -> Comparison:
    """Compare two labelers of one log, each by the `rows` of their copy.

    Args:
        rows_a, rows_b: the copies.
        names: of the session, and where either copy stands.
    """
    pairs: list[tuple[Marked, Marked]] = []
    matched, left_out = -1, 0  # the rows above the first lines match
    for kind, i, i_end, j, j_end in align([row.text for row in rows_a], [row.text for row in rows_b]):
        of_a, of_b = rows_a[i:i_end], rows_b[j:j_end]
        if kind != "equal":  # a labeler has said nothing of a line that stands in the other's file alone
            left_out += sum(len(row.events) for row in (*of_a, *of_b))
            continue
        matched += len(of_a)
        for row_a, row_b in zip(of_a, of_b, strict=True):
            for a, b in pair_events(row_a.events, row_b.events):
                if (not a and row_a.is_open) or (not b and row_b.is_open):
                    left_out += 1
                else:
                    pairs.append((a or Marked(None, row_a.line), b or Marked(None, row_b.line)))
    longest = max(len(rows_a), len(rows_b)) - 1
    return _comparison(names, pairs, matched / longest if longest else 1.0, left_out)


def to_rows(lines: Sequence[str], counts: Counts, body: int = 1, open_lines: Container[int] = ()) -> list[Row]:
    """The lines of a log without annotations and differences of spacing, with their events; empty ones left out.

    The first row stands above all lines. What is above the body's first line, 1-based, is not part of the log. Lines in
    ``open_lines`` stand in replies about which the labeler has said nothing yet.
    """
    regions = [event.region for event in counts.events] + [tally.region for tally in counts.tallies]
    found = [Row(0, "", [])]
    for number, text in enumerate(without_annotations(lines, regions), start=1):
        if number >= body and _is_text(text):
            found.append(Row(number, " ".join(text.split()), [], number in open_lines))
    for event in counts.events:
        # An annotation on a line of its own belongs to the text above it.
        place = bisect_right(found, event.region.line, key=lambda row: row.line) - 1
        found[place].events.append(Marked(event.letter, event.region.line, event.fact))
    return found


def _comparison(
    names: tuple[str, str, str], pairs: Sequence[tuple[Marked, Marked]], lines_matched: float, left_out: int
) -> Comparison:
    words = {"letter": [(a.letter or NONE, b.letter or NONE) for a, b in pairs], **words_of_facts(pairs)}
    differing = [(a, b) for a, b in pairs if a.letter != b.letter]
    disputed = tuple(Dispute(a.line or None, b.line or None, a.letter, b.letter) for a, b in differing)
    return Comparison(*names, *_measures([words]), disputed, lines_matched, words, left_out)


def words_of_facts(pairs: Iterable[Pair]) -> dict[str, list[Words]]:
    """By the names of ``FACTS``, what two labelers said of each event of which both gave one."""
    facts = [(a.fact, b.fact) for a, b in pairs if a and b and a.fact and b.fact]
    both = {name: [(getattr(a, name), getattr(b, name)) for a, b in facts] for name in FACTS}
    # A hold need not say what came before it.
    return {name: [words for words in said if all(words)] for name, said in both.items()}


def _measures(sessions: Sequence[Mapping[str, Sequence[Words]]]) -> tuple[Agreement, Mapping[str, Agreement]]:
    """Agreement on the letters, and on each fact, over the ``words`` of sessions together."""
    of_facts = {name: measure([words[name] for words in sessions]) for name in FACTS}
    return measure([words["letter"] for words in sessions], of_letters=True), of_facts


def measure(sessions: Sequence[Sequence[Words]], *, of_letters: bool = False) -> Agreement:
    """The measures of agreement over the events of sessions together."""
    events = [(both, number, 1.0) for number, session in enumerate(sessions) for both in session]
    return measure_weighed(events, of_letters=of_letters)


def measure_weighed(events: Sequence[WeighedWords], *, of_letters: bool = False) -> Agreement:
    """The measures of agreement over events with a session and a weight each."""
    if not events:
        return Agreement(0)
    value, interval = kappa(events)
    both = sum(weight for words, _, weight in events if words == ("P", "P"))
    one_only = sum(weight for (a, b), _, weight in events if (a == "P") != (b == "P"))
    neither = sum(weight for words, _, weight in events if "P" not in words)
    return Agreement(
        events=len(events),
        agreement=sum(weight for (a, b), _, weight in events if a == b) / sum(weight for *_, weight in events),
        kappa=value,
        kappa_interval=interval,
        positive_agreement=2 * both / (2 * both + one_only) if of_letters and (both or one_only) else None,
        negative_agreement=2 * neither / (2 * neither + one_only) if of_letters and (neither or one_only) else None,
    )


def kappa(events: Sequence[WeighedWords]) -> tuple[float | None, Interval | None]:
    """Cohen's kappa of two labelers and its 95 % interval.

    It is None where both used one word only: chance alone agrees on all, and there is nothing to correct. The interval
    is None where all agree or none does: there the standard error is 0, which is no certainty. The error is that of
    Fleiss, Cohen and Everitt (1969), in its linear form, which goes by session where there are five or more.
    "No event" is a word of its own.
    """
    total = sum(weight for *_, weight in events)
    of_a, of_b = defaultdict[str, float](float), defaultdict[str, float](float)
    for (a, b), _, weight in events:
        of_a[a] += weight / total
        of_b[b] += weight / total
    observed = sum(weight for (a, b), _, weight in events if a == b) / total
    chance = sum(share * of_b[word] for word, share in of_a.items())
    if chance > 1 - 1e-12:
        return None, None
    value = round((observed - chance) / (1 - chance), 12) + 0.0  # none is 0, and not -0.00
    by_session = len({session for _, session, _ in events}) >= CLUSTERS
    # How far each event moves kappa.
    moves = defaultdict[object, float](float)
    for number, ((a, b), session, weight) in enumerate(events):
        move = (a == b) - observed - (1 - value) * (of_b[a] + of_a[b] - 2 * chance)
        moves[session if by_session else number] += weight / total * move / (1 - chance)
    error = sqrt(sum(move * move for move in moves.values()) * len(moves) / max(1, len(moves) - 1))
    reach = normal_quantile(0.975) * error
    return value, None if error < 1e-9 else (max(-1.0, value - reach), min(1.0, value + reach))


def without_annotations(lines: Sequence[str], regions: Iterable[Region]) -> list[str]:
    """The lines with nothing in place of some annotations; one that held nothing else is empty."""
    bare, changed = list(lines), set[int]()
    for region in sorted(set(regions), reverse=True):
        for index in range(region.line - 1, region.end_line):
            text = bare[index]
            start = region.column - 1 if index == region.line - 1 else 0
            end = region.end_column - 1 if index == region.end_line - 1 else len(text)
            bare[index] = text[:start] + text[end:]
            changed.add(index)
    for index in changed:
        text = _LEFT_OVER.sub("", bare[index]).rstrip()
        bare[index] = text if _is_text(text) else ""
    return bare


def _is_text(line: str) -> bool:
    """False where there is nothing but the marks of a list item, quote or heading."""
    return bool(line.strip(" \t-*+>|#"))


def align(a: Sequence[str], b: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Stretches of two sequences of lines, in order, as ``difflib`` gives them; copies of one log are one stretch."""
    return [("equal", 0, len(a), 0, len(b))] if a == b else SequenceMatcher(None, a, b).get_opcodes()


def pair_events(a: Sequence[Marked], b: Sequence[Marked]) -> list[Pair]:
    """Two labelers' events of one line in pairs, in order, with as many equal letters as can be."""
    if len(a) == len(b) or max(len(a), len(b)) > _LONG_LINE:
        return list(zip_longest(a, b))
    letters_a, letters_b = ([one.letter for one in side] for side in (a, b))
    stretches = SequenceMatcher(None, letters_a, letters_b, autojunk=False).get_opcodes()
    return [pair for _, i, i_end, j, j_end in stretches for pair in zip_longest(a[i:i_end], b[j:j_end])]
