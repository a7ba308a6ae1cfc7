"""Web and workers as `make run` starts them; called by root, as an unprivileged account."""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import process_account
import pytest
import redis
import run
from local_processes import can_reach, free_port, service_account
from supervisor import MARK_VARIABLE

from tests.waiting import wait_until

pytestmark = [pytest.mark.services, pytest.mark.atlas, pytest.mark.timeout(900)]


@pytest.fixture
def state():
    """A state folder that the account can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="processes-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def python(state, monkeypatch):
    """A Python with the installed packages that the account can run."""
    python = Path(sys.executable)
    if not can_reach(service_account(process_account.NAME), python.resolve().parent):
        python = make_virtual_environment(state / "venv")
    monkeypatch.setattr(run, "PYTHON", python)
    monkeypatch.setattr(process_account, "PYTHON", python)


def make_virtual_environment(folder):
    """Make one with the distribution's Python, and the packages of the running one."""
    distribution = Path("/usr/bin") / f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not distribution.exists():
        pytest.skip(f"no {distribution}, and the account cannot run {sys.executable}")
    subprocess.run([distribution, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/*/site-packages")
    (packages / "installed.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


@pytest.fixture
def settings(state, monkeypatch):
    monkeypatch.setattr(process_account, "WRITTEN", (state / "weather",))
    monkeypatch.setenv("WEATHER_SOURCE", "none")
    return run.Settings(free_port(), "127.0.0.1", 1, state, external={})


def start(settings, services, *, has_workers):
    environment = run.service_environment(settings, services.environment())
    environment |= {"WEATHER_DIR": str(settings.state / "weather"), "NUMBA_NUM_THREADS": "1"}
    logins = run.database_logins(settings, environment["DATABASE_URL"])
    run.flask(environment | logins, "migrate")
    supervisor = run.unprivileged_supervisor(settings, environment)
    try:
        supervisor.start(run.web_server(settings, logins["WEB_DATABASE_URL"]))
        run.wait_until_ready(settings, supervisor)
        if has_workers:
            start_workers(settings, supervisor, logins["WORKER_DATABASE_URL"], environment)
    except BaseException:
        supervisor.stop()
        raise
    return supervisor


def start_workers(settings, supervisor, login, environment):
    supervisor.start(*run.workers(settings, login), run.webhook_worker(settings, login))
    with redis.Redis.from_url(environment["REDIS_URL"]) as queues:
        wait_until(lambda: queues.scard("rq:workers") == 2, "worker of each kind")


def user_ids(supervisor):
    """Return the real, effective, saved and file-system user IDs of all processes, by pid."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            status = (folder / "status").read_text()
        except OSError:
            continue
        if f"{MARK_VARIABLE}={supervisor.mark}:".encode() in environment:
            (line,) = [line for line in status.splitlines() if line.startswith("Uid:")]
            found[int(folder.name)] = {int(number) for number in line.split()[1:]}
    return found


def assert_secrets_are_unreadable(settings, account):
    for name in ("services.json", "secret-key", "metrics-token", "database-web-password"):
        read = subprocess.run(
            ["cat", settings.state / name],
            capture_output=True,
            check=False,
            user=account.uid,
            group=account.gid,
            extra_groups=[],
        )
        assert b"Permission denied" in read.stderr, name


def test_web_and_workers_run_unprivileged_stop_and_start_again(settings, python):
    account = service_account(process_account.NAME)
    # what the first start leaves behind, the second finds; its web server shows that
    for has_workers in (True, False):
        with run.servers(settings) as services:
            supervisor = start(settings, services, has_workers=has_workers)
            try:
                started = user_ids(supervisor)
            finally:
                supervisor.stop()
        members = {member.process.pid for member in supervisor.members}
        assert len(members) == (3 if has_workers else 1)
        assert members < started.keys()  # gunicorn's children too
        assert set(map(frozenset, started.values())) == {frozenset({account.uid})}
        assert user_ids(supervisor) == {}
        assert {path.stat().st_uid for path in settings.metrics.iterdir()} == {account.uid}
    if not account.is_current:
        assert_secrets_are_unreadable(settings, account)
