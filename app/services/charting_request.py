"""Validation and normalisation of charting requests.

A request is a mapping by the API's field names; after normalisation times are texts in
UTC. Pages, the API and re-planning all use this module.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from app.datasources.countries import COUNTRIES
from app.datasources.ports import UnknownPort, get_port
from app.engine.departures.window import LONGEST_WINDOW
from app.engine.formatting import format_latitude, format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.records.instants import format_instant
from app.services.areas.no_go_areas import parse_no_go_areas, refuse_unknown_members
from app.services.errors import FieldError, refuse
from app.services.sea.sea_scales import SCALES

#: Shortest distance between two different places [nm].
SHORTEST_VOYAGE_NM: Final = 1.0

#: Name of a departure under way; the voyage keeps the name of its port.
SHIPS_POSITION: Final = "Ship's position"

_LOCODE: Final = re.compile(r"[A-Z]{2} ?[A-Z2-9]{3}")

EARLIEST_START: Final = datetime(1980, 1, 1, tzinfo=UTC)
LATEST_START: Final = datetime(2100, 1, 1, tzinfo=UTC)


def normalise(request: Mapping[str, Any]) -> dict[str, Any]:
    """Check a request's fields against each other and write its times as text.

    Raises :class:`Invalid` with all contradictions.
    """
    refuse(find_contradictions(request))
    return _check_areas(request)


def find_contradictions(request: Any, invalid: Container[str] = ()) -> Iterator[FieldError]:
    """Find errors of fields against each other, except where a field is missing or invalid.

    ``request`` may be what a schema could read of an invalid body.
    """
    if not isinstance(request, Mapping):
        return
    for names, find in _CHECKS:
        if all(name in request and name not in invalid for name in names):
            yield from find(request)


def normalise_conditions(request: Mapping[str, Any]) -> dict[str, Any]:
    """Check start, limits and areas of a voyage whose track is given.

    Raises :class:`Invalid` with all contradictions.
    """
    finders = (_start_faults, _latitude_faults, _wave_faults, _wind_faults)
    refuse(fault for find in finders for fault in find(request))
    return _check_areas(request)


def departure_of(request: Mapping[str, Any]) -> Position:
    """Return the departure position."""
    return Position(request["latFrom"], request["lngFrom"])


def name_departure(request: Mapping[str, Any]) -> str:
    """Return the name of the departure position, which is no port for a plan made under way."""
    return SHIPS_POSITION if request["isAlterFrom"] else str(request["portFromName"])


def arrival_of(request: Mapping[str, Any]) -> Position:
    """Return the arrival position."""
    return Position(request["latTo"], request["lngTo"])


def _check_areas(request: Mapping[str, Any]) -> dict[str, Any]:
    """Check the areas of a request, and write its times as text."""
    areas = request["noGoAreas"] or []
    refuse_unknown_members(areas)
    parse_no_go_areas(areas)
    return {
        name: format_instant(value) if isinstance(value, datetime) else value
        for name, value in request.items()
    }


def _speed_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    lowest, highest = request["speedRangeMin"], request["speedRangeMax"]
    if lowest > highest:
        detail = f"{lowest:g} kn is above the highest speed, {highest:g} kn. Give that or less."
        yield FieldError("/speedRangeMin", detail)


def _place_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    ends = *departure_of(request), *arrival_of(request)
    if great_circle_distance_nm(*ends) < SHORTEST_VOYAGE_NM:
        yield FieldError("/latTo", "Departure and arrival are less than a mile apart.")


def _port_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    for name in ("nidFrom", "nidTo"):
        if request[name] is not None and not _names_port(request[name]):
            detail = (
                f"{request[name]!r} is neither a UN/LOCODE, such as NLRTM, nor the id of a port of"
                " GET /v1/ports. Leave it out where there is none."
            )
            yield FieldError(f"/{name}", detail)


def _start_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    yield from find_time_faults("/startDate", request["startDate"])


def find_time_faults(pointer: str, time: datetime) -> Iterator[FieldError]:
    """Yield the error of a time outside the years that can be planned."""
    if not EARLIEST_START <= time < LATEST_START:
        yield FieldError(pointer, f"{format_time(time)} lies outside the years 1980 to 2099.")


def _names_port(code: str) -> bool:
    """Return whether a code can be a UN/LOCODE or is the id of a built-in port.

    UN/LOCODE (UNECE Recommendation 16): a country's two letters, then three letters or digits 2-9.
    """
    if _LOCODE.fullmatch(code.upper()) and code[:2].upper() in COUNTRIES:
        return True
    try:
        get_port(code)
    except UnknownPort:
        return False
    return True


def _end_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    start, end = request["startDate"], request["endDate"]
    if end is None:
        return
    if end <= start:
        detail = (
            f"{format_time(end)} is not later than the departure, {format_time(start)}."
            " Give a later time."
        )
        yield FieldError("/endDate", detail)
    else:
        yield from find_time_faults("/endDate", end)


def find_window_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    """Find errors of a request's window of departures, if it has one."""
    first, last = request.get("departFrom"), request.get("departTo")
    if first is None or last is None:
        yield from _half_window_faults(request)
        return
    for name, time in (("departFrom", first), ("departTo", last)):
        yield from find_time_faults(f"/{name}", time)
    if last < first:
        yield FieldError(
            "/departTo",
            f"{format_time(last)} lies before the first departure, {format_time(first)}."
            " Give that or a later time.",
        )
    elif last - first > LONGEST_WINDOW:
        yield FieldError(
            "/departTo",
            f"{format_time(last)} lies {(last - first) / timedelta(days=1):.1f} days after"
            f" the first departure; at most {LONGEST_WINDOW.days} are compared. Give"
            f" {format_time(first + LONGEST_WINDOW)} or sooner.",
        )
    arrive_by = request["endDate"]
    if arrive_by is not None and request["departDurationH"] is None and first >= arrive_by:
        yield FieldError(
            "/departFrom",
            f"{format_time(first)} does not lie before the latest arrival,"
            f" {format_time(arrive_by)}: no departure could arrive in time.",
        )


def _half_window_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    """Find errors of a request whose window lacks one or both ends."""
    ends = {"departFrom": "first", "departTo": "last"}
    given = [name for name in ends if request.get(name) is not None]
    missing = [name for name in ends if name not in given]
    if given:
        time = format_time(request[given[0]])
        detail = (
            f"Missing: the {ends[given[0]]} departure is {time}."
            f" Give the {ends[missing[0]]} departure too, or neither."
        )
        yield FieldError(f"/{missing[0]}", detail)
        return
    for name in ("departStepH", "departDurationH"):
        if request.get(name) is not None:
            detail = (
                f"{request[name]:g} h without departures to compare."
                " Give the first and the last departure too."
            )
            yield FieldError(f"/{name}", detail)


def _latitude_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    north, south = request["maxNorthLat"], request["maxSouthLat"]
    if north is not None and south is not None and south >= north:
        detail = (
            f"{format_latitude(south)} is not south of the northern limit,"
            f" {format_latitude(north)}. Give a latitude south of it."
        )
        yield FieldError("/maxSouthLat", detail)


def _scale_faults(name: str, unit: str, request: Mapping[str, Any]) -> Iterator[FieldError]:
    value, scale = request[name], SCALES.get(request[unit])
    if value is None or scale is None:
        return
    highest = len(scale.upper) - 1
    if value != int(value) or value > highest:
        detail = f"On the {scale.name} scale: a whole number from 0 to {highest}."
        yield FieldError(f"/{name}", detail)


_wave_faults: Final = partial(_scale_faults, "maxWaveHeight", "waveUnit")
_wind_faults: Final = partial(_scale_faults, "maxWindBf", "windUnit")


def _reference_faults(request: Mapping[str, Any]) -> Iterator[FieldError]:
    for number, route in enumerate(request["importedData"] or ()):
        first, *others = route["waypoints"]
        lats, lngs = ([at[axis] for at in others] for axis in ("lat", "lng"))
        reach_nm = great_circle_distance_nm(first["lat"], first["lng"], lats, lngs).max()
        if reach_nm < SHORTEST_VOYAGE_NM:
            yield FieldError(
                f"/importedData/{number}/waypoints",
                "All waypoints lie within a mile of the first. A route needs two places.",
            )


#: Checks of fields against each other, by the fields that each needs.
_CHECKS: Final[
    Sequence[tuple[tuple[str, ...], Callable[[Mapping[str, Any]], Iterator[FieldError]]]]
] = (
    (("speedRangeMin", "speedRangeMax"), _speed_faults),
    (("startDate",), _start_faults),
    (("startDate", "endDate"), _end_faults),
    (("latFrom", "lngFrom", "latTo", "lngTo"), _place_faults),
    (("nidFrom", "nidTo"), _port_faults),
    (("departFrom", "departTo", "departStepH", "departDurationH", "endDate"), find_window_faults),
    (("maxNorthLat", "maxSouthLat"), _latitude_faults),
    (("maxWaveHeight", "waveUnit"), _wave_faults),
    (("maxWindBf", "windUnit"), _wind_faults),
    (("importedData",), _reference_faults),
)
