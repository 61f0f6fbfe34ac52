"""Tags, facts and tallies to events and totals, reconciled.

The ways of writing are a closed list, and the way through is one:

1. `runs`: the body as plain text, without code and comments, each character with its place;
2. `forms` and `tables` (with `notation`): what that text states, in its order;
3. `near`: what looks meant and is none;
4. `body`: all of it together, with what code and unclosed blocks hide;
5. `reconcile`: events and stated totals together; the frontmatter (`head`) only where the body has none.

Nothing that looks like a counter with a number is ever skipped: it is read, or it is a problem with its line. No total
is given while an error stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mdtally.counts.notation import mentions_counters
from mdtally.counts.reconcile import Trust
from mdtally.model import Counts, Document, Problem, TallyLine
from mdtally.records import replace

__all__ = ["Trust", "check_tallies", "look_alikes", "mentions_counters", "read"]

_TRUSTED: dict[str, Trust] = {"tags": "tags", "tallies": "tallies"}
# What follows from something that can't be read is not said beside it: that is missing from the sums.
_CONSEQUENCES = frozenset({"tally-mismatch", "tally-missing"})


def read(
    document: Document,
    *,
    trust: Trust | None = None,
    declared: bool = False,
    labels: Callable[[], Sequence[int]] | None = None,
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
        A document without counters has zeros, ``decided_by=""`` and no problem. Near misses that a comment in the file
        excuses are no problems; they are in ``counts.excused``.
    """
    from mdtally.counts.head import read_head
    from mdtally.counts.reconcile import by_tallies, reconcile

    values = document.head.values
    in_head, wrong = read_head(document)
    declared = declared or values.get("kind") == "session" or bool(in_head)
    counts, problems = Counts(0, 0, 0), list[Problem]()
    in_body = False
    if declared or mentions_counters(document.lines[document.body_line - 1 :]):
        from mdtally.counts.body import read_statements

        found = read_statements(document, labels)
        unreadable = _has_error(found.problems)
        in_body = bool(found.lines or found.tallies or unreadable)
        if in_body or declared:
            near, excused = _excuse(document, found.near)
            trust = trust or _TRUSTED.get(str(values.get("trust")).lower())
            counts, reconciled = reconcile(found.lines, tuple(found.tallies), trust, found.near)
            counts = replace(counts, excused=excused)
            problems = [one for one in reconciled if not (unreadable and one.rule in _CONSEQUENCES)]
            problems += [*found.problems, *near, *(_outdated(in_head, counts) if in_body else ())]
    if not in_body:
        problems += wrong
        if in_head and not wrong:
            stated, reconciled = by_tallies(in_head, "frontmatter")
            counts = replace(stated, excused=counts.excused)
            problems += reconciled
    if _has_error(problems):
        counts = replace(counts, A_P=None, A_R=None, A_T=None, decided_by="")
    return counts, tuple(sorted(problems, key=lambda problem: problem.region))


def check_tallies(
    document: Document, labels: Callable[[], Sequence[int]] | None = None
) -> tuple[tuple[TallyLine, int], ...]:
    """Each stated total of a file's body with what the tags come to at its place, in order; labels as for `read`."""
    from mdtally.counts import reconcile
    from mdtally.counts.body import read_statements

    found = read_statements(document, labels)
    return tuple(reconcile.check_tallies(found.lines, found.tallies))


def look_alikes(document: Document) -> tuple[Problem, ...]:
    """What looks meant as a tag or tally in a file that counts nothing, tags in code among it, in order."""
    from mdtally.counts.body import read_statements

    found = read_statements(document)
    in_code = (problem for problem in found.problems if problem.rule == "tag-in-code")
    return tuple(sorted((*found.near, *in_code), key=lambda problem: problem.region))


def _has_error(problems: Iterable[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _outdated(in_head: Iterable[TallyLine], counts: Counts) -> list[Problem]:
    """A warning where the frontmatter states totals as well, and others than the body, which hold."""
    other = [tally for tally in in_head if tally.value != getattr(counts, tally.counter)]
    if not other or counts.A_T is None:
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
    from mdtally import suppressions

    comments, _ = suppressions.read(document.lines, (), lambda word: _NEAR_MISS if word in _NEAR_MISS else None)
    stay, excused, _ = suppressions.apply(near, comments, frozenset())
    return stay, tuple(each.problem for each in excused)


class _Rule(NamedTuple):
    code: str
    name: str


_NEAR_MISS = _Rule("MDT210", "near-miss-tag")
