"""Carbon intensity of voyages, and the warning of a target that is missed."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.engine.codes import WarningCode
from app.engine.report.vessel_warnings import find_voyage_intensity, warn_of_cii_target
from tests.unit.engine.ensemble.builders import REQUEST, make_context, make_route

CONTEXT = make_context()
ROUTE = make_route(CONTEXT)


def find_rating() -> str:
    found = find_voyage_intensity(CONTEXT, ROUTE)
    assert found is not None
    return found.rating


def test_a_target_that_the_voyage_misses_is_warned_of_with_both_ratings() -> None:
    rating = find_rating()
    assert "A" < rating <= "E"
    better = chr(ord(rating) - 1)
    context = make_context(replace(REQUEST, cii_target=better))
    (warning,) = warn_of_cii_target(context, ROUTE)
    assert warning.code == WarningCode.CII_TARGET_MISSED
    assert f"rated {rating}, not {better}" in warning.detail


def test_a_target_that_the_voyage_meets_gives_no_warning() -> None:
    for target in (None, find_rating(), "E"):
        context = make_context(replace(REQUEST, cii_target=target))
        assert not list(warn_of_cii_target(context, ROUTE))


def test_the_fuel_of_auxiliaries_counts_where_it_is_known() -> None:
    ship = replace(REQUEST.ship, auxiliary_t_per_day=8.0)
    alone = find_voyage_intensity(CONTEXT, ROUTE)
    both = find_voyage_intensity(make_context(replace(REQUEST, ship=ship)), ROUTE)
    assert alone
    assert both
    days = ROUTE.simulation.total_h / 24.0
    share = 1.0 + 8.0 * days / ROUTE.total_fuel_t
    assert both.attained / alone.attained == pytest.approx(share, rel=0.01)


def test_a_voyage_over_new_year_is_rated_by_the_year_of_its_greater_part() -> None:
    def required(departs_at: datetime) -> float:
        simulation = replace(ROUTE.simulation, departs_at=departs_at)
        found = find_voyage_intensity(CONTEXT, replace(ROUTE, simulation=simulation))
        assert found is not None
        return found.required

    early, late = (datetime(2026, 12, day, 12, tzinfo=UTC) for day in (1, 31))
    assert required(late) / required(early) == pytest.approx((100 - 13.625) / (100 - 11))
