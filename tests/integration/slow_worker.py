"""The real worker, but planning takes its time first: so that tests can act while it runs.

Workers look after each other far more often, so that tests need not wait as long.
"""

import os
import sys
import time
from datetime import timedelta
from typing import Any

import worker
from app.engine import planner
from app.jobs import worker as jobs_worker
from app.services import charting_runs, planning_progress, sweeper

PLANNING_TAKES_S = float(os.environ["PLANNING_TAKES_S"])


def plan_slowly(*arguments: Any, on_progress: planner.Progress, **options: Any) -> Any:
    started = time.monotonic()
    while (spent := time.monotonic() - started) < PLANNING_TAKES_S:
        on_progress(0.5 * spent / PLANNING_TAKES_S, "Taking its time")
        time.sleep(0.1)
    return planner.plan_voyage(*arguments, on_progress=on_progress, **options)


if __name__ == "__main__":
    charting_runs.plan_voyage = plan_slowly
    planning_progress.HEARTBEAT_EVERY_S = 1.0
    sweeper.STALE_AFTER = timedelta(seconds=10)
    jobs_worker.SWEEP_EVERY_S = 2
    jobs_worker.MONITOR_EVERY_S = 1
    sys.exit(worker.main())
