"""Exported files of a voyage, and independent checks that use only the files.

Lines between waypoints are computed again on WGS 84 by PROJ (as geodesics, and as straight lines in
Mercator's projection). GEOS tests coast and areas. Times and distances are those of the files.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path

import lxml.etree as etree
import numpy as np
import shapely
from shapely.geometry import LineString

from app.engine.area import Area
from app.engine.arrays import Floats
from app.engine.geodesy.proj import Geod, Proj
from app.engine.plan import RoutePlan
from app.exports.csv import render_csv
from app.exports.rtz import render_rtz
from benchmarks.land_check import LandCheck, cut_at_antimeridian

_SCHEMA = Path("tests/data/rtz/RTZ_Schema_version_1_1.xsd")
_RTZ = "{http://www.cirm.org/RTZ/1/1}"
_WGS84 = Geod(ellps="WGS84")
_MERCATOR = Proj(proj="merc", ellps="WGS84")
_EARTH_NM = 60.0 * 180.0 / np.pi
_MILE_M = 1852.0
#: Differences of distances on the sphere from WGS 84, as a share and in metres.
_TURN_SLACK, _TURN_SLACK_M = 0.01, 3.0


@dataclass(frozen=True)
class Leg:
    """A leg of a file: ends (lat, lng) [deg], times, corridor [m], passage.

    ``turn_radius_nm`` is that of the turn at its end.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    departs: datetime
    arrives: datetime
    is_great_circle: bool
    xtd_m: float
    name: str
    turn_radius_nm: float | None = None

    def draw(self, great_circle: bool, step_nm: float = 0.5) -> tuple[Floats, Floats]:
        """Return points along the leg as lats, lngs [deg]."""
        return draw_line(self.start, self.end, great_circle, step_nm)

    @property
    def where(self) -> str:
        """Its ends as text."""
        a, b = self.start, self.end
        return f"{a[0]:.5f} {a[1]:.5f} - {b[0]:.5f} {b[1]:.5f}"

    def measure_nm(self) -> float:
        """Return the length along the leg's own line on the sphere [nm]."""
        points = list(zip(*self.draw(self.is_great_circle), strict=True))
        return sum(distance_nm(a, b) for a, b in pairwise(points))

    def courses_deg(self) -> tuple[float, float]:
        """Return the courses at its start and end on its own line [deg true]."""
        if self.is_great_circle:
            (lat, lng), (end_lat, end_lng) = self.start, self.end
            forth, back, _ = _WGS84.inv(lng, lat, end_lng, end_lat)
            return forth, back + 180.0
        _, (south, north) = _MERCATOR(np.zeros(2), np.array([self.start[0], self.end[0]]))
        east = np.radians((self.end[1] - self.start[1] + 180.0) % 360.0 - 180.0) * _WGS84.a
        course = float(np.degrees(np.arctan2(east, north - south)))
        return course, course

    def lines(self, step_nm: float = 0.5) -> Iterator[LineString]:
        """Great circle and rhumb line, cut at the antimeridian."""
        for great_circle in (True, False):
            yield from cut_at_antimeridian(*self.draw(great_circle, step_nm))


@dataclass(frozen=True)
class Files:
    """The exported files of a plan, read back, and its timed track as (lat, lng, time)."""

    legs: tuple[Leg, ...]
    table: tuple[dict[str, str], ...]
    track: tuple[tuple[float, float, datetime], ...]


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(file=str(_SCHEMA))


def find_schema_fault(plan: RoutePlan) -> str | None:
    """Return the first violation of the RTZ 1.1 schema in a plan's file, if any."""
    schema = _schema()
    if schema.validate(etree.fromstring(render_rtz(plan, route_name="voyage", revision=1))):
        return None
    return str(schema.error_log.last_error)


def export(plan: RoutePlan) -> Files:
    """Write a plan's files and read them back."""
    return Files(
        read_rtz(render_rtz(plan, route_name="voyage", revision=1)),
        tuple(csv.DictReader(io.StringIO(render_csv(plan).decode()))),
        tuple((*point.position, point.time) for point in plan.profile),
    )


def read_rtz(content: bytes) -> tuple[Leg, ...]:
    """Read the legs of an RTZ file with the times of its calculated schedule."""
    root = etree.fromstring(content)
    comes, leaves = {}, {}
    for element in root.iterfind(f".//{_RTZ}calculated/{_RTZ}scheduleElement"):
        eta, etd, id = (element.get(name) for name in ("eta", "etd", "waypointId"))
        comes[id], leaves[id] = _time(eta or etd), _time(etd or eta)
    waypoints = list(root.iterfind(f".//{_RTZ}waypoint"))
    return tuple(
        _read_leg(a, b, leaves[a.get("id")], comes[b.get("id")]) for a, b in pairwise(waypoints)
    )


def _read_leg(a: etree._Element, b: etree._Element, leaves_at: datetime, comes_at: datetime) -> Leg:
    leg = b.find(f"{_RTZ}leg")
    return Leg(
        _position(a.find(f"{_RTZ}position")),
        _position(b.find(f"{_RTZ}position")),
        leaves_at,
        comes_at,
        leg.get("geometryType") == "Orthodrome",
        float(leg.get("starboardXTD", "0")) * _MILE_M,
        leg.get("legInfo", ""),
        None if b.get("radius") is None else float(b.get("radius")),
    )


def _position(element: etree._Element) -> tuple[float, float]:
    return float(element.get("lat")), float(element.get("lon"))


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def _vector(lat: float, lng: float) -> Floats:
    y, x = np.radians(lat), np.radians(lng)
    return np.array([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])


def _angle(a: tuple[float, float], b: tuple[float, float]) -> float:
    one, two = _vector(*a), _vector(*b)
    return float(np.arctan2(np.linalg.norm(np.cross(one, two)), one @ two))


def distance_nm(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the great-circle distance on the sphere [nm]."""
    return _angle(a, b) * _EARTH_NM


def draw_line(
    a: tuple[float, float], b: tuple[float, float], great_circle: bool, step_nm: float = 0.5
) -> tuple[Floats, Floats]:
    """Return points on the geodesic or rhumb line between two places as lats, lngs [deg]."""
    return (_draw_great_circle if great_circle else _draw_rhumb_line)(a, b, step_nm)


def _draw_great_circle(
    a: tuple[float, float], b: tuple[float, float], step_nm: float
) -> tuple[Floats, Floats]:
    count = int(distance_nm(a, b) / step_nm) + 1
    inner = _WGS84.npts(a[1], a[0], b[1], b[0], count)
    lngs, lats = np.array([(a[1], a[0]), *inner, (b[1], b[0])]).T
    return lats, (lngs + 180.0) % 360.0 - 180.0


def _draw_rhumb_line(
    a: tuple[float, float], b: tuple[float, float], step_nm: float
) -> tuple[Floats, Floats]:
    share = np.linspace(0.0, 1.0, max(2, int(distance_nm(a, b) / step_nm) + 2))
    east = (b[1] - a[1] + 180.0) % 360.0 - 180.0
    _, stretched = _MERCATOR(np.zeros(2), np.array([a[0], b[0]]))
    _, lats = _MERCATOR(
        np.zeros(share.size), stretched[0] + share * (stretched[1] - stretched[0]), inverse=True
    )
    return lats, (a[1] + share * east + 180.0) % 360.0 - 180.0


def list_legs_on_land(legs: Sequence[Leg], check: LandCheck) -> list[Leg]:
    """List legs that touch the coast on either line, except in passages."""
    drawn = [(leg, line) for leg in legs for line in leg.lines()]
    on_land = check.find_lines_on_land([line for _, line in drawn])
    return list(dict.fromkeys(drawn[i][0] for i in np.flatnonzero(on_land)))


def list_impossible_turns(legs: Sequence[Leg]) -> Iterator[tuple[Leg, str]]:
    """List legs without a turn radius, without room for two turns, or left by an arc."""
    ends_nm = [0.0]
    for before, after in pairwise(legs):
        half = np.radians(min(abs(_course_change_deg(before, after)), 179.0)) / 2.0
        radius_nm = before.turn_radius_nm or 0.0
        if not radius_nm:
            yield before, "no radius"
        inside_m = radius_nm * (1.0 / np.cos(half) - 1.0) * _MILE_M
        if inside_m > min(before.xtd_m, after.xtd_m) + _TURN_SLACK_M:
            yield before, f"passes its end {inside_m:.0f} m off"
        ends_nm.append(radius_nm * np.tan(half))
    for leg, ends in zip(legs, pairwise([*ends_nm, 0.0]), strict=True):
        if sum(ends) > leg.measure_nm() * (1.0 + _TURN_SLACK) + _TURN_SLACK_M / _MILE_M:
            yield leg, f"{leg.measure_nm():.3f} nm for turns of {sum(ends):.3f} nm"


def _course_change_deg(before: Leg, after: Leg) -> float:
    (_, arrives), (leaves, _) = before.courses_deg(), after.courses_deg()
    return (leaves - arrives + 180.0) % 360.0 - 180.0


def list_areas_entered(legs: Sequence[Leg], areas: Sequence[Area]) -> list[tuple[Leg, Area]]:
    """List legs that enter an area, on either line, at a time at which it binds.

    Within a leg, time is proportional to distance.
    """
    return [
        (leg, area)
        for leg in legs
        for area in areas
        if _may_be_there(leg, area) and any(_enters(leg, area, g) for g in (True, False))
    ]


def _may_be_there(leg: Leg, area: Area) -> bool:
    too_late = area.ends_at is not None and leg.departs > area.ends_at
    too_early = area.starts_at is not None and leg.arrives < area.starts_at
    return not (too_late or too_early)


def _enters(leg: Leg, area: Area, great_circle: bool) -> bool:
    lats, lngs = leg.draw(great_circle)
    if not any(line.intersects(area.geometry) for line in cut_at_antimeridian(lats, lngs)):
        return False
    if area.starts_at is None and area.ends_at is None:
        return True
    span: timedelta = (leg.arrives - leg.departs) / (lats.size - 1)
    for i, ends in enumerate(pairwise(zip(lats, lngs, strict=True))):
        passes, passed = leg.departs + i * span, leg.departs + (i + 1) * span
        late = area.ends_at is not None and passes > area.ends_at
        early = area.starts_at is not None and passed < area.starts_at
        if late or early:
            continue
        pieces = cut_at_antimeridian(*(np.array(v) for v in zip(*ends, strict=True)))
        if any(piece.intersects(area.geometry) for piece in pieces):
            return True
    return False


def list_tracks_in_areas(files: Files, areas: Sequence[Area]) -> list[Area]:
    """List areas that the timed track enters while they bind."""
    legs = [Leg(a[:2], b[:2], a[2], b[2], True, 0.0, "") for a, b in pairwise(files.track)]
    return [area for area in areas if list_areas_entered(legs, [area])]


def nearest_m(leg: Leg, obstacles: shapely.STRtree, within_m: float) -> float:
    """Return the distance from a leg to the nearest geometry [m], at most ``within_m``."""
    least = within_m
    for line in leg.lines():
        points = np.asarray(line.coords)
        for k in range(0, len(points) - 1, 10):
            least = min(least, _nearest_to_piece(points[k : k + 11], obstacles, least))
    return least


def _nearest_to_piece(points: Floats, obstacles: shapely.STRtree, within_m: float) -> float:
    scale = max(0.02, float(np.cos(np.radians(points[:, 1].mean()))))
    reach = within_m / (_MILE_M * 60.0)
    west, south = points.min(axis=0) - np.array([1.1 * reach / scale, reach])
    east, north = points.max(axis=0) + np.array([1.1 * reach / scale, reach])
    near = obstacles.geometries[obstacles.query(shapely.box(west, south, east, north))]
    if not near.size:
        return within_m
    flat = shapely.transform(near, lambda xy: xy * np.array([scale, 1.0]))
    line = LineString(points * np.array([scale, 1.0]))
    return float(shapely.distance(flat, line).min()) * 60.0 * _MILE_M
