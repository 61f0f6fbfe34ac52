"""mdtally: did the agent give in to me, did the agents reason, or did they flatter each other?

The functions and records of the Python API are imported on first use, so that ``import mdtally`` costs nothing.
"""

from __future__ import annotations

from mdtally.text.about import __version__ as __version__

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from mdtally.doors.api import Conversation as Conversation
    from mdtally.doors.api import Log as Log
    from mdtally.doors.api import Session as Session
    from mdtally.doors.api import compare as compare
    from mdtally.doors.api import history as history
    from mdtally.doors.api import lint_markdown as lint_markdown
    from mdtally.doors.api import read_log as read_log
    from mdtally.doors.api import read_session as read_session
    from mdtally.doors.api import read_transcript as read_transcript
    from mdtally.events.survey import draw_survey as draw_survey
    from mdtally.events.survey import estimate_survey as estimate_survey
    from mdtally.gate import check_response as check_response
    from mdtally.gate.result import Failure as Failure
    from mdtally.gate.result import GateResult as GateResult
    from mdtally.log.calibration import CalibrationEvent as CalibrationEvent
    from mdtally.log.calibration import calibrate as calibrate
    from mdtally.log.calibration import calibrate_counts as calibrate_counts
    from mdtally.log.record import LogRecord as LogRecord
    from mdtally.text.model import Problem as Problem
    from mdtally.text.model import Transcript as Transcript
    from mdtally.text.model import Turn as Turn
    from mdtally.text.model import Verdict as Verdict

_HOMES = {
    "doors.api": "Conversation Log Session compare history lint_markdown read_log read_session read_transcript",
    "log.calibration": "CalibrationEvent calibrate calibrate_counts",
    "gate": "check_response",
    "gate.result": "Failure GateResult",
    "log.record": "LogRecord",
    "text.model": "Problem Transcript Turn Verdict",
    "events.survey": "draw_survey estimate_survey",
    "text.about": "__version__",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]


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
