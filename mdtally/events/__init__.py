"""Tagging at a keystroke: which turns may hold an event, and where the tag of one goes.

found = candidates(document)                       every run of the agent, likeliest first: ranked, never filtered
tag = fact_text(Fact("agree", "pushback", "none"))
place(document, found.ranked[0].run, tag)          line, column and text to insert
"""

from mdtally.events.candidates import (
    FEW,
    LIKELY,
    NOBODY_ANSWERS,
    UNSURE,
    WORTH_ASKING,
    Candidate,
    Candidates,
    Exchange,
    candidates,
    exchange_at,
    exchanges,
)
from mdtally.events.place import fact_text, insert_tag, place, remove_tag
from mdtally.events.runs import Run
