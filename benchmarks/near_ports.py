"""Routes between near ports compared with the shortest path over the same water.

``python -m benchmarks.near_ports [--n N] [--seed SEED]``

Pairs of ports of the World Port Index 50 to 400 nm apart. The shortest path is searched over cells
of 1/64 degree without land or charted shoals: Dijkstra (1959) with sixteen directions, then
shortened by straight lines over cells of water. It knows no traffic lanes, no distance from the
coast and no unproven water, so that its excess is also the price of these. Cells close channels
narrower than about a mile; pairs that only these join are not compared.
"""

import argparse
import math
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from app.engine.arrays import Bools
from app.engine.errors import VoyageError
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import FIELD_CELLS
from app.engine.sea.raster import CELLS as LAND_CELLS
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import count_steps
from app.engine.sea.squares import find_byte_place, find_cell_place
from benchmarks.atlas import SMALL_SHIP, open_atlas
from benchmarks.land_check import LandCheck
from benchmarks.random_pairs import Port, load_ports
from benchmarks.report import print_result, print_table

NEAREST_NM: Final = 50.0
FARTHEST_NM: Final = 400.0
#: Longest route that is compared, because the cells grow with its square [nm].
_LONGEST_NM: Final = 600.0
#: Cells per degree.
_CELLS: Final = 64
#: Greatest distance of an end from the water of a cell [cells].
_REACH: Final = 2
#: Half of the directions: rows and columns of a step.
_STEPS: Final = ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1))


class Window(NamedTuple):
    """Cells of water, row 0 in the south: ``is_water`` (rows, columns), and the first of each."""

    is_water: Bools
    first_row: int
    first_col: int

    def place(self, position: Position) -> tuple[int, int]:
        """Return the row and column of a position."""
        row = math.floor((position.lat + 90.0) * _CELLS) - self.first_row
        col = math.floor((position.lng + 180.0) * _CELLS) - self.first_col
        return row, (col + 180 * _CELLS) % (360 * _CELLS) - 180 * _CELLS

    def get_centre(self, row: int, col: int) -> Position:
        """Return the centre of a cell."""
        lat = (row + self.first_row + 0.5) / _CELLS - 90.0
        lng = (col + self.first_col + 0.5) / _CELLS - 180.0
        return Position(lat, (lng + 180.0) % 360.0 - 180.0)


class Row(NamedTuple):
    """A pair with the lengths of its route, of the unproven legs and of the shortest path [nm]."""

    start: Port
    end: Port
    route_nm: float
    unproven_nm: float
    shortest_nm: float
    on_land: int
    uses: list[str]

    @property
    def excess_pct(self) -> float:
        """Excess of the route over the shortest path [%]."""
        return 100.0 * (self.route_nm / self.shortest_nm - 1.0)


def choose_pairs(n: int, seed: int) -> list[tuple[Port, Port]]:
    """Choose pairs of ports by random."""
    ports = load_ports()
    rng = np.random.default_rng(seed)
    lats, lngs = np.array([port.position for port in ports]).T
    pairs: list[tuple[Port, Port]] = []
    while len(pairs) < n:
        one = int(rng.integers(len(ports)))
        away = np.array([distance_nm(lats[one], lngs[one], *p.position) for p in ports])
        near = np.flatnonzero((away >= NEAREST_NM) & (away <= FARTHEST_NM))
        if near.size:
            pairs.append((ports[one], ports[int(rng.choice(near))]))
    return pairs


def cut_window(waters: CoastData, a: Position, b: Position, longest_nm: float, need: int) -> Window:
    """Return the cells around two positions within which a path of some length must lie."""
    half_deg = longest_nm / 120.0 + 0.1
    lat, lng = (a.lat + b.lat) / 2.0, a.lng + ((b.lng - a.lng + 180.0) % 360.0 - 180.0) / 2.0
    wide_deg = half_deg / max(0.1, math.cos(math.radians(abs(lat) + half_deg)))
    first_row = max(0, math.floor((lat - half_deg + 90.0) * _CELLS))
    last_row = min(180 * _CELLS, math.ceil((lat + half_deg + 90.0) * _CELLS))
    first_col = math.floor((lng - wide_deg + 180.0) * _CELLS)
    rows = np.arange(first_row, last_row)
    cols = np.arange(first_col, first_col + math.ceil(2.0 * wide_deg * _CELLS)) % (360 * _CELLS)
    cells = np.ix_(rows * FIELD_CELLS // _CELLS, cols * FIELD_CELLS // _CELLS)
    is_water = waters.charted[find_cell_place(*cells)] >= need
    fine = LAND_CELLS // _CELLS
    for south, west in product(range(fine), repeat=2):
        at = cols * fine + west
        byte = find_byte_place(*np.ix_(rows * fine + south, at >> 3))
        is_water &= (waters.inside[byte] >> (at & 7)) & 1 == 0
    return Window(is_water, first_row, first_col)


def find_cell(window: Window, position: Position) -> tuple[int, int] | None:
    """Find the cell of water nearest to a position, or None."""
    row, col = window.place(position)
    offsets = sorted(product(range(-_REACH, _REACH + 1), repeat=2), key=lambda o: math.hypot(*o))
    for north, east in offsets:
        if window.is_water[row + north, col + east]:
            return row + north, col + east
    return None


def _shift(cells: Bools, north: int, east: int) -> Bools:
    """Return the value of the cell so far north and east of each cell, False outside."""
    out = np.zeros_like(cells)
    rows, cols = cells.shape
    west, stop = max(0, -east), cols - max(0, east)
    out[: rows - north, west:stop] = cells[north:, west + east : stop + east]
    return out


def join_cells(window: Window) -> coo_array:
    """Return the lengths of the steps between cells, (cells, cells) [nm]."""
    water = window.is_water
    rows, cols = water.shape
    lats = (np.arange(rows) + window.first_row + 0.5) / _CELLS - 90.0
    starts, ends, lengths = [], [], []
    for north, east in _STEPS:
        joined = water & _shift(water, north, east)
        if max(north, abs(east)) == 2:
            near = (1, 0) if north == 2 else (0, east // 2)
            joined &= _shift(water, *near) & _shift(water, 1, east // abs(east))
        row, col = np.nonzero(joined)
        scale = np.cos(np.radians(lats[row] + north / 2.0 / _CELLS))
        starts.append(row * cols + col)
        ends.append((row + north) * cols + col + east)
        lengths.append(60.0 / _CELLS * np.hypot(north, east * scale))
    index = np.concatenate(starts), np.concatenate(ends)
    return coo_array((np.concatenate(lengths), index), shape=(water.size, water.size))


def find_shortest(
    window: Window, start: tuple[int, int], end: tuple[int, int]
) -> list[tuple[int, int]] | None:
    """Find the cells of the shortest path, or None."""
    cols = window.is_water.shape[1]
    first, last = start[0] * cols + start[1], end[0] * cols + end[1]
    _, before = dijkstra(
        join_cells(window).tocsr(), directed=False, indices=first, return_predecessors=True
    )
    path = [last]
    while path[-1] != first:
        previous = int(before[path[-1]])
        if previous < 0:
            return None
        path.append(previous)
    return [divmod(cell, cols) for cell in reversed(path)]


def is_straight(window: Window, a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Return whether the cells under the straight line between two cells are water."""
    count = 4 * max(abs(b[0] - a[0]), abs(b[1] - a[1]), 1)
    share = np.linspace(0.0, 1.0, count + 1)
    rows = np.floor(a[0] + 0.5 + share * (b[0] - a[0])).astype(int)
    cols = np.floor(a[1] + 0.5 + share * (b[1] - a[1])).astype(int)
    return bool(window.is_water[rows, cols].all())


def shorten(window: Window, path: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out the cells between which the path may run straight."""
    kept = [path[0]]
    at = 0
    while at < len(path) - 1:
        at = next(i for i in range(len(path) - 1, at, -1) if i == at + 1 or
                  is_straight(window, path[at], path[i]))  # fmt: skip
        kept.append(path[at])
    return kept


def measure_shortest_nm(
    waters: CoastData, a: Position, b: Position, longest_nm: float, need: int
) -> float | None:
    """Measure the shortest path over water between two positions [nm]; None if cells join none."""
    window = cut_window(waters, a, b, longest_nm, need)
    start, end = find_cell(window, a), find_cell(window, b)
    path = None if start is None or end is None else find_shortest(window, start, end)
    if path is None:
        return None
    there = shorten(window, path)
    back = shorten(window, there[::-1])
    inner = [window.get_centre(*cell) for cell in back[::-1][1:-1]]
    return sum(float(distance_nm(*p, *q)) for p, q in pairwise([a, *inner, b]))


def measure(atlas: SeaAtlas, check: LandCheck, start: Port, end: Port) -> Row | str:
    """Compare the route of a pair, or return why it is not compared."""
    try:
        path = atlas.find_paths(start.position, end.position, ship=SMALL_SHIP, most=1)[0]
    except VoyageError as error:
        return error.code
    if path.distance_nm > _LONGEST_NM:
        return "far"
    legs = atlas.build_legs(path, TrackKind.GREAT_CIRCLE)
    ends = (Position(float(path.lats[i]), float(path.lngs[i])) for i in (0, -1))
    need = count_steps(SMALL_SHIP.least_depth_m)
    shortest_nm = measure_shortest_nm(atlas.waters, *ends, path.distance_nm, need)
    if shortest_nm is None:
        return "not joined by cells"
    route_nm = sum(leg.distance_nm for leg in legs)
    on_land = int(check.find_legs_on_land(legs).sum())
    unproven_nm = sum(leg.distance_nm for leg in legs if leg.is_unproven)
    uses = [use.id for use in path.uses]
    return Row(start, end, route_nm, unproven_nm, shortest_nm, on_land, uses)


def report(results: Sequence[Row | str]) -> None:
    """Print the pairs, the greatest excess first, and the overall figures."""
    rows = sorted((r for r in results if isinstance(r, Row)), key=lambda row: -row.excess_pct)
    print_table(
        ["from", "to", "route nm", "unproven nm", "shortest nm", "excess %", "on land", "by"],
        [
            (
                row.start.name,
                row.end.name,
                f"{row.route_nm:.1f}",
                f"{row.unproven_nm:.1f}",
                f"{row.shortest_nm:.1f}",
                f"{row.excess_pct:+.2f}",
                row.on_land,
                ", ".join(dict.fromkeys(row.uses)),
            )
            for row in rows
        ],
    )
    excess = np.array([row.excess_pct for row in rows])
    print_result(
        {
            "pairs": len(results),
            "compared": len(rows),
            "mean_excess_pct": round(float(excess.mean()), 2),
            "median_excess_pct": round(float(np.median(excess)), 2),
            "worst_excess_pct": round(float(excess.max()), 2),
            "mean_unproven_nm": round(float(np.mean([row.unproven_nm for row in rows])), 2),
            "legs_on_land": sum(row.on_land for row in rows),
        }
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Route, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=150)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args(arguments)
    atlas = open_atlas()
    check = LandCheck(atlas.passages)
    report([measure(atlas, check, *pair) for pair in choose_pairs(options.n, options.seed)])


if __name__ == "__main__":
    main()
