"""Independent parts of a planning, worked out side by side.

The compiled kernels that nearly all the time goes to let other threads run. What comes out
doesn't depend on how many there are, nor on which is done first.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final, TypeVar, cast

Answer = TypeVar("Answer")
Other = TypeVar("Other")

#: How long nothing is told while the parts are at work [s].
_PATIENCE_S: Final = 0.1


def work_side_by_side(
    parts: Sequence[Callable[[], Answer]], beat: Callable[[], None]
) -> list[Answer]:
    """What each part answers, in their order.

    ``beat`` is called by the thread that waits, every tenth of a second. Whatever a part
    raises is raised once all have ended, that of the first of them.
    """
    if len(parts) < 2:
        return [part() for part in parts]
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as threads:
        under_way = [threads.submit(part) for part in parts]
        try:
            while wait(under_way, timeout=_PATIENCE_S).not_done:
                beat()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    return [part.result() for part in under_way]


def work_two(
    one: Callable[[], Answer], other: Callable[[], Other], beat: Callable[[], None]
) -> tuple[Answer, Other]:
    """As ``work_side_by_side``, of two parts that answer different things."""
    parts: list[Callable[[], Answer | Other]] = [one, other]
    first, second = work_side_by_side(parts, beat)
    return cast(Answer, first), cast(Other, second)
