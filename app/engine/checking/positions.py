"""Waypoints that cannot be meant as they are written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position
from app.engine.geodesy import great_circle_distance_nm, leg_course_deg
from app.engine.plan import LegGeometry
from app.engine.planning.given_route import SAME_PLACE_NM
from app.engine.request import Position
from app.engine.units import direction_difference

Floats = NDArray[np.float64]

#: A waypoint is looked at when it lengthens the route by so many miles and so much of it, and
#: what is supposed must take this share of the detour away.
_DETOUR_NM: Final = 60.0
_DETOUR_SHARE: Final = 1.5
_SPARED: Final = 0.9
#: Exchanging two waypoints must spare so many miles, and this much of the leg between them, which
#: is sailed back and forth as given; and so many degrees of course changes.
_LEAST_SPARED_NM: Final = 2.0
_BACK_AND_FORTH: Final = 0.5
_SPARED_CHANGE_DEG: Final = 150.0


@dataclass(frozen=True, slots=True)
class _Supposed:
    code: FindingCode
    position: Position
    words: str


def find_positions(positions: Sequence[Position]) -> Iterator[Finding]:
    """Find repeated, exchanged and mistyped waypoints."""
    next_nm, second_nm = _measure(positions, 1), _measure(positions, 2)
    for number in np.flatnonzero(next_nm < SAME_PLACE_NM).tolist():
        yield Finding(
            FindingCode.DUPLICATE_WAYPOINT,
            Severity.WARNING,
            f"Waypoints {number + 1} and {number + 2} are one place.",
            waypoint_index=number + 1,
            position=positions[number + 1],
        )
    mistyped = [*_find_mistyped(positions, next_nm, second_nm)]
    yield from mistyped
    near = {(finding.waypoint_index or 0) + off for finding in mistyped for off in (-1, 0, 1)}
    yield from _find_exchanged(positions, next_nm, second_nm, near)


def _measure(positions: Sequence[Position], apart: int) -> Floats:
    """Distances between waypoints and those so many further on [nm], shape (n - apart,)."""
    lats, lngs = np.array(positions).T
    ends = lats[:-apart], lngs[:-apart], lats[apart:], lngs[apart:]
    return np.asarray(great_circle_distance_nm(*ends))


def _distance_nm(a: Position, b: Position) -> float:
    return float(great_circle_distance_nm(*a, *b))


def _find_mistyped(
    positions: Sequence[Position], next_nm: Floats, second_nm: Floats
) -> Iterator[Finding]:
    through_nm = np.append(next_nm, 0.0) + np.insert(next_nm, 0, 0.0)
    direct_nm = np.concatenate([[0.0], second_nm, [0.0]])
    off_nm = through_nm - direct_nm
    is_off = off_nm >= np.maximum(_DETOUR_NM, _DETOUR_SHARE * direct_nm)
    for number in np.flatnonzero(is_off).tolist():
        place, detour_nm = positions[number], float(off_nm[number])
        neighbours = [positions[n] for n in (number - 1, number + 1) if 0 <= n < len(positions)]
        supposed = _find_meant(place, neighbours, float(direct_nm[number]), detour_nm)
        if supposed is not None:
            yield Finding(
                supposed.code,
                Severity.WARNING,
                f"Waypoint {number + 1} lies at {format_position(*place)}, {detour_nm:.0f} nm out"
                f" of the way. {supposed.words}, {format_position(*supposed.position)}?",
                waypoint_index=number,
                position=place,
                measured=detour_nm,
            )


def _find_meant(
    place: Position, neighbours: Sequence[Position], direct_nm: float, detour_nm: float
) -> _Supposed | None:
    """Find what may have been meant: what takes nearly all of the detour away."""
    for supposed in _suppose(place):
        through_nm = sum(_distance_nm(supposed.position, other) for other in neighbours)
        if through_nm - direct_nm < (1.0 - _SPARED) * detour_nm:
            return supposed
    return None


def _suppose(place: Position) -> Iterator[_Supposed]:
    lat, lng = place
    if abs(lng) <= 90.0:
        swapped = Position(lng, lat)
        words = "Are latitude and longitude exchanged"
        yield _Supposed(FindingCode.POSITION_SWAPPED, swapped, words)
    for north, east in ((-1, 1), (1, -1), (-1, -1)):
        words = "Has it the wrong sign"
        yield _Supposed(FindingCode.POSITION_SIGN, Position(north * lat, east * lng), words)


def _find_exchanged(
    positions: Sequence[Position], next_nm: Floats, second_nm: Floats, near: set[int]
) -> Iterator[Finding]:
    """Find two waypoints in a row that would make a far shorter route the other way round."""
    spared_nm = next_nm[:-2] + next_nm[2:] - second_nm[:-1] - second_nm[1:]
    is_spared = spared_nm >= np.maximum(_LEAST_SPARED_NM, _BACK_AND_FORTH * next_nm[1:-1])
    for first in np.flatnonzero(is_spared).tolist():
        number = first + 1
        before, a, b, after = positions[first : first + 4]
        spared_deg = _change_deg(before, a, b, after) - _change_deg(before, b, a, after)
        if near & {number, number + 1} or spared_deg < _SPARED_CHANGE_DEG:
            continue
        yield Finding(
            FindingCode.OUT_OF_ORDER,
            Severity.WARNING,
            f"Waypoints {number + 1} and {number + 2} seem to be exchanged: the other way"
            f" round the route is {spared_nm[first]:.1f} nm shorter.",
            waypoint_index=number,
            position=a,
            measured=float(spared_nm[first]),
        )


def _change_deg(*places: Position) -> float:
    """Sum of the course changes along a line [deg]."""
    courses = [leg_course_deg(a, b, LegGeometry.RHUMB) for a, b in pairwise(places)]
    return sum(abs(float(direction_difference(b, a))) for a, b in pairwise(courses))
