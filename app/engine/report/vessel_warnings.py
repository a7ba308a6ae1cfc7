"""Warnings of a plan about its vessel: carbon intensity, particulars and loading."""

from collections.abc import Iterator

from app.engine.codes import WarningCode
from app.engine.particulars import AS_ESTIMATED
from app.engine.plan import CarbonIntensity, PlanWarning
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.times import add_hours
from app.engine.vessel import (
    clip_loading,
    find_carbon_intensity,
    find_holtrop_violation,
    find_loading_disagreement,
    find_power_disagreement,
    is_trim_unusual,
)


def warn_of_loading(context: PlanningContext, _route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Warn where draught and deadweight disagree, and of an unusual trim."""
    ship, loading = context.request.ship, context.request.loading
    found = find_loading_disagreement(ship, loading)
    if found is not None:
        yield PlanWarning(
            WarningCode.LOADING_DISAGREES,
            f"At {loading.draft_m:.2f} m draught the ship displaces about {found.by_draft_t:.0f} t,"
            f" with {loading.deadweight_t:.0f} t on board about {found.by_deadweight_t:.0f} t. "
            "The plan uses the draught; check both.",
        )
    if is_trim_unusual(ship, loading):
        yield PlanWarning(
            WarningCode.LOADING_DISAGREES,
            f"A trim of {loading.trim_m:.2f} m makes the draught {loading.draft_aft_m:.2f} m aft"
            f" and {loading.draft_fore_m:.2f} m forward, which is unusual for a length of"
            f" {ship.lbp_m:.1f} m and a scantling draught of {ship.draft_scantling_m:.2f} m. The"
            " plan uses both draughts; check the trim.",
        )


def warn_of_clipped_loading(
    context: PlanningContext, _route: SimulatedRoute
) -> Iterator[PlanWarning]:
    """Warn of a draught or trim beyond the form estimates, which are held at their bounds."""
    loading = context.request.loading
    used = clip_loading(context.request.ship, loading)
    if used != loading:
        yield PlanWarning(
            WarningCode.HULL_OUTSIDE_METHOD,
            f"A draught of {loading.draft_m:.2f} m with a trim of {loading.trim_m:.2f} m is outside"
            f" the range of the ship model. Power and fuel are those at {used.draft_m:.2f} m with a"
            f" trim of {used.trim_m:.2f} m; check the draught and the trim.",
        )


def warn_of_hull(context: PlanningContext, _route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Warn of a hull outside the resistance method that no measured consumption binds."""
    found = find_holtrop_violation(context.ship.hull)
    if found is not None and context.request.ship.response == AS_ESTIMATED:
        yield PlanWarning(
            WarningCode.HULL_OUTSIDE_METHOD,
            f"The hull is outside the range of the resistance method: its {found}. Power and fuel"
            " are less certain than stated; declare the vessel's consumption, or calibrate it.",
        )


def warn_of_installed_power(
    context: PlanningContext, _route: SimulatedRoute
) -> Iterator[PlanWarning]:
    """Warn where the installed power disagrees with hull and service speed."""
    ship = context.request.ship
    found = find_power_disagreement(ship)
    if found is not None:
        yield PlanWarning(
            WarningCode.POWER_DISAGREES,
            f"The vessel's installed power is {found.installed_kw:.0f} kW, but its hull and service"
            f" speed of {ship.service_speed_kn:.1f} kn usually need about"
            f" {round(found.expected_kw, -1):.0f} kW. The plan uses it; check it and its unit.",
        )


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
