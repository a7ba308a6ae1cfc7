import base64
import hashlib
import hmac
import socket
from ipaddress import ip_network

import pytest

from app.config import WebhookReach
from app.services.webhooks import webhook_addresses, webhook_sending
from app.services.webhooks.webhook_sending import READ_BYTES, Outcome, WebhookMessage, send
from tests.receiver import Answer, Receiver, listening

LOCAL = WebhookReach((ip_network("127.0.0.0/8"), ip_network("::1/128")))


def message_to(url: str, *secrets: bytes) -> WebhookMessage:
    return WebhookMessage(url, "event-7", '{"type":"charting.completed","port":"Ålesund"}', secrets)


def send_to(receiver: Receiver, *answers: Answer, secrets: tuple[bytes, ...] = (b"k",)) -> Outcome:
    receiver.answers = list(answers)
    return send(message_to(receiver.url, *secrets), LOCAL)


def test_it_is_signed_with_every_secret_over_id_time_and_raw_body(receiver: Receiver) -> None:
    outcome = send_to(receiver, secrets=(b"new", b"old"))
    (received,) = receiver.received
    assert outcome.is_success
    assert received.headers["webhook-id"] == "event-7"
    signed = f"event-7.{received.headers['webhook-timestamp']}.".encode() + received.body
    expected = [
        "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        for key in (b"new", b"old")
    ]
    assert received.headers["webhook-signature"].split(" ") == expected
    assert received.headers["Content-Type"] == "application/json"


def test_a_name_is_looked_up_once_and_its_address_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = []

    def look_up(host: str, port: int, *_rest: object, **_options: object) -> list[object]:
        looked_up.append(host)
        # another address every time; a number stands for itself
        address = f"127.0.0.{len(looked_up)}" if host == "fleet.example" else host
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(webhook_addresses.socket, "getaddrinfo", look_up)
    port = receiver.url.rpartition(":")[2].partition("/")[0]
    outcome = send(message_to(f"http://fleet.example:{port}/hooks?a=1", b"k"), LOCAL)
    assert outcome.is_success
    assert looked_up.count("fleet.example") == 1
    assert receiver.received[0].headers["Host"] == f"fleet.example:{port}"
    assert receiver.received[0].path == "/hooks?a=1"


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    outcome = send_to(receiver, Answer(302, {"Location": receiver.url}))
    assert (outcome.status, outcome.error) == (302, "redirects are not followed")
    assert not outcome.is_success
    assert len(receiver.received) == 1


def test_of_a_large_answer_only_the_beginning_is_read(receiver: Receiver) -> None:
    megabyte = b"x" * 2**20
    outcome = send_to(receiver, Answer(200, body=megabyte, times=50))
    assert outcome.is_success
    assert outcome.excerpt == "x" * 500
    assert READ_BYTES <= 4096
    assert receiver.sent_bytes < 20 * 2**20, "the rest was taken all the same"


def test_a_receiver_that_hangs_is_left(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_sending, "READ_TIMEOUT_S", 0.2)
    outcome = send_to(receiver, Answer(hangs_s=60))
    assert (outcome.status, outcome.error) == (None, "no answer in time")
    assert 150 < outcome.duration_ms < 30_000


def test_an_unreachable_receiver_is_an_outcome() -> None:
    with listening() as receiver:
        url = receiver.url
    outcome = send(message_to(url, b"k"), LOCAL)
    assert (outcome.status, outcome.error) == (None, "no connection")


def test_a_name_that_cannot_be_looked_up_is_an_outcome() -> None:
    outcome = send(message_to("https://a..b/hooks", b"k"), LOCAL)
    assert (outcome.status, outcome.error) == (None, "a..b has no address")


def test_loopback_is_not_reached_unless_it_is_allowed(receiver: Receiver) -> None:
    outcome = send(message_to(receiver.url, b"k"), WebhookReach())
    assert "loopback" in outcome.error
    assert receiver.received == []


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("120", 120), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", None), (None, None)],
)  # fmt: skip
def test_what_a_receiver_asks_to_wait_is_read(
    receiver: Receiver, header: str | None, seconds: int | None
) -> None:
    headers = {} if header is None else {"Retry-After": header}
    assert send_to(receiver, Answer(503, headers)).retry_after_s == seconds


def test_plain_http_is_not_taken_for_a_secure_answer(receiver: Receiver) -> None:
    outcome = send(message_to(receiver.url.replace("http:", "https:"), b"k"), LOCAL)
    assert "no secure connection" in outcome.error
