"""A history as one HTML page: sentences, charts, the tables beside them.

What the charts tell is told by shapes and words too, and everything they show is in a table next to them. Template and
style are ``pages/history.html`` and ``pages/history.css``.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.percent import percent
from mdtally.render import history_svg as svg
from mdtally.render import history_words as words
from mdtally.render.pages import page
from mdtally.series.records import History, SessionRow

MOST_ROWS = 200
MOST_POINTS = 60
"""Sessions in a chart, the newest ones."""


def history(found: History, *_: object) -> Iterator[str]:
    """A history as a page."""
    groups = list(words.said(found, MOST_ROWS, MOST_ROWS))
    pieces = page(
        "history.html",
        found=found,
        words=words,
        percent=percent,
        overview=svg.groups(groups) if len(groups) > 1 else None,
        groups=[(one, *_charts(found, index, one)) for index, one in enumerate(groups)],
    )
    # A template gives a piece for each value, and each piece that is printed is a call of the system.
    yield "".join(pieces)


def _charts(
    found: History, index: int, one: words.Said
) -> tuple[list[svg.Chart], svg.Chart | None, list[tuple[SessionRow, str]]]:
    """The charts of the sessions, the chart of the tests, and the rows, newest first, with the ids of their places."""
    measured = [row for row in one.rows if row.verdict.A_T][-MOST_POINTS:]
    test, key = one.group.sycophancy.sprt, f"g{index}"
    charts = [svg.sessions(measured, one, key)] if measured else []
    if one.group.measured > len(measured):
        charts.append(svg.whole(one.group, f"{key}-whole"))
    path = None
    if test and test.path:
        path = svg.path(test, [found.sessions.date(index, point.session) for point in test.path], f"{key}-path")
    places = {id(row): f"{key}-{len(measured) - i}" for i, row in enumerate(measured)}
    return charts, path, [(row, places.get(id(row), "")) for row in reversed(one.rows)]
