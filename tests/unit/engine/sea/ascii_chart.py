"""Small seas drawn as text: ``#`` is land, ``.`` water, a letter a place on the water."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from app.engine.arrays import Ints
from app.engine.request import Position

#: Side of one character [deg].
SCALE = 0.25


@dataclass(frozen=True)
class Drawing:
    """Land as polygons of lng, lat [deg], and the marked places."""

    land: shapely.Geometry
    places: dict[str, Position]


def draw(text: str, north: float, west: float) -> Drawing:
    """Read a drawing whose top left corner lies at ``north``, ``west``."""
    boxes, places = [], {}
    for row, line in enumerate(text.strip().splitlines()):
        for col, mark in enumerate(line.strip()):
            south, left = north - (row + 1) * SCALE, west + col * SCALE
            if mark == "#":
                boxes.append(shapely.box(left, south, left + SCALE, south + SCALE))
            elif mark != ".":
                lng = (left + SCALE / 2 + 180.0) % 360.0 - 180.0
                places[mark] = Position(south + SCALE / 2, lng)
    return Drawing(shapely.union_all(boxes), places)


def list_rings(lands: list[shapely.Geometry]) -> tuple[NDArray[np.float32], Ints]:
    """Rings of polygons, cut at the antimeridian, as vertices and starts."""
    rings = []
    for land in lands:
        for shift, half in (
            (0.0, shapely.box(-180, -90, 180, 90)),
            (-360.0, shapely.box(180, -90, 540, 90)),
        ):
            for part in shapely.get_parts(land.intersection(half)):
                if part.geom_type == "Polygon" and not part.is_empty:
                    rings += [
                        np.add(ring.coords, (shift, 0.0))
                        for ring in (part.exterior, *part.interiors)
                    ]
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    return np.concatenate(rings).astype(np.float32), starts.astype(np.int64)
