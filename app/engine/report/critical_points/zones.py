"""Critical points of areas: borders of emission control areas, other areas passed closely."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final, NamedTuple

import numpy as np
import shapely

from app.engine.area import Area, AreaKind
from app.engine.arrays import Bools, Floats, Ints
from app.engine.formatting import format_miles
from app.engine.geodesy import great_circle_distance_nm
from app.engine.geodesy.longitudes import wrap
from app.engine.plan import ProfilePoint, RoutePlan
from app.engine.planning.areas import find_stays
from app.engine.report.critical_points.records import CriticalPoint, Kind, Severity, at_sample
from app.engine.report.season_warnings import advise_in_ice
from app.engine.request import Position, VoyageRequest
from app.engine.times import add_hours
from app.engine.units import wrap_longitude

#: Distance within which an area is near [nm]: a ship set off its track, or giving way to another,
#: could reach it within the hour.
_ZONE_NEAR_NM: Final = 10.0

#: Height of latitude bands [deg] in which the length of a degree of longitude is constant.
_BAND_DEG: Final = 1.0
#: Longest time outside emission control areas without a change of fuel.
_FUEL_CHANGE: Final = timedelta(hours=1)
#: Distance along the track of a point outside a border from it [nm].
_OUTSIDE_NM: Final = 0.03


def find(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    """Find critical points of areas."""
    yield from find_eca_borders(plan, request)
    for area in request.areas:
        if area.kind is not AreaKind.ECA:
            yield from _find_near_zone(plan, area, request)


def _find_near_zone(plan: RoutePlan, area: Area, request: VoyageRequest) -> Iterator[CriticalPoint]:
    distances = _distances_nm(area, plan.profile)
    if distances.size == 0 or distances.min() > _ZONE_NEAR_NM:
        return
    closest = int(distances.argmin())
    sample = plan.profile[closest]
    if distances[closest] > 0.0 and not area.rule.forbids_entry:
        return  # passing close to an area that may be entered is not critical
    if distances[closest] == 0.0:
        stays = _find_stays(plan.profile, area)
        if stays.size:
            sample = _find_beyond(plan.profile, float(stays[0, 0]), 0.0)
        severity = Severity.DANGER if area.rule.forbids_entry else Severity.CAUTION
        text = f"The track enters {area.name}."
        if area.ice is not None:
            text += f" {advise_in_ice(area, area.ice, request.ship.ice_class)}"
    else:
        severity = Severity.CAUTION
        text = f"{area.name} lies {format_miles(float(distances[closest]))} off the track."
    yield at_sample(plan, sample, Kind.ZONE_NEAR, severity, text)


def _distances_nm(area: Area, samples: Sequence[ProfilePoint]) -> Floats:
    """Measure how far the track from each sample to the next is from an area in force [nm].

    It is 0 inside, and infinite where the area is not near or not in force.
    """
    distances = np.full(len(samples), np.inf)
    lats = np.array([sample.position.lat for sample in samples])
    lngs = np.array([sample.position.lng for sample in samples])
    in_force = np.ones(len(samples), dtype=np.bool_)
    if area.has_window:
        in_force[:] = [area.is_in_force(sample.time) for sample in samples]
    # of a segment in the course of which the area's window begins or ends, that end counts alone
    ends = np.minimum(np.arange(1, len(samples) + 1), len(samples) - 1)
    ends = np.where(in_force[ends], ends, np.arange(len(samples)))
    track = np.stack([lats, lngs, lats[ends], lngs + wrap_longitude(lngs[ends] - lngs)])
    for turn in (-360.0, 0.0, 360.0):
        turned = track + np.array([[0.0], [turn], [0.0], [turn]])
        for chosen in _bands_near(area, turned, in_force):
            found = _band_distances_nm(area, turned[:, chosen])
            distances[chosen] = np.minimum(distances[chosen], found)
    return distances


def _bands_near(area: Area, track: Floats, in_force: Bools) -> Iterator[Ints]:
    """Yield the indices of the segments near the area's bounds, by band of latitude.

    ``track``, shape (4, n), are the latitudes and longitudes of n segments' begins and ends.
    """
    lat0, lng0, lat1, lng1 = track
    west, south, east, north = area.geometry.bounds
    reach_lat = _ZONE_NEAR_NM / 60.0
    reach_lng = reach_lat / np.maximum(np.cos(np.radians(lat0)), 0.01)
    near = in_force & (np.maximum(lat0, lat1) >= south - reach_lat)
    near &= np.minimum(lat0, lat1) <= north + reach_lat
    near &= np.maximum(lng0, lng1) >= west - reach_lng
    near &= np.minimum(lng0, lng1) <= east + reach_lng
    bands = np.floor(lat0 / _BAND_DEG)
    for band in np.unique(bands[near]):
        yield np.flatnonzero(near & (bands == band))


def _band_distances_nm(area: Area, track: Floats) -> Floats:
    """Measure the distances of segments in one band from an area [nm].

    The nearest points are those in the plane true to scale at the middle of the band; the distance
    between them is that of the great circle.
    """
    scale = np.array([float(np.cos(np.radians(track[0].mean()))), 1.0])
    plane = shapely.transform(area.geometry, lambda xy: xy * scale)
    ends = np.stack([track[1::-1].T, track[:1:-1].T], axis=1)
    shortest = shapely.shortest_line(shapely.linestrings(ends * scale), plane)
    on_track, on_area = (
        shapely.get_coordinates(shapely.get_point(shortest, end)) / scale for end in (0, 1)
    )
    distances = great_circle_distance_nm(
        on_track[:, 1], on_track[:, 0], on_area[:, 1], on_area[:, 0]
    )
    return np.where(shapely.length(shortest) == 0.0, 0.0, distances)


class _Stay(NamedTuple):
    """A stay in emission control areas, in segments of the track, and its hours in each by name."""

    begin: float
    end: float
    hours: Counter[str]

    @property
    def area(self) -> str:
        """The area of most of the stay."""
        return max(self.hours, key=lambda name: self.hours[name])


def find_eca_borders(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    """Find the points at which the ship enters and leaves emission control areas, outside them."""
    last = len(plan.profile) - 1
    for stay in _list_stays(plan.profile, request.areas):
        if stay.begin > 0.0:
            text = f"Enter {stay.area}. Complete the change to compliant fuel before this point."
            outside = _find_beyond(plan.profile, stay.begin, -_OUTSIDE_NM)
            yield at_sample(plan, outside, Kind.ECA_ENTRY, Severity.CAUTION, text)
        if stay.end < last:
            outside = _find_beyond(plan.profile, stay.end, _OUTSIDE_NM)
            yield at_sample(plan, outside, Kind.ECA_EXIT, Severity.INFO, f"Leave {stay.area}.")


def _list_stays(profile: Sequence[ProfilePoint], areas: Sequence[Area]) -> list[_Stay]:
    """List the stays inside emission control areas; short times outside do not separate them.

    Points without time outside, as at a wait for a lock, do not separate them either.
    """
    ecas = [area for area in areas if area.kind is AreaKind.ECA]
    if len(profile) < 2 or not ecas:
        return []
    hours = _measure_hours(profile)
    segments = np.arange(hours.size)
    found = []
    for area in ecas:
        stays = _find_stays(profile, area)
        inside_h = np.diff(np.interp(stays, segments, hours), axis=1).ravel()
        for (begin, end), length_h in zip(stays.tolist(), inside_h.tolist(), strict=True):
            found.append(_Stay(begin, end, Counter({area.name: length_h})))
    return _join(sorted(found, key=lambda stay: stay.begin), hours)


def _find_stays(profile: Sequence[ProfilePoint], area: Area) -> Floats:
    """Find the stays inside an area in force, in segments of the track, shape (m, 2)."""
    lats, lngs = np.array([sample.position for sample in profile]).T
    window = area.starts_at, area.ends_at
    return find_stays(area.geometry, *window, lats, lngs, profile[0].time, _measure_hours(profile))


def _measure_hours(profile: Sequence[ProfilePoint]) -> Floats:
    """Measure the hours since the departure, shape (n,)."""
    departs_at = profile[0].time
    return np.array([(sample.time - departs_at) / timedelta(hours=1) for sample in profile])


def _join(stays: Sequence[_Stay], hours: Floats) -> list[_Stay]:
    """Join stays, sorted by their begins, between which the fuel is not changed."""
    joined: list[_Stay] = []
    for stay in stays:
        if joined and _measure_between(joined[-1], stay, hours) <= _FUEL_CHANGE:
            last = joined.pop()
            end = max(last.end, stay.end)
            joined.append(_Stay(last.begin, end, last.hours + stay.hours))
        else:
            joined.append(stay)
    return joined


def _measure_between(one: _Stay, two: _Stay, hours: Floats) -> timedelta:
    end_h, begin_h = np.interp((one.end, two.begin), np.arange(hours.size), hours).tolist()
    return timedelta(hours=begin_h - end_h)


def _find_beyond(profile: Sequence[ProfilePoint], place: float, beyond_nm: float) -> ProfilePoint:
    """Return the sample at a distance along the track from a place, given in segments.

    It has the data of the sample before it. Its time is that of the place, as in the list of the
    areas crossed, and a whole second, by which reviews name the point.
    """
    segments, run_nm = np.arange(len(profile)), [sample.cumulative_nm for sample in profile]
    time = add_hours(profile[0].time, np.interp(place, segments, _measure_hours(profile)))
    at_nm = np.interp(place, segments, run_nm) + beyond_nm
    found = float(np.interp(at_nm, run_nm, segments))
    before, after = profile[int(found)], profile[min(int(found) + 1, len(profile) - 1)]
    share = found - int(found)
    lat = before.position.lat + share * (after.position.lat - before.position.lat)
    lng = before.position.lng + share * wrap(after.position.lng - before.position.lng)
    return replace(before, position=Position(lat, wrap(lng)), time=time)
