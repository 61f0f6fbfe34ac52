"""``log check`` in its formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mdtally.records import as_dict
from mdtally.render import log_text
from mdtally.render.json_document import Object, to_json

if TYPE_CHECKING:
    from mdtally.output.style import Options
    from mdtally.series.reading import LineProblem


def line_problems_json(problems: Sequence[LineProblem], _: Options) -> str:
    """The problems of the lines of logs as JSON."""
    return to_json({"schema_version": 2, "problems": [line_problem_fields(problem) for problem in problems]})


def line_problem_fields(problem: LineProblem) -> Object:
    """A line of a log that can't count as it stands."""
    return {**as_dict(problem), "log": problem.log or None}


FORMATS: Mapping[str, Callable[[Sequence[LineProblem], Options], Iterable[str]]] = {
    "text": log_text.line_problems,
    "json": line_problems_json,
}
