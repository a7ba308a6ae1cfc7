"""Ice: where a ship may go in it, how fast, at what price per mile; and areas of a forecast."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.arrays import Bools, Floats
from app.engine.geodesy.shapes import contains_points, segments_within
from app.engine.optimise.windows import LONGEST_WAIT_FOR_WEATHER_H
from app.engine.particulars import IceClass
from app.engine.request import VoyageRequest
from app.engine.sailing.track import Track
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
    cap_kn, in_ice = track.speed_cap_kn.copy(), track.in_ice.copy()
    for area in request.areas:
        speed_kn = _find_ice_speed_kn(area)
        if speed_kn is None:
            continue
        inside = _mark_reachable_in_force(area, track, request)
        inside[inside] = contains_points(
            area.geometry, track.middle_lats[inside], track.middle_lngs[inside]
        )
        cap_kn[inside] = np.minimum(cap_kn[inside], speed_kn)
        in_ice |= inside
    return replace(track, speed_cap_kn=cap_kn, in_ice=in_ice)


def _mark_reachable_in_force(area: Area, track: Track, request: VoyageRequest) -> Bools:
    """Mark the segments at an area's latitudes that may be reached in its window, shape (n,)."""
    south, north = area.geometry.bounds[1::2]
    is_reachable = (track.middle_lats >= south) & (track.middle_lats <= north)
    hour = timedelta(hours=1)
    if area.starts_at is not None:
        starts_h = (area.starts_at - request.departs_at) / hour
        is_reachable &= _latest_h(track, request) >= starts_h
    if area.ends_at is not None:
        ends_h = (area.ends_at - request.departs_at) / hour
        is_reachable &= track.cumulative_nm[:-1] / request.speed_max_kn <= ends_h
    return np.asarray(is_reachable)


def _latest_h(track: Track, request: VoyageRequest) -> Floats:
    """Return the latest time at which the ship reaches each segment [h since departure], (n,).

    It is that at the lowest ordered speed, or that of ice if it is lower, with the customary waits,
    the longest wait for weather if that is limited, and the waits for areas on the track to open.
    """
    slowest_kn = min(request.speed_min_kn, ICE_SPEED_KN)
    latest_h = track.cumulative_nm[:-1] / slowest_kn + np.cumsum(track.wait_h)
    if request.limits.wave_height_m is not None or request.limits.wind_speed_ms is not None:
        latest_h += LONGEST_WAIT_FOR_WEATHER_H
    ends = track.lats[:-1], track.lngs[:-1], track.lats[1:], track.lngs[1:]
    for area in request.areas:
        if not area.rule.forbids_entry or area.ends_at is None:
            continue
        touched = np.flatnonzero(segments_within(area.geometry, *ends))
        if touched.size:
            later_h = latest_h[touched[0] :]
            opens_h = (area.ends_at - request.departs_at) / timedelta(hours=1)
            later_h += max(opens_h - float(later_h[0]), 0.0)
    return latest_h


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
