"""Waypoints that cannot be meant as they are written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position
from app.engine.geodesy import great_circle_distance_nm, leg_course_deg
from app.engine.plan import LegGeometry
from app.engine.planning.given_route import SAME_PLACE_NM
from app.engine.request import Position
from app.engine.units import direction_difference

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
    for number, (a, b) in enumerate(pairwise(positions), 1):
        if _distance_nm(a, b) < SAME_PLACE_NM:
            yield Finding(
                FindingCode.DUPLICATE_WAYPOINT,
                Severity.WARNING,
                f"Waypoints {number} and {number + 1} are one place.",
                waypoint_index=number,
                position=b,
            )
    mistyped = [*_find_mistyped(positions)]
    yield from mistyped
    near = {(finding.waypoint_index or 0) + off for finding in mistyped for off in (-1, 0, 1)}
    yield from _find_exchanged(positions, near)


def _distance_nm(a: Position, b: Position) -> float:
    return float(great_circle_distance_nm(*a, *b))


def _find_mistyped(positions: Sequence[Position]) -> Iterator[Finding]:
    for number in range(len(positions)):
        place = positions[number]
        neighbours = [positions[n] for n in (number - 1, number + 1) if 0 <= n < len(positions)]
        through_nm = sum(_distance_nm(place, other) for other in neighbours)
        direct_nm = _distance_nm(*neighbours) if len(neighbours) == 2 else 0.0
        detour_nm = through_nm - direct_nm
        if detour_nm < max(_DETOUR_NM, _DETOUR_SHARE * direct_nm):
            continue
        supposed = _find_meant(place, neighbours, direct_nm, detour_nm)
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


def _find_exchanged(positions: Sequence[Position], near: set[int]) -> Iterator[Finding]:
    """Find two waypoints in a row that would make a far shorter route the other way round."""
    for number in range(1, len(positions) - 2):
        if near & {number, number + 1}:
            continue
        before, a, b, after = positions[number - 1 : number + 3]
        spared_nm = _length_nm(before, a, b, after) - _length_nm(before, b, a, after)
        if spared_nm < max(_LEAST_SPARED_NM, _BACK_AND_FORTH * _distance_nm(a, b)):
            continue
        spared_deg = _change_deg(before, a, b, after) - _change_deg(before, b, a, after)
        if spared_deg >= _SPARED_CHANGE_DEG:
            yield Finding(
                FindingCode.OUT_OF_ORDER,
                Severity.WARNING,
                f"Waypoints {number + 1} and {number + 2} seem to be exchanged: the other way"
                f" round the route is {spared_nm:.1f} nm shorter.",
                waypoint_index=number,
                position=a,
                measured=spared_nm,
            )


def _length_nm(*places: Position) -> float:
    return sum(_distance_nm(a, b) for a, b in pairwise(places))


def _change_deg(*places: Position) -> float:
    """Sum of the course changes along a line [deg]."""
    courses = [leg_course_deg(a, b, LegGeometry.RHUMB) for a, b in pairwise(places)]
    return sum(abs(float(direction_difference(b, a))) for a, b in pairwise(courses))
