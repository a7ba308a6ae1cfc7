"""The real worker, but planning takes its time first: so that tests can act while it runs."""

import os
import sys
import time
from typing import Any

import worker
from app.engine import planner
from app.services import charting_runs

PLANNING_TAKES_S = float(os.environ["PLANNING_TAKES_S"])


def plan_slowly(*arguments: Any, on_progress: planner.Progress, **options: Any) -> Any:
    started = time.monotonic()
    while (spent := time.monotonic() - started) < PLANNING_TAKES_S:
        on_progress(0.5 * spent / PLANNING_TAKES_S, "Taking its time")
        time.sleep(0.1)
    return planner.plan_voyage(*arguments, on_progress=on_progress, **options)


if __name__ == "__main__":
    charting_runs.plan_voyage = plan_slowly
    sys.exit(worker.main())
