"""Settling who speaks where a reading is unsure: what is offered, pointed at or proposed, as patterns to keep."""

from mdtally.check.settling.by_name import advice, every_offer, needs_no_person
from mdtally.check.settling.choices import (
    HOW_TO_LABEL,
    Offer,
    kinds_of,
    laid_open,
    likely_labels,
    naming,
    offers,
    reading_again,
    unknown_voices,
    values_of,
    written_patterns,
)
from mdtally.check.settling.pointing import like
