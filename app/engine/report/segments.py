"""Segments of a plan: distance, time, fuel and weather between chosen waypoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise

import numpy as np
from scipy.integrate import cumulative_trapezoid

from app.engine.arrays import Floats
from app.engine.plan import ProfilePoint, RoutePlan, Waypoint
from app.engine.report.timetable import list_leaving_times
from app.engine.weather.records import Weather


@dataclass(frozen=True, slots=True)
class Segment:
    """Figures between two waypoints of a plan.

    Speeds [kn] are over ground. ``average_current_kn`` is the mean over time of the current's
    component along the course, positive fair, negative foul. ``None`` means that it is not known
    on the segment, as the waves of a river or of a lake without a forecast.
    """

    from_index: int
    to_index: int
    distance_nm: float
    duration_h: float
    fuel_t: float
    co2_t: float
    average_speed_kn: float
    eca_distance_nm: float
    max_wave_m: float | None
    max_wind_ms: float | None
    average_current_kn: float | None


class SplitIndexError(ValueError):
    """An index at which a plan cannot be split.

    ``position`` is the place in the list of indices, from 0, and ``index`` the value there.
    """

    def __init__(self, detail: str, *, position: int, index: int) -> None:
        super().__init__(detail)
        self.detail = detail
        self.position = position
        self.index = index


def compute_segments(
    plan: RoutePlan, split_indices: Sequence[int] | None = None
) -> tuple[Segment, ...]:
    """Sum a plan up by segments between the waypoints at which it is split.

    Without indices every leg is a segment. Distances, hours and fuel add up to the plan's; its CO2
    is divided in proportion to fuel. Miles in emission control areas are those of the profile, at
    most the segment's own. Raise :class:`SplitIndexError` if an index is no waypoint between the
    first and the last, or not above the previous one.
    """
    bounds = _bounds(len(plan.waypoints), split_indices)
    along = _eca_miles_at(plan), *_current_integrals_at(plan)
    return tuple(_sum_up(plan, start, end, along) for start, end in pairwise(bounds))


def fair_current_kn(weather: Weather | None, course_deg: float) -> float | None:
    """Return the current's component along the course [kn], positive fair, negative foul.

    ``None`` where the current is unknown.
    """
    if weather is None or weather.current_speed_kn is None or weather.current_to_deg is None:
        return None
    angle = np.radians(weather.current_to_deg - course_deg)
    return float(weather.current_speed_kn * np.cos(angle))


def _bounds(count: int, split_indices: Sequence[int] | None) -> list[int]:
    """Return the indices of the first waypoint, the splits and the last, after a check."""
    last = count - 1
    if not split_indices:
        return list(range(count))
    before = 0
    for position, index in enumerate(split_indices):
        if not 0 < index < last:
            places = "1" if last == 2 else f"1 to {last - 1}"
            can = f"can be split at {places}, not at {index}" if last > 1 else "cannot be split"
            detail = f"A route of {count} waypoints {can}."
            raise SplitIndexError(detail, position=position, index=index)
        if index <= before:
            fault = "is given twice" if index == before else f"comes after {before}"
            detail = f"Waypoint {index} {fault}. Give each split once, in the route's order."
            raise SplitIndexError(detail, position=position, index=index)
        before = index
    return [0, *split_indices, last]


def _sum_up(plan: RoutePlan, start: int, end: int, along: tuple[Floats, Floats, Floats]) -> Segment:
    """Sum a plan up between two waypoints.

    ``along`` are miles in emission control areas and integrals of the current, to each waypoint.
    """
    eca_nm, fair_kn_h, known_h = (float(each[end] - each[start]) for each in along)
    first, last = plan.waypoints[start], plan.waypoints[end]
    distance_nm = last.cumulative_nm - first.cumulative_nm
    duration_h = (last.eta - first.eta) / timedelta(hours=1)
    fuel_t = sum(w.leg_fuel_t for w in plan.waypoints[start + 1 : end + 1])
    met = _weather_met(plan, first, last)
    left = zip(plan.waypoints, list_leaving_times(plan.waypoints), strict=True)
    waits = (leaves_at - w.eta for w, leaves_at in islice(left, start, end) if leaves_at)
    under_way_h = duration_h - sum(waits, timedelta()) / timedelta(hours=1)
    return Segment(
        from_index=start,
        to_index=end,
        distance_nm=distance_nm,
        duration_h=duration_h,
        fuel_t=fuel_t,
        co2_t=_share(plan.summary.co2_t, fuel_t, plan.summary.fuel_t),
        average_speed_kn=distance_nm / under_way_h,
        # profile and waypoints are kept to different decimals
        eca_distance_nm=min(eca_nm, distance_nm),
        max_wave_m=max((w.wave_height_m for w in met if w.wave_source), default=None),
        max_wind_ms=max((w.wind_speed_ms for w in met), default=None),
        average_current_kn=fair_kn_h / known_h if known_h > 0.0 else None,
    )


def _weather_met(plan: RoutePlan, first: Waypoint, last: Waypoint) -> list[Weather]:
    samples: list[ProfilePoint | Waypoint] = [
        *(p for p in plan.profile if first.eta <= p.time <= last.eta),
        *plan.waypoints[first.index : last.index + 1],
    ]
    return [s.weather for s in samples if s.weather is not None]


def _eca_miles_at(plan: RoutePlan) -> Floats:
    """Return the miles in emission control areas from departure to each waypoint [nm].

    As in the summary, a point of the profile describes the segment that begins there. Without a
    profile the summary's miles are divided among the legs marked as inside.
    """
    if not plan.profile:
        marked = np.cumsum([w.leg_distance_nm if w.in_eca else 0.0 for w in plan.waypoints])
        return np.asarray(marked * _share(plan.summary.eca_distance_nm, 1.0, float(marked[-1])))
    run_nm = np.array([point.cumulative_nm for point in plan.profile])
    is_inside = np.array([point.in_eca for point in plan.profile])
    inside_nm = np.concatenate([[0.0], np.cumsum(np.diff(run_nm) * is_inside[:-1])])
    return np.asarray(np.interp([w.cumulative_nm for w in plan.waypoints], run_nm, inside_nm))


def _current_integrals_at(plan: RoutePlan) -> tuple[Floats, Floats]:
    """Integrate up to each waypoint the fair current [kn h] and the time it is known [h]."""
    departs_at = plan.waypoints[0].eta
    hour = timedelta(hours=1)
    at_h = [(w.eta - departs_at) / hour for w in plan.waypoints]
    hours = [(p.time - departs_at) / hour for p in plan.profile]
    fair_kn = [fair_current_kn(p.weather, p.course_deg) for p in plan.profile]
    known = [0.0 if each is None else 1.0 for each in fair_kn]
    fair_or_zero_kn = [each or 0.0 for each in fair_kn]
    return _integral_at(at_h, hours, fair_or_zero_kn), _integral_at(at_h, hours, known)


def _integral_at(at: Sequence[float], x: Sequence[float], y: Sequence[float]) -> Floats:
    """Integrate samples y(x) by trapezoids from the first x up to each ``at``."""
    if not x:
        return np.zeros(len(at))
    return np.asarray(np.interp(at, x, cumulative_trapezoid(y, x, initial=0.0)))


def _share(total: float, part: float, whole: float) -> float:
    """Return ``total`` times part / whole, 0 if the whole is."""
    return total * part / whole if whole > 0.0 else 0.0
