"""Tags, facts and tallies to events and totals, reconciled.

The ways of writing are a closed list, and the way through is one:

1. `runs`: the body as plain text, without code and comments, each character with its place;
2. `forms` and `tables` (with `notation`): what that text states, in its order;
3. `near`: what looks meant and is none;
4. `body`: all of it together, with what code and unclosed blocks hide;
5. `reconcile`: events and stated totals together; `reading`: the frontmatter (`head`) only where the body has none.

Nothing that looks like a counter with a number is ever skipped: it is read, or it is a problem with its line. No total
is given while an error stands.
"""

from mdtally.session.counts.notation import fact_words, mentions_counters
from mdtally.session.counts.reading import check_tallies, look_alikes, read
from mdtally.session.counts.reconcile import Trust
