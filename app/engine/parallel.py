"""Parallel execution of the independent parts of a planning, in threads.

Compiled kernels take almost all of the time and release the interpreter lock. The results depend
neither on the number of threads nor on the order of completion. Never more threads work than
there are cores, so that no thread holds the interpreter lock while it waits for a core. A thread
that waits for parts of its own part therefore runs parts that no thread has begun.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from threading import Condition, Event, Thread
from typing import Any, Final, TypeVar, cast

Answer = TypeVar("Answer")
Other = TypeVar("Other")

#: Interval between ticks while the parts run [s].
_TICK_S: Final = 0.1
#: Events that cancel the parts of a planning in their threads.
_STOPS: ContextVar[tuple[Event, ...]] = ContextVar("stops", default=())


@dataclass(frozen=True, eq=False)
class _Part:
    """A part and the context in which it runs; ``future`` holds its result or exception."""

    work: Callable[[], Any]
    context: Context
    future: Future[Any] = field(default_factory=Future)

    def run(self) -> None:
        """Run the part."""
        try:
            self.future.set_result(self.context.run(self.work))
        except BaseException as error:
            self.future.set_exception(error)


@dataclass(frozen=True)
class _Threads:
    """The threads of a planning and the parts that none of them has begun."""

    waiting: deque[_Part] = field(default_factory=deque)
    changed: Condition = field(default_factory=Condition)
    closed: Event = field(default_factory=Event)

    def submit(self, parts: Sequence[_Part]) -> None:
        """Queue parts."""
        with self.changed:
            self.waiting.extend(parts)
            self.changed.notify_all()

    def withdraw(self, parts: Sequence[_Part]) -> None:
        """Cancel the parts that no thread has begun."""
        with self.changed:
            for part in parts:
                if part in self.waiting:
                    self.waiting.remove(part)
                    part.future.cancel()

    def run(self, part: _Part) -> None:
        """Run a part and wake the threads that may wait for it."""
        part.run()
        with self.changed:
            self.changed.notify_all()

    def work(self) -> None:
        """Run parts, the first queued first, until the threads are closed."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.closed.is_set())
                if not self.waiting:
                    return
                part = self.waiting.popleft()
            self.run(part)

    def run_others_until_done(self, parts: Sequence[_Part], tick: Callable[[], None]) -> None:
        """Run queued parts, the last queued first, until the given parts are done.

        The last queued are those that this thread waits for.
        """
        while not _are_done(parts):
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or _are_done(parts), _TICK_S)
                part = self.waiting.pop() if self.waiting and not _are_done(parts) else None
            if part is None:
                tick()
            else:
                self.run(part)

    def wait_until_done(self, parts: Sequence[_Part], tick: Callable[[], None]) -> None:
        """Wait until the parts are done, without running any."""
        while not _are_done(parts):
            with self.changed:
                self.changed.wait_for(lambda: _are_done(parts), _TICK_S)
            tick()


#: The group of threads to which this thread belongs.
_THREADS: ContextVar[_Threads | None] = ContextVar("threads", default=None)


def _are_done(parts: Sequence[_Part]) -> bool:
    return all(part.future.done() for part in parts)


@contextmanager
def _start_threads() -> Iterator[_Threads]:
    """Start a thread for each core; at the end they complete the parts that they have begun."""
    threads = _Threads()
    running = [Thread(target=threads.work, daemon=True) for _ in range(os.cpu_count() or 1)]
    for thread in running:
        thread.start()
    try:
        yield threads
    finally:
        with threads.changed:
            threads.closed.set()
            threads.changed.notify_all()
        for thread in running:
            thread.join()


def run_parallel(parts: Sequence[Callable[[], Answer]], tick: Callable[[], None]) -> list[Answer]:
    """Run parts in threads and return their results in order.

    The calling thread calls ``tick`` every tenth of a second. If parts raise exceptions, that of
    the first such part is raised after all have ended. An exception in the calling thread, for
    example by a time limit, cancels the parts.
    """
    if len(parts) < 2:
        return [part() for part in parts]
    threads = _THREADS.get()
    if threads is not None:
        return _run_in(threads, parts, partial(threads.run_others_until_done, tick=tick))
    with _start_threads() as threads:
        return _run_in(threads, parts, partial(threads.wait_until_done, tick=tick))


def _run_in(
    threads: _Threads,
    works: Sequence[Callable[[], Answer]],
    complete: Callable[[Sequence[_Part]], None],
) -> list[Answer]:
    """Queue parts, wait with ``complete`` until they are done, and return their results."""
    stop = Event()
    parts = [_Part(work, _in_context(stop, threads)) for work in works]
    threads.submit(parts)
    try:
        complete(parts)
    except BaseException:
        stop.set()
        threads.withdraw(parts)
        raise
    return [part.future.result() for part in parts]


def is_cancelled() -> bool:
    """Return whether a thread that waits for this one's part, directly or not, was interrupted."""
    return any(stop.is_set() for stop in _STOPS.get())


def _in_context(stop: Event, threads: _Threads) -> Context:
    """Return a copy of this thread's context for a part that ``stop`` too cancels."""
    context = copy_context()
    context.run(_THREADS.set, threads)
    context.run(_STOPS.set, (*_STOPS.get(), stop))
    return context


def run_pair(
    one: Callable[[], Answer], other: Callable[[], Other], tick: Callable[[], None]
) -> tuple[Answer, Other]:
    """Run two parts with results of different types, as ``run_parallel`` does."""
    parts: list[Callable[[], Answer | Other]] = [one, other]
    first, second = run_parallel(parts, tick)
    return cast(Answer, first), cast(Other, second)
