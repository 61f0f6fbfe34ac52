"""What every picture is drawn with: the marks of a session, the matrix of a debate, lines, points and texts.

A picture is a list of shapes in points, which `pages/parts.html` writes as SVG and `pages/drawing.css` colours. The
page, the card and the terminal show a session by the same marks, so that they look alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mdtally.ask.picture import OUTCOMES, PicturedEvent, PlacedMark, SessionPicture
from mdtally.check.debate import Debate, decided_counts
from mdtally.check.panel import deflated_share
from mdtally.show.page import Shape
from mdtally.text.percent import span
from mdtally.text.safe import shorten

MOST_IN_MATRIX, MOST_ON_CARD = 12, 7
"""Voices in a matrix of a page and of a card: those who object, or are objected to, most."""
_SIZE, _GAP, _STEP = 24, 4, 22
_LEAST_DOT, _MOST_DOT = 6, 22


def mark_rows(marks: Sequence[PlacedMark], width: int) -> Iterator[str]:
    """The marks as lines of letters of at most so many columns, a stem below each that stands above the line."""
    for start in range(0, len(marks), width):
        part = marks[start : start + width]
        for level in range(max(one.level for one in part), -1, -1):
            letters = (one.letter if one.level == level else "│" if one.level > level else " " for one in part)
            yield "".join(letters).rstrip()


def session_shapes(picture: SessionPicture, marks: Sequence[PlacedMark], width: float) -> tuple[list[Shape], float]:
    """The marks as shapes in rows of a width, and how high they are; an event leads to its place on the page."""
    events = sum(one.event > 0 for one in marks)
    dots = len(marks) - events
    pitch = max(_LEAST_DOT, min(_MOST_DOT, (width - events * (_SIZE + _GAP)) / (dots or 1)))
    rows: list[list[tuple[float, PlacedMark]]] = [[]]
    x = 0.0
    for one in marks:
        wide = _SIZE + _GAP if one.event else pitch
        if x + wide > width + 0.5:
            x = 0.0
            rows.append([])
        rows[-1].append((x + wide / 2, one))
        x += wide
    shapes, drawn, below = list[Shape](), list[Shape](), 0.0
    for row in rows:
        base = below + _STEP * max((one.level for _, one in row), default=0) + _SIZE / 2 + 4
        below = base + _SIZE / 2 + 8
        shapes += [line(0, base, row[-1][0] + _SIZE / 2, base, "stem")] if row else []
        places = "".join(f"M{at:.0f} {base:.0f}h.1" for at, one in row if not one.event)
        shapes += [Shape("path", {"class": "replies", "d": places})] if places else []
        drawn += [_event(picture.events[one.event - 1], one, at, base) for at, one in row if one.event]
    return [*shapes, *drawn], below


def _event(event: PicturedEvent, mark: PlacedMark, x: float, base: float) -> Shape:
    """An event: its letter in a box on a stem, with what it was as its name."""
    y, half = base - _STEP * mark.level, _SIZE / 2
    places = {"x": x - half, "y": y - half, "width": _SIZE, "height": _SIZE}
    box = Shape("rect", {"class": "box", "rx": "5", **{name: f"{value:g}" for name, value in places.items()}})
    stem = [line(x, y + half, x, base, "stem")] if mark.level else []
    pushed = ("", ", you approved", ", you pushed back")[mark.level]
    tip = f"{mark.event}. {mark.letter}: {OUTCOMES[event.outcome][1]}{pushed} (line {event.line})"
    parts = (*stem, box, text(x, y + 5.5, mark.letter, "letter", "middle"))
    return Shape("g", {"class": f"event of-{mark.letter}"}, "", tip, f"e{mark.card}", parts)


# -- A debate ---------------------------------------------------------------------------------------------------------


def busiest_names(debate: Debate, most: int = MOST_IN_MATRIX) -> list[str]:
    """The agents who object, or are objected to, most, then those with most turns, in the order of the debate.

    Who objects to nobody is shown, too: an empty row is what a debate is looked through for.
    """
    weight: Counter[str] = Counter(dict.fromkeys(agent_names(debate), 0))
    for (who, whom), n in debate.against.items():
        weight.update({name: n for name in (who, whom) if name})
    chosen = {name for name, _ in weight.most_common(most)}
    return [voice.name for voice in debate.voices if voice.name in chosen]


def agent_names(debate: Debate) -> list[str]:
    """The agents, those with most turns first."""
    return [voice.name for voice in sorted(debate.voices, key=lambda one: -one.turns) if voice.kind == "agent"]


def matrix_shapes(debate: Debate, width: float, high: float) -> list[Shape]:
    """Who takes issue with whom: a row a voice, a column for whom; behind it how often it argues, with what fits."""
    names = busiest_names(debate, MOST_ON_CARD)
    label, rest = 170.0, 330.0
    cell = min(130.0, (width - label - rest) / (len(names) + 1))
    step = min(62.0, (high - 30) / (len(names) or 1))
    most = max(debate.against.values(), default=1)
    columns = [*names, ""]
    shapes = [
        text(label + cell * (i + 0.5), 16, shorten(name or "unnamed", int(cell / 11)), "tick", "middle")
        for i, name in enumerate(columns)
    ]
    shapes.append(text(label + cell * len(columns) + 20, 16, "argues", "tick", "start"))
    voices = {voice.name: voice for voice in debate.voices}
    for row, who in enumerate(names):
        y = 28 + step * row
        shapes.append(text(label - 14, y + step / 2 + 6, shorten(who, 18), "label", "end"))
        for column, whom in enumerate(columns):
            n = debate.against.get((who, whom), 0)
            kind = f"cell of-{min(3, -(-3 * n // most))}" if who != whom else "cell self"
            places = {"x": label + cell * column + 2, "y": y + 2, "width": cell - 4, "height": step - 4}
            shapes.append(Shape("rect", {"class": kind, "rx": "4", **{k: f"{v:.1f}" for k, v in places.items()}}))
            if n:
                shapes.append(text(label + cell * (column + 0.5), y + step / 2 + 6, str(n), "letter", "middle"))
        argues, decided = decided_counts(voices[who].answers)
        fits, unsure = deflated_share([(argues, decided)]), voices[who].answers["unsure"]
        shares = [f"{argues} of {decided} ({span((fits.low, fits.high))})"] if fits else []
        said = ", ".join([*shares, *[f"{unsure} unsure"] * bool(unsure)]) or "could answer nobody"
        shapes.append(text(label + cell * len(columns) + 20, y + step / 2 + 6, said, "note", "start"))
    return shapes


# -- Shapes -----------------------------------------------------------------------------------------------------------


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Shape:
    """A straight line."""
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return Shape("line", {"class": kind, **{name: f"{value:.1f}" for name, value in places.items()}})


def text(x: float, y: float, words: str, kind: str, anchor: str, href: str = "") -> Shape:
    """A text."""
    return Shape("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, words, href=href)


def circle(x: float, y: float, size: float, kind: str, tip: str = "", href: str = "") -> Shape:
    """A circle."""
    return Shape("circle", {"class": kind, "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{size:g}"}, "", tip, href)
