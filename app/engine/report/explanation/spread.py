"""Sentences about the forecast uncertainty of fuel, arrival and limits."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from app.engine.formatting import format_time
from app.engine.plan import RoutePlan
from app.engine.report.explanation.phrases import format_mass
from app.engine.request import VoyageRequest
from app.engine.spread import (
    DecisionPoint,
    KeptSetting,
    LimitExceedance,
    LimitKind,
    Spread,
    SpreadBasis,
)

#: Greatest difference of arrivals that count as equal.
_SAME_ARRIVAL: Final = timedelta(minutes=30)
_NAMES: Final = {
    LimitKind.WAVE_HEIGHT: "The wave limit is exceeded",
    LimitKind.WIND_SPEED: "The wind limit is exceeded",
    LimitKind.ROLLING: "Dangerous rolling (IMO MSC.1/Circ.1228) occurs",
}


def explain_spread(plan: RoutePlan, request: VoyageRequest) -> Iterator[str]:
    """State the spread of fuel and arrival, the risk of exceeding limits, and when to decide."""
    spread = plan.spread
    if spread is None:
        return
    cases, fuel_t = _name_cases(spread), spread.fuel_t
    yield (
        f"{_name_basis(spread)}: in eight of ten {cases} the fuel is between"
        f" {format_mass(fuel_t.p10)} and {format_mass(fuel_t.p90)}, with a median of"
        f" {format_mass(fuel_t.p50)}."
    )
    if spread.unsailable_count:
        yield f"In {spread.unsailable_count} more {cases} the ship makes no headway."
    yield _explain_arrival(spread, plan.summary.eta)
    if request.risk is not None:
        yield (
            f"Track and speeds are chosen by {_name_cases(spread)} (risk {request.risk}), not by"
            " the forecast alone."
        )
    for exceedance in spread.exceedances:
        yield _explain_exceedance(exceedance, cases)
    if spread.climatology_pct >= 0.05:
        yield (
            f"For {spread.climatology_pct:.1f} % of the time, beyond the forecast, the spread is"
            " that of the climatology."
        )
    if spread.decision is not None:
        yield explain_decision(spread.decision)


def _name_basis(spread: Spread) -> str:
    if spread.basis is SpreadBasis.MEMBERS:
        return f"From {spread.member_count} members of the forecast"
    return "From typical forecast error, as there is no ensemble"


def _name_cases(spread: Spread) -> str:
    return "members" if spread.basis is SpreadBasis.MEMBERS else "cases"


def _explain_arrival(spread: Spread, planned: datetime) -> str:
    eta = spread.eta
    if planned - _SAME_ARRIVAL <= eta.p10 and eta.p90 <= planned + _SAME_ARRIVAL:
        does = (
            "keeps the planned arrival" if spread.kept is KeptSetting.ETA else "arrives as planned"
        )
        return f"In eight of ten the ship {does}."
    how = (
        "With speeds changed to keep the planned arrival as far as possible"
        if spread.kept is KeptSetting.ETA
        else "At the planned revolutions"
    )
    if eta.p90 - eta.p10 <= _SAME_ARRIVAL:
        return f"{how}, the ship arrives about {format_time(eta.p50)}."
    return f"{how}, the ship arrives between {format_time(eta.p10)} and {format_time(eta.p90)}."


def _explain_exceedance(exceedance: LimitExceedance, cases: str) -> str:
    """State the probability that a limit is exceeded; empty for rolling in none of the cases."""
    place, name = exceedance.place, _NAMES[exceedance.limit]
    if place is None:
        return "" if exceedance.limit is LimitKind.ROLLING else f"{name} in none of the {cases}."
    return (
        f"{name} with a probability of {exceedance.probability:.2f}, most likely on the leg to"
        f" waypoint {place.waypoint_index + 1} about {format_time(place.time)}."
    )


def explain_decision(decision: DecisionPoint) -> str:
    """State where to choose between tracks, and by which forecast."""
    here = f"waypoint {decision.waypoint_index + 1}, {format_time(decision.time)}"
    if decision.forecast_at is None:
        return f"Decide {decision.sides} at {here}: no newer forecast is available before."
    return (
        f"Wait for the forecast of {format_time(decision.forecast_at)} before deciding"
        f" {decision.sides}, at {here}."
    )
