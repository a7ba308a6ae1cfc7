"""Client address and scheme as reported by trusted proxies.

``X-Forwarded-For`` is read from its end, where the nearest proxy wrote, and only as far as proxies
are trusted: what stands before the first stranger's address anybody may have written.
"""

import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

Environ: TypeAlias = dict[str, Any]
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

#: The word for a proxy that comes by a socket in the file system, which has no address.
SOCKET = "unix"


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """A WSGI application behind proxies: address and scheme are those of the client."""

    application: Callable[..., Iterable[bytes]]
    trusted: tuple[str, ...]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Answer a request as if the proxies were not there."""
        peer = environ.get("REMOTE_ADDR") or SOCKET
        hops = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        if self._trusts(peer):
            scheme = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip()
            if scheme in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
            environ["REMOTE_ADDR"] = self._client(peer, [hop for hop in hops if hop])
        return self.application(environ, start_response)

    def _client(self, peer: str, hops: list[str]) -> str:
        """The last address that no trusted proxy has; the farthest, where all are trusted."""
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
