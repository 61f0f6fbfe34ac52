"""The way from a chat to a picture: who speaks, which turns count, the verdict.

steps = EventWalk().run()
request = next(steps)                  a question with its keys, or something to do; see ``port``
"""

from mdtally.review.events import EventWalk, ReviewedTurn
from mdtally.review.picture import PicturedEvent, SessionPicture, picture_of
from mdtally.review.port import Ask, Edit, Judge, Look, Question, Steps, Tell, Wrote

__all__ = [
    "Ask",
    "Edit",
    "EventWalk",
    "Judge",
    "Look",
    "PicturedEvent",
    "Question",
    "ReviewedTurn",
    "SessionPicture",
    "Steps",
    "Tell",
    "Wrote",
    "picture_of",
]
