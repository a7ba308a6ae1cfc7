"""The real worker, but planning waits for a file first: so that tests can act while it runs.

Workers look after each other far more often, so that tests need not wait as long; and on a
machine so busy that a live worker is taken for dead, they begin again as often as it takes.
"""

import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import worker
from app.engine import planner
from app.engine.calibration.calibrating import calibrate
from app.engine.departures.sweep import compare_departures
from app.engine.monitoring.remainder import find_better_plan
from app.jobs import worker as jobs_worker
from app.services.chartings import charting_runs, departure_runs
from app.services.monitoring import watching
from app.services.platform import queue, run_progress
from app.services.upkeep import sweeper
from app.services.vessels import calibration_runs


def gate() -> Path:
    """The file that plannings wait for."""
    return Path(os.environ["PLANNING_GATE"])


def plan_in_silence(*arguments: Any, **options: Any) -> Any:
    """Keep every other thread of the process from being heard until planning may go on."""
    while not gate().exists():
        pass
    return planner.plan_voyage(*arguments, **options)


def plan_when_allowed(*arguments: Any, on_progress: planner.Progress, **options: Any) -> Any:
    share = 0.0
    while not gate().exists():
        share += 0.1 * (0.5 - share)
        on_progress(share, "Taking its time")
        time.sleep(0.1)
    return planner.plan_voyage(*arguments, on_progress=on_progress, **options)


def compare_when_allowed(
    request: Any, window: Any, sea: Any, weather: Any, on_progress: Any, on_found: Any, known: Any
) -> Any:
    """Wait with the first departure that is found, until a comparison may go on."""

    def wait(searched: Any) -> None:
        on_found(searched)
        while not known and not gate().exists():
            on_progress(0.1, "Taking its time")
            time.sleep(0.1)

    return compare_departures(request, window, sea, weather, on_progress, wait, known)


def plan_rest_when_allowed(*given: Any) -> Any:
    gate().with_name("watching").touch()  # a voyage's watch waits at the gate
    while not gate().exists():
        time.sleep(0.1)
    return find_better_plan(*given)


def calibrate_when_allowed(*arguments: Any, on_progress: Any, **options: Any) -> Any:
    """Wait with the fit until it may go on."""
    while not gate().exists():
        on_progress(0.1, "Taking its time")
        time.sleep(0.1)
    return calibrate(*arguments, on_progress=on_progress, **options)


def main() -> int:
    """Work until stopped."""
    watching.find_better_plan = plan_rest_when_allowed
    is_silent = "PLANNING_IN_SILENCE" in os.environ
    charting_runs.plan_voyage = plan_in_silence if is_silent else plan_when_allowed
    departure_runs.compare_departures = compare_when_allowed
    calibration_runs.calibrate = calibrate_when_allowed
    run_progress.MOST_ATTEMPTS = 1000
    run_progress.HEARTBEAT_EVERY_S = 1e6 if is_silent else 1.0
    # a silent planning is heard of by its parent alone, late on a busy machine
    stale_after_s = 60 if is_silent else 10
    sweeper.STALE_AFTER = timedelta(seconds=stale_after_s)
    jobs_worker.ChartroomWorker.get_heartbeat_ttl = lambda *_: stale_after_s
    if "WORK_HORSES_STAY" in os.environ:
        jobs_worker.ChartroomWorker.next_within_s = 600.0
    if "MOST_JOBS" in os.environ:
        jobs_worker.ChartroomWorker.most_jobs = int(os.environ["MOST_JOBS"])
    queue._FAILED_GOES_S = 1
    jobs_worker.SWEEP_EVERY_S = 2
    jobs_worker.MONITOR_EVERY_S = 1
    return worker.main()


if __name__ == "__main__":
    sys.exit(main())
