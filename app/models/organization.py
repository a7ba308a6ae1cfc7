"""Organizations, users and API keys."""

from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, LargeBinary, Text, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import SECRET, Base, CreatedAt, Id, Instant, OrganizationId

#: Default lifetime of a key [days].
DEFAULT_KEY_LIFETIME_DAYS = 365


class Role(StrEnum):
    """Role of a key or user; each role includes the previous one."""

    VIEWER = "viewer"
    MASTER = "master"
    PLANNER = "planner"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Return whether this role may do what ``other`` may."""
        return _RANKS[self] >= _RANKS[other]


_RANKS: Final = {role: rank for rank, role in enumerate(Role)}


class Scope(StrEnum):
    """Scope of a key; an operation needs both its scope and its role."""

    READ = "read"
    PLAN = "plan"
    TELEMETRY = "telemetry"
    ADMIN = "admin"


ALL_SCOPES = frozenset(Scope)


class Organization(Base):
    """A tenant; ``ukc_margin_m`` is its least under-keel clearance [m].

    ``planners_manage_webhooks`` allows planners to manage webhooks, as admins may.
    Chartings, telemetry and audit entries are erased after ``keep_..._days``, never if that is
    ``None``; requested erasures are done after ``erase_after_days``. A reduced retention takes
    effect after ``shortened_until``, which the database sets.
    Advice is given to a voyage under way if it saves ``advice_fuel_pct`` [%] or
    ``advice_fuel_t`` [t] of fuel, or ``advice_eta_h`` [h]; it is also mailed to ``advice_mail``.
    ``most_...`` are quotas set by the operator.
    With ``requires_second_factor``, users must set one up before they can use any page.
    Keys expire after ``key_lifetime_days`` by default, never if that is ``None``.
    """

    __tablename__ = "organization"
    __table_args__ = (
        CheckConstraint("ukc_margin_m >= 0", name="ukc_margin"),
        CheckConstraint("key_lifetime_days > 0", name="key_lifetime"),
        CheckConstraint("keep_charting_days > 0", name="keep_charting_days"),
        CheckConstraint("keep_telemetry_days > 0", name="keep_telemetry_days"),
        CheckConstraint("keep_audit_days > 0", name="keep_audit_days"),
        CheckConstraint("most_active_orders >= 0", name="most_active_orders"),
        CheckConstraint("most_areas >= 0", name="most_areas"),
        CheckConstraint("most_telemetry_records >= 0", name="most_telemetry_records"),
        CheckConstraint("erase_after_days > 0", name="erase_after_days"),
        CheckConstraint("advice_fuel_pct >= 0", name="advice_fuel_pct"),
        CheckConstraint("advice_fuel_t >= 0", name="advice_fuel_t"),
        CheckConstraint("advice_eta_h >= 0", name="advice_eta_h"),
    )

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(unique=True)
    ukc_margin_m: Mapped[float] = mapped_column(default=1.0, server_default=text("1.0"))
    planners_manage_webhooks: Mapped[bool] = mapped_column(
        default=False, server_default=text("false")
    )
    key_lifetime_days: Mapped[int | None] = mapped_column(
        default=DEFAULT_KEY_LIFETIME_DAYS, server_default=text(str(DEFAULT_KEY_LIFETIME_DAYS))
    )
    requires_second_factor: Mapped[bool] = mapped_column(
        default=False, server_default=text("false")
    )
    keep_charting_days: Mapped[int | None]
    keep_telemetry_days: Mapped[int | None]
    keep_audit_days: Mapped[int | None]
    erase_after_days: Mapped[int] = mapped_column(default=30, server_default=text("30"))
    shortened_until: Mapped[Instant | None]
    advice_fuel_pct: Mapped[float] = mapped_column(default=1.5, server_default=text("1.5"))
    advice_fuel_t: Mapped[float] = mapped_column(default=2.0, server_default=text("2.0"))
    advice_eta_h: Mapped[float] = mapped_column(default=3.0, server_default=text("3.0"))
    advice_mail: Mapped[list[str]] = mapped_column(
        ARRAY(Text), default=list, server_default=text("'{}'")
    )
    most_active_orders: Mapped[int | None] = mapped_column(BigInteger)
    most_areas: Mapped[int | None] = mapped_column(BigInteger)
    most_telemetry_records: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[CreatedAt]


class User(Base):
    """A user, who signs in with e-mail and password; an address is unique in an organization.

    ``oidc_subject`` is the issuer and subject of an OpenID provider. Invited users who have
    not chosen a password yet have no ``password_hash``.
    """

    __tablename__ = "app_user"
    __table_args__ = (
        Index(
            "uq_app_user_email_organization_id",
            func.lower(text("email")),
            "organization_id",
            unique=True,
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    email: Mapped[str]
    password_hash: Mapped[str | None] = mapped_column(info=SECRET)
    role: Mapped[str]
    name: Mapped[str | None]
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    oidc_subject: Mapped[str | None] = mapped_column(unique=True)
    created_at: Mapped[CreatedAt]
    last_signed_in_at: Mapped[Instant | None]
    #: Start times of the user's sessions, by name.
    sessions: Mapped[dict[str, Any]] = mapped_column(
        default=dict, server_default=text("'{}'"), info=SECRET
    )


class ApiKey(Base):
    """An API key, stored as the SHA-256 of its secret.

    The secret has 256 bits of randomness, so a plain digest is as hard to invert
    as the key is to guess; a slow password hash would only slow down requests.
    ``prefix`` is shown in lists and used to look up the key. ``networks`` are the
    CIDR blocks from which it may be used; from anywhere if there are none.
    """

    __tablename__ = "api_key"
    __table_args__ = (Index("ix_api_key_organization_id", "organization_id"),)

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    prefix: Mapped[str] = mapped_column(unique=True)
    secret_sha256: Mapped[bytes] = mapped_column(LargeBinary(32), info=SECRET)
    role: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(
        ARRAY(Text),
        default=lambda: list(Scope),
        server_default=text("'{read,plan,telemetry,admin}'"),
    )
    networks: Mapped[list[str]] = mapped_column(
        ARRAY(Text), default=list, server_default=text("'{}'")
    )
    is_operator: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    name: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[Instant | None]
    revoked_at: Mapped[Instant | None]
    last_used_at: Mapped[Instant | None]
    rotated_from_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("api_key.id", ondelete="SET NULL")
    )
