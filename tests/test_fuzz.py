"""A short run of the fuzzer: the same inputs each time. ``python tests/fuzz.py`` makes a long one."""

from __future__ import annotations

import os

import fuzz
import pytest

TIMES = int(os.environ.get("MDTALLY_FUZZ", "1"))
"""How many times as many inputs; `.ci/run` tries three times as many."""
SOME = {"note": 15, "session": 20, "config": 50, "log": 50, "pattern": 35, "answer": 25, "source": 60}


def test_every_room_is_tried() -> None:
    assert SOME.keys() == fuzz.ROOMS.keys()


@pytest.mark.parametrize("room", SOME)
@pytest.mark.filterwarnings("error")
def test_nothing_but_refusals_comes_of_mutated_inputs(room: str) -> None:
    """What has to hold of every input stands in the docstring of ``fuzz``."""
    with fuzz.working():
        came = {fuzz.run(room, number, 1)[1] for number in range(TIMES * SOME[room])}
    assert len(came) > 1, "all inputs ended alike, so most of the room was never reached"
