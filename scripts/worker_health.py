"""Exit with 0 if the worker of this machine or container is alive, otherwise with 1.

Runs with the project's own Python. A worker writes a heartbeat to Redis every few seconds. While
Redis is away it counts as alive: it connects again by itself, and to start it anew would end the
planning that it is at.
"""

from __future__ import annotations

import os
import socket
import sys
from datetime import UTC, datetime

from redis import Redis
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import TimeoutError as RedisSilent
from rq import Worker

SILENCE_S = 90.0


def main() -> int:
    """Return 0 if a worker of this host has a recent heartbeat, or if nobody can know."""
    connection = Redis.from_url(os.environ["REDIS_URL"], socket_connect_timeout=3, socket_timeout=5)
    try:
        workers = Worker.all(connection=connection)
    except (RedisAway, RedisSilent) as error:
        print(f"Redis does not answer: {error}")
        return 0
    now = datetime.now(UTC)
    for worker in workers:
        heard = worker.last_heartbeat
        if worker.hostname == socket.gethostname() and heard is not None:
            age_s = (now - heard.replace(tzinfo=UTC)).total_seconds()
            if age_s < SILENCE_S:
                return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
