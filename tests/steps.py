"""How much work a call does, in steps of the interpreter: no clock, so that a busy machine changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def count_steps(call: Callable[[], object]) -> int:
    """How many lines of Python run during a call."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: object) -> object:
        nonlocal steps
        steps += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        call()
    finally:
        sys.settrace(before)
    return steps
