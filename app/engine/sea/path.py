"""What the sea atlas answers with."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.engine.plan import LegGeometry
from app.engine.request import Position
from app.engine.sea.search.conditions import Conditions


@dataclass(frozen=True, slots=True)
class ShipSize:
    """What must fit through: deepest draught, trim included, breadth, length, height [m].

    ``required_depth_m`` is the least charted depth the ship may cross: draught,
    squat and the water wanted under the keel; ``None`` asks for the draught alone.
    """

    draft_m: float
    breadth_m: float
    loa_m: float
    air_draft_m: float | None = None
    required_depth_m: float | None = None

    @property
    def least_depth_m(self) -> float:
        """The least charted depth that the ship may cross [m]."""
        return self.draft_m if self.required_depth_m is None else self.required_depth_m

    def lighten(self, by_m: float) -> "ShipSize":
        """The same ship, floating that much higher."""
        return replace(
            self,
            draft_m=max(0.0, self.draft_m - by_m),
            required_depth_m=max(0.0, self.least_depth_m - by_m),
        )


@dataclass(frozen=True, slots=True)
class Snap:
    """Navigable water near a position, and how far from it [nm]; 0 when it was afloat."""

    position: Position
    distance_nm: float


@dataclass(frozen=True, slots=True)
class PassageUse:
    """A passage or cape on a path: vertices ``first`` to ``last`` (both included) lead by it.

    ``line`` is the name of the passage whose centre line they follow, ``None`` where they cross
    it; fairways that share water go by one name.
    """

    id: str
    name: str
    first: int
    last: int
    line: str | None = None


@dataclass(frozen=True, slots=True)
class SeaPath:
    """A taut path over the water.

    ``lats``, ``lngs`` (n,) [deg]; ``leg_passages`` (n - 1,) int: index into the
    atlas's passages of the centre line that the leg ending at vertex i + 1 follows,
    or -1 in open water. ``cost_nm`` counts waiting, slow waters and nearness of
    coasts as miles; ``distance_nm`` is along the track. ``uses`` are passages and
    capes in order; ``label`` names the route in words; ``conditions`` are what barred it.
    """

    lats: NDArray[np.float64]
    lngs: NDArray[np.float64]
    leg_passages: NDArray[np.int16]
    distance_nm: float
    cost_nm: float
    uses: tuple[PassageUse, ...]
    label: str
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg to be sailed, clear both as great circle and as rhumb line.

    ``xtd_m`` is the cross-track distance to each side that is clear of land;
    ``passage`` names the waters where it is less than at sea. ``min_depth_m`` is
    None where no data decide it; ``is_unproven`` where the ship has only the coast to go by.
    """

    start: Position
    end: Position
    geometry: LegGeometry
    xtd_m: float
    passage: str | None
    min_depth_m: float | None
    distance_nm: float
    is_unproven: bool = False
