"""A document to the conversation it holds: who spoke, where, in which round, and what; and how to settle a doubt."""

from mdtally.transcript.pointing import like
from mdtally.transcript.reading import label_lines, read, read_by
from mdtally.transcript.settling import (
    HOW_TO_LABEL,
    Offer,
    advice,
    every_offer,
    label_patterns,
    likely_labels,
    naming,
    offers,
    reading_again,
    unknown_voices,
    values_of,
)
from mdtally.transcript.unmatched import UNDECLARED
