"""``report --output-format json``: the debates counted, described by docs/schemas/report.schema.json."""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.debate import Debate, TurnAnswer
from mdtally.records import as_dict
from mdtally.render.findings import findings, to_json
from mdtally.render.json_reports import diagnostic, error_objects, fields
from mdtally.render.report_words import headline
from mdtally.reports import FileError

SCHEMA_VERSION = 1


def render(debates: Sequence[Debate], errors: Sequence[FileError] = ()) -> str:
    """The debates as a JSON object; its generator says that `report` may write it again."""
    return to_json(
        {
            "generator": "mdtally report",
            "schema_version": SCHEMA_VERSION,
            "files": [_file(debate) for debate in debates],
            "errors": error_objects(errors),
        }
    )


def _file(debate: Debate) -> dict[str, object]:
    file = debate.file
    return {
        **fields(file, "filename kind reading"),
        "state": debate.state,
        "headline": headline(debate),
        "suggestion": file.suggestion or None,
        "voices": [as_dict(voice) for voice in debate.voices],
        "rounds": [as_dict(one) for one in debate.rounds],
        "against": [{"speaker": who, "whom": whom or None, "turns": n} for (who, whom), n in debate.against.items()],
        "turns": [_turn(one) for one in debate.turns],
        "diagnostics": [diagnostic(finding) for finding in findings(file)],
    }


def _turn(one: TurnAnswer) -> dict[str, object]:
    return {
        **fields(one.turn, "index line group round speaker kind words"),
        **fields(one, "answer score decided_by?"),
        "against": list(one.against),
        "repeats_line": one.repeats.line if one.repeats else None,
    }
