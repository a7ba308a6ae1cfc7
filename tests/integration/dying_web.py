"""A web process that is killed between committing a cancellation and queueing its event."""

import os
import signal
import sys
from typing import Any

from app import create_app
from app.services.platform import queue


def die(*_arguments: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    charting_id, key = sys.argv[1:]
    queue.enqueue_dispatch = die
    create_app().test_client().post(
        f"/v1/charting/{charting_id}/cancel", headers={"X-API-Key": key}
    )
