"""Areas that a route touches or stays in while they are in force, and distances to them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area, AreaKind
from app.engine.arrays import Bools, Floats, Ints
from app.engine.constants import DEGREE_M
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.geodesy.shapes import (
    build_lines,
    contains_points,
    do_bounds_overlap,
    find_stretches,
    lines_within,
    measure_bounds,
    overlaps_bounds,
    repeat_across_antimeridian,
    segments_within,
)
from app.engine.optimise.windows import LONGEST_WAIT_FOR_AREA
from app.engine.request import Position
from app.engine.sailing.simulation import Simulation
from app.engine.sailing.track import LONGEST_SEGMENT_NM, Track
from app.engine.sailing.waiting import find_waits
from app.engine.sea.path import Leg
from app.engine.units import wrap_longitude


class TimedLine(NamedTuple):
    """Legs as n segments between n + 1 points, all along their own lines or all along the others.

    ``hours`` since ``departs_at``, shape (n + 1,), are the times of departure from the points,
    after any wait; ``leg``, shape (n,), is the number of each segment's leg.
    """

    lats: Floats
    lngs: Floats
    hours: Floats
    leg: Ints
    departs_at: datetime
    is_own: bool

    def position(self, point: int) -> Position:
        """Return the position of a point."""
        return Position(float(self.lats[point]), float(self.lngs[point]))

    @property
    def segment_ends(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Latitudes and longitudes of the segments' starts and ends, shape (n,)."""
        return self.lats[:-1], self.lngs[:-1], self.lats[1:], self.lngs[1:]

    def time_at(self, point: int) -> datetime:
        """Return the time of departure from a point."""
        return self.departs_at + timedelta(hours=float(self.hours[point]))

    def at(self, place: float) -> tuple[Position, datetime]:
        """Return position and time of a place in segments: 2.5 is the middle of the third one."""
        begin = self._segment_at(place)
        share, (lats, lngs) = place - begin, (self.lats[begin:], self.lngs[begin:])
        lat = float(lats[0] + share * (lats[1] - lats[0]))
        lng = float(wrap_longitude(lngs[0] + share * wrap_longitude(lngs[1] - lngs[0])))
        begins, ends = self.time_at(begin), self.time_at(begin + 1)
        return Position(lat, lng), begins + share * (ends - begins)

    def leg_at(self, place: float) -> int:
        """Return the number of the leg at a place in segments."""
        return int(self.leg[self._segment_at(place)])

    def _segment_at(self, place: float) -> int:
        return min(int(place), self.leg.size - 1)


def list_lines(legs: Sequence[Leg], simulation: Simulation) -> tuple[TimedLine, TimedLine]:
    """Return the legs by their own geometry, and by the other one."""
    return _build_track_line(simulation), _build_other_line(legs, simulation)


def mark_touching(area: Area, line: TimedLine) -> Bools:
    """Mark the segments of a line that touch an area while it is in force, shape (n,).

    The whole segment is tested, so that an area narrower than a segment counts.
    """
    touching = _mark_in_force(area, line)
    touching[touching] = segments_within(area.geometry, *_select_segment_ends(line, touching))
    return touching


def mark_touched_segments(area: Area, simulation: Simulation) -> Bools:
    """Mark the segments of the track that touch an area while it is in force, shape (n,)."""
    return mark_touching(area, _build_track_line(simulation))


def list_touched_on_either_line(
    areas: Sequence[Area], legs: Sequence[Leg], simulation: Simulation
) -> list[Area]:
    """List the areas that the legs touch in force, as great circles or as rhumb lines.

    Both are tested, because an ECDIS may use either, whatever geometry a leg has; and both as
    simulated and at the mean speed of each leg, which is all that waypoints state.
    """
    if not areas:
        return []
    sailed = simulation, simulate_mean_speeds(simulation)
    lines = [line for each in sailed for line in list_lines(legs, each)]
    bounded = [(line, measure_bounds(*line.segment_ends)) for line in lines]
    return [
        area
        for area in areas
        if any(
            do_bounds_overlap(area.geometry.bounds, bounds) and mark_touching(area, line).any()
            for line, bounds in bounded
        )
    ]


def simulate_mean_speeds(simulation: Simulation) -> Simulation:
    """Return a simulation with the times at which the ship sails each leg at one speed.

    The parts of a leg before and after a wait have each their own.
    """
    track, left_h = simulation.track, simulation.left_h
    is_start = np.diff(track.leg, prepend=-1) > 0
    is_start[find_waits(simulation)] = True
    part, starts = np.cumsum(is_start) - 1, np.flatnonzero(is_start)
    ends = np.append(starts[1:], left_h.size)
    sailed_nm = track.cumulative_nm[ends] - track.cumulative_nm[starts]
    share = (track.cumulative_nm[:-1] - track.cumulative_nm[starts][part]) / sailed_nm[part]
    sailing_h = simulation.hours[ends] - left_h[starts]
    hours = np.append(left_h[starts][part] + share * sailing_h[part], simulation.total_h)
    hours[starts] = simulation.hours[starts]
    return replace(simulation, hours=hours)


def list_area_bounds(areas: Sequence[Area], simulation: Simulation) -> list[int]:
    """List the points at which the track enters or leaves areas, in force or not, ascending."""
    points: set[int] = set()
    for area in areas:
        is_touched = mark_touched_segments(area.at_all_times(), simulation)
        points.update(np.flatnonzero(np.diff(is_touched, prepend=False, append=False)).tolist())
    return sorted(points)


def limit_xtd_to_areas(
    legs: Sequence[Leg], areas: Sequence[Area], simulation: Simulation
) -> tuple[Leg, ...]:
    """Return legs with cross-track distances reduced to end at areas in force.

    An area that a leg itself touches reduces nothing: the route enters it on purpose.
    """
    if not areas:
        return tuple(legs)
    lines = list_lines(legs, simulation)
    xtd_m = np.array([leg.xtd_m for leg in legs])
    for area in areas:
        for line in lines:
            segments, gap_m = _measure_gaps_m(area, line, xtd_m[line.leg])
            np.minimum.at(xtd_m, line.leg[segments], gap_m)
    return tuple(
        leg if xtd >= leg.xtd_m else replace(leg, xtd_m=math.floor(10.0 * xtd) / 10.0)
        for leg, xtd in zip(legs, xtd_m.tolist(), strict=True)
    )


def _build_track_line(simulation: Simulation) -> TimedLine:
    track = simulation.track
    return TimedLine(
        track.lats, track.lngs, _departure_hours(simulation), track.leg, simulation.departs_at, True
    )


def _departure_hours(simulation: Simulation) -> Floats:
    """Return hours since departure at which each point is left; for the last point, reached."""
    return np.append(simulation.left_h, simulation.total_h)


def _build_other_line(legs: Sequence[Leg], simulation: Simulation) -> TimedLine:
    """Return the legs with rhumb lines for great circles and the reverse.

    Times are interpolated by the share of each leg's distance.
    """
    track, left_h = simulation.track, _departure_hours(simulation)
    lines = [_sample_other_line(leg.start, leg.end, leg.geometry) for leg in legs]
    counts = np.array([lat.size - 1 for lat, _ in lines])
    bounds = np.searchsorted(track.leg, np.arange(len(legs) + 1))
    begin_nm, end_nm = track.cumulative_nm[bounds[:-1]], track.cumulative_nm[bounds[1:]]
    leg = np.repeat(np.arange(len(legs)), counts)
    number = np.arange(leg.size) - np.repeat(np.cumsum(counts) - counts, counts)
    at_nm = number * ((end_nm - begin_nm) / counts)[leg] + begin_nm[leg]
    # a leg lasts from the departure at its start to the arrival at its end
    ends = bounds[1:]
    known_nm = np.insert(track.cumulative_nm, ends, end_nm)
    known_h = np.insert(left_h, ends, simulation.hours[ends])
    return TimedLine(
        np.append(np.concatenate([lat[:-1] for lat, _ in lines]), track.lats[-1]),
        np.append(np.concatenate([lng[:-1] for _, lng in lines]), track.lngs[-1]),
        np.append(np.interp(at_nm, known_nm, known_h), simulation.total_h),
        leg,
        simulation.departs_at,
        False,
    )


# cached: an edit of a route changes only two of its legs
@lru_cache(maxsize=8192)
def _sample_other_line(
    start: Position, end: Position, geometry: LegGeometry
) -> tuple[Floats, Floats]:
    return sample_leg(start, end, geometry.other, LONGEST_SEGMENT_NM)


def _measure_gaps_m(area: Area, line: TimedLine, within_m: Floats) -> tuple[Ints, Floats]:
    """Return the segments that pass an area in force within given distances, and how close [m].

    ``within_m``, shape (n,), is for each segment. Distances are measured in a plane at the
    segment's latitude, within 0.1 %.
    """
    scale = np.maximum(0.02, np.cos(np.radians(line.lats)).clip(0.0))
    scale = np.minimum(scale[:-1], scale[1:])
    reach_deg = within_m / (DEGREE_M * scale)
    near, most_deg = _mark_in_force(area, line), float(reach_deg.max())
    geometry = repeat_across_antimeridian(area.geometry, most_deg, line.lngs, line.lngs)
    near[near] = overlaps_bounds(geometry, *_select_segment_ends(line, near), within_deg=most_deg)
    shapes, segments = build_lines(*_select_segment_ends(line, near)), np.flatnonzero(near)
    is_near = lines_within(geometry, shapes, reach_deg[segments])
    shapes, segments = shapes[is_near], segments[is_near]
    gap_m = np.array(
        [
            _measure_gap_m(geometry, shape, scale[i], reach_deg[i])
            for shape, i in zip(shapes, segments, strict=True)
        ]
    )
    passed = gap_m > 0.0
    return segments[passed], gap_m[passed]


def _measure_gap_m(area: BaseGeometry, line: BaseGeometry, scale: float, reach_deg: float) -> float:
    """Return the distance between an area and a line [m].

    ``scale`` is the cosine of the line's latitude; parts beyond ``reach_deg`` are not measured.
    """
    around = shapely.box(*shapely.buffer(line, 1.01 * reach_deg).bounds)
    near = shapely.intersection(area, around)
    flat = [
        shapely.transform(part, lambda xy: xy * np.array([scale, 1.0])) for part in (near, line)
    ]
    return float(shapely.distance(*flat)) * DEGREE_M


def _mark_in_force(area: Area, line: TimedLine) -> Bools:
    """Mark the segments sailed at least partly within an area's window, shape (n,)."""
    departs_at, hours = line.departs_at, line.hours
    too_early = too_late = np.zeros(hours.size - 1, dtype=np.bool_)
    if area.starts_at is not None:
        too_early = hours[1:] < (area.starts_at - departs_at) / timedelta(hours=1)
    if area.ends_at is not None:
        too_late = hours[:-1] > (area.ends_at - departs_at) / timedelta(hours=1)
    return ~(too_early | too_late)


def _select_segment_ends(line: TimedLine, chosen: Bools) -> tuple[Floats, Floats, Floats, Floats]:
    """Return latitudes and longitudes of the m chosen segments' starts and ends, shape (m,)."""
    lat0, lng0, lat1, lng1 = line.segment_ends
    return lat0[chosen], lng0[chosen], lat1[chosen], lng1[chosen]


def list_touched_areas(areas: Iterable[Area], simulation: Simulation) -> list[Area]:
    """List the areas that the simulated track touches while they are in force."""
    return [area for area in areas if mark_touched_segments(area, simulation).any()]


def split_at_ecas(track: Track, areas: Sequence[Area]) -> Track:
    """Return the track with points where it crosses outlines of emission control areas.

    No segment then lies in an area in part, so that miles and fuel inside are exact. Where an area
    comes into force during the voyage, they are exact to a segment.
    """
    ecas = [area.geometry for area in areas if area.kind is AreaKind.ECA]
    places = [find_stretches(geometry, track.lats, track.lngs).ravel() for geometry in ecas]
    return track.split(np.unique(np.concatenate(places))) if places else track


def mark_eca_segments(areas: Sequence[Area], simulation: Simulation) -> Bools:
    """Mark the segments that lie in an emission control area in force, shape (n,)."""
    inside = np.zeros(simulation.track.distance_nm.shape, dtype=np.bool_)
    for area in areas:
        if area.kind is AreaKind.ECA:
            in_area = contains_points(
                area.geometry, simulation.track.middle_lats, simulation.track.middle_lngs
            )
            inside |= in_area & _mark_in_force(area, _build_track_line(simulation))
    return inside


def find_stays(
    geometry: BaseGeometry,
    starts_at: datetime | None,
    ends_at: datetime | None,
    lats: Floats,
    lngs: Floats,
    departs_at: datetime,
    hours: Floats,
) -> Floats:
    """Find the stays inside an area in force between two times, ``None`` without bound, (m, 2).

    The track has n points, ``lats`` and ``lngs`` (n,) [deg], passed at ``hours`` (n,) since
    ``departs_at``. A stay is given in segments from the start of the track: 2.5 is the middle of
    the third segment. ``geometry`` lies within -180..180.
    """
    hour = timedelta(hours=1)
    in_force_h = (
        hours[0] if starts_at is None else (starts_at - departs_at) / hour,
        hours[-1] if ends_at is None else (ends_at - departs_at) / hour,
    )
    in_force = np.interp(in_force_h, hours, np.arange(hours.size))
    stays = np.clip(find_stretches(geometry, lats, lngs), *in_force)
    return np.asarray(stays[stays[:, 0] < stays[:, 1]])


def keep_late_openings_closed(areas: Iterable[Area], slowest: Simulation) -> tuple[Area, ...]:
    """Return the areas; those that open too late for a wait stay closed.

    ``slowest`` is the simulation of a candidate at the lowest ordered speed. A later passage would
    need miles sailed only to pass the time.
    """
    return tuple(
        replace(area, ends_at=None) if _opens_too_late(area, slowest) else area for area in areas
    )


def _opens_too_late(area: Area, slowest: Simulation) -> bool:
    if area.ends_at is None:
        return False
    reached_at = find_entry_time(area, slowest)
    return reached_at is not None and area.ends_at - reached_at > LONGEST_WAIT_FOR_AREA


def find_entry_time(area: Area, simulation: Simulation) -> datetime | None:
    """Return when a simulation enters an area, in force or not; ``None`` if it never does."""
    always = area.at_all_times()
    touched = np.flatnonzero(mark_touched_segments(always, simulation))
    return simulation.time_at(int(touched[0])) if touched.size else None
