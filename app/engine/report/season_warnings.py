"""Warnings of ice, and of locks that close for the winter."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import numpy as np

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.codes import WarningCode
from app.engine.formatting import format_day
from app.engine.particulars import IceClass
from app.engine.plan import PlanWarning
from app.engine.planning.areas import mark_touched_segments
from app.engine.planning.context import PlanningContext
from app.engine.planning.ice import CONVOY_SPEED_KN, ICE_SPEED_KN
from app.engine.planning.simulated_route import SimulatedRoute

#: Range of the actual dates of opening and closing around those of the data.
_NEAR_SEASON: Final = timedelta(days=10)


def warn_of_ice(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Yield a warning for each area of ice that the route enters in its season."""
    ship_class = context.request.ship.ice_class
    for area in context.request.areas:
        if area.ice is None:
            continue
        is_crossed = mark_touched_segments(area, route.simulation)
        if is_crossed.any():
            nm = float(route.simulation.track.distance_nm[is_crossed].sum())
            detail = (
                f"About {nm:.0f} nm lie in {area.name}. {advise_in_ice(area, area.ice, ship_class)}"
            )
            yield PlanWarning(WarningCode.ICE, detail)


def advise_in_ice(area: Area, ice: IceWater, ship_class: IceClass) -> str:
    """Return the requirements in an area of ice, and the speed planned there."""
    match ice.hazard:
        case IceHazard.ICEBERGS:
            return "Icebergs and growlers are usual: read the ice patrol's bulletin."
        case IceHazard.WATCH:
            return "Ice is possible: read the ice charts, ask for the permits needed."
        case _ if area.rule is AreaRule.LEAST_EXPOSURE:
            return (
                f"Icebreaker or ice class {ice.class_needed.label} required; planned at"
                f" {CONVOY_SPEED_KN:.0f} kn."
            )
        case IceHazard.POLAR_WATERS:
            return "A Polar Ship Certificate is required: read the ice charts."
        case IceHazard.PACK:
            return (
                f"Ice class {ice.class_needed.label} required, the ship has"
                f" {ship_class.label}; planned at {ICE_SPEED_KN:.0f} kn and"
                " service power."
            )


def warn_of_seasons(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Yield a warning for locks passed near the day on which they open or close."""
    for area in context.request.areas:
        if area.kind is not AreaKind.SEASON:
            continue
        crossed = np.flatnonzero(mark_touched_segments(area.at_all_times(), route.simulation))
        if crossed.size == 0:
            continue
        passed_at = route.simulation.time_at(int(crossed[0]))
        for day, verb in ((area.ends_at, "opens"), (area.starts_at, "closes")):
            # a season that has begun already is cut at departure
            if day is None or day <= context.request.departs_at:
                continue
            if abs(passed_at - day) <= _NEAR_SEASON:
                yield PlanWarning(
                    WarningCode.SEASON_CLOSED,
                    f"{area.name} {verb} about {format_day(day)}, within days of the ship's"
                    " passage: check the date announced for this year.",
                )
