"""Virtual hosts on one machine: network namespaces at a bridge, with servers behind it."""

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from tests.interfaces import interfaces
from tests.killing import kill

ROOT = Path(__file__).parents[2]


def ip(*arguments: str) -> str:
    command = ["ip", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@dataclass
class Host:
    """A network namespace with an address on the network, and the processes in it."""

    name: str
    address: str
    link: str
    folder: Path
    started: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> Path:
        """Start a process on this host; answers the file of what it says."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as out:
            self.started.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", self.name, *command],
                    env=os.environ | environment, cwd=ROOT, stdout=out, stderr=out,
                )
            )  # fmt: skip
        return log

    def cut_off(self) -> None:
        """Let nothing through, in either direction, and tell nobody."""
        ip("link", "set", self.link, "down")

    def bring_back(self) -> None:
        ip("link", "set", self.link, "up")

    def kill(self) -> None:
        kill(map(int, ip("netns", "pids", self.name).split()))
        for process in self.started:
            process.wait()


class Network:
    """A bridge, its hosts, and relays from it to servers that listen on loopback alone."""

    def __init__(self, folder: Path) -> None:
        number = os.getpid()
        self._folder, self._bridge = folder, f"ct{number}"
        # of the networks for tests between machines (RFC 2544)
        self._prefix = f"198.18.{number % 250}"
        self._relays: list[ThreadingTCPServer] = []
        self.hosts: list[Host] = []

    def build(self) -> None:
        """Build the bridge; skip the test where that is not permitted."""
        if shutil.which("ip") is None:
            pytest.skip("no `ip` here (package iproute2): hosts need network namespaces")
        try:
            ip("netns", "add", self._bridge)
            ip("netns", "delete", self._bridge)
            ip("link", "add", self._bridge, "type", "bridge")
        except subprocess.CalledProcessError as error:
            pytest.skip(f"network namespaces are not permitted here: {error.stderr.strip()}")
        ip("address", "add", f"{self._prefix}.1/24", "dev", self._bridge)
        ip("link", "set", self._bridge, "up")

    def add_host(self) -> Host:
        number = len(self.hosts) + 2
        name, link = f"{self._bridge}-{number}", f"{self._bridge}v{number}"
        folder = self._folder / name
        folder.mkdir()
        ip("netns", "add", name)
        host = Host(name, f"{self._prefix}.{number}", link, folder)
        self.hosts.append(host)
        ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", link, "master", self._bridge, "up")
        ip("-n", name, "address", "add", f"{host.address}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        ip("-n", name, "link", "set", "lo", "up")
        return host

    def relay(self, url: str) -> str:
        """Make a server of this machine's loopback reachable for hosts; answers its address."""
        to = make_url(url)
        assert to.host is not None
        assert to.port is not None
        relay = _Relay((f"{self._prefix}.1", 0), (to.host, to.port))
        self._relays.append(relay)
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        host, port = relay.server_address[:2]
        return to.set(host=str(host), port=port).render_as_string(hide_password=False)

    def take_down(self) -> None:
        for host in self.hosts:
            host.kill()
            # by itself it would go with the namespace, which lingers with its last connections
            ip("link", "delete", host.link)
            ip("netns", "delete", host.name)
        for relay in self._relays:
            relay.shutdown()
            relay.server_close()
        with suppress(subprocess.CalledProcessError, FileNotFoundError):  # it was not built
            ip("link", "delete", self._bridge)


@contextmanager
def network(folder: Path) -> Iterator[Network]:
    made = Network(folder)
    with interfaces(change=True):
        try:
            made.build()
            yield made
        finally:
            made.take_down()


class _Relay(ThreadingTCPServer):
    """Passes connections on, byte by byte."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], to: tuple[str, int]) -> None:
        super().__init__(address, _Connection)
        self.to = to


class _Connection(BaseRequestHandler):
    server: _Relay

    def handle(self) -> None:
        with socket.create_connection(self.server.to) as server:
            back = threading.Thread(target=_pass_on, args=(server, self.request), daemon=True)
            back.start()
            _pass_on(self.request, server)
            back.join()


def _pass_on(source: Any, target: Any) -> None:
    with suppress(OSError):  # one side is gone; the other hears of it
        while data := source.recv(65_536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
