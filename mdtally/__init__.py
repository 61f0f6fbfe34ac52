"""mdtally: did the agent give in to me, did the agents reason, or did they flatter each other?

The functions and records of the Python API are imported on first use, so that ``import mdtally`` costs nothing.
"""

from __future__ import annotations

from mdtally.text.about import __version__

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from mdtally.doors.api import (
        Conversation,
        Log,
        Session,
        compare,
        history,
        lint_markdown,
        read_log,
        read_session,
        read_transcript,
    )
    from mdtally.events.survey import draw_survey, estimate_survey
    from mdtally.gate import check_response
    from mdtally.gate.result import Failure, GateResult
    from mdtally.log.calibration import CalibrationEvent, calibrate, calibrate_counts
    from mdtally.log.record import LogRecord
    from mdtally.text.model import Problem, Transcript, Turn, Verdict

__all__ = [
    "CalibrationEvent",
    "Conversation",
    "Failure",
    "GateResult",
    "Log",
    "LogRecord",
    "Problem",
    "Session",
    "Transcript",
    "Turn",
    "Verdict",
    "__version__",
    "calibrate",
    "calibrate_counts",
    "check_response",
    "compare",
    "draw_survey",
    "estimate_survey",
    "history",
    "lint_markdown",
    "read_log",
    "read_session",
    "read_transcript",
]

_HOMES = {
    "doors.api": "Conversation Log Session compare history lint_markdown read_log read_session read_transcript",
    "log.calibration": "CalibrationEvent calibrate calibrate_counts",
    "gate": "check_response",
    "gate.result": "Failure GateResult",
    "log.record": "LogRecord",
    "text.model": "Problem Transcript Turn Verdict",
    "events.survey": "draw_survey estimate_survey",
}


def __dir__() -> list[str]:
    """The public names, also those that are not imported yet."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import a public name from the room it lives in."""
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module 'mdtally' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"mdtally.{home}"), name)
