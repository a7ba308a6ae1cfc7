"""Addresses and networks in their own family."""

import pytest

from app.network_addresses import read_address, read_network


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:C000:201", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_a_mapped_address_is_the_ipv4_address(text: str, address: str) -> None:
    assert str(read_address(text)) == address


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.0/24", "192.0.2.0/24"),
        ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::/0", "::/0"),
        ("2001:db8::/32", "2001:db8::/32"),
    ],
)
def test_a_network_of_mapped_addresses_is_the_ipv4_network(text: str, network: str) -> None:
    assert str(read_network(text)) == network


@pytest.mark.parametrize("text", ["", "ship", "192.0.2.1/24", "300.1.1.1"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"does not appear to be|has host bits"):
        read_network(text)
