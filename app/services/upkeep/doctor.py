"""Health checks of an installation, with remedies for problems."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from redis.exceptions import RedisError, ResponseError
from rq import Worker
from sqlalchemy.exc import SQLAlchemyError

from app.datasources.checksums import find_damage
from app.datasources.stored_files import find_private
from app.datasources.weather.bucket import BucketFault, RunBucket
from app.engine.errors import DataMissing
from app.extensions import CONNECT_TIMEOUT_S, chartroom
from app.models import Base, utc_now
from app.services.areas import charts
from app.services.platform import queue
from app.services.platform.sessions import common_session
from app.services.platform.tables import list_revisions
from app.services.sea import sea
from app.services.upkeep.warm_up import warm_up
from app.services.weather import weather, weather_bucket

SET_UP: Final = "Run the set-up again: `make run`, or the service `setup` of compose.yaml."
OLDEST_POSTGRES: Final = 15
ROLES: Final = ("chartroom_web", "chartroom_worker", "chartroom_gate")
MIGRATE: Final = "Run `flask --app wsgi migrate`."
#: Age from which a forecast counts as old; two to four are published a day [h].
_OLD_FORECAST_H: Final = 36
#: Free space below which the next forecast may not fit [bytes].
_LEAST_FREE_BYTES: Final = 5_000_000_000


class Level(StrEnum):
    """Severity of a finding; a fault stops the service from working."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "FAULT"


class Finding(NamedTuple):
    """Finding about one part, and its remedy."""

    level: Level
    words: str
    remedy: str = ""


Findings = Iterator[Finding]

good = partial(Finding, Level.GOOD)
warning = partial(Finding, Level.WARNING)
fault = partial(Finding, Level.FAULT)


def warn_unless(is_good: bool, words: str, remedy: str) -> Finding:
    """Build a finding that is good, or a warning with a remedy."""
    return good(words) if is_good else warning(words, remedy)


def check_settings() -> Findings:
    """Check that the secrets are set; wrong values are refused before."""
    settings = chartroom().settings
    if settings.secret_key is None:
        words = "SECRET_KEY is not set: the web does not start"
        yield fault(words, "Set it to a random text and keep it.")
    else:
        yield good("SECRET_KEY is set")
    if settings.metrics_token is None:
        words = "METRICS_TOKEN is not set: there is no /metrics"
        yield warning(words, "Set it to a random text for Prometheus.")


def check_database() -> Findings:
    """Check version, PostGIS, migrations and isolation of organizations."""
    url = chartroom().settings.database_url.replace("postgresql+psycopg:", "postgresql:", 1)
    try:
        connection = psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S)
    except psycopg.OperationalError as error:
        words = f"does not answer: {error}".strip()
        yield fault(words, "Start it, or correct DATABASE_URL.")
        return
    with connection:
        yield _postgres_version(connection)
        yield _postgis(connection)
        migrations = _migrations(connection)
        yield migrations
        if migrations.level == Level.GOOD:
            yield from _check_isolation(connection)


def _postgres_version(connection: psycopg.Connection[Any]) -> Finding:
    version = connection.info.server_version // 10_000
    if version < OLDEST_POSTGRES:
        needed = f"{OLDEST_POSTGRES} or newer is needed."
        return fault(f"PostgreSQL {version} is too old", needed)
    return good(f"PostgreSQL {version} answers")


def _postgis(connection: psycopg.Connection[Any]) -> Finding:
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'postgis'")
    row = found.fetchone()
    if row is None:
        remedy = "Let the database's administrator run CREATE EXTENSION postgis."
        return fault("PostGIS is not installed", remedy)
    return good(f"PostGIS {row[0]}")


def _migrations(connection: psycopg.Connection[Any]) -> Finding:
    head = list_revisions()[-1]
    table = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    row = None
    if table is not None and table[0] is not None:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if row is None:
        return fault("there are no tables yet", MIGRATE)
    if row[0] != head:
        return fault(f"tables are at migration {row[0]}, this program needs {head}", MIGRATE)
    return good(f"migrated to {head}")


def _check_isolation(connection: psycopg.Connection[Any]) -> Findings:
    for role in ROLES:
        known = connection.execute(
            "SELECT rolsuper OR rolbypassrls, pg_has_role(session_user, oid, 'MEMBER')"
            " FROM pg_roles WHERE rolname = %s",
            [role],
        ).fetchone()
        if known is None or not known[1]:
            words = f"the login may not use the role {role}"
            remedy = f"As administrator: CREATE ROLE {role} NOLOGIN (if missing) and GRANT it."
            yield fault(words, remedy)
        elif known[0]:
            words = f"{role} bypasses row-level security: organizations are not isolated"
            remedy = f"As administrator: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS."
            yield fault(words, remedy)
    bare = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relname = ANY (%s) AND NOT (relrowsecurity AND relforcerowsecurity)",
        [[table.name for table in Base.metadata.sorted_tables]],
    ).fetchall()
    if bare:
        names = ", ".join(name for (name,) in bare)
        words = f"row-level security is off on {names}"
        remedy = "ALTER TABLE … ENABLE and FORCE ROW LEVEL SECURITY, and find out what changed it."
        yield fault(words, remedy)
    else:
        yield good("row-level security is forced on every table")


def check_redis() -> Findings:
    """Check that Redis answers, persists data and never drops jobs to free memory."""
    redis: Any = chartroom().redis  # its stubs promise an awaitable
    try:
        version = redis.info("server")["redis_version"]
        kept = redis.info("persistence")["aof_enabled"]
    except RedisError as error:
        yield fault(f"does not answer: {error}", "Start it, or correct REDIS_URL.")
        return
    yield good(f"Redis {version} answers")
    try:
        queue.check()
    except RedisError as error:
        remedy = "Give it memory, disk space or replicas, or let REDIS_URL name its primary."
        yield fault(f"takes no writes: {error}", remedy)
    if not kept:
        words = "does not persist jobs: after its restart chartings wait for the sweeper"
        yield warning(words, "Set appendonly yes.")
    try:
        policy = redis.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction")
    except ResponseError:
        return  # a managed Redis may forbid CONFIG
    if policy != "noeviction":
        words = f"may drop jobs when it is full (maxmemory-policy {policy})"
        yield warning(words, "Set maxmemory-policy noeviction.")


def check_workers() -> Findings:
    """Check that at least two workers plan, for failover, and one delivers webhooks."""
    try:
        planners = Worker.count(queue=queue.planning_queue())
        deliverers = Worker.count(queue=queue.webhook_queue())
    except RedisError:
        return  # reported already
    run = "Run two or more: `python worker.py`."
    yield warn_unless(planners >= 2, f"{planners} plan", run)
    run = "Run one: `python webhook_worker.py`."
    yield warn_unless(deliverers > 0, f"{deliverers} deliver webhooks", run)


def check_atlas() -> Findings:
    """Check the atlas's format and checksums."""
    folder = chartroom().settings.atlas_dir
    try:
        identity = sea.open_atlas().identity
    except (DataMissing, FileNotFoundError, ValueError) as error:
        yield fault(f"{folder}: {error}", SET_UP)
        return
    damaged = find_damage(folder)
    if damaged is None:
        words = f"{identity} in {folder}, without checksums to verify it"
        remedy = f"Remove {folder} and run the set-up again, which writes them."
        yield warning(words, remedy)
    elif damaged:
        yield fault(f"{folder}: damaged: {', '.join(damaged)}", f"Remove {folder}. {SET_UP}")
    else:
        yield good(f"{identity} in {folder}, every checksum right")


def check_charts() -> Findings:
    """Check that every chart can be read: with one that cannot, every planning fails."""
    remedy = "Let the service's account read it, import the chart again, or remove the file."
    try:
        paths = charts.list_files()
    except charts.ChartUnreadable as error:
        yield fault(f"cannot be read: {error.__cause__}", remedy)
        return
    is_good = True
    for path in paths:
        try:
            charts.open_chart(path)
        except charts.ChartUnreadable as error:
            is_good = False
            yield fault(f"cannot be read: {error.__cause__}", remedy)
    if is_good:
        yield good(f"{len(paths)} in {charts.charts_dir()}")


def check_weather() -> Findings:
    """Check that climatology and runs can be read, and that there is a recent forecast."""
    if weather.find_climatology() is None:
        yield fault(f"there is no climatology in {weather.climatology_folder()}", SET_UP)
    else:
        yield good("there is a climatology")
    fetch = (
        "Run `flask --app wsgi weather fetch gfs`, or let workers fetch: WEATHER_SOURCE=auto,"
        " with data.ecmwf.int or NOAA's storage in reach."
    )
    try:
        newest = weather.find_newest_forecast()
        with common_session() as session:
            unreadable = list(weather.find_unreadable(session))
    except SQLAlchemyError:
        return  # reported already
    for words in unreadable:
        remedy = "Let the service's account read its files, or restore them from a backup."
        yield warning(words, remedy)
    if newest is None:
        words = "there is no global forecast: voyages are planned in the climatology"
        yield warning(words, fetch)
        return
    age_h = (utc_now() - newest).total_seconds() / 3600.0
    is_new = age_h <= _OLD_FORECAST_H
    yield warn_unless(is_new, f"the newest forecast is {age_h:.0f} h old", fetch)


def check_access() -> Findings:
    """Check, as root, which may read anything, what the owner of the weather may read.

    That is the service's account. Other accounts have read charts and weather by other checks.
    """
    settings = chartroom().settings
    if os.geteuid() != 0 or not settings.weather_dir.is_dir():
        return
    service = settings.weather_dir.stat()
    for folder in (settings.charts_dir, settings.weather_dir):
        private = list(find_private(folder, service))
        if private:
            words = f"the service's account cannot read {private[0]}, one of {len(private)}"
            remedy = f"chown --recursive --reference={settings.weather_dir} {folder}"
            yield fault(words, remedy)


def check_bucket() -> Findings:
    """Check that the bucket, if any, answers and has the index of every published run."""
    bucket = weather_bucket.find_bucket()
    if bucket is None:
        return
    try:
        bucket.check_reachable()
    except BucketFault as error:
        remedy = "Correct WEATHER_BUCKET, WEATHER_S3_ENDPOINT and the AWS variables, or start it."
        yield fault(f"cannot be reached: {error}", remedy)
        return
    damaged = list(_find_damaged_runs(bucket))
    for words in damaged:
        remedy = "On a machine with the run's files: `flask --app wsgi weather publish`."
        yield fault(words, remedy)
    if not damaged:
        yield good(f"{bucket.name} answers, every index right")


def _find_damaged_runs(bucket: RunBucket) -> Iterator[str]:
    """Describe each index that is missing or has changed since it was published."""
    with common_session() as session:
        records = weather.list_records(session)
    for record in records:
        if record.published_sha256 is not None:
            try:
                bucket.read_index(record.name, record.published_sha256)
            except BucketFault as error:
                yield str(error)


def check_disk() -> Findings:
    """Check the free disk space for the next forecasts."""
    folder = _existing(chartroom().settings.weather_dir.resolve())
    free = shutil.disk_usage(folder).free
    remedy = "Free space, or `flask --app wsgi weather prune`."
    is_enough = free >= _LEAST_FREE_BYTES
    yield warn_unless(is_enough, f"{free / 1e9:.1f} GB free at {folder}", remedy)


def check_kernels() -> Findings:
    """Plan a short voyage, as a worker does at its start, and report kernels compiled for it."""
    try:
        sea.open_atlas()
    except DataMissing:
        return  # reported already
    started = time.monotonic()
    warm_up()
    seconds = time.monotonic() - started
    compiled = sum(_kernels_compiled_now())
    if compiled:
        words = f"{compiled} kernels were compiled only now, in {seconds:.0f} s"
        remedy = "Keep NUMBA_CACHE_DIR between starts, writable for the service's account."
        yield warning(words, remedy)
    else:
        yield good(f"all compiled; a short voyage took {seconds:.1f} s")


def _kernels_compiled_now() -> Iterator[int]:
    from numba.core.dispatcher import Dispatcher

    modules = [module for name, module in sys.modules.items() if name.startswith("app.engine.")]
    kernels = {id(k): k for m in modules for k in vars(m).values() if isinstance(k, Dispatcher)}
    for kernel in kernels.values():
        yield sum(kernel.stats.cache_misses.values())


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


PARTS: Final[dict[str, Callable[[], Findings]]] = {
    "settings": check_settings,
    "database": check_database,
    "redis": check_redis,
    "workers": check_workers,
    "atlas": check_atlas,
    "charts": check_charts,
    "weather": check_weather,
    "access": check_access,
    "bucket": check_bucket,
    "disk": check_disk,
    "kernels": check_kernels,
}


def run_checks() -> Iterator[tuple[str, Finding]]:
    """Run all checks in order; yield each finding with its part.

    An exception in a check is reported as a fault.
    """
    for part, check in PARTS.items():
        try:
            for finding in check():
                yield part, finding
        except Exception as error:  # every error must be reported to the operator
            yield part, fault(f"{type(error).__name__}: {error}")
