"""Sides on which a route may pass land: north of Scotland, or by the Channel."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.sea.string_pulling import find_crossings


@dataclass(frozen=True, slots=True)
class Side:
    """A side on which a route may pass land, with the line that it crosses.

    ``line`` is (lng, lat, lng, lat) [deg]. If it ``can_close``, a route on the other side is an
    alternative; both ends of the line must then lie on land.
    """

    name: str
    line: tuple[float, float, float, float]
    can_close: bool = False


#: Sides by the words that name a route; ends of lines on land: GEBCO Gazetteer. The Channel is not
#: closed: waters north of Scotland are rougher, and a ship bound west without a latest arrival
#: would go on to the Denmark Strait, where the mean wind of the climatology is fair.
SIDES: Final = (
    Side("north of Scotland", (-3.2, 58.55, 5.3, 61.0), can_close=True),
    Side("by the Channel", (1.3, 51.15, 1.6, 50.85)),
    Side("by the Irish Sea", (-6.4, 52.2, -5.2, 51.9), can_close=True),
    Side("by the North Channel", (-6.2, 55.2, -5.6, 55.35), can_close=True),
    Side("south of Newfoundland", (-53.2, 46.8, -53.2, 40.0)),
    Side("north of Iceland", (-18.0, 66.0, -18.0, 70.0)),
    Side("south of Iceland", (-19.0, 63.5, -19.0, 60.0)),
    Side("by the Mozambique Channel", (39.8, -16.2, 44.9, -16.2), can_close=True),
    Side("east of Madagascar", (49.8, -16.2, 62.0, -16.2)),
    Side("by the Taiwan Strait", (118.0, 24.7, 120.6, 23.6), can_close=True),
    Side("east of Taiwan", (121.4, 23.6, 128.0, 23.6)),
    Side("south of Tasmania", (146.8, -43.5, 146.8, -60.0)),
    Side("south of Sri Lanka", (80.6, 6.0, 80.6, 0.0)),
)


def list_sides(lats: Floats, lngs: Floats) -> list[Side]:
    """List the sides on which a track, two arrays of shape (n,), passes land."""
    crossed = find_crossings(lats, lngs, np.array([side.line for side in SIDES])).tolist()
    return [side for side, step in zip(SIDES, crossed, strict=True) if step >= 0]
