"""Backup and restore into an empty cluster: rows, roles and row-level security."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import database_copy
import psycopg
import pytest
from flask import Flask
from local_services import LocalServices
from redis import Redis
from sqlalchemy import text

from app import create_app
from app.config import Settings
from app.models import EventKind, Role
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of, make_organization, migrate
from tests.integration.test_event_stream import commit
from tests.integration.test_event_stream import read as read_stream

SCRIPT = Path(__file__).parents[3] / "scripts" / "backup.py"
RECORD = {
    "timestamp": "2026-11-01T12:00:00Z", "latitude": 50.0, "longitude": -10.0, "speed": 12.5,
    "heading": 240, "rpm": 80, "fuelConsumption": 28.4, "draft": 12.0, "engineLoad": 65,
}  # fmt: skip


@pytest.fixture
def empty_cluster() -> Iterator[str]:
    """A cluster that nothing was ever in."""
    directory = Path(tempfile.mkdtemp(prefix="restore-"))
    directory.chmod(0o711)
    cluster = LocalServices(directory, throwaway=True, names=["postgres"])
    cluster.start(tied=True)
    yield cluster.environment()["DATABASE_URL"]
    cluster.remove()
    shutil.rmtree(directory)


def call(action: str, file: Path, url: str, weather: Path) -> "subprocess.CompletedProcess[str]":
    folders = {"WEATHER_DIR": str(weather), "CHARTS_DIR": str(weather / "charts")}
    environment = os.environ | folders | {"DATABASE_URL": url}
    line = [sys.executable, str(SCRIPT), action, str(file)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


def fingerprint(url: str) -> database_copy.Fingerprint:
    with database_copy.as_reader(url) as connection:
        return database_copy.take_fingerprint(connection)


@pytest.fixture
def busy(app: Flask, plan: Callable[[str], None], redis: Redis) -> tuple[ApiClient, str, UUID]:
    """An organization with a planned route, telemetry and a constraint."""
    organization_id = make_organization(app, "backed up")
    admin = client_of(app, organization_id, Role.ADMIN)
    charting_id = admin.order()["id"]
    plan(charting_id)
    vessel_id = admin.get("/vessel").get_json()["items"][0]["id"]
    assert admin.post(f"/telemetry/{vessel_id}", RECORD).status_code == 201
    return admin, charting_id, organization_id


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas")
def test_what_was_saved_comes_back_onto_an_empty_cluster(
    settings: Settings, busy: tuple[ApiClient, str, UUID], empty_cluster: str, tmp_path: Path
) -> None:
    admin, charting_id, organization_id = busy
    old_weather, new_weather = tmp_path / "old", tmp_path / "new"
    (old_weather / "runs" / "gfs-1").mkdir(parents=True)
    (old_weather / "runs" / "gfs-1" / "wind.npy").write_bytes(b"wind")
    (old_weather / "runs" / ".making-2").mkdir()
    (old_weather / "charts").mkdir()
    (old_weather / "charts" / "US5NYC.json").write_text("{}")
    file = tmp_path / "backup.tar"

    saved = call("save", file, settings.database_url, old_weather)
    assert saved.returncode == 0, saved.stderr
    assert file.stat().st_mode & 0o077 == 0, "a backup is for its owner's eyes alone"
    restored = call("restore", file, empty_cluster, new_weather)
    assert restored.returncode == 0, restored.stderr

    before, after = fingerprint(settings.database_url), fingerprint(empty_cluster)
    before["sequences"]["event_epoch"] += 1
    assert before == after
    for table in ("organization", "charting_revision", "event", "telemetry_2026_11"):
        assert after["tables"][table]["rows"] > 0, table
    assert (new_weather / "runs" / "gfs-1" / "wind.npy").read_bytes() == b"wind"
    assert [path.name for path in (new_weather / "runs").iterdir()] == ["gfs-1"]
    assert (new_weather / "charts" / "US5NYC.json").read_text() == "{}"

    new_home = create_app(replace(settings, database_url=empty_cluster))
    same_key = ApiClient(new_home.test_client(), admin.key)
    path = f"/charting/{charting_id}/csv"
    assert same_key.get(path).data == admin.get(path).data
    stranger = client_of(new_home, make_organization(new_home, "stranger"), Role.ADMIN)
    assert stranger.get(path).status_code == 404
    with new_home.app_context(), organization_session(organization_id) as session:
        role, seen = session.execute(
            text("SELECT current_user, count(DISTINCT organization_id) FROM charting")
        ).one()
    assert (role, seen) == ("chartroom_web", 1)
    new_home.extensions["chartroom"].close()


@pytest.mark.usefixtures("redis", "context")
def test_event_streams_continue_where_they_were_after_a_restore(
    settings: Settings,
    app: Flask,
    empty_cluster: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.api.event_stream.LONGEST_WAIT_S", 0)
    organization_id = make_organization(app, "streamed")
    admin = client_of(app, organization_id, Role.ADMIN)
    first_id, _ = read_stream(admin)
    with psycopg.connect(settings.database_url, autocommit=True) as connection:
        for _ in range(3000):  # more transactions than an empty cluster has seen
            connection.execute("SELECT pg_current_xact_id()")
    commit(organization_id, EventKind.VOYAGE_STARTED)
    file = tmp_path / "backup.tar"
    assert call("save", file, settings.database_url, tmp_path / "none").returncode == 0
    last_id, _ = read_stream(admin, first_id)
    commit(organization_id, EventKind.VOYAGE_FINISHED)  # not in the backup
    lost_id, _ = read_stream(admin, last_id)
    restored = call("restore", file, empty_cluster, tmp_path / "none")
    assert restored.returncode == 0, restored.stderr

    new_home = create_app(replace(settings, database_url=empty_cluster))
    same_key = ApiClient(new_home.test_client(), admin.key)
    with new_home.app_context():
        commit(organization_id, EventKind.VOYAGE_ABANDONED)
    for position, expected in (
        (first_id, ["voyage.started", "voyage.abandoned"]),
        (last_id, ["voyage.abandoned"]),
        (lost_id, ["voyage.abandoned"]),
    ):
        newest_id, events = read_stream(same_key, position)
        assert [event["event"] for event in events] == expected
        assert read_stream(same_key, newest_id) == (newest_id, [])
    new_home.extensions["chartroom"].close()


def test_a_database_that_holds_something_is_never_written_to(
    database_url: str, app: Flask, tmp_path: Path
) -> None:
    file = tmp_path / "backup.tar"
    assert call("save", file, database_url, tmp_path / "none").returncode == 0
    before = fingerprint(database_url)
    refused = call("restore", file, database_url, tmp_path / "none")
    assert refused.returncode == 1
    assert "the database is not empty" in refused.stderr
    assert fingerprint(database_url) == before


@pytest.mark.parametrize("members", [None, (), ("manifest.txt",)])
def test_a_file_that_is_no_whole_backup_is_refused_in_words(
    database_url: str, tmp_path: Path, members: tuple[str, ...] | None
) -> None:
    file = tmp_path / "backup.tar"
    if members is None:
        file.write_text("no archive")
    else:
        with tarfile.open(file, "w") as archive:
            for name in members:
                archive.addfile(tarfile.TarInfo(name))
    refused = call("restore", file, database_url, tmp_path / "none")
    assert refused.returncode == 1
    assert f"{file} is no whole backup" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_row_that_did_not_come_back_is_named(
    database_url: str, empty_cluster: str, app: Flask, tmp_path: Path
) -> None:
    make_organization(app, "falsified")
    file, forged = tmp_path / "backup.tar", tmp_path / "forged.tar"
    assert call("save", file, database_url, tmp_path / "none").returncode == 0
    (tmp_path / "open").mkdir()
    with tarfile.open(file) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member)
            assert content
            (tmp_path / "open" / member.name).write_bytes(content.read())
    manifest = json.loads((tmp_path / "open" / "manifest.json").read_text())
    manifest["fingerprint"]["tables"]["organization"]["rows"] += 1
    (tmp_path / "open" / "manifest.json").write_text(json.dumps(manifest))
    with tarfile.open(forged, "w") as archive:
        for path in sorted((tmp_path / "open").iterdir()):
            archive.add(path, path.name)
    told = call("restore", forged, empty_cluster, tmp_path / "none")
    assert told.returncode == 1
    assert "not everything was restored:\n  tables: organization" in told.stderr


def test_the_role_that_reads_for_backups_can_do_nothing_else(database_url: str, app: Flask) -> None:
    make_organization(app, "only read")
    with psycopg.connect(database_url) as connection:
        connection.execute(f"SET ROLE {database_copy.READER}")
        assert connection.execute("SELECT count(*) FROM organization").fetchone()[0] > 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE organization SET name = 'other'")


def test_a_table_added_since_is_read_by_the_next_backup(database_url: str, tmp_path: Path) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("CREATE TABLE later (id int)")
        connection.execute("ALTER TABLE later ENABLE ROW LEVEL SECURITY")
        connection.execute("ALTER TABLE later FORCE ROW LEVEL SECURITY")
        connection.execute("CREATE POLICY all_may_write ON later FOR INSERT WITH CHECK (true)")
        connection.execute("INSERT INTO later VALUES (1), (2)")
    migrate(database_url)
    try:
        saved = database_copy.save(database_url, tmp_path / "dump")
        assert saved["tables"]["later"]["rows"] == 2
    finally:
        with psycopg.connect(database_url) as connection:
            connection.execute("DROP TABLE later")
