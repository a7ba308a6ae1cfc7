"""Independent parts of a planning, run in parallel threads.

Nearly all the time is spent in compiled kernels, which release the interpreter lock. The
result depends neither on the number of threads nor on which part is done first.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import Context, ContextVar, copy_context
from threading import Event
from typing import Final, TypeVar, cast

Answer = TypeVar("Answer")
Other = TypeVar("Other")

#: Interval between ticks while the parts run [s].
_TICK_S: Final = 0.1
#: Events that cancel the parts of a planning in their threads.
_STOPS: ContextVar[tuple[Event, ...]] = ContextVar("stops", default=())


def run_parallel(parts: Sequence[Callable[[], Answer]], tick: Callable[[], None]) -> list[Answer]:
    """Run parts in threads and return their results in order.

    The waiting thread calls ``tick`` every tenth of a second. An exception of a part is raised
    once all have ended, that of the first of them. Whatever interrupts the waiting thread, such
    as a time limit, cancels the parts.
    """
    if len(parts) < 2:
        return [part() for part in parts]
    stop = Event()
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as threads:
        try:
            futures = [threads.submit(_in_context(stop).run, part) for part in parts]
            while wait(futures, timeout=_TICK_S).not_done:
                tick()
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    return [part.result() for part in futures]


def is_cancelled() -> bool:
    """Return whether the waiting thread, or one that waits for it, was interrupted."""
    return any(stop.is_set() for stop in _STOPS.get())


def _in_context(stop: Event) -> Context:
    """Return this thread's context for a part that one more event cancels."""
    context = copy_context()
    context.run(_STOPS.set, (*_STOPS.get(), stop))
    return context


def run_pair(
    one: Callable[[], Answer], other: Callable[[], Other], tick: Callable[[], None]
) -> tuple[Answer, Other]:
    """Run two parts of different types; as ``run_parallel``."""
    parts: list[Callable[[], Answer | Other]] = [one, other]
    first, second = run_parallel(parts, tick)
    return cast(Answer, first), cast(Other, second)
