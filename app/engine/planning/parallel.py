"""Independent parts of a planning, worked out side by side.

The compiled kernels that nearly all the time goes to let other threads run. What comes out
doesn't depend on how many there are, nor on which is done first.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import Context, ContextVar, copy_context
from threading import Event
from typing import Final, TypeVar, cast

Answer = TypeVar("Answer")
Other = TypeVar("Other")

#: How long nothing is told while the parts are at work [s].
_PATIENCE_S: Final = 0.1
#: What tells the parts of a planning, in their threads, to stop.
_STOPS: ContextVar[tuple[Event, ...]] = ContextVar("stops", default=())


def work_side_by_side(
    parts: Sequence[Callable[[], Answer]], beat: Callable[[], None]
) -> list[Answer]:
    """What each part answers, in their order.

    ``beat`` is called by the thread that waits, every tenth of a second. Whatever a part
    raises is raised once all have ended, that of the first of them. Whatever interrupts the
    thread that waits, such as a time limit, tells the parts to stop.
    """
    if len(parts) < 2:
        return [part() for part in parts]
    stop = Event()
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as threads:
        try:
            under_way = [threads.submit(_in_context(stop).run, part) for part in parts]
            while wait(under_way, timeout=_PATIENCE_S).not_done:
                beat()
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    return [part.result() for part in under_way]


def is_told_to_stop() -> bool:
    """Whether the thread that waits for this one, or one that waits for that, was interrupted."""
    return any(stop.is_set() for stop in _STOPS.get())


def _in_context(stop: Event) -> Context:
    """This thread's context, for a part that one more event stops."""
    context = copy_context()
    context.run(_STOPS.set, (*_STOPS.get(), stop))
    return context


def work_two(
    one: Callable[[], Answer], other: Callable[[], Other], beat: Callable[[], None]
) -> tuple[Answer, Other]:
    """As ``work_side_by_side``, of two parts that answer different things."""
    parts: list[Callable[[], Answer | Other]] = [one, other]
    first, second = work_side_by_side(parts, beat)
    return cast(Answer, first), cast(Other, second)
