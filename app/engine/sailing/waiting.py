"""Waits at sea for areas to open or weather to pass."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from math import inf
from typing import Final, NamedTuple

import numpy as np

from app.engine.area import Area
from app.engine.arrays import Bools, Floats
from app.engine.formatting import format_time, name_area
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.shapes import segments_within
from app.engine.request import Position
from app.engine.sailing.simulation import Simulation
from app.engine.sailing.track import Track
from app.engine.sea.path import Leg
from app.engine.times import add_hours, hours_since_epoch

#: Longest time between the end of an area's window and that of a wait for the area.
_OPENING_MARGIN: Final = timedelta(minutes=5)
#: Distance from the track within which a ship waits for an area [deg]: a leg's great circle and its
#: rhumb line are at most five miles apart.
_BESIDE_DEG: Final = 0.1
#: Shortest wait [h]; less is rounding.
_MIN_WAIT_H: Final = 0.05


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait at a point of the track, and the areas that open during it, the last at its end.

    ``areas`` is empty if the ship waits for weather.
    """

    point: int
    position: Position
    begins_at: datetime
    ends_at: datetime
    areas: tuple[Area, ...]

    @property
    def duration(self) -> timedelta:
        """Length of the wait."""
        return self.ends_at - self.begins_at

    @property
    def hours(self) -> float:
        """Length of the wait [h]."""
        return self.duration / timedelta(hours=1)


def list_waits(simulation: Simulation, areas: Sequence[Area]) -> list[Wait]:
    """List the waits of a simulation, in order, without the customary waits before passages."""
    return [_make_wait(simulation, point, areas) for point in find_waits(simulation)]


def _make_wait(simulation: Simulation, point: int, areas: Sequence[Area]) -> Wait:
    begins_at = simulation.time_at(point)
    ends_at = add_hours(simulation.departs_at, simulation.left_h[point])
    wait = Wait(point, simulation.track.position(point), begins_at, ends_at, ())
    return replace(wait, areas=tuple(_list_awaited(areas, simulation, wait)))


def _list_awaited(areas: Sequence[Area], simulation: Simulation, wait: Wait) -> list[Area]:
    """List the areas that open during a wait one after another, the last at its end or later.

    Without the wait, the ship would have reached the first while it was in force; departing when
    that opens, it would reach the next in force. Empty if the last opens before the wait ends: the
    ship then waits for something else.
    """
    found = [_find_encounter(area, simulation, wait) for area in areas]
    ahead = [encounter for encounter in found if encounter is not None]
    awaited: list[Area] = []
    delay = timedelta(0)
    while met := [encounter for encounter in ahead if encounter.is_in_force_after(delay)]:
        last = max(met, key=lambda encounter: encounter.opens_after)
        awaited.append(last.area)
        ahead.remove(last)
        delay = last.opens_after
    is_last = any(
        area.ends_at and wait.ends_at <= area.ends_at + _OPENING_MARGIN for area in awaited
    )
    return awaited if is_last else []


class _Encounter(NamedTuple):
    """The time in or next to an area on the track, had the ship departed where a wait begins.

    ``opens_after`` is the delay after which the ship reaches the area when it opens.
    """

    area: Area
    reached_at: datetime
    left_at: datetime
    opens_after: timedelta

    def is_in_force_after(self, delay: timedelta) -> bool:
        """Return whether the area is in force then for a ship that departs later."""
        return self.area.is_in_force_between(self.reached_at + delay, self.left_at + delay)


def _find_encounter(area: Area, simulation: Simulation, wait: Wait) -> _Encounter | None:
    """Find the time in an area after a wait; ``None`` if it does not open while the ship waits.

    Later waits before it are for something else.
    """
    lats, lngs = simulation.track.lats[wait.point :], simulation.track.lngs[wait.point :]
    ends = lats[:-1], lngs[:-1], lats[1:], lngs[1:]
    near = np.flatnonzero(segments_within(area.geometry, *ends, _BESIDE_DEG))
    if area.ends_at is None or not near.size:
        return None
    first, last = wait.point + int(near[0]), wait.point + int(near[-1]) + 1
    waits_h = simulation.waited_h - simulation.track.wait_h
    later = [point for point in find_waits(simulation) if wait.point < point <= first]
    earlier = wait.duration + timedelta(hours=float(waits_h[later].sum()))
    reached_at = add_hours(simulation.departs_at, simulation.left_h[first]) - earlier
    left_at = add_hours(simulation.departs_at, simulation.hours[last]) - earlier
    opens_after = area.ends_at - reached_at
    if opens_after > wait.duration:
        return None
    return _Encounter(area, reached_at, left_at, opens_after)


def list_awaited_areas(simulation: Simulation, areas: Sequence[Area]) -> list[Area]:
    """List the areas for which the ship waits in a simulation."""
    return [area for wait in list_waits(simulation, areas) for area in wait.areas]


def format_wait_end(wait: Wait, *, is_given: bool) -> str:
    """Format the end of a wait and its cause as a clause; a given schedule states no weather."""
    cause = "waves, wind and current allow to proceed"
    if is_given and not wait.areas:
        return format_time(wait.ends_at)
    if wait.areas:
        names = list(dict.fromkeys(map(name_area, wait.areas)))
        cause = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} over"
        if any(area.ends_at and area.ends_at > wait.ends_at for area in wait.areas):
            return f"{format_time(wait.ends_at)}, to arrive when {cause}"
    return f"{format_time(wait.ends_at)}, when {cause}"


def find_waits(simulation: Simulation) -> list[int]:
    """List the points of the track at which the ship waits, without those before passages."""
    waits = simulation.waited_h - simulation.track.wait_h > _MIN_WAIT_H
    return [int(point) for point in np.flatnonzero(waits)]


def sum_waits_h(simulation: Simulation) -> float:
    """Return the hours waited in all, without the customary waits before passages."""
    waits = find_waits(simulation)
    return float((simulation.waited_h - simulation.track.wait_h)[waits].sum())


def sum_area_waits_h(simulation: Simulation, areas: Sequence[Area]) -> float:
    """Return the hours waited for areas to open."""
    return sum(wait.hours for wait in list_waits(simulation, areas) if wait.areas)


def copy_waits(simulation: Simulation, track: Track) -> Floats:
    """Return the hours since 1970 before which no segment of a track starts, shape (n,).

    They repeat the waits of a simulation along the same legs; minus infinity elsewhere.
    """
    not_before_h = np.full(track.distance_nm.size, -inf)
    waits = find_waits(simulation)
    begins = np.searchsorted(track.leg, simulation.track.leg[waits])
    not_before_h[begins] = hours_since_epoch(simulation.departs_at) + simulation.left_h[waits]
    return not_before_h


def split_legs(
    legs: Sequence[Leg], simulation: Simulation, also_at: Iterable[int] = ()
) -> tuple[tuple[Leg, ...], Simulation, list[int]]:
    """Split legs and simulation at the points where the ship waits, and ``also_at`` others.

    Return also the numbers of the new legs. They have the clearance of the leg that was split, and
    it must be measured again, because their rhumb lines are not parts of its rhumb line.
    """
    leg, points = simulation.track.leg, sorted({*find_waits(simulation), *also_at})
    inner = [point for point in points if 0 < point < leg.size and leg[point] == leg[point - 1]]
    if not inner:
        return tuple(legs), simulation, []
    starts = np.zeros(leg.size, dtype=np.bool_)
    starts[inner] = True
    split = replace(simulation, track=replace(simulation.track, leg=leg + np.cumsum(starts)))
    parts = [list(_split_leg(old, simulation, inner, leg == n)) for n, old in enumerate(legs)]
    is_new = [len(cut) > 1 for cut in parts for _ in cut]
    new_legs = tuple(part for cut in parts for part in cut)
    return new_legs, split, [n for n, new in enumerate(is_new) if new]


def _split_leg(
    leg: Leg, simulation: Simulation, points: Sequence[int], segments: Bools
) -> Iterator[Leg]:
    """Yield the parts of a leg between points of the track that lie on it."""
    inside = [simulation.track.position(point) for point in points if segments[point]]
    for start, end in pairwise([leg.start, *inside, leg.end]):
        distance_nm = leg_distance_nm(start, end, leg.geometry)
        yield replace(leg, start=start, end=end, distance_nm=distance_nm)
