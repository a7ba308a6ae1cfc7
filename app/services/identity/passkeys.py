"""Passkeys (W3C Web Authentication, Level 3): registration, and proof by their signatures."""

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    decode_credential_public_key,
    decoded_public_key_to_cryptography,
    options_to_json_dict,
    parse_authentication_credential_json,
    parse_registration_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from app.extensions import chartroom
from app.models import Passkey, User, utc_now
from app.records.texts import find_text_fault
from app.services.errors import Conflict, Invalid, Unauthenticated
from app.services.identity import second_factors, users
from app.services.platform.ids import flush, get_row
from app.services.platform.sessions import cross_tenant_session

#: Validity of a challenge [s].
CHALLENGE_S: Final = 300
MOST_OF_USER: Final = 20
LONGEST_NAME: Final = 60

#: Parts of a challenge: the time at which it ends [s since 1970], and random bytes.
_TIME_BYTES: Final = 8
_RANDOM_BYTES: Final = 24
#: Ports that browsers leave out of an origin.
_DEFAULT_PORTS: Final = {"https": 443, "http": 80}
#: What the library raises for an answer that no browser makes: it relies on types and keys of CBOR.
_MALFORMED: Final = (
    WebAuthnException,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)

_EXPIRED: Final = "The passkey was asked for more than 5 minutes ago. Try again."
_REFUSED: Final = (
    "This passkey was not accepted. Use one that is registered for your account, or a code."
)
_NOT_REGISTERED: Final = "This passkey cannot be registered. Try again, or use another device."
_OF_PROVIDER: Final = "You sign in with your organization's account, without a passkey."
_COPIED: Final = (
    "This passkey was refused, because it may have been copied. Use another one or a code, then"
    " remove this one on the page Second factor."
)


class SignCountFellBack(Unauthenticated):
    """An authenticator counted no further: another one has its private key (WebAuthn 6.1.1)."""


@dataclass(frozen=True, slots=True)
class Ceremony:
    """A challenge to sign, and the address at which browsers use the passkey."""

    origin: str
    challenge: bytes

    @property
    def rp_id(self) -> str:
        """Host name that passkeys belong to."""
        return urlsplit(self.origin).hostname or ""


def begin(root_url: str) -> Ceremony:
    """Begin a ceremony; the caller's session keeps its challenge.

    The server stores nothing, because anybody may ask for a challenge. ``root_url`` is the root
    of the request's URL; ``PUBLIC_URL`` has priority.
    """
    ends_at = int(time.time()) + CHALLENGE_S
    challenge = ends_at.to_bytes(_TIME_BYTES) + secrets.token_bytes(_RANDOM_BYTES)
    return Ceremony(_origin(root_url), challenge)


def resume(challenge: bytes, root_url: str) -> Ceremony:
    """Return the ceremony of a session's challenge.

    Raises :class:`Unauthenticated` if it has ended.
    """
    if int.from_bytes(challenge[:_TIME_BYTES]) <= time.time():
        raise Unauthenticated(_EXPIRED)
    return Ceremony(_origin(root_url), challenge)


def _end(ceremony: Ceremony) -> None:
    """End a ceremony whose answer is valid.

    Raises :class:`Unauthenticated` the second time, as for a copy of the session's cookie.
    """
    name = f"chartroom:passkey-challenge:{ceremony.challenge.hex()}"
    if not chartroom().redis.set(name, 1, ex=CHALLENGE_S, nx=True):
        raise Unauthenticated(_EXPIRED)


def list_of(session: Session, user_id: UUID) -> list[Passkey]:
    """A user's passkeys, the oldest first."""
    query = select(Passkey).where(Passkey.user_id == user_id)
    return list(session.scalars(query.order_by(Passkey.id)))


def find_registration_fault(user: User) -> str:
    """Explain why a user may not register a passkey; "" if they may."""
    return "" if _is_local(has_password=user.password_hash is not None) else _OF_PROVIDER


def _is_local(*, has_password: bool) -> bool:
    """Return whether a user may sign in without the OpenID provider.

    One without a password may not where there is a provider, even one who is no longer linked to
    an account there: the provider may have shut them out.
    """
    settings = chartroom().settings
    return settings.has_local_sign_in and (has_password or settings.openid is None)


def registration_options(
    session: Session, user: User, name: str, ceremony: Ceremony
) -> dict[str, Any]:
    """Options for a browser to make a passkey.

    Raises :class:`Invalid` for a wrong name and :class:`Conflict` if the user has too many or may
    not have any.
    """
    _check_name(name)
    _check_may_register(user)
    own = list_of(session, user.id)
    if len(own) >= MOST_OF_USER:
        raise Conflict(f"You have {MOST_OF_USER} passkeys. Remove one before you add another.")
    options = generate_registration_options(
        rp_id=ceremony.rp_id,
        rp_name=second_factors.ISSUER,
        user_id=user.id.bytes,
        user_name=user.email,
        user_display_name=user.name or user.email,
        challenge=ceremony.challenge,
        timeout=CHALLENGE_S * 1000,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=_describe(own),
    )
    return options_to_json_dict(options)


def register(
    session: Session, user: User, name: str, credential: str, ceremony: Ceremony
) -> list[str]:
    """Store a new passkey; return recovery codes if it is the user's first second factor.

    Raises :class:`Invalid` for a wrong name, :class:`Unauthenticated` for an answer to something
    else, and :class:`Conflict` for a passkey that is registered already, and for a user who may
    have none.
    """
    _check_name(name)
    _check_may_register(user)
    try:
        answer = parse_registration_credential_json(credential)
        made = verify_registration_response(
            credential=answer,
            expected_challenge=ceremony.challenge,
            expected_rp_id=ceremony.rp_id,
            expected_origin=ceremony.origin,
        )
        # without attestation nothing has used the key so far
        decoded_public_key_to_cryptography(decode_credential_public_key(made.credential_public_key))
    except _MALFORMED as error:
        raise Unauthenticated(_NOT_REGISTERED) from error
    _end(ceremony)
    is_first = not second_factors.is_in_use(session, user.id)
    session.add(
        Passkey(
            organization_id=user.organization_id,
            user_id=user.id,
            credential_id=made.credential_id,
            public_key=made.credential_public_key,
            sign_count=made.sign_count,
            transports=[transport.value for transport in answer.response.transports or ()],
            name=name.strip(),
        )
    )
    taken = Conflict("This passkey is registered already. Use another device.")
    flush(session, {"uq_passkey_credential_id": taken})
    return second_factors.renew_recovery_codes(session, user) if is_first else []


def sign_in_options(session: Session, user_id: UUID, ceremony: Ceremony) -> dict[str, Any]:
    """Options for a browser to use one of a user's passkeys, as a second factor."""
    allowed = _describe(list_of(session, user_id))
    return _ask(ceremony, UserVerificationRequirement.PREFERRED, allowed)


def sole_options(ceremony: Ceremony) -> dict[str, Any]:
    """Options for a browser to use any passkey, in place of password and second factor."""
    return _ask(ceremony, UserVerificationRequirement.REQUIRED, [])


def find_user(credential: str) -> users.SignedIn:
    """Find the active user of a passkey, not yet checked.

    Raises :class:`Unauthenticated`, also for a user whom only an OpenID provider lets in.
    """
    query = select(Passkey.user_id).where(Passkey.credential_id == _credential_id(credential))
    with cross_tenant_session() as session:
        user_id = session.scalar(query)
    known = users.find_active(user_id) if user_id else None
    if known is None:
        raise Unauthenticated(_REFUSED)
    if not _is_local(has_password=known.has_password):
        raise Unauthenticated(_OF_PROVIDER)
    return known


def check(
    session: Session, user_id: UUID, credential: str, ceremony: Ceremony, *, is_sole: bool = False
) -> None:
    """Accept a passkey of a user; ``is_sole`` requires that its device verified the user.

    Raises :class:`Unauthenticated`; :class:`SignCountFellBack` if the passkey may be copied.
    """
    query = select(Passkey).where(
        Passkey.user_id == user_id, Passkey.credential_id == _credential_id(credential)
    )
    passkey = session.scalar(query.with_for_update())
    if passkey is None:
        raise Unauthenticated(_REFUSED)
    count = _verify(passkey, credential, ceremony, is_sole)
    if (count or passkey.sign_count) and count <= passkey.sign_count:
        raise SignCountFellBack(_COPIED, name=passkey.name, was=passkey.sign_count, now=count)
    passkey.sign_count = count
    passkey.last_used_at = utc_now()
    session.flush()


def get(session: Session, user_id: UUID, passkey_id: str) -> Passkey:
    """A user's passkey; raises :class:`NotFound`."""
    query = select(Passkey).filter_by(user_id=user_id)
    return get_row(session, query, passkey_id, "passkey")


def remove(session: Session, user_id: UUID, passkey: Passkey) -> None:
    """Remove a passkey, and the recovery codes with the last second factor."""
    session.execute(delete(Passkey).where(Passkey.id == passkey.id))
    second_factors.remove_unneeded_codes(session, user_id)


def _ask(
    ceremony: Ceremony,
    verification: UserVerificationRequirement,
    allowed: list[PublicKeyCredentialDescriptor],
) -> dict[str, Any]:
    options = generate_authentication_options(
        rp_id=ceremony.rp_id,
        challenge=ceremony.challenge,
        timeout=CHALLENGE_S * 1000,
        allow_credentials=allowed,
        user_verification=verification,
    )
    return options_to_json_dict(options)


def _verify(passkey: Passkey, credential: str, ceremony: Ceremony, is_sole: bool) -> int:
    """Return the count of a valid signature; the caller compares it with the stored one."""
    try:
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=ceremony.challenge,
            expected_rp_id=ceremony.rp_id,
            expected_origin=ceremony.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=0,
            require_user_verification=is_sole,
        )
    except _MALFORMED as error:
        raise Unauthenticated(_REFUSED) from error
    _end(ceremony)
    return verified.new_sign_count


def _credential_id(credential: str) -> bytes:
    try:
        return parse_authentication_credential_json(credential).raw_id
    except _MALFORMED as error:
        raise Unauthenticated(_REFUSED) from error


def _describe(passkeys: Iterable[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=passkey.credential_id,
            transports=[AuthenticatorTransport(each) for each in passkey.transports],
        )
        for passkey in passkeys
    ]


def _check_may_register(user: User) -> None:
    if fault := find_registration_fault(user):
        raise Conflict(fault)


def _check_name(name: str) -> None:
    plain = name.strip()
    fault = find_text_fault(plain)
    if not plain:
        fault = "Enter a name, such as Bridge laptop."
    elif len(plain) > LONGEST_NAME:
        fault = f"Enter up to {LONGEST_NAME} characters; these are {len(plain)}."
    if fault:
        raise Invalid.at("/name", fault)


def _origin(root_url: str) -> str:
    """Origin of the installation as browsers state it (RFC 6454, 6.1)."""
    parts = urlsplit(chartroom().settings.public_url or root_url)
    port = f":{parts.port}" if parts.port not in (None, _DEFAULT_PORTS.get(parts.scheme)) else ""
    return f"{parts.scheme}://{parts.hostname}{port}"
