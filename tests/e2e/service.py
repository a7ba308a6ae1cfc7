"""The running service, with addresses and credentials from its output."""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
#: Each process that runs tests has a service of its own.
STATE = ROOT / "var" / "test" / f"e2e-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"


@dataclass
class Service:
    """A running service and its output."""

    process: subprocess.Popen[str]
    state: Path = STATE
    lines: list[str] = field(default_factory=list)
    is_ready: threading.Event = field(default_factory=threading.Event)

    @property
    def greeting(self) -> str:
        return "".join(self.lines)

    @property
    def address(self) -> str:
        return self._find(r"Map\s+(\S+?)/?\n")

    @property
    def key(self) -> str:
        return (self.state / "demo-key").read_text().strip()

    @property
    def email(self) -> str:
        return self._find(r"Sign in\s+(\S+), password")

    @property
    def password(self) -> str:
        return self._find(r", password (\S+)")

    def order_first_route(self) -> str:
        """Run the printed command in a shell and return its output."""
        line = self.greeting[self.greeting.index("curl ") : self.greeting.index("Ctrl-C")]
        result = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True)  # noqa: S602
        assert result.returncode == 0, result.stderr
        return result.stdout

    def processes(self, program: str = "") -> list[int]:
        """List the service's processes whose command contains `program`."""
        mark = f"STATE_DIR={self.state}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                command = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes().split(b"\0")
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            if program.encode() in command and mark in environment:
                found.append(int(entry.name))
        return found

    @contextmanager
    def halted_workers(self) -> Iterator[None]:
        """Pause the workers: what is asked for meanwhile waits, however slow the browser is."""
        workers = self.processes("worker.py")
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        try:
            yield
        finally:
            for worker in workers:
                os.kill(worker, signal.SIGCONT)

    def listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if line.startswith("Ctrl-C stops"):
                self.is_ready.set()
        self.is_ready.set()

    def _find(self, pattern: str) -> str:
        found = re.search(pattern, self.greeting)
        assert found, self.greeting
        return found.group(1)


def sign_in(page: Page, service: Service) -> None:
    """Sign in by the form, which leads to the chart."""
    page.goto("/sign-in")
    page.get_by_label("E-mail").fill(service.email)
    page.get_by_label("Password").fill(service.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/$"))
