"""Allowed webhook destinations: the open internet, not the service's own networks.

A receiver is named by its organization, but the requests leave from here: without
this, a webhook could be pointed at a database, a router or a cloud's metadata.
"""

import ipaddress
import socket
from typing import Final
from urllib.parse import SplitResult, urlsplit

from app.config import WebhookReach
from app.services.errors import FieldError, Invalid

LONGEST_URL: Final = 2000

_PORTS: Final = {"https": 443, "http": 80}

#: Where IPv6 carries an IPv4 address that routers in between unpack (RFC 6052, 2.1; RFC 8215).
_TRANSLATED: Final = (
    ipaddress.IPv6Network("::ffff:0:0/96"),
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
)


class AddressRefused(Exception):
    """A receiver that has no address, or one that is not to be reached; the words say which."""


def check_url(url: str, reach: WebhookReach) -> None:
    """Raise :class:`Invalid` for what is not the address of a receiver.

    Plain HTTP is for this machine and networks that the operator allows.
    """
    fault = _find_fault(url, reach)
    if fault is not None:
        raise Invalid([FieldError("/url", fault)])


def port_of(parts: SplitResult) -> int:
    """The port that an address names or its scheme implies."""
    return parts.port or _PORTS[parts.scheme]


def resolve(host: str, port: int, reach: WebhookReach) -> str:
    """The one IP address to connect to; raises :class:`AddressRefused`.

    The caller connects to this address and does not look the name up again, so
    that what was checked is what is reached. One private address among several
    is enough to refuse them all.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise AddressRefused(f"{host} has no address") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not _all_within(reach, host, addresses):
        raise AddressRefused(f"{host} has a private, loopback or link-local address")
    return addresses[0]


def _all_within(reach: WebhookReach, host: str, addresses: list[str]) -> bool:
    """Return whether all addresses of a host may be reached.

    This machine is reached only by its own name.
    """
    if any(map(is_link_local, addresses)):
        return False
    if reach.has_loopback and is_this_machine(host) and all(map(is_this_machine, addresses)):
        return True
    return all(is_public(address) or _is_allowed(reach, address) for address in addresses)


def _is_allowed(reach: WebhookReach, text: str) -> bool:
    """Return whether an address is in a network that the operator names."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return any(address in network for network in reach.networks) and not is_link_local(text)


def _may_be_allowed(reach: WebhookReach, host: str) -> bool:
    """Return whether a host may be in such a network; names are looked up when sending."""
    if reach.has_loopback and is_this_machine(host):
        return True
    try:
        return _is_allowed(reach, host)
    except ValueError:
        return bool(reach.networks) and not _is_inside(host)


def is_this_machine(host: str) -> bool:
    """Return whether a host is a loopback address or ``localhost``, which stands for one."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_link_local(text: str) -> bool:
    """Return whether an address is link-local, where clouds serve machine credentials."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return (getattr(address, "ipv4_mapped", None) or address).is_link_local


def is_public(text: str) -> bool:
    """Return whether an IP address is one of the open internet."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        tunnels = address.sixtofour is not None or address.teredo is not None
        if tunnels or address.is_site_local or any(address in net for net in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast


def _find_fault(url: str, reach: WebhookReach) -> str | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        return f"Not an address: {error}."
    if parts.scheme not in _PORTS or not host or port == 0:
        return "Must be an address such as https://fleet.example/hooks."
    if any(not "!" <= sign <= "~" for sign in url) or "\\" in url:
        return "Must be written in visible ASCII characters."
    if parts.username is not None or parts.fragment:
        return "Must hold neither a user's name and password nor a fragment."
    if _may_be_allowed(reach, host):
        return None
    if parts.scheme != "https":
        return "Must begin with https://."
    return "Must not be a private, loopback or link-local address." if _is_inside(host) else None


def _is_inside(host: str) -> bool:
    """Return whether a host says of itself that it is not of the open internet."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not is_public(host)
    except ValueError:
        return False  # a name; what it stands for is seen when it is sent to
