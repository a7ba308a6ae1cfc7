"""Safety margin around climatological ice for ships that may not enter it."""

from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area
from app.engine.arrays import Floats
from app.engine.constants import DEGREE_NM
from app.engine.geodesy.shapes import contains_points, repeat_around
from app.engine.request import Position
from app.engine.sea.route_restrictions import find_end_inside

#: Radius around an end inside the margin within which there is no margin, as a multiple of it.
_END_FACTOR: Final = 2.0
#: Longest edge of an outline before the margin is added [deg].
_EDGE_DEG: Final = 2.0
#: Latitude above which a degree of longitude is assumed to be as long as there.
_MAX_LAT: Final = 85.0
#: Sides of the polygons that approximate circles, and the factor on their radius that makes up
#: for what the sides cut off.
_SIDES: Final = 16
_ROUND: Final = 1.0 / np.cos(np.pi / _SIDES)
_MAP: Final = box(-180.0, -90.0, 180.0, 90.0)


def add_ice_margin(area: Area, departure: Position, arrival: Position) -> Area:
    """Return an area of ice enlarged by its margin, if the ship may not enter it.

    Around an end that lies in the margin there is no margin, so that ports next to the ice can be
    reached.
    """
    ends = (departure, arrival)
    if area.ice is None or not area.ice.margin_nm or not area.rule.forbids_entry:
        return area
    if find_end_inside(area, *ends) is not None:
        return area
    margin_nm = area.ice.margin_nm
    enlarged = buffer_by_distance(area.geometry, margin_nm)
    ends_inside = [
        end
        for end in ends
        if contains_points(enlarged, np.array([end.lat]), np.array([end.lng])).any()
    ]
    for end in ends_inside:
        radius_nm = _END_FACTOR * margin_nm
        circle = _trace_circles(np.array([end.lng]), np.array([end.lat]), radius_nm)[0]
        enlarged = _union(enlarged - _union(Polygon(circle)), area.geometry)
    return replace(area, geometry=enlarged)


@cache
def buffer_by_distance(geometry: MultiPolygon, margin_nm: float) -> MultiPolygon:
    """Return a geometry enlarged by a distance on the sea, on either side of 180°."""
    hulls: list[BaseGeometry] = [geometry]
    for polygon in geometry.geoms:
        ring = shapely.get_coordinates(shapely.segmentize(polygon.exterior, _EDGE_DEG))
        circles = _trace_circles(ring[:, 0], ring[:, 1], margin_nm)
        pairs = np.concatenate([circles[:-1], circles[1:]], axis=1)
        hulls += shapely.convex_hull(shapely.linestrings(pairs)).tolist()
    return _union(*hulls)


def _trace_circles(lngs: Floats, lats: Floats, radius_nm: float) -> Floats:
    """Return circles around n positions as longitudes and latitudes [deg], shape (n, sides, 2)."""
    turns = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    reach = _ROUND * radius_nm / DEGREE_NM
    stretch = np.cos(np.radians(np.minimum(np.abs(lats) + reach, _MAX_LAT)))
    east = lngs[:, None] + reach / stretch[:, None] * np.cos(turns)
    return np.stack([east, lats[:, None] + reach * np.sin(turns)], axis=2)


def _union(*parts: BaseGeometry) -> MultiPolygon:
    """Return the union of parts; what lies beyond the map is on its other side."""
    whole = repeat_around(shapely.union_all(parts)) & _MAP
    return MultiPolygon([p for p in shapely.get_parts(whole) if isinstance(p, Polygon)])
