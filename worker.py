"""A planning worker: ``python worker.py``. Run two or more.

The sea atlas is mapped and the engine's kernels are loaded once, before work-horses
are forked, so that every job starts with both.
"""

import logging.config
import sys

from app import create_worker_app, logs
from app.config import Settings
from app.environment import exit_if_misconfigured
from app.jobs.memory import return_large_arrays
from app.jobs.worker import ChartroomWorker, work
from app.services.upkeep.warm_up import warm_up


def main() -> int:
    """Work until stopped."""
    return_large_arrays()
    with exit_if_misconfigured():
        logging.config.dictConfig(logs.configuration())
        app = create_worker_app(Settings.from_environment(process_role="worker"))
    with app.app_context():
        warm_up()
    work(app, ChartroomWorker)
    return 0


if __name__ == "__main__":
    sys.exit(main())
