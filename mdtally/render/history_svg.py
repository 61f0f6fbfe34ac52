"""Three charts as SVG for the history's page: rates with their intervals, the funnel, the sequential test's path.

Drawn without scripts and styled by the page, so they follow light and dark. A chart names itself and says in a sentence
what it shows; every point says what it is when pointed at; shape tells what colour tells. Text from the log goes
through `safe.markup`, numbers through fixed formats, and nothing else enters a chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from mdtally.model import GroupHistory, SessionRow, Sprt
from mdtally.render import history_words as words
from mdtally.render import safe
from mdtally.render.safe import markup
from mdtally.series.tails import upper_tail

__all__ = ["LIMITS", "funnel", "funnel_limits", "path", "rates"]

LIMITS = ((0.025, "95%"), (0.001, "99.8%"))
"""Upper and lower tail of the funnel's limits, and what they are called."""

_WIDTH, _HEIGHT = 960, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 92, 18, 44


@dataclass(frozen=True, slots=True)
class _Frame:
    """A chart's axes: data to places in the picture."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        span = self.x_high - self.x_low or 1
        return _LEFT + (value - self.x_low) / span * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        span = self.y_high - self.y_low or 1
        inside = min(self.y_high, max(self.y_low, value))
        return _TOP + (self.y_high - inside) / span * (_HEIGHT - _TOP - _BOTTOM)


def rates(rows: Sequence[SessionRow], group: GroupHistory, key: str) -> str:
    """Each session's rate with its interval, the rolling rate, and the ceiling.

    Args:
        rows: sessions with events, oldest first, the last of the group.
        group: the group they belong to.
        key: a name for the chart that is unique on the page.
    """
    first = group.measured - len(rows) + 1
    # Small sessions have intervals to the sky: they may be cut off, the points may not.
    highest = max([group.sycophancy_ceiling * 1.5, 0.3, *((row.sycophancy_rate or 0) * 1.1 for row in rows)])
    wide = sorted(row.interval[1] for row in rows if row.interval)
    if wide:
        highest = max(highest, wide[int(0.8 * (len(wide) - 1))])
    frame = _Frame(first - 0.7, first + len(rows) - 0.3, 0.0, min(1.0, ceil(highest * 10) / 10))
    parts = [*_percent_grid(frame), *_numbers(frame, first, first + len(rows) - 1, "session")]
    parts.extend(_ceiling(rows, frame, first))
    for place, row in enumerate(rows, start=first):
        if row.interval:
            low, high = row.interval
            cut = " cut" if high > frame.y_high else ""
            x = frame.x(place)
            parts.append(_line(x, frame.y(low), x, frame.y(high), f"whisker{cut}"))
    trend = group.trend[-len(rows) :]
    start = first + len(rows) - len(trend)
    if len(trend) > 1:
        places = " ".join(f"{frame.x(start + i):.1f},{frame.y(rate):.1f}" for i, rate in enumerate(trend))
        parts.append(f'<polyline class="rolling" points="{places}"/>')
    for place, row in enumerate(rows, start=first):
        rate = row.sycophancy_rate or 0.0
        parts.append(_mark(frame.x(place), frame.y(rate), row))
    parts.extend(_labels(rows, frame, first))
    desc = (
        f"{words.counted(len(rows), 'session')} with events, numbers {first} to {first + len(rows) - 1}."
        f" Rolling rate {words.rolling(group)}. Spikes: {', '.join(group.spikes[:10]) or 'none'}."
    )
    return _svg(key, "Sycophancy rate of each session, with 95% Wilson intervals", desc, parts)


def funnel(rows: Sequence[SessionRow], group: GroupHistory, key: str) -> str:
    """Each session's rate by its number of events, inside the limits that the pooled rate sets for that number."""
    biggest = max([10, *(row.A_T for row in rows)])
    rate = group.overall.rate or 0.0
    highest = max([group.sycophancy_ceiling * 1.5, 0.3, *((row.sycophancy_rate or 0) * 1.1 for row in rows)])
    frame = _Frame(0, biggest * 1.04, 0.0, min(1.0, ceil(highest * 10) / 10))
    parts = [*_percent_grid(frame), *_ticks(frame, biggest, "events in the session (A_T)")]
    right = _WIDTH - _RIGHT
    for tail, name in LIMITS:
        limits = funnel_limits(rate, tail, biggest)
        for side in (1, 2):
            points = " ".join(f"{frame.x(limit[0]):.1f},{frame.y(limit[side]):.1f}" for limit in limits)
            parts.append(f'<polyline class="limit" points="{points}"/>')
        y = frame.y(limits[-1][2])
        parts.append(f'<text class="note" x="{right + 6}" y="{y + 4:.1f}">{name}</text>')
    parts.append(_line(_LEFT, frame.y(rate), right, frame.y(rate), "rolling"))
    parts.append(f'<text class="note" x="{right + 6}" y="{frame.y(rate) + 4:.1f}">pooled {words.percent(rate)}</text>')
    parts.append(_line(_LEFT, frame.y(group.sycophancy_ceiling), right, frame.y(group.sycophancy_ceiling), "ceiling"))
    same: dict[tuple[int, int, str], list[SessionRow]] = {}
    for row in rows:
        same.setdefault((row.A_T, row.A_P, row.verdict), []).append(row)
    for alike in same.values():
        row = alike[0]
        parts.append(_mark(frame.x(row.A_T), frame.y(row.sycophancy_rate or 0.0), row, alike))
    desc = (
        f"{words.counted(len(rows), 'session')} by number of events, against exact binomial limits around the pooled"
        f" rate of {words.percent(rate)}. A point outside the outer limits is no chance."
    )
    return _svg(key, "Funnel: rate by number of events", desc, parts)


def path(test: Sprt, key: str) -> str:
    """The log likelihood ratio of the latest tests, between the bounds of H0 and H1."""
    reach = 1.25 * max(test.upper, -test.lower)
    events = _spread(test)
    last = events[-1] if events else 1
    frame = _Frame(0, max(10, last) * 1.02, -reach, reach)
    right = _WIDTH - _RIGHT
    parts = [*_ticks(frame, max(10, last), "events")]
    parts.append(_line(_LEFT, frame.y(0), right, frame.y(0), "grid"))
    for bound, label in (
        (test.upper, f"H1: ≥ {words.percent(test.p1)}"),
        (test.lower, f"H0: ≤ {words.percent(test.p0)}"),
    ):
        parts.append(_line(_LEFT, frame.y(bound), right, frame.y(bound), "bound"))
        parts.append(f'<text class="note" x="{right + 6}" y="{frame.y(bound) + 4:.1f}">{label}</text>')
        parts.append(
            f'<text class="tick" x="{_LEFT - 8}" y="{frame.y(bound) + 4:.1f}" text-anchor="end">{bound:+.2f}</text>'
        )
    parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{frame.y(0) + 4:.1f}" text-anchor="end">0</text>')
    walked: list[str] = []
    number = 0
    for at, point in zip(events, test.path, strict=True):
        if point.test != number:
            parts.extend(_walked(walked))
            number, walked = point.test, []
            if at >= point.events:
                walked.append(f"{frame.x(at - point.events):.1f},{frame.y(0):.1f}")
        walked.append(f"{frame.x(at):.1f},{frame.y(point.llr):.1f}")
        if point.decision != "continue":
            kind = "bad" if point.decision == "H1" else "good"
            x, y = frame.x(at), frame.y(point.llr)
            label = f"test {point.test}: {point.decision} after {point.events} events, llr {point.llr:+.2f}"
            parts.append(f'<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{label}</title></circle>')
    parts.extend(_walked(walked))
    return _svg(key, "Path of the sequential test", f"{words.sprt(test)}.", parts)


def funnel_limits(rate: float, tail: float, biggest: int) -> list[tuple[int, float, float]]:
    """(events, lower, upper) limit of a session's rate: what lies beyond has a probability of ``tail`` at most."""
    limits = []
    step = max(1, biggest // 120)
    low = high = 0
    for n in range(1, biggest + step, step):
        while high < n and upper_tail(high + 1, n, rate) > tail:
            high += 1
        while low < n and 1 - upper_tail(low + 1, n, rate) <= tail:
            low += 1
        limits.append((n, low / n, high / n))
    return limits


def _spread(test: Sprt) -> list[int]:
    """Events since the first point shown, at each point; each test goes on where the one before ended."""
    places: list[int] = []
    base, number, before = 0, None, 0
    for point in test.path:
        if point.test != number:
            base, number = (places[-1] if places else 0), point.test
            # The first test may have begun before the points that were kept.
            before = point.events if not places and point.session > 1 and len(test.path) > 300 else 0
        places.append(base + point.events - before)
    return places


def _walked(points: Sequence[str]) -> Iterator[str]:
    if len(points) > 1:
        yield f'<polyline class="walk" points="{" ".join(points)}"/>'


def _ceiling(rows: Sequence[SessionRow], frame: _Frame, first: int) -> Iterator[str]:
    """The ceiling as a line of steps: it may have changed on the way."""
    points = []
    for place, row in enumerate(rows, start=first):
        y = frame.y(row.sycophancy_ceiling)
        points.append(f"{frame.x(place - 0.5):.1f},{y:.1f} {frame.x(place + 0.5):.1f},{y:.1f}")
    if rows:
        yield f'<polyline class="ceiling" points="{" ".join(points)}"/>'
        last = rows[-1].sycophancy_ceiling
        yield (
            f'<text class="note strong" x="{_WIDTH - _RIGHT + 6}" y="{frame.y(last) + 4:.1f}">'
            f"ceiling {words.percent(last)}</text>"
        )


def _labels(rows: Sequence[SessionRow], frame: _Frame, first: int) -> Iterator[str]:
    """Names of spikes, each above its point and inside the picture; at most eight, so that they can be read."""
    marked = [(place, row) for place, row in enumerate(rows, start=first) if row.spike or row.hidden_spike]
    taken: list[tuple[float, float]] = []
    for place, row in [item for item in marked if item[1].spike][-8:] or marked[-8:]:
        x, y = frame.x(place), frame.y(row.sycophancy_rate or 0.0) - 12
        while any(abs(x - other_x) < 180 and abs(y - other_y) < 14 for other_x, other_y in taken) and y > _TOP:
            y -= 15
        taken.append((x, y))
        anchor = "end" if x > _WIDTH * 0.75 else "start" if x < _WIDTH * 0.2 else "middle"
        name = markup(safe.clip(safe.terminal(row.session), 28))
        yield f'<text class="name" x="{x:.1f}" y="{max(12.0, y):.1f}" text-anchor="{anchor}">{name}</text>'


def _mark(x: float, y: float, row: SessionRow, alike: Sequence[SessionRow] = ()) -> str:
    """A session's point: a circle, a triangle upwards for giving in, downwards for arguing for the sake of it.

    Several sessions at one place are one point, the larger the more there are.
    """
    kind = "bad" if row.verdict in ("SYCOPHANTIC", "OVERCORRECTED") else "good"
    hollow = " hollow" if row.qualifier == "inconclusive" else ""
    scale = min(2.5, max(1, len(alike)) ** 0.4)
    named = ", ".join(one.session for one in alike[:5]) if alike else row.session
    more = f" and {len(alike) - 5} more" if alike[5:] else ""
    notes = words.marks(row) if len(alike) < 2 else []
    title = markup("; ".join([f"{named}{more}: {row.A_P} of {row.A_T}, {words.verdict(row)}", *notes]))
    out = any(one.spike or one.hidden_spike for one in alike or (row,))
    ring = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{5.5 + 4.5 * scale:.1f}"/>' if out else ""
    tip = f"<title>{title}</title>"
    reach, rise = 6 * scale, 10.5 * scale
    if row.verdict == "SYCOPHANTIC":
        drawn = f"M{x:.1f} {y - reach:.1f}l{reach:.1f} {rise:.1f}h{-2 * reach:.1f}z"
        shape = f'<path class="mark {kind}{hollow}" d="{drawn}">{tip}</path>'
    elif row.verdict == "OVERCORRECTED":
        drawn = f"M{x:.1f} {y + reach:.1f}l{reach:.1f} {-rise:.1f}h{-2 * reach:.1f}z"
        shape = f'<path class="mark {kind}{hollow}" d="{drawn}">{tip}</path>'
    else:
        shape = f'<circle class="mark {kind}{hollow}" cx="{x:.1f}" cy="{y:.1f}" r="{4.5 * scale:.1f}">{tip}</circle>'
    return ring + shape


def _percent_grid(frame: _Frame) -> Iterator[str]:
    step = 0.1 if frame.y_high <= 0.5 else 0.2
    for i in range(round(frame.y_high / step) + 1):
        value = i * step
        if value > frame.y_high + 1e-9:
            break
        y = frame.y(value)
        yield _line(_LEFT, y, _WIDTH - _RIGHT, y, "grid")
        yield f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * value:.0f}%</text>'


def _numbers(frame: _Frame, first: int, last: int, label: str) -> Iterator[str]:
    """Whole numbers along the bottom, as many as fit, the first and the last among them."""
    step = _step(last - first + 1, 24)
    shown = [first, *(n for n in range(first - first % step + step, last, step) if n - first >= step / 2)]
    shown = [n for n in shown if last - n >= step / 2 or n == first]
    for number in sorted({*shown, last}):
        yield (
            f'<text class="tick" x="{frame.x(number):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">'
            f"{number}</text>"
        )
    yield _axis_name(label)


def _ticks(frame: _Frame, highest: int, label: str) -> Iterator[str]:
    step = _step(highest, 12)
    for number in range(0, highest + 1, step):
        yield (
            f'<text class="tick" x="{frame.x(number):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">'
            f"{number}</text>"
        )
    yield _axis_name(label)


def _axis_name(label: str) -> str:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return f'<text class="tick" x="{middle:.0f}" y="{_HEIGHT - 6}" text-anchor="middle">{label}</text>'


def _step(span: int, most: int) -> int:
    """The roundest step that gives at most that many ticks."""
    step = 1
    while span > step * most:
        # 1, 2, 5, 10, 20, 50 and so on: a step that starts with 2 grows by half again.
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return step


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _svg(key: str, title: str, desc: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{markup(title)}</title><desc id="{key}-desc">{markup(desc)}</desc>'
        f"{''.join(parts)}</svg>"
    )
