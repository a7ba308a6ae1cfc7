"""A planning worker: ``python worker.py``. Run two or more.

The sea atlas is mapped and the engine's kernels are loaded once, before RQ
forks for each job, so that every job starts warm.
"""

import logging
import logging.config
import sys
import time

from flask import Flask
from redis.exceptions import RedisError

from app import create_app, logs
from app.config import Settings
from app.jobs.worker import ChartroomWorker
from app.services.warm_up import warm_up

#: How long to wait for a queue that went away [s].
WAIT_S = 2.0


def main() -> int:
    """Work until told to stop."""
    logging.config.dictConfig(logs.configuration())
    app = create_app(Settings.from_environment(process_role="worker"))
    with app.app_context():
        warm_up()
    while not _work(app):
        time.sleep(WAIT_S)
    return 0


def _work(app: Flask) -> bool:
    """Work until told to stop; ``False`` when the queue went away, to be tried again."""
    try:
        worker = ChartroomWorker(app)
        worker.work(logging_level="INFO")
    except RedisError as error:
        logging.getLogger(__name__).warning("the queue is away: %s", error)
        return False
    return worker.was_told_to_stop


if __name__ == "__main__":
    sys.exit(main())
