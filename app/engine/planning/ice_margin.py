"""Water between a climatological ice edge and the ships that are kept out of the ice."""

from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area, AreaRule
from app.engine.geodesy.shapes import contains_points
from app.engine.request import Position
from app.engine.sea.route_restrictions import find_end_inside

Floats = NDArray[np.float64]

_KEPT_OUT: Final = (AreaRule.NO_ENTRY, AreaRule.AVOID_UNLESS_ENDPOINT)
_NM_PER_DEG: Final = 60.0
#: Around an end within the margin there is none, to this many times the margin.
_ENDS_FREE: Final = 2.0
#: Outlines are cut to edges of this length before they are widened [deg].
_EDGE_DEG: Final = 2.0
#: Beyond this latitude a degree of longitude is taken as long as there.
_HIGHEST_LAT: Final = 85.0
#: Sides of the circles that a margin is drawn with; they cut 2 % of it, which is added.
_SIDES: Final = 16
_ROUND: Final = 1.0 / np.cos(np.pi / _SIDES)
_MAP: Final = box(-180.0, -90.0, 180.0, 90.0)


def keep_clear(area: Area, departure: Position, arrival: Position) -> Area:
    """Return an area of ice with its margin, as it binds a ship kept out of it.

    Near an end that lies in the margin the area is as it was, so ports next to the ice stay
    in reach.
    """
    ends = (departure, arrival)
    if area.ice is None or not area.ice.margin_nm or area.rule not in _KEPT_OUT:
        return area
    if find_end_inside(area, *ends) is not None:
        return area
    margin_nm = area.ice.margin_nm
    wide = widen(area.geometry, margin_nm)
    near = [
        end for end in ends if contains_points(wide, np.array([end.lat]), np.array([end.lng])).any()
    ]
    for end in near:
        wide = _union(wide - _draw_circle(end.lng, end.lat, _ENDS_FREE * margin_nm), area.geometry)
    return replace(area, geometry=wide)


@cache
def widen(geometry: MultiPolygon, margin_nm: float) -> MultiPolygon:
    """Return a geometry with everything within a distance of it, cut at the map's edges."""
    hulls: list[BaseGeometry] = [geometry]
    for polygon in geometry.geoms:
        ring = shapely.get_coordinates(shapely.segmentize(polygon.exterior, _EDGE_DEG))
        circles = _trace_circles(ring[:, 0], ring[:, 1], margin_nm)
        pairs = np.concatenate([circles[:-1], circles[1:]], axis=1)
        hulls += shapely.convex_hull(shapely.linestrings(pairs)).tolist()
    return _union(*hulls)


def _draw_circle(lng: float, lat: float, radius_nm: float) -> Polygon:
    return Polygon(_trace_circles(np.array([lng]), np.array([lat]), radius_nm)[0])


def _trace_circles(lngs: Floats, lats: Floats, radius_nm: float) -> Floats:
    """Return circles on the sea, as they lie on the map: longitudes and latitudes [deg].

    Around n places, shape (n, sides, 2).
    """
    turns = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    reach = _ROUND * radius_nm / _NM_PER_DEG
    stretch = np.cos(np.radians(np.minimum(np.abs(lats) + reach, _HIGHEST_LAT)))
    east = lngs[:, None] + reach / stretch[:, None] * np.cos(turns)
    return np.stack([east, lats[:, None] + reach * np.sin(turns)], axis=2)


def _union(*parts: BaseGeometry) -> MultiPolygon:
    whole = shapely.union_all(parts) & _MAP
    return MultiPolygon([p for p in shapely.get_parts(whole) if isinstance(p, Polygon)])
