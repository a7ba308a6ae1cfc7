"""Restrictions of routes: closed passages, forbidden and priced areas, latitude limits."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import MultiPolygon, Point, box
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area, AreaRule
from app.engine.arrays import Bools, Floats
from app.engine.errors import EndInsideArea
from app.engine.formatting import format_window
from app.engine.geodesy.shapes import intersects
from app.engine.request import Limits, Position
from app.engine.sea.bypasses import CentreLines
from app.engine.sea.gates import POLAR_GATES, is_arctic_inside, stack_lines
from app.engine.sea.search.barriers import (
    ANY_COSINE,
    BYPASSED,
    LAST_KIND,
    LINE,
    LaneLines,
    build_barriers,
    is_barred,
    list_ring_edges,
)
from app.engine.sea.search.conditions import Conditions, build_price_map
from app.engine.sea.shoals import count_steps

#: Northern latitude limit from which the polar passages are open [deg].
_POLAR_LIMIT_LAT: Final = 75.0
#: Price of a mile inside an area with an end of the voyage.
_ENDPOINT_AREA_PRICE: Final = 20.0
#: Latitude limit without effect [deg].
_POLE: Final = 90.0
#: Margin between a track and a forbidden area [deg of latitude]: 120 m.
_MARGIN_DEG: Final = 0.001
#: Chords in a quarter circle around an area's corner; they reduce the margin by 8 %.
_CORNER_SEGMENTS: Final = 2
#: Tolerance of the simplified outline of an area, part of the margin [deg].
_MARGIN_USED_DEG: Final = 0.0004
#: Longest edge of closed areas [deg].
_LONGEST_EDGE_DEG: Final = 5.0

_NO_LINES: Final = CentreLines(())
_outlines: Final[WeakKeyDictionary[MultiPolygon, Floats]] = WeakKeyDictionary()


class LatitudeLimit(NamedTuple):
    """A latitude limit [deg]; ``side`` is 1 for a northern limit, -1 for a southern one."""

    lat: float
    side: int

    def is_beyond(self, position: Position) -> bool:
        """Return whether a position lies beyond the limit."""
        return self.side * (position.lat - self.lat) > 0.0

    def exempts(self, departure: Position, arrival: Position) -> bool:
        """Return whether an end lies beyond the limit, where miles are then minimised."""
        return self.is_beyond(departure) or self.is_beyond(arrival)

    @property
    def beyond(self) -> MultiPolygon:
        """Area beyond the limit."""
        south, north = sorted((self.lat, self.side * 90.0))
        return MultiPolygon([box(-180.0, south, 180.0, north)])


def list_latitude_limits(limits: Limits) -> list[LatitudeLimit]:
    """List the latitude limits among a captain's that have an effect."""
    sides = ((limits.north_lat, 1), (limits.south_lat, -1))
    return [LatitudeLimit(lat, side) for lat, side in sides if lat is not None and abs(lat) < _POLE]


@dataclass(frozen=True)
class RouteRestrictions:
    """Restrictions of a voyage: mask of closed passages, and lines and prices at sea.

    ``is_polar`` is true if the polar passages are open. ``areas`` are closed to all tracks;
    ``bypassed`` are those of them, by the kind of their edges, that paths along passages may cross
    because there is room next to them.
    """

    closed: Bools
    is_polar: bool
    conditions: Conditions
    areas: tuple[MultiPolygon, ...] = ()
    bypassed: Mapping[int, MultiPolygon] = field(default_factory=dict)

    def close_bypassed(self, areas: Sequence[MultiPolygon]) -> "RouteRestrictions":
        """Return the restrictions with areas closed to paths along passages too."""
        kinds = [kind for kind, area in self.bypassed.items() if area in areas]
        closed = np.where(np.isin(self.conditions.kinds, kinds), LINE, self.conditions.kinds)
        return replace(
            self,
            conditions=self.conditions._replace(kinds=closed.astype(np.uint8)),
            bypassed={kind: area for kind, area in self.bypassed.items() if kind not in kinds},
        )

    @cached_property
    def _kinds(self) -> NDArray[np.uint8]:
        """Kinds of the barriers, with lines for the edges of bypassed areas."""
        kinds = self.conditions.kinds
        return np.where(kinds >= BYPASSED, LINE, kinds).astype(np.uint8)

    def bars(self, track: Sequence[Position]) -> bool:
        """Return whether a barrier other than a gate lies across a track, straight in degrees."""
        barriers = self.conditions.segments, self._kinds, self.conditions.starts
        return any(is_barred(*barriers, *a, *b, False, ANY_COSINE) for a, b in pairwise(track))


def build_restrictions(
    closed: Bools,
    closed_gates: Floats,
    lanes: LaneLines,
    lines: Iterable[tuple[float, ...]],
    areas: Sequence[Area],
    departure: Position,
    arrival: Position,
    limits: Limits,
    least_depth_m: float,
    corridors: BaseGeometry | None = None,
    centre_lines: CentreLines = _NO_LINES,
) -> RouteRestrictions:
    """Build the restrictions of a voyage as arrays for the search.

    ``closed_gates``, (m, 4) lng, lat, close the open sea next to passages, not other passages that
    cross them; ``lanes`` are not crossed against their direction; ``lines`` close everything.
    ``limits`` are the captain's, of which those of latitude count. ``corridors`` remain open
    beyond a latitude limit if an end lies beyond it; ``None`` means all water. ``centre_lines`` are
    those of the passages, which may bypass areas. Raise :class:`EndInsideArea` if an end lies
    inside an area that allows no exception.
    """
    blocked, priced = sort_areas(areas, departure, arrival)
    bypassed: dict[int, MultiPolygon] = {}
    edges = []
    for area in (each.geometry for each in blocked):
        outline = _list_outline_edges(area)
        across, kind = centre_lines.list_barriers(area, outline), BYPASSED + len(bypassed)
        if across is not None and kind <= LAST_KIND:
            bypassed[kind], outline = area, across
        edges.append(outline)
    closed_gates = closed_gates[~np.isnan(closed_gates[:, 0])]
    lat_limits = list_latitude_limits(limits)
    crossed = [limit.beyond for limit in lat_limits if limit.exempts(departure, arrival)]
    kept = (limit for limit in lat_limits if not limit.exempts(departure, arrival))
    is_polar = _is_polar_open(departure, arrival, limits.north_lat)
    closed_lines = [*lines, *_list_parallels(kept)]
    if not is_polar:
        closed_lines += [gate.line for gate in POLAR_GATES]
    if corridors is not None:
        edges += [_list_edges(_list_rings(beyond - corridors)) for beyond in crossed]
    outlines = [_list_outline_edges(area) for area in bypassed.values()]
    blocking = np.concatenate([*edges, stack_lines(closed_lines)])
    barriers = build_barriers(blocking, closed_gates, lanes, outlines)
    beyond = [(area, _ENDPOINT_AREA_PRICE) for area in crossed]
    prices = build_price_map((*((area.geometry, price) for area, price in priced), *beyond))
    conditions = Conditions(*barriers, prices, count_steps(least_depth_m))
    geometries = tuple(area.geometry for area in blocked)
    return RouteRestrictions(closed, is_polar, conditions, geometries, bypassed)


def _list_outline_edges(area: MultiPolygon) -> Floats:
    """List the edges of an area's outline with its margin, simplified within the margin, (m, 4).

    The simplification of Douglas and Peucker (1973) moves a line by at most its tolerance, so
    that some margin remains. A simplified ring may cross itself, but still encloses the area: the
    line was moved over no point of it. Edges are cached during the lifetime of the area, because a
    planning needs them often.
    """
    edges = _outlines.get(area)
    if edges is None:
        widened = area.buffer(_MARGIN_DEG, quad_segs=_CORNER_SEGMENTS)
        # rings, because keeping the topology of polygons takes twenty times as long
        rings = shapely.simplify(_list_rings(widened), _MARGIN_USED_DEG, preserve_topology=False)
        edges = _outlines[area] = _list_edges(rings)
    return edges


def _list_rings(area: BaseGeometry) -> NDArray[np.object_]:
    """List the exterior and interior rings of a polygon or multi-polygon."""
    return np.asarray(shapely.get_rings(shapely.get_parts(area)))


def _list_edges(rings: NDArray[np.object_]) -> Floats:
    """List the edges of rings, (m, 4).

    Long edges are divided, because each is compared only with lines near its middle.
    """
    return list_ring_edges(shapely.segmentize(rings, _LONGEST_EDGE_DEG))


def _is_polar_open(departure: Position, arrival: Position, north_lat_limit: float | None) -> bool:
    """Return whether the polar passages are open: by request, or because an end lies inside."""
    asked = north_lat_limit is not None and north_lat_limit >= _POLAR_LIMIT_LAT
    return asked or any(is_arctic_inside(*end) for end in (departure, arrival))


def _list_parallels(limits: Iterable[LatitudeLimit]) -> Iterator[tuple[float, ...]]:
    """Yield latitude limits as lines."""
    steps = np.linspace(-180.0, 180.0, 73)
    for limit in limits:
        lat = limit.lat - limit.side * _MARGIN_DEG
        yield from ((float(a), lat, float(b), lat) for a, b in pairwise(steps))


def sort_areas(
    areas: Sequence[Area], departure: Position, arrival: Position
) -> tuple[list[Area], list[tuple[Area, float]]]:
    """Sort areas into those that block, and those that are priced with their prices."""
    blocked: list[Area] = []
    priced: list[tuple[Area, float]] = []
    for area in areas:
        if area.rule is AreaRule.PRICED:
            priced.append((area, area.price))
        elif area.rule is AreaRule.LEAST_EXPOSURE:
            priced.append((area, _ENDPOINT_AREA_PRICE))
        elif area.rule.forbids_entry:
            end = find_end_inside(area, departure, arrival)
            if end is None:
                blocked.append(area)
            elif area.rule is AreaRule.AVOID_UNLESS_ENDPOINT:
                priced.append((area, _ENDPOINT_AREA_PRICE))
            else:
                window = format_window(area)
                advice = "" if window else f" Choose another {end}, or change the area."
                raise EndInsideArea(
                    f"The {end} lies inside {area.name}, "
                    f"which must not be entered{window}.{advice}",
                    area=area.id,
                    name=area.name,
                    end=end,
                )
    return blocked, priced


def list_blocking(
    areas: Iterable[Area], find_ends: Callable[[], tuple[Position, Position]]
) -> tuple[Area, ...]:
    """List the areas that a voyage may not enter while they are in force.

    ``find_ends`` finds its departure and arrival, which only areas to avoid need.
    """
    return tuple(
        area
        for area in areas
        if area.rule is AreaRule.NO_ENTRY
        or (
            area.rule is AreaRule.AVOID_UNLESS_ENDPOINT
            and find_end_inside(area, *find_ends()) is None
        )
    )


def find_end_inside(area: Area, departure: Position, arrival: Position) -> str | None:
    """Find the end of a voyage that lies inside an area: "departure", "arrival" or None."""
    for name, end in (("departure", departure), ("arrival", arrival)):
        if intersects(area.geometry, Point(end.lng, end.lat)):
            return name
    return None
