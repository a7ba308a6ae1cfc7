"""A private PostgreSQL cluster with PostGIS: loopback, password, unprivileged."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
from pathlib import Path
from typing import ClassVar

from local_processes import Account, ProcessMark, ServiceError, started_at
from local_server import LocalServer

NAME = "chartroom"  # of the database and of its owner
OLDEST_VERSION = 15


def find_binaries(version: int | None = None, root: Path = Path("/usr/lib/postgresql")) -> Path:
    """Find the directory of PostgreSQL's programs, the newest or that of `version`.

    Raises ServiceError if no version from 15 on is installed.
    """
    found = {
        int(path.name): path / "bin"
        for path in root.glob("*")
        if path.name.isdigit() and (path / "bin" / "initdb").exists()
    }
    fit = [number for number in found if number >= OLDEST_VERSION and version in (None, number)]
    if not fit:
        asked = f"{OLDEST_VERSION} or newer" if version is None else str(version)
        raise ServiceError(
            f"PostgreSQL {asked} is not installed (apt: postgresql-{version or OLDEST_VERSION})"
        )
    # a newer server without PostGIS cannot be used
    with_gis = [number for number in fit if _has_postgis(number)]
    if not with_gis:
        raise ServiceError(f"PostGIS is not installed (apt: postgresql-{max(fit)}-postgis-3)")
    return found[max(with_gis)]


def _has_postgis(version: int) -> bool:
    return Path(f"/usr/share/postgresql/{version}/extension/postgis.control").exists()


class PostgresCluster(LocalServer):
    """One cluster under `home`, initialised once."""

    title: ClassVar = "PostgreSQL"
    end_signal: ClassVar = signal.SIGINT  # fast shutdown: sessions are ended
    start_patience_s: ClassVar = 60.0
    stop_patience_s: ClassVar = 20.0

    def __init__(self, home: Path, account: Account, *, throwaway: bool = False) -> None:
        super().__init__(home, account, throwaway=throwaway)
        self.data = home / "data"

    def prepare(self, new_password: str | None) -> None:
        """Create the cluster and the owner's login, and remove what an ended server left."""
        self._initialise()
        self._write_access_rules()
        self._clear_stale_lock()
        if new_password is not None:
            self._bootstrap(new_password)

    def url(self, settings: dict[str, object]) -> str:
        """Return the address of the database with the owner's login."""
        return f"postgresql://{NAME}:{settings['password']}@127.0.0.1:{settings['port']}/{NAME}"

    @property
    def binaries(self) -> Path:
        """The programs of the version that created the data."""
        made_by = self.data / "PG_VERSION"
        return find_binaries(int(made_by.read_text()) if made_by.exists() else None)

    def _initialise(self) -> None:
        if (self.data / "PG_VERSION").exists() and not (self.home / "unfinished").exists():
            return
        # the mark remains until initdb has ended, so that an incomplete cluster is created again
        self._run("rm", "-rf", str(self.data))
        self._run("touch", str(self.home / "unfinished"))
        self._run(
            str(self.binaries / "initdb"),
            f"--pgdata={self.data}",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--auth=scram-sha-256",
            f"--pwfile={self._one_time_password_file()}",
            *(["--no-sync"] if self.throwaway else []),
        )
        self._run("rm", str(self.home / "unfinished"), str(self.home / "initial"))

    def _one_time_password_file(self) -> Path:
        # nobody signs in as the superuser: its password is deleted
        path = self.home / "initial"
        self._run("tee", str(path), stdin=secrets.token_urlsafe(32))
        return path

    def _write_access_rules(self) -> None:
        rules = "host all all 127.0.0.1/32 scram-sha-256\n"
        self._run("tee", str(self.data / "pg_hba.conf"), stdin=rules)

    def _bootstrap(self, password: str) -> None:
        """Create role, PostGIS and database in single-user mode, which needs no password.

        PostGIS is installed in template1, so that later databases have it without a superuser. The
        owner is no superuser, because row-level security does not bind superusers.
        """
        make_role = (
            f"DO $$ BEGIN CREATE ROLE {NAME} LOGIN CREATEDB CREATEROLE;"
            " EXCEPTION WHEN duplicate_object THEN NULL; END $$"
        )
        self._single_user(
            "template1",
            make_role,
            f"ALTER ROLE {NAME} PASSWORD '{password}'",
            "CREATE EXTENSION IF NOT EXISTS postgis",
        )
        if f'datname = "{NAME}"' not in self._single_user(
            "template1", "SELECT datname FROM pg_database"
        ):
            self._single_user("template1", f"CREATE DATABASE {NAME} OWNER {NAME}")

    def _single_user(self, database: str, *statements: str) -> str:
        output = self._run(
            str(self.binaries / "postgres"),
            "--single",
            "-D",
            str(self.data),
            *(["-F"] if self.throwaway else []),
            database,
            stdin="".join(f"{statement}\n" for statement in statements),
        )
        fault = re.search(r"(ERROR|FATAL|PANIC):.*", output)
        if fault:
            raise ServiceError(f"the database can't be prepared: {fault.group()}")
        return output

    def _run(self, *command: str, stdin: str = "") -> str:
        result = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"},
            user=None if self.account.is_current else self.account.uid,
            group=None if self.account.is_current else self.account.gid,
            extra_groups=None if self.account.is_current else [],
        )
        if result.returncode:
            raise ServiceError(f"{Path(command[0]).name} failed: {result.stderr.strip()}")
        return result.stdout + result.stderr

    def _clear_stale_lock(self) -> None:
        """Remove the lock file of an ended server; stop a server left running on these data."""
        lock = self.data / "postmaster.pid"
        try:
            pid = int(lock.read_text().split()[0])
        except (FileNotFoundError, ValueError, IndexError):
            lock.unlink(missing_ok=True)
            return
        if self._serves_our_data(pid):
            self.stop(ProcessMark.of(pid))
        lock.unlink(missing_ok=True)

    def _serves_our_data(self, pid: int) -> bool:
        # a server works inside its data directory; another process with the same pid does not
        if started_at(pid) is None:
            return False
        try:
            return Path(f"/proc/{pid}/cwd").resolve() == self.data.resolve()
        except OSError:
            return False

    def command(self, port: int, _password: str) -> list[str]:
        """Return the server's command line, which holds its configuration."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": "",  # no socket: no path limit, no stale socket file
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if self.throwaway:
            options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        flags = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        return [str(self.binaries / "postgres"), "-D", str(self.data), *flags]

    def answers(self, port: int, _password: str) -> bool:
        """Return whether the server accepts connections."""
        command = [str(self.binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        return subprocess.run(command, check=False).returncode == 0
