"""Warnings of the fuel that is spent to keep limits in more members."""

from dataclasses import replace

from app.engine.codes import WarningCode
from app.engine.ensemble.choice import RouteResults, choose_by_risk
from app.engine.ensemble.evaluation import warn_of_limit_cost
from app.engine.request import Risk
from tests.unit.engine.ensemble.builders import make_route
from tests.unit.engine.ensemble.test_choice_by_risk import CONTEXT, PLANNED, make_results

NORTH = make_route(CONTEXT, points=((40.0, -60.0), (46.0, -45.0), (44.0, -30.0)))


def warn(*results: RouteResults, risk: Risk = Risk.EXPECTED) -> list[str]:
    """Return the details of the warnings about the choice among results."""
    best = choose_by_risk(results, risk)
    warnings = list(warn_of_limit_cost(best, results, risk, "members"))
    assert {each.code for each in warnings} <= {WarningCode.LIMITS_COST_FUEL}
    return [each.detail for each in warnings]


def test_fuel_burnt_to_keep_a_limit_is_stated_with_the_cheaper_route_and_its_probability() -> None:
    costly = make_results(*[200.0] * 10, highest_m=5.0, limit_m=6.0)
    cheap = replace(make_results(*[100.0] * 10, highest_m=7.0, limit_m=6.0), route=NORTH)
    (detail,) = warn(costly, cheap)
    assert detail.startswith(
        "To keep the limits in more members, the plan burns 100.0 mt more fuel than another route"
        " found: 200.0 instead of 100.0 mt, the mean over the members. The other route, up to "
    )
    assert (
        "north of the planned track, exceeds the wave limit of 6.0 m with a probability of 1.00."
        " The plan exceeds the wave limit of 6.0 m with a probability of 0.00." in detail
    )
    assert "No route" not in detail


def test_a_limit_that_no_route_keeps_in_enough_members_is_stated() -> None:
    calm, rough = (
        make_results(*[200.0] * 5, highest_m=highest_m, limit_m=6.0) for highest_m in (5.0, 7.0)
    )
    half = replace(calm, simulations=calm.simulations + rough.simulations, member_count=10)
    cheap = make_results(*[100.0] * 10, highest_m=7.0, limit_m=6.0)
    (detail,) = warn(half, cheap, risk=Risk.P90)
    assert "on nearly the same track at other speeds" in detail
    assert "The plan exceeds the wave limit of 6.0 m with a probability of 0.50." in detail
    assert "No route found keeps the limits in nine of ten members." in detail


def test_nothing_is_warned_of_if_limits_cost_no_fuel() -> None:
    kept = make_results(*[100.5] * 10, highest_m=5.0, limit_m=6.0)
    broken = make_results(*[100.0] * 10, highest_m=7.0, limit_m=6.0)
    assert warn(kept, broken) == []
    assert warn(replace(kept, route=PLANNED)) == []
    assert warn(make_results(100.0), make_results(200.0)) == []
