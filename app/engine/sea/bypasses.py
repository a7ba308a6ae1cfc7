"""Bypasses: stretches of passages moved aside, around closed areas on their centre lines.

Within half a passage's width of its centre line the water is navigable. The guard zone of a wreck
on the line therefore does not close the passage if there is room next to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import LineString, MultiPolygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from app.engine.arrays import Floats, Ints
from app.engine.constants import DEGREE_M
from app.engine.geodesy.shapes import prepared
from app.engine.request import Position
from app.engine.sea.leg_room import measure_leg_gap_m
from app.engine.sea.passages import Passage
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData, Conditions
from app.engine.sea.string_pulling import NEAREST_M, Chain
from app.engine.units import wrap_longitude

#: Whether one line, of lng, lat [deg], may replace another.
MayReplace: TypeAlias = Callable[[LineString, LineString], bool]

#: Margin between a bypass and an area [m], and the part of it that rounding may use up.
_MARGIN_M: Final = 120.0
_ROUNDING_SHARE: Final = 0.1
#: Greatest distance of an area with its margin, as simplified, from the area [m].
_REACH_M: Final = 160.0
#: Share of half a passage's width that is used: the plane is not exact.
_WIDTH_SHARE: Final = 0.98
#: Distances from the line that are tried, from the least to the greatest.
_TRIES: Final = 20
#: Length of the ramps on and off the line, and the least, per metre aside: 18 and 45 degrees.
_RAMP: Final = 3.0
_SHORTEST_RAMP: Final = 1.0
#: Most bypasses of one stretch.
_MOST: Final = 10
#: Half the length of the barrier across a centre line without a bypass [deg].
_PLUG_DEG: Final = 1e-4


@dataclass(frozen=True)
class CentreLines:
    """The centre lines of passages, with a spatial index.

    ``_barriers`` caches those across passages, during the lifetime of the area.
    """

    passages: tuple[Passage, ...]
    _barriers: WeakKeyDictionary[MultiPolygon, Floats | None] = field(
        default_factory=WeakKeyDictionary
    )

    def list_barriers(self, area: MultiPolygon, outline: Floats) -> Floats | None:
        """List the parts of an area's outline, (m, 4) lng, lat [deg], that close passages.

        They lie across the centre lines that have no bypass of the area; None if there is none
        that has one.
        """
        if area not in self._barriers:
            with prepared(area):
                met = self._tree.query(area, predicate="dwithin", distance=_find_reach_deg(area))
                inside = set(self._tree.query(area, predicate="covers").tolist())
            closed = [n for n in met.tolist() if n in inside or not self._has_bypass(n, met, area)]
            lines = [self._lines[n] for n in closed]
            self._barriers[area] = _cut_out(outline, lines) if len(closed) < met.size else None
        return self._barriers[area]

    def _has_bypass(self, number: int, met: Ints, area: MultiPolygon) -> bool:
        """Return whether a passage has a bypass, by itself or joined to another that is met."""
        line, passage = self._lines[number], self.passages[number]
        if find_bypass(line, [passage], [area]) is not None:
            return True
        ends = {line.coords[0], line.coords[-1]}
        for other in met.tolist():
            others = self._lines[other]
            if other != number and ends & {others.coords[0], others.coords[-1]}:
                joined = shapely.line_merge(shapely.union(line, others))
                both = [passage, self.passages[other]]
                if isinstance(joined, LineString) and find_bypass(joined, both, [area]) is not None:
                    return True
        return False

    @cached_property
    def _lines(self) -> list[LineString]:
        return [_draw_line(*np.array(passage.centre_line).T) for passage in self.passages]

    @cached_property
    def _tree(self) -> shapely.STRtree:
        return shapely.STRtree(self._lines)


def bypass_areas(
    waters: CoastData,
    conditions: Conditions,
    passages: Sequence[Passage],
    areas: Sequence[MultiPolygon],
    chain: Chain,
) -> tuple[Chain, list[MultiPolygon]]:
    """Return a chain with its stretches of passages moved aside around areas.

    And the areas on stretches that cannot be moved, where the chain is unchanged.
    """
    tree = shapely.STRtree(areas)
    unpassed: list[MultiPolygon] = []

    def may_replace(old: LineString, new: LineString) -> bool:
        free = NO_CONDITIONS._replace(depth_steps=conditions.depth_steps)
        gaps_m = [_measure_gap_m(waters.trust(), free, line) for line in (old, new)]
        return gaps_m[1] >= gaps_m[0]

    for first, last in reversed(_list_stretches(chain)):
        line = _draw_line(chain.lats[first : last + 1], chain.lngs[first : last + 1])
        near = tree.query(line, predicate="dwithin", distance=_find_reach_deg(line))
        if near.size == 0:
            continue
        met = [areas[n] for n in near.tolist()]
        marks = set(chain.marks[first:last].tolist()) - {OPEN_SEA}
        along = [passages[mark] for mark in sorted(marks)]
        aside = find_bypass(line, along, met, may_replace)
        if aside is None:
            unpassed += met
        elif aside is not line:
            chain = _replace(chain, first, last, line, aside)
    return chain, unpassed


def find_bypass(
    line: LineString,
    passages: Sequence[Passage],
    areas: Sequence[MultiPolygon],
    may_replace: MayReplace = lambda old, new: True,
) -> LineString | None:
    """Return a line of lng, lat [deg] with bypasses of areas within the water of passages.

    None if there are none. Each is as near to the line as possible, and to starboard rather than
    equally far to port.
    """
    reach_deg = _find_reach_deg(line) + max(p.half_width_m for p in passages) / DEGREE_M
    west, south, east, north = line.bounds
    wide = reach_deg / _scale(max(abs(south), abs(north)))
    window = west - wide, south - reach_deg, east + wide, north + reach_deg
    near = shapely.clip_by_rect(np.array(areas), *window)
    near = near[~shapely.is_empty(near)]
    for _ in range(_MOST):
        place = _find_met(line, near)
        if place is None:
            return line
        aside = _step_aside(line, _Plane(*place), passages, near, may_replace)
        if aside is None:
            return None
        line = aside
    return None


def _cut_out(edges: Floats, lines: Sequence[LineString]) -> Floats:
    """Return the parts of edges, (m, 4) lng, lat [deg], next to some lines."""
    near = shapely.buffer(shapely.MultiLineString(lines), _PLUG_DEG)
    shapely.prepare(near)
    shapes = shapely.linestrings(edges.reshape(-1, 2, 2))
    parts = shapely.get_parts(shapely.intersection(shapes[shapely.intersects(near, shapes)], near))
    ends = [shapely.get_coordinates(part)[[0, -1]].ravel() for part in parts]
    return np.array(ends, dtype=np.float64).reshape(-1, 4)


class _Plane(NamedTuple):
    """A plane in metres about a place; its scale is that of the place's latitude."""

    lng: float
    lat: float

    def flatten(self, shape: BaseGeometry) -> BaseGeometry:
        """Return a shape of lng, lat [deg] in the plane."""
        flat: BaseGeometry = shapely.transform(shape, lambda xy: (xy - self) * self._scales)
        return flat

    def unflatten(self, line: LineString) -> LineString:
        """Return a line in the plane as lng, lat [deg]."""
        turned: LineString = shapely.transform(line, lambda xy: xy / self._scales + self)
        return turned

    @property
    def _scales(self) -> Floats:
        return DEGREE_M * np.array([_scale(self.lat), 1.0])


def _find_met(line: LineString, areas: NDArray[np.object_]) -> tuple[float, float] | None:
    """Find a place on a line, lng, lat [deg], within the margin of an area."""
    for area in areas:
        place = shapely.get_coordinates(shapely.shortest_line(line, area))[0].tolist()
        plane = _Plane(*place)
        gap_m = shapely.distance(plane.flatten(line), plane.flatten(area))
        if gap_m < (1.0 - _ROUNDING_SHARE) * _MARGIN_M:
            return plane
    return None


def _step_aside(
    line: LineString,
    plane: _Plane,
    passages: Sequence[Passage],
    areas: NDArray[np.object_],
    may_replace: MayReplace,
) -> LineString | None:
    """Return a line with one bypass, of what it meets in the plane; None if there is none."""
    flat = plane.flatten(line)
    closed = shapely.union_all([plane.flatten(area) for area in areas])
    shapely.prepare(closed)
    water = shapely.union_all([_draw_water(plane, passage) for passage in passages])
    widest_m = _WIDTH_SHARE * max(passage.half_width_m for passage in passages)
    for aside_m in np.linspace(widest_m / _TRIES, widest_m, _TRIES).tolist():
        span = _find_span(flat, closed, aside_m)
        room_m = min(span[0], flat.length - span[1])
        if room_m < _SHORTEST_RAMP * aside_m:
            return None
        ramp_m = min(room_m, _RAMP * aside_m)
        begin, end = span[0] - ramp_m, span[1] + ramp_m
        for side in (-1.0, 1.0):
            parallel = _draw_parallel(flat, span, side * aside_m)
            ends = [_cut(flat, at, at) for at in (begin, end)]
            bypass = LineString(np.vstack([ends[0], parallel, ends[1]]))
            if water.covers(bypass) and not shapely.dwithin(closed, bypass, _MARGIN_M):
                old = LineString(_cut(flat, begin, end))
                if may_replace(plane.unflatten(old), plane.unflatten(bypass)):
                    head, tail = _cut(flat, 0.0, begin), _cut(flat, end, flat.length)
                    return plane.unflatten(LineString(np.vstack([head, parallel, tail])))
    return None


def _draw_water(plane: _Plane, passage: Passage) -> BaseGeometry:
    """Return the water of a passage in a plane that is used."""
    line = plane.flatten(_draw_line(*np.array(passage.centre_line).T))
    water: BaseGeometry = line.buffer(_WIDTH_SHARE * passage.half_width_m)
    return water


def _find_span(line: LineString, closed: BaseGeometry, aside_m: float) -> tuple[float, float]:
    """Return begin and end [m] of the part of a line next to closed water around the plane's place.

    The water is that within a distance of the line and the margin. Parts of it between which a ship
    would hardly return to the line count as one.
    """
    near = shapely.intersection(closed, line.buffer(aside_m + _MARGIN_M))
    parts, apart_m = shapely.get_parts(near), 2.0 * (_MARGIN_M + _RAMP * aside_m)
    nearest = int(np.argmin(shapely.distance(parts, shapely.Point(0.0, 0.0))))
    spans = [_locate(line, part) for part in parts]
    begin, end = spans[nearest]
    for first, last in (*sorted(spans), *sorted(spans, reverse=True)):
        if first <= end + apart_m and last >= begin - apart_m:
            begin, end = min(begin, first), max(end, last)
    return begin - _MARGIN_M, end + _MARGIN_M


def _locate(line: LineString, shape: BaseGeometry) -> tuple[float, float]:
    """Return begin and end [m] of the part of a line that a shape lies next to."""
    along_m = shapely.line_locate_point(line, shapely.points(shapely.get_coordinates(shape)))
    return float(along_m.min()), float(along_m.max())


def _draw_parallel(line: LineString, span: tuple[float, float], aside_m: float) -> Floats:
    """Return the points of a part of a line moved aside, to port if positive [m]."""
    part = LineString(_cut(line, *span))
    return np.asarray(shapely.get_coordinates(part.offset_curve(aside_m, join_style="mitre")))


def _cut(line: LineString, begin: float, end: float) -> Floats:
    """Return the points of the part of a line between two distances from its start [m]."""
    return np.asarray(shapely.get_coordinates(substring(line, begin, end)))


def _measure_gap_m(waters: CoastData, conditions: Conditions, line: LineString) -> float:
    """Measure the distance of a line from coast and charted shoals, up to that of other tracks."""
    lngs, lats = shapely.get_coordinates(line).T
    places = [
        Position(*place) for place in zip(lats, np.asarray(wrap_longitude(lngs)), strict=True)
    ]
    return min(measure_leg_gap_m(waters, conditions, a, b, NEAREST_M) for a, b in pairwise(places))


def _list_stretches(chain: Chain) -> list[tuple[int, int]]:
    """List the first and last points of stretches along passages, one or several that join.

    Where passages join, an open step without length leads from one to the other.
    """
    is_still = (np.diff(chain.lats) == 0.0) & (np.diff(chain.lngs) == 0.0)
    inside = np.concatenate([[False], (chain.marks != OPEN_SEA) | is_still, [False]])
    bounds = np.flatnonzero(np.diff(inside)).reshape(-1, 2)
    return [(a, b) for a, b in bounds.tolist() if (chain.marks[a:b] != OPEN_SEA).any()]


def _replace(chain: Chain, first: int, last: int, old: LineString, new: LineString) -> Chain:
    """Return a chain with a line instead of its points ``first`` to ``last``.

    The steps of the line have the marks of those that they are nearest to.
    """
    lngs, lats = shapely.get_coordinates(new).T
    lats[[0, -1]], lngs[[0, -1]] = chain.lats[[first, last]], chain.lngs[[first, last]]
    middles = shapely.points((lngs[:-1] + lngs[1:]) / 2.0, (lats[:-1] + lats[1:]) / 2.0)
    points = shapely.line_locate_point(old, shapely.points(old.coords))
    steps = np.searchsorted(points[1:-1], shapely.line_locate_point(old, middles))
    return Chain(
        np.concatenate([chain.lats[:first], lats, chain.lats[last + 1 :]]),
        np.concatenate([chain.lngs[:first], wrap_longitude(lngs), chain.lngs[last + 1 :]]),
        np.concatenate([chain.marks[:first], chain.marks[first + steps], chain.marks[last:]]),
    )


def _draw_line(lats: Floats, lngs: Floats) -> LineString:
    return LineString(np.column_stack([np.unwrap(lngs, period=360.0), lats]))


def _find_reach_deg(shape: BaseGeometry) -> float:
    """Return the distance from a shape at which areas or lines may matter [deg of longitude]."""
    _, south, _, north = shape.bounds
    return _REACH_M / DEGREE_M / _scale(max(abs(south), abs(north)))


def _scale(lat: float) -> float:
    """Return the length of a degree of longitude in degrees of latitude."""
    return max(0.02, float(np.cos(np.radians(lat))))
