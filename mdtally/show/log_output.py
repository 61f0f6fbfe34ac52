"""``log check`` for a person, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mdtally.log.series.reading import LineProblem
from mdtally.show.json_document import to_json
from mdtally.show.style import Options
from mdtally.text import safe


def line_problems_text(problems: Sequence[LineProblem], options: Options) -> Iterator[str]:
    """The problems of the lines of logs, as findings."""
    paint = options.paint
    for one in problems:
        place = paint(safe.path(one.log or ""), "strong")
        yield f"{place}:{one.line}: {paint('error', 'error')}: {one.kind}: {safe.terminal(one.message)}\n"


FORMATS: Mapping[str, Callable[[Sequence[LineProblem], Options], Iterable[str]]] = {
    "text": line_problems_text,
    "json": lambda problems, _: [to_json({"schema_version": 2, "problems": problems})],
}
