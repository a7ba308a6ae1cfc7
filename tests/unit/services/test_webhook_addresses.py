import socket
from ipaddress import ip_network

import pytest

from app.config import WebhookReach
from app.services.errors import Invalid
from app.services.webhooks import webhook_addresses
from app.services.webhooks.webhook_addresses import AddressRefused, check_url, is_public, resolve

PUBLIC, LOOPBACK = WebhookReach(), WebhookReach(has_loopback=True)
PRIVATE = WebhookReach((ip_network("0.0.0.0/0"), ip_network("::/0")))
NAMED = WebhookReach((ip_network("10.1.0.0/16"),))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "0.0.0.7", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255", "192.0.2.7", "198.18.0.1",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
        "2002:7f00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1",
    ],
)  # fmt: skip
def test_an_address_inside_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111"])
def test_an_address_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "", "fleet.example", "ftp://fleet.example/", "https://", "https:///hooks",
        "http://fleet.example/", "https://127.0.0.1/", "https://localhost/", "https://LOCALHOST/",
        "https://hooks.localhost/", "https://[::1]/", "https://192.168.1.1:8443/x",
        "https://anna:secret@fleet.example/", "https://fleet.example/#part",
        "https://fleet.example:99999/", "https://fleet.example:0/", "https://fleet.example/a b",
        "https://fleet.example/\r\nX-Extra: 1", "https://füür.example/", "https://fleet.example\\@x/",
        "https://[fleet.example/",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_receiver_is_refused_at_its_place(url: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_url(url, PUBLIC)
    assert [fault.pointer for fault in refused.value.faults] == ["/url"]


@pytest.mark.parametrize("host", ["a..b", ".fleet.example", f"{'a' * 64}.example"])
def test_a_name_that_cannot_be_looked_up_is_refused(host: str) -> None:
    for reach in (PUBLIC, PRIVATE):
        with pytest.raises(Invalid) as refused:
            check_url(f"https://{host}/hooks", reach)
        (fault,) = refused.value.faults
        assert fault.pointer == "/url"
        assert host in fault.detail
        with pytest.raises(AddressRefused, match="has no address"):
            resolve(host, 443, reach)


def test_an_address_of_a_receiver_is_taken() -> None:
    check_url("https://fleet.example:8443/hooks?ship=7", PUBLIC)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "10.0.0.256", "1.2.3.4."]
)
def test_an_address_in_another_notation_is_refused_with_the_usual_one(host: str) -> None:
    for reach in (PUBLIC, PRIVATE, LOOPBACK):
        with pytest.raises(Invalid) as refused:
            check_url(f"https://{host}/hooks", reach)
        (fault,) = refused.value.faults
        assert host in fault.detail
        assert "192.0.2.7" in fault.detail


@pytest.mark.parametrize("host", ["7seas.example", "0x7f.example", "2130706433.example"])
def test_a_name_with_a_number_in_it_is_taken(host: str) -> None:
    check_url(f"https://{host}/hooks", PUBLIC)


def test_private_networks_and_plain_http_are_the_operators_to_allow() -> None:
    check_url("http://10.0.0.7/hooks", PRIVATE)
    with pytest.raises(Invalid):
        check_url("ftp://10.0.0.7/hooks", PRIVATE)


@pytest.mark.parametrize(
    "url", ["http://localhost:9000/hooks", "http://127.0.0.1:9000/", "https://[::1]/hooks"]
)
def test_a_receiver_on_a_developers_own_machine_is_taken_where_that_is_allowed(url: str) -> None:
    check_url(url, LOOPBACK)
    with pytest.raises(Invalid):
        check_url(url, PUBLIC)


@pytest.mark.parametrize(
    "url",
    ["http://10.0.0.7/", "https://192.168.1.1/", "http://fleet.example/", "https://a.localhost/"],
)
def test_ones_own_machine_is_no_private_network(url: str) -> None:
    with pytest.raises(Invalid):
        check_url(url, LOOPBACK)


def answer_with(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def look_up(_host: str, port: int, **_options: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(webhook_addresses.socket, "getaddrinfo", look_up)


def test_one_private_address_among_several_refuses_them_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer_with(monkeypatch, "8.8.8.8", "10.0.0.1")
    with pytest.raises(AddressRefused, match="private"):
        resolve("fleet.example", 443, PUBLIC)
    answer_with(monkeypatch, "8.8.8.8", "9.9.9.9")
    assert resolve("fleet.example", 443, PUBLIC) == "8.8.8.8"


def test_only_its_own_name_leads_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, "127.0.0.1")
    assert resolve("localhost", 9000, LOOPBACK) == "127.0.0.1"
    with pytest.raises(AddressRefused):
        resolve("rebound.example", 443, LOOPBACK)
    answer_with(monkeypatch, "10.0.0.1")
    with pytest.raises(AddressRefused):
        resolve("localhost", 9000, LOOPBACK)


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1"])
def test_loopback_in_another_spelling_is_found_out(host: str) -> None:
    with pytest.raises(AddressRefused):
        resolve(host, 443, PUBLIC)


@pytest.mark.parametrize("text", ["::ffff:8.8.8.8", "::8.8.8.8", "::ffff:169.254.169.254"])
def test_an_address_of_version_4_in_one_of_version_6_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("text", ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254"])
def test_link_local_is_never_reached_though_private_networks_are(text: str) -> None:
    with pytest.raises(AddressRefused):
        resolve(text, 443, PRIVATE)


def test_only_the_networks_that_are_named_are_reached() -> None:
    check_url("http://10.1.2.3/hooks", NAMED)
    assert resolve("10.1.2.3", 443, NAMED) == "10.1.2.3"
    for inside in ("10.2.0.1", "127.0.0.1", "192.168.1.1", "169.254.169.254", "::1"):
        with pytest.raises(AddressRefused):
            resolve(inside, 443, NAMED)
    for url in (
        "https://10.2.0.1/",
        "http://127.0.0.1/",
        "http://localhost/",
        "https://169.254.1.1/",
    ):
        with pytest.raises(Invalid):
            check_url(url, NAMED)
