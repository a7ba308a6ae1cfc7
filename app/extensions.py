"""Resources of the running application: the database and the queue's Redis."""

import time
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from flask import Flask, current_app
from psycopg.errors import ReadOnlySqlTransaction
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisAway
from redis.retry import Retry
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

from app.config import ProcessRole, Settings
from app.database_watch import DatabaseWatch

#: Timeout of connecting to a server [s].
CONNECT_TIMEOUT_S = 3

#: Time limit of a statement in a request [s].
STATEMENT_TIMEOUT_S = 30

#: Time limit of a request's wait for a lock, as of a table that a migration changes [s].
LOCK_TIMEOUT_S = 4

#: Time after which the server ends a transaction that asks for nothing [s]. One of a host that is
#: cut off would keep its locks, and stop other workers, until TCP gives the connection up. Searches
#: and comparisons of routes end their transaction first; one that holds the lock of an
#: Idempotency-Key is given more time. No file is sent inside one.
IDLE_TRANSACTION_TIMEOUT_S = 60

#: Connections to the database that a process opens at most, and keeps.
MOST_CONNECTIONS = 16

#: Idle time up to which a connection is used without a check [s].
TRUSTED_IDLE_S = 2.0

#: Redis options of web processes: one retry after a closed connection, as after a restart of the
#: server, but none after a timeout.
IMPATIENT_REDIS: Final[dict[str, Any]] = {
    "socket_connect_timeout": CONNECT_TIMEOUT_S,
    "socket_timeout": CONNECT_TIMEOUT_S,
    "retry": Retry(NoBackoff(), 1, (RedisAway,)),
}
#: Workers block while waiting for work, so they have no timeouts; RQ sets its own.
_REDIS_OPTIONS: Final[dict[ProcessRole, dict[str, Any]]] = {
    "web": IMPATIENT_REDIS,
    "worker": {"socket_connect_timeout": CONNECT_TIMEOUT_S},
}


@dataclass(frozen=True, slots=True)
class Chartroom:
    """One application's settings and connections.

    ``telemetry_months`` are the (year, month) whose partitions are known to exist. ``put_off`` has
    the times before which work that failed is not tried again, by its name [s, monotonic].
    """

    settings: Settings
    engine: Engine
    new_session: sessionmaker[Session]
    redis: Redis
    telemetry_months: set[tuple[int, int]] = field(default_factory=set)
    put_off: dict[str, float] = field(default_factory=dict)

    def close(self) -> None:
        """Close the connections; the next use opens new ones."""
        self.engine.dispose()
        self.redis.close()


def init_app(app: Flask, settings: Settings) -> None:
    """Set up the application's engine and Redis client; connections open on first use."""
    engine = make_engine(settings)
    app.extensions["chartroom"] = Chartroom(
        settings=settings,
        engine=engine,
        new_session=sessionmaker(engine, expire_on_commit=False),
        redis=Redis.from_url(
            settings.redis_url, health_check_interval=30, **_REDIS_OPTIONS[settings.process_role]
        ),
    )


def chartroom() -> Chartroom:
    """The running application's settings and connections."""
    held: Chartroom = current_app.extensions["chartroom"]
    return held


def make_engine(settings: Settings) -> Engine:
    """Create an engine whose connections have the database role of their process."""
    engine = create_engine(
        settings.sqlalchemy_url,
        hide_parameters=True,
        # all are kept: opening one takes longer than most requests
        pool_size=MOST_CONNECTIONS,
        max_overflow=0,
        # the last one returned is taken first, so that few connections prepare all statements
        pool_use_lifo=True,
        pool_timeout=5,
        # plans are up to a megabyte of JSON, which this decoder reads three times as fast
        json_deserializer=msgspec.json.decode,
        connect_args={"connect_timeout": CONNECT_TIMEOUT_S}
        # a prepared statement belongs to one connection, and the next transaction may use another
        | ({"prepare_threshold": None} if settings.database_is_pooled else {}),
    )
    _take_role(engine, settings)
    if settings.process_role == "web":
        DatabaseWatch(engine)
    _check_idle_connections(engine)
    _reconnect_if_read_only(engine)
    return engine


def _take_role(engine: Engine, settings: Settings) -> None:
    """Leave the login role, which owns the tables, when a connection opens.

    Behind a pooler connections are shared, so each transaction sets the role.
    """
    beginning = (
        f"ROLE chartroom_{settings.process_role}",
        f"statement_timeout = '{STATEMENT_TIMEOUT_S}s'",
        f"lock_timeout = '{LOCK_TIMEOUT_S if settings.process_role == 'web' else 0}s'",
        f"idle_in_transaction_session_timeout = '{IDLE_TRANSACTION_TIMEOUT_S}s'",
        # for queries over many telemetry partitions, compilation takes longer than execution
        "jit = off",
    )

    def set_for_connection(connection: Any, _entry: ConnectionPoolEntry) -> None:
        connection.execute(";".join(f"SET {each}" for each in beginning))
        connection.commit()

    def set_for_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(";".join(f"SET LOCAL {each}" for each in beginning))

    if settings.database_is_pooled:
        event.listen(engine, "begin", set_for_transaction)
    else:
        event.listen(engine, "connect", set_for_connection)


def _check_idle_connections(engine: Engine) -> None:
    """Check connections after some idle time; a check before each use would cost more."""

    @event.listens_for(engine, "checkin")
    def note(_connection: Any, entry: ConnectionPoolEntry) -> None:
        entry.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def ask(connection: Any, entry: ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - entry.info.get("idle_since", time.monotonic()) < TRUSTED_IDLE_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error


def _reconnect_if_read_only(engine: Engine) -> None:
    """Reconnect if a server is read-only: another one may be the primary now."""

    @event.listens_for(engine, "handle_error")
    def give_up(context: ExceptionContext) -> None:
        if isinstance(context.original_exception, ReadOnlySqlTransaction):
            context.is_disconnect = True
