"""Critical points where the track crosses the borders of emission control areas."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final, NamedTuple

import numpy as np

from app.engine.area import Area, AreaKind
from app.engine.arrays import Floats
from app.engine.geodesy.longitudes import wrap
from app.engine.plan import ProfilePoint, RoutePlan
from app.engine.planning.stays import find_stays
from app.engine.report.critical_points.records import Finding, Kind, Severity, at_sample
from app.engine.request import Position, VoyageRequest

#: Longest time outside emission control areas without a change of fuel.
_FUEL_CHANGE: Final = timedelta(hours=1)
#: Distance of a point outside a border from it, in segments of the track, at most 50 m.
_OUTSIDE: Final = 0.005


class _Stay(NamedTuple):
    """A stay in emission control areas, in segments of the track, and the area of most of it."""

    begin: float
    end: float
    area: str


def find(plan: RoutePlan, request: VoyageRequest) -> Iterator[Finding]:
    """Find the points at which the ship enters and leaves emission control areas, outside them."""
    last = len(plan.profile) - 1
    for begin, end, name in _list_stays(plan.profile, request.areas):
        if begin > 0.0:
            text = f"Enter {name}. Complete the change to compliant fuel before this point."
            outside = _interpolate(plan.profile, max(begin - _OUTSIDE, 0.0))
            yield at_sample(plan, outside, Kind.ECA_ENTRY, Severity.CAUTION, text)
        if end < last:
            outside = _interpolate(plan.profile, min(end + _OUTSIDE, last))
            yield at_sample(plan, outside, Kind.ECA_EXIT, Severity.INFO, f"Leave {name}.")


def _list_stays(profile: Sequence[ProfilePoint], areas: Sequence[Area]) -> list[_Stay]:
    """List the stays inside emission control areas; short times outside do not separate them.

    Points without time outside, as at a wait for a lock, do not separate them either.
    """
    ecas = [area for area in areas if area.kind is AreaKind.ECA]
    if len(profile) < 2 or not ecas:
        return []
    lats, lngs = np.array([sample.position for sample in profile]).T
    departs_at = profile[0].time
    hours = np.array([(sample.time - departs_at) / timedelta(hours=1) for sample in profile])
    found = [
        _Stay(begin, end, area.name)
        for area in ecas
        for begin, end in find_stays(
            area.geometry, area.starts_at, area.ends_at, lats, lngs, departs_at, hours
        ).tolist()
    ]
    return _join(sorted(found), hours)


def _join(stays: Sequence[_Stay], hours: Floats) -> list[_Stay]:
    """Join stays, sorted by their begins, between which the fuel is not changed."""
    joined: list[_Stay] = []
    longest = 0.0
    for stay in stays:
        length = stay.end - stay.begin
        if joined and _measure_between(joined[-1], stay, hours) <= _FUEL_CHANGE:
            last = joined.pop()
            name = stay.area if length > longest else last.area
            joined.append(_Stay(last.begin, max(last.end, stay.end), name))
            longest = max(longest, length)
        else:
            joined.append(stay)
            longest = length
    return joined


def _measure_between(one: _Stay, two: _Stay, hours: Floats) -> timedelta:
    """Return the time from the end of a stay to the begin of the next."""
    end_h, begin_h = np.interp((one.end, two.begin), np.arange(hours.size), hours).tolist()
    return timedelta(hours=begin_h - end_h)


def _interpolate(profile: Sequence[ProfilePoint], place: float) -> ProfilePoint:
    """Return the sample at a place between others, with the data of the one before it."""
    before, after = profile[int(place)], profile[min(int(place) + 1, len(profile) - 1)]
    share = place - int(place)
    lat = before.position.lat + share * (after.position.lat - before.position.lat)
    lng = before.position.lng + share * wrap(after.position.lng - before.position.lng)
    time = before.time + share * (after.time - before.time)
    return replace(before, position=Position(lat, wrap(lng)), time=time)
