"""Real PostGIS and Redis, named by ``DATABASE_URL`` and ``REDIS_URL``.

Each process that runs tests works in a database of its own, which is dropped at the end;
nothing in the named database is touched. The migrations make the first one of a run from
nothing; where several processes share the tests, the others copy it, and each has a numbered
database of that Redis.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from argon2 import PasswordHasher
from argon2.profiles import CHEAPEST
from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from psycopg.errors import InsufficientPrivilege
from redis import Redis
from sqlalchemy.engine import make_url

from app import create_app
from app.config import Settings
from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.models import Role
from app.services.chartings import charting_runs
from app.services.identity import keys, organizations, users
from app.services.platform.sessions import operator_session
from app.services.vessels import calibration_runs
from app.services.weather import weather
from tests.integration.browser import Browser, signed_in
from tests.integration.client import ApiClient
from tests.integration.plans import each_plan_made_once
from tests.integration.voyages import HOUR, Voyage
from tests.unit.engine.weather.seas import uniform_climatology
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]

#: Whether a table has held a row since it was last emptied: one that is emptied together with
#: those of plannings and of fits. To empty them all again would cost more than most tests.
_IS_FILLED = """
    WITH RECURSIVE emptied AS (
        SELECT oid FROM pg_class WHERE oid IN ('charting'::regclass, 'vessel_calibration'::regclass)
        UNION
        SELECT conrelid FROM pg_constraint JOIN emptied ON confrelid = emptied.oid
    )
    SELECT sum(pg_relation_size(oid)) > 0 FROM emptied
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/integration/"):
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session", autouse=True)
def hashing() -> Iterator[None]:
    """Passwords are hashed as cheaply as can be: what makes guessing slow makes tests slow."""
    cheap = PasswordHasher.from_parameters(CHEAPEST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(users, "_hasher", cheap)
        patch.setattr(users, "_NOBODY", cheap.hash(os.urandom(32)))
        yield


@pytest.fixture(scope="session")
def services(worker_id: str) -> Iterator[tuple[str, str]]:
    """The two servers' addresses; without them these tests fail and say what to do."""
    missing = [name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)]
    if missing:
        pytest.fail(
            f"{' and '.join(missing)} not set: run these tests with `make test`, or through"
            " `scripts/local_services.py run --dir DIR -- pytest …`",
            pytrace=False,
        )
    redis_url = os.environ["REDIS_URL"]
    if worker_id != "master":
        number = worker_id.removeprefix("gw")
        redis_url = make_url(redis_url).set(database=number).render_as_string(hide_password=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDIS_URL", redis_url)
        yield os.environ["DATABASE_URL"], redis_url


@pytest.fixture(scope="session")
def database_url(services: tuple[str, str], testrun_uid: str) -> Iterator[str]:
    """A fresh database: the first process of a run migrates one, and the others copy it."""
    name, migrated = f"chartroom_test_{os.getpid()}", f"chartroom_migrated_{testrun_uid}"
    with psycopg.connect(services[0], autocommit=True) as server:
        with one_at_a_time(server):
            is_first = not exists(server, migrated)
            create_database(server, name, "template1" if is_first else migrated)
            url = address_of(services[0], name)
            if is_first:
                migrate(url)
                create_database(server, migrated, name)
        yield url
        drop_database(server, name)
        with one_at_a_time(server):
            drop_database(server, migrated)


@contextmanager
def new_database(server_url: str, name: str, revision: str) -> Iterator[str]:
    """Make a database from nothing by the migrations up to a revision; drop it at the end."""
    with psycopg.connect(server_url, autocommit=True) as server:
        create_database(server, name)
        url = address_of(server_url, name)
        with one_at_a_time(server):
            migrate(url, revision)
        yield url
        drop_database(server, name)


def address_of(server_url: str, database: str) -> str:
    return make_url(server_url).set(database=database).render_as_string(hide_password=False)


def exists(server: psycopg.Connection, database: str) -> bool:
    query = "SELECT FROM pg_database WHERE datname = %s"
    return server.execute(query, [database]).fetchone() is not None


def create_database(server: psycopg.Connection, name: str, template: str = "template1") -> None:
    """Create a database as a copy of another, to which nobody may be connected."""
    drop_database(server, name)
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    server.execute(create.format(sql.Identifier(name), sql.Identifier(template)))


def drop_database(server: psycopg.Connection, name: str) -> None:
    wait_until(partial(_drop, server, name), f"end of {name}")


def _drop(server: psycopg.Connection, name: str) -> bool:
    """Drop a database; false while autovacuum, which only a superuser may end, is at work in it."""
    try:
        server.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )
    except InsufficientPrivilege:
        return False
    return True


@contextmanager
def one_at_a_time(server: psycopg.Connection) -> Iterator[None]:
    """Wait for other processes' tests: migrations make roles, which databases share."""
    server.execute("SELECT pg_advisory_lock(1)")
    yield
    server.execute("SELECT pg_advisory_unlock(1)")


def migrate(url: str, revision: str = "head") -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", url)
        command.upgrade(Config(ROOT / "alembic.ini"), revision)


@pytest.fixture(scope="session")
def settings(
    database_url: str, services: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    return make_settings(database_url, services[1], tmp_path_factory.mktemp("weather"))


def make_settings(database_url: str, redis_url: str, weather_dir: Path) -> Settings:
    return Settings(
        database_url=database_url,
        redis_url=redis_url,
        atlas_dir=Path(os.environ.get("ATLAS_DIR", ROOT / "var" / "atlas")),
        weather_dir=weather_dir,
        secret_key="for tests alone, 32 characters or more",
    )


@pytest.fixture(scope="session")
def atlas(settings: Settings) -> Path:
    """The built sea atlas; without it these tests fail and say what to do."""
    if not settings.atlas_dir.is_dir():
        pytest.fail(f"no sea atlas in {settings.atlas_dir}: `make test` builds it", pytrace=False)
    return settings.atlas_dir


@pytest.fixture(scope="session")
def worker_app(settings: Settings) -> Iterator[Flask]:
    """The application as a worker has it, for tests that plan in their own process."""
    with running_app(replace(settings, process_role="worker")) as app:
        yield app


@pytest.fixture
def plan(atlas: Path, worker_app: Flask) -> Callable[[str, int], None]:
    """Plans a revision here and now, as a worker would."""

    def run(charting_id: str, revision: int = 1) -> None:
        with worker_app.app_context(), each_plan_made_once():
            charting_runs.run(UUID(charting_id), revision)

    return run


@pytest.fixture
def charting_id(planner: ApiClient, plan: Callable[[str, int], None]) -> str:
    """A planned charting's id."""
    ordered: str = planner.order()["id"]
    plan(ordered, 1)
    return ordered


@pytest.fixture
def calibrate(
    planner: ApiClient, worker_app: Flask, organization_id: UUID
) -> Callable[[str], dict[str, Any]]:
    """Calibrates a vessel here and now, as a worker would; answers the version."""

    def run(vessel_id: str) -> dict[str, Any]:
        queued = planner.post(f"/vessel/{vessel_id}/calibrations")
        assert queued.status_code == 202, queued.text
        with worker_app.app_context():
            calibration_runs.run(organization_id, UUID(queued.get_json()["id"]))
        fitted: dict[str, Any] = planner.get(queued.headers["Location"].removeprefix("/v1")).json
        return fitted

    return run


@pytest.fixture(scope="session")
def app(settings: Settings) -> Iterator[Flask]:
    with running_app(settings) as app:
        yield app


@contextmanager
def running_app(settings: Settings) -> Iterator[Flask]:
    """An application, whose connections are closed at the end."""
    app = create_app(settings)
    yield app
    app.extensions["chartroom"].close()


@pytest.fixture
def context(app: Flask) -> Iterator[Flask]:
    """An application context, for tests that call services."""
    with app.app_context():
        yield app


@pytest.fixture
def now() -> datetime:
    """The time at which a test begins, in whole minutes: voyages of one minute share a plan."""
    return datetime.now(UTC).replace(second=0, microsecond=0)


@pytest.fixture
def voyage(
    planner: ApiClient, plan: Callable[[str, int], None], worker_app: Flask, now: datetime
) -> Voyage:
    """A planned voyage that was to depart six hours ago."""
    return Voyage(planner, plan, worker_app, now - 6 * HOUR)


@pytest.fixture
def nothing_waits(database_url: str) -> None:
    """No planning and no fit of another test is queued or under way."""
    with psycopg.connect(database_url) as database:
        if database.execute(_IS_FILLED).fetchone() == (True,):
            database.execute("TRUNCATE charting, vessel_calibration CASCADE")


@pytest.fixture
def redis(services: tuple[str, str], nothing_waits: None) -> Iterator[Redis]:
    """Redis, emptied, and nothing that waits: workers find only this test's own."""
    connection = Redis.from_url(services[1])
    connection.flushdb()
    yield connection
    connection.close()


@pytest.fixture
def climatology(settings: Settings, database_url: str) -> Iterator[Path]:
    """A climatology of uniform westerlies, and an empty catalogue."""
    folder = settings.weather_dir / "climatology"
    with RunWriter(settings.weather_dir, cyclic=True) as writer:
        layers = uniform_climatology().layers
        axes = {group: LayerAxes(each.grid, each.times_h) for group, each in layers.items()}
        for group, room in writer.add_layers(axes).items():
            room[:] = layers[group].source.reshape(room.shape)
        writer.finish("climatology", None, folder_name=folder.name)
    weather._open_climatology.cache_clear()
    yield folder
    shutil.rmtree(settings.weather_dir / "runs", ignore_errors=True)
    # a test may interrupt a fetch
    shutil.rmtree(settings.weather_dir / "downloads", ignore_errors=True)
    shutil.rmtree(folder)
    weather._open_climatology.cache_clear()
    with psycopg.connect(database_url) as database:
        database.execute("DELETE FROM weather_run")


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    """A client without a key."""
    return app.test_client()


@pytest.fixture
def browser(app: Flask, organization_id: UUID) -> Browser:
    """A planner who has signed in."""
    return signed_in(app, organization_id)


@pytest.fixture
def admin_browser(app: Flask, organization_id: UUID) -> Browser:
    """An admin who has signed in."""
    return signed_in(app, organization_id, Role.ADMIN)


@pytest.fixture
def organization_id(app: Flask, request: pytest.FixtureRequest) -> UUID:
    """A new organization."""
    return make_organization(app, request.node.name)


@pytest.fixture
def other_organization_id(app: Flask, request: pytest.FixtureRequest) -> UUID:
    """Another new organization."""
    return make_organization(app, f"other of {request.node.name}")


@pytest.fixture
def planner(app: Flask, organization_id: UUID) -> ApiClient:
    """A client with a planner's key."""
    return client_of(app, organization_id, Role.PLANNER)


@pytest.fixture
def viewer(app: Flask, organization_id: UUID) -> ApiClient:
    """A client with a viewer's key."""
    return client_of(app, organization_id, Role.VIEWER)


@pytest.fixture
def admin(app: Flask, organization_id: UUID) -> ApiClient:
    """A client with an admin's key."""
    return client_of(app, organization_id, Role.ADMIN)


@pytest.fixture
def stranger(app: Flask, other_organization_id: UUID) -> ApiClient:
    """A client of another organization, with every right there."""
    return client_of(app, other_organization_id, Role.ADMIN)


def make_organization(app: Flask, name: str) -> UUID:
    with app.app_context():
        return organizations.create(f"{name} {os.urandom(4).hex()}")


def client_of(app: Flask, organization_id: UUID, role: Role) -> ApiClient:
    with app.app_context(), operator_session(organization_id) as session:
        issued = keys.issue(session, organization_id, role, kind="test")
    return ApiClient(app.test_client(), issued.secret)
