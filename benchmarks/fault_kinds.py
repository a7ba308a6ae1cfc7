"""Faults of a running service: processes killed or frozen, servers stopped or emptied."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from redis import Redis

from benchmarks.disk_faults import Losses
from benchmarks.installation import Installation, list_descendants, wait_until

#: Duration of freezing, locking or absence [s].
LASTING_S: Final = 12.0
BUSY_PATIENCE_S: Final = 900.0

#: Causes the fault; returns losses besides voyages if it checks more than these.
Fault = Callable[[Installation], Losses | None]


def list_workers(service: Installation) -> list[str]:
    """List the names of the planning workers."""
    return [m.name for m in service.supervisor.members if m.name.startswith("worker-")]


def find_busy(service: Installation) -> str:
    """Return a worker that is planning."""
    busy: list[str] = []

    def look() -> bool:
        busy[:] = [name for name in list_workers(service) if len(service.pids(name)) > 1]
        return bool(busy)

    if not wait_until(look, BUSY_PATIENCE_S, every_s=0.02):
        raise RuntimeError("no worker began any work")
    return busy[0]


def kill_worker(service: Installation) -> None:
    """Kill a planning worker with its work-horse."""
    service.kill(find_busy(service))


def kill_workers(service: Installation) -> None:
    """Kill all workers at once."""
    find_busy(service)
    for name in list_workers(service):
        service.kill(name)


def kill_worker_alone(service: Installation) -> None:
    """Kill a worker, but not its work-horse."""
    os.kill(service.pids(find_busy(service))[0], signal.SIGKILL)


def kill_work_horse(service: Installation) -> None:
    """Kill the planning process, but not its worker."""
    _signal(service.pids(find_busy(service))[1:2], signal.SIGKILL)


def end_worker(service: Installation) -> None:
    """Stop a worker as a deployment does."""
    os.kill(service.pids(find_busy(service))[0], signal.SIGTERM)


def freeze_worker(service: Installation) -> None:
    """Freeze a worker and its work-horse."""
    _freeze(service.pids(find_busy(service)))


def freeze_work_horse(service: Installation) -> None:
    """Freeze the planning process."""
    _freeze(service.pids(find_busy(service))[1:])


def kill(member: str, service: Installation) -> None:
    """Kill a member and its child processes."""
    service.kill(member)


def kill_web_process(service: Installation) -> None:
    """Kill one of the web server's processes."""
    _signal(service.pids("web")[1:2], signal.SIGKILL)


def reload_web(service: Installation) -> None:
    """Make the web server restart its processes."""
    os.kill(service.pids("web")[0], signal.SIGHUP)


def freeze_web_process(service: Installation) -> None:
    """Freeze one of the web server's processes."""
    _freeze(service.pids("web")[1:2])


def stop_server(server: str, sig: signal.Signals, service: Installation) -> None:
    """Stop a server; the supervisor restarts it."""
    with service.tending:
        _end(service, server, sig)


def empty_redis(service: Installation) -> None:
    """Kill Redis and delete all its data."""
    with service.tending:
        _end(service, "redis", signal.SIGKILL)
        shutil.rmtree(service.services._home("redis"))


def flush_redis(service: Installation) -> None:
    """Delete all data of Redis while it runs."""
    _redis(service).flushall()


def fill_redis(service: Installation) -> None:
    """Leave Redis no memory for writing."""
    redis = _redis(service)
    redis.config_set("maxmemory", "1mb")
    time.sleep(LASTING_S)
    redis.config_set("maxmemory", "0")


def keep_away(server: str, service: Installation) -> None:
    """Stop a server, and prevent its restart for a while."""
    with service.tending:
        _end(service, server, signal.SIGKILL)
        time.sleep(LASTING_S)


def freeze_server(server: str, service: Installation) -> None:
    """Freeze a server: connections stay open without answers."""
    mark = service.services._mark(server)
    if mark is None:
        raise RuntimeError(f"{server} was never started")
    with service.tending:
        _freeze([mark.pid, *list_descendants(mark.pid)])


def end_sessions(service: Installation) -> None:
    """End every session of the database except the owner's."""
    with _database(service) as database:
        # only superusers may request it; the server also does so on this signal
        rows = database.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename <> current_user"
        )
        pids = [int(str(pid)) for (pid,) in rows]
    if not pids:
        raise RuntimeError("the database has no sessions")
    _signal(pids, signal.SIGTERM)


def lock_table(service: Installation) -> None:
    """Lock the table of charting revisions for a while, as a careless migration does."""
    with _database(service) as database, database.transaction():
        database.execute("LOCK TABLE charting_revision IN ACCESS EXCLUSIVE MODE")
        time.sleep(LASTING_S)


def refuse_writes(service: Installation) -> None:
    """Make the database read-only for a while, as a failing-over server is.

    Sessions that begin meanwhile stay read-only.
    """
    with _database(service) as database:
        name = sql.Identifier(database.info.dbname)
        setting = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name)
        database.execute(setting)
        end_sessions(service)
        time.sleep(LASTING_S)
        database.execute(
            sql.SQL("ALTER DATABASE {} RESET default_transaction_read_only").format(name)
        )


def cut_power(service: Installation) -> None:
    """Kill everything at once."""
    with service.tending:
        for member in service.supervisor.members:
            service.kill(member.name)
        for server in ("redis", "postgres"):
            _end(service, server, signal.SIGKILL)


def truncate_kernels(service: Installation) -> None:
    """Truncate compiled kernels to half, as a full disk does, and restart the workers."""
    folder = Path(service.supervisor.environment["NUMBA_CACHE_DIR"])
    for kernel in sorted(folder.rglob("*.nbc"), key=lambda path: -path.stat().st_size)[:8]:
        os.truncate(kernel, kernel.stat().st_size // 2)
    kill_workers(service)


def _signal(pids: Sequence[int], sig: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            continue


def _freeze(pids: Sequence[int]) -> None:
    _signal(pids, signal.SIGSTOP)
    time.sleep(LASTING_S)
    _signal(pids, signal.SIGCONT)


def _end(service: Installation, server: str, sig: signal.Signals) -> None:
    mark = service.services._mark(server)
    if mark is None:
        raise RuntimeError(f"{server} was never started")
    mark.stop(sig, patience_s=30.0)


def _redis(service: Installation) -> Redis:
    return Redis.from_url(service.services.environment()["REDIS_URL"])


@contextmanager
def _database(service: Installation) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    address = service.services.environment()["DATABASE_URL"]
    with psycopg.connect(address, autocommit=True) as database:
        yield database


FAULTS: dict[str, Fault] = {
    "worker killed": kill_worker,
    "Redis killed and flushed": empty_redis,
    "PostgreSQL restarted": partial(stop_server, "postgres", signal.SIGINT),
    "PostgreSQL killed": partial(stop_server, "postgres", signal.SIGKILL),
    "web killed": partial(kill, "web"),
    "all workers killed": kill_workers,
    "worker killed alone": kill_worker_alone,
    "work-horse killed": kill_work_horse,
    "worker asked to stop": end_worker,
    "worker frozen": freeze_worker,
    "work-horse frozen": freeze_work_horse,
    "webhook worker killed": partial(kill, "webhooks"),
    "web process killed": kill_web_process,
    "web process frozen": freeze_web_process,
    "web reloaded": reload_web,
    "PostgreSQL frozen": partial(freeze_server, "postgres"),
    "PostgreSQL away": partial(keep_away, "postgres"),
    "sessions ended": end_sessions,
    "table locked": lock_table,
    "database read-only": refuse_writes,
    "Redis killed": partial(stop_server, "redis", signal.SIGKILL),
    "Redis flushed": flush_redis,
    "Redis frozen": partial(freeze_server, "redis"),
    "Redis away": partial(keep_away, "redis"),
    "Redis out of memory": fill_redis,
    "power cut": cut_power,
    "kernel cache truncated": truncate_kernels,
}
