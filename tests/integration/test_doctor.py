"""`flask doctor` finds faults and reports remedies."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from redis import Redis
from sqlalchemy.engine import make_url

from app import create_app
from app.config import Settings
from app.datasources import checksums
from app.services.sea import sea
from app.services.upkeep import doctor

Look = Callable[..., "dict[str, tuple[str, str]]"]


@pytest.fixture
def look(settings: Settings) -> Look:
    """Looks at one part of an installation with other settings; words by level and remedy."""

    def at(part: str, **changes: object) -> dict[str, tuple[str, str]]:
        app = create_app(replace(settings, **changes))
        with app.app_context():
            found = list(doctor.PARTS[part]())
        app.extensions["chartroom"].close()
        return {finding.words: (str(finding.level), finding.remedy) for finding in found}

    return at


@contextmanager
def database_made(url: str, *, template: str) -> Iterator[str]:
    """Another database on the same server."""
    name = f"chartroom_doctor_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
        yield make_url(url).set(database=name).render_as_string(hide_password=False)
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_a_whole_installation_is_well_and_the_status_says_so(
    settings: Settings, atlas: Path, climatology: Path, redis: Redis
) -> None:
    app = create_app(replace(settings, secret_key="s" * 32, metrics_token="t" * 32))
    result = app.test_cli_runner().invoke(args=["doctor"])
    assert result.exit_code == 0, result.output
    assert "FAULT" not in result.output
    assert result.output.endswith("All is well.\n")
    for words in ("PostGIS 3", "row-level security is forced", "Redis 7", "the climatology"):
        assert words in result.output
    app.extensions["chartroom"].engine.dispose()


def test_a_broken_installation_is_reported_by_the_status(
    settings: Settings, tmp_path: Path
) -> None:
    app = create_app(replace(settings, secret_key=None, atlas_dir=tmp_path / "nothing"))
    result = app.test_cli_runner().invoke(args=["doctor"])
    assert result.exit_code == 1
    assert "SECRET_KEY is not set" in result.output
    assert "to fix" in result.output
    app.extensions["chartroom"].engine.dispose()


def test_a_database_that_is_away_is_reported_without_its_password(look: Look) -> None:
    found = look("database", database_url="postgresql://owner:hidden@127.0.0.1:1/none")
    ((words, (level, remedy)),) = found.items()
    assert (level, remedy) == ("FAULT", "Start it, or correct DATABASE_URL.")
    assert "hidden" not in words


def test_a_database_without_tables_is_to_be_migrated(look: Look, database_url: str) -> None:
    with database_made(database_url, template="template1") as url:
        level, remedy = look("database", database_url=url)["there are no tables yet"]
    assert level == "FAULT"
    assert "migrate" in remedy


def test_a_database_without_postgis_is_reported(look: Look, database_url: str) -> None:
    with database_made(database_url, template="template0") as url:
        level, remedy = look("database", database_url=url)["PostGIS is not installed"]
    assert level == "FAULT"
    assert "CREATE EXTENSION postgis" in remedy


def test_tables_of_an_older_program_are_shown_by_their_migrations(
    look: Look, database_url: str
) -> None:
    with psycopg.connect(database_url, autocommit=True) as database:
        row = database.execute("SELECT version_num FROM alembic_version").fetchone()
        database.execute("UPDATE alembic_version SET version_num = '0001'")
        try:
            found = look("database")
        finally:
            database.execute("UPDATE alembic_version SET version_num = %s", row)
    assert found[f"tables are at migration 0001, this program needs {row[0]}"][0] == "FAULT"


def test_a_wall_that_was_taken_down_is_reported(look: Look, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute("ALTER TABLE vessel NO FORCE ROW LEVEL SECURITY")
        try:
            found = look("database")
        finally:
            database.execute("ALTER TABLE vessel FORCE ROW LEVEL SECURITY")
    assert found["row-level security is off on vessel"][0] == "FAULT"
    assert "row-level security is forced on every table" in look("database")


def test_a_queue_that_is_away_is_reported(look: Look) -> None:
    found = look("redis", redis_url="redis://127.0.0.1:1/0")
    ((words, (level, remedy)),) = found.items()
    assert words.startswith("does not answer")
    assert (level, remedy) == ("FAULT", "Start it, or correct REDIS_URL.")


def test_a_queue_that_keeps_nothing_or_drops_jobs_is_a_warning(look: Look, redis: Redis) -> None:
    redis.config_set("maxmemory-policy", "allkeys-lru")
    try:
        found = look("redis")
    finally:
        redis.config_set("maxmemory-policy", "noeviction")
    levels = {words: level for words, (level, _) in found.items()}
    assert levels["may drop jobs when it is full (maxmemory-policy allkeys-lru)"] == "warning"
    assert (
        levels["does not persist jobs: after its restart chartings wait for the sweeper"]
        == "warning"
    )


def test_a_missing_atlas_is_reported(look: Look, tmp_path: Path) -> None:
    ((words, (level, remedy)),) = look("atlas", atlas_dir=tmp_path).items()
    assert level == "FAULT"
    assert str(tmp_path) in words
    assert "make run" in remedy


def test_an_atlas_with_a_byte_changed_is_reported_by_the_file(
    look: Look, atlas: Path, tmp_path: Path
) -> None:
    small = ("manifest.json", "gates.npy")
    for path in atlas.iterdir():
        if path.name in small:
            (tmp_path / path.name).write_bytes(path.read_bytes())
        elif path.name != checksums.NAME:
            (tmp_path / path.name).symlink_to(path.resolve())
    (tmp_path / checksums.NAME).write_text(checksums.list_checksums(tmp_path, small))
    assert [level for level, _ in look("atlas", atlas_dir=tmp_path).values()] == ["good"]
    gates = tmp_path / "gates.npy"
    gates.write_bytes(gates.read_bytes()[:-1] + b"\xff")
    sea._open.cache_clear()
    ((words, (level, _)),) = look("atlas", atlas_dir=tmp_path).items()
    assert words.endswith("damaged: gates.npy")
    assert level == "FAULT"


def test_a_chart_that_cannot_be_read_is_reported_by_its_file(look: Look, tmp_path: Path) -> None:
    assert look("charts", charts_dir=tmp_path / "none") == {
        f"0 in {tmp_path / 'none'}": ("good", "")
    }
    (tmp_path / "US5TEST.json").write_text("{}")
    ((words, (level, remedy)),) = look("charts", charts_dir=tmp_path).items()
    assert (level, words) == ("FAULT", "cannot be read: US5TEST.json: KeyError: 'shallows'")
    assert "import the chart again" in remedy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read what others may not")
def test_what_root_alone_can_read_is_reported(look: Look, tmp_path: Path) -> None:
    stores = {"weather_dir": tmp_path / "weather", "charts_dir": tmp_path / "charts"}
    for folder in stores.values():
        folder.mkdir()
        os.chown(folder, 54321, 54322)
    chart = tmp_path / "charts" / "US5TEST.json"
    chart.write_text("{}")
    assert look("access", **stores) == {}
    chart.chmod(0o600)
    ((words, (level, remedy)),) = look("access", **stores).items()
    assert (level, words) == ("FAULT", f"the service's account cannot read {chart}, one of 1")
    assert remedy == f"chown --recursive --reference={tmp_path}/weather {tmp_path}/charts"
    os.chown(chart, 54321, 54322)
    assert look("access", **stores) == {}


def test_weather_that_is_missing_or_old_is_reported(
    look: Look, climatology: Path, database_url: str, tmp_path: Path
) -> None:
    levels = {words: level for words, (level, _) in look("weather", weather_dir=tmp_path).items()}
    assert levels[f"there is no climatology in {tmp_path}/climatology"] == "FAULT"
    assert (
        levels["there is no global forecast: voyages are planned in the climatology"] == "warning"
    )
    reference = datetime.now(UTC) - timedelta(hours=50)
    until = datetime.now(UTC) + timedelta(hours=50)
    with psycopg.connect(database_url) as database:
        database.execute(
            "INSERT INTO weather_run (name, source, reference_time, valid_from, valid_to, groups,"
            " notes, size_bytes) VALUES ('old', 'file', %s, %s, %s, '{wind}', '{}', 0)",
            [reference, reference, until],
        )
    assert look("weather")["the newest forecast is 50 h old"][0] == "warning"


def test_room_on_the_disk_is_reported_for_a_store_that_is_not_made_yet(
    look: Look, tmp_path: Path
) -> None:
    ((words, _),) = look("disk", weather_dir=tmp_path / "not" / "yet").items()
    assert words.endswith(f"GB free at {tmp_path}")


def test_every_check_runs_though_one_raises(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down() -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(doctor, "PARTS", {"one": break_down, "other": doctor.PARTS["disk"]})
    with app.app_context():
        found = list(doctor.run_checks())
    (first, fault), (second, _) = found
    assert (first, fault.words) == ("one", "RuntimeError: no such thing")
    assert second == "other"
