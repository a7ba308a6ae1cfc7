"""Independent parts of a planning, run in parallel threads.

Nearly all the time is spent in compiled kernels, which release the interpreter lock. The
result depends neither on the number of threads nor on which part is done first. No more threads
work than there are cores, so that none that holds the interpreter lock waits for a core: a part
that has parts of its own works on those that no other thread has begun.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import Context, ContextVar, copy_context
from threading import Event
from typing import Final, TypeVar, cast

Answer = TypeVar("Answer")
Other = TypeVar("Other")

#: Interval between ticks while the parts run [s].
_TICK_S: Final = 0.1
#: Events that cancel the parts of a planning in their threads.
_STOPS: ContextVar[tuple[Event, ...]] = ContextVar("stops", default=())
#: The threads that this one is of.
_THREADS: ContextVar[ThreadPoolExecutor | None] = ContextVar("threads", default=None)


def run_parallel(parts: Sequence[Callable[[], Answer]], tick: Callable[[], None]) -> list[Answer]:
    """Run parts in threads and return their results in order.

    The waiting thread calls ``tick`` every tenth of a second. An exception of a part is raised
    once all have ended, that of the first of them. Whatever interrupts the waiting thread, such
    as a time limit, cancels the parts.
    """
    if len(parts) < 2:
        return [part() for part in parts]
    threads = _THREADS.get()
    if threads is not None:
        return _run_in(threads, parts, tick, helps=True)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        return _run_in(threads, parts, tick, helps=False)


def _run_in(
    threads: ThreadPoolExecutor,
    parts: Sequence[Callable[[], Answer]],
    tick: Callable[[], None],
    *,
    helps: bool,
) -> list[Answer]:
    """Run parts in these threads; a thread of theirs ``helps`` with what none has begun."""
    stop = Event()
    futures = [threads.submit(_in_context(stop, threads).run, part) for part in parts]
    try:
        ended = [
            _run_here(part) if helps and future.cancel() else future
            for future, part in zip(futures, parts, strict=True)
        ]
        while wait(ended, timeout=_TICK_S).not_done:
            tick()
    except BaseException:
        stop.set()
        for future in futures:
            future.cancel()
        raise
    return [part.result() for part in ended]


def _run_here(part: Callable[[], Answer]) -> Future[Answer]:
    """Run a part in this thread; what interrupts the thread is raised at once."""
    ended: Future[Answer] = Future()
    try:
        ended.set_result(part())
    except Exception as error:
        ended.set_exception(error)
    return ended


def is_cancelled() -> bool:
    """Return whether the waiting thread, or one that waits for it, was interrupted."""
    return any(stop.is_set() for stop in _STOPS.get())


def _in_context(stop: Event, threads: ThreadPoolExecutor) -> Context:
    """Return this thread's context for a part that one more event cancels, in these threads."""
    context = copy_context()
    context.run(_THREADS.set, threads)
    context.run(_STOPS.set, (*_STOPS.get(), stop))
    return context


def run_pair(
    one: Callable[[], Answer], other: Callable[[], Other], tick: Callable[[], None]
) -> tuple[Answer, Other]:
    """Run two parts of different types; as ``run_parallel``."""
    parts: list[Callable[[], Answer | Other]] = [one, other]
    first, second = run_parallel(parts, tick)
    return cast(Answer, first), cast(Other, second)
