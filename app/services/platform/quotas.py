"""Quotas: an organization's usage and the operator's limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, func, select
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import ACTIVE, AreaRecord, ChartingRevision, Organization, TelemetryDay
from app.services.errors import Conflict, TooManyRequests
from app.services.problem_codes import ProblemCode

ACTIVE_ORDERS: Final = "most_active_orders"
AREAS: Final = "most_areas"
TELEMETRY: Final = "most_telemetry_records"

#: Retry-After of a refusal because of active orders [s].
ORDER_ENDS_IN_S: Final = 30


@dataclass(frozen=True, slots=True)
class Usage:
    """Amount in use and its limit; ``None`` where the operator sets none."""

    used: int
    limit: int | None


def _active_orders(organization_id: UUID) -> ScalarSelect[int]:
    own = ChartingRevision.organization_id == organization_id
    query = select(func.count()).where(own, ChartingRevision.status.in_(ACTIVE))
    return query.scalar_subquery()


def _areas(organization_id: UUID) -> ScalarSelect[int]:
    query = select(func.count()).where(AreaRecord.organization_id == organization_id)
    return query.scalar_subquery()


def _telemetry(organization_id: UUID) -> ScalarSelect[int]:
    total: ColumnElement[int] = func.coalesce(func.sum(TelemetryDay.records), 0)
    return select(total).where(TelemetryDay.organization_id == organization_id).scalar_subquery()


_COUNTS: Final[Mapping[str, Callable[[UUID], ScalarSelect[int]]]] = {
    ACTIVE_ORDERS: _active_orders,
    AREAS: _areas,
    TELEMETRY: _telemetry,
}
NOUNS: Final = {
    ACTIVE_ORDERS: "active orders",
    AREAS: "stored areas",
    TELEMETRY: "telemetry records",
}


def describe(session: Session, organization_id: UUID) -> dict[str, Usage]:
    """All quotas by their names."""
    organization = session.get_one(Organization, organization_id)
    counts = session.execute(
        select(*(count(organization_id).label(name) for name, count in _COUNTS.items()))
    ).one()
    return {name: Usage(int(getattr(counts, name)), _limit(organization, name)) for name in _COUNTS}


def check(session: Session, organization_id: UUID, name: str, adding: int = 1) -> None:
    """Raise :class:`Conflict` when ``adding`` more would exceed the organization's quota.

    For active orders, which end by themselves, it is :class:`TooManyRequests`.

    Concurrent requests may exceed the limit together: it protects the installation's
    capacity and is no exact account.
    """
    limit = _limit(session.get_one(Organization, organization_id), name)
    if limit is None:
        return
    used = int(session.scalar(select(_COUNTS[name](organization_id))) or 0)
    if used + adding <= limit:
        return
    if name == ACTIVE_ORDERS:
        raise TooManyRequests(
            f"Your organization has {used} routes queued or being planned; the limit is {limit}."
            " Wait until one ends, or cancel one.",
            retry_after_s=ORDER_ENDS_IN_S,
            code=ProblemCode.QUOTA_USED_UP,
            used=used,
            limit=limit,
        )
    raise Conflict(
        f"Your organization has {used} of {limit} {NOUNS[name]}. Delete some, or ask the"
        " operator for more.",
        code=ProblemCode.QUOTA_USED_UP,
        used=used,
        limit=limit,
    )


def _limit(organization: Organization, name: str) -> int | None:
    """The operator's limit for the organization; active orders always have one."""
    own: int | None = getattr(organization, name)
    return chartroom().settings.active_orders if own is None and name == ACTIVE_ORDERS else own
