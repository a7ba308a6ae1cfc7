"""Web processes for tests: one that dies at the worst moment, and one that sends requests."""

import os
import signal
from typing import Any

from app import create_app
from app.config import Settings
from app.services.platform import queue


def die(*_arguments: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_in_cancelling(charting_id: str, key: str) -> int:
    """Cancel a charting, and die between committing that and queueing its event."""
    queue.enqueue_dispatch = die
    create_app().test_client().post(
        f"/v1/charting/{charting_id}/cancel", headers={"X-API-Key": key}
    )
    return 1


def ask_five_times(path: str, key: str) -> int:
    """Print the status of five requests, and the number of requests left after each."""
    client = create_app(Settings.from_environment()).test_client()
    for _ in range(5):
        answer = client.get(path, headers={"X-API-Key": key})
        print(answer.status_code, answer.headers["RateLimit"].split(";t")[0], flush=True)  # noqa: T201
    return 0
