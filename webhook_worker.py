"""A worker that delivers webhooks: ``python webhook_worker.py``. Run one or more."""

import logging.config
import sys

from app import create_worker_app, logs
from app.config import Settings
from app.jobs.worker import WebhookWorker, work


def main() -> int:
    """Work until stopped."""
    logging.config.dictConfig(logs.configuration())
    work(create_worker_app(Settings.from_environment(process_role="worker")), WebhookWorker)
    return 0


if __name__ == "__main__":
    sys.exit(main())
