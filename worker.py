"""A planning worker: ``python worker.py``. Run two or more.

The sea atlas is mapped and the engine's kernels are loaded once, before work-horses
are forked, so that every job starts with both.
"""

import sys

from app import create_worker_app
from app.jobs.memory import return_large_arrays
from app.jobs.worker import ChartroomWorker, run
from app.services.upkeep.warm_up import warm_up


def main() -> int:
    """Work until stopped."""
    return_large_arrays()
    return run(ChartroomWorker, create_worker_app, prepare=warm_up)


if __name__ == "__main__":
    sys.exit(main())
