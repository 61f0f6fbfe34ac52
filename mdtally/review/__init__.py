"""The way from a chat to a picture: who speaks, which turns count, the verdict.

steps = Review(EventWalk()).run()
request = next(steps)                  a question with its keys, or something to do; see ``port``
"""

from mdtally.review.events import EventWalk, ReviewedTurn
from mdtally.review.picture import SessionPicture, report_on
from mdtally.review.port import Ask, Judge, Look, Question, Rewrite, Steps, Tell, Wrote
from mdtally.review.speakers import OfferedReadings
from mdtally.review.way import VERDICT, OpenQuestions, Review, open_questions, unlikely
