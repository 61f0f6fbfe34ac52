"""mdtally: did the agent give in to me, did the agents reason, or did they flatter each other?

The functions and records of the Python API are imported on first use, so that ``import mdtally`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from mdtally.api import (
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
    from mdtally.calibration import CalibrationEvent, calibrate, calibrate_counts
    from mdtally.gate import check_response
    from mdtally.gate.result import Failure, GateResult
    from mdtally.log import LogRecord
    from mdtally.model import Problem, Transcript, Turn, Verdict

__version__ = "0.2.0"

REPOSITORY = ""
"""The address under which the project is published, such as "https://github.com/OWNER/mdtally"; "" until it is. The one
place to set it: findings, SARIF and reports link to the rules' pages there."""

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
    "history",
    "lint_markdown",
    "read_log",
    "read_session",
    "read_transcript",
]

_HOMES = {
    "api": "Conversation Log Session compare history lint_markdown read_log read_session read_transcript",
    "calibration": "CalibrationEvent calibrate calibrate_counts",
    "gate": "check_response",
    "gate.result": "Failure GateResult",
    "log": "LogRecord",
    "model": "Problem Transcript Turn Verdict",
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
