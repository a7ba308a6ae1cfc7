"""A ship as loaded for a voyage: hull, propeller, engine and superstructure.

The tables of the compiled kernels are built from it; :class:`app.engine.vessel.ship.Ship` adds
the performance in weather.
"""

import math
from dataclasses import dataclass, field
from typing import Final

from app.engine.constants import AIR_DENSITY_KGM3, SEA_WATER_DENSITY_KGM3
from app.engine.particulars import Loading, ShipParticulars
from app.engine.units import KNOT_MS
from app.engine.vessel.calm_water import calm_water_resistance, wetted_surface_m2
from app.engine.vessel.drift import SIDE_FORCE_COEFFICIENT
from app.engine.vessel.hull_form import HullForm
from app.engine.vessel.machinery import MainEngine
from app.engine.vessel.propeller import Propeller
from app.engine.vessel.propulsion import PropulsionFactors
from app.engine.vessel.seaway import wave_hull
from app.engine.vessel.shallow_water import deep_water_m
from app.engine.vessel.waves import WaveHull
from app.engine.vessel.wind import Superstructure, WindCoefficients, wind_coefficients
from app.engine.vessel.wind_data import measured_coefficients

#: Power in service over that with a clean hull: mean fouling between dockings,
#: 1 / 0.917; Fourth IMO GHG Study 2020, section 2.2.3 (eq. 8).
FOULING: Final = 1.0 / 0.917

#: Increase of the residuary resistance coefficient per unit of breadth over draught, and the
#: greatest breadth over draught to which it applies; Guldhammer & Harvald (1974).
_RESISTANCE_PER_BREADTH_DRAFT: Final = 0.16e-3
_BREADTH_DRAFT_MAX: Final = 6.0

#: Speed range of the ship model: from a Froude number of 0.04 to 1.4 times the service speed, at
#: most Fn 0.40 (Holtrop & Mennen's wave resistance).
_FROUDE_MIN: Final = 0.04
_FROUDE_MAX: Final = 0.40
_SPEED_MAX_OVER_SERVICE: Final = 1.4


@dataclass(frozen=True)
class LoadedShip:
    """Particulars and loading of a ship, with the components estimated from them.

    ``log_power`` is the logarithm of power over that of the regressions, by year and engine.
    """

    particulars: ShipParticulars
    loading: Loading
    hull: HullForm
    propeller: Propeller
    factors: PropulsionFactors
    engine: MainEngine
    superstructure: Superstructure
    rpm_max: float | None = None
    log_power: float = 0.0
    wind: WindCoefficients = field(init=False)
    wave_hull: WaveHull = field(init=False)

    def __post_init__(self) -> None:
        measured = measured_coefficients(self.particulars, self.hull.draft_m)
        object.__setattr__(self, "wind", measured or wind_coefficients(self.superstructure))
        object.__setattr__(self, "wave_hull", wave_hull(self.hull))

    @property
    def speed_range_kn(self) -> tuple[float, float]:
        """Speed range of the resistance method for this hull [kn]."""
        low, high = self.speed_range_ms
        return low / KNOT_MS, high / KNOT_MS

    @property
    def speed_range_ms(self) -> tuple[float, float]:
        """Speed range of the resistance method for this hull [m/s]."""
        unit = 1.0 / self.hull.froude_number(1.0)
        service_ms = self.particulars.service_speed_kn * KNOT_MS
        return _FROUDE_MIN * unit, min(_FROUDE_MAX * unit, _SPEED_MAX_OVER_SERVICE * service_ms)

    @property
    def in_service_factor(self) -> float:
        """Power with mean fouling over that of the regressions for a clean hull."""
        return FOULING * math.exp(self.log_power)

    @property
    def midship_area_m2(self) -> float:
        """Midship section under water [m2]."""
        return self.hull.breadth_m * self.hull.draft_m * self.hull.midship_coefficient

    @property
    def deep_water_m(self) -> float:
        """Depth from which water counts as deep at every speed of the model [m]."""
        return deep_water_m(self.hull.draft_m, self.speed_range_ms[1])

    @property
    def lift_slope(self) -> float:
        """Side force of the drifting hull per radian and (m/s)^2: rho pi T^2 / 2."""
        return 0.5 * SEA_WATER_DENSITY_KGM3 * math.pi * self.hull.draft_m**2

    @property
    def side_pressure_area(self) -> float:
        """Side wind force per (m/s)^2 in beam wind [kg/m]."""
        area_m2 = self.superstructure.side_area_m2
        return 0.5 * AIR_DENSITY_KGM3 * SIDE_FORCE_COEFFICIENT * area_m2

    def calm_resistance_n(self, speed_ms: float) -> float:
        """Return the calm deep-water resistance [N], outside ``speed_range_ms`` by V^2."""
        low, high = self.speed_range_ms
        clipped = min(max(speed_ms, low), high)
        estimate_n = calm_water_resistance(self.hull, clipped).total_n * (speed_ms / clipped) ** 2
        estimate_n += self._light_draft_n(speed_ms)
        share = self.hull.draft_m / self.particulars.draft_design_m
        return self.particulars.response.calm_at(share) * estimate_n

    def _light_draft_n(self, speed_ms: float) -> float:
        """Return the extra resistance [N] at a draught below the design draught; negative above.

        The residuary resistance coefficient increases by 0.16 10^-3 for each unit of breadth over
        draught (Guldhammer & Harvald 1974), which the regressions do not include, because they
        are based on ships at their design draughts.
        """
        drafts_m = self.hull.draft_m, self.particulars.draft_design_m
        actual, design = (min(self.hull.breadth_m / d, _BREADTH_DRAFT_MAX) for d in drafts_m)
        pressure = 0.5 * SEA_WATER_DENSITY_KGM3 * speed_ms**2 * wetted_surface_m2(self.hull)
        return pressure * _RESISTANCE_PER_BREADTH_DRAFT * (actual - design)
