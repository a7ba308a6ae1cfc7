"""Report whether the worker of this machine or container is alive: status 0 or 1.

Runs with the project's own Python. A worker says every few seconds in Redis that it lives.
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
    """Look for a worker of this host that was heard of lately."""
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
