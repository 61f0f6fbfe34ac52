"""Surveys: which replies of many sessions a person is asked about, and what the answers say of all of them.

Pure and seeded: a frame of replies in, a draw out; a draw and answers in, rates with their intervals out. Notes, turns
and the disk belong to the caller.
"""

from mdtally.events.survey.drawing import draw_more, draw_survey, seed_of
from mdtally.events.survey.estimating import agreement_of, estimate_survey
from mdtally.events.survey.forecast import expectation, expected_range
