import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest
import redis
from local_processes import ProcessMark, read_record
from local_services import LocalServices
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.services
SCRIPT = Path(__file__).parents[3] / "scripts" / "local_services.py"
SHOW = [
    sys.executable,
    "-c",
    "import os; print(os.environ['DATABASE_URL'], os.environ['REDIS_URL'])",
]
WAIT = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]


@pytest.fixture(scope="module")
def made_directory():
    """A directory whose cluster is made once for all tests of this module.

    Not one of pytest's own, whose parent any other run of pytest closes to the
    servers' accounts.
    """
    directory = Path(tempfile.mkdtemp(prefix="services-"))
    directory.chmod(0o711)
    yield directory
    LocalServices(directory).remove()
    shutil.rmtree(directory)


@pytest.fixture
def directory(made_directory):
    yield made_directory
    LocalServices(made_directory).stop()


def call(action, directory, *command, **options):
    flags = ["--throwaway"] if action in ("run", "start") else []
    separator = ["--"] if command else []
    line = [sys.executable, SCRIPT, action, "--dir", directory, *flags, *separator, *command]
    return subprocess.run(line, capture_output=True, text=True, check=False, **options)


def begin(directory):
    line = [sys.executable, SCRIPT, "run", "--dir", directory, "--throwaway", "--", *WAIT]
    master = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert master.stdout.readline() == "up\n", master.stderr.read()
    return master


def finish(master):
    output = master.communicate(timeout=PATIENCE_S)
    return master.returncode, *output


def server_marks(directory):
    record = read_record(directory / "services.json")
    return [ProcessMark.from_record(record[name]["process"]) for name in ("postgres", "redis")]


def test_a_command_gets_both_addresses_and_its_status_is_handed_on(directory):
    shown = call("run", directory, *SHOW)
    assert shown.returncode == 0
    database, queue = shown.stdout.split()
    assert database.startswith("postgresql://chartroom:")
    assert queue.startswith("redis://default:")
    assert call("run", directory, "sh", "-c", "exit 7").returncode == 7
    assert not any(mark.is_alive for mark in server_marks(directory))


def test_the_database_has_postgis_and_its_owner_is_no_superuser(directory):
    started = LocalServices(directory, throwaway=True)
    started.start(tied=True)
    with psycopg.connect(started.environment()["DATABASE_URL"], autocommit=True) as connection:
        within = "SELECT ST_Contains(ST_MakeEnvelope(0, 50, 2, 52, 4326), ST_Point(1, 51, 4326))"
        assert connection.execute(within).fetchone() == (True,)
        rights = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        assert connection.execute(rights).fetchone() == (False, False)


def test_a_database_made_by_the_owner_has_postgis_too(directory):
    started = LocalServices(directory, throwaway=True)
    started.start(tied=True)
    url = started.environment()["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS second")
        connection.execute("CREATE DATABASE second")
    with psycopg.connect(url.rpartition("/")[0] + "/second") as connection:
        assert connection.execute("SELECT postgis_lib_version() >= '3'").fetchone() == (True,)


def test_connections_need_the_password_and_a_local_address(directory):
    started = LocalServices(directory, throwaway=True)
    started.start(tied=True)
    ports = [started.record[name]["port"] for name in ("postgres", "redis")]
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host="127.0.0.1", port=ports[0], user="postgres", dbname="postgres")
    stranger = redis.Redis(port=ports[1], retry=Retry(NoBackoff(), 0))
    with pytest.raises(redis.AuthenticationError):
        stranger.ping()
    stranger.close()
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=1)
    assert stat.S_IMODE((directory / "services.json").stat().st_mode) == 0o600


def test_servers_run_as_unprivileged_accounts(directory):
    started = LocalServices(directory, throwaway=True)
    started.start(tied=True)
    owners = [Path(f"/proc/{mark.pid}").stat().st_uid for mark in server_marks(directory)]
    assert 0 not in owners


def test_initialised_servers_are_not_created_again(directory):
    call("run", directory, "true")
    cluster = min(directory.rglob("PG_VERSION"), key=lambda path: len(path.parts))
    made_at = cluster.stat().st_ctime_ns
    assert call("run", directory, "true").returncode == 0
    assert cluster.stat().st_ctime_ns == made_at


def test_servers_that_were_started_to_stay_are_used_and_left_running(directory):
    exports = call("start", directory).stdout.splitlines()
    assert [line.split("=")[0] for line in exports] == ["export DATABASE_URL", "export REDIS_URL"]
    before = server_marks(directory)
    assert call("run", directory, "true").returncode == 0
    assert server_marks(directory) == before
    assert call("status", directory).returncode == 0
    call("stop", directory)
    assert call("status", directory).returncode == 3
    assert not any(mark.is_alive for mark in before)


def test_a_second_master_is_refused_and_warned_of_the_first(directory):
    master = begin(directory)
    second = call("run", directory, "true")
    assert second.returncode == 1
    assert f"is in use by process {master.pid}" in second.stderr
    assert all(mark.is_alive for mark in server_marks(directory))
    master.terminate()
    finish(master)


@pytest.mark.parametrize("action", ["stop", "remove"])
def test_servers_in_use_are_neither_stopped_nor_removed(directory, action):
    master = begin(directory)
    refused = call(action, directory)
    assert refused.returncode == 1
    assert f"is in use by process {master.pid}" in refused.stderr
    assert all(mark.is_alive for mark in server_marks(directory))
    master.terminate()
    finish(master)


def test_sigterm_reaches_the_command_and_then_stops_the_servers(directory):
    master = begin(directory)
    master.terminate()
    assert finish(master)[0] == 128 + signal.SIGTERM
    assert not any(mark.is_alive for mark in server_marks(directory))


def test_a_killed_master_takes_its_servers_along_and_the_next_start_is_clean(directory):
    master = begin(directory)
    marks = server_marks(directory)
    master.kill()
    finish(master)
    assert call("run", directory, "true").returncode == 0
    assert not any(mark.is_alive for mark in marks)


def test_killed_servers_are_recovered_from(directory):
    call("start", directory)
    for mark in server_marks(directory):
        os.kill(mark.pid, signal.SIGKILL)
    assert call("run", directory, "true").returncode == 0


def test_a_lock_file_that_names_an_unrelated_process_is_removed(directory):
    call("run", directory, "true")
    lock = directory / "postgres" / "data" / "postmaster.pid"
    with subprocess.Popen(["sleep", "60"]) as bystander:
        lock.write_text(f"{bystander.pid}\n{lock.parent}\n1\n5432\n\n127.0.0.1\n")
        assert call("run", directory, "true").returncode == 0
        assert bystander.poll() is None
        bystander.kill()


def test_a_port_taken_since_is_left_to_its_taker(directory):
    call("run", directory, "true")
    ports = [read_record(directory / "services.json")[n]["port"] for n in ("postgres", "redis")]
    takers = [socket.create_server(("127.0.0.1", port)) for port in ports]
    database, queue = call("run", directory, *SHOW).stdout.split()
    assert f":{ports[0]}/" not in database
    assert f":{ports[1]}/" not in queue
    for taker in takers:
        taker.close()


def test_an_incomplete_cluster_is_created_again(directory):
    call("run", directory, "true")
    unfinished = directory / "postgres" / "unfinished"
    unfinished.touch()
    shutil.chown(unfinished, unfinished.parent.owner())
    (directory / "services.json").unlink()
    assert call("run", directory, "true").returncode == 0
    assert not unfinished.exists()


def test_lost_passwords_are_replaced_and_the_data_stays(directory):
    url = call("run", directory, *SHOW).stdout.split()[0]
    started = LocalServices(directory, throwaway=True)
    started.start(tied=True)
    with psycopg.connect(started.environment()["DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept ()")
    started.stop()
    (directory / "services.json").unlink()
    started.start(tied=True)
    renewed = started.environment()["DATABASE_URL"]
    assert renewed.split("@")[0] != url.split("@")[0]
    with psycopg.connect(renewed) as connection:
        connection.execute("SELECT FROM kept")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands its servers to other accounts")
def test_behind_a_closed_door_the_data_lives_elsewhere_and_that_is_said(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    directory = closed / "var"
    first = call("run", directory, "true")
    assert first.returncode == 0
    assert "data goes to /var/lib/chartroom/" in first.stderr
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    call("remove", directory)
    elsewhere = Path(first.stderr.split("data goes to ")[1].split()[0])
    assert not list(elsewhere.glob("postgres*"))
    shutil.rmtree(elsewhere)


def test_a_server_that_was_killed_is_started_again_where_it_was(directory):
    services = LocalServices(directory, throwaway=True)
    with services.held():
        services.start(tied=True)
        addresses = services.environment()
        assert services.tend() == []
        os.kill(server_marks(directory)[1].pid, signal.SIGKILL)
        server_marks(directory)[1].wait(PATIENCE_S)
        assert services.tend() == ["redis"]
        assert services.environment() == addresses
        with redis.Redis.from_url(addresses["REDIS_URL"]) as connection:
            assert connection.ping()
        assert services.tend() == []
