"""Idempotency: a repeated request is answered with the stored first response."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import IdempotencyRecord, utc_now
from app.services.errors import Conflict, Invalid
from app.services.platform.actor import Actor
from app.services.problem_codes import ProblemCode

#: Retention of stored responses.
KEPT_FOR = timedelta(hours=24)

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def request_digest(method: str, path: str, body: bytes) -> bytes:
    """Return the digest that identifies equal requests.

    It is keyed with the installation's secret: a body may hold a password, which
    could be guessed from a plain digest.
    """
    secret = (chartroom().settings.secret_key or "").encode()
    return hmac.digest(secret, b"\n".join((method.encode(), path.encode(), body)), "sha256")


def find_answer(session: Session, actor: Actor, key: str, digest: bytes) -> Answer | None:
    """Find the stored response of this request; ``None`` if it is the first one.

    The key is locked for this request until the end of the transaction.

    Raises :class:`Conflict` while another request with the key is in progress and
    :class:`Invalid` when the key was used for another request.
    """
    if not _KEY.fullmatch(key):
        raise Invalid.at("", "Idempotency-Key must be 1 to 255 visible ASCII characters.")
    name = f"{actor.organization_id} {key}"
    if not session.scalar(select(func.pg_try_advisory_xact_lock(func.hashtextextended(name, 0)))):
        raise Conflict(
            "A request with this Idempotency-Key is still in progress.",
            code=ProblemCode.IDEMPOTENCY_KEY_IN_USE,
        )
    session.info["holds_lock"] = True
    record = session.get(IdempotencyRecord, (actor.organization_id, key))
    if record is None:
        return None
    if utc_now() - record.created_at > KEPT_FOR:
        session.delete(record)
        session.flush()
        return None
    if record.request_sha256 != digest:
        raise Invalid.at(
            "",
            "This Idempotency-Key was used for another request.",
            code=ProblemCode.IDEMPOTENCY_KEY_REUSED,
        )
    return Answer(record.status, record.headers, record.body)


def keep_answer(session: Session, actor: Actor, key: str, digest: bytes, answer: Answer) -> None:
    """Store a response in the transaction that did the work."""
    session.add(
        IdempotencyRecord(
            organization_id=actor.organization_id,
            key=key,
            request_sha256=digest,
            status=answer.status,
            headers=dict(answer.headers),
            body=answer.body,
        )
    )
    session.flush()


def forget_old(session: Session) -> None:
    """Delete responses whose retention has ended; needs a cross-tenant session."""
    kept_since = utc_now() - KEPT_FOR
    session.execute(delete(IdempotencyRecord).where(IdempotencyRecord.created_at < kept_since))
