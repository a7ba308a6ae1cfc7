"""Network addresses and networks, always in their own family.

A dual-stack socket names an IPv4 client by its IPv4-mapped IPv6 address, such as
``::ffff:192.0.2.1``, which no IPv4 network contains.
"""

import ipaddress
from typing import Final, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

#: Bits of an IPv4-mapped IPv6 address before those of the IPv4 address.
_MAPPED_BITS: Final = 96


def read_address(text: str) -> Address:
    """Read an address, an IPv4-mapped one as IPv4; raises :class:`ValueError`."""
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def read_network(text: str) -> Network:
    """Read a network, one of IPv4-mapped addresses as IPv4; raises :class:`ValueError`."""
    network = ipaddress.ip_network(text)
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < _MAPPED_BITS:
        return network
    return ipaddress.IPv4Network((mapped, network.prefixlen - _MAPPED_BITS))
