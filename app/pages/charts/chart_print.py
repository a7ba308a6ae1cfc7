"""Printed chart: coast, depths, areas, route and marks as one SVG drawing.

Positions are in Web Mercator, scaled to the drawing. Longitudes are continuous across the
antimeridian, so the route is one line.
"""

import gzip
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from app.datasources.basemap import EXTENT
from app.datasources.mercator import project
from app.engine.report.critical_points import Severity
from app.pages.charts.route_map import LatLng, trace_legs, unwrap
from app.services.sea import basemap

#: Width of the drawing, and its least and greatest height.
_WIDTH: Final = 1000.0
_HEIGHTS: Final = (460.0, 860.0)
_MARGIN: Final = 0.08
#: Smallest extent of the drawing [share of the world's width], about 13 nm at the equator.
_SMALLEST: Final = 0.0006
_TILE: Final = 256.0
_FINEST_TILE: Final = 10
_LINES_APART: Final = 110.0
#: Width of the mark of a critical point.
_MARK: Final = 22.0
_STEPS_DEG: Final = (30.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 1 / 6, 1 / 12)


class TileShapes(NamedTuple):
    """Land and depths of one tile as path data, with its position in the drawing."""

    x: float
    y: float
    scale: float
    land: str
    depths: list[str]


class AreaShape(NamedTuple):
    """An area as path data: its surface if it is avoided, and its outline."""

    surface: str
    outline: str


class Mark(NamedTuple):
    """A mark in the drawing, with the number of its critical point, or the numbers of several.

    ``severity`` is that of the most severe.
    """

    x: float
    y: float
    numbers: tuple[int, ...]
    severity: str


class Line(NamedTuple):
    """A meridian or parallel: its coordinate in the drawing, and its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class PrintedChart:
    """Shapes of the chart for the template."""

    width: float
    height: float
    tiles: list[TileShapes]
    areas: list[AreaShape]
    route: str
    waypoints: list[tuple[float, float]]
    points: list[Mark]
    meridians: list[Line]
    parallels: list[Line]
    #: Side of a tile; its shapes extend beyond it, so that no seams show.
    tile_side: int = EXTENT


@dataclass(frozen=True, slots=True)
class _Frame:
    """Part of the world that is drawn, and its scale [px per world width]."""

    x0: float
    y0: float
    scale: float
    height: float

    def place(self, places: Sequence[LatLng]) -> list[tuple[float, float]]:
        xs, ys = _project(places)
        return [
            (round((x - self.x0) * self.scale, 1), round((y - self.y0) * self.scale, 1))
            for x, y in zip(xs, ys, strict=True)
        ]


def draw_chart(
    folder: Path,
    waypoints: Sequence[Mapping[str, Any]],
    points: Sequence[Mapping[str, Any]],
    areas: Sequence[Mapping[str, Any]] = (),
) -> PrintedChart:
    """Draw a route's waypoints and critical points, and areas, on the coast.

    ``areas`` are those of the route page; tiles are cached in ``folder``.
    """
    line = trace_legs(waypoints)
    frame = _frame(line)
    turns = unwrap((point["lat"], point["lng"]) for point in waypoints)
    marked = unwrap([line[0], *((point["lat"], point["lng"]) for point in points)])[1:]
    severities = [point["severity"] for point in points]
    return PrintedChart(
        width=_WIDTH,
        height=frame.height,
        tiles=list(_cut_tiles(folder, frame)),
        areas=[shape for area in areas for shape in _draw_area(frame, area)],
        route=f"M{_join(frame.place(line))}",
        waypoints=frame.place(turns),
        points=_mark(frame.place(marked), severities),
        meridians=list(_meridians(frame)),
        parallels=list(_parallels(frame)),
    )


def _mark(places: Sequence[tuple[float, float]], severities: Sequence[str]) -> list[Mark]:
    """Mark critical points; those whose marks would overlap share the mark of the first."""
    marks: list[Mark] = []
    for number, (place, severity) in enumerate(zip(places, severities, strict=True), start=1):
        near = (at for at, mark in enumerate(marks) if math.dist(mark[:2], place) < _MARK)
        at = next(near, None)
        if at is None:
            marks.append(Mark(*place, (number,), severity))
            continue
        shared = marks[at]
        worst = max(shared.severity, severity, key=lambda name: Severity[name.upper()])
        marks[at] = shared._replace(numbers=(*shared.numbers, number), severity=worst)
    return marks


def _project(places: Sequence[LatLng]) -> tuple[list[float], list[float]]:
    lats, lngs = np.array(places, dtype=float).reshape(-1, 2).T
    xs, ys = project(lngs, lats)
    return xs.tolist(), ys.tolist()


def _frame(line: Sequence[LatLng]) -> _Frame:
    xs, ys = _project(line)
    wide = max(max(xs) - min(xs), _SMALLEST) * (1 + 2 * _MARGIN)
    tall = max(max(ys) - min(ys), _SMALLEST) * (1 + 2 * _MARGIN)
    wide = max(wide, tall * _WIDTH / _HEIGHTS[1])
    scale = _WIDTH / wide
    height = max(_HEIGHTS[0], tall * scale)
    return _Frame(
        x0=(min(xs) + max(xs) - wide) / 2,
        y0=(min(ys) + max(ys) - height / scale) / 2,
        scale=scale,
        height=round(height, 1),
    )


def _cut_tiles(folder: Path, frame: _Frame) -> Iterator[TileShapes]:
    zoom = max(0, min(_FINEST_TILE, round(math.log2(frame.scale / _TILE))))
    count = 2**zoom
    side = frame.scale / count
    left, top = frame.x0 * frame.scale, frame.y0 * frame.scale
    columns = range(math.floor(left / side), math.floor((left + _WIDTH) / side) + 1)
    bottom = min(count - 1, math.floor((top + frame.height) / side))
    rows = range(max(0, math.floor(top / side)), bottom + 1)
    for column in columns:
        for row in rows:
            tile = json.loads(gzip.decompress(basemap.get_tile(folder, zoom, column % count, row)))
            yield TileShapes(
                x=round(column * side - left, 2),
                y=round(row * side - top, 2),
                scale=side / EXTENT,
                land=_path(tile["land"]),
                depths=[_path(band) for band in tile["depth"]],
            )


def _path(rings: Sequence[Sequence[int]]) -> str:
    """Write rings as path data: an absolute position, then relative steps (SVG's ``l``)."""
    return "".join(
        f"M{ring[0]} {ring[1]}l{' '.join(map(str, ring[2:]))}z" for ring in rings if len(ring) > 4
    )


def _draw_area(frame: _Frame, area: Mapping[str, Any]) -> Iterator[AreaShape]:
    """Draw those copies of an area, 360° apart, that reach into the drawing."""
    for turn in (-360, 0, 360):
        rings = [[(lat, lng + turn) for lat, lng in ring] for ring in area["rings"]]
        placed = [frame.place(ring) for ring in rings]
        xs, ys = zip(*(place for ring in placed for place in ring), strict=True)
        if min(xs) < _WIDTH and max(xs) > 0 and min(ys) < frame.height and max(ys) > 0:
            surface = "".join(f"M{_join(ring)}z" for ring in placed) if area["avoided"] else ""
            lines = zip(area["rings"], placed, strict=True)
            yield AreaShape(surface, "".join(_outline(ring, line) for ring, line in lines))


def _outline(ring: Sequence[LatLng], placed: Sequence[tuple[float, float]]) -> str:
    """Write a ring as path data without its edges along the antimeridian, which are no boundary."""
    steps = ["M", *("M" if _is_cut(*edge) else "L" for edge in pairwise(ring))]
    return "".join(f"{step}{x} {y}" for step, (x, y) in zip(steps, placed, strict=True))


def _is_cut(start: LatLng, end: LatLng) -> bool:
    return start[1] == end[1] and abs(start[1]) == 180


def _join(places: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x} {y}" for x, y in places)


def _step_deg(frame: _Frame) -> float:
    apart = (step for step in reversed(_STEPS_DEG) if step * frame.scale / 360 >= _LINES_APART)
    return next(apart, _STEPS_DEG[0])


def _meridians(frame: _Frame) -> Iterator[Line]:
    step = _step_deg(frame)
    west = (frame.x0 - 0.5) * 360
    east = west + _WIDTH / frame.scale * 360
    for number in range(math.ceil(west / step), math.floor(east / step) + 1):
        at = (number * step / 360 + 0.5 - frame.x0) * frame.scale
        yield Line(round(at, 1), _name_degrees((number * step + 180) % 360 - 180, 3, "EW"))


def _parallels(frame: _Frame) -> Iterator[Line]:
    step = _step_deg(frame)
    for number in range(math.ceil(-84 / step), math.floor(84 / step) + 1):
        ((_, at),) = frame.place([(number * step, 0.0)])
        if 0 < at < frame.height:
            yield Line(at, _name_degrees(number * step, 2, "NS"))


def _name_degrees(value_deg: float, digits: int, sides: str) -> str:
    """Write degrees as 050°W, or 050°30'W if they are not whole."""
    degrees, minutes = divmod(round(abs(value_deg) * 60), 60)
    # 0° and 180° have no N, S, E or W.
    on_no_side = minutes == 0 and degrees in (0, 180)
    side = "" if on_no_side else sides[value_deg < 0]
    fraction = f"{minutes:02d}'" if minutes else ""
    return f"{degrees:0{digits}d}°{fraction}{side}"
