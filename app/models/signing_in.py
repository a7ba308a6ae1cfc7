"""Sign-in means besides passwords: one-time links, authenticators, passkeys, recovery codes."""

from typing import Annotated
from uuid import UUID

from sqlalchemy import ARRAY, BigInteger, ForeignKey, Index, LargeBinary, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import SECRET, Base, CreatedAt, Id, Instant, OrganizationId

UserId = Annotated[UUID, mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"))]


class OneTimeLink(Base):
    """A one-time link to choose a password, or to confirm ``new_email``.

    Only the digest of its token is stored.
    """

    __tablename__ = "one_time_link"
    __table_args__ = (Index("ix_one_time_link_user_id", "user_id"),)

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[UserId]
    token_sha256: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True, info=SECRET)
    created_by: Mapped[str]
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[Instant]
    used_at: Mapped[Instant | None]
    new_email: Mapped[str | None]


class SecondFactor(Base):
    """A user's authenticator, in use from ``confirmed_at``.

    ``secret_enciphered`` is encrypted with the installation's ``SECRET_KEY``.
    ``last_step`` is the time step of the last accepted code: no code is accepted twice.
    """

    __tablename__ = "second_factor"

    organization_id: Mapped[OrganizationId]
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("app_user.id", ondelete="CASCADE"), primary_key=True
    )
    secret_enciphered: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    created_at: Mapped[CreatedAt]
    confirmed_at: Mapped[Instant | None]
    last_step: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))


class Passkey(Base):
    """A public key of a user, whose private key an authenticator keeps (WebAuthn).

    ``sign_count`` is the authenticator's count of signatures at the last use, 0 if it has none.
    ``transports`` are the connections by which browsers reach the authenticator.
    """

    __tablename__ = "passkey"
    __table_args__ = (Index("ix_passkey_user_id", "user_id"),)

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[UserId]
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    sign_count: Mapped[int] = mapped_column(BigInteger)
    transports: Mapped[list[str]] = mapped_column(ARRAY(Text))
    name: Mapped[str]
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[Instant | None]


class RecoveryCode(Base):
    """A one-time code for sign-in without the authenticator or passkey."""

    __tablename__ = "recovery_code"
    __table_args__ = (Index("ix_recovery_code_user_id", "user_id"),)

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[UserId]
    code_sha256: Mapped[bytes] = mapped_column(LargeBinary(32), info=SECRET)
    used_at: Mapped[Instant | None]
