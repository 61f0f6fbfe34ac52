"""``compare`` in its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mdtally.records import as_dict
from mdtally.render import log_text
from mdtally.render.json_document import Object, to_json

if TYPE_CHECKING:
    from mdtally.agreement import Comparison, Labelers
    from mdtally.output.style import Options


def comparison_json(labelers: Labelers, _: Options) -> str:
    """How far two labelers agree, as JSON: over all sessions, and in each."""
    disputes = [
        {"session": session.session, **as_dict(dispute)}
        for session in labelers.sessions
        for dispute in session.disputed
    ]
    return to_json(
        {
            "schema_version": 5,
            "a": labelers.a,
            "b": labelers.b,
            **as_dict(labelers.letters),
            "facts": labelers.facts,
            "disputed": disputes,
            "sessions": [_session_fields(session) for session in labelers.sessions],
            "unmatched": labelers.unmatched,
        }
    )


def _session_fields(session: Comparison) -> Object:
    return {
        **as_dict(session.letters),
        "session": session.session,
        "a": session.a,
        "b": session.b,
        "lines_matched": session.lines_matched,
        "facts": session.facts,
        "disputed": session.disputed,
    }


FORMATS: Mapping[str, Callable[[Labelers, Options], str]] = {"table": log_text.comparison, "json": comparison_json}
