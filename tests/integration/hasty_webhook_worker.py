"""The real webhook worker with short delays, so that tests need not wait for minutes."""

import faulthandler
import signal

import webhook_worker
from app.jobs import worker
from app.services.webhooks import webhook_deliveries, webhook_dispatch


def main() -> int:
    """Work until stopped."""
    faulthandler.register(signal.SIGUSR1, chain=True)
    webhook_deliveries.DELAYS_S = (0.5,) * 8
    webhook_dispatch.GRACE *= 0
    worker.SWEEP_EVERY_S = 2
    return webhook_worker.main()
