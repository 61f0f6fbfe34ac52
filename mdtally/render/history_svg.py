"""The charts of a history's page: the groups, the newest sessions, the whole log, the sequential test.

A chart is a list of shapes, which ``pages/chart.html`` writes as SVG and the page's style colours, so that they follow
light and dark. A chart names itself and says in a sentence what it shows; every point says what it is when pointed at;
shape tells what colour tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil

from mdtally.percent import limit, percent
from mdtally.records import record
from mdtally.render import history_words as words
from mdtally.render.safe import shorten
from mdtally.series.records import GroupHistory, SessionRow
from mdtally.series.sprt import Sprt

_WIDTH, _HEIGHT = 960, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 92, 18, 44
_ROW = 30
_NARROW = 600
"""Width of the chart of the groups, which fits on a phone; the others are scrolled there, the newest sessions first."""
_DAY = len("2026-01-02")


@record
class Shape:
    """A shape of a chart: its SVG element with attributes, its text, what it says when pointed at, where it leads."""

    tag: str
    attributes: Mapping[str, str]
    text: str = ""
    tip: str = ""
    href: str = ""


@record
class Chart:
    """A chart: an id that is unique on its page, a title, what it shows in words, and its shapes."""

    key: str
    title: str
    desc: str
    height: int
    shapes: Sequence[Shape]
    width: int = _WIDTH


@record
class _Frame:
    """A chart's axes, over points 0, 1, … and from the lowest to the highest value: data to places in the picture."""

    points: int
    low: float
    high: float
    height: int = _HEIGHT

    def x(self, value: float) -> float:
        return _LEFT + (value + 0.7) / (self.points + 0.4) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (self.high - min(self.high, max(self.low, value))) / (self.high - self.low)
        return _TOP + share * (self.height - _TOP - _BOTTOM)

    def across(self, value: float, kind: str, label: str = "", tick: str = "") -> Iterator[Shape]:
        """A line over the whole width, with a text at either end."""
        y = self.y(value)
        yield _line(_LEFT, y, _WIDTH - _RIGHT, y, kind)
        if label:
            yield _text(_WIDTH - _RIGHT + 6, y + 4, label, "note strong", "start")
        if tick:
            yield _text(_LEFT - 8, y + 4, tick, "tick", "end")

    def dates(self, dates: Sequence[str]) -> Iterator[Shape]:
        """Dates along the bottom, as many as fit, the first and the last among them."""
        last = len(dates) - 1
        count = min(last, 5) or 1
        for place in sorted({round(i * last / count) for i in range(count + 1)}):
            anchor = "middle" if 0 < place < last or not last else "start" if not place else "end"
            yield _text(self.x(place), self.height - _BOTTOM + 21, dates[place][:_DAY], "tick", anchor)

    def way(self, values: Iterable[float], kind: str, first: float = 0) -> Shape:
        """A line through values at points one apart."""
        places = " ".join(f"{self.x(first + i):.1f},{self.y(value):.1f}" for i, value in enumerate(values))
        return Shape("polyline", {"class": kind, "points": places})


def groups(found: Sequence[words.Said]) -> Chart:
    """A forest plot: each group's rate with its interval and its limit, the worst first."""
    rates = [one.group.sycophancy for one in found]
    highest = max([0.3, *((rate.overall.interval_deflated or (0, 0))[1] for rate in rates)])
    top = min(1.0, ceil(10 * max(highest, *(rate.limit or 0 for rate in rates))) / 10)
    left, right, height = 184, _NARROW - 180, _TOP + _ROW * len(found) + 34

    def x(rate: float) -> float:
        return left + min(top, rate) / top * (right - left)

    shapes = []
    for step in range(round(top * 10) + 1):
        shapes.append(_line(x(step / 10), _TOP - 6, x(step / 10), height - 30, "grid"))
        shapes.append(_text(x(step / 10), height - 10, f"{10 * step}%", "tick", "middle"))
    for index, (one, rate) in enumerate(zip(found, rates, strict=True)):
        y = _TOP + _ROW * (index + 0.5)
        shapes.append(_text(left - 12, y + 4, shorten(one.name, 20), "label", "end", href=f"g{index}"))
        if rate.limit is not None:
            shapes.append(_line(x(rate.limit), y - 11, x(rate.limit), y + 11, "ceiling"))
        interval, shown = rate.overall.interval_deflated, "no events"
        if interval is not None and rate.overall.rate is not None:
            kind = "SYCOPHANTIC" if one.is_failure else "CALIBRATED"
            shapes.append(_line(x(interval[0]), y, x(interval[1]), y, "whisker"))
            tip = f"{one.name}: {one.headline}"
            shapes.append(_mark((x(rate.overall.rate), y), kind, one.group.events < 10, tip))
            shown = f"{one.rate} of {one.group.events:,}, {one.interval}"
            shown += "" if rate.trend == "unclear" else f", {one.trend}"
        shapes.append(_text(right + 10, y + 4, shown, "tick", "start"))
    desc = " ".join(f"{one.name}: {one.headline}." for one in found[:12])
    return Chart(
        "groups", "How often each of them gave in, with what fits and what you allow", desc, height, shapes, _NARROW
    )


def sessions(rows: Sequence[SessionRow], said: words.Said, key: str) -> Chart:
    """Each session's rate with its interval, the rolling rate, and the ceiling.

    Args:
        rows: sessions with events, oldest first, the last of the group.
        said: what is said of the group.
        key: a name for the chart that is unique on the page; links to rows of the table begin with it.
    """
    ceilings = [float(row.verdict.thresholds.sycophancy_ceiling) for row in rows]
    rates = [row.verdict.sycophancy_rate or 0.0 for row in rows]
    intervals = [row.verdict.interval or (0.0, 1.0) for row in rows]
    # Small sessions have intervals to the sky: they may be cut off, the points may not.
    wide = sorted(high for _, high in intervals)[int(0.8 * (len(rows) - 1))]
    highest = max(0.3, max(ceilings) * 1.5, max(rates) * 1.1, wide)
    frame = _Frame(len(rows), 0.0, min(1.0, ceil(highest * 10) / 10))
    step = 0.1 if frame.high <= 0.5 else 0.2
    shapes = list(frame.dates([row.date for row in rows]))
    for i in range(int(frame.high / step + 1e-9) + 1):
        shapes.extend(frame.across(i * step, "grid", tick=f"{100 * i * step:.0f}%"))
    steps = (f"{frame.x(i + end):.1f},{frame.y(one):.1f}" for i, one in enumerate(ceilings) for end in (-0.5, 0.5))
    shapes.append(Shape("polyline", {"class": "ceiling", "points": " ".join(steps)}))
    y = frame.y(ceilings[-1]) + 4
    shapes.append(_text(_WIDTH - _RIGHT + 6, y, f"ceiling {limit(ceilings[-1])}", "note strong", "start"))
    for i, (low, high) in enumerate(intervals):
        x = frame.x(i)
        shapes.append(_line(x, frame.y(low), x, frame.y(high), "whisker"))
        if high > frame.high:
            tip = f"cut: it reaches up to {percent(high)}"
            shapes.append(Shape("path", {"class": "cut", "d": f"M{x:.1f} {_TOP - 7}l4 7h-8z"}, tip=tip))
    rolling = said.group.sycophancy.rates[-len(rows) :]
    if len(rolling) > 1:
        shapes.append(frame.way(rolling, "rolling", len(rows) - len(rolling)))
    for i, (row, rate) in enumerate(zip(rows, rates, strict=True)):
        few, place, leads_to = (
            row.verdict.qualifier == "inconclusive",
            (frame.x(i), frame.y(rate)),
            f"{key}-{len(rows) - i}",
        )
        if row.spike or row.hidden_spike:
            kind = "ring few" if few else "ring"
            shapes.append(Shape("circle", {"class": kind, "cx": f"{place[0]:.1f}", "cy": f"{place[1]:.1f}", "r": "10"}))
        tip = f"{row.date[:_DAY]} {row.title}: {'; '.join([words.session(row), words.verdict(row), *words.marks(row)])}"
        shapes.append(_mark(place, row.verdict.verdict, few, tip, leads_to))
    shapes.extend(_names(rows, frame))
    desc = f"The last {words.counted(len(rows), 'session')} with events. {said.name}: {said.headline}."
    return Chart(key + "-sessions", "How often it gave in, session by session", desc, _HEIGHT, shapes)


def whole(group: GroupHistory, key: str) -> Chart:
    """The rolling rate over the whole log as one line."""
    dates, rates = zip(*group.sycophancy.line, strict=True)
    top = max([0.1, *rates, *(ceiling for ceiling, _ in group.ceilings)])
    frame = _Frame(len(rates), 0.0, min(1.0, 1.1 * top), 130)
    shapes = [*frame.dates(dates), frame.way(rates, "rolling")]
    if group.sycophancy.limit is not None:
        shapes.extend(frame.across(group.sycophancy.limit, "ceiling", tick=limit(group.sycophancy.limit)))
    shapes.append(_text(_WIDTH - _RIGHT + 6, frame.y(rates[-1]) + 4, percent(rates[-1]), "tick", "start"))
    shapes.append(_text(_LEFT - 8, frame.y(0) + 4, "0%", "tick", "end"))
    title = f"The whole log: the rate of the last {words.counted(group.window, 'session')}, over time"
    return Chart(key, title, f"From {group.first[:_DAY]} to {group.last[:_DAY]}.", 130, shapes)


def path(test: Sprt, dates: Sequence[str], key: str) -> Chart:
    """The log likelihood ratio of the latest tests, between their bounds; ``dates`` are those of its points."""
    upper, lower = test.test.upper, test.test.lower
    frame = _Frame(len(test.path), 1.25 * min(lower, -upper), 1.25 * max(upper, -lower), 240)
    shapes = [*frame.dates(dates), *frame.across(0, "grid")]
    for bound, rate in ((upper, test.test.p1), (lower, test.test.p0)):
        shapes.extend(frame.across(bound, "ceiling", f"favours {percent(rate)}", f"{bound:+.2f}"))
    first = 0
    for i, point in enumerate(test.path):
        ends = i + 1 == len(test.path) or test.path[i + 1].test != point.test
        if ends:
            shapes.append(frame.way((one.llr for one in test.path[first : i + 1]), "walk", first))
            first = i + 1
        if point.decision != "continue":
            # An earlier test may have been of another limit, so its rates are not named.
            kind, which = ("bad", "higher") if point.decision == "H1" else ("good", "lower")
            tip = f"test {point.test}: favours the {which} rate after {words.counted(point.events, 'event')}"
            where = {"cx": f"{frame.x(i):.1f}", "cy": f"{frame.y(point.llr):.1f}", "r": "4"}
            shapes.append(Shape("circle", {"class": f"mark {kind}", **where}, tip=tip))
    return Chart(key, "The latest sequential tests", f"{words.sprt(test)}.", 240, shapes)


def _names(rows: Sequence[SessionRow], frame: _Frame) -> Iterator[Shape]:
    """Names of the newest sessions that stand out, each above its point, as far as there is room for them."""
    taken: list[tuple[float, float, float]] = []
    marked = [i for i, row in enumerate(rows) if row.spike] or [i for i, row in enumerate(rows) if row.hidden_spike]
    for i in reversed(marked[-8:]):
        x, y, name = frame.x(i), frame.y(rows[i].verdict.sycophancy_rate or 0.0) - 12, shorten(rows[i].title, 28)
        wide = 8.0 * len(name)
        left = min(max(_LEFT, x - wide / 2), _WIDTH - wide)
        while y > 0 and any(abs(y - other) < 14 and left < end and start < left + wide for other, start, end in taken):
            y -= 15
        if y >= 10:
            taken.append((y, left, left + wide))
            kind = "name few" if rows[i].verdict.qualifier == "inconclusive" else "name"
            yield _text(left + wide / 2, y, name, kind, "middle")


def _mark(place: tuple[float, float], verdict: str, hollow: bool, tip: str, href: str = "") -> Shape:
    """A point: a circle, a triangle upwards for giving in, downwards for arguing for the sake of it."""
    x, y = place
    bad = verdict in ("SYCOPHANTIC", "OVERCORRECTED") and not hollow
    kind = {"class": f"mark {'bad' if bad else 'good'}{' hollow' if hollow else ''}"}
    if verdict in ("SYCOPHANTIC", "OVERCORRECTED"):
        tall = -6 if verdict == "SYCOPHANTIC" else 6
        drawn = {"d": f"M{x:.1f} {y + tall:.1f}l6 {-1.75 * tall:g}h-12z"}
        return Shape("path", {**kind, **drawn}, tip=tip, href=href)
    return Shape("circle", {**kind, "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "4.5"}, tip=tip, href=href)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Shape:
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return Shape("line", {"class": kind, **{name: f"{value:.1f}" for name, value in places.items()}})


def _text(x: float, y: float, text: str, kind: str, anchor: str, href: str = "") -> Shape:
    return Shape("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, text, href=href)
