"""No-go areas in the request of one charting."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from app.engine.area import Area, AreaKind, AreaRule
from app.records.instants import end_of_window, find_day, first_instant
from app.records.texts import find_text_fault
from app.services.areas.geojson import close_ring, describe_other_kind, parse_area
from app.services.errors import FieldError, Invalid, escape_member, refuse

#: Known members; ``id`` and ``bbox`` are those of GeoJSON (RFC 7946) and ignored.
_OF_GEOMETRY: Final = ("type", "coordinates", "bbox")
_OF_FEATURE: Final = ("type", "geometry", "properties", "id", "bbox")
_PROPERTIES: Final = ("name", "start_date", "end_date")


def parse_no_go_areas(sent: list[Any]) -> tuple[Area, ...]:
    """Read polygons, Features or bare rings; raises :class:`Invalid` for the first faulty one."""
    return tuple(_parse(item, index, f"/noGoAreas/{index}") for index, item in enumerate(sent))


def refuse_unknown_members(sent: list[Any]) -> None:
    """Raise :class:`Invalid` for unknown members and properties.

    With a misspelt date, an area would be closed for ever.
    """
    refuse(
        fault
        for index, item in enumerate(sent)
        if isinstance(item, dict)
        for fault in _unknown_members(item, f"/noGoAreas/{index}")
    )


def _unknown_members(item: Mapping[str, Any], pointer: str) -> Iterator[FieldError]:
    if item.get("type") == "FeatureCollection":
        yield FieldError(f"{pointer}/type", describe_other_kind(item["type"], "Send its Features."))
        return
    if item.get("type") != "Feature":
        yield from _list_unknown(item, _OF_GEOMETRY, pointer)
        return
    yield from _list_unknown(item, _OF_FEATURE, pointer)
    for name, known in (("geometry", _OF_GEOMETRY), ("properties", _PROPERTIES)):
        if isinstance(item.get(name), dict):
            yield from _list_unknown(item[name], known, f"{pointer}/{name}")


def _list_unknown(
    item: Mapping[str, Any], known: Sequence[str], pointer: str
) -> Iterator[FieldError]:
    for name in item:
        if name not in known:
            detail = f"Unknown here. Known are {', '.join(known)}."
            yield FieldError(f"{pointer}/{escape_member(name)}", detail)


def _parse(item: Any, index: int, pointer: str) -> Area:
    properties: Mapping[str, Any] = {}
    geometry, place = item, pointer
    if isinstance(item, list):
        geometry = close_ring(item)
    elif isinstance(item, dict) and item.get("type") == "Feature":
        geometry, place = item.get("geometry"), f"{pointer}/geometry"
        properties = _properties(item, pointer)
    starts_on = _date(properties, "start_date", pointer)
    ends_on = _date(properties, "end_date", pointer)
    if starts_on and ends_on and ends_on < starts_on:
        raise Invalid.at(f"{pointer}/properties/end_date", "It ends before it starts.")
    return Area(
        id=f"no-go-{index}",
        name=_name(properties, pointer) or f"No-go area {index + 1}",
        kind=AreaKind.NO_GO,
        rule=AreaRule.NO_ENTRY,
        geometry=_geometry(geometry, place, is_ring=isinstance(item, list)),
        starts_at=first_instant(starts_on) if starts_on else None,
        ends_at=end_of_window(ends_on),
    )


def _geometry(geometry: Any, pointer: str, *, is_ring: bool) -> Any:
    try:
        return parse_area(geometry, pointer)
    except Invalid as error:
        if not is_ring:
            raise
        # a bare ring has no member "coordinates", so the pointers must not contain it
        faults = [
            FieldError(
                fault.pointer.replace("/coordinates/0", "").replace("/coordinates", ""), fault[1]
            )
            for fault in error.faults
        ]
        raise Invalid(faults) from None


def _properties(feature: Mapping[str, Any], pointer: str) -> Mapping[str, Any]:
    properties = feature.get("properties") or {}
    if not isinstance(properties, dict):
        raise Invalid.at(f"{pointer}/properties", "Must be an object.")
    return properties


def _name(properties: Mapping[str, Any], pointer: str) -> str | None:
    name = properties.get("name")
    if name is not None and not (isinstance(name, str) and len(name) <= 200):
        detail = "Must be a text of up to 200 characters."
        raise Invalid.at(f"{pointer}/properties/name", detail)
    fault = name and find_text_fault(name)
    if fault:
        raise Invalid.at(f"{pointer}/properties/name", fault)
    return name


def _date(properties: Mapping[str, Any], name: str, pointer: str) -> date | None:
    text = properties.get(name)
    if text is None:
        return None
    day = find_day(text)
    if day is None:
        detail = "Not a calendar date, such as 2026-03-01."
        raise Invalid.at(f"{pointer}/properties/{name}", detail)
    return day
