"""Crossings of bridges: those that a track or a passage leads below."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import shapely
from shapely.geometry import LineString

from app.engine.arrays import Floats, split_columns
from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.sea.bridges import Bridge
from app.engine.sea.gates import stack_lines
from app.engine.sea.passages import Passage
from app.engine.sea.string_pulling import find_crossings
from app.engine.units import direction_difference, wrap_longitude


class BridgeCrossing(NamedTuple):
    """A bridge that a track passes below, the number of the step below it, and the place."""

    bridge: Bridge
    step: int
    place: Position


def find_crossed(bridges: Iterable[Bridge], lats: Floats, lngs: Floats) -> list[BridgeCrossing]:
    """Find the bridges that a track of n points, shape (n,) [deg], passes below, in order.

    A bridge that is passed several times is listed once.
    """
    listed = list(bridges)
    steps = find_crossings(lats, lngs, stack_lines([bridge.line for bridge in listed])).tolist()
    found = [
        BridgeCrossing(bridge, step, _locate(bridge, lats[step : step + 2], lngs[step : step + 2]))
        for bridge, step in zip(listed, steps, strict=True)
        if step >= 0
    ]
    return sorted(
        found,
        key=lambda each: (
            each.step,
            float(great_circle_distance_nm(lats[each.step], lngs[each.step], *each.place)),
        ),
    )


def spans(bridge: Bridge, passage: Passage) -> bool:
    """Return whether a bridge lies across the centre line of a passage."""
    return bool(find_crossed([bridge], *split_columns(passage.centre_line)))


def _locate(bridge: Bridge, lats: Floats, lngs: Floats) -> Position:
    """Return the place where a step, of two points, meets the line of a bridge.

    Both are straight in degrees.
    """
    lng0, lat0, lng1, lat1 = bridge.line
    across = LineString([(lng0, lat0), (lng1, lat1)])
    step = LineString(np.column_stack([lng0 + direction_difference(lngs, lng0), lats]))
    lng, lat = shapely.get_coordinates(shapely.shortest_line(step, across))[0].tolist()
    return Position(lat, float(wrap_longitude(lng)))
