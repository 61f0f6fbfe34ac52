"""A session's page: what the agent did when the person pressed, the session as a line, each event with its story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdtally.ask.picture import PicturedEvent, SessionPicture
from mdtally.show import session_words
from mdtally.show.page import PageContent, Section, Table
from mdtally.text import safe
from mdtally.text.records import record, replace

PLACES = 240
"""Most places of a line; of a longer session each place is several replies."""
_MOST = 600  # characters of a message or reply beside an event; the transcript has all of it


@record
class LinePlace:
    """A place in the line of a session: its mark, the number of its first event (0 without one), and what they were."""

    mark: str
    event: int = 0
    tip: str = ""


def session_page(picture: SessionPicture, filename: str) -> PageContent:
    """The sentence of pushes, what that proves so far, and a section an event."""
    first, *more = session_words.session_sentences(picture)
    proof = [Section("So far", sentences=tuple(more))] if more else []
    events = (_event(number, one) for number, one in enumerate(picture.events, start=1))
    to_do = "" if picture.events else f"To find and mark its events: mdtally review {safe.argument(filename)}"
    return PageContent(first.rstrip("."), (filename,), (*proof, *events), to_do)


def line_places(picture: SessionPicture) -> Iterator[LinePlace]:
    """The line of a session, place by place."""
    for mark, numbers in session_words.line_marks(picture, PLACES):
        events = [picture.events[number - 1] for number in numbers]
        tip = "; ".join(f"line {one.line}: {session_words.event_words(one)}" for one in events)
        yield LinePlace(mark, numbers[0] if numbers else 0, tip)


def line_section(picture: SessionPicture) -> list[Section]:
    """The line of the session in letters, and what they stand for."""
    rows = tuple(tuple(row) for row in session_words.legend(picture))
    drawn = Section("The session", sentences=(session_words.session_line(picture, PLACES),) if picture.replies else ())
    return [replace(drawn, tables=(Table(("", "what it did", "times:"), rows),))] if rows else []


def outcomes_by_turn(picture: SessionPicture) -> Mapping[int, str]:
    """What each turn of the transcript with an event in it was, in words, by its index."""
    found: dict[int, str] = {}
    for one in picture.events:
        turn = picture.transcript.turn_at(one.line)
        if turn:
            before = f"{found[turn.index]}; " if turn.index in found else ""
            found[turn.index] = before + session_words.event_words(one)
    return found


def exchange_sentences(
    message: str, between: str, reply: str, places: tuple[str, str] = ("", ""), most: int = _MOST
) -> list[str]:
    """The end of a push, what stands between, and the beginning of the reply, with what is said of their places."""
    message, reply = " ".join(message.split()), " ".join(reply.split())
    return [
        f"You{places[0]}: {'…' * (len(message) > most)}{message[-most:]}",
        f"In between: {between}.",
        f"The agent{places[1]}: {reply[:most]}{'…' * (len(reply) > most)}",
    ]


def _event(number: int, one: PicturedEvent) -> Section:
    told = [f"Your note: {safe.clip(one.text, _MOST)}"]
    if one.exchange:
        run, between = one.exchange.run, one.exchange.between.words
        told = exchange_sentences(run.message, between, run.reply, (f", line {run.human_line}", f", line {run.line}"))
    told.append(f"Your mark: {one.entry.reason}" if one.entry.reason else "Your mark: a letter, without a reason.")
    title = f"{number}. It {session_words.event_words(one)} (line {one.line})"
    return Section(title, sentences=tuple(told), key=f"e{number}")
