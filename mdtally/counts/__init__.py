"""Tags, facts and tallies to events and totals, reconciled.

Hand-written notes vary, so the ways of writing are many and the way through is one:

1. `visible` and `plain`: what a reader sees, without code, comments and the disguises of Markdown, each character with
   its place;
2. `tables`, `annotations` (with `values` and `facts`): what that text states, in its order;
3. `swallowed`: what an unclosed fence or comment would have stated;
4. `reconcile`: events and stated totals together; the frontmatter (`head`) only where the body has none.

Nothing that looks like a counter with a number is ever skipped: it is read, or it is a problem with its line. No total
is given while a problem stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mdtally.counts.notation import mentions_counters
from mdtally.counts.reconcile import Trust
from mdtally.model import Counts, Document, Problem

_CONSEQUENCES = frozenset({"tally-mismatch", "tally-missing"})

__all__ = ["Trust", "mentions_counters", "read"]


def read(document: Document, *, trust: Trust | None = None) -> tuple[Counts, tuple[Problem, ...]]:
    """Count a session log.

    Args:
        document: the log.
        trust: which to believe where tags and tallies differ; None makes a difference an error.

    Returns:
        the counts and the problems in the order of the file. While there is a problem, all three totals are None. A
        document without counters has zeros, ``decided_by=""`` and no problem. Blocks are parsed, and the Markdown
        parser imported, only where a line of the body mentions a counter or a fact.
    """
    from mdtally.counts.head import read_head
    from mdtally.counts.reconcile import by_tallies, reconcile

    body = document.lines[document.body_line - 1 :]
    counts, in_body = Counts(0, 0, 0), False
    problems: tuple[Problem, ...] = ()
    if mentions_counters(body):
        from mdtally.counts.body import read_body

        found = read_body(document)
        in_body = bool(found.lines or found.assertions or found.problems)
        counts, problems = reconcile(found.lines, found.assertions, trust)
        if found.problems:
            # What can't be read is missing from the sums: say that first, not what follows from it.
            problems = tuple(problem for problem in problems if problem.rule not in _CONSEQUENCES)
        problems = _ordered([*found.problems, *problems])
    if not in_body:
        assertions, head_problems = read_head(document)
        if head_problems:
            counts, problems = Counts(tallies=tuple(item.tally for item in assertions)), _ordered(head_problems)
        elif assertions:
            counts, problems = by_tallies(assertions, "frontmatter")
    if problems:
        counts = replace(counts, A_P=None, A_R=None, A_T=None, decided_by="", ordered=False)
    return counts, problems


def _ordered(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.region))
