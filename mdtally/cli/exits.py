"""What the program's exit code says."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes; the highest of a run wins."""

    CLEAN = 0
    """Nothing to report."""
    FINDINGS = 1
    """Findings at or above the fail level, a change is due, or counts that do not reconcile."""
    ERROR = 2
    """Usage, configuration, a missing or unreadable file, or an internal error."""
