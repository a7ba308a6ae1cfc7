"""A worker that delivers webhooks: ``python webhook_worker.py``. Run one or more."""

import sys

from app.jobs.worker import WebhookWorker, run


def main() -> int:
    """Work until stopped."""
    return run(WebhookWorker)


if __name__ == "__main__":
    sys.exit(main())
