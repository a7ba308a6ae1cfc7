"""Critical points where the track crosses the borders of emission control areas."""

from collections import Counter
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
#: Distance along the track of a point outside a border from it [nm].
_OUTSIDE_NM: Final = 0.03


class _Stay(NamedTuple):
    """A stay in emission control areas, in segments of the track, and its hours in each by name."""

    begin: float
    end: float
    hours: Counter[str]

    @property
    def area(self) -> str:
        """The area of most of the stay."""
        return max(self.hours, key=lambda name: self.hours[name])


def find(plan: RoutePlan, request: VoyageRequest) -> Iterator[Finding]:
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
    lats, lngs = np.array([sample.position for sample in profile]).T
    departs_at = profile[0].time
    hours = np.array([(sample.time - departs_at) / timedelta(hours=1) for sample in profile])
    segments = np.arange(hours.size)
    found = []
    for area in ecas:
        window = area.starts_at, area.ends_at
        stays = find_stays(area.geometry, *window, lats, lngs, departs_at, hours)
        inside_h = np.diff(np.interp(stays, segments, hours), axis=1).ravel()
        for (begin, end), length_h in zip(stays.tolist(), inside_h.tolist(), strict=True):
            found.append(_Stay(begin, end, Counter({area.name: length_h})))
    return _join(sorted(found, key=lambda stay: stay.begin), hours)


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
    """Return the time from the end of a stay to the begin of the next."""
    end_h, begin_h = np.interp((one.end, two.begin), np.arange(hours.size), hours).tolist()
    return timedelta(hours=begin_h - end_h)


def _find_beyond(profile: Sequence[ProfilePoint], place: float, beyond_nm: float) -> ProfilePoint:
    """Return the sample at a distance along the track from a place, given in segments.

    It has the data of the sample before it, and never lies in a wait at the place itself. Its time
    is a whole second, by which reviews name the point.
    """
    segments, run_nm = np.arange(len(profile)), [sample.cumulative_nm for sample in profile]
    at_nm = np.interp(place, segments, run_nm) + beyond_nm
    found = float(np.interp(at_nm, run_nm, segments))
    before, after = profile[int(found)], profile[min(int(found) + 1, len(profile) - 1)]
    share = found - int(found)
    lat = before.position.lat + share * (after.position.lat - before.position.lat)
    lng = before.position.lng + share * wrap(after.position.lng - before.position.lng)
    time = before.time + share * (after.time - before.time)
    return replace(before, position=Position(lat, wrap(lng)), time=time.replace(microsecond=0))
