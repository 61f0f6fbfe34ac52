"""Reading a large log with several processors.

Taking lines apart is most of the work on a log of a million lines, and each stretch of it can be taken apart by itself.
So other processes pack the stretches (`written.in_parts`), and this one puts them together in the order of the log: the
same code as for a small log, and the same result. Where no process can be started, it all happens here.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from typing import BinaryIO

from mdtally.series.scan import Sessions
from mdtally.series.written import Packed, in_parts

__all__ = ["WORTH_IT", "add_file"]

WORTH_IT = 64 * 2**20
"""Bytes from which starting processes pays."""
_RANGE = 8 * 2**20
_BLOCK = 1 << 20
Opener = Callable[[], BinaryIO]


def add_file(
    sessions: Sessions,
    open_log: Opener,
    size: int,
    log: str = "",
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Read a log that lies in a file.

    Args:
        sessions: takes the lines in.
        open_log: opens the log as bytes, buffered; other processes call it too, so it has to be picklable
            (``functools.partial(open, path, "rb")``).
        size: of the file, in bytes.
        log: its name, for the problems.
        workers: processes to use; None takes one for each processor where the log is large, and none where it is not.
        progress: is told the bytes done, now and then.
    """
    if workers is None:
        workers = min(8, os.cpu_count() or 1) if size >= WORTH_IT else 0
    number = 0
    for parts, end in _parts(open_log, size, workers):
        for part in parts:
            if isinstance(part, Packed) or part.endswith(b"\n"):
                number += sessions.take_part(part, number, log)
            else:
                sessions.add_end(part, number, log)
        if progress:
            progress(end)


def pack_range(open_log: Opener, start: int, end: int) -> list[Packed | bytes]:
    """The lines that begin between two places in a log: packed, or as they are where that can't be.

    A last line that lacks its line end is by itself, as it is.
    """
    return list(in_parts(_blocks(open_log, start, end)))


def _parts(open_log: Opener, size: int, workers: int) -> Iterator[tuple[list[Packed | bytes], int]]:
    ranges = [(start, min(size, start + _RANGE)) for start in range(0, size, _RANGE)]
    pool = None
    if workers > 1:
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        try:
            pool = ProcessPoolExecutor(workers)
            waiting = deque(pool.submit(pack_range, open_log, *one) for one in ranges[: workers + 2])
        except (OSError, RuntimeError, NotImplementedError):
            pool = None
    if pool is None:
        for start, end in ranges:
            yield pack_range(open_log, start, end), end
        return
    try:
        for place, (start, end) in enumerate(ranges):
            try:
                parts = waiting.popleft().result()
                if place + workers + 2 < len(ranges):
                    waiting.append(pool.submit(pack_range, open_log, *ranges[place + workers + 2]))
            except BrokenProcessPool:
                # A process was killed, or may not be started here: this range, and all that follow, are done here.
                waiting.clear()
                pool.shutdown(wait=False, cancel_futures=True)
                for start, end in ranges[place:]:
                    yield pack_range(open_log, start, end), end
                return
            yield parts, end
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _blocks(open_log: Opener, start: int, end: int) -> Iterator[memoryview]:
    """Whole lines, as many as fit into one buffer; each block ends the one before. A line belongs to the range it
    begins in. A last line that lacks its line end is a block by itself."""
    buffer, rest = bytearray(_BLOCK), b""
    with open_log() as log:
        if start:
            log.seek(start - 1)
            log.readline()
        at = log.tell()
        while at < end:
            if 2 * len(rest) > len(buffer):
                buffer = bytearray(4 * len(rest))
            # Memory that is used again and again is half the cost of reading.
            view, filled = memoryview(buffer), len(rest)
            view[:filled] = rest
            read = log.readinto(view[filled : filled + end - at])  # type: ignore[attr-defined]
            if not read:
                break
            at += read
            filled += read
            cut = buffer.rfind(b"\n", 0, filled) + 1
            rest = bytes(view[cut:filled])
            if cut:
                yield view[:cut]
        if rest:
            yield memoryview(rest + log.readline())
