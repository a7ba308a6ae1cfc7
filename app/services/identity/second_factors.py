"""Second factors: time-based codes (RFC 6238), and recovery codes for all that may be lost.

Passkeys are second factors too, see :mod:`app.services.identity.passkeys`.
"""

import io
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import pyotp
import segno
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import Passkey, RecoveryCode, SecondFactor, User, utc_now
from app.services.errors import TooManyRequests, Unauthenticated, Unavailable
from app.services.identity import ciphers
from app.services.platform import audit
from app.services.platform.actor import Actor

ISSUER: Final = "Chartroom"
RECOVERY_CODES: Final = 10
#: Wrong codes that a user may enter within the window [s].
MOST_WRONG: Final = 5
WINDOW_S: Final = 900

_STEP_S: Final = 30
#: Steps that an authenticator's clock may be off (RFC 6238, 5.2).
_DRIFT: Final = 1
#: Letters and digits that are not easily confused.
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_LETTERS_A_CODE: Final = 12

_WRONG: Final = "Wrong code. Enter the current one, or a recovery code."
_WRONG_FIRST: Final = "Wrong code. Enter the one that the authenticator shows now."
_WRONG_RECOVERY: Final = "Wrong recovery code. Each is accepted once."
_NOT_OFFERED: Final = "This authenticator is no longer offered. Set up the new one shown here."


@dataclass(frozen=True, slots=True)
class Offer:
    """A new authenticator, to be confirmed by its first code."""

    secret: str
    svg: str


def find(session: Session, user_id: UUID) -> SecondFactor | None:
    """A user's authenticator, confirmed or not."""
    return session.get(SecondFactor, user_id)


def has_authenticator(session: Session, user_id: UUID) -> bool:
    """Return whether a user has a confirmed authenticator."""
    factor = find(session, user_id)
    return factor is not None and factor.confirmed_at is not None


def is_in_use(session: Session, user_id: UUID) -> bool:
    """Return whether a user signs in with a second factor: an authenticator or a passkey."""
    passkey = select(Passkey.id).where(Passkey.user_id == user_id).limit(1)
    return has_authenticator(session, user_id) or session.scalar(passkey) is not None


def offer(session: Session, user: User) -> Offer:
    """Offer an authenticator to set up; the same one until it is confirmed.

    One that was offered before ``SECRET_KEY`` changed is replaced.
    """
    if find(session, user.id) is None:
        _add(session, user)
    factor = session.get_one(SecondFactor, user.id, with_for_update=True)
    try:
        secret = ciphers.decipher(factor.secret_enciphered)
    except Unavailable:
        if factor.confirmed_at is not None:
            raise
        secret = pyotp.random_base32()
        factor.secret_enciphered = ciphers.encipher(secret)
    address = pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=ISSUER)
    return Offer(secret, _draw(address))


def _add(session: Session, user: User) -> None:
    """Store a new authenticator, unless another request has stored one meanwhile."""
    values = {
        "organization_id": user.organization_id,
        "user_id": user.id,
        "secret_enciphered": ciphers.encipher(pyotp.random_base32()),
        "created_at": utc_now(),
        "last_step": 0,
    }
    session.execute(insert(SecondFactor).values(values).on_conflict_do_nothing())


def confirm(session: Session, user: User, code: str) -> list[str]:
    """Confirm an authenticator with its first code.

    Returns recovery codes if it is the user's first second factor.

    Raises :class:`Unauthenticated` for a wrong code and if the authenticator was removed,
    :class:`TooManyRequests` for too many codes.
    """
    factor = session.get(SecondFactor, user.id, with_for_update=True)
    if factor is None:
        raise Unauthenticated(_NOT_OFFERED)
    _guard(user.id, lambda: "" if _take_code(factor, code) else _WRONG_FIRST)
    is_first = not is_in_use(session, user.id)
    factor.confirmed_at = utc_now()
    return renew_recovery_codes(session, user) if is_first else []


def renew_recovery_codes(session: Session, user: User) -> list[str]:
    """Create new recovery codes, and delete the former ones."""
    session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    codes = [_make_recovery_code() for _ in range(RECOVERY_CODES)]
    session.add_all(
        RecoveryCode(
            organization_id=user.organization_id,
            user_id=user.id,
            code_sha256=_digest(code),
        )
        for code in codes
    )
    session.flush()
    return codes


def check(session: Session, user_id: UUID, code: str) -> None:
    """Accept a code of the authenticator or a recovery code; each is valid only once.

    Raises :class:`Unauthenticated` for a wrong code, :class:`TooManyRequests` for too many.
    """

    def take() -> str:
        factor = session.get(SecondFactor, user_id, with_for_update=True)
        if _take_recovery_code(session, user_id, code):
            return ""
        if factor is None or factor.confirmed_at is None:
            return _WRONG_RECOVERY
        return "" if _take_code(factor, code) else _WRONG

    _guard(user_id, take)
    session.flush()


def remove_authenticator(session: Session, user_id: UUID) -> None:
    """Remove a user's authenticator, and the recovery codes with the last second factor."""
    session.execute(delete(SecondFactor).where(SecondFactor.user_id == user_id))
    remove_unneeded_codes(session, user_id)


def remove_all(session: Session, user: User, actor: Actor) -> None:
    """Remove a user's authenticator, passkeys and recovery codes, and record it."""
    for table in (RecoveryCode, SecondFactor, Passkey):
        session.execute(delete(table).where(table.user_id == user.id))
    audit.record(session, actor, audit.Action.FACTOR_REMOVED, user.id, before={"factor": "all"})


def remove_unneeded_codes(session: Session, user_id: UUID) -> None:
    """Remove the recovery codes of a user without a second factor."""
    if not is_in_use(session, user_id):
        session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))


def users_with(session: Session, organization_id: UUID) -> frozenset[UUID]:
    """The users of an organization who sign in with a second factor."""
    authenticators = select(SecondFactor.user_id).where(
        SecondFactor.organization_id == organization_id, SecondFactor.confirmed_at.isnot(None)
    )
    passkeys = select(Passkey.user_id).where(Passkey.organization_id == organization_id)
    return frozenset(session.scalars(authenticators.union(passkeys)))


def codes_left(session: Session, user_id: UUID) -> int:
    """Count the recovery codes that are still valid."""
    query = select(func.count()).where(
        RecoveryCode.user_id == user_id, RecoveryCode.used_at.is_(None)
    )
    return session.scalar(query) or 0


def _guard(user_id: UUID, take: Callable[[], str]) -> None:
    """Limit wrong codes: after too many, even the correct code is refused for a while.

    ``take`` takes the code and returns why it is refused, "" if it is accepted.
    """
    redis, name = chartroom().redis, f"chartroom:code:{user_id}"
    # counted before the check, so that concurrent attempts are all counted
    wrong = int(redis.incr(name))  # type: ignore[arg-type]
    redis.expire(name, WINDOW_S, nx=True)
    if wrong > MOST_WRONG:
        wait_s = max(int(redis.ttl(name)), 1)  # type: ignore[arg-type]
        raise TooManyRequests(
            f"Too many wrong codes. Wait {-(-wait_s // 60)} min, then try again.",
            retry_after_s=wait_s,
        )
    if fault := take():
        raise Unauthenticated(fault)
    redis.delete(name)


def _take_code(factor: SecondFactor, code: str) -> bool:
    """Accept a current code that is newer than the last accepted one; return whether it is."""
    totp = pyotp.TOTP(ciphers.decipher(factor.secret_enciphered))
    typed, now = code.replace(" ", ""), int(time.time()) // _STEP_S
    for step in range(now - _DRIFT, now + _DRIFT + 1):
        if step > factor.last_step and secrets.compare_digest(
            totp.generate_otp(step).encode(), typed.encode()
        ):
            factor.last_step = step
            return True
    return False


def _take_recovery_code(session: Session, user_id: UUID, code: str) -> bool:
    query = select(RecoveryCode).where(
        RecoveryCode.user_id == user_id,
        RecoveryCode.code_sha256 == _digest(code),
        RecoveryCode.used_at.is_(None),
    )
    found = session.scalar(query.with_for_update())
    if found is not None:
        found.used_at = utc_now()
    return found is not None


def _make_recovery_code() -> str:
    letters = "".join(secrets.choice(_LETTERS) for _ in range(_LETTERS_A_CODE))
    return "-".join(letters[start : start + 4] for start in range(0, _LETTERS_A_CODE, 4))


def _digest(code: str) -> bytes:
    """Digest of a code without case, hyphens and spaces: 59 random bits."""
    return ciphers.digest(code.lower().replace("-", "").replace(" ", ""))


def _draw(address: str) -> str:
    """Draw the address as a QR code, dark on light in every theme."""
    out = io.BytesIO()
    segno.make(address, error="m").save(
        out,
        kind="svg",
        scale=4,
        border=4,
        light="#fff",
        xmldecl=False,
        svgclass="qr",
        lineclass=None,
    )
    return out.getvalue().decode()
