"""Parts of a planning in threads: their answers, their errors, and how they are stopped."""

import time
from functools import partial
from threading import Event, get_ident

import pytest

from app.engine.errors import PlanningCancelled
from app.engine.pace import Pace
from app.engine.side_by_side import work_side_by_side


def unheard() -> None:
    """Nobody listens."""


def test_answers_come_in_the_order_of_the_parts_whichever_is_done_first() -> None:
    second_is_done = Event()

    def first() -> str:
        assert second_is_done.wait(10.0)
        return "first"

    def second() -> str:
        second_is_done.set()
        return "second"

    assert work_side_by_side([first, second], unheard) == ["first", "second"]


def test_the_error_of_the_first_part_is_raised_once_all_have_ended() -> None:
    ended: list[str] = []

    def fail(name: str, after_s: float) -> None:
        time.sleep(after_s)
        ended.append(name)
        raise ValueError(name)

    with pytest.raises(ValueError, match="first"):
        work_side_by_side([partial(fail, "first", 0.2), partial(fail, "second", 0.0)], unheard)
    assert sorted(ended) == ["first", "second"]


def test_parts_end_when_the_one_who_waits_is_asked_to_stop() -> None:
    told: list[int] = []

    def on_progress(fraction: float, stage: str) -> None:
        told.append(get_ident())
        if len(told) > 1:
            raise PlanningCancelled

    pace = Pace(on_progress)
    stopped: list[bool] = []

    def go_on() -> None:
        try:
            while True:
                pace.beat()
                time.sleep(0.01)
        except PlanningCancelled:
            stopped.append(True)
            raise

    with pytest.raises(PlanningCancelled):
        work_side_by_side([go_on, go_on], pace.beat)
    assert stopped == [True, True]
    assert set(told) == {get_ident()}
