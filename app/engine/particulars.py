"""Particulars, measured response and loading of a ship: frozen records.

``None`` always means "not known".
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ShipType(StrEnum):
    """Ship types with known hull and machinery statistics."""

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


class CiiType(StrEnum):
    """Ship types of the carbon intensity guidelines that no :class:`ShipType` stands for.

    MEPC.353(78), table 1; high-speed craft, which have a line too, are beyond the hull model.
    """

    REFRIGERATED_CARGO = "REFRIGERATED_CARGO"
    COMBINATION_CARRIER = "COMBINATION_CARRIER"
    VEHICLE_CARRIER = "VEHICLE_CARRIER"
    RO_RO_PASSENGER = "RO_RO_PASSENGER"

    @property
    def label(self) -> str:
        """Name of the type for people."""
        return {
            "REFRIGERATED_CARGO": "refrigerated cargo carrier",
            "RO_RO_PASSENGER": "ro-ro passenger ship",
        }.get(self.value, self.value.replace("_", " ").lower())


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
        """Return whether the ship is strengthened for ice."""
        return self is not IceClass.NONE

    @property
    def label(self) -> str:
        """Name of the class as on certificates."""
        return {"IA_SUPER": "IA Super", "NONE": "none"}.get(self.value, self.value)

    def covers(self, needed: "IceClass") -> bool:
        """Return whether this class is at least as strong as another."""
        classes = list(IceClass)
        return classes.index(self) >= classes.index(needed)


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Motions above which the master slows down; ``None`` is the usual limit for the length.

    Probabilities of slamming and of deck wetness at the stem per wave encountered; vertical
    acceleration at the forward perpendicular, root mean square [g].
    """

    slamming: float | None = None
    deck_wetness: float | None = None
    bow_acceleration_g: float | None = None


class PointSource(StrEnum):
    """Source of a declared point."""

    SEA_TRIAL = "SEA_TRIAL"
    CHARTER_PARTY = "CHARTER_PARTY"
    OWNER = "OWNER"


class Basis(StrEnum):
    """Condition of hull and weather to which a declared consumption applies.

    ``CALM``: clean hull and calm sea, as on a trial corrected for weather or in a yard's brochure.
    ``SERVICE``: hull and weather of ordinary service. ``CHARTER_PARTY``: hull of ordinary service
    in the weather that the warranty names.
    """

    CALM = "CALM"
    SERVICE = "SERVICE"
    CHARTER_PARTY = "CHARTER_PARTY"


@dataclass(frozen=True, slots=True)
class DeclaredPoint:
    """One row of a speed and consumption table.

    Speed [kn], consumption [t/day], mean draught [m] (``None``: design draught, or the type's
    usual ballast draught if ``is_ballast``), Beaufort force, and whether the consumption includes
    auxiliaries. Without a basis, the hull is clean on sea trials and that of ordinary service
    otherwise, and the weather is that of ``beaufort``.
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

    Stated at ISO conditions, for fuel with 42.7 MJ/kg (ISO 3046-1:2002, 5).
    """

    load: float
    g_per_kwh: float


@dataclass(frozen=True, slots=True)
class MeasuredResponse:
    """Measured response of a ship, as factors of the estimate from its particulars.

    Factors of calm-water resistance at the design draught, of the resistance of waves and wind,
    and of fuel per power; exponent of draught over design draught that corrects calm-water
    resistance. ``standard_error`` is that of the logarithm of a voyage's fuel, ``None`` if it is
    that of the estimate; ``rests_on`` names the evidence, for people. ``measured_to_h`` is the time
    of the last report [h since 1970], ``None`` if the reports show no trend of fouling.
    """

    calm: float = 1.0
    draft_exponent: float = 0.0
    weather: float = 1.0
    fuel: float = 1.0
    standard_error: float | None = None
    rests_on: str = "particulars only"
    measured_to_h: float | None = None

    def calm_at(self, draft_share: float) -> float:
        """Return the factor of calm-water resistance at a draught over the design draught."""
        return float(self.calm * draft_share**self.draft_exponent)


#: Types of hull and machinery by type of the carbon intensity guidelines.
_HULL_TYPES: Final = {
    CiiType.RO_RO_PASSENGER: ShipType.PASSENGER,
    CiiType.VEHICLE_CARRIER: ShipType.RO_RO,
}

#: Response of a ship without measurements.
AS_ESTIMATED = MeasuredResponse()


@dataclass(frozen=True, slots=True)
class ShipParticulars:
    """Particulars of a ship as its owner states them.

    Lengths and draughts [m], deadweight [t], speed [kn], power [kW], gross tonnage as measured;
    ``pitch_m`` is the propeller's pitch, ``auxiliary_t_per_day`` the consumption of generators
    and boilers at sea [t of ``fuel_type``/day], ``year_built`` the year of construction,
    ``keel_to_mast_m`` the height of the highest point above the keel,
    ``shop_test`` the main engine's consumption on the maker's test bed. ``cii_type`` is the type
    by which carbon intensity is rated if it is not ``ship_type``.
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
    keel_to_mast_m: float | None = None
    gross_tonnage: float | None = None
    fuel_type: FuelType = FuelType.VLSFO
    installed_power_kw: float | None = None
    propeller_diameter_m: float | None = None
    ice_class: IceClass = IceClass.NONE
    auxiliary_t_per_day: float | None = None
    year_built: int | None = None
    shop_test: tuple[SfocPoint, ...] = ()
    motion_limits: MotionLimits = MotionLimits()
    cii_type: CiiType | None = None
    response: MeasuredResponse = AS_ESTIMATED

    @property
    def hull_type(self) -> ShipType:
        """Type whose statistics of hull and machinery apply.

        Ro-ro passenger ships are built as passenger ships and vehicle carriers as ro-ro ships,
        whatever type they are registered as.
        """
        if self.cii_type is None:
            return self.ship_type
        return _HULL_TYPES.get(self.cii_type, self.ship_type)


@dataclass(frozen=True, slots=True)
class Loading:
    """Loading condition on a voyage.

    Mean draught [m], trim [m] (aft minus fore, positive by the stern) and
    deadweight on board [t].
    """

    draft_m: float
    trim_m: float
    deadweight_t: float

    @property
    def draft_aft_m(self) -> float:
        """Draught at the after perpendicular [m]."""
        return self.draft_m + 0.5 * self.trim_m

    @property
    def draft_fore_m(self) -> float:
        """Draught at the fore perpendicular [m]."""
        return self.draft_m - 0.5 * self.trim_m

    @property
    def deepest_draft_m(self) -> float:
        """Draught at the deeper of fore and aft [m]."""
        return max(self.draft_aft_m, self.draft_fore_m)

    @property
    def least_draft_m(self) -> float:
        """Lesser of the draughts fore and aft [m]."""
        return min(self.draft_aft_m, self.draft_fore_m)
