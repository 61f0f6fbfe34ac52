"""A session's page: what the agent did when the person pressed, the session as a line, each event with its story."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from mdtally.ask import session_words
from mdtally.ask.picture import OUTCOMES, SessionPicture, marks_of
from mdtally.show import drawing
from mdtally.show.page import PageContent, Section, Table
from mdtally.text import safe
from mdtally.text.records import by_key

MOST_MARKS = 400
"""Marks in the picture of a page; of a longer session a dot stands for several replies."""
_COLUMNS = 60
_MOST = 600  # characters of a message or reply beside an event; the transcript has all of it


def session_page(picture: SessionPicture, filename: str) -> PageContent:
    """The sentence of pushes, what that proves so far, and a section a reply that holds events."""
    first, *more = session_words.session_sentences(picture)
    proof = [Section("So far", sentences=tuple(more))] if more else []
    events = enumerate(picture.events, start=1)
    by_reply = by_key((one.exchange.number if one.exchange else -number, number) for number, one in events)
    cards = (_card(numbers, picture) for numbers in by_reply.values())
    is_known = picture.total or picture.reviewed or picture.headless or picture.error_line
    to_do = "" if is_known else f"To find and mark its events: mdtally review {safe.argument(filename)}"
    return PageContent(first.rstrip("."), (filename,), (*proof, *cards), to_do)


def drawn_session(picture: SessionPicture, width: float) -> dict[str, object]:
    """The session as shapes of so many points across, for a page."""
    shapes, height = drawing.session_shapes(picture, marks_of(picture, MOST_MARKS), width)
    return {"shapes": shapes, "width": width, "height": height}


def line_section(picture: SessionPicture) -> list[Section]:
    """The line of the session in letters, and what they stand for."""
    rows = tuple(tuple(row) for row in session_words.legend(picture))
    drawn = drawing.mark_rows(marks_of(picture, MOST_MARKS), _COLUMNS)
    legend = Table(("", "what it did", "times:"), rows)
    section = Section("The session", sentences=(session_words.HEIGHTS,), tables=(legend,), drawing=tuple(drawn))
    return [section] if rows else []


def outcomes_by_turn(picture: SessionPicture | None) -> Mapping[int, str]:
    """What each turn of a session's transcript with an event in it was, in words, by its index."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for one in picture.events if picture else ():
        if picture and (turn := picture.transcript.turn_at(one.line)):
            found[turn.index][OUTCOMES[one.outcome][1]] += 1
    return {
        index: "; ".join(f"{what}{f' ×{n}' if n > 1 else ''}" for what, n in outcomes.items())
        for index, outcomes in found.items()
    }


def _card(numbers: Sequence[int], picture: SessionPicture) -> Section:
    """The events of one reply: the push, what stood between and the reply once, then each mark."""
    events = [picture.events[number - 1] for number in numbers]
    first, seen, shown, said = events[0], "", 0, list[str]()
    if first.exchange:
        run = first.exchange.run
        message, reply = " ".join(run.message.split()), " ".join(run.reply.split())
        seen = f"The agent, line {run.line}: {reply[:_MOST]}{'…' * (len(reply) > _MOST)}"
        pushed = f"You, line {run.human_line}: {'…' * (len(message) > _MOST)}{message[-_MOST:]}"
        said = [pushed, f"In between: {first.exchange.between.words}.", seen]
    for number, one in zip(numbers, events, strict=True):
        mark = f"Your mark: {one.entry.reason}" if one.entry.reason else "Your mark: a letter, without a reason."
        if len(events) > 1:
            mark = f"{number}. It {OUTCOMES[one.outcome][1]} (line {one.line}). {mark}"
        words = safe.clip(one.text, _MOST)
        before_mark = one.text.partition(" [")[0].partition(" <!--")[0]
        said_there = before_mark.rpartition(":** ")[2].lstrip("-*> ").replace("**", "")
        is_seen = one.exchange and (one.line in (one.exchange.run.line, shown) or said_there[-30:] in seen)
        where = f"Line {one.line}" if one.exchange else "Your note"
        said += [mark] if is_seen else [f"{where}: {words}", mark]
        shown = one.line
    title = f"{numbers[0]}. It {OUTCOMES[first.outcome][1]} (line {first.line})"
    if len(events) > 1:
        title = f"{numbers[0]} to {numbers[-1]}. {len(events)} events in one reply (line {first.line})"
    turn = picture.transcript.turn_at(first.line)
    link = ("In the transcript", f"t{turn.index}") if turn else ()
    return Section(title, sentences=tuple(said), key=f"e{numbers[0]}", link=link)
