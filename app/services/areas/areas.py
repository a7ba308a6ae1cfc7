"""Constraints and client data: create, find, change, delete.

Both are areas of an organization, distinguished by their collection. An operator's
constraint applies to other organizations too; they can only read it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from geoalchemy2.shape import from_shape
from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy import update as update_rows
from sqlalchemy.orm import Session, defer

from app.models import (
    AreaCollection,
    AreaLevel,
    AreaRecord,
    ExecutionState,
    VoyageExecution,
)
from app.records.record import Json
from app.services.areas.geojson import parse_area
from app.services.errors import FieldError, Invalid, NotAllowed, refuse
from app.services.identity import organizations
from app.services.platform import quotas
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id, get_row
from app.services.platform.sessions import read_clock

_NOUNS: Final[Mapping[AreaCollection, str]] = {
    AreaCollection.CONSTRAINT: "constraint",
    AreaCollection.CLIENT_DATA: "client data entry",
}


def create(
    session: Session, actor: Actor, collection: AreaCollection, asked: Mapping[str, Any]
) -> AreaRecord:
    """Create an area; an operator's constraint applies to other organizations too.

    Raises :class:`Invalid` with all errors and pointers to their fields.
    """
    quotas.check(session, actor.organization_id, quotas.AREAS)
    is_for_all = actor.is_operator and collection is AreaCollection.CONSTRAINT
    now = read_clock(session)
    area = AreaRecord(
        organization_id=actor.organization_id,
        collection=collection,
        made_by_operator=is_for_all,
        created_at=now,
        created_by=actor.name,
        updated_at=now,
        updated_by=actor.name,
        **_columns(actor, asked, names_others=is_for_all),
    )
    session.add(area)
    session.flush()
    return area


def get(
    session: Session, organization_id: UUID, collection: AreaCollection, area_id: str
) -> AreaRecord:
    """An area visible to the organization; raises :class:`NotFound`."""
    query = _seen_by(organization_id, collection)
    return get_row(session, query, area_id, _NOUNS[collection])


def list_areas(
    session: Session, organization_id: UUID, collection: AreaCollection
) -> Sequence[AreaRecord]:
    """Areas visible to the organization, newest first."""
    return session.scalars(select_areas(organization_id, collection)).all()


def select_areas(
    organization_id: UUID,
    collection: AreaCollection,
    level: str | None = None,
    vessel_type_code: int | None = None,
) -> Select[AreaRecord]:
    """Select the areas visible to the organization, newest first.

    ``vessel_type_code`` selects those that list this vessel type.
    """
    query = _seen_by(organization_id, collection)
    if level is not None:
        query = query.where(AreaRecord.level == level)
    if vessel_type_code is not None:
        query = query.where(AreaRecord.vessel_type_codes.any_() == vessel_type_code)
    return query.order_by(AreaRecord.id.desc())


def update(
    session: Session, actor: Actor, area: AreaRecord, asked: Mapping[str, Any]
) -> AreaRecord:
    """Replace an area's attributes; omitted ones are cleared.

    Chartings that were planned with the area keep its former state.
    """
    refuse_change(actor, area)
    columns = _columns(actor, asked, names_others=area.made_by_operator)
    for name, value in columns.items():
        setattr(area, name, value)
    area.updated_at, area.updated_by = read_clock(session), actor.name
    session.flush()
    return area


def delete(session: Session, actor: Actor, area: AreaRecord) -> None:
    """Delete an area; chartings that were planned with it keep it.

    The organization's voyages under way are checked again: no row remains that shows the change.
    """
    refuse_change(actor, area)
    under_way = update_rows(VoyageExecution).filter_by(
        organization_id=area.organization_id, state=ExecutionState.UNDER_WAY
    )
    session.execute(under_way.values(watched_at=None))
    session.delete(area)
    session.flush()


def describe(area: AreaRecord) -> Json:
    """The values of an area that the API, the page and files name alike, in JSON types."""
    return {
        "name": area.name,
        "type": area.type,
        "level": area.level,
        "start_date": area.start_date.isoformat() if area.start_date else None,
        "end_date": area.end_date.isoformat() if area.end_date else None,
        "is_active": area.is_active,
        "description": area.description,
    }


def may_change(actor: Actor, area: AreaRecord) -> bool:
    """Return whether the actor may change or delete an area."""
    is_own = area.organization_id == actor.organization_id
    return is_own and (actor.is_operator or not area.made_by_operator)


def refuse_change(actor: Actor, area: AreaRecord) -> None:
    """Raise :class:`NotAllowed` for an area that the actor may only read."""
    if not may_change(actor, area):
        raise NotAllowed("The operator made this for all; only the operator changes it.")


def _seen_by(organization_id: UUID, collection: AreaCollection) -> Select[AreaRecord]:
    """Own areas and those of an operator; row-level security excludes areas of others."""
    seen: ColumnElement[bool] = AreaRecord.organization_id == organization_id
    if collection is AreaCollection.CONSTRAINT:
        seen = or_(seen, AreaRecord.made_by_operator)
    return (
        select(AreaRecord)
        .where(AreaRecord.collection == collection, seen)
        .options(defer(AreaRecord.geometry))
    )


def _columns(actor: Actor, asked: Mapping[str, Any], *, names_others: bool) -> dict[str, Any]:
    """Build an area's columns from a request; raises :class:`Invalid`."""
    faults = [*_level_faults(asked), *_window_faults(asked)]
    named = asked["organization_ids"] or []
    faults += _organization_faults(named, actor, names_others=names_others)
    drawn = asked["geometry"]
    try:
        geometry = parse_area(drawn, "/geometry")
    except Invalid as error:
        raise Invalid([*error.faults, *faults]) from None
    refuse(faults)
    kept = ("name", "type", "level", "start_date", "end_date", "is_active", "description")
    return {name: asked[name] for name in kept} | {
        "drawn": drawn,
        "geometry": from_shape(geometry, srid=4326),
        "organization_ids": _unique(UUID(id_) for id_ in named) or None,
        "vessel_type_codes": _unique(asked["vessel_type_codes"] or []) or None,
    }


def _level_faults(asked: Mapping[str, Any]) -> Iterator[FieldError]:
    if asked["level"] == AreaLevel.ORGANIZATION and not asked["organization_ids"]:
        yield FieldError("/orgIds", "List the organizations that it applies to.")
    if asked["level"] == AreaLevel.VESSEL_TYPE and not asked["vessel_type_codes"]:
        yield FieldError("/vesselTypeIds", "Name at least one vessel type that it applies to.")


def _window_faults(asked: Mapping[str, Any]) -> Iterator[FieldError]:
    starts, ends = asked["start_date"], asked["end_date"]
    if starts and ends and ends < starts:
        yield FieldError("/end_date", "It ends before it starts.")


def _organization_faults(
    named: Sequence[str], actor: Actor, *, names_others: bool
) -> Iterator[FieldError]:
    """Find errors in an area's organizations; only operators may name others."""
    for index, text in enumerate(named):
        id_ = find_id(text)
        if id_ == actor.organization_id:
            continue
        if not names_others:
            yield FieldError(f"/orgIds/{index}", "This is not the organization of your key.")
        elif id_ is None or not organizations.exists(id_):
            yield FieldError(f"/orgIds/{index}", "There is no such organization.")


def _unique(values: Any) -> list[Any]:
    return list(dict.fromkeys(values))
