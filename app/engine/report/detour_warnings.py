"""The warning of a route much longer than one over water of unknown depth."""

from collections.abc import Iterator
from typing import Final

from app.engine.codes import WarningCode
from app.engine.formatting import format_miles, format_position
from app.engine.geodesy import great_circle_distance_nm
from app.engine.plan import PlanWarning
from app.engine.planning.candidate_paths import find_candidate_paths, find_unlimited_path
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.explanation.phrases import join_phrases
from app.engine.sea.path import SeaPath
from app.engine.sea.proving import count_classes
from app.engine.sea.shoals import count_steps

#: Least length of a route over that of one over unproven water for a warning, and what the latter
#: saves [nm].
_LEAST_RATIO: Final = 1.25
_LEAST_SAVED_NM: Final = 10.0


def warn_of_detour(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Warn of a much longer route than one over unproven water, which the planner avoids."""
    length_nm = route.simulation.track.length_nm
    if route.is_given or not _may_be_detour(context, length_nm):
        return
    path = find_unlimited_path(context, context.size, proves_water=True)
    if path is None:
        return
    # over proven water, whatever the weather
    (shortest,) = find_candidate_paths(context, context.lasting_areas, most=1)
    if not _is_much_longer(shortest.distance_nm, path.distance_nm):
        return
    legs = context.sea.build_legs(path, context.request.track)
    unproven = [leg for leg in legs if leg.is_unproven]
    if unproven:
        miles = format_miles(sum(leg.distance_nm for leg in unproven))
        yield PlanWarning(
            WarningCode.DEPTH_DETOUR,
            f"This route of {format_miles(length_nm)} is a detour. One of"
            f" {format_miles(sum(leg.distance_nm for leg in legs))}{_name(path, route)} is avoided,"
            f" because no depth is known for {miles} of it, first from"
            f" {format_position(*unproven[0].start)}, too narrow to be taken as deep enough for"
            " this draught. Check it on the chart: if the water is deep enough, the shorter one can"
            " be sailed.",
        )


def _may_be_detour(context: PlanningContext, length_nm: float) -> bool:
    """Return whether a shorter route may exist, and water may be unproven for the ship."""
    (lat0, lng0), (lat1, lng1) = context.ends
    direct_nm = float(great_circle_distance_nm(lat0, lng0, lat1, lng1))
    has_unproven = count_classes(count_steps(context.size.least_depth_m)) > 0
    return has_unproven and _is_much_longer(length_nm, direct_nm)


def _is_much_longer(length_nm: float, other_nm: float) -> bool:
    return length_nm > max(_LEAST_RATIO * other_nm, other_nm + _LEAST_SAVED_NM)


def _name(path: SeaPath, route: SimulatedRoute) -> str:
    """Name the passages of a path that a route does not use."""
    used = {use.id for use in route.uses}
    names = dict.fromkeys(use.name for use in path.uses if use.id not in used)
    return f" by {join_phrases([*names])}" if names else ""
