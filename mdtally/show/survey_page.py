"""A survey's page: its sentence, the rates, how the sides differ, what was drawn, and every answer with its reply."""

from __future__ import annotations

from mdtally.ask.picture import outcome_of
from mdtally.ask.session_words import outcome_words
from mdtally.check.survey_verdict import StratumCount, SurveyPicture, with_range
from mdtally.events.survey.drawing import Word, facts_of
from mdtally.events.survey.estimating import SKIP
from mdtally.events.survey.note import ShownItem, answer_text
from mdtally.events.survey.ratios import SurveyRate
from mdtally.show.page import PageContent, Section, Table
from mdtally.show.session_page import exchange_sentences
from mdtally.show.style import Options
from mdtally.show.survey_words import RATE_NAMES, contrast_sentences, survey_lines
from mdtally.text.model import Fact, Problem
from mdtally.text.percent import count, ends, in_100

_SHORT = 120  # characters of a message or reply that is no event


def survey_page(picture: SurveyPicture | Problem, filename: str) -> PageContent:
    """The page of a survey: its sentence, the rates, how the sides differ, what it rests on, and its answers."""
    if isinstance(picture, Problem):
        problem = Section(f"Line {picture.region.line}", sentences=(f"{picture.message}.",))
        return PageContent("Nothing is counted", (filename,), (problem,))
    verdict, found = picture.verdict, picture.verdict.estimate
    sentence, *weak = survey_lines(verdict, Options())
    differ = [*contrast_sentences(verdict)]
    named = [("", found), *((f"{side}: ", of) for side, of in found.sides.items())]
    rates = [_rate_row(f"{side}{rate}", getattr(of, name)) for side, of in named for name, rate in RATE_NAMES.items()]
    counted = picture.note.counting_answers
    strata = map(_stratum_row, picture.strata)
    sections = (
        Section("What it says", sentences=(f"{sentence}.",)),
        Section("The rates", tables=(Table(("", "in 100:", "fits:", "worth in events:"), tuple(rates)),)),
        Section("How the sides differ", sentences=tuple(f"{line}." for line in differ)),
        Section("What to know", sentences=tuple(f"{line}." for line in weak if line not in differ)),
        Section("What was drawn", tables=(Table(("", "replies:", "drawn:", "answered:"), tuple(strata)),)),
    )
    gave_in = found.sycophancy
    title = (
        f"It gave in in {with_range(gave_in, ' events')}" if gave_in else "Too few events to say how often it gave in"
    )
    shown = [one for one in sections if one.sentences or one.tables]
    events = [one for one in picture.items if _facts(counted.get(one.id, SKIP))]
    others = [_row(one, counted.get(one.id)) for one in picture.items if one not in events]
    shown += [_event(one, counted[one.id]) for one in events]
    table = Table(("item:", "answer", "you", "the agent"), tuple(others), folded=f"{count(len(others), 'other item')}")
    return PageContent(title, (filename,), (*shown, *[Section("The other items", tables=(table,))] * bool(others)))


def _facts(answer: Word) -> tuple[Fact, ...]:
    return () if answer == SKIP else facts_of(answer)


def _event(one: ShownItem, answer: Word) -> Section:
    outcomes = [outcome_words(outcome_of(fact.letter, fact)) for fact in _facts(answer)]
    told = exchange_sentences(one.message, one.between, one.reply)
    told.append(f"The answer, line {one.line}: {answer_text(answer)}")
    return Section(f"{one.number}. It {'; '.join(outcomes)}", sentences=tuple(told), key=f"e{one.number}")


def _row(one: ShownItem, answer: Word | None) -> tuple[str, ...]:
    said, _, replied = exchange_sentences(one.message, one.between, one.reply, most=_SHORT)
    words = "not counted" if answer is None else "skipped or open" if answer == SKIP else "no event"
    return str(one.number), words, said.partition(": ")[2], replied.partition(": ")[2]


def _stratum_row(one: StratumCount) -> tuple[str, ...]:
    side = f"{one.side}: " if one.side else ""
    numbers = (f"{number:,}" for number in (one.replies, one.drawn, one.answered))
    return f"{side}about {in_100(one.expected)} in 100 expected to be events", *numbers


def _rate_row(name: str, rate: SurveyRate | None) -> tuple[str, ...]:
    if rate is None:
        return name, "", "too few", ""
    low, high = ends((rate.low, rate.high))
    return name, in_100(rate.rate), f"{low} to {high}", f"{rate.effective:.0f}"
