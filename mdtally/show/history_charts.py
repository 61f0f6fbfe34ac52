"""The charts of a history's page: the groups as a forest plot, and the newest sessions.

A chart is a list of shapes, which ``pages/parts.html`` writes as SVG and the page's style colours, so that they follow
light and dark. A chart names itself and says in a sentence what it shows; every point says what it is when pointed at;
shape tells what colour tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil

from mdtally.log.series import sentences as words
from mdtally.log.series.rates import rolling_rates
from mdtally.log.series.records import GroupHistory, SessionRow
from mdtally.show.drawing import circle, line, text
from mdtally.show.page import AXIS, WIDE, Chart, Shape
from mdtally.text.intervals import ENOUGH
from mdtally.text.model import Interval
from mdtally.text.percent import count, limit, percent, span
from mdtally.text.records import record
from mdtally.text.safe import shorten

_RIGHT, _TOP, _BOTTOM = 104, 18, 44
_HALF_A_DATE, _RING = 42, 8
_ROW = 30
_NARROW = 600
"""Width of the chart of the groups, which fits on a phone; the others are scrolled there, the newest sessions first."""
_DAY = len("2026-01-02")


@record
class _Frame:
    """The axes of a chart over time: points 0, 1, … and rates from 0 to the highest as places in the picture."""

    points: int
    high: float
    height: int

    def x(self, point: float) -> float:
        return AXIS + _RING + (point + 0.5) / self.points * (WIDE - AXIS - _RIGHT - _RING)

    def y(self, rate: float) -> float:
        return _TOP + (1 - min(1, rate / self.high)) * (self.height - _TOP - _BOTTOM)

    def axes(self, dates: Sequence[str], step: float) -> list[Shape]:
        """Dates along the bottom, as many as fit, the first and the last among them; a line for each step of rates."""
        last = len(dates) - 1
        step_of_points = (WIDE - AXIS - _RIGHT - _RING) / self.points
        many = next((n for n in (4, 3, 2) if last // n * step_of_points > 2 * _HALF_A_DATE), 1)
        below = self.height - _BOTTOM + 21
        places = sorted({round(i * last / many) for i in range(many + 1)})
        # The first one may not be hidden by the axis.
        middles = [max(AXIS + _HALF_A_DATE, self.x(place)) for place in places]
        shapes = [
            text(x, below, dates[place][:_DAY], "tick", "middle") for x, place in zip(middles, places, strict=True)
        ]
        lines = (self.y(rate) for rate in self.steps(step))
        return [*shapes, *(line(AXIS, y, WIDE - _RIGHT, y, "grid") for y in lines)]

    def steps(self, step: float) -> list[float]:
        return [i * step for i in range(int(self.high / step + 1e-9) + 1)]

    def axis(self, step: float) -> list[Shape]:
        """The values at the left."""
        return [text(AXIS - 8, self.y(rate) + 4, f"{100 * rate:.0f}%", "tick", "end") for rate in self.steps(step)]

    def way(self, points: Iterable[tuple[float, float]], kind: str, label: str) -> list[Shape]:
        """A line through rates at points, with a text at its end."""
        places = [(self.x(point), self.y(rate)) for point, rate in points]
        way = Shape("polyline", {"class": kind, "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in places)})
        return [way, text(WIDE - _RIGHT + 6, places[-1][1] + 4, label, f"note strong of-{kind}", "start")]


def groups_chart(found: Sequence[GroupHistory], names: Sequence[str]) -> Chart:
    """A forest plot: each group's rate with its interval and its limit, the worst first."""
    rates = [group.sycophancy for group in found]
    ends = [(rate.overall.interval_deflated or (0.0, 0.0))[1] for rate in rates]
    top = min(1.0, ceil(10 * max(0.3, *ends, *(rate.limit or 0 for rate in rates))) / 10)
    left, right, height = 184, _NARROW - 172, _TOP + _ROW * len(found) + 34

    def x(rate: float) -> float:
        return left + min(top, rate) / top * (right - left)

    shapes: list[Shape] = []
    marks: list[Shape] = []
    for step in range(0, round(top * 10) + 1, 1 if top <= 0.6 else 2):
        shapes.append(line(x(step / 10), _TOP - 6, x(step / 10), height - 30, "grid"))
        # A phone shows nothing that stands right of the last one's end.
        shapes.append(text(min(x(step / 10), right - 8), height - 10, f"{10 * step}%", "tick", "middle"))
    for index, (one, rate) in enumerate(zip(found, rates, strict=True)):
        y = _TOP + _ROW * (index + 0.5)
        shapes.append(text(left - 12, y + 4, shorten(names[index], 20), "label", "end", href=f"g{index}"))
        if rate.limit is not None:
            shapes.append(line(x(rate.limit), y - 11, x(rate.limit), y + 11, "ceiling"))
        interval = rate.overall.interval_deflated
        if interval is not None and rate.overall.rate is not None:
            shapes.append(line(x(interval[0]), y, x(interval[1]), y, "whisker"))
            tip = f"{names[index]}: {words.headline(one)}"
            marks.append(_mark((x(rate.overall.rate), y), one.verdict or "", one.events < ENOUGH, tip))
        limits = words.limits(rate)
        shown = f"{percent(rate.overall.rate, *limits)} of {one.events:,} ({span(interval, *limits)})"
        shown = shown if one.events else "no events"
        shapes.append(text(right + 10, y + 4, shown, "tick", "start"))
    desc = " ".join(f"{shown}: {words.headline(one)}." for one, shown in zip(found[:12], names, strict=False))
    desc += f" And {len(found) - 12} more." if len(found) > 12 else ""
    title = "How often each of them gave in over all events, with what fits and what you allow"
    return Chart("groups", title, desc, height, [*shapes, *marks], _NARROW)


def sessions_chart(
    measured: Sequence[SessionRow], group: GroupHistory, key: str, most: int, height: int = 320
) -> Chart:
    """Each session's rate with its interval, the rolling rate with its own, and the ceiling.

    Args:
        measured: the group's sessions with events, oldest first; so many of them at most are shown, the newest ones.
        group: the group.
        key: begins the ids of the chart and of the rows of the table that its points lead to.
        height: of the chart.
    """
    rows = measured[-most:]
    ceilings = [float(row.verdict.thresholds.sycophancy_ceiling) for row in rows]
    rates = [row.verdict.sycophancy_rate or 0.0 for row in rows]
    intervals = [row.verdict.interval or (0.0, 1.0) for row in rows]
    # Small sessions have intervals to the sky: they may be cut off, the points may not.
    wide = sorted(high for _, high in intervals)[int(0.8 * (len(rows) - 1))]
    highest = max(0.3, max(ceilings) * 1.5, max(rates) * 1.1, wide)
    frame = _Frame(len(rows), min(1.0, ceil(highest * 10) / 10), height)
    step = 0.1 if frame.high <= 0.5 else 0.2
    shapes, marks = frame.axes([row.line.date for row in rows], step), list[Shape]()
    counts = [(row.verdict.A_P, row.verdict.A_T) for row in measured[-most - group.window :]]
    rolled = rolling_rates(counts, group.window, group.sycophancy.design_effect.used)[-len(rows) :]
    shapes += _band([fits for _, fits in rolled], frame) if len(rows) > 1 else []
    steps = ((i + end, one) for i, one in enumerate(ceilings) for end in (-0.5, 0.5))
    shapes += frame.way(steps, "ceiling", f"ceiling {limit(ceilings[-1])}")
    shapes += frame.way(enumerate(rate for rate, _ in rolled), "rolling", "") if len(rows) > 1 else []
    for i, (row, rate, (low, high)) in enumerate(zip(rows, rates, intervals, strict=True)):
        x, y, few = frame.x(i), frame.y(rate), row.verdict.qualifier == "inconclusive"
        shapes.append(line(x, frame.y(low), x, frame.y(high), "whisker"))
        if high > frame.high:
            tip = f"cut: it reaches up to {percent(high)}"
            marks.append(Shape("path", {"class": "cut", "d": f"M{x:.1f} {_TOP - 7}l4 7h-8z"}, tip=tip))
        if row.spike:
            marks.append(circle(x, y, 10, "ring"))
        if row.overcorrection_spike:
            marks.append(Shape("path", {"class": "ring square", "d": f"M{x - 9:.1f} {y - 9:.1f}h18v18h-18z"}))
        tip = f"{row.line.date[:_DAY]} {row.title}: {words.verdict_words(row)}"
        marks.append(_mark((x, y), row.verdict.verdict, few, tip, f"{key}-{len(rows) - i}"))
    desc = f"{count(len(measured), 'session')} with events: {words.headline(group)}."
    title = "How often it gave in, session by session"
    return Chart(f"{key}-sessions", title, desc, frame.height, [*shapes, *marks], axis=frame.axis(step))


def _band(fitting: Sequence[Interval], frame: _Frame) -> list[Shape]:
    """What fits with the rolling rate at each session."""
    there = [(frame.x(i), frame.y(high)) for i, (_, high) in enumerate(fitting)]
    back = [(frame.x(i), frame.y(low)) for i, (low, _) in enumerate(fitting)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*there, *reversed(back)])
    return [Shape("polygon", {"class": "band", "points": points})]


def _mark(place: tuple[float, float], verdict: str, hollow: bool, tip: str, href: str = "") -> Shape:
    """A point: a circle, grey without a verdict; a triangle, upwards for giving in, downwards for holding for its own
    sake."""
    x, y = place
    failure = verdict in ("SYCOPHANTIC", "OVERCORRECTED")
    shape = {"SYCOPHANTIC": "up", "OVERCORRECTED": "down"}.get(verdict, "round")
    kind = f"mark {shape} {'hollow' if hollow else 'bad' if failure else 'good' if verdict else 'unjudged'}"
    if not failure:
        return circle(x, y, 4.5, kind, tip, href)
    tall = -6 if verdict == "SYCOPHANTIC" else 6
    return Shape("path", {"class": kind, "d": f"M{x:.1f} {y + tall:.1f}l6 {-1.75 * tall:g}h-12z"}, "", tip, href)
