"""A worker that delivers webhooks: ``python webhook_worker.py``. Run one or more."""

import logging.config
import sys

from app import create_worker_app, logs
from app.config import Settings
from app.environment import exit_if_misconfigured
from app.jobs.worker import WebhookWorker, work


def main() -> int:
    """Work until stopped."""
    with exit_if_misconfigured():
        logging.config.dictConfig(logs.configuration())
        app = create_worker_app(Settings.from_environment(process_role="worker"))
    work(app, WebhookWorker)
    return 0


if __name__ == "__main__":
    sys.exit(main())
