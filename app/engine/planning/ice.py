"""Ice: where a ship may go in it, how fast, at what price per mile; and areas of a forecast.

Ships that may not enter climatological ice keep a margin clear of it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Final

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.arrays import Bools, Floats
from app.engine.constants import DEGREE_NM
from app.engine.geodesy.shapes import contains_points, repeat_around, segments_within
from app.engine.optimise.windows import LONGEST_WAIT_FOR_AREA, LONGEST_WAIT_FOR_WEATHER_H
from app.engine.particulars import IceClass
from app.engine.request import Position, VoyageRequest
from app.engine.sailing.track import Track
from app.engine.sea.route_restrictions import find_end_inside
from app.engine.times import moment_at
from app.engine.weather import Group, WeatherField
from app.engine.weather.records import WeatherSource

#: Speed through ice of a ship of the class needed [kn]. The Finnish-Swedish Ice Class Rules 2021,
#: section 3.2, require of every class at least 5 kn in its brash channel at full power; most
#: water inside a climatological ice edge has less ice than that channel. Assumed.
ICE_SPEED_KN: Final = 8.0
#: Speed of a ship without the class, behind an icebreaker [kn]: the 5 kn of the same section,
#: which POLARIS (IMO MSC.1/Circ.1519, table 1.3) also recommends for the weakest ships in elevated
#: risk.
CONVOY_SPEED_KN: Final = 5.0
#: Price of a mile through ice for a ship of the class needed: the ratio of the hours at 8 kn to
#: those at about 14 kn, the speed in open water at the same power.
_ICE_PRICE: Final = 1.75
#: Price of a mile among icebergs: a detour adds at most a quarter of the miles that it avoids.
_ICEBERG_PRICE: Final = 1.25
#: Ice concentration from which water counts as ice-covered: the ice edge of the NSIDC Sea Ice
#: Index (G02135), and the World Meteorological Organization's limit of open water rounded up.
ICE_EDGE_FRACTION: Final = 0.15
#: Size of the cells of forecast ice in whose middles the concentration is sampled [deg].
_CELL_DEG: Final = 1.0
#: Step between the times of its samples [h].
_STEP_H: Final = 24.0
#: Hazard and ice class needed in forecast ice; the class is that for first-year ice.
_FORECAST: Final = IceWater(IceHazard.PACK, IceClass.IA)

_NAVIGATED: Final = (AreaRule.PRICED, AreaRule.LEAST_EXPOSURE)
#: Radius around an end inside the margin within which there is no margin, as a multiple of it.
_END_FACTOR: Final = 2.0
#: Longest edge of an outline before the margin is added [deg].
_EDGE_DEG: Final = 2.0
#: Latitude above which a degree of longitude is assumed to be as long as there.
_MAX_LAT: Final = 85.0
#: Sides of the polygons that approximate circles, and the factor on their radius that makes up
#: for what the sides cut off.
_SIDES: Final = 16
_ROUND: Final = 1.0 / np.cos(np.pi / _SIDES)
_MAP: Final = box(-180.0, -90.0, 180.0, 90.0)


def find_ice_rule(ice: IceWater, ship: IceClass, *, port_calls: bool) -> AreaRule:
    """Return the rule of an area of ice for a ship.

    With ``port_calls``, icebreakers lead ships below the class needed to ports inside the area;
    otherwise such ships may not enter.
    """
    match ice.hazard:
        case IceHazard.WATCH:
            return AreaRule.REPORTED
        case IceHazard.ICEBERGS:
            return AreaRule.PRICED
        case _ if not ship.covers(ice.class_needed):
            return AreaRule.AVOID_UNLESS_ENDPOINT if port_calls else AreaRule.NO_ENTRY
        case IceHazard.PACK:
            return AreaRule.PRICED
        case IceHazard.POLAR_WATERS:
            return AreaRule.REPORTED


def find_ice_price(ice: IceWater) -> float:
    """Return the price of a mile inside an area of ice that is priced."""
    return _ICE_PRICE if ice.hazard is IceHazard.PACK else _ICEBERG_PRICE


def _find_ice_speed_kn(area: Area) -> float | None:
    """Return the speed through an area [kn], ``None`` if its ice does not slow the ship."""
    if area.ice is None or area.ice.hazard is not IceHazard.PACK or area.rule not in _NAVIGATED:
        return None
    return ICE_SPEED_KN if area.rule is AreaRule.PRICED else CONVOY_SPEED_KN


def slow_in_ice(track: Track, request: VoyageRequest) -> Track:
    """Return the track with its highest speeds reduced to those allowed by ice.

    An area counts at segments that the ship may reach while it is in force.
    """
    speeds = [(area, _find_ice_speed_kn(area)) for area in request.areas]
    slowing = [(area, speed_kn) for area, speed_kn in speeds if speed_kn is not None]
    if not slowing:
        return track
    cap_kn, in_ice = track.speed_cap_kn.copy(), track.in_ice.copy()
    latest_h = _find_latest_h(track, request, [area for area, _ in slowing])
    for area, speed_kn in slowing:
        inside = _mark_reachable_in_force(area, track, request, latest_h)
        inside[inside] = _contain_middles(area, track, inside)
        cap_kn[inside] = np.minimum(cap_kn[inside], speed_kn)
        in_ice |= inside
    return replace(track, speed_cap_kn=cap_kn, in_ice=in_ice)


def _contain_middles(area: Area, track: Track, chosen: Bools) -> Bools:
    return contains_points(area.geometry, track.middle_lats[chosen], track.middle_lngs[chosen])


def _mark_reachable_in_force(
    area: Area, track: Track, request: VoyageRequest, latest_h: Floats
) -> Bools:
    """Mark the segments at an area's latitudes that may be reached in its window, shape (n,)."""
    is_reachable = _mark_latitudes(area, track)
    if area.starts_at is not None:
        is_reachable &= latest_h >= _hours_after_departure(area.starts_at, request)
    if area.ends_at is not None:
        earliest_h = track.cumulative_nm[:-1] / request.speed_max_kn
        is_reachable &= earliest_h <= _hours_after_departure(area.ends_at, request)
    return np.asarray(is_reachable)


def _mark_latitudes(area: Area, track: Track) -> Bools:
    south, north = area.geometry.bounds[1::2]
    return np.asarray((track.middle_lats >= south) & (track.middle_lats <= north))


def _hours_after_departure(time: datetime, request: VoyageRequest) -> float:
    return (time - request.departs_at) / timedelta(hours=1)


def _find_latest_h(track: Track, request: VoyageRequest, ice: Sequence[Area]) -> Floats:
    """Return the latest time at which the ship reaches each segment [h since departure], (n,).

    It is that at the lowest ordered speed, or that of ice or a passage if it is lower, with the
    customary waits, the longest wait for weather if that is limited, and the waits for areas on the
    track to open.
    """
    slowest_kn = np.minimum(track.speed_cap_kn, min(request.speed_min_kn, ICE_SPEED_KN))
    for area in ice:
        if _find_ice_speed_kn(area) == CONVOY_SPEED_KN:
            inside = _mark_latitudes(area, track)
            inside[inside] = _contain_middles(area, track, inside)
            slowest_kn[inside] = np.minimum(slowest_kn[inside], CONVOY_SPEED_KN)
    hours = track.distance_nm / slowest_kn
    latest_h = np.cumsum(hours) - hours + np.cumsum(track.wait_h)
    if request.limits.wave_height_m is not None or request.limits.wind_speed_ms is not None:
        latest_h += LONGEST_WAIT_FOR_WEATHER_H
    for first, begins_h, opens_h in _list_gates(track, request):
        arrives_h = float(latest_h[first])
        is_awaited = 0.0 < opens_h - arrives_h <= LONGEST_WAIT_FOR_AREA / timedelta(hours=1)
        if is_awaited and begins_h <= arrives_h:
            latest_h[first:] += opens_h - arrives_h
    return latest_h


def _list_gates(track: Track, request: VoyageRequest) -> list[tuple[int, float, float]]:
    """List the areas on the track that open later, by the first segment in each.

    With it are the hours since departure from which and until which the area may not be entered.
    """
    ends, found = (track.lats[:-1], track.lngs[:-1], track.lats[1:], track.lngs[1:]), []
    for area in request.areas:
        if not area.rule.forbids_entry or area.ends_at is None:
            continue
        segments = np.flatnonzero(segments_within(area.geometry, *ends))
        if segments.size:
            begins_h = _hours_after_departure(area.starts_at or request.departs_at, request)
            opens_h = _hours_after_departure(area.ends_at, request)
            found.append((int(segments[0]), begins_h, opens_h))
    return sorted(found, key=itemgetter(0))


def list_forecast_ice(weather: WeatherField | None, ship: IceClass) -> list[Area]:
    """List the area of forecast ice, in force during the forecast; empty if there is none.

    A cell that reaches the concentration of the ice edge at any time counts for the whole
    forecast: a forecast covers days, but ice edges move over weeks.
    """
    run = None if weather is None else weather.forecast_run(Group.ICE)
    if weather is None or run is None:
        return []
    times_h = run.layers[Group.ICE].times_h
    lats = np.arange(-90.0 + _CELL_DEG / 2.0, 90.0, _CELL_DEG)
    lngs = np.arange(-180.0 + _CELL_DEG / 2.0, 180.0, _CELL_DEG)
    covered = np.zeros((lats.size, lngs.size), dtype=np.bool_)
    for time_h in np.arange(times_h[0], times_h[-1] + 0.1, _STEP_H):
        fraction, sources = weather.sample_scalar(Group.ICE, lats[:, None], lngs, time_h)
        known = np.array([source is WeatherSource.FORECAST for source in sources])
        covered |= known.reshape(covered.shape) & (fraction >= ICE_EDGE_FRACTION)
    rows, cols = np.nonzero(covered)
    if rows.size == 0:
        return []
    half = _CELL_DEG / 2.0
    cells = shapely.box(lngs[cols] - half, lats[rows] - half, lngs[cols] + half, lats[rows] + half)
    union = shapely.union_all(cells)
    outline = MultiPolygon([union]) if isinstance(union, Polygon) else union
    return [
        Area(
            id="forecast-ice",
            name=f"forecast ice of {100.0 * ICE_EDGE_FRACTION:.0f} % and more",
            kind=AreaKind.ICE,
            rule=find_ice_rule(_FORECAST, ship, port_calls=True),
            geometry=outline,
            starts_at=moment_at(times_h[0]),
            ends_at=moment_at(times_h[-1]),
            price=find_ice_price(_FORECAST),
            ice=_FORECAST,
        )
    ]


def add_ice_margin(area: Area, departure: Position, arrival: Position) -> Area:
    """Return an area of ice enlarged by its margin, if the ship may not enter it.

    Around an end that lies in the margin there is no margin, so that ports next to the ice can be
    reached.
    """
    ends = (departure, arrival)
    if area.ice is None or not area.ice.margin_nm or not area.rule.forbids_entry:
        return area
    if find_end_inside(area, *ends) is not None:
        return area
    margin_nm = area.ice.margin_nm
    enlarged = buffer_by_distance(area.geometry, margin_nm)
    ends_inside = [
        end
        for end in ends
        if contains_points(enlarged, np.array([end.lat]), np.array([end.lng])).any()
    ]
    for end in ends_inside:
        radius_nm = _END_FACTOR * margin_nm
        circle = _trace_circles(np.array([end.lng]), np.array([end.lat]), radius_nm)[0]
        enlarged = _union(enlarged - _union(Polygon(circle)), area.geometry)
    return replace(area, geometry=enlarged)


@cache
def buffer_by_distance(geometry: MultiPolygon, margin_nm: float) -> MultiPolygon:
    """Return a geometry enlarged by a distance on the sea, on either side of 180°."""
    hulls: list[BaseGeometry] = [geometry]
    for polygon in geometry.geoms:
        ring = shapely.get_coordinates(shapely.segmentize(polygon.exterior, _EDGE_DEG))
        circles = _trace_circles(ring[:, 0], ring[:, 1], margin_nm)
        pairs = np.concatenate([circles[:-1], circles[1:]], axis=1)
        hulls += shapely.convex_hull(shapely.linestrings(pairs)).tolist()
    return _union(*hulls)


def _trace_circles(lngs: Floats, lats: Floats, radius_nm: float) -> Floats:
    """Return circles around n positions as longitudes and latitudes [deg], shape (n, sides, 2)."""
    turns = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    reach = _ROUND * radius_nm / DEGREE_NM
    stretch = np.cos(np.radians(np.minimum(np.abs(lats) + reach, _MAX_LAT)))
    east = lngs[:, None] + reach / stretch[:, None] * np.cos(turns)
    return np.stack([east, lats[:, None] + reach * np.sin(turns)], axis=2)


def _union(*parts: BaseGeometry) -> MultiPolygon:
    """Return the union of parts; what lies beyond the map is on its other side."""
    whole = repeat_around(shapely.union_all(parts)) & _MAP
    return MultiPolygon([p for p in shapely.get_parts(whole) if isinstance(p, Polygon)])
