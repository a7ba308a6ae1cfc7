"""Start everything on one machine, from a fresh clone: `make run`.

Settings from the environment: PORT (8000), HOST (127.0.0.1), WORKERS (2), STATE_DIR (var).
DEMO=1 creates the demo organization even if HOST admits other machines.
DATABASE_URL and REDIS_URL name your own servers; otherwise private ones are started.
WEB_DATABASE_URL and WORKER_DATABASE_URL name your own logins; otherwise they are created.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit, urlunsplit

from greeting import bare_greeting, greeting
from local_processes import ServiceError, port_is_free, tail, write_private
from local_services import LocalServices
from prepare import build_environment, prepare
from process_account import grant, process_account
from setup_steps import PYTHON, ROOT, VAR, SetupError, say
from supervisor import Member, Supervisor, Unstable

READY_PATIENCE_S = 300.0
TEND_EVERY_S = 0.5
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop(BaseException):
    """Request to stop: Ctrl-C, a closed terminal, a service manager."""


@dataclass(frozen=True)
class Settings:
    """Settings from the environment."""

    port: int
    host: str
    workers: int
    state: Path
    external: Mapping[str, str]
    wants_demo: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings. Raises SetupError if a number is invalid."""
        return cls(
            port=_number(environment, "PORT", 8000, 65535),
            host=environment.get("HOST", "127.0.0.1"),
            workers=_number(environment, "WORKERS", 2, 64),
            state=Path(environment.get("STATE_DIR") or VAR).resolve(),
            external={
                name: environment[name]
                for name in ("DATABASE_URL", "REDIS_URL")
                if environment.get(name)
            },
            wants_demo=environment.get("DEMO") == "1",
        )

    @property
    def own_servers(self) -> list[str]:
        """Servers without an address in the environment, which are started here."""
        variables = {"postgres": "DATABASE_URL", "redis": "REDIS_URL"}
        return [name for name, variable in variables.items() if variable not in self.external]

    @property
    def is_local(self) -> bool:
        """Return whether only this machine reaches the service."""
        return self.host in ("127.0.0.1", "localhost", "::1")

    @property
    def has_demo(self) -> bool:
        """Return whether to create a demo organization, whose admin password is in a file."""
        return self.is_local or self.wants_demo

    @property
    def logs(self) -> Path:
        """Folder of the processes' logs."""
        return self.state / "log"

    @property
    def metrics(self) -> Path:
        """Folder of the web processes' metrics."""
        return self.state / "metrics"

    @property
    def kernels(self) -> Path:
        """Folder of the compiled kernels of web and workers that another account runs."""
        return self.state / "kernels"

    @property
    def demo_key(self) -> Path:
        """File of the demo organization's API key."""
        return self.state / "demo-key"

    @property
    def demo_password(self) -> Path:
        """File of the demo user's password."""
        return self.state / "demo-password"

    @property
    def address(self) -> str:
        """Address of the service for a browser on this machine."""
        loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
        return f"http://{_endpoint(loopback.get(self.host, self.host), self.port)}"


def _endpoint(host: str, port: int) -> str:
    """Return host and port as in a URL, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _number(environment: Mapping[str, str], name: str, default: int, largest: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isdigit() or not 1 <= int(text) <= largest:
        raise SetupError(f"{name}={text} is not a number from 1 to {largest}.")
    return int(text)


def check_port(settings: Settings) -> None:
    """Raise SetupError if the port is not available."""
    if not port_is_free(settings.port, settings.host):
        raise SetupError(
            f"Port {settings.port} is in use by another program, or not permitted.\n"
            f"Choose another: make run PORT={settings.port + 1}"
        )


@contextmanager
def servers(settings: Settings) -> Iterator[LocalServices]:
    """Start the private servers; stop them at the end."""
    services = LocalServices(settings.state, names=settings.own_servers)
    with services.held():
        try:
            services.start(tied=True)
            yield services
        finally:
            services.stop()


def kept_secret(settings: Settings, name: str) -> str:
    """Return a secret of this installation, created once, so that a restart signs nobody out."""
    path = settings.state / name
    if not path.exists():
        write_private(path, secrets.token_urlsafe(48))
    return path.read_text()


def database_logins(settings: Settings, owner: str) -> dict[str, str]:
    """Return the addresses with the logins of web, workers and backup.

    The migration creates these logins. Their names contain the database's, because a cluster
    shares its roles between databases.
    """
    found = {}
    for process in ("web", "worker", "backup"):
        variable = f"{process.upper()}_DATABASE_URL"
        password = kept_secret(settings, f"database-{process}-password")
        found[variable] = os.environ.get(variable) or login_address(owner, process, password)
    return found


def login_address(owner: str, process: str, password: str) -> str:
    """Return an address with the login and password of a process instead of the owner's."""
    parts = urlsplit(owner)
    server = parts.netloc.rpartition("@")[2]
    name = f"{parts.path.strip('/')}_{process}_login"
    return urlunsplit(parts._replace(netloc=f"{name}:{password}@{server}"))


def flask(environment: Mapping[str, str], *arguments: str) -> str:
    """Run a flask command of the service; return its output. Raises SetupError."""
    command = [str(PYTHON), "-m", "flask", "--app", "wsgi", *arguments]
    # a command counts nothing; run by root it must not write where another account can
    uncounted = {k: v for k, v in environment.items() if k != "PROMETHEUS_MULTIPROC_DIR"}
    result = subprocess.run(
        command, env=uncounted, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if result.returncode:
        raise SetupError(f"`flask {arguments[0]}` failed.")
    return result.stdout


def make_demo(settings: Settings, environment: Mapping[str, str]) -> str:
    """Create the demo organization unless it exists; return its user's e-mail address.

    It is "" if that user has got another address.
    """
    files = ["--key-file", str(settings.demo_key)]
    files += ["--password-file", str(settings.demo_password)]
    found = re.match(r"Sign in as (\S+);", flask(environment, "demo", *files))
    return found.group(1) if found else ""


def web_server(settings: Settings, database: str = "") -> Member:
    """Describe the web process with its database login."""
    gunicorn = ["-m", "gunicorn", "--bind", _endpoint(settings.host, settings.port), "wsgi:app"]
    return _member(settings, "web", gunicorn, database)


def workers(settings: Settings, database: str = "") -> list[Member]:
    """Describe the planning workers with their database login."""
    names = [f"worker-{n}" for n in range(1, settings.workers + 1)]
    return [_member(settings, name, ["worker.py"], database, leave_children=True) for name in names]


def webhook_worker(settings: Settings, database: str = "") -> Member:
    """Describe the webhook worker with its database login."""
    return _member(settings, "webhooks", ["webhook_worker.py"], database)


def _member(
    settings: Settings,
    name: str,
    arguments: Sequence[str],
    database: str,
    *,
    leave_children: bool = False,
) -> Member:
    return Member(
        name,
        [str(PYTHON), *arguments],
        _log(settings, name),
        leave_children=leave_children,
        variables={"DATABASE_URL": database} if database else {},
    )


def _log(settings: Settings, name: str) -> Path:
    settings.logs.mkdir(parents=True, exist_ok=True)
    path = settings.logs / f"{name}.log"
    if path.exists():
        path.replace(path.with_suffix(".log.old"))
    path.touch()
    return path


def wait_until_ready(settings: Settings, supervisor: Supervisor) -> None:
    """Wait until the service is ready. Raises SetupError after `READY_PATIENCE_S`."""
    end = time.monotonic() + READY_PATIENCE_S
    while not is_ready(settings):
        supervisor.tend()
        if time.monotonic() > end:
            log = settings.logs / "web.log"
            raise SetupError(f"The service does not become ready; {log} ends:\n{tail(log, 15)}")
        time.sleep(0.1)


def is_ready(settings: Settings) -> bool:
    """Return whether the service reports that it is ready."""
    url = f"{settings.address}/readyz"
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 (our own address)
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def command_environment(settings: Settings, addresses: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of commands."""
    secrets_kept = {
        variable: os.environ.get(variable) or kept_secret(settings, name)
        for variable, name in (("SECRET_KEY", "secret-key"), ("METRICS_TOKEN", "metrics-token"))
    }
    return {**build_environment(), **addresses, **secrets_kept, "PYTHONUNBUFFERED": "1"}


def service_environment(settings: Settings, addresses: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of web and workers."""
    shutil.rmtree(settings.metrics, ignore_errors=True)  # discards those of ended processes
    settings.metrics.mkdir(parents=True)
    environment = command_environment(settings, addresses)
    return environment | {"PROMETHEUS_MULTIPROC_DIR": str(settings.metrics)}


def developer_environment(settings: Settings) -> dict[str, str]:
    """Return additional settings if only this machine can connect."""
    return {"WEBHOOKS_REACH_LOOPBACK": "1"} if settings.is_local else {}


def unprivileged_supervisor(settings: Settings, environment: Mapping[str, str]) -> Supervisor:
    """Return a supervisor whose members run as an unprivileged account if root calls it.

    If that account cannot run them, says why, and they run as root.
    """
    account = process_account(settings.port, settings.metrics, settings.kernels)
    granted = grant(account, settings.kernels, settings.metrics)
    return Supervisor({**environment, **granted}, ROOT, say, account)


def serve(settings: Settings) -> None:
    """Prepare the machine, then run the service until it is stopped."""
    check_port(settings)
    prepare(own_servers=settings.own_servers)
    with servers(settings) as own:
        environment = service_environment(settings, {**own.environment(), **settings.external})
        environment |= developer_environment(settings)
        logins = database_logins(settings, environment["DATABASE_URL"])
        flask(environment | logins, "migrate")
        web_login, worker_login = logins["WEB_DATABASE_URL"], logins["WORKER_DATABASE_URL"]
        supervisor = unprivileged_supervisor(settings, environment)
        try:
            supervisor.start(web_server(settings, web_login))
            email = make_demo(settings, environment) if settings.has_demo else ""
            wait_until_ready(settings, supervisor)
            # only now, because warming up uses all cores for seconds; requests are queued meanwhile
            supervisor.start(
                *workers(settings, worker_login), webhook_worker(settings, worker_login)
            )
            say(greeting(settings, email) if settings.has_demo else bare_greeting(settings))
            while True:
                tend(supervisor, own)
                time.sleep(TEND_EVERY_S)
        finally:
            supervisor.stop()


def tend(supervisor: Supervisor, own: LocalServices) -> None:
    """Restart what ended unexpectedly. Raises Unstable or ServiceError if that fails."""
    for name in own.tend():
        say(f"{name} ended; started again")
    supervisor.tend()


def on_signal(_received: int, _frame: FrameType | None) -> None:
    """Raise Stop, so that everything started is stopped."""
    for each in ENDINGS:
        signal.signal(each, signal.SIG_IGN)  # a second Ctrl-C must not leave processes running
    raise Stop


def main() -> int:
    """Run until stopped; return 0 after a stop request, 1 after an error."""
    for received in ENDINGS:
        signal.signal(received, on_signal)
    try:
        serve(Settings.from_environment(os.environ))
    except Stop:
        say("\nStopped.")
        return 0
    except (SetupError, ServiceError, Unstable) as error:
        print(f"\n{error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
