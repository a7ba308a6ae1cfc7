"""Lanes of traffic separation schemes joined and left over their side edges, near an end.

A vessel that joins or leaves a lane from either side does so "at as small an angle to the general
direction of traffic flow as practicable" (IMO, COLREG 1972, rule 10 (b) (iii)). The sea graph joins
lanes at the points of their centre lines, the next of which may lie far beyond a harbour next
to the lane. Ships that only pass follow a lane by these points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil, cos, radians, tan
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, split_columns
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy.longitudes import wrap
from app.engine.request import Position
from app.engine.sea.approach import Approach
from app.engine.sea.coast import segment_clearance_m
from app.engine.sea.graph import distance_nm_all
from app.engine.sea.joining import find_between_in_plane, measure_share
from app.engine.sea.passages import Passage
from app.engine.sea.route_restrictions import RouteRestrictions
from app.engine.sea.routing import GraphPath, Router
from app.engine.sea.search.chords import compute_chord_cost
from app.engine.sea.search.conditions import Conditions
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import is_shoal
from app.engine.sea.string_pulling import NEAREST_M

#: Angle between a lane and the track of a ship that joins or leaves it [deg].
JOINING_ANGLE_DEG: Final = 28.0
#: Distance between the places tried along a lane [nm].
_SPACING_NM: Final = 1.0
#: Distance by which the coast is sought farther than it matters, for the sake of rounding [m].
_ROUNDING_M: Final = 1.0
#: Distance off the centre line of a lane up to which a ship is on it [nm].
_ON_LINE_NM: Final = 0.01
#: Most tracks to a piece of a lane that are tested against coast and shoals.
_MOST_TRIED: Final = 200


class LanePiece(NamedTuple):
    """A straight piece of a lane's centre line, and the node at its end.

    ``lane`` is the index of the passage.
    """

    lane: int
    begin: Position
    end: Position
    node: int
    half_width_m: float
    length_nm: float


class Ramp(NamedTuple):
    """A track from the side edge of a lane to its middle."""

    side: Position
    middle: Position


class Joining(NamedTuple):
    """A path from an exit of an approach by a ramp to a node of a lane, and its cost [nm]."""

    exit: int
    ramp: Ramp
    cost: float


class LanePieces(NamedTuple):
    """The pieces of all lanes in their direction, and those in the opposite one."""

    ahead: tuple[LanePiece, ...]
    astern: tuple[LanePiece, ...]


def list_lane_pieces(passages: Sequence[Passage], nodes: NDArray[np.int32]) -> LanePieces:
    """List the pieces of all lanes of schemes; ``nodes`` are those of all centre-line points."""
    ahead: list[LanePiece] = []
    astern: list[LanePiece] = []
    first = 0
    for lane, passage in enumerate(passages):
        line = passage.centre_line
        points = zip(line, nodes[first : first + len(line)].tolist(), strict=True)
        first += len(line)
        if passage.is_scheme_lane:
            for (a, before), (b, after) in pairwise(points):
                sizes = passage.half_width_m, float(distance_nm(*a, *b))
                ahead.append(LanePiece(lane, a, b, after, *sizes))
                astern.append(LanePiece(lane, b, a, before, *sizes))
    return LanePieces(tuple(ahead), tuple(astern))


@dataclass(frozen=True)
class LaneJoiner:
    """Joins lanes to the ends of a voyage.

    Only lanes ``within_nm`` of an end are joined.
    """

    pieces: LanePieces
    router: Router
    restrictions: RouteRestrictions
    within_nm: float

    def shorten(
        self, start: Approach, end: Approach, path: GraphPath
    ) -> tuple[Approach, Approach, GraphPath]:
        """Return a path that joins or leaves a lane near an end, and its approaches.

        If none is shorter, those given. Lanes cost less than edges of the sea graph, whose angles
        lengthen a path. Therefore the paths are compared after string pulling. One that leads back
        along the lane that the departure lies in is replaced, even by a longer one.
        """
        conditions = self.restrictions.conditions
        joined = self._join(start, self.pieces.ahead, conditions)
        left = self._join(end, self.pieces.astern, conditions.reverse_lanes())
        if not joined.passages and not left.passages:
            return start, end, path
        router, restrictions = self.router, self.restrictions
        by_lane = router.find_path(joined, left, restrictions, path.cost)
        if by_lane is None:
            return start, end, path
        is_longer = router.measure_nm(by_lane, restrictions) >= router.measure_nm(
            path, restrictions
        )
        if is_longer and not self._turns_back(start, path):
            return start, end, path
        return joined, left, by_lane

    def _turns_back(self, start: Approach, path: GraphPath) -> bool:
        """Return whether a path leads from within a piece of a lane to the point behind it."""
        place, points = Position(start.lat, start.lng), set(path.chain.points)
        near = filter(partial(self._is_near, place), self.pieces.ahead)
        behind = (piece.begin for piece in near if _is_inside(piece, *_locate(piece, place)))
        return any(tuple(point) in points for point in behind)

    def _join(
        self, approach: Approach, pieces: Sequence[LanePiece], conditions: Conditions
    ) -> Approach:
        """Return an approach with paths along pieces of lanes to their ends.

        ``conditions`` are those of a track away from the approach's place.
        """
        joined, place = approach, Position(approach.lat, approach.lng)
        for piece in filter(partial(self._is_near, place), pieces):
            joined = self._follow(joined, piece)
            ramps = [
                ramp
                for ramp in _list_ramps(piece)
                if distance_nm(*place, *ramp.side) <= self.within_nm
            ]
            joining = self._find_cheapest(approach, piece, ramps, conditions) if ramps else None
            if joining is not None:
                lats, lngs = approach.paths[joining.exit]
                places = np.array([*joining.ramp, piece.end])
                path = np.append(lats, places[:, 0]), np.append(lngs, places[:, 1])
                joined = joined.add_passage_path(piece.node, joining.cost, path, piece.lane)
        return joined

    def _follow(self, approach: Approach, piece: LanePiece) -> Approach:
        """Return an approach with the path along the piece of a lane that holds its place, if so.

        Otherwise a ship under way in a lane would turn back to the point behind it.
        """
        place = Position(approach.lat, approach.lng)
        share, off_nm = _locate(piece, place)
        if not _is_inside(piece, share, off_nm):
            return approach
        ahead = share + off_nm / tan(radians(JOINING_ANGLE_DEG)) / piece.length_nm
        track = [place, piece.end]
        if off_nm > _ON_LINE_NM and ahead < 1.0:
            track.insert(1, find_between_in_plane(piece.begin, piece.end, ahead))
        if self.restrictions.bars(track):
            return approach
        cost = sum(float(distance_nm(*a, *b)) for a, b in pairwise(track))
        lats, lngs = split_columns(track)
        return approach.add_passage_path(piece.node, cost, (lats, lngs), piece.lane)

    def _is_near(self, place: Position, piece: LanePiece) -> bool:
        """Return whether a piece is of an open lane, and within reach of a place."""
        reach_nm = self.within_nm + piece.length_nm
        # most pieces are far, and the difference of latitude is the cheapest test
        if 60.0 * abs(place.lat - piece.begin.lat) > reach_nm:
            return False
        is_open = not self.restrictions.closed[piece.lane]
        return is_open and bool(distance_nm(*place, *piece.begin) <= reach_nm)

    def _find_cheapest(
        self, approach: Approach, piece: LanePiece, ramps: Sequence[Ramp], conditions: Conditions
    ) -> Joining | None:
        """Find the cheapest path from the exits by one of the ramps to the end of a piece.

        The paths are tried in order of their lengths.
        """
        along_nm = np.array([_measure_nm(ramp, piece.end) for ramp in ramps])
        least = approach.costs[:, None] + self._measure_to_sides(approach, ramps) + along_nm
        best: Joining | None = None
        limit = np.inf
        for option in np.argsort(least, axis=None, kind="stable")[:_MOST_TRIED].tolist():
            exit, number = divmod(option, len(ramps))
            if least[exit, number] >= limit:
                break
            rest = float(approach.costs[exit] + along_nm[number])
            node, side = int(approach.nodes[exit]), ramps[number].side
            cost = rest + self._compute_cost(node, side, limit - rest, conditions)
            if cost < limit and self._is_clear(piece, ramps[number]):
                best, limit = Joining(exit, ramps[number], cost), cost
        return best

    def _measure_to_sides(self, approach: Approach, ramps: Sequence[Ramp]) -> Floats:
        """Measure the great circles from the exits to the ramps, (exits, ramps) [nm]."""
        lats, lngs = self.router.graph.lats[approach.nodes], self.router.graph.lngs[approach.nodes]
        sides, exits = np.array([ramp.side for ramp in ramps]), lats.size
        from_exits = np.repeat(lats, len(ramps)), np.repeat(lngs, len(ramps))
        to_sides = np.tile(sides[:, 0], exits), np.tile(sides[:, 1], exits)
        return np.asarray(distance_nm_all(*from_exits, *to_sides)).reshape(exits, len(ramps))

    def _compute_cost(
        self, node: int, side: Position, limit: float, conditions: Conditions
    ) -> float:
        """Return the cost from a node to the side of a lane, infinite if the line is not clear."""
        ends = self.router.graph.lats[node], self.router.graph.lngs[node], *side
        return float(compute_chord_cost(self.router.waters, conditions, *ends, NEAREST_M, limit))

    def _is_clear(self, piece: LanePiece, ramp: Ramp) -> bool:
        """Return whether no coast or shoal is near a ramp, and no barrier but gates on the path.

        The path leads along the ramp and on to the end of the piece.
        """
        waters, conditions = self.router.waters, self.restrictions.conditions
        within_m = piece.half_width_m
        line = *ramp.side, *ramp.middle
        reach_m = within_m + _ROUNDING_M
        if segment_clearance_m(waters.edges, waters.edge_starts, *line, reach_m) < within_m:
            return False
        charted = waters.charted, waters.charted_blocks
        if is_shoal(*charted, *line, 0, conditions.depth_steps):
            return False
        return not self.restrictions.bars((ramp.side, ramp.middle, piece.end))


def _is_inside(piece: LanePiece, share: float, off_nm: float) -> bool:
    """Return whether a place located by :func:`_locate` lies within a piece of a lane."""
    return 0.0 <= share < 1.0 and off_nm * NAUTICAL_MILE_M <= piece.half_width_m


def _locate(piece: LanePiece, place: Position) -> tuple[float, float]:
    """Return the place's share of the track along a piece, and its distance off it [nm]."""
    share = measure_share(place, piece.begin, piece.end)
    abeam = find_between_in_plane(piece.begin, piece.end, share)
    return share, float(distance_nm(*place, *abeam))


def _list_ramps(piece: LanePiece) -> Iterator[Ramp]:
    """Yield ramps along a piece of a lane towards its end, from either side, before the end."""
    a, b = piece.begin, piece.end
    off = piece.half_width_m / NAUTICAL_MILE_M / piece.length_nm
    ahead = off / tan(radians(JOINING_ANGLE_DEG))
    count = ceil((1.0 - ahead) * piece.length_nm / _SPACING_NM)
    north, east = b.lat - a.lat, wrap(b.lng - a.lng)
    scale = cos(radians((a.lat + b.lat) / 2.0))
    for i in range(count):
        begin = (1.0 - ahead) * i / count
        middle = find_between_in_plane(a, b, begin + ahead)
        for across in (off, -off):
            side_lat = a.lat + begin * north - across * east * scale
            side_lng = a.lng + begin * east + across * north / scale
            yield Ramp(Position(side_lat, wrap(side_lng)), middle)


def _measure_nm(ramp: Ramp, end: Position) -> float:
    """Return the length of a ramp and of the lane from there to a point of it [nm]."""
    return float(distance_nm(*ramp.side, *ramp.middle) + distance_nm(*ramp.middle, *end))
