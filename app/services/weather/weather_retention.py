"""Retention of weather runs, by the needs of plans and the operator's settings."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import (
    ACTIVE,
    ChartingRevision,
    ChartingStatus,
    Organization,
    WeatherRunRecord,
    utc_now,
)
from app.records.instants import parse_instant
from app.services.platform.sessions import (
    cross_tenant_session,
    installation_session,
    organization_session,
)
from app.services.weather import in_force, weather


@dataclass(frozen=True, slots=True)
class _Needs:
    """Names of runs that plans used or new ones would, and departures of active chartings."""

    named: frozenset[str]
    departures: tuple[datetime, ...]

    def hold(self, run: WeatherRunRecord) -> bool:
        """Return whether a plan used a run, a new one would, or an active one might read it."""
        return run.name in self.named or self.may_be_read(run)

    def may_be_read(self, run: WeatherRunRecord) -> bool:
        """Return whether a queued or running charting might read a run."""
        return any(weather.may_serve(run, departs_at) for departs_at in self.departures)


def retire_by_policy(
    keep_days: int | None = None, keep_planned_days: int | None = None
) -> list[str]:
    """Retire runs that are old and that no plan needs; return their names.

    A run stays for ``keep_days`` after its import, as long as voyages that depart now are planned
    in it or a queued or running charting might read it, and while it was used by a plan that was
    completed within ``keep_planned_days``, or at any time if that is ``None``. Omitted arguments
    are the installation's settings.

    Members are many times the size of their run: they stay only for
    ``WEATHER_MEMBERS_KEEP_DAYS``, or as long as a queued or running charting might read
    them.
    """
    settings = chartroom().settings
    if keep_planned_days is None:
        keep_planned_days = settings.weather_keep_planned_days
    oldest = utc_now() - timedelta(days=keep_days or settings.weather_keep_days)
    oldest_members = utc_now() - timedelta(days=settings.weather_members_keep_days)
    needs = _find_needs(keep_planned_days)
    with installation_session() as session:
        weather.release_members(
            session, lambda run: run.imported_at < oldest_members and not needs.may_be_read(run)
        )
        return weather.retire(session, lambda run: run.imported_at < oldest and not needs.hold(run))


def _find_needs(keep_planned_days: int | None) -> _Needs:
    with cross_tenant_session() as session:
        organizations = session.scalars(select(Organization.id)).all()
    with installation_session() as session:
        named = {*in_force.find_in_force(session, utc_now())}
    departures: list[datetime] = []
    for organization_id in organizations:
        with organization_session(organization_id) as session:
            # active chartings first: one that completes in between is then found by its runs
            departures += _departures(session, organization_id)
            named |= _named(session, organization_id, keep_planned_days)
    return _Needs(frozenset(named), tuple(departures))


def _departures(session: Session, organization_id: UUID) -> list[datetime]:
    start = ChartingRevision.request["startDate"].as_string()
    query = select(start).where(
        ChartingRevision.organization_id == organization_id, ChartingRevision.status.in_(ACTIVE)
    )
    return [parse_instant(text) for text in session.scalars(query)]


def _named(session: Session, organization_id: UUID, keep_planned_days: int | None) -> set[str]:
    runs = func.json_array_elements_text(ChartingRevision.provenance["weatherRuns"])
    own = ChartingRevision.organization_id == organization_id
    query = select(runs).where(own, ChartingRevision.status == ChartingStatus.COMPLETED).distinct()
    if keep_planned_days is not None:
        oldest = utc_now() - timedelta(days=keep_planned_days)
        query = query.where(ChartingRevision.finished_at >= oldest)
    return set(session.scalars(query))
