"""Canals, rivers and harbour approaches on the base map.

The coastline data closes many narrow waters that ships pass through. Where there is
a passage, its channel is cut out of the drawn land.
Positions are fractions of the world's square, as in :mod:`app.datasources.basemap`.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from app.datasources.mercator import Floats, project
from app.datasources.passages import load_passages
from app.engine.constants import NAUTICAL_MILE_M

Box = tuple[float, float, float, float]

#: Coarser tiles show no channel: it would be broader than the land next to it.
LEAST_ZOOM = 5
#: A channel is drawn at least this far to either side of its line [tiles]: one pixel of 256.
LEAST_HALF_WIDTH = 1.0 / 256


class _Channels(NamedTuple):
    """Centre lines of all passages, with half their width, in fractions of the world's square."""

    lines: NDArray[np.object_]
    half_widths: Floats
    tree: shapely.STRtree


@cache
def _load_channels() -> _Channels:
    passages = load_passages()
    lines = np.array([_draw_line(passage.centre_line) for passage in passages])
    middle_lat = [np.mean([place.lat for place in passage.centre_line]) for passage in passages]
    # Mercator stretches by the secant of latitude; a minute of longitude at the equator is 1 nm.
    world_m = 360 * 60 * NAUTICAL_MILE_M * np.cos(np.radians(middle_lat))
    half_widths = np.array([passage.half_width_m for passage in passages]) / world_m
    return _Channels(lines, half_widths, shapely.STRtree(lines))


def _draw_line(places: Iterable[Any]) -> BaseGeometry:
    lats, lngs = np.transpose([(place.lat, place.lng) for place in places])
    line: BaseGeometry = shapely.linestrings(
        np.column_stack(project(np.unwrap(lngs, period=360), lats))
    )
    return line


def find_channels(z: int, box: Box) -> BaseGeometry:
    """Return the water of all channels within a box (west, north, east, south) at a zoom."""
    if z < LEAST_ZOOM:
        return shapely.Polygon()
    channels = _load_channels()
    least = LEAST_HALF_WIDTH / 2**z
    found = []
    window = shapely.buffer(shapely.box(*box), least)
    for shift in (-1.0, 0.0, 1.0):
        near = channels.tree.query(_moved_east(window, -shift), predicate="intersects")
        widths = np.maximum(channels.half_widths[near], least)
        found += [
            _moved_east(shapely.buffer(line, width, quad_segs=4), shift)
            for line, width in zip(channels.lines[near], widths, strict=True)
        ]
    inside: BaseGeometry = shapely.intersection(shapely.union_all(found), shapely.box(*box))
    return inside


def _moved_east(shape: BaseGeometry, by: float) -> BaseGeometry:
    return shapely.transform(shape, lambda places: places + (by, 0.0)) if by else shape  # noqa: RUF005


def cut_channels(rings: list[Floats], channels: BaseGeometry) -> list[Floats]:
    """Return rings that cut the channels out of the land inside ``rings`` (even-odd)."""
    if channels.is_empty:
        return []
    land: BaseGeometry = shapely.Polygon()
    for ring in rings:
        if len(ring) < 3:
            continue
        part = shapely.intersection(shapely.make_valid(shapely.Polygon(ring)), channels)
        land = shapely.symmetric_difference(land, part)
    return list_rings(land)


def list_rings(areas: BaseGeometry) -> list[Floats]:
    """List the outlines and holes of all polygons, without repeating their first vertex."""
    return [
        shapely.get_coordinates(ring)[:-1]
        for area in shapely.get_parts(areas)
        if isinstance(area, shapely.Polygon) and not area.is_empty
        for ring in (area.exterior, *area.interiors)
    ]
