"""Gates: lines across the sea that identify the passages of a route, and that can be closed.

A passage's gate lies across its narrowest part, from shore to shore. The gates of capes and polar
passages are meridians from the cape to the ice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, radians, tan
from typing import Final, TypeAlias

import numpy as np
from shapely.geometry import LineString

from app.engine.arrays import Floats
from app.engine.compiled import njit
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.request import Position
from app.engine.sea.coast import is_land
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.search.barriers import DIAGONAL_ANGLE_DEG, LaneLines
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.search.sphere import distance_nm

#: Greatest distance of a passage's shores from its centre line, and least width of land that is a
#: shore, not an island in the strait [nm].
_SHORE: Final = (60.0, 3.0)
#: The gate of a strait with a draught limit extends over islands to the mainland, so that no ship
#: passes around the limit: greatest distance of a mainland, and its least width [nm].
_MAINLAND: Final = (100.0, 15.0)
_STEP_NM: Final = 0.2
#: Length at each end of a lane that may be crossed on any course [nm].
_LANE_END_NM: Final = 0.5


@dataclass(frozen=True, slots=True)
class Cape:
    """A cape on the world's trade routes, with a line from it over the sea to land.

    ``line`` is (lng, lat, lng, lat) [deg].
    """

    id: str
    name: str
    line: tuple[float, float, float, float]


#: Capes passed at a distance, without a passage's centre line. Positions: GEBCO Gazetteer of
#: geographical names. Lines end in Antarctica, that of the North Cape on Svalbard: no path leads
#: around them.
CAPES: Final = (
    Cape("cape-of-good-hope", "the Cape of Good Hope", (18.5, -34.3, 18.5, -75.0)),
    Cape("cape-horn", "Cape Horn", (-67.3, -55.9, -67.3, -75.0)),
    Cape("cape-leeuwin", "Cape Leeuwin", (115.1, -34.3, 115.1, -75.0)),
    Cape("north-cape", "the North Cape", (25.8, 71.0, 25.8, 80.0)),
)

#: Gates closed to through traffic: the Northern Sea Route off Cape Chelyuskin, and all waters
#: north of Canada. Both extend to the pole, so that no path crosses it.
POLAR_GATES: Final = (
    Cape("northern-sea-route", "the Northern Sea Route", (105.0, 77.0, 105.0, 90.0)),
    Cape("north-west-passage", "the North-West Passage", (-100.0, 67.0, -100.0, 90.0)),
)


#: Latitude and longitude of a shore [deg], and its distance [nm].
_Shore: TypeAlias = tuple[float, float, float]


def build_passage_gate(
    passage: Passage, waters: CoastData, others: Sequence[Passage] = ()
) -> Floats | None:
    """Build the gate across a passage's narrowest part, (lng, lat, lng, lat) [deg].

    None if there are no shores near on both sides, as of a lane at sea; for canals, which have no
    water besides their centre line; and for approaches without limits. With a draught limit the
    line extends past islands over the whole strait, but across none of the ``others``. The gate
    of a lane is part of its data.
    """
    if passage.gate is not None:
        (lat0, lng0), (lat1, lng1) = passage.gate
        return np.array([lng0, lat0, lng1, lat1])
    if passage.kind in (PassageKind.CANAL, PassageKind.LANE):
        return None
    if passage.kind is PassageKind.APPROACH and not passage.has_limits:
        return None
    best: tuple[float, tuple[float, float, float], list[_Shore]] | None = None
    for lat, lng, course in _sample_line(passage):
        shores = [_find_land(waters, lat, lng, course + side, *_SHORE) for side in (-90.0, 90.0)]
        if shores[0] is None or shores[1] is None:
            continue
        width = shores[0][2] + shores[1][2]
        if best is None or width < best[0]:
            best = (width, (lat, lng, course), [shores[0], shores[1]])
    if best is None:
        return None
    _, at, found = best
    if passage.max_draft_m is not None and passage.kind is PassageKind.STRAIT:
        mainlands = [
            _find_land(waters, *at[:2], at[2] + side, *_MAINLAND) for side in (-90.0, 90.0)
        ]
        found = [
            shore if land is None or _crosses_another(shore, land, passage, others) else land
            for shore, land in zip(found, mainlands, strict=True)
        ]
    return np.array([found[0][1], found[0][0], found[1][1], found[1][0]])


def list_lane_lines(passages: Sequence[Passage]) -> LaneLines:
    """List the centre lines of the lanes of traffic separation schemes, and diagonals of each part.

    They begin and end half a mile inside the lane: a ship at its end, where pilots often board,
    may sail on in any direction. That does not apply where another of the lanes continues it.
    """
    lanes = [passage for passage in passages if passage.is_scheme_lane]
    begins, ends = ({lane.centre_line[n] for lane in lanes} for n in (0, -1))
    joints = begins & ends
    lines: list[tuple[float, ...]] = []
    diagonals: list[tuple[float, ...]] = []
    for lane in lanes:
        places = [*lane.centre_line]
        for end, next_to_it in ((0, 1), (-1, -2)):
            if places[end] not in joints:
                places[end] = _move_towards(places[end], places[next_to_it], _LANE_END_NM)
        lines += [(a.lng, a.lat, b.lng, b.lat) for a, b in pairwise(places)]
        for a, b in pairwise(places):
            diagonals += _draw_diagonals(a, b, lane.half_width_m)
    return LaneLines(stack_lines(lines), stack_lines(diagonals))


def _draw_diagonals(a: Position, b: Position, half_width_m: float) -> list[tuple[float, ...]]:
    """Draw the diagonals of a lane's water from a to b, narrower where that is short."""
    length_m = float(distance_nm(*a, *b)) * NAUTICAL_MILE_M
    share = min(half_width_m / length_m, tan(radians(DIAGONAL_ANGLE_DEG)) / 2.0)
    scale = cos(radians((a.lat + b.lat) / 2.0))
    lat, lng = share * (b.lng - a.lng) * scale, -share * (b.lat - a.lat) / scale
    return [
        (a.lng + side * lng, a.lat + side * lat, b.lng - side * lng, b.lat - side * lat)
        for side in (1.0, -1.0)
    ]


def _move_towards(place: Position, target: Position, by_nm: float) -> Position:
    share = min(by_nm / float(distance_nm(*place, *target)), 0.5)
    lat, lng = (a + share * (b - a) for a, b in zip(place, target, strict=True))
    return Position(lat, lng)


def _sample_line(passage: Passage) -> list[tuple[float, float, float]]:
    """Sample points and courses along the middle three fifths of the centre line."""
    samples = []
    line = passage.centre_line
    for (lat0, lng0), (lat1, lng1) in pairwise(line):
        east = (lng1 - lng0) * np.cos(np.radians((lat0 + lat1) / 2.0))
        course = float(np.degrees(np.arctan2(east, lat1 - lat0)))
        count = max(1, int(np.hypot(east, lat1 - lat0) * 60.0))
        samples += [
            (lat0 + f * (lat1 - lat0), lng0 + f * (lng1 - lng0), course)
            for f in (np.arange(count) + 0.5) / count
        ]
    trim = len(samples) // 5
    return samples[trim : len(samples) - trim]


def _crosses_another(
    shore: _Shore, land: _Shore, passage: Passage, others: Sequence[Passage]
) -> bool:
    """Return whether the line from a shore to the mainland behind it crosses another passage."""
    line = LineString([(shore[1], shore[0]), (land[1], land[0])])
    return any(
        line.intersects(LineString([(lng, lat) for lat, lng in other.centre_line]))
        for other in others
        if other.id != passage.id
    )


def _find_land(
    waters: CoastData, lat: float, lng: float, course: float, reach_nm: float, thick_nm: float
) -> _Shore | None:
    """Find the first land of a width on a course, within a distance."""
    found = _march(waters, lat, lng, np.radians(course), reach_nm, thick_nm, _STEP_NM)
    return None if np.isnan(found[0]) else (float(found[0]), float(found[1]), float(found[2]))


@njit(cache=True)
def _march(waters, lat, lng, course, reach, thick, step):  # type: ignore[no-untyped-def]
    run = 0.0
    gone = 0.0
    cos_lat = np.cos(np.radians(lat))
    while gone < reach:
        gone += step
        at_lat = lat + gone / 60.0 * np.cos(course)
        at_lng = lng + gone / 60.0 * np.sin(course) / cos_lat
        if is_land(waters, at_lat, at_lng):
            run += step
            if run >= thick:
                return at_lat, (at_lng + 180.0) % 360.0 - 180.0, gone - thick
        else:
            run = 0.0
    return np.nan, np.nan, np.nan


def is_arctic_inside(lat: float, lng: float) -> bool:
    """Return whether a place lies within the polar passages, which its traffic may use.

    North of the Arctic Circle, from Novaya Zemlya east to Greenland's west coast.
    """
    return lat > 66.56 and (lng > 55.0 or lng < -60.0)


def stack_lines(lines: Sequence[Floats | tuple[float, ...]]) -> Floats:
    """Stack lines into an array of shape (m, 4)."""
    return np.array(lines, dtype=np.float64).reshape(-1, 4)
