"""Findings of waypoints that are probably mistyped, exchanged or repeated."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from app.engine.arrays import Floats
from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position
from app.engine.geodesy import great_circle_distance_nm, leg_course_deg
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.given_route import SAME_PLACE_NM
from app.engine.request import Position
from app.engine.units import direction_difference

#: Detour to a waypoint from which it is suspect [nm], also as a share of the direct distance
#: between its neighbours; share of the detour that a correction must avoid.
_DETOUR_NM: Final = 60.0
_DETOUR_SHARE: Final = 1.5
_AVOIDED_SHARE: Final = 0.9
#: Least distance of a correction from the neighbours [nm]. A nearer one was not meant: it repeats a
#: neighbour, as where the first leg crosses 180° at right angles.
_APART_NM: Final = 0.05
#: Greatest change of course of a route that leads ahead [deg].
_AHEAD_DEG: Final = 90.0
#: Least saving by exchanging two waypoints: distance [nm], share of the leg between them, and sum
#: of course changes [deg].
_LEAST_SAVED_NM: Final = 2.0
_SAVED_SHARE: Final = 0.5
_SAVED_CHANGE_DEG: Final = 150.0

#: A position that may have been meant, with its code and the question to ask.
_Correction: TypeAlias = tuple[FindingCode, Position, str]


def find_positions(positions: Sequence[Position]) -> Iterator[Finding]:
    """Find repeated, exchanged and mistyped waypoints."""
    next_nm, second_nm = _measure(positions, 1), _measure(positions, 2)
    for number in np.flatnonzero(next_nm < SAME_PLACE_NM).tolist():
        yield Finding(
            FindingCode.DUPLICATE_WAYPOINT,
            Severity.WARNING,
            f"Waypoints {number + 1} and {number + 2} have the same position.",
            waypoint_index=number + 1,
            position=positions[number + 1],
        )
    # of two waypoints, neither shows that the other is mistyped
    mistyped = [*_find_mistyped(positions, next_nm, second_nm)] if len(positions) > 2 else []
    yield from mistyped
    near = {(finding.waypoint_index or 0) + off for finding in mistyped for off in (-1, 0, 1)}
    yield from _find_exchanged(positions, next_nm, second_nm, near)


def _measure(positions: Sequence[Position], apart: int) -> Floats:
    """Measure distances between waypoints and those ``apart`` later [nm], shape (n - apart,)."""
    lats, lngs = np.array(positions).T
    ends = lats[:-apart], lngs[:-apart], lats[apart:], lngs[apart:]
    return np.asarray(great_circle_distance_nm(*ends))


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
        correction = _find_correction(place, neighbours, float(direct_nm[number]), detour_nm)
        if correction is not None and not _leads_ahead(positions, next_nm, number):
            code, meant, question = correction
            yield Finding(
                code,
                Severity.WARNING,
                f"Waypoint {number + 1}, {format_position(*place)}, is a detour of"
                f" {detour_nm:.0f} nm. {question}: {format_position(*meant)}?",
                waypoint_index=number,
                position=place,
                measured=detour_nm,
            )


def _leads_ahead(positions: Sequence[Position], next_nm: Floats, number: int) -> bool:
    """Return whether an end of the route leads ahead by a leg like others.

    Such a leg only crosses the equator or a meridian nearly at right angles.
    """
    if number not in (0, len(positions) - 1):
        return False
    end, legs_nm = (positions[:3], next_nm) if number == 0 else (positions[-3:], next_nm[::-1])
    is_ahead = _change_deg(*end) < _AHEAD_DEG
    return is_ahead and bool(legs_nm[0] <= legs_nm[1:].max())


def _find_correction(
    stated: Position, neighbours: Sequence[Position], direct_nm: float, detour_nm: float
) -> _Correction | None:
    for correction in _list_corrections(stated):
        _, place, _ = correction
        apart_nm = [float(great_circle_distance_nm(*place, *other)) for other in neighbours]
        left_nm = sum(apart_nm) - direct_nm
        if min(apart_nm) >= _APART_NM and left_nm < (1.0 - _AVOIDED_SHARE) * detour_nm:
            return correction
    return None


def _list_corrections(place: Position) -> Iterator[_Correction]:
    lat, lng = place
    if abs(lng) <= 90.0:
        swapped = Position(lng, lat)
        yield FindingCode.POSITION_SWAPPED, swapped, "Are latitude and longitude exchanged"
    for north, east in ((-1, 1), (1, -1), (-1, -1)):
        yield FindingCode.POSITION_SIGN, Position(north * lat, east * lng), "Is a sign wrong"


def _find_exchanged(
    positions: Sequence[Position], next_nm: Floats, second_nm: Floats, near: set[int]
) -> Iterator[Finding]:
    """Find consecutive waypoints that give a far shorter route in the opposite order."""
    saved_nm = next_nm[:-2] + next_nm[2:] - second_nm[:-1] - second_nm[1:]
    is_saving = saved_nm >= np.maximum(_LEAST_SAVED_NM, _SAVED_SHARE * next_nm[1:-1])
    for first in np.flatnonzero(is_saving).tolist():
        number = first + 1
        before, a, b, after = positions[first : first + 4]
        saved_deg = _change_deg(before, a, b, after) - _change_deg(before, b, a, after)
        if near & {number, number + 1} or saved_deg < _SAVED_CHANGE_DEG:
            continue
        yield Finding(
            FindingCode.OUT_OF_ORDER,
            Severity.WARNING,
            f"Waypoints {number + 1} and {number + 2} seem to be exchanged: in the opposite"
            f" order the route is {saved_nm[first]:.1f} nm shorter.",
            waypoint_index=number,
            position=a,
            measured=float(saved_nm[first]),
        )


def _change_deg(*places: Position) -> float:
    """Sum the course changes along a line [deg]."""
    courses = [leg_course_deg(a, b, LegGeometry.RHUMB) for a, b in pairwise(places)]
    return sum(abs(float(direction_difference(b, a))) for a, b in pairwise(courses))
