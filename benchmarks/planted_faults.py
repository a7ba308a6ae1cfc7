"""Errors of many kinds, planted into exported routes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

import numpy as np
import shapely

from app.datasources.route_files.records import FileWaypoint
from app.engine.area import Area, AreaKind, AreaRule
from app.engine.codes import FindingCode
from app.engine.geodesy import great_circle_distance_nm, interpolate_leg, leg_course_deg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from benchmarks.land_check import LandCheck

Route = tuple[FileWaypoint, ...]

_HOUR: Final = timedelta(hours=1)
#: Distance of planted positions ashore from both ends [nm]: nearer ones may be berths.
_OFF_ENDS_NM: Final = 10.0


@dataclass(frozen=True)
class Planted:
    """A route with an error: codes to be found, on legs or at waypoints counted from 0.

    Without codes, nothing in ``silent`` may be found.
    """

    kind: str
    route: Route
    codes: frozenset[FindingCode]
    legs: frozenset[int] = frozenset()
    waypoints: frozenset[int] = frozenset()
    areas: tuple[Area, ...] = ()
    silent: frozenset[FindingCode] = field(default=frozenset())


class Planter:
    """Planter of errors by a seed."""

    def __init__(self, seed: int, sea: SeaAtlas, land: LandCheck) -> None:
        self.random, self.sea, self.land = np.random.default_rng(seed), sea, land
        self.kinds: dict[str, Callable[[Route], Planted | None]] = {
            "moved ashore": self._ashore,
            "area": lambda route: self._area(route, None),
            "area in its time": lambda route: self._area(route, 0),
            "area out of its time": lambda route: self._area(route, 1),
            "figures exchanged": self._exchanged,
            "wrong sign": self._sign,
            "impossible turn": self._turn,
            "lane the wrong way": self._lane,
            "excessive speed": self._fast,
            "reversed schedule": self._reversed,
            "missing schedule": self._unscheduled,
            "corridor too wide": self._wide,
            "repeated id": self._repeated,
            "out of order": self._out_of_order,
            "speed at odds": self._odds,
        }

    def _pick(self, route: Route, room: int = 1) -> int | None:
        """Return an inner waypoint with a number of others on either side."""
        inner = range(room, len(route) - room)
        return int(self.random.choice(inner)) if len(inner) else None

    def _ashore(self, route: Route) -> Planted | None:
        number = self._pick(route)
        if number is None:
            return None
        lat, lng = route[number].position
        for reach in (0.2, 0.5, 1.0, 2.0, 4.0, 8.0):
            lats = np.clip(lat + self.random.uniform(-reach, reach, 40), -80.0, 80.0)
            lngs = (lng + self.random.uniform(-reach, reach, 40) + 180.0) % 360.0 - 180.0
            for place in np.column_stack([lats, lngs])[self.land.find_land(lngs, lats)]:
                at = Position(*place.tolist())
                if _is_off_ends(route, at) and not self.sea.is_water(*at):
                    return Planted(
                        "moved ashore", _change(route, number, position=at),
                        frozenset({FindingCode.LAND_CROSSED}), frozenset({number - 1, number}),
                    )  # fmt: skip
        return None

    def _area(self, route: Route, off: int | None) -> Planted | None:
        number = self._longest(route)
        a, b = route[number], route[number + 1]
        start, end = a.etd or a.eta, b.eta
        if start is None or end is None:
            return None
        geometry = b.leg_geometry or LegGeometry.RHUMB
        lats, lngs = interpolate_leg(a.position, b.position, geometry, [0.45, 0.55])
        box = shapely.box(*(float(v) for v in _box(lats, lngs)))
        window = (None, None)
        if off is not None:
            later = (end - start + 48 * _HOUR) * off
            window = (start + later - _HOUR, end + later + _HOUR)
        area = Area("planted", "Planted", AreaKind.CONSTRAINT, AreaRule.NO_ENTRY,
                    shapely.MultiPolygon([box]), *window)  # fmt: skip
        code = frozenset({FindingCode.AREA_ENTERED})
        kind = {None: "area", 0: "area in its time", 1: "area out of its time"}[off]
        if off == 1:
            return Planted(kind, route, frozenset(), areas=(area,), silent=code)
        return Planted(kind, route, code, frozenset({number}), areas=(area,))

    def _longest(self, route: Route) -> int:
        places = np.array([waypoint.position for waypoint in route]).T
        return int(great_circle_distance_nm(*places[:, :-1], *places[:, 1:]).argmax())

    def _exchanged(self, route: Route) -> Planted | None:
        return self._misplace(route, "figures exchanged", FindingCode.POSITION_SWAPPED, _exchange)

    def _sign(self, route: Route) -> Planted | None:
        return self._misplace(route, "wrong sign", FindingCode.POSITION_SIGN, _turn_sign)

    def _misplace(
        self, route: Route, kind: str, code: FindingCode, read: Callable[[Position], Position]
    ) -> Planted | None:
        """Return a wrongly read waypoint, further off than a slip of some miles."""
        number = self._pick(route)
        if number is None or abs(route[number].position.lng) > 85.0:
            return None
        given, wrong = route[number].position, read(route[number].position)
        around = [route[n].position for n in (number - 1, number + 1)]
        reach_nm = max(float(great_circle_distance_nm(*given, *place)) for place in around)
        if float(great_circle_distance_nm(*given, *wrong)) < max(200.0, 3.0 * reach_nm):
            return None
        moved = _change(route, number, position=wrong)
        return Planted(kind, moved, frozenset({code}), waypoints=frozenset({number}))

    def _turn(self, route: Route) -> Planted | None:
        sharp = [n for n in range(1, len(route) - 1) if _course_change(route, n) > 15.0]
        if not sharp:
            return None
        number = int(self.random.choice(sharp))
        legs_nm = [_length_nm(route, n) for n in (number - 1, number)]
        wide = _change(route, number, turn_radius_nm=12.0 * min(legs_nm))
        codes = {FindingCode.LEG_TOO_SHORT}
        return Planted("impossible turn", wide, frozenset(codes), frozenset({number - 1, number}))

    def _lane(self, route: Route) -> Planted | None:
        lanes = [passage for passage in self.sea.passages if passage.one_way]
        line = lanes[self.random.integers(len(lanes))].centre_line[::-1]
        number = self._pick(route)
        if number is None:
            return None
        against = tuple(FileWaypoint(place, speed_kn=10.0) for place in line)
        around = [replace(w, eta=None, etd=None, speed_kn=10.0, passage=None) for w in route]
        planted = (*around[:number], *against, *around[number:])
        legs = frozenset(range(number, number + len(line) - 1))
        return Planted("lane the wrong way", planted, frozenset({FindingCode.WRONG_WAY}), legs)

    def _fast(self, route: Route) -> Planted | None:
        number = self._longest(route)
        a, b = route[number], route[number + 1]
        leaves = a.etd or a.eta
        if leaves is None or b.eta is None or _length_nm(route, number) < 15.0:
            return None
        earlier = b.eta - (leaves + _length_nm(route, number) / 35.0 * _HOUR)
        shifted = tuple(_shift(w, earlier) if n > number else w for n, w in enumerate(route))
        fast = _change(shifted, number + 1, speed_kn=35.0)
        return Planted(
            "excessive speed", fast, frozenset({FindingCode.SPEED_NOT_HELD}), frozenset({number}),
            frozenset({number + 1}),
        )  # fmt: skip

    def _reversed(self, route: Route) -> Planted | None:
        number = self._pick(route)
        before = None if number is None else route[number - 1].etd or route[number - 1].eta
        if number is None or before is None:
            return None
        back = _change(route, number, eta=before - _HOUR, etd=None)
        code = frozenset({FindingCode.SCHEDULE_REVERSED})
        return Planted("reversed schedule", back, code, waypoints=frozenset({number}))

    def _unscheduled(self, route: Route) -> Planted | None:
        bare = tuple(replace(w, eta=None, etd=None, speed_kn=None) for w in route)
        return Planted("missing schedule", bare, frozenset({FindingCode.SCHEDULE_MISSING}))

    def _wide(self, route: Route) -> Planted | None:
        narrow = [n for n in range(1, len(route)) if 30.0 < (route[n].xtd_m or 0.0) < 1_800.0]
        if not narrow:
            return None
        number = int(self.random.choice(narrow))
        wide = _change(route, number, xtd_m=9_000.0)
        code = frozenset({FindingCode.CORRIDOR_TOO_WIDE})
        return Planted("corridor too wide", wide, code, frozenset({number - 1}))

    def _repeated(self, route: Route) -> Planted | None:
        number = self._pick(route)
        if number is None:
            return None
        same = _change(route, number, id=route[number - 1].id)
        code = frozenset({FindingCode.DUPLICATE_ID})
        return Planted("repeated id", same, code, waypoints=frozenset({number}))

    def _out_of_order(self, route: Route) -> Planted | None:
        number = self._pick(route, 2)
        if number is None or _length_nm(route, number) < 10.0:
            return None
        first, second = route[number].position, route[number + 1].position
        moved = _change(_change(route, number, position=second), number + 1, position=first)
        code = frozenset({FindingCode.OUT_OF_ORDER})
        return Planted("out of order", moved, code, waypoints=frozenset({number, number + 1}))

    def _odds(self, route: Route) -> Planted | None:
        number = self._longest(route)
        a, b = route[number], route[number + 1]
        if not b.speed_kn or (a.etd or a.eta) is None or b.eta is None or b.passage:
            return None
        if _length_nm(route, number) < 20.0:
            return None
        odd = _change(route, number + 1, speed_kn=1.5 * b.speed_kn)
        code = frozenset({FindingCode.ETA_INCONSISTENT})
        return Planted("speed at odds", odd, code, frozenset({number}))


def _change(route: Route, number: int, **values: object) -> Route:
    changed = replace(route[number], **values)  # type: ignore[arg-type]
    return (*route[:number], changed, *route[number + 1 :])


def _shift(waypoint: FileWaypoint, by: timedelta) -> FileWaypoint:
    eta, etd = waypoint.eta, waypoint.etd
    return replace(waypoint, eta=eta and eta - by, etd=etd and etd - by)


def _exchange(place: Position) -> Position:
    return Position(place.lng, place.lat)


def _turn_sign(place: Position) -> Position:
    return (
        Position(-place.lat, place.lng) if abs(place.lat) > 5.0 else Position(*(-v for v in place))
    )


def _is_off_ends(route: Route, place: Position) -> bool:
    ends = (route[0].position, route[-1].position)
    return all(float(great_circle_distance_nm(*end, *place)) > _OFF_ENDS_NM for end in ends)


def _length_nm(route: Route, leg: int) -> float:
    return float(great_circle_distance_nm(*route[leg].position, *route[leg + 1].position))


def _course_change(route: Route, number: int) -> float:
    before, at, after = (route[number + off].position for off in (-1, 0, 1))
    rhumb = LegGeometry.RHUMB
    change = leg_course_deg(at, after, rhumb) - leg_course_deg(before, at, rhumb)
    return abs((change + 180.0) % 360.0 - 180.0)


def _box(lats: Sequence[float], lngs: Sequence[float]) -> tuple[float, ...]:
    """Return a box across the line between two places, at least a hundredth of a degree wide."""
    south, north = min(lats) - 0.005, max(lats) + 0.005
    west, east = min(lngs) - 0.005, max(lngs) + 0.005
    return (west, south, east, north) if east - west < 180.0 else (-180.0, south, west, north)
