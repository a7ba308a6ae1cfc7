"""Model of the ship: hull, propulsion, machinery, and their response to weather."""

from app.engine.vessel.building import build_ship, expected_mcr_kw
from app.engine.vessel.calm_water import find_holtrop_violation
from app.engine.vessel.cii import find_carbon_intensity, find_rating_boundaries
from app.engine.vessel.foc import (
    FocEstimate,
    FocPoint,
    estimate_foc,
    fuel_standard_error,
    stated_fuel_error,
)
from app.engine.vessel.fuels import (
    co2_factor,
    eca_factors,
    eca_fuel_factor,
    equivalent_mass_t,
    fuel_in_eca,
)
from app.engine.vessel.hull_form import clip_loading
from app.engine.vessel.kernels import KernelParameters
from app.engine.vessel.plausibility import (
    TRIM_OF_LENGTH,
    Implausible,
    LoadingDisagreement,
    PowerDisagreement,
    find_implausible,
    find_loading_disagreement,
    find_power_disagreement,
    is_trim_unusual,
)
from app.engine.vessel.rolling import SeaRisk
from app.engine.vessel.seakeeping import SeakeepingParameters, seaway_risks
from app.engine.vessel.ship import Performance, Ship
from app.engine.vessel.turning import TurningAbility
