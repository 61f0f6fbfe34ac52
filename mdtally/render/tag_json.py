"""``tag --list --output-format json``: the candidates of every file, described by docs/schemas/tag.schema.json."""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.render.json_reports import files_json
from mdtally.render.style import Options
from mdtally.reports import CandidatesReport, FileError


def render(files: Sequence[CandidatesReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """The candidates as a JSON object."""
    return files_json(map(_file, files), errors)


def _file(report: CandidatesReport) -> dict[str, object]:
    return {
        "filename": report.filename,
        "reading": report.found.reading,
        "sure": report.found.sure,
        "candidates": [
            {
                "line": one.run.line,
                "score": round(one.score, 4),
                "cue": one.cue,
                "human_line": one.run.human_line,
                "tagged": "".join(event.letter for event in one.events),
            }
            for one in report.shown
        ],
    }
