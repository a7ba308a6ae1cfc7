"""Statistics of ship types, for particulars that owners do not give."""

from dataclasses import dataclass
from typing import Final

from app.engine.particulars import ShipType


@dataclass(frozen=True, slots=True)
class TypeStatistics:
    """Statistics of a ship type.

    ``deadweight_ratio`` is deadweight over displacement at the summer draught
    for a small (5,000 t) and a large (150,000 t) ship; ``block_min`` and
    ``block_max`` bound the block coefficient at that draught. The propeller's
    diameter is a share of the scantling draught, with a largest diameter [m].
    ``bulb_ratio`` is bulb over midship section (zero: none). ``wind_front``
    and ``wind_side`` are heights [m] of the mean projected superstructure
    above the main deck, over the breadth and over the length. ``gm_ratio`` is
    metacentric height over breadth, ``ballast_ratio`` the usual ballast draught
    over the design draught, or ``None`` if it depends on the length,
    ``bridge_ratio`` the bridge forward of midships over the length. ``bow_ratio``
    is the least height of the closed bow over the depth. ``block_by_speed`` is whether the block
    coefficient follows from the service speed instead of the deadweight.
    """

    deadweight_ratio: tuple[float, float]
    block_min: float
    block_max: float
    diameter_ratio: float
    diameter_max_m: float
    blades: int
    bulb_ratio: float
    wind_front_m: float
    wind_side_m: float
    gm_ratio: float
    ballast_ratio: float | None
    screws: int = 1
    bridge_ratio: float = -0.40
    bow_ratio: float = 1.0
    block_by_speed: bool = False


#: The greatest block coefficients, on the waterline, keep CP within Holtrop's 0.85; JBC, a full
#: modern bulk carrier, has 0.843. Deadweight ratios and block ranges after Papanikolaou (2014),
#: tables 1.1 and 2.1, and Schneekluth & Bertram (1998), section 2; diameters from the published
#: hulls KVLCC2, JBC, KCS and DTC; bulbs after Kracht (1978). Gas carriers: modern LPG carriers
#: have a lightship of about 0.11 t/m3 of length, breadth and depth, which agrees with the block
#: coefficient of Watson & Gilfillan (1977) for their speeds. Container ships: 13,700 t of 19,000
#: (1,000 TEU), 50,500 of 67,000 (4,250 TEU), 199,629 of 265,876 (Ever Given), recalled from yards'
#: descriptions; the 0.65 to 0.74 of the tables is that of earlier ones. Ro-ro cargo ships and
#: vehicle carriers: 0.50 (5,000 t) to 0.60 (42,000 t, the largest built; 0.66 at 150,000 t), the
#: range of Papanikolaou (2014), table 2.1. The deadweight of passenger ships is 0.13 (cruise
#: ships) to 0.4 (ferries with lorries) of the displacement, and says little of it; their greatest
#: block coefficient between perpendiculars, 0.68, is that of cruise ships of 66,000 to 100,000 t.
#: Bows of ro-ro and passenger ships, whose depth is that of the bulkhead deck: an assumption;
#: SOLAS II-1, 12, has the collision bulkhead go on to the next deck, and car decks are about half
#: as high as the bulkhead deck.
TYPE_STATISTICS: Final[dict[ShipType, TypeStatistics]] = {
    ShipType.BULK_CARRIER: TypeStatistics(
        deadweight_ratio=(0.74, 0.875),
        block_min=0.7,
        block_max=0.848,
        diameter_ratio=0.49,
        diameter_max_m=10.5,
        blades=4,
        bulb_ratio=0.09,
        wind_front_m=14.0,
        wind_side_m=3.0,
        gm_ratio=0.12,
        ballast_ratio=None,
    ),
    ShipType.TANKER: TypeStatistics(
        deadweight_ratio=(0.72, 0.87),
        block_min=0.7,
        block_max=0.848,
        diameter_ratio=0.48,
        diameter_max_m=10.5,
        blades=4,
        bulb_ratio=0.09,
        wind_front_m=16.0,
        wind_side_m=3.5,
        gm_ratio=0.15,
        ballast_ratio=None,
    ),
    ShipType.CHEMICAL_TANKER: TypeStatistics(
        deadweight_ratio=(0.67, 0.84),
        block_min=0.66,
        block_max=0.84,
        diameter_ratio=0.52,
        diameter_max_m=9.5,
        blades=4,
        bulb_ratio=0.09,
        wind_front_m=14.0,
        wind_side_m=3.5,
        gm_ratio=0.1,
        ballast_ratio=None,
    ),
    ShipType.GAS_CARRIER: TypeStatistics(
        deadweight_ratio=(0.62, 0.76),
        block_min=0.62,
        block_max=0.8,
        diameter_ratio=0.58,
        diameter_max_m=9.0,
        blades=4,
        bulb_ratio=0.1,
        wind_front_m=15.0,
        wind_side_m=6.0,
        gm_ratio=0.1,
        ballast_ratio=0.8,
    ),
    ShipType.CONTAINER_SHIP: TypeStatistics(
        deadweight_ratio=(0.7, 0.755),
        block_min=0.54,
        block_max=0.74,
        diameter_ratio=0.66,
        diameter_max_m=9.8,
        blades=5,
        bulb_ratio=0.12,
        wind_front_m=24.0,
        wind_side_m=13.0,
        gm_ratio=0.04,
        ballast_ratio=0.75,
        bridge_ratio=-0.20,
    ),
    ShipType.GENERAL_CARGO: TypeStatistics(
        deadweight_ratio=(0.68, 0.8),
        block_min=0.6,
        block_max=0.83,
        diameter_ratio=0.55,
        diameter_max_m=7.5,
        blades=4,
        bulb_ratio=0.08,
        wind_front_m=11.0,
        wind_side_m=4.0,
        gm_ratio=0.08,
        ballast_ratio=0.65,
    ),
    ShipType.RO_RO: TypeStatistics(
        deadweight_ratio=(0.50, 0.66),
        block_min=0.5,
        block_max=0.7,
        diameter_ratio=0.68,
        diameter_max_m=7.5,
        blades=4,
        bulb_ratio=0.1,
        wind_front_m=20.0,
        wind_side_m=15.0,
        gm_ratio=0.06,
        ballast_ratio=0.88,
        bridge_ratio=0.35,
        bow_ratio=1.5,
    ),
    ShipType.PASSENGER: TypeStatistics(
        deadweight_ratio=(0.22, 0.3),
        block_min=0.51,
        block_max=0.667,
        diameter_ratio=0.7,
        diameter_max_m=6.5,
        blades=4,
        bulb_ratio=0.1,
        wind_front_m=25.0,
        wind_side_m=20.0,
        gm_ratio=0.06,
        screws=2,
        ballast_ratio=0.95,
        bridge_ratio=0.35,
        bow_ratio=1.5,
        block_by_speed=True,
    ),
    ShipType.LNG_CARRIER: TypeStatistics(
        deadweight_ratio=(0.60, 0.735),
        block_min=0.62,
        block_max=0.78,
        diameter_ratio=0.7,
        diameter_max_m=9.0,
        blades=4,
        bulb_ratio=0.1,
        wind_front_m=22.0,
        wind_side_m=12.0,
        gm_ratio=0.1,
        ballast_ratio=0.82,
    ),
    ShipType.OTHER: TypeStatistics(
        deadweight_ratio=(0.62, 0.8),
        block_min=0.55,
        block_max=0.84,
        diameter_ratio=0.55,
        diameter_max_m=8.5,
        blades=4,
        bulb_ratio=0.08,
        wind_front_m=14.0,
        wind_side_m=5.0,
        gm_ratio=0.08,
        ballast_ratio=0.75,
    ),
}
