"""Containers without a daemon: images built by buildah, processes run by bubblewrap.

Read-only and with no rights, as `compose.yaml` and `deploy/kubernetes` ask of their engines.
Network and control groups are the machine's.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local_processes import tail
from setup_steps import SetupError

COMMANDS = {"bubblewrap": "bwrap"}
STOP_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Store:
    """Where images lie, apart from those of other programs."""

    folder: Path

    def buildah(self, *arguments: str | Path) -> str:
        """Run a command of buildah; give what it prints. Raises SetupError."""
        folders = ("--root", self.folder / "layers", "--runroot", self.folder / "running")
        return ask("buildah", *folders, *arguments)

    def has(self, image: str) -> bool:
        """Return whether an image is here."""
        return bool(self.buildah("images", "--quiet", "--filter", f"reference={image}").strip())

    @contextmanager
    def container(self, image: str) -> Iterator[str]:
        """Give a working container made from an image."""
        name = self.buildah("from", "--pull-never", image).strip()
        try:
            yield name
        finally:
            self.buildah("rm", name)

    def configuration(self, image: str) -> dict[str, Any]:
        """Give what an image says about how it is run."""
        inspected = json.loads(self.buildah("inspect", "--type", "image", image))
        read: dict[str, Any] = inspected["Docker"]["config"]
        return read


@dataclass(frozen=True)
class Runtime:
    """What containers of one image share: its files, the user, the folders that it writes to."""

    root: Path
    environment: Mapping[str, str]
    user: tuple[int, int]
    volumes: Mapping[str, Path]
    scratch: Sequence[str]
    working_directory: str = "/"

    def start(self, name: str, command: Sequence[str], log: Path) -> Container:
        """Start a container whose output goes to a file."""
        told, teller = os.pipe()
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [*self._sandbox(name), "--info-fd", str(teller), "--", *self._as_user(), *command],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                pass_fds=(teller,),
            )
        os.close(teller)
        with os.fdopen(told) as information:
            said = information.read()
        # nothing is said where it could not be made; its log says why
        return Container(name, process, json.loads(said)["child-pid"] if said else 0, log)

    def run(self, name: str, command: Sequence[str], log: Path) -> None:
        """Run a container to its end. Raises SetupError where it fails."""
        status = self.start(name, command, log).process.wait()
        if status:
            said = tail(log, 30)
            raise SetupError(f"`{' '.join(command)}` ended with status {status}:\n{said}")

    def can(self, name: str, *command: str) -> bool:
        """Run a command in a container like the one of that name; return whether it succeeds."""
        line = [*self._sandbox(name), "--", *self._as_user(), *command]
        return subprocess.run(line, capture_output=True, check=False).returncode == 0

    def _sandbox(self, name: str) -> list[str]:
        line = ["bwrap", "--die-with-parent", "--unshare-pid", "--as-pid-1", "--unshare-ipc"]
        line += ["--unshare-uts", "--hostname", name, "--clearenv", "--new-session"]
        line += ["--ro-bind", str(self.root), "/", "--dev", "/dev", "--proc", "/proc"]
        line += ["--ro-bind", "/sys", "/sys"]
        for place in ("/dev/shm", *self.scratch):  # noqa: S108 (the container's own)
            line += ["--perms", "1777", "--tmpfs", place]
        for place, folder in self.volumes.items():
            line += ["--bind", str(folder), place]
        for variable, value in self.environment.items():
            line += ["--setenv", variable, value]
        return [*line, "--chdir", self.working_directory]

    def _as_user(self) -> list[str]:
        user, group = self.user
        return [
            *("setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"),
        ]


@dataclass(frozen=True)
class Container:
    """A container that was started: what waits for its end, and its own first process."""

    name: str
    process: subprocess.Popen[bytes]
    first_pid: int
    log: Path

    def stop(self) -> int:
        """Ask the container to end, as an engine does; give its status."""
        if self.process.poll() is None:
            os.kill(self.first_pid, signal.SIGTERM)
        try:
            return self.process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def ask(*command: str | Path) -> str:
    """Run a command; give what it prints. Raises SetupError with what it complains of."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise SetupError(f"`{' '.join(map(str, command))}` failed:\n{result.stderr[-4000:]}")
    return result.stdout


def need_commands(*packages: str) -> None:
    """Raise SetupError where the command of a package of Debian's is missing."""
    missing = [name for name in packages if shutil.which(COMMANDS.get(name, name)) is None]
    if missing:
        raise SetupError(f"Needed and not there; ask for: apt-get install {' '.join(missing)}")
