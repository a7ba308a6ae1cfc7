"""Where and when a ship on a track is inside an area."""

from collections.abc import Iterable, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import MultiLineString

from app.engine.sailing import Sailing
from app.engine.voyage import Area, AreaKind, Position

Bools = NDArray[np.bool_]


def contains(area: Area, position: Position) -> bool:
    """Whether a position lies inside an area or on its edge, at whatever time."""
    return bool(shapely.intersects_xy(area.geometry, position.lng, position.lat))


def touched_segments(area: Area, sailing: Sailing) -> Bools:
    """Which segments of the track touch the area while it is in force, shape (n,).

    The whole segment is tested, not its ends: an area narrower than a segment
    counts too.
    """
    shapely.prepare(area.geometry)
    touched: Bools = shapely.intersects(area.geometry, _segment_lines(sailing))
    return touched & _sailed_in_force(area, sailing)


def _sailed_in_force(area: Area, sailing: Sailing) -> Bools:
    """Which segments are sailed, at least in part, within the area's window, shape (n,)."""
    too_early = too_late = np.zeros(sailing.track.distance_nm.shape, dtype=np.bool_)
    if area.starts_at is not None:
        starts_h = (area.starts_at - sailing.departs_at).total_seconds() / 3600.0
        too_early = sailing.hours[1:] < starts_h
    if area.ends_at is not None:
        ends_h = (area.ends_at - sailing.departs_at).total_seconds() / 3600.0
        too_late = sailing.hours[:-1] > ends_h
    return ~(too_early | too_late)


def _segment_lines(sailing: Sailing) -> NDArray[np.object_]:
    """Segments as lines; one across the antimeridian is laid just west of it and
    just east of it, both ends on their own side."""
    lats, lngs = sailing.track.lats, sailing.track.lngs
    start, end = lngs[:-1], lngs[1:]
    crossing = np.abs(end - start) > 180.0
    lines = shapely.linestrings(
        np.stack(
            [np.stack([start, lats[:-1]], axis=1), np.stack([end, lats[1:]], axis=1)],
            axis=1,
        )
    )
    lines[crossing] = [
        _split_line(*ends)
        for ends in zip(
            start[crossing], lats[:-1][crossing], end[crossing], lats[1:][crossing], strict=True
        )
    ]
    return np.asarray(lines)


def _split_line(lng1: float, lat1: float, lng2: float, lat2: float) -> MultiLineString:
    side = np.copysign(180.0, lng1)
    share = (side - lng1) / (lng2 + 2.0 * side - lng1)
    lat = lat1 + share * (lat2 - lat1)
    return MultiLineString([[(lng1, lat1), (side, lat)], [(-side, lat), (lng2, lat2)]])


def touched(areas: Iterable[Area], sailing: Sailing) -> list[Area]:
    """Areas that the sailing touches while they are in force."""
    return [area for area in areas if touched_segments(area, sailing).any()]


def eca_segments(areas: Sequence[Area], sailing: Sailing) -> Bools:
    """Which segments run in an emission control area in force there and then, shape (n,)."""
    inside = np.zeros(sailing.track.distance_nm.shape, dtype=np.bool_)
    for area in areas:
        if area.kind is AreaKind.ECA:
            shapely.prepare(area.geometry)
            inside |= shapely.contains_xy(
                area.geometry, sailing.track.middle_lngs, sailing.track.middle_lats
            ) & _sailed_in_force(area, sailing)
    return inside
