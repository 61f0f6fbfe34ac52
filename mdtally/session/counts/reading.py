"""A document to its counts: the body's statements reconciled, the frontmatter where the body has none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import SimpleNamespace

from mdtally.session.counts.body import Statements, read_statements
from mdtally.session.counts.head import near_keys, read_head
from mdtally.session.counts.notation import mentions_counters
from mdtally.session.counts.reconcile import Trust, by_tallies, reconcile, tallies_with_counts
from mdtally.session.counts.runs import LabelLines, is_in_doubt
from mdtally.text.document import Document
from mdtally.text.frontmatter import text_of
from mdtally.text.model import Counts, Problem, TallyLine, errors_of
from mdtally.text.records import replace
from mdtally.text.regex import regex

_TRUSTED: dict[str, Trust] = {"tags": "tags", "tallies": "tallies"}
# What follows from something that can't be read is not said beside it: that is missing from the sums.
_CONSEQUENCES = frozenset({"tally-mismatch", "tally-missing"})
# A line about one day: "| Mon | 1 | 0 | 3 |", "- 2026-01-05: A_P 1", "Day 2: A_P 0"
_DAY = regex(r"(?i)\W*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}\b|day \d)")


# What a suppression comment names, by either word, as the table of rules has it.
_NEAR_MISS = dict.fromkeys(("MDT210", "near-miss-tag"), SimpleNamespace(code="MDT210", name="near-miss-tag"))


def read(
    document: Document, *, trust: Trust | None = None, declared: bool = False, labels: LabelLines | None = None
) -> tuple[Counts, tuple[Problem, ...]]:
    """Count a session log.

    Args:
        document: the log.
        trust: which to believe where tags and tallies differ; None goes by ``trust:`` in the frontmatter, and without
            one makes a difference an error.
        declared: the file is declared a session log, so that near misses matter though it counts nothing.
        labels: gives the indices of the lines that are labels of turns, ascending. It is asked only where a code fence
            is in doubt: what is code for the turns is code for the counts.

    Returns:
        the counts and the problems in the order of the file. While one of them is an error, all three totals are None.
        A survey, or a document without counters, has zeros, ``decided_by=""`` and no problem. Near misses that a
        comment in the file excuses are not problems; they are in ``counts.excused``.
    """
    if document.conflict:
        return Counts(A_P=None, A_R=None, A_T=None), (document.conflict,)
    if document.is_survey:
        return Counts(0, 0, 0), ()
    in_head, wrong_in_head = read_head(document)
    declared = declared or (text_of(document.head, "kind") or "").casefold() == "session" or bool(in_head)
    counts, problems, in_body = Counts(0, 0, 0), list[Problem](), False
    if declared or mentions_counters(document.lines):
        # What looks like a counter is asked about later, without labels: then the answer is there already.
        stated = read_statements(document, labels if is_in_doubt(document) else None)
        in_body = bool(stated.lines or stated.tallies or errors_of(stated.problems))
        if in_body or declared:
            trust = trust or _TRUSTED.get((text_of(document.head, "trust") or "").lower())
            counts, problems = _read_body(document, stated, trust)
    if in_body:
        problems += [] if errors_of(problems) else _outdated_totals(in_head, counts)
    else:
        problems += wrong_in_head
        if in_head and not wrong_in_head:
            from_head, more = by_tallies(in_head, "frontmatter")
            counts, problems = replace(from_head, excused=counts.excused), [*problems, *more]
    if errors_of(problems):
        counts = replace(counts, A_P=None, A_R=None, A_T=None, decided_by="")
    return counts, tuple(sorted(problems, key=lambda problem: problem.region))


def check_tallies(document: Document, labels: LabelLines | None = None) -> tuple[tuple[TallyLine, int], ...]:
    """Each stated total of a file's body with what the tags come to at its place, in order; labels as for `read`."""
    stated = read_statements(document, labels)
    return tuple(tallies_with_counts(stated.lines, stated.tallies))


def look_alikes(document: Document) -> tuple[Problem, ...]:
    """What looks meant as a tag or tally in a file that counts nothing, in order: tags in code and words, too."""
    stated = read_statements(document)
    in_code = (problem for problem in stated.problems if problem.rule == "tag-in-code")
    return tuple(sorted((*near_keys(document), *stated.near, *in_code), key=lambda problem: problem.region))


def _read_body(document: Document, stated: Statements, trust: Trust | None) -> tuple[Counts, list[Problem]]:
    """The counts of what a body states, and all that is wrong with it, or looks like a counter above it."""
    near, excused = _excuse(document, stated.near)
    counts, problems = reconcile(stated.lines, tuple(stated.tallies), trust, stated.near)
    is_unreadable = errors_of(stated.problems)
    told = (problem for problem in problems if not (is_unreadable and problem.rule in _CONSEQUENCES))
    by_day = (_by_day(document, problem) for problem in told)
    return replace(counts, excused=excused), [*by_day, *stated.problems, *near, *near_keys(document)]


def _by_day(document: Document, problem: Problem) -> Problem:
    """A fall of a total in a line about one day, told as what it is."""
    if problem.rule != "tally-decreased" or not _DAY.match(document.lines[problem.region.line - 1]):
        return problem
    message = f"these look like counts by day, not running totals ({problem.message})"
    hint = "one note is one session: keep a note a day, or totals that only rise"
    return replace(problem, message=message, hint=hint)


def _outdated_totals(in_head: Iterable[TallyLine], counts: Counts) -> list[Problem]:
    """A warning where the frontmatter states totals as well, and others than the body, which hold."""
    other = [tally for tally in in_head if tally.value != getattr(counts, tally.counter)]
    if not other:
        return []
    says = ", ".join(f"{tally.counter} {tally.value}" for tally in other)
    body = ", ".join(f"{tally.counter} {getattr(counts, tally.counter)}" for tally in other)
    message = f"the frontmatter says {says}, and the body {body}: the body counts"
    hint = "take the counters out of the frontmatter; they count only if the body has none"
    return [Problem("tally-mismatch", message, other[0].region, "warning", hint=hint)]


def _excuse(document: Document, near: Sequence[Problem]) -> tuple[Sequence[Problem], tuple[Problem, ...]]:
    """The near misses that stand, and those that a suppression comment excuses."""
    if not near:
        return (), ()
    from mdtally.text import suppressions

    comments, _ = suppressions.read(document, (), _NEAR_MISS.get)
    stay, excused, _ = suppressions.apply(near, comments, frozenset())
    return stay, excused
