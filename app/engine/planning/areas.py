"""Areas touched by a ship on a track, and when."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area, AreaKind
from app.engine.geodesy import sample_leg
from app.engine.geodesy.shapes import (
    build_lines,
    contains_points,
    intersects_segments,
    lines_within,
    overlaps_bounds,
)
from app.engine.plan import LegGeometry
from app.engine.request import Position
from app.engine.sailing.simulation import Simulation
from app.engine.sailing.track import LONGEST_SEGMENT_NM
from app.engine.sea.coast import DEGREE_M
from app.engine.sea.path import Leg

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_OTHER_LINE: Final[Mapping[LegGeometry, LegGeometry]] = {
    LegGeometry.GREAT_CIRCLE: LegGeometry.RHUMB,
    LegGeometry.RHUMB: LegGeometry.GREAT_CIRCLE,
}


def contains(area: Area, position: Position) -> bool:
    """Return whether a position lies inside an area or on its edge, at whatever time."""
    return bool(shapely.intersects_xy(area.geometry, position.lng, position.lat))


def touched_segments(area: Area, simulation: Simulation) -> Bools:
    """Return which segments of the track touch the area while it is in force, shape (n,).

    The whole segment is tested, not its ends: an area narrower than a segment
    counts too.
    """
    return _touches(area, _own_passing(simulation))


def touched_on_either_line(
    areas: Sequence[Area], legs: Sequence[Leg], simulation: Simulation
) -> list[Area]:
    """Areas that the legs, as great circles or as rhumb lines, touch while they are in force.

    An ECDIS may sail either, whatever geometry a leg is given.
    """
    passings = _list_passings(legs, simulation) if areas else ()
    frames = [(each, _Frame.of(each)) for each in passings]
    return [
        area
        for area in areas
        if any(frame.meets(area) and _touches(area, each).any() for each, frame in frames)
    ]


def narrow_corridors(
    legs: Sequence[Leg], areas: Sequence[Area], simulation: Simulation
) -> tuple[Leg, ...]:
    """The legs with no cross-track distance that reaches into an area in force as they are sailed.

    An area that a leg itself touches narrows nothing there: it is entered knowingly.
    """
    if not areas:
        return tuple(legs)
    passings = _list_passings(legs, simulation)
    xtd_m = np.array([leg.xtd_m for leg in legs])
    for area in areas:
        for passing in passings:
            segments, gap_m = _measure_gaps_m(area, passing, xtd_m[passing.leg])
            np.minimum.at(xtd_m, passing.leg[segments], gap_m)
    return tuple(
        leg if xtd >= leg.xtd_m else replace(leg, xtd_m=math.floor(10.0 * xtd) / 10.0)
        for leg, xtd in zip(legs, xtd_m.tolist(), strict=True)
    )


class _Passing(NamedTuple):
    """A line that legs may be sailed on: n segments between n + 1 points, and the hours at which
    these are left, after any wait there."""

    lats: Floats
    lngs: Floats
    hours: Floats
    leg: NDArray[np.int64]
    departs_at: datetime


class _Frame(NamedTuple):
    """The bounds of a line [deg]; one across the antimeridian has none by longitude."""

    west: float
    south: float
    east: float
    north: float

    @classmethod
    def of(cls, line: _Passing) -> "_Frame":
        """Return the bounds of a line."""
        lats, lngs = line.lats, line.lngs
        is_across = bool((np.abs(np.diff(lngs)) > 180.0).any())
        west, east = (-180.0, 180.0) if is_across else (float(lngs.min()), float(lngs.max()))
        return cls(west, float(lats.min()), east, float(lats.max()))

    def meets(self, area: Area) -> bool:
        """Return whether the line may touch an area."""
        west, south, east, north = area.geometry.bounds
        by_lat: bool = self.north >= south and self.south <= north
        by_lng: bool = self.east >= west and self.west <= east
        return by_lat and by_lng


def _own_passing(simulation: Simulation) -> _Passing:
    track = simulation.track
    return _Passing(track.lats, track.lngs, _left_h(simulation), track.leg, simulation.departs_at)


def _left_h(simulation: Simulation) -> Floats:
    """Hours since departure at which the points of a track are left, the last come to."""
    return np.append(simulation.left_h, simulation.total_h)


def _list_passings(legs: Sequence[Leg], simulation: Simulation) -> tuple[_Passing, _Passing]:
    """The line that the legs are laid on, and the other one."""
    return _own_passing(simulation), _other_passing(legs, simulation)


def _other_passing(legs: Sequence[Leg], simulation: Simulation) -> _Passing:
    """Rhumb lines for great circles and the reverse, at the same share of each leg's time."""
    track, left_h = simulation.track, _left_h(simulation)
    lines = [_sample_other_line(leg.start, leg.end, leg.geometry) for leg in legs]
    counts = np.array([lat.size - 1 for lat, _ in lines])
    bounds = np.searchsorted(track.leg, np.arange(len(legs) + 1))
    begin_nm, end_nm = track.cumulative_nm[bounds[:-1]], track.cumulative_nm[bounds[1:]]
    leg = np.repeat(np.arange(len(legs)), counts)
    number = np.arange(leg.size) - np.repeat(np.cumsum(counts) - counts, counts)
    miles = number * ((end_nm - begin_nm) / counts)[leg] + begin_nm[leg]
    # each leg from when its start is left to when its end is come to
    ends = bounds[1:]
    known_nm = np.insert(track.cumulative_nm, ends, end_nm)
    known_h = np.insert(left_h, ends, simulation.hours[ends])
    return _Passing(
        np.append(np.concatenate([lat[:-1] for lat, _ in lines]), track.lats[-1]),
        np.append(np.concatenate([lng[:-1] for _, lng in lines]), track.lngs[-1]),
        np.append(np.interp(miles, known_nm, known_h), simulation.total_h),
        leg,
        simulation.departs_at,
    )


# while a route is edited all its legs but two stay
@lru_cache(maxsize=8192)
def _sample_other_line(
    start: Position, end: Position, geometry: LegGeometry
) -> tuple[Floats, Floats]:
    return sample_leg(start, end, _OTHER_LINE[geometry], LONGEST_SEGMENT_NM)


def _touches(area: Area, passing: _Passing) -> Bools:
    touching = _sailed_in_force(area, passing)
    touching[touching] = intersects_segments(area.geometry, *_segment_ends(passing, touching))
    return touching


def _measure_gaps_m(
    area: Area, passing: _Passing, within_m: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Segments that pass an area in force within a distance [m], and how far off they pass it.

    Measured in the plane of each segment's own latitude, good to 0.1 % at these distances.
    """
    scale = np.maximum(0.02, np.cos(np.radians(passing.lats)).clip(0.0))
    scale = np.minimum(scale[:-1], scale[1:])
    reach_deg = within_m / (DEGREE_M * scale)
    near = _sailed_in_force(area, passing)
    near[near] = overlaps_bounds(
        area.geometry, *_segment_ends(passing, near), within_deg=float(reach_deg.max())
    )
    lines, segments = build_lines(*_segment_ends(passing, near)), np.flatnonzero(near)
    is_near = lines_within(area.geometry, lines, reach_deg[segments])
    lines, segments = lines[is_near], segments[is_near]
    gap_m = np.array(
        [
            _measure_gap_m(area.geometry, line, scale[i], reach_deg[i])
            for line, i in zip(lines, segments, strict=True)
        ]
    )
    passed = gap_m > 0.0
    return segments[passed], gap_m[passed]


def _measure_gap_m(area: BaseGeometry, line: BaseGeometry, scale: float, reach_deg: float) -> float:
    """Distance between an area and a line of a given latitude [m]."""
    around = shapely.box(*shapely.buffer(line, 1.01 * reach_deg).bounds)
    near = shapely.intersection(area, around)
    flat = [
        shapely.transform(part, lambda xy: xy * np.array([scale, 1.0])) for part in (near, line)
    ]
    return float(shapely.distance(*flat)) * DEGREE_M


def _sailed_in_force(area: Area, passing: _Passing) -> Bools:
    """Return which segments are sailed, at least in part, within the area's window, shape (n,)."""
    departs_at, hours = passing.departs_at, passing.hours
    too_early = too_late = np.zeros(hours.size - 1, dtype=np.bool_)
    if area.starts_at is not None:
        too_early = hours[1:] < (area.starts_at - departs_at) / timedelta(hours=1)
    if area.ends_at is not None:
        too_late = hours[:-1] > (area.ends_at - departs_at) / timedelta(hours=1)
    return ~(too_early | too_late)


def _segment_ends(passing: _Passing, chosen: Bools) -> tuple[Floats, Floats, Floats, Floats]:
    """Return latitudes and longitudes of the chosen segments' starts and ends, shape (m,) each."""
    lats, lngs = passing.lats, passing.lngs
    return lats[:-1][chosen], lngs[:-1][chosen], lats[1:][chosen], lngs[1:][chosen]


def touched(areas: Iterable[Area], simulation: Simulation) -> list[Area]:
    """Areas that the sailing touches while they are in force."""
    return [area for area in areas if touched_segments(area, simulation).any()]


def eca_segments(areas: Sequence[Area], simulation: Simulation) -> Bools:
    """Return which segments run in an emission control area in force there and then, shape (n,)."""
    inside = np.zeros(simulation.track.distance_nm.shape, dtype=np.bool_)
    for area in areas:
        if area.kind is AreaKind.ECA:
            held = contains_points(
                area.geometry, simulation.track.middle_lats, simulation.track.middle_lngs
            )
            inside |= held & _sailed_in_force(area, _own_passing(simulation))
    return inside
