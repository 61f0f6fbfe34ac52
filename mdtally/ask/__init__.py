"""The way from a chat to a picture: who speaks, which turns count, the verdict.

steps = Review(EventWalk()).run()
request = next(steps)                  a question with its keys, or something to do; see ``port``
"""

from mdtally.ask.paragraphs import NewLabels, Passage
from mdtally.ask.picture import SessionPicture, picture_of, report_on
from mdtally.ask.port import Ask, Judge, Look, Propose, Question, Rewrite, Steps, Tell, Wrote
from mdtally.ask.speakers import OfferedReadings
from mdtally.ask.survey_walk import SurveyWalk
from mdtally.ask.walk import EventWalk, ReviewedTurn
from mdtally.ask.way import VERDICT, OpenQuestions, Review, open_questions, unlikely
