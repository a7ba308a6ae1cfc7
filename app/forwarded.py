"""Client address and scheme as reported by trusted proxies.

``X-Forwarded-For`` is read from its end, where the nearest proxy appends, and only as far as
proxies are trusted: clients can forge all earlier entries.
"""

import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

Environ: TypeAlias = dict[str, Any]
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

#: Name of a proxy that connects by a Unix socket, which has no address.
SOCKET = "unix"


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """WSGI middleware that sets the client's address and scheme behind trusted proxies."""

    application: Callable[..., Iterable[bytes]]
    trusted: tuple[str, ...]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Call the application with the client's address and scheme."""
        peer = environ.get("REMOTE_ADDR") or SOCKET
        hops = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        if self._trusts(peer):
            scheme = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip()
            if scheme in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
            environ["REMOTE_ADDR"] = self._client(peer, [hop for hop in hops if hop])
        return self.application(environ, start_response)

    def _client(self, peer: str, hops: list[str]) -> str:
        """The last address that is no trusted proxy; the first, if all are trusted."""
        client = peer
        for hop in reversed(hops):
            if _address(hop) is None:
                break
            client = hop
            if not self._trusts(hop):
                break
        return client

    def _trusts(self, peer: str) -> bool:
        if peer == SOCKET:
            return SOCKET in self.trusted
        address = _address(peer)
        return address is not None and any(address in network for network in self._networks)

    @property
    def _networks(self) -> tuple[Network, ...]:
        return tuple(ipaddress.ip_network(each) for each in self.trusted if each != SOCKET)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
