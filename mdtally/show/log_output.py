"""``log check`` for a person, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mdtally.log.series.reading import LineProblem
from mdtally.show.json_document import Object, to_json
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.records import as_dict


def line_problems_text(problems: Sequence[LineProblem], options: Options) -> Iterator[str]:
    """The problems of the lines of logs, as findings."""
    paint = options.paint
    for one in problems:
        place = f"{paint(safe.path(one.log), 'strong')}:{one.line}"
        yield f"{place}: {paint('error', 'error')}: {one.kind}: {safe.terminal(one.message)}\n"


def line_problem_fields(problem: LineProblem) -> Object:
    """A line of a log that can't count as it stands."""
    return {**as_dict(problem), "log": problem.log or None}


FORMATS: Mapping[str, Callable[[Sequence[LineProblem], Options], Iterable[str]]] = {
    "text": line_problems_text,
    "json": lambda problems, _: [to_json({"schema_version": 2, "problems": [*map(line_problem_fields, problems)]})],
}
