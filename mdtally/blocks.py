"""Body to blocks, with the lines they stand on."""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.model import Block

__all__ = ["parse"]


def parse(lines: Sequence[str], *, first_line: int = 1) -> tuple[Block, ...]:
    """Parse the lines of a body into blocks whose line numbers start at ``first_line``."""
    raise NotImplementedError
