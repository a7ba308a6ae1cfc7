"""Parts of a planning in threads: their answers, their errors, and how they are stopped."""

import os
import subprocess
import sys
import time
from functools import partial
from threading import Barrier, Event, Lock, get_ident

import pytest

from app.engine.errors import PlanningCancelled
from app.engine.planning.parallel import run_parallel
from app.engine.planning.progress import ProgressReporter


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

    assert run_parallel([first, second], unheard) == ["first", "second"]


def test_the_error_of_the_first_part_is_raised_once_all_have_ended() -> None:
    ended: list[str] = []

    def fail(name: str, after_s: float) -> None:
        time.sleep(after_s)
        ended.append(name)
        raise ValueError(name)

    with pytest.raises(ValueError, match="first"):
        run_parallel([partial(fail, "first", 0.2), partial(fail, "second", 0.0)], unheard)
    assert sorted(ended) == ["first", "second"]


def test_no_more_parts_of_parts_run_at_once_than_there_are_cores() -> None:
    running: list[int] = []
    most, lock = [0], Lock()

    def work() -> int:
        with lock:
            running.append(get_ident())
            most[0] = max(most[0], len(running))
        time.sleep(0.02)
        with lock:
            running.remove(get_ident())
        return 1

    def split() -> int:
        return sum(run_parallel([work] * 4, unheard))

    assert sum(run_parallel([split] * 4, unheard)) == 16
    assert most[0] <= (os.cpu_count() or 1)


def test_parts_end_when_the_one_who_waits_is_asked_to_stop() -> None:
    told: list[int] = []

    def on_progress(fraction: float, stage: str) -> None:
        told.append(get_ident())
        if len(told) > 1:
            raise PlanningCancelled

    progress = ProgressReporter(on_progress)
    stopped: list[bool] = []

    def go_on() -> None:
        try:
            while True:
                progress.tick()
                time.sleep(0.01)
        except PlanningCancelled:
            stopped.append(True)
            raise

    with pytest.raises(PlanningCancelled):
        run_parallel([go_on, go_on], progress.tick)
    assert stopped == [True, True]
    assert set(told) == {get_ident()}


def test_parts_end_when_the_one_who_waits_runs_out_of_time() -> None:
    # as a worker's time limit does: an exception that no progress was told of
    progress = ProgressReporter(lambda fraction, stage: None)
    stopped: list[bool] = []
    both, under_way = Barrier(2), Event()

    def go_on(depth: int) -> None:
        if depth:
            run_parallel([partial(go_on, depth - 1)] * 2, progress.tick)
            return
        try:
            both.wait(10.0)
            under_way.set()
            for _ in range(1000):
                progress.tick()
                time.sleep(0.01)
        except PlanningCancelled:
            stopped.append(True)
            raise

    def run_out_of_time() -> None:
        if under_way.is_set():
            raise TimeoutError

    with pytest.raises(TimeoutError):
        run_parallel([partial(go_on, 1), unheard], run_out_of_time)
    assert stopped == [True, True]


_ASK_AT_ONCE = """
import numpy as np, shapely
from app.engine.geodesy.shapes import contains_points, intersects_segments
from app.engine.planning.parallel import run_parallel

turn = np.linspace(0.0, 2.0 * np.pi, 4000)
rough = 10.0 + np.sin(40.0 * turn)
ring = np.stack([rough * np.cos(turn), rough * np.sin(turn)], 1)
area = shapely.multipolygons([shapely.polygons(ring)])
random = np.random.default_rng(1)

def ask():
    for _ in range(60):
        a, b, c, d = random.uniform(-12.0, 12.0, (4, 400))
        intersects_segments(area, a, b, c, d)
        contains_points(area, a, b)

run_parallel([ask] * 3, lambda: None)
"""


def test_threads_may_ask_of_one_area_at_once() -> None:
    # In a process of its own: where they may not, it is not an error that ends it.
    asked = subprocess.run([sys.executable, "-c", _ASK_AT_ONCE], capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
