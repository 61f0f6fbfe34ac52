"""Work spread over processes: the same results in the same order, and a process that dies tells what it was at.

Each process has a pipe of its own, gets one item after the other over it and gives back its result, so it is known what
a process was at when it died.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from mdtally.text.records import record
from mdtally.text.system import ENDING, interruptible

Item = TypeVar("Item")
Result = TypeVar("Result")

FILES, BYTES = 40, 1_000_000
"""From so many files or bytes on other processes pay: bench/speed.py measures where."""


@record
class Died:
    """In place of a result: the process that was at an item ended before it gave one."""

    reason: str


def processes(jobs: int | None, sizes: Sequence[int]) -> int:
    """How many processes to spread work over.

    Args:
        jobs: how many are asked for; None for as many as there are cores, or one if more do not pay.
        sizes: the bytes of each item.
    """
    if jobs is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        jobs = cores if len(sizes) >= FILES or sum(sizes) >= BYTES else 1
    return min(jobs, len(sizes))


def spread(work: Callable[[Item], Result], items: Iterable[Item], number: int) -> Iterator[Result | Died]:
    """What work gives for each item, in their order; items are taken as there are processes that wait for some.

    What the work on an item raises is raised here, when it is its turn.

    Args:
        work: what is done with an item; it has to be picklable where processes do not begin as a copy of this one.
        items: the items; those that take longest come best first.
        number: how many processes work; below two it is done here.
    """
    if number < 2:
        yield from map(work, items)
        return
    from multiprocessing.connection import wait

    left = enumerate(items)
    busy: dict[Any, _Worker[Item, Result]] = {}
    idle: list[_Worker[Item, Result]] = []
    done: dict[int, Result | Died | Exception] = {}
    following = 0
    with interruptible(), contextlib.ExitStack() as held:
        held.callback(lambda: _stop([*busy.values(), *idle]))
        while True:
            while len(busy) < number and (one := next(left, None)):
                worker = idle.pop() if idle else _Worker(work)
                busy[worker.connection] = worker
                worker.give(*one)
            if not busy:
                return
            for connection in wait([*busy]):
                worker = busy.pop(connection)
                done[worker.at] = answer = worker.take()
                if not isinstance(answer, Died):
                    idle.append(worker)
            while following in done:
                result = done.pop(following)
                if isinstance(result, Exception):
                    raise result
                yield result
                following += 1


class _Worker(Generic[Item, Result]):
    """A process that works; ``at`` is the number of the item that it was given last."""

    def __init__(self, work: Callable[[Item], Result]) -> None:
        import multiprocessing

        # A copy of this process has all modules and expressions; elsewhere than on Linux a copy is not safe.
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.at = -1
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.connection, work), daemon=True)
        with _hold_signals():
            self.process.start()
        theirs.close()

    def give(self, at: int, item: Item) -> None:
        """Hand over an item with its number."""
        self.at = at
        with contextlib.suppress(OSError):  # it died idle; who takes its result is told
            self.connection.send(item)

    def take(self) -> Result | Died | Exception:
        """The result of its item; waits for it."""
        try:
            result: Result | Exception = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode or 0
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            hint = "; there may be too little memory: --jobs 1 takes least" * (code == -9)
            return Died(f"the process that was at it {how}{hint}")
        return result


def _stop(workers: Sequence[_Worker[Any, Any]]) -> None:
    """End processes: by a signal that lets them clean up, and if one does not heed that for some seconds, without."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.connection.close()
        worker.process.join(5)
        worker.process.kill()


@contextlib.contextmanager
def _hold_signals() -> Iterator[None]:
    """Hold signals back until a process that has just begun can take them: before, it would do as its parent does."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    known = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, *ENDING])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, known)


def _serve(connection: Any, others: Any, work: Callable[[Any], object]) -> None:
    """Work in a process of its own until whoever began it wants no more, or is gone."""
    others.close()  # the other end, of which this process has a copy: it would never see it closed
    gc.freeze()  # what it has from its parent stays: it need not be looked through, nor its memory copied for that
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever began it ends it
    with interruptible(), contextlib.suppress(EOFError, OSError):
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        while True:
            connection.send(_call_work(work, connection.recv()))


def _call_work(work: Callable[[Any], object], item: object) -> object:
    try:
        return work(item)
    except Exception as error:
        import traceback

        error.add_note(traceback.format_exc())
        return error
