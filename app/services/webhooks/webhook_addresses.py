"""Allowed webhook destinations: the public internet, not the service's own networks.

This prevents server-side request forgery: clients choose the URLs, but the service sends
the requests and could otherwise reach its database, a router or a cloud's metadata.
"""

import ipaddress
import re
import socket
from typing import Final
from urllib.parse import SplitResult, urlsplit

from app.config import WebhookReach
from app.network_addresses import read_address
from app.services.errors import Invalid

LONGEST_URL: Final = 2000

_PORTS: Final = {"https": 443, "http": 80}

#: IPv6 networks that embed IPv4 addresses for translation (RFC 6052, 2.1; RFC 8215).
_TRANSLATED: Final = (
    ipaddress.IPv6Network("::ffff:0:0/96"),
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
)


class AddressRefused(Exception):
    """The receiver has no IP address, or one that is not allowed; the message gives the reason."""


def check_url(url: str, reach: WebhookReach) -> None:
    """Raise :class:`Invalid` for a URL that is not an allowed destination.

    Plain HTTP is allowed only to this machine and to networks that the operator allows.
    """
    fault = _find_fault(url, reach)
    if fault is not None:
        raise Invalid.at("/url", fault)


def port_of(parts: SplitResult) -> int:
    """The port of a URL, explicit or implied by its scheme."""
    return parts.port or _PORTS[parts.scheme]


def resolve(host: str, port: int, reach: WebhookReach) -> str:
    """Resolve a host to the IP address to connect to; raises :class:`AddressRefused`.

    The caller connects to this address without another DNS lookup, so that the
    checked address is used. A host with any private address is refused.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # UnicodeError: a label is empty or too long
        raise AddressRefused(f"{host} has no address") from error
    addresses = [str(entry[4][0]) for entry in found]
    if not _are_allowed(reach, host, addresses):
        raise AddressRefused(f"{host} has a private, loopback or link-local address")
    return addresses[0]


def _are_allowed(reach: WebhookReach, host: str, addresses: list[str]) -> bool:
    """Return whether all addresses of a host are allowed.

    Loopback addresses are allowed only for loopback hosts.
    """
    if any(map(is_link_local, addresses)):
        return False
    if reach.has_loopback and is_this_machine(host) and all(map(is_this_machine, addresses)):
        return True
    return all(is_public(address) or _is_allowed(reach, address) for address in addresses)


def _is_allowed(reach: WebhookReach, text: str) -> bool:
    """Return whether an address is in a network that the operator allows."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return any(address in network for network in reach.networks) and not is_link_local(text)


def _may_be_allowed(reach: WebhookReach, host: str) -> bool:
    """Return whether a host may be in an allowed network; names are resolved when sending."""
    if reach.has_loopback and is_this_machine(host):
        return True
    try:
        return _is_allowed(reach, host)
    except ValueError:
        return bool(reach.networks) and not _is_private_host(host)


def is_this_machine(host: str) -> bool:
    """Return whether a host is ``localhost`` or a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_link_local(text: str) -> bool:
    """Return whether an address is link-local, where clouds serve machine credentials."""
    return read_address(text.partition("%")[0]).is_link_local


def is_public(text: str) -> bool:
    """Return whether an IP address belongs to the public internet."""
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
    if not _is_encodable(host):
        return f"{host} is not a host name: each part between dots has 1 to 63 characters."
    if _is_number(host):
        return f"{host} is an address as a number: write it as 192.0.2.7 is written."
    if _may_be_allowed(reach, host):
        return None
    if parts.scheme != "https":
        return "Must begin with https://."
    return (
        "Must not be a private, loopback or link-local address." if _is_private_host(host) else None
    )


def _is_encodable(host: str) -> bool:
    """Return whether a host can be looked up: no label is empty or too long (RFC 1035, 2.3.4)."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def _is_number(host: str) -> bool:
    """Return whether a host is an IPv4 address in another notation, such as 2130706433 or 0x7f.1.

    The system's resolver reads as an address what ends in a number, as browsers do.
    """
    last = host.removesuffix(".").rpartition(".")[2]
    if not re.fullmatch(r"\d+|0x[0-9a-f]*", last):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False


def _is_private_host(host: str) -> bool:
    """Return whether a host is ``localhost`` or an IP address that is not public."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not is_public(host)
    except ValueError:
        return False  # a name, which is resolved when sending
