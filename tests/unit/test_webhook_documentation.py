"""Receivers that follow the chapter on webhooks verify what is sent."""

import re
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from app.config import WebhookReach
from app.models import EventKind
from app.services.webhooks.webhook_endpoints import SUBSCRIBABLE_EVENTS, format_secret
from app.services.webhooks.webhook_sending import WebhookMessage, send
from tests.receiver import Receiver

CHAPTER = Path(__file__).parents[2] / "docs" / "api" / "webhooks.md"

LOCAL = WebhookReach((ip_network("127.0.0.0/8"), ip_network("::1/128")))
SECRET = b"a secret of thirty-two bytes ..."


@pytest.fixture
def verify() -> Callable[[str, dict[str, str], bytes], None]:
    """The function that the chapter shows."""
    code = re.search(r"^```python\n(.*?)^```$", CHAPTER.read_text(), re.DOTALL | re.MULTILINE)
    assert code is not None
    shown: dict[str, Any] = {}
    exec(code[1], shown)  # noqa: S102 - the point of the test
    function: Callable[[str, dict[str, str], bytes], None] = shown["verify"]
    return function


def test_the_chapters_example_verifies_what_is_sent_and_nothing_else(
    receiver: Receiver, verify: Callable[[str, dict[str, str], bytes], None]
) -> None:
    send(WebhookMessage(receiver.url, "7", '{"data":"Ærø"}', (b"new", SECRET)), LOCAL)
    (received,) = receiver.received
    secret = format_secret(SECRET)
    verify(secret, received.headers, received.body)
    stale = received.headers | {"webhook-timestamp": "1700000000"}
    for headers, body, key in (
        (received.headers, received.body + b" ", secret),
        (received.headers | {"webhook-id": "8"}, received.body, secret),
        (received.headers, received.body, format_secret(b"another")),
        (stale, received.body, secret),
    ):
        with pytest.raises(ValueError, match=r"signed with another|too old"):
            verify(key, headers, body)


def test_the_chapter_lists_every_event() -> None:
    listed = re.findall(r"^\| `([a-z.]+)` \|", CHAPTER.read_text(), re.MULTILINE)
    assert listed == [str(kind) for kind in SUBSCRIBABLE_EVENTS]
    assert f"`{EventKind.WEBHOOK_TEST}`" in CHAPTER.read_text()
