"""Exit with 0 if the worker of this machine or container is alive, otherwise with 1.

Runs with the project's own Python. A worker writes a heartbeat to Redis every few seconds.
"""

from __future__ import annotations

import os
import socket
import sys
from datetime import UTC, datetime

from redis import Redis
from rq import Worker

SILENCE_S = 90.0


def main() -> int:
    """Return 0 if a worker of this host has a recent heartbeat."""
    connection = Redis.from_url(os.environ["REDIS_URL"], socket_connect_timeout=3, socket_timeout=5)
    now = datetime.now(UTC)
    for worker in Worker.all(connection=connection):
        heard = worker.last_heartbeat
        if worker.hostname == socket.gethostname() and heard is not None:
            age_s = (now - heard.replace(tzinfo=UTC)).total_seconds()
            if age_s < SILENCE_S:
                return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
