"""Mail to users through the operator's server, if one is configured."""

import logging
import smtplib
from collections.abc import Iterable
from email.message import EmailMessage
from threading import Thread
from typing import Final
from urllib.parse import unquote, urlsplit

from flask import current_app

from app.extensions import chartroom

logger = logging.getLogger(__name__)

_TIMEOUT_S: Final = 10.0
_DEFAULT_PORT: Final = {"smtp": 587, "smtps": 465}
#: What smtplib raises, and what the standard library raises for addresses that it cannot parse.
_FAILURES: Final = (
    OSError,
    smtplib.SMTPException,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


def is_configured() -> bool:
    """Return whether mail can be sent."""
    return chartroom().settings.smtp_url is not None


def send(to: str, subject: str, text: str) -> bool:
    """Send a message; return whether the server accepted it."""
    settings = chartroom().settings
    if settings.smtp_url is None:
        return False
    message = EmailMessage()
    message["Subject"] = subject
    message.set_content(text)
    try:
        message["From"] = settings.mail_from or "chartroom@localhost"
        message["To"] = to
        _hand_over(settings.smtp_url, message)
    except _FAILURES as error:
        logger.warning("mail was not sent: %s", type(error).__name__)
        return False
    return True


def send_later(letters: Iterable[tuple[str, str, str]]) -> None:
    """Send messages in a thread, so that the time of a response does not reveal who has one.

    Each has an address, a subject and a text. The thread iterates over the letters, outside
    the request.
    """
    context = current_app.app_context()

    def send_all() -> None:
        with context:
            for letter in letters:
                send(*letter)

    Thread(target=send_all).start()


def _hand_over(smtp_url: str, message: EmailMessage) -> None:
    """Submit a message to the server: ``smtp`` with STARTTLS if offered, ``smtps`` with TLS."""
    url = urlsplit(smtp_url)
    kind = smtplib.SMTP_SSL if url.scheme == "smtps" else smtplib.SMTP
    port = url.port or _DEFAULT_PORT[url.scheme]
    with kind(url.hostname or "localhost", port, timeout=_TIMEOUT_S) as server:
        server.ehlo()
        if url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls()
            server.ehlo()
        if url.username:
            server.login(unquote(url.username), unquote(url.password or ""))
        server.send_message(message)
