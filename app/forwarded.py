"""Client address and scheme as reported by trusted proxies.

``X-Forwarded-For`` is read from its end, where the nearest proxy appends, and only as far as
proxies are trusted: clients can forge all earlier entries.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.network_addresses import Address, Network, read_address, read_network

Environ: TypeAlias = dict[str, Any]

#: Name of a proxy that connects by a Unix socket, which has no address.
SOCKET = "unix"


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """WSGI middleware that sets the client's address, and its scheme behind trusted proxies."""

    application: Callable[..., Iterable[bytes]]
    trusted: tuple[str, ...]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Call the application with the client's address and scheme."""
        peer = client = _canonical(environ.get("REMOTE_ADDR") or SOCKET)
        hops = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        if self._trusts(peer):
            scheme = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip()
            if scheme in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
            client = self._client(peer, [hop for hop in hops if hop])
        environ["REMOTE_ADDR"] = client
        return self.application(environ, start_response)

    def _client(self, peer: str, hops: list[str]) -> str:
        """The last address that is no trusted proxy; the first, if all are trusted."""
        client = peer
        for hop in reversed(hops):
            if _address(hop) is None:
                break
            client = _canonical(hop)
            if not self._trusts(client):
                break
        return client

    def _trusts(self, peer: str) -> bool:
        if peer == SOCKET:
            return SOCKET in self.trusted
        address = _address(peer)
        return address is not None and any(address in network for network in self._networks)

    @property
    def _networks(self) -> tuple[Network, ...]:
        return tuple(read_network(each) for each in self.trusted if each != SOCKET)


def _canonical(text: str) -> str:
    return str(_address(text) or text)


def _address(text: str) -> Address | None:
    try:
        return read_address(text)
    except ValueError:
        return None
