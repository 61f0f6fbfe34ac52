"""Settling who speaks where a reading is unsure: what is offered, pointed at or proposed, as patterns to keep.

`choices` offers up to three readings, of sets of labels that `choosers` finds; `by_name` offers more where a person
asks about one file, of what else tells voices apart: `marks`, `heads`, `messages`, `senders`, `beginnings`. `pointing`
makes the reading of lines that a person points at, and `proof` says whether it holds.
"""

from mdtally.check.settling.by_name import advice, every_offer, needs_no_person
from mdtally.check.settling.choices import (
    HOW_TO_LABEL,
    Offer,
    kinds_of,
    likely_labels,
    naming,
    offers,
    reading_again,
    unknown_voices,
    values_of,
    without_chat_fences,
    written_patterns,
)
from mdtally.check.settling.pointing import like
