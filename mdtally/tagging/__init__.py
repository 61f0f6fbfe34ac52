"""Tagging at a keystroke: which turns may hold an event, and where the tag of one goes.

found = candidates(document)                       every run of the agent, likeliest first
tag = fact_text(Fact("agree", "pushback", "none"))
place(document, found.ranked[0].run, tag)          line, column and text to insert
"""

from __future__ import annotations

from mdtally.tagging.candidates import LIKELY, Candidate, Candidates, candidates
from mdtally.tagging.place import Insertion, fact_text, place, proved, removed
from mdtally.tagging.runs import Run

__all__ = [
    "LIKELY",
    "Candidate",
    "Candidates",
    "Insertion",
    "Run",
    "candidates",
    "fact_text",
    "place",
    "proved",
    "removed",
]
