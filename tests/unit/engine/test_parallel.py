"""Parallel parts of a planning: their results, exceptions and cancellation."""

import os
import subprocess
import sys
import time
from functools import partial
from threading import Barrier, Event, Lock, get_ident

import pytest

from app.engine.errors import PlanningCancelled
from app.engine.parallel import run_parallel
from app.engine.progress import ProgressReporter


def ignore() -> None:
    """Ignore a tick."""


def test_results_are_in_the_order_of_the_parts_whichever_is_done_first() -> None:
    second_is_done = Event()

    def first() -> str:
        assert second_is_done.wait(10.0)
        return "first"

    def second() -> str:
        second_is_done.set()
        return "second"

    assert run_parallel([first, second], ignore) == ["first", "second"]


def test_the_error_of_the_first_part_is_raised_once_all_have_ended() -> None:
    ended: list[str] = []

    def fail(name: str, after_s: float) -> None:
        time.sleep(after_s)
        ended.append(name)
        raise ValueError(name)

    with pytest.raises(ValueError, match="first"):
        run_parallel([partial(fail, "first", 0.2), partial(fail, "second", 0.0)], ignore)
    assert sorted(ended) == ["first", "second"]


def test_no_more_nested_parts_run_at_once_than_there_are_cores() -> None:
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
        return sum(run_parallel([work] * 4, ignore))

    assert sum(run_parallel([split] * 4, ignore)) == 16
    assert most[0] <= (os.cpu_count() or 1)


def test_parts_end_when_the_progress_report_cancels_the_planning() -> None:
    reporters: list[int] = []

    def on_progress(fraction: float, stage: str) -> None:
        reporters.append(get_ident())
        if len(reporters) > 1:
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
    assert set(reporters) == {get_ident()}


def test_parts_end_when_the_waiting_thread_runs_out_of_time() -> None:
    # like a worker's time limit: an exception that the progress reporter does not see
    progress = ProgressReporter()
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
        run_parallel([partial(go_on, 1), ignore], run_out_of_time)
    assert stopped == [True, True]


_QUERY_AT_ONCE = """
import numpy as np, shapely
from app.engine.geodesy.shapes import contains_points, segments_within
from app.engine.parallel import run_parallel

turn = np.linspace(0.0, 2.0 * np.pi, 4000)
rough = 10.0 + np.sin(40.0 * turn)
ring = np.stack([rough * np.cos(turn), rough * np.sin(turn)], 1)
area = shapely.multipolygons([shapely.polygons(ring)])
random = np.random.default_rng(1)

def query():
    for _ in range(60):
        a, b, c, d = random.uniform(-12.0, 12.0, (4, 400))
        segments_within(area, a, b, c, d)
        contains_points(area, a, b)

run_parallel([query] * 3, lambda: None)
"""


def test_several_threads_may_query_one_area_at_once() -> None:
    # in a process of its own, because a failure would crash it
    command = [sys.executable, "-c", _QUERY_AT_ONCE]
    queried = subprocess.run(command, capture_output=True, text=True)
    assert queried.returncode == 0, queried.stderr
