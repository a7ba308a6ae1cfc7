"""Building of ship models: hull, propeller and engine from particulars and loading."""

from dataclasses import replace
from functools import lru_cache

from app.engine.particulars import AS_ESTIMATED, Loading, ShipParticulars
from app.engine.units import KNOT_MS
from app.engine.vessel.evidence import estimate_log_power, generation_log_power
from app.engine.vessel.hull_form import HullForm, estimate_hull_form
from app.engine.vessel.loaded_ship import FOULING
from app.engine.vessel.machinery import (
    SHAFT_EFFICIENCY,
    MainEngine,
    build_main_engine,
    mcr_for_service_kw,
    minimum_power_kw,
    transmission_efficiency,
)
from app.engine.vessel.propeller import Propeller
from app.engine.vessel.propulsion import (
    PropulsionFactors,
    design_propeller,
    needs_second_screw,
    propulsion_factors,
)
from app.engine.vessel.ship import Ship
from app.engine.vessel.wind import estimate_superstructure


# the tables of a ship take 10 ms, and a worker plans many voyages of the same ships
@lru_cache(maxsize=16)
def build_ship(
    particulars: ShipParticulars, loading: Loading, *, rpm_max: float | None = None
) -> Ship:
    """Build the model of a ship as loaded.

    Propeller and engine are estimated at the design draught and service speed; resistance, wake
    and windage at the loading. A measured response does not change the engine's size.
    """
    speed_ms = particulars.service_speed_kn * KNOT_MS
    design = _as_designed(particulars)
    hull = estimate_hull_form(particulars, loading, design.hull.screws)
    propeller, expected_kw = design.propeller, _mcr_for_service_kw(design)
    least_kw = minimum_power_kw(particulars.hull_type, particulars.dwt_t)
    mcr_kw = particulars.installed_power_kw or max(expected_kw, least_kw)
    engine = build_main_engine(particulars, mcr_kw)
    return Ship(
        particulars=particulars,
        loading=loading,
        hull=hull,
        propeller=propeller,
        factors=_factors(hull, propeller, speed_ms),
        engine=replace(engine, base_sfoc_g_kwh=particulars.response.fuel * engine.base_sfoc_g_kwh),
        superstructure=estimate_superstructure(particulars, loading.draft_m),
        rpm_max=rpm_max,
        log_power=estimate_log_power(particulars, expected_kw),
    )


def expected_mcr_kw(particulars: ShipParticulars) -> float:
    """Estimate the MCR [kW] that yards of the ship's time chose for its service speed.

    The least power for manoeuvring in adverse seas is left out, because it does not depend on the
    resistance.
    """
    return _mcr_for_service_kw(_as_designed(particulars))


def _factors(hull: HullForm, propeller: Propeller, speed_ms: float) -> PropulsionFactors:
    return propulsion_factors(
        hull, speed_ms, propeller.diameter_m, propeller.area_ratio, propeller.pitch_ratio
    )


def _as_designed(particulars: ShipParticulars) -> Ship:
    """Build the ship at its design draught as its yard did: without an engine or measurements."""
    speed_ms = particulars.service_speed_kn * KNOT_MS
    loading = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    hull = estimate_hull_form(particulars, loading)
    if needs_second_screw(particulars, hull, speed_ms):
        hull = estimate_hull_form(particulars, loading, screws=2)
    propeller = design_propeller(particulars, hull, speed_ms)
    return Ship(
        particulars=replace(particulars, response=AS_ESTIMATED),
        loading=loading,
        hull=hull,
        propeller=propeller,
        factors=_factors(hull, propeller, speed_ms),
        engine=MainEngine(1.0, 1.0),
        superstructure=estimate_superstructure(particulars, hull.draft_m),
        log_power=generation_log_power(particulars),
    )


def _mcr_for_service_kw(design: Ship) -> float:
    """Estimate the MCR [kW] for the service speed of a ship as designed, with its direct drive."""
    particulars = design.particulars
    speed_ms = particulars.service_speed_kn * KNOT_MS
    calm_kw, _ = design.power_for_resistance(speed_ms, design.calm_resistance_n(speed_ms))
    direct_kw = mcr_for_service_kw(calm_kw / FOULING)
    losses = SHAFT_EFFICIENCY / transmission_efficiency(particulars, direct_kw)
    return direct_kw * losses
