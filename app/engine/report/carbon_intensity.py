"""Carbon intensity of a voyage, and the warning of a target that it misses."""

from collections.abc import Iterator

from app.engine.codes import WarningCode
from app.engine.plan import CarbonIntensity, PlanWarning
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.times import add_hours
from app.engine.vessel import find_carbon_intensity


def find_voyage_intensity(
    context: PlanningContext, route: SimulatedRoute
) -> CarbonIntensity | None:
    """Compute the carbon intensity of a voyage, of the main engine alone if no other fuel is known.

    The requirement is that of the year in which half of the voyage is over. ``None`` without a
    reference line, a known capacity or a reduction factor of that year.
    """
    ship, simulation = context.request.ship, route.simulation
    _, auxiliary_co2_t = route.auxiliaries(ship) or (0.0, 0.0)
    return find_carbon_intensity(
        ship,
        co2_t=route.co2_t(ship.fuel_type) + auxiliary_co2_t,
        distance_nm=simulation.track.length_nm,
        year=add_hours(simulation.departs_at, 0.5 * simulation.total_h).year,
    )


def warn_of_cii_target(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Warn of a rating worse than the target."""
    target, found = context.request.cii_target, find_voyage_intensity(context, route)
    if target is not None and found is not None and found.rating > target:
        yield PlanWarning(
            WarningCode.CII_TARGET_MISSED,
            f"The voyage's carbon intensity is rated {found.rating}, not {target}: attained"
            f" {found.attained:.2f}, required {found.required:.2f} g CO2 per capacity mile."
            " Lower speeds or a later arrival improve it.",
        )
