"""A route plan as RTZ, the route exchange format that ECDIS read.

IEC 61174:2015, annex S, and its schemas: 1.1, which every ECDIS of the standard reads, and 1.2,
which differs in its namespace and in that legs may have extensions; none is written here.
Beyond what the schema can say, these rules hold, each for a reason:

- Waypoint ids are unique and are the waypoints' numbers, from 1: schedules refer by id.
- Schedule elements follow the waypoints' order with times that increase: an
  ECDIS takes the list as the voyage's timetable.
- The first element has an ETD, all others an ETA: a time of departure and of
  arrival at the same waypoint means a stay there, so both stand where the ship waits,
  be it as usual before a canal.
- Longitudes stay below 180 and directions below 360 after rounding too: the
  schema's ranges are half open.
- Turn radii are in nautical miles, cut like the corridor that they must fit.
- A leg's attributes stand on the waypoint it leads to; the first has no leg.
- Cross-track distances are in nautical miles, under 10, and cut rather than
  rounded: a wider corridor than the one found clear must not be printed.
- A cross-track distance below 0.01 nm is left out: there is no room to keep to, and an ECDIS would
  take it for a corridor. A radius is written however small, and is at least 0.001 nm: without one
  an ECDIS takes its default, for which there is less room still.
- The same holds for the under-keel clearance; a negative one can't be written.
- ``rpm`` is a whole number, by the schema; the decimals stay in the CSV.
- Numbers are plain decimals: XML Schema's ``decimal`` knows no exponent.
- The route's name is that of the file, in ASCII: some ECDIS refuse or rename otherwise. The names
  of the ports stand in full on the first and the last waypoint.
- The spelling is the schema's own: ``scheduleElement``, ``portsideXTD``, ``Note``.
- Wind is in knots from, current in knots towards; waves have no attribute and
  are given in the element's ``Note``, as are values that are not forecast.
"""

from datetime import timedelta
from enum import StrEnum

import lxml.etree as etree

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import RoutePlan, Waypoint
from app.engine.report.timetable import list_leaving_times
from app.engine.units import ms_to_kn
from app.engine.weather.records import Weather, WeatherSource
from app.exports.formats import (
    direction,
    fixed,
    fixed_down,
    latitude,
    longitude,
    utc_time,
    xml_text,
)


class RtzVersion(StrEnum):
    """Versions of the schema."""

    V1_1 = "1.1"
    V1_2 = "1.2"

    @property
    def namespace(self) -> str:
        """The XML namespace of the version."""
        return f"http://www.cirm.org/RTZ/{self.replace('.', '/')}"


#: The schema's XtdType ends below 10 nm, its RadiusType at 5 nm.
WIDEST_XTD_NM = 9.999
_LARGEST_RADIUS_NM = 5.0
_LEAST_RADIUS_NM = 0.001
#: A narrower corridor is no room [nm].
_LEAST_XTD_NM = 0.01
_LONGEST_PORT = 40
#: Times in the file are in whole seconds.
_LEAST_TIME = timedelta(seconds=1)

_GEOMETRY = {LegGeometry.GREAT_CIRCLE: "Orthodrome", LegGeometry.RHUMB: "Loxodrome"}

_SOURCE_NOTES = {
    WeatherSource.FORECAST: "",
    WeatherSource.BLENDED: "forecast blended with climatology",
    WeatherSource.CLIMATOLOGY: "climatology, no forecast",
}


def render_rtz(
    plan: RoutePlan,
    *,
    route_name: str,
    vessel_name: str | None = None,
    imo: str | None = None,
    mmsi: str | None = None,
    ports: tuple[str, str] = ("", ""),
    revision: int,
    edited: str = "",
    version: RtzVersion = RtzVersion.V1_1,
) -> bytes:
    """Write the plan as an RTZ document in UTF-8.

    ``route_name`` is the file's name without its ending; see ``formats.build_route_name``. An
    ``imo`` or ``mmsi`` that is no number of its length is left out. ``ports`` names departure and
    arrival. ``revision`` is not negative; it stands on every waypoint and in the route's history.
    ``edited`` has who edited the plan by hand and why, for the route's history; "" where nobody
    did.

    Raise :class:`ValueError` for fewer than two waypoints.
    """
    if len(plan.waypoints) < 2:
        raise ValueError("a route needs at least two waypoints")
    namespace = version.namespace
    route = etree.Element(
        etree.QName(namespace, "route"), nsmap={None: namespace}, version=version.value
    )
    _add(
        route,
        "routeInfo",
        routeName=xml_text(route_name),
        routeAuthor="Chartroom",
        routeStatus="Verify on the ECDIS before use",
        vesselName=xml_text(vessel_name or ""),
        vesselMMSI=_digits(mmsi),
        vesselIMO=_digits(imo),
        routeChangesHistory=xml_text(f"Revision {revision}{edited and f', {edited}'}"),
    )
    waypoints = _add(route, "waypoints")
    names = [f"WP {waypoint.number:03d}" for waypoint in plan.waypoints]
    for end, port in zip((0, -1), ports, strict=True):
        names[end] = xml_text(port)[:_LONGEST_PORT] or names[end]
    for waypoint, name in zip(plan.waypoints, names, strict=True):
        _add_waypoint(waypoints, waypoint, name, revision)
    _add_schedule(_add(route, "schedules"), plan)
    return bytes(etree.tostring(route, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add(parent: etree._Element, tag: str, /, **attributes: str) -> etree._Element:
    """Append an element of the same namespace; attributes without a value are left out."""
    given = {key: value for key, value in attributes.items() if value}
    return etree.SubElement(parent, etree.QName(etree.QName(parent).namespace, tag), given)


def _add_waypoint(parent: etree._Element, waypoint: Waypoint, name: str, revision: int) -> None:
    element = _add(
        parent,
        "waypoint",
        id=str(waypoint.number),
        revision=str(revision),
        name=name,
        radius=_radius_nm(waypoint.turn_radius_nm),
    )
    _add(
        element,
        "position",
        lat=latitude(waypoint.position.lat),
        lon=longitude(waypoint.position.lng),
    )
    if waypoint.leg_geometry is None:
        return
    xtd = _xtd_nm(waypoint.xtd_m)
    _add(
        element,
        "leg",
        starboardXTD=xtd,
        portsideXTD=xtd,
        geometryType=_GEOMETRY[waypoint.leg_geometry],
        # squat is in it
        dynamicUKC=_clearance_m(waypoint.ukc_m),
        legInfo=xml_text(waypoint.passage or ""),
        legNote2=xml_text(waypoint.note or ""),
    )


def _digits(text: str | None) -> str:
    return text if text and text.isascii() and text.isdigit() else ""


def _radius_nm(radius_nm: float | None) -> str:
    if radius_nm is None:
        return ""
    return fixed_down(min(max(radius_nm, _LEAST_RADIUS_NM), _LARGEST_RADIUS_NM), 3)


def _xtd_nm(xtd_m: float | None) -> str:
    if xtd_m is None or xtd_m / NAUTICAL_MILE_M < _LEAST_XTD_NM:
        return ""
    return fixed_down(min(xtd_m / NAUTICAL_MILE_M, WIDEST_XTD_NM), 3)


def _clearance_m(ukc_m: float | None) -> str:
    return "" if ukc_m is None or ukc_m < 0.0 else fixed_down(ukc_m, 1)


def _add_schedule(parent: etree._Element, plan: RoutePlan) -> None:
    """One schedule: what is ordered (``manual``) and what follows from it (``calculated``)."""
    schedule = _add(parent, "schedule", id="1", name="Planned")
    manual, calculated = _add(schedule, "manual"), _add(schedule, "calculated")
    first, *others = plan.waypoints
    first_leaves_at, *leaving_times = list_leaving_times(plan.waypoints)
    departs_at = first_leaves_at or first.eta
    _add(manual, "scheduleElement", waypointId=str(first.number), etd=utc_time(departs_at))
    _add(
        calculated,
        "scheduleElement",
        waypointId=str(first.number),
        etd=utc_time(departs_at),
        **_weather_attributes(first.weather),
    )
    left_at = departs_at
    for waypoint, leaves_at in zip(others, leaving_times, strict=True):
        # waypoints a few metres apart may share a second, with which no timetable can be written
        eta = max(waypoint.eta, left_at + _LEAST_TIME)
        left_at = max(leaves_at or eta, eta)
        timetable = {
            "waypointId": str(waypoint.number),
            "etd": "" if leaves_at is None else utc_time(left_at),
            "eta": utc_time(eta),
            "speed": fixed(waypoint.speed_kn, 2),
        }
        _add(manual, "scheduleElement", **timetable)
        _add(
            calculated,
            "scheduleElement",
            **timetable,
            rpm=fixed(waypoint.rpm, 0),
            fuel=fixed(waypoint.leg_fuel_t, 3),
            **_weather_attributes(waypoint.weather),
        )


def _weather_attributes(weather: Weather | None) -> dict[str, str]:
    if weather is None:
        return {}
    return {
        "windSpeed": fixed(float(ms_to_kn(weather.wind_speed_ms)), 1),
        "windDirection": direction(weather.wind_from_deg),
        "currentSpeed": fixed(weather.current_speed_kn, 2),
        "currentDirection": direction(weather.current_to_deg),
        "Note": _weather_note(weather),
    }


def _weather_note(weather: Weather) -> str:
    """Return the waves, and what of wind and current is no forecast."""
    wind = ""
    if weather.wind_source is not weather.wave_source:
        wind = _SOURCE_NOTES[weather.wind_source]
    notes = [_waves_note(weather), *([f"wind: {wind}"] if wind else [])]
    if weather.current_source is WeatherSource.CLIMATOLOGY:
        notes.append("current: long-term mean")
    return "; ".join(notes)


def _waves_note(weather: Weather) -> str:
    if weather.wave_source is None:
        return "Waves not known, none assumed"
    waves = (
        f"Waves {fixed(weather.wave_height_m, 1)} m"
        f" from {direction(weather.wave_from_deg, 0)} deg,"
        f" period {fixed(weather.wave_period_s, 1)} s"
    )
    source = _SOURCE_NOTES[weather.wave_source]
    return f"{waves}; {source}" if source else waves
