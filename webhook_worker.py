"""A worker that delivers webhooks: ``python webhook_worker.py``. Run one or more."""

import sys

from app import create_worker_app
from app.jobs.worker import WebhookWorker, run


def main() -> int:
    """Work until stopped."""
    return run(WebhookWorker, create_worker_app)


if __name__ == "__main__":
    sys.exit(main())
