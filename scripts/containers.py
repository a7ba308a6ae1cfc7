"""Containers without a daemon: images built by buildah, processes run by bubblewrap.

Containers are read-only and have no privileges, as in `compose.yaml` and `deploy/kubernetes`.
Network and control groups are those of the machine.
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
    """Storage of images, separate from that of other programs."""

    folder: Path

    def buildah(self, *arguments: str | Path) -> str:
        """Run a command of buildah; return its output. Raises SetupError."""
        folders = ("--root", self.folder / "layers", "--runroot", self.folder / "running")
        return ask("buildah", *folders, *arguments)

    def has(self, image: str) -> bool:
        """Return whether an image is in the storage."""
        return bool(self.buildah("images", "--quiet", "--filter", f"reference={image}").strip())

    @contextmanager
    def container(self, image: str) -> Iterator[str]:
        """Return a working container of an image."""
        name = self.buildah("from", "--pull-never", image).strip()
        try:
            yield name
        finally:
            self.buildah("rm", name)

    def configuration(self, image: str) -> dict[str, Any]:
        """Return the run configuration of an image."""
        inspected = json.loads(self.buildah("inspect", "--type", "image", image))
        read: dict[str, Any] = inspected["Docker"]["config"]
        return read


@dataclass(frozen=True)
class Runtime:
    """Common settings of an image's containers: files, user and writable folders."""

    root: Path
    environment: Mapping[str, str]
    user: tuple[int, int]
    volumes: Mapping[str, Path]
    scratch: Sequence[str]
    working_directory: str = "/"

    def start(self, name: str, command: Sequence[str], log: Path) -> Container:
        """Start a container whose output goes to a file."""
        reader, writer = os.pipe()
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [*self._sandbox(name), "--info-fd", str(writer), "--", *self._as_user(), *command],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                pass_fds=(writer,),
            )
        os.close(writer)
        with os.fdopen(reader) as stream:
            information = stream.read()
        # empty if the sandbox could not be made; its log has the reason
        first_pid = json.loads(information)["child-pid"] if information else 0
        return Container(name, process, first_pid, log)

    def run(self, name: str, command: Sequence[str], log: Path) -> None:
        """Run a container to its end. Raises SetupError if it fails."""
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
    """A started container, with its sandbox process and the pid of its first process."""

    name: str
    process: subprocess.Popen[bytes]
    first_pid: int
    log: Path

    def stop(self) -> int:
        """Stop the container as an engine does; return its exit status."""
        if self.process.poll() is None:
            os.kill(self.first_pid, signal.SIGTERM)
        try:
            return self.process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def ask(*command: str | Path) -> str:
    """Run a command; return its output. Raises SetupError with its error output."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise SetupError(f"`{' '.join(map(str, command))}` failed:\n{result.stderr[-4000:]}")
    return result.stdout


def need_commands(*packages: str) -> None:
    """Raise SetupError if the command of a Debian package is missing."""
    missing = [name for name in packages if shutil.which(COMMANDS.get(name, name)) is None]
    if missing:
        raise SetupError(f"Missing packages; run: apt-get install {' '.join(missing)}")
