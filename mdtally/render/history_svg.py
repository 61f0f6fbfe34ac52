"""The charts of a history's page as SVG: the groups, the newest sessions, the whole log, the sequential test.

Drawn without scripts and styled by the page, so they follow light and dark. A chart names itself and says in a sentence
what it shows; every point says what it is when pointed at; shape tells what colour tells. Text from the log goes
through `safe.markup`, numbers through fixed formats, and nothing else enters a chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from mdtally.percent import limit, percent, span
from mdtally.records import record
from mdtally.render import history_words as words
from mdtally.render import safe
from mdtally.render.safe import markup
from mdtally.series.records import GroupHistory, SessionRow
from mdtally.series.sprt import Sprt

__all__ = ["groups", "path", "sessions", "shorten", "whole"]

_WIDTH, _HEIGHT = 960, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 92, 18, 44
_ROW = 30
_DAY = len("2026-01-02")


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


def groups(found: Sequence[GroupHistory], by: str, key: str) -> str:
    """A forest plot: each group's rate with its interval and its limit, the worst first."""
    highest = max(
        [0.3, *((one.sycophancy.overall.interval_deflated or (0, 0))[1] for one in found)]
        + [one.sycophancy.limit or 0 for one in found]
    )
    top = min(1.0, ceil(highest * 10) / 10)
    left, right, height = 250, _WIDTH - 230, _TOP + _ROW * len(found) + 34
    bottom = height - 30

    def x(rate: float) -> float:
        return left + min(top, rate) / top * (right - left)

    parts = []
    for step in range(round(top * 10) + 1):
        parts.append(_line(x(step / 10), _TOP - 6, x(step / 10), bottom, "grid"))
        parts.append(_text(x(step / 10), height - 10, f"{10 * step}%", "tick", "middle"))
    for index, group in enumerate(found):
        rate, y = group.sycophancy, _TOP + _ROW * (index + 0.5)
        name = shorten(safe.terminal(words.group_name(group, by)), 30)
        parts.append(f'<a href="#g{index}">{_text(left - 12, y + 4, name, "label", "end")}</a>')
        if rate.limit is not None:
            parts.append(_line(x(rate.limit), y - 11, x(rate.limit), y + 11, "ceiling"))
        interval = rate.overall.interval_deflated
        if interval is None or rate.overall.rate is None:
            parts.append(_text(right + 10, y + 4, "no events", "tick", "start"))
            continue
        parts.append(_line(x(interval[0]), y, x(interval[1]), y, "whisker"))
        bad = words.is_failure(group.verdict, group.qualifier)
        place, title = (x(rate.overall.rate), y), f"{words.group_name(group, by)}: {words.sentence(group)}"
        parts.append(_shape(place, "SYCOPHANTIC" if bad else "CALIBRATED", group.events < 10, title))
        limits = words.limits(rate)
        shown = f"{percent(rate.overall.rate, *limits)} of {group.events:,}, {span(interval, *limits)}"
        shown += "" if rate.trend == "unclear" else f", {words.trend(rate)}"
        parts.append(_text(right + 10, y + 4, shown, "tick", "start"))
    desc = " ".join(f"{words.group_name(one, by)}: {words.sentence(one)}." for one in found[:12])
    return _svg(key, "How often each of them gave in, with what fits and what you allow", desc, parts, height)


def sessions(rows: Sequence[SessionRow], group: GroupHistory, key: str) -> str:
    """Each session's rate with its interval, the rolling rate, and the ceiling.

    Args:
        rows: sessions with events, oldest first, the last of the group.
        group: the group they belong to.
        key: a name for the chart that is unique on the page; links to rows of the table begin with it.
    """
    # Small sessions have intervals to the sky: they may be cut off, the points may not.
    ceilings = [float(row.verdict.thresholds.sycophancy_ceiling) for row in rows]
    highest = max([max(ceilings) * 1.5, 0.3, *((row.verdict.sycophancy_rate or 0) * 1.1 for row in rows)])
    wide = sorted(row.verdict.interval[1] for row in rows if row.verdict.interval)
    highest = max(highest, wide[int(0.8 * (len(wide) - 1))])
    frame = _Frame(len(rows), 0.0, min(1.0, ceil(highest * 10) / 10))
    parts = [*_percent_grid(frame), *_dates(frame, [row.date for row in rows])]
    steps = " ".join(
        f"{frame.x(i - 0.5):.1f},{frame.y(one):.1f} {frame.x(i + 0.5):.1f},{frame.y(one):.1f}"
        for i, one in enumerate(ceilings)
    )
    parts.append(f'<polyline class="ceiling" points="{steps}"/>')
    edge = _WIDTH - _RIGHT + 6
    parts.append(_text(edge, frame.y(ceilings[-1]) + 4, f"ceiling {limit(ceilings[-1])}", "note strong", "start"))
    for i, row in enumerate(rows):
        low, high = row.verdict.interval or (0.0, 0.0)
        x = frame.x(i)
        parts.append(_line(x, frame.y(low), x, frame.y(high), "whisker"))
        if high > frame.high:
            top = frame.y(frame.high)
            tip = f"<title>cut: it reaches up to {percent(high)}</title>"
            parts.append(f'<path class="cut" d="M{x:.1f} {top - 7:.1f}l4 7h-8z">{tip}</path>')
    rates = group.sycophancy.rates[-len(rows) :]
    start = len(rows) - len(rates)
    if len(rates) > 1:
        places = " ".join(f"{frame.x(start + i):.1f},{frame.y(rate):.1f}" for i, rate in enumerate(rates))
        parts.append(f'<polyline class="rolling" points="{places}"/>')
    for i, row in enumerate(rows):
        place = frame.x(i), frame.y(row.verdict.sycophancy_rate or 0.0)
        title = (
            f"{row.date[:_DAY]} {row.title}: {'; '.join([words.session(row), words.verdict(row), *words.marks(row)])}"
        )
        out = row.spike or row.hidden_spike
        kind = "ring few" if row.verdict.qualifier == "inconclusive" else "ring"
        ring = f'<circle class="{kind}" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="10"/>' if out else ""
        drawn = _shape(place, row.verdict.verdict, row.verdict.qualifier == "inconclusive", title)
        parts.append(f'<a href="#{key}-{len(rows) - i}">{ring}{drawn}</a>')
    parts.extend(_names(rows, frame))
    desc = f"The last {words.counted(len(rows), 'session')} with events. {words.sentence(group).capitalize()}."
    return _svg(key, "How often it gave in, session by session", desc, parts, _HEIGHT)


def whole(group: GroupHistory, key: str) -> str:
    """The rolling rate over the whole log as one line."""
    line = group.sycophancy.line
    top = max([0.1, *(rate for _, rate in line), *(ceiling for ceiling, _ in group.ceilings)])
    frame = _Frame(len(line), 0.0, min(1.0, 1.1 * top), 130)
    parts = list(_dates(frame, [date for date, _ in line]))
    if group.sycophancy.limit is not None:
        y = frame.y(group.sycophancy.limit)
        parts.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, "ceiling"))
    places = " ".join(f"{frame.x(i):.1f},{frame.y(rate):.1f}" for i, (_, rate) in enumerate(line))
    parts.append(f'<polyline class="rolling" points="{places}"/>')
    parts.append(_text(_WIDTH - _RIGHT + 6, frame.y(line[-1][1]) + 4, percent(line[-1][1]), "tick", "start"))
    parts.append(_text(_LEFT - 8, frame.y(0) + 4, "0%", "tick", "end"))
    title = f"The whole log: the rate of the last {words.counted(group.window, 'session')}, over time"
    return _svg(key, title, f"From {group.first[:_DAY]} to {group.last[:_DAY]}.", parts, 130)


def path(test: Sprt, dates: Sequence[str], key: str) -> str:
    """The log likelihood ratio of the latest tests, between their bounds; ``dates`` are those of its points."""
    reach = 1.25 * max(test.test.upper, -test.test.lower)
    frame = _Frame(len(test.path), -reach, reach, 240)
    parts = [*_dates(frame, dates), _line(_LEFT, frame.y(0), _WIDTH - _RIGHT, frame.y(0), "grid")]
    for bound, rate in ((test.test.upper, test.test.p1), (test.test.lower, test.test.p0)):
        y = frame.y(bound)
        parts.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, "ceiling"))
        parts.append(_text(_WIDTH - _RIGHT + 6, y + 4, f"favours {percent(rate)}", "note", "start"))
        parts.append(_text(_LEFT - 8, y + 4, f"{bound:+.2f}", "tick", "end"))
    walks: dict[int, list[str]] = {}
    marks = []
    for i, point in enumerate(test.path):
        x, y = frame.x(i), frame.y(point.llr)
        walks.setdefault(point.test, []).append(f"{x:.1f},{y:.1f}")
        if point.decision != "continue":
            # An earlier test may have been of another limit, so its rates are not named.
            kind, which = ("bad", "higher") if point.decision == "H1" else ("good", "lower")
            tip = f"<title>test {point.test}: favours the {which} rate after {point.events} events</title>"
            marks.append(f'<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="4">{tip}</circle>')
    parts.extend(f'<polyline class="walk" points="{" ".join(places)}"/>' for places in walks.values())
    return _svg(key, "The latest sequential tests", f"{words.sprt(test)}.", [*parts, *marks], 240)


def shorten(text: str, width: int) -> str:
    """A harmless text cut in its middle, where names of one project differ least."""
    if safe.cells(text) <= width:
        return text
    half = (width - 1) // 2
    return f"{text[: width - 1 - half]}…{text[-half:]}"


def _names(rows: Sequence[SessionRow], frame: _Frame) -> Iterator[str]:
    """Names of the newest sessions that stand out, each above its point; at most eight, so that they can be read."""
    taken: list[tuple[float, float]] = []
    marked = [(i, row) for i, row in enumerate(rows) if row.spike] or [
        (i, row) for i, row in enumerate(rows) if row.hidden_spike
    ]
    for i, row in marked[-8:]:
        x, y = frame.x(i), frame.y(row.verdict.sycophancy_rate or 0.0) - 12
        while any(abs(x - other_x) < 180 and abs(y - other_y) < 14 for other_x, other_y in taken) and y > _TOP:
            y -= 15
        taken.append((x, y))
        anchor = "end" if x > _WIDTH * 0.75 else "start" if x < _WIDTH * 0.2 else "middle"
        kind = "name few" if row.verdict.qualifier == "inconclusive" else "name"
        yield _text(x, max(12.0, y), shorten(safe.terminal(row.title), 28), kind, anchor)


def _shape(place: tuple[float, float], verdict: str, hollow: bool, title: str) -> str:
    """A point: a circle, a triangle upwards for giving in, downwards for arguing for the sake of it."""
    x, y = place
    bad = verdict in ("SYCOPHANTIC", "OVERCORRECTED") and not hollow
    kind = f"mark {'bad' if bad else 'good'}{' hollow' if hollow else ''}"
    tip = f"<title>{markup(title)}</title>"
    if verdict == "SYCOPHANTIC":
        return f'<path class="{kind}" d="M{x:.1f} {y - 6:.1f}l6 10.5h-12z">{tip}</path>'
    if verdict == "OVERCORRECTED":
        return f'<path class="{kind}" d="M{x:.1f} {y + 6:.1f}l6 -10.5h-12z">{tip}</path>'
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5">{tip}</circle>'


def _percent_grid(frame: _Frame) -> Iterator[str]:
    step = 0.1 if frame.high <= 0.5 else 0.2
    for i in range(int(frame.high / step + 1e-9) + 1):
        y = frame.y(i * step)
        yield _line(_LEFT, y, _WIDTH - _RIGHT, y, "grid")
        yield _text(_LEFT - 8, y + 4, f"{100 * i * step:.0f}%", "tick", "end")


def _dates(frame: _Frame, dates: Sequence[str]) -> Iterator[str]:
    """Dates along the bottom, as many as fit, the first and the last among them."""
    last = len(dates) - 1
    count = min(last, 5) or 1
    places = sorted({round(i * last / count) for i in range(count + 1)})
    for place in places:
        anchor = "middle" if 0 < place < last or not last else "start" if not place else "end"
        yield _text(frame.x(place), frame.height - _BOTTOM + 21, safe.terminal(dates[place])[:_DAY], "tick", anchor)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str, anchor: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{markup(text)}</text>'


def _svg(key: str, title: str, desc: str, parts: Sequence[str], height: float) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{markup(title)}</title><desc id="{key}-desc">{markup(desc)}</desc>'
        f"{''.join(parts)}</svg>"
    )
