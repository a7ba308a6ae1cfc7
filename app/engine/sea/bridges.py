"""Bridges: lines across the water, which a ship passes below if it is low enough."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.engine.request import Position
from app.engine.sea.passages import Quality
from app.engine.units import direction_difference


@dataclass(frozen=True, slots=True)
class Bridge:
    """A bridge: a line from shore to shore, and the greatest air draught below it [m].

    Both ``ends`` lie on land, or outside the water of the passages below the bridge.
    """

    id: str
    name: str
    max_air_draft_m: float
    ends: tuple[Position, Position]
    source: str = ""
    quality: Quality = Quality.APPROXIMATE

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Bridge":
        """Return the bridge of fields as JSON has them: lists for tuples, (lat, lng) [deg]."""
        start, end = (Position(*point) for point in fields["ends"])
        return cls(**{**fields, "ends": (start, end), "quality": Quality(fields["quality"])})

    @property
    def line(self) -> tuple[float, float, float, float]:
        """The line across the water, (lng, lat, lng, lat) [deg].

        Its second longitude may lie beyond the antimeridian, above 180 or below -180.
        """
        (lat0, lng0), (lat1, lng1) = self.ends
        return lng0, lat0, lng0 + float(direction_difference(lng1, lng0)), lat1
