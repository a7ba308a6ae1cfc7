"""Install what a machine lacks, step by step.

Each step first checks whether it is done (a file, a hash of its inputs) and then does nothing.
Uses the standard library only, because the steps run before any package is installed.
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
OLDEST_PYTHON = (3, 11)
LOG = VAR / "log" / "setup.log"
#: Log of the steps that run in parallel with others, so that their outputs do not mix.
PARALLEL_LOG = VAR / "log" / "setup-parallel.log"
#: The headless shell first: it takes two fifths less processor time for the same pages.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class SetupError(RuntimeError):
    """A requirement cannot be met; the message states what to do."""


@dataclass(frozen=True)
class SystemPackage:
    """A package of the distribution, with a check whether it or an equivalent is installed."""

    name: str
    is_present: Callable[[], bool]
    purpose: str


def has_command(*names: str) -> Callable[[], bool]:
    """Return a check that one of the commands is on the path."""
    return lambda: any(shutil.which(name) for name in names)


def find_chromium() -> str:
    """Return the path of a Chromium. Raises SetupError if none is installed."""
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        raise SetupError(f"no Chromium is installed (apt: {CHROMIUMS[0]})")
    return path


def is_installed(package: str) -> Callable[[], bool]:
    """Return a check that dpkg lists the package as installed."""

    def check() -> bool:
        query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
        result = subprocess.run(query, capture_output=True, text=True, check=False)
        return result.stdout == "installed"

    return check


def has_postgis() -> bool:
    """Return whether a sufficiently new PostgreSQL with PostGIS is installed."""
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
    """List the packages of the distribution that the project needs."""
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
            SystemPackage("chromium-headless-shell", has_command(*CHROMIUMS), "browser tests"),
            SystemPackage("pgbouncer", is_installed("pgbouncer"), "tests behind a pooler"),
            SystemPackage("fonts-dejavu-core", is_installed("fonts-dejavu-core"), "browser tests"),
        ]
    return packages


def install_system_packages(packages: Sequence[SystemPackage]) -> None:
    """Install missing packages by apt. Raises SetupError with those that cannot be installed."""
    missing = [package for package in packages if not package.is_present()]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise SetupError(_needed(missing) + "\nThis system has no apt: install their like by hand.")
    apt = [*_as_root(missing), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    apt += ["-o", "DPkg::Lock::Timeout=300", "--quiet"]
    # if the update fails, a package may still be found in the old lists
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
    """Create `.venv`, again if the existing one does not run or has too old a Python."""
    wanted = f"{sys.version_info.major}.{sys.version_info.minor}"
    check = f"import sys, pip; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    if PYTHON.exists():
        answer = subprocess.run([str(PYTHON), "-c", check], capture_output=True, check=False)
        if answer.returncode == 0:
            return
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    run_logged(f"Making .venv with Python {wanted}", command)


def install_python_packages(*, development: bool) -> None:
    """Install the pinned packages, and data packages without their dependencies."""
    requirements = ROOT / ("requirements-dev.txt" if development else "requirements.txt")
    stamp = VENV / f".installed-{requirements.stem}"
    data = ROOT / "requirements-data.txt"
    if is_done(stamp, requirements, data):
        return
    hashed = [] if development else ["--require-hashes"]
    _pip_install("Installing Python packages", *hashed, "-r", str(requirements))
    without_others = ("--require-hashes", "--no-deps")
    _pip_install("Installing coastline and ports", *without_others, "-r", str(data))
    # on all cores; pip compiles on one. Some packages hold templates that do not compile
    compiling = [str(PYTHON), "-m", "compileall", "-q", "-j0", str(VENV / "lib")]
    run_logged("Compiling Python packages", compiling, must_succeed=False)
    mark_done(stamp, requirements, data)


def install_moto() -> None:
    """Install the tests' S3 server in `var/moto`, because its packages conflict with ours."""
    requirements = ROOT / "requirements-moto.txt"
    folder, stamp = VAR / "moto", VAR / "moto" / ".installed"
    if is_done(stamp, requirements):
        return
    shutil.rmtree(folder, ignore_errors=True)
    target = ("--no-deps", "--target", str(folder), "-r", str(requirements))
    _pip_install("Installing the S3 server for tests", *target, in_parallel=True)
    mark_done(stamp, requirements)


def _pip_install(title: str, *arguments: str, in_parallel: bool = False) -> None:
    # for slow mirrors; values of the environment take precedence
    patience = {"PIP_DEFAULT_TIMEOUT": "120", "PIP_RETRIES": "5"} | dict(os.environ)
    pip = [str(PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    pip += ["--no-compile"]
    run_logged(title, [*pip, *arguments], environment=patience, in_parallel=in_parallel)


def install_front_end(*, development: bool) -> None:
    """Fill `static/vendor` from the locked npm packages; in development also install tools."""
    inputs = (ROOT / "package-lock.json", Path(vendor.__file__))
    modules, vendored = ROOT / "node_modules", ROOT / "static" / "vendor"
    lean, full = modules / ".installed", modules / ".installed-development"
    is_there = is_done(full, *inputs) or (not development and is_done(lean, *inputs))
    if is_there and vendored.is_dir():
        return
    omitted = [] if development else ["--omit=dev"]
    npm = ["npm", "ci", "--no-progress", *omitted]
    run_logged("Installing front-end libraries", npm, in_parallel=True)
    vendor.fill(modules, vendored)
    mark_done(full if development else lean, *inputs)


def fingerprint(*inputs: Path) -> str:
    """Hash the files' contents."""
    digest = hashlib.sha256()
    for path in inputs:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_done(stamp: Path, *inputs: Path) -> bool:
    """Return whether the step of `stamp` was done with these inputs."""
    return stamp.exists() and stamp.read_text() == fingerprint(*inputs)


def mark_done(stamp: Path, *inputs: Path) -> None:
    """Record that the step of `stamp` is done with these inputs."""
    stamp.write_text(fingerprint(*inputs))


@contextmanager
def alone() -> Iterator[None]:
    """Allow one set-up at a time in this folder; a second one waits."""
    (VAR / "log").mkdir(parents=True, exist_ok=True)
    with (VAR / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up is running in this folder; waiting for it …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """Print a message for the user."""
    print(text, flush=True)


def run_logged(
    title: str,
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    must_succeed: bool = True,
    in_parallel: bool = False,
) -> None:
    """Run a command with its output in a log; show the time on the screen.

    A command that runs in parallel with others has another log, and its time is shown at its end.
    Raises SetupError with the end of the log if it fails although it must succeed.
    """
    log = PARALLEL_LOG if in_parallel else LOG
    started = time.monotonic()
    with log.open("ab") as sink:
        sink.write(f"\n$ {' '.join(command)}\n".encode())
        sink.flush()
        process = subprocess.Popen(
            command, stdin=None, stdout=sink, stderr=subprocess.STDOUT, env=environment, cwd=ROOT
        )
        try:
            if not in_parallel:
                _show_time(title, process, started)
            process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    say(f"{_line_start()}  {title} … {time.monotonic() - started:.0f} s")
    if process.returncode and must_succeed:
        raise SetupError(f"{title}: failed; {log} ends:\n{tail(log, 15)}")


def _show_time(title: str, process: subprocess.Popen[bytes], started: float) -> None:
    """Show the time until the process ends, on a terminal only."""
    if not sys.stdout.isatty():
        say(f"  {title} …")
        return
    while process.poll() is None:
        print(f"\r  {title} … {time.monotonic() - started:.0f} s", end="", flush=True)
        time.sleep(0.1)


def _line_start() -> str:
    """Return what overwrites a time shown on a terminal."""
    return "\r" if sys.stdout.isatty() else ""
