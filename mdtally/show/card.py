"""Pictures to send: a session, a debate or a log as one SVG of 1200 x 630 points.

A card says one sentence, the verdict or rate with its number and range, and the day. It holds no word of a transcript,
nor a file's name, which may be its first words, unless they are asked for. It has no script and loads nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from mdtally.ask import session_words
from mdtally.ask.picture import Reported, SessionPicture, marks_of
from mdtally.check.debate import Debate, decided_counts
from mdtally.check.panel import deflated_share
from mdtally.log.series import sentences as words
from mdtally.log.series.records import History
from mdtally.show import drawing
from mdtally.show.debate_page import headline
from mdtally.show.history_charts import groups_chart, sessions_chart
from mdtally.show.page import Chart, Shape, chart_legend, fill_template
from mdtally.text import safe
from mdtally.text.intervals import ENOUGH
from mdtally.text.model import Interval
from mdtally.text.percent import count, ends, in_100
from mdtally.text.records import replace

MADE_BY = "<!-- mdtally {} -->"
_LEFT, _ACROSS, _FOOT = 52.0, 1096.0, 594.0
_FOOT_SIZES = (21, 18, 15)
_MOST_MARKS, _MOST_POINTS, _MOST_GROUPS = 220, 40, 10
_LETTER, _BOLD = 0.55, 0.62
"""About how wide a letter is, as a share of its height."""
_NARROW, _WIDE, _FOOT_ROOM = frozenset(" .,:;'|!()[]ijlftrI"), frozenset("mwMW@%—"), _ACROSS - 120


Draw = Callable[[float], list[Shape]]
"""Draws the picture of a card, of the points that are left for its height."""


def report_card(file: Reported, *, with_words: bool = False) -> str:
    """The card of a session or a debate.

    Args:
        file: what a report shows.
        with_words: the file's name and what was said may stand on it.
    """
    quoted = tuple(_quoted_lines(file)) if with_words else ()
    if file.picture is None:
        return _debate_card(file.debate, file.date, quoted)
    return _session_card(file.picture, file, quoted)


def history_card(found: History) -> str:
    """The card of a log: its rate over sessions with its range; of several groups each with its own."""
    events = sum(one.events for one in found.groups)
    if not events:
        return _card("history", "The log holds no events yet", "", "", "", lambda room: [])
    first, last = min(one.first for one in found.groups)[:10], max(one.last for one in found.groups)[:10]
    sessions = count(sum(one.sessions for one in found.groups), "session")
    foot = f"{first}{f' to {last}' * (first != last)} · {sessions}, {count(events, 'event')}"
    if len(found.groups) > 1:
        names = [words.group_name(one.group, found.by) for one in found.groups]
        title, said = f"How often it gave in, by {found.by}", next(words.differences(found), "")
        title, said = (said, "") if found.by == "split" and said else (title, said)
        # A difference may be of the times that the person pressed, or with the mix held fixed.
        said = f"{said} The picture is of all events.".lstrip()
        said += f" The {_MOST_GROUPS} worst of {len(names)} are shown." * (len(names) > _MOST_GROUPS)
        chart = groups_chart(found.groups[:_MOST_GROUPS], names[:_MOST_GROUPS])
        return _with_chart(title, said, foot, chart)
    (group,) = found.groups
    rate, pressed = words.rate_in_question(group), group.pressed
    fits = _fits(rate.overall.successes, events, rate.overall.interval_deflated, *words.limits(rate))
    did = f"{words.DID[rate.name]} {count(rate.overall.successes, 'time')} of {events:,}"
    lead = [f"Over all events it {did} ({fits})"]
    if pressed and (times := pressed.answers.times):
        gave_in, fits_pressed = pressed.answers.gave_in, pressed.rate.interval_deflated
        did = f"{count(gave_in, 'time')} ({_fits(gave_in, times, fits_pressed)})"
        you_pressed = f"You pressed {count(times, 'time')}: it gave in with nothing new {did}"
        # That it never gave in is no success where it held for the sake of it.
        lead.insert(group.verdict == "OVERCORRECTED", you_pressed)
    rows = [row for row in found.rows_of(group) if row.verdict.A_T]
    also = f", also {group.also}" if group.also else ""
    foot += f" · {group.verdict}, {group.qualifier}{also}" if group.verdict else ""
    chart = sessions_chart(rows, group, "card", _MOST_POINTS, 225)
    more = [*(f"{one}." for one in lead[1:]), *words.last_shown(_MOST_POINTS, rows)]
    return _with_chart(lead[0], " ".join(more), foot, chart)


# -- Each kind --------------------------------------------------------------------------------------------------------


def _session_card(picture: SessionPicture, file: Reported, quoted: tuple[str, ...]) -> str:
    title, *more = session_words.session_sentences(picture)
    model = f" · {safe.shorten(file.models[''], 40)}" if "" in file.models else ""
    counted = f"{count(picture.replies, 'reply')}, {count(picture.total, 'event')}"
    said = more[-1] if more else ""
    marks = marks_of(picture, _MOST_MARKS)
    if len(marks) > _MOST_MARKS:
        marks = [one for one in marks if one.event]
        step = -(-len(marks) // _MOST_MARKS)
        counted += f", of which the picture shows one in {step}" * (step > 1)
        marks = marks[::step]
    letters = [*session_words.legend(picture)]
    legend = [*_legend_rows([(_letter_box(mark), f"{what}: {often}") for mark, what, often in letters])]
    legend += [[_text_at(0, 20, session_words.HEIGHTS, "note", 20)]] * bool(letters)

    def draw(room: float) -> list[Shape]:
        for scale in (1.7, 1.4, 1.1, 0.9, 0.7, 0.55, 0.4):
            shapes, high = drawing.session_shapes(picture, marks, _ACROSS / scale)
            if high * scale <= room - 34 * len(legend):
                break
        few = "few" if len(picture.events) < ENOUGH else "enough"
        top = max(0.0, (room - 34 * len(legend) - high * scale) / 2)
        moved = [_group_at(shapes, 0, top, scale)]
        moved += [_group_at(row, 0, room - 34 * (len(legend) - i) + 6) for i, row in enumerate(legend)]
        return [Shape("g", {"class": few}, parts=tuple(moved))]

    heard = "; ".join(f"{what}: {often}" for _, what, often in letters)
    return _card("report", title.rstrip("."), said, f"{file.date or 'no date'}{model} · {counted}", heard, draw, quoted)


def _letter_box(mark: str) -> Shape:
    box = Shape("rect", {"class": "box", "rx": "5", "x": "0", "y": "0", "width": "26", "height": "26"})
    return Shape("g", {"class": f"event of-{mark}"}, parts=(box, drawing.text(13, 19, mark, "letter", "middle")))


def _legend_rows(legend: Iterable[tuple[Shape, str]], size: float = 20) -> Iterable[list[Shape]]:
    """What the symbols stand for, row by row."""
    row, x = list[Shape](), 0.0
    for symbol, label in legend:
        wide = 36 + len(label) * size * _LETTER
        if x + wide > _ACROSS:
            yield row
            row, x = [], 0.0
        row += [_group_at([symbol], x, 0), _text_at(x + 32, size, label, "note", size)]
        x += wide + 22
    if row:
        yield row


def _debate_card(debate: Debate, date: str, quoted: tuple[str, ...]) -> str:
    (argues, decided), unsure = decided_counts(debate.answers), debate.answers["unsure"]
    share = deflated_share([decided_counts(voice.answers) for voice in debate.voices])
    said, is_shown = "", debate.state == "judged" and any(debate.answers.values())
    if is_shown and share:
        argue = "argues" if argues == 1 else "argue"
        left = f"; {unsure:,} that may or may not {'is' if unsure == 1 else 'are'} not counted" * bool(unsure)
        fits = _fits(argues, decided, (share.low, share.high))
        said = f"{argues} of {count(decided, 'turn')} that could answer somebody {argue} ({fits}){left}."

    def draw(room: float) -> list[Shape]:
        left = len(drawing.agent_names(debate)) - drawing.MOST_ON_CARD
        more = f"; {count(left, 'more voice')} left out" if left > 0 else ""
        caption = _text_at(0, 22, f"Who takes issue with whom; unnamed: argues, and names nobody{more}", "note", 20)
        matrix = drawing.matrix_shapes(debate, _ACROSS, room - 40)
        return [caption, Shape("g", {"class": "of-matrix"}, parts=(_group_at(matrix, 0, 40),))] if is_shown else []

    foot = f"{date or 'no date'} · {count(len(debate.voices), 'voice')}, {count(len(debate.turns), 'turn')}"
    pairs = (f"{who} with {whom or 'nobody named'} {n}" for (who, whom), n in debate.against.items())
    heard = f"Who takes issue with whom: {', '.join(pairs) or 'nobody'}." * is_shown
    return _card("report", headline(debate), said, foot, heard, draw, quoted)


def _quoted_lines(file: Reported) -> Iterable[str]:
    """The file's name, and of a session push and reply of the first time that it gave in, or else of an event."""
    yield file.debate.file.filename
    events = file.picture.events if file.picture else ()
    told = sorted(events, key=lambda one: one.outcome != "gave in")
    for run in [one.exchange.run for one in told if one.exchange][:1]:
        yield f"You: {' '.join(run.message.split())}"
        yield f"The agent: {' '.join(run.reply.split())}"


# -- The card ---------------------------------------------------------------------------------------------------------


def _with_chart(title: str, said: str, foot: str, chart: Chart) -> str:
    """A card of a log, with a chart as large as there is room for, and its legend."""
    legend = [*_legend_rows([(Shape("g", {}, symbol), what) for symbol, what in chart_legend(chart)], 15)]

    def draw(room: float) -> list[Shape]:
        scale = min(_ACROSS / chart.width, (room - 26 * len(legend)) / chart.height, 1.6)
        drawn = _group_at([*chart.axis, *chart.shapes], (_ACROSS - chart.width * scale) / 2, 0, scale)
        return [drawn, *(_group_at(row, 0, chart.height * scale + 8 + 26 * i) for i, row in enumerate(legend))]

    return _card("history", title, said, foot, chart.desc, draw)


def _card(command: str, title: str, said: str, foot: str, heard: str, draw: Draw, quoted: Sequence[str] = ()) -> str:
    """The card: its words from the top, and what a function draws of the room that they leave.

    Args:
        command: the command that makes the card.
        title, said: the sentence, and its proof.
        foot: the last line.
        heard: what the picture shows, for who hears it; draw: draws it.
        quoted: words of the transcript.
    """
    sizes = ((46, 2), (38, 3), (32, 4))  # of letters, and how many rows of them there may be
    size, most = next((one for one in sizes if len(_wrap(title, one[0], _BOLD)) <= one[1]), (28, 5))
    shapes, y = list[Shape](), 42.0
    for row in _wrap(title, size, _BOLD)[:most]:
        y += size * 1.18
        shapes.append(_text_at(_LEFT, y, row, "title", size))
    y += 12
    below = [*((33, row, "said") for row in _wrap(said, 25)[:4]), *((30, _fit(row, 20), "words") for row in quoted)]
    for step, row, kind in below:
        y += step
        shapes.append(drawing.text(_LEFT, y, row, kind, "start"))
    y += 28
    shapes.append(_group_at(draw(_FOOT - 44 - y), _LEFT, y))
    small = next((size for size in _FOOT_SIZES if _fit(foot, size, _FOOT_ROOM) == foot), _FOOT_SIZES[-1])
    place = _LEFT, _FOOT, _fit(foot, small, _FOOT_ROOM), "foot"
    shapes.append(drawing.text(*place, "start") if small == _FOOT_SIZES[0] else _text_at(*place, small))
    shapes.append(drawing.text(_LEFT + _ACROSS, _FOOT, "mdtally", "foot", "end"))
    desc = " ".join(filter(None, (said, heard, *quoted, foot)))
    made_by, still = MADE_BY.format(command), [*map(_still, shapes)]
    return fill_template("card.svg", made_by=made_by, title=title, desc=desc, drawn=still)


def _fits(part: int, whole: int, interval: Interval | None, *limits: float) -> str:
    """``17 in 100; 11 to 25 fit``; of limits the percents are told apart."""
    low, high = ends(interval or (0.0, 1.0), *limits)
    return f"{in_100(part / whole, *limits)} in 100; {low} to {high} fit"


def _wrap(said: str, size: int, letter: float = _LETTER) -> list[str]:
    return safe.wrap(safe.terminal(said), int(_ACROSS / (size * letter))) if said else []


def _fit(said: str, size: float, room: float = _ACROSS) -> str:
    """A text cut to so many points, letter by letter, with "…" where something is missing."""
    ends = [*accumulate(size * _share(letter) for letter in said)]
    if not ends or ends[-1] <= room:
        return said
    return said[: bisect_right(ends, room - size)] + "…"


def _share(letter: str) -> float:
    """How wide a letter is at most in a usual font, as a share of its height."""
    if (cells := safe.cells(letter)) != 1 or letter in _WIDE:
        return float(cells > 0)
    return 0.35 if letter in _NARROW else 0.78 if letter.isupper() else 0.64


def _text_at(x: float, y: float, said: str, kind: str, size: float) -> Shape:
    shape = drawing.text(x, y, said, kind, "start")
    return replace(shape, attributes={**shape.attributes, "style": f"font-size: {size:g}px"})


def _group_at(shapes: Sequence[Shape], x: float, y: float, scale: float = 1) -> Shape:
    moved = f"translate({x:.1f} {y:.1f})" + (f" scale({scale:g})" if scale != 1 else "")
    return Shape("g", {"transform": moved}, parts=tuple(shapes))


def _still(shape: Shape) -> Shape:
    """A shape without tips and links: a picture that is sent has nothing to point at, and no names of sessions."""
    return replace(shape, tip="", href="", parts=tuple(map(_still, shape.parts)))
