"""Paths, legs and ship sizes: records of the sea atlas."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.search.conditions import Conditions


@dataclass(frozen=True, slots=True)
class ShipSize:
    """Dimensions of a ship: greatest draught, trim included, breadth, length, air draught [m].

    The air draught is the height above the water, ``None`` if unknown. ``required_depth_m`` is the
    least charted depth that the ship may cross: draught, squat and under-keel clearance; ``None``
    means the draught alone.
    """

    draft_m: float
    breadth_m: float
    loa_m: float
    air_draft_m: float | None = None
    required_depth_m: float | None = None

    @property
    def least_depth_m(self) -> float:
        """Least charted depth that the ship may cross [m]."""
        return self.draft_m if self.required_depth_m is None else self.required_depth_m

    def drop_dimensions(self) -> "ShipSize":
        """Return a ship of this required depth that fits into every passage."""
        return ShipSize(0.0, 0.0, 0.0, required_depth_m=self.least_depth_m)

    def lighten(self, by_m: float) -> "ShipSize":
        """Return the ship with its draught reduced [m], and risen out of the water by as much."""
        risen_m = min(by_m, self.draft_m)
        return replace(
            self,
            draft_m=self.draft_m - risen_m,
            air_draft_m=None if self.air_draft_m is None else self.air_draft_m + risen_m,
            required_depth_m=max(0.0, self.least_depth_m - by_m),
        )


@dataclass(frozen=True, slots=True)
class Snap:
    """Navigable water nearest to a position, and its distance [nm], 0 if the position is afloat."""

    position: Position
    distance_nm: float


@dataclass(frozen=True, slots=True)
class PassageUse:
    """Use of a passage or cape by the vertices ``first`` to ``last`` of a path, both included.

    ``line`` is the name of the passage whose centre line they follow, ``None`` if they cross it;
    fairways in shared water have one name.
    """

    id: str
    name: str
    first: int
    last: int
    line: str | None = None


@dataclass(frozen=True, slots=True)
class SeaPath:
    """A path over the water after string pulling.

    ``lats``, ``lngs`` (n,) [deg]; ``leg_passages`` (n - 1,) int: index of the passage whose centre
    line the leg to vertex i + 1 follows, or -1 in open water. ``cost_nm`` includes waits, slow
    waters and coastal clearance cost as miles; ``distance_nm`` is along the track. ``uses`` are
    passages and capes in order; ``label`` names the route; ``conditions`` are those of its search.
    """

    lats: Floats
    lngs: Floats
    leg_passages: NDArray[np.int16]
    distance_nm: float
    cost_nm: float
    uses: tuple[PassageUse, ...]
    label: str
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg that is clear both as great circle and as rhumb line.

    ``xtd_m`` is the clear cross-track distance to each side; ``passage`` names the waters in which
    it is less than at sea. ``min_depth_m`` is None if unknown; ``is_unproven`` is true if the leg
    crosses water of unknown depth that is not wide enough for the ship's class. ``is_inland`` is
    true if waves and currents of the sea do not enter its waters.
    """

    start: Position
    end: Position
    geometry: LegGeometry
    xtd_m: float
    passage: str | None
    min_depth_m: float | None
    distance_nm: float
    is_unproven: bool = False
    is_inland: bool = False

    @property
    def lines(self) -> tuple[LegGeometry, LegGeometry]:
        """The leg's own line, and the other one, along which it is checked too."""
        return self.geometry, self.geometry.other
