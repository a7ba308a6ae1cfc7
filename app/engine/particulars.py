"""A ship as her owner describes her, and how she floats: frozen records, no behaviour.

``None`` always means "not known".
"""

from dataclasses import dataclass
from enum import StrEnum


class ShipType(StrEnum):
    """Ship types that hull and machinery statistics are known for."""

    BULK_CARRIER = "bulk carrier"
    TANKER = "tanker"
    CHEMICAL_TANKER = "chemical tanker"
    GAS_CARRIER = "gas carrier"
    CONTAINER_SHIP = "container ship"
    GENERAL_CARGO = "general cargo"
    RO_RO = "ro-ro"
    PASSENGER = "passenger"
    LNG_CARRIER = "LNG carrier"
    OTHER = "other"


class FuelType(StrEnum):
    """Marine fuels by trade name."""

    HFO = "HFO"
    VLSFO = "VLSFO"
    MGO = "MGO"
    LNG = "LNG"
    METHANOL = "METHANOL"


class IceClass(StrEnum):
    """Ice classes, the strongest last.

    ``IC`` to ``IA_SUPER``: Finnish-Swedish Ice Class Rules 2021, section 1.2. ``PC7`` to
    ``PC1``: IACS UR I1 (polar classes). That ``PC7`` is as strong as ``IA`` and ``PC6`` as
    ``IA_SUPER`` follows HELCOM recommendation 25/7; here each polar class ranks above.
    """

    NONE = "NONE"
    IC = "IC"
    IB = "IB"
    IA = "IA"
    IA_SUPER = "IA_SUPER"
    PC7 = "PC7"
    PC6 = "PC6"
    PC5 = "PC5"
    PC4 = "PC4"
    PC3 = "PC3"
    PC2 = "PC2"
    PC1 = "PC1"

    @property
    def is_classed(self) -> bool:
        """Whether the ship is strengthened for ice at all."""
        return self is not IceClass.NONE

    @property
    def label(self) -> str:
        """The class as it is written on a certificate."""
        return {"IA_SUPER": "IA Super", "NONE": "none"}.get(self.value, self.value)

    def covers(self, needed: "IceClass") -> bool:
        """Return whether a ship of this class is as strong as one of another."""
        classes = list(IceClass)
        return classes.index(self) >= classes.index(needed)


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Motions beyond which the master slows down; ``None`` is the usual limit for the length.

    Probabilities per wave met that the ship slams and that the stem is under water; vertical
    acceleration at the forward perpendicular, root mean square [g].
    """

    slamming: float | None = None
    deck_wetness: float | None = None
    bow_acceleration_g: float | None = None


@dataclass(frozen=True, slots=True)
class ShipParticulars:
    """A ship as its owner describes it.

    Lengths and draughts [m], deadweight [t], speed [kn], power [kW], gross
    tonnage as measured; ``pitch_m`` is the propeller's pitch; ``auxiliary_t_per_day``
    what generators and boilers burn at sea [t of ``fuel_type``/day].
    """

    ship_type: ShipType
    dwt_t: float
    loa_m: float
    lbp_m: float
    breadth_m: float
    depth_m: float
    draft_design_m: float
    draft_scantling_m: float
    service_speed_kn: float
    pitch_m: float | None = None
    gross_tonnage: float | None = None
    fuel_type: FuelType = FuelType.VLSFO
    installed_power_kw: float | None = None
    propeller_diameter_m: float | None = None
    ice_class: IceClass = IceClass.NONE
    auxiliary_t_per_day: float | None = None
    motion_limits: MotionLimits = MotionLimits()


@dataclass(frozen=True, slots=True)
class Loading:
    """Loading condition on this voyage.

    Mean draught [m], trim [m] (aft minus fore, positive by the stern) and
    deadweight on board [t].
    """

    draft_m: float
    trim_m: float
    deadweight_t: float
