"""Sending of one webhook: signed, to a checked address, with limited reading of the response.

Signatures follow Standard Webhooks 1.0.0 (standardwebhooks.com): HMAC-SHA-256 over
id, time and raw body, one for each valid secret.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from rq.timeouts import JobTimeoutException
from standardwebhooks import Webhook
from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool, Retry, Timeout
from urllib3.exceptions import HTTPError, NewConnectionError, SSLError, TimeoutError

from app.config import WebhookReach
from app.engine import __version__
from app.services.webhooks.webhook_addresses import AddressRefused, port_of, resolve

#: Timeouts of connecting and of reading [s].
CONNECT_TIMEOUT_S: Final = 5.0
READ_TIMEOUT_S: Final = 10.0
#: Time of connection and answer beyond which a receiver is slow [s].
SLOW_AFTER_S: Final = 2.0
#: Largest part of a response that is read [bytes] and stored [characters].
READ_BYTES: Final = 4096
KEPT_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """A body to send, its destination, and the secrets to sign it with."""

    url: str
    event_id: str
    body: str
    secrets: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a delivery attempt: the response's ``status``, or the reason in ``error``."""

    sent_at: datetime
    duration_ms: int
    status: int | None = None
    error: str | None = None
    excerpt: str | None = None
    retry_after_s: int | None = None

    @property
    def is_success(self) -> bool:
        """Return whether the receiver accepted the webhook."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_slow(self) -> bool:
        """Return whether the receiver answered late or not at all."""
        return self.status is None or self.duration_ms > 1000 * SLOW_AFTER_S

    @property
    def is_gone(self) -> bool:
        """Return whether the receiver refuses all further webhooks (410 Gone)."""
        return self.status == 410


def send(message: WebhookMessage, reach: WebhookReach) -> Outcome:
    """Send a webhook once; every response and every error is an outcome.

    The job's timeout also ends connections to receivers that respond very slowly.
    """
    begun, sent_at = time.monotonic(), datetime.now(UTC)
    result: dict[str, Any]
    try:
        result = _post(message, sent_at, reach)
    except AddressRefused as refused:
        result = {"error": str(refused)}
    except NewConnectionError:
        result = {"error": "no connection"}
    except (TimeoutError, JobTimeoutException):
        result = {"error": "no answer in time"}
    except SSLError as error:
        result = {"error": f"no secure connection: {error}"[:KEPT_CHARACTERS]}
    except (HTTPError, OSError) as error:
        result = {"error": f"no answer: {type(error).__name__}"}
    return Outcome(sent_at, round(1000 * (time.monotonic() - begun)), **result)


def sign(message: WebhookMessage, sent_at: datetime) -> dict[str, str]:
    """Headers with the id, time and signatures of a webhook."""
    signatures = (
        Webhook(secret).sign(message.event_id, sent_at, message.body) for secret in message.secrets
    )
    return {
        "webhook-id": message.event_id,
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _post(message: WebhookMessage, sent_at: datetime, reach: WebhookReach) -> dict[str, Any]:
    parts = urlsplit(message.url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": f"Chartroom-Webhooks/{__version__}",
        **sign(message, sent_at),
    }
    with _connection_pool(message.url, reach) as pool:
        answer = pool.urlopen(
            "POST", path, message.body.encode(), headers, retries=False, redirect=False,
            preload_content=False, decode_content=False,
        )  # fmt: skip
        try:
            return _read(answer)  # type: ignore[arg-type] # an HTTPResponse, preload or not
        finally:
            answer.close()  # drops the connection, also if the response is longer


def _connection_pool(url: str, reach: WebhookReach) -> HTTPConnectionPool:
    """Connection pool to the present IP address of a host, with TLS verified for its name."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    address = resolve(host, port_of(parts), reach)
    timeout = Timeout(connect=CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S)
    if parts.scheme == "http":
        return HTTPConnectionPool(address, port_of(parts), timeout=timeout)
    return HTTPSConnectionPool(
        address, port_of(parts), timeout=timeout, server_hostname=host, assert_hostname=host
    )


def _read(answer: HTTPResponse) -> dict[str, Any]:
    result: dict[str, Any] = {
        "status": answer.status,
        "retry_after_s": _seconds(answer.headers.get("Retry-After")),
    }
    if 300 <= answer.status < 400:
        result["error"] = "redirects are not followed"
    try:
        start = answer.read(READ_BYTES, decode_content=False)
    except (HTTPError, OSError):
        start = b""  # the status alone decides on success
    text = start.decode("utf-8", "replace").replace("\0", "")
    return result | {"excerpt": text[:KEPT_CHARACTERS] or None}


def _seconds(retry_after: str | None) -> int | None:
    """Seconds of a ``Retry-After`` header in either of its forms (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    try:
        return max(0, int(Retry().parse_retry_after(retry_after)))
    except (HTTPError, ValueError, OverflowError):
        return None
