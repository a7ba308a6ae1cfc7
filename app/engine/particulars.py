"""A ship as described by its owner and measured, and how it floats: frozen records.

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
        """Return whether the ship is strengthened for ice at all."""
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


class PointSource(StrEnum):
    """Where a declared point comes from."""

    SEA_TRIAL = "SEA_TRIAL"
    CHARTER_PARTY = "CHARTER_PARTY"
    OWNER = "OWNER"


class Basis(StrEnum):
    """What a declared consumption holds: which margins are already in the figure.

    ``CALM``: clean hull, no sea, as on a trial corrected for weather or in a yard's brochure.
    ``SERVICE``: hull and sea of ordinary service. ``CHARTER_PARTY``: hull of service in the
    weather that the warranty names.
    """

    CALM = "CALM"
    SERVICE = "SERVICE"
    CHARTER_PARTY = "CHARTER_PARTY"


@dataclass(frozen=True, slots=True)
class DeclaredPoint:
    """One row of a speed and consumption table.

    Speed [kn], consumption [t/day], mean draught [m] (``None``: design draught, or the type's
    usual ballast draught where ``is_ballast``), Beaufort force, and whether the consumption
    includes auxiliaries. Where the basis is not known, a trial's hull is clean, any other's that of
    service, and the weather that of ``beaufort``.
    """

    speed_kn: float
    fuel_t_per_day: float
    source: PointSource = PointSource.OWNER
    is_ballast: bool = False
    draft_m: float | None = None
    beaufort: float = 4.0
    with_auxiliaries: bool = False
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class SfocPoint:
    """Consumption [g/kWh] of a main engine on the test bed, at a load (power over MCR).

    As makers state it: at ISO conditions, of fuel with 42.7 MJ/kg (ISO 3046-1:2002, 5).
    """

    load: float
    g_per_kwh: float


@dataclass(frozen=True, slots=True)
class MeasuredResponse:
    """What has been measured of a ship, as factors over the estimate from its particulars.

    Calm-water resistance at the design draught and the exponent of draught over design draught
    that corrects it; resistance of waves and wind; fuel per power. ``standard_error`` is that of
    the logarithm of a voyage's fuel, ``None`` where it is that of the estimate; ``rests_on`` says
    what was measured by, for people.
    """

    calm: float = 1.0
    draft_exponent: float = 0.0
    weather: float = 1.0
    fuel: float = 1.0
    standard_error: float | None = None
    rests_on: str = "particulars only"

    def calm_at(self, draft_share: float) -> float:
        """Factor of calm-water resistance at a draught over the design draught."""
        return float(self.calm * draft_share**self.draft_exponent)


#: A ship of which nothing has been measured.
AS_ESTIMATED = MeasuredResponse()


@dataclass(frozen=True, slots=True)
class ShipParticulars:
    """A ship as its owner describes it.

    Lengths and draughts [m], deadweight [t], speed [kn], power [kW], gross
    tonnage as measured; ``pitch_m`` is the propeller's pitch; ``auxiliary_t_per_day``
    what generators and boilers burn at sea [t of ``fuel_type``/day];
    ``year_built`` the year of construction; ``shop_test`` what the main engine burnt on the
    maker's test bed.
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
    year_built: int | None = None
    shop_test: tuple[SfocPoint, ...] = ()
    motion_limits: MotionLimits = MotionLimits()
    response: MeasuredResponse = AS_ESTIMATED


@dataclass(frozen=True, slots=True)
class Loading:
    """Loading condition on this voyage.

    Mean draught [m], trim [m] (aft minus fore, positive by the stern) and
    deadweight on board [t].
    """

    draft_m: float
    trim_m: float
    deadweight_t: float
