"""A plan simulated in every member: spread, and probabilities of exceeding limits."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.engine.ensemble.measure import estimate_percentile, find_percentiles, simulate_members
from app.engine.ensemble.members import Member, build_ensemble, choose_kept_setting, simulate_member
from app.engine.spread import KeptSetting, LimitKind, Spread, SpreadBasis
from app.engine.weather import RegularGrid, WeatherField
from tests.unit.engine.ensemble.builders import (
    IN_TIME,
    REQUEST,
    make_context,
    make_members,
    make_route,
    make_sea,
    measure_spread,
    with_limits,
)


def spread_of(context, *fields: WeatherField) -> Spread:
    return measure_spread(context, make_route(context), make_members(*fields))


@pytest.mark.parametrize("request_", [REQUEST, IN_TIME])
def test_members_equal_to_the_forecast_have_no_spread(request_) -> None:
    context = make_context(request_)
    route = make_route(context)
    found = spread_of(context, make_sea(), make_sea(), make_sea())
    assert found.fuel_t.p10 == found.fuel_t.p50 == found.fuel_t.p90
    assert found.fuel_t.p50 == pytest.approx(route.total_fuel_t, rel=1e-9)
    assert found.eta.p10 == found.eta.p90 == route.simulation.time_at(-1)


def test_a_rougher_member_burns_more_to_arrive_as_planned() -> None:
    context = make_context(IN_TIME)
    route = make_route(context)
    calm, planned, rough = simulate_members(
        context, route, make_members(make_sea(1.0, 4.0), make_sea(), make_sea(3.0, 11.0))
    )
    assert calm.total_fuel_t < planned.total_fuel_t < rough.total_fuel_t
    for simulated in (calm, planned, rough):
        assert simulated.simulation.total_h == pytest.approx(route.simulation.total_h, abs=0.02)


def test_a_rougher_member_arrives_later_at_the_planned_revolutions() -> None:
    context = make_context(REQUEST)
    route = make_route(context)
    calm, rough = simulate_members(
        context, route, make_members(make_sea(1.0, 4.0), make_sea(3.0, 11.0))
    )
    assert calm.simulation.total_h < route.simulation.total_h < rough.simulation.total_h
    for simulated in (calm, rough):
        np.testing.assert_allclose(simulated.simulation.rpm, route.simulation.rpm, rtol=0.002)


def test_a_ship_that_cannot_arrive_in_time_is_late_at_its_highest_speed() -> None:
    context = make_context(IN_TIME)
    route = make_route(context, speed_kn=14.5)
    (rough,) = simulate_members(context, route, make_members(make_sea(6.0, 18.0)))
    assert rough.simulation.total_h > route.simulation.total_h + 1.0
    assert np.max(rough.simulation.ordered_kn) == 14.5


def test_the_crew_keeps_the_arrival_only_if_one_is_required_soon_after_it() -> None:
    planned = make_route(make_context(REQUEST)).simulation
    assert choose_kept_setting(make_context(REQUEST), planned) is KeptSetting.RPM
    for share, kept in ((0.9, "ETA"), (1.24, "ETA"), (1.26, "RPM"), (20.0, "RPM")):
        arrive_by = planned.departs_at + timedelta(hours=share * planned.total_h)
        context = make_context(replace(REQUEST, arrive_by=arrive_by))
        assert choose_kept_setting(context, planned) == kept


def test_an_arrival_required_months_later_changes_no_member() -> None:
    months_later = replace(REQUEST, arrive_by=REQUEST.departs_at + timedelta(days=120))
    fields = make_sea(1.0, 4.0), make_sea(), make_sea(3.0, 11.0)
    free, ample = (spread_of(make_context(each), *fields) for each in (REQUEST, months_later))
    assert ample.eta == free.eta
    assert ample.eta.p10 < ample.eta.p90
    assert ample.fuel_t == free.fuel_t


def test_the_probability_of_exceeding_a_limit_is_the_share_of_members_above_it() -> None:
    context = make_context(with_limits(REQUEST, wave_height_m=3.25, wind_speed_ms=20.0))
    found = spread_of(context, *(make_sea(0.5 * n) for n in range(1, 11)))
    waves, wind, _ = found.exceedances
    assert (waves.limit, waves.probability) == (LimitKind.WAVE_HEIGHT, 0.4)
    assert {point.probability for point in waves.along} == {0.4}
    assert waves.place is not None
    assert waves.place.waypoint_index == 1
    assert (wind.probability, wind.place) == (0.0, None)


def test_a_limit_that_is_not_set_has_no_probability() -> None:
    found = spread_of(make_context(REQUEST), make_sea(), make_sea(3.0))
    assert [exceedance.limit for exceedance in found.exceedances] == [LimitKind.ROLLING]
    assert all(0.0 <= exceedance.probability <= 1.0 for exceedance in found.exceedances)


@pytest.mark.parametrize(
    ("west", "basis"), [(-70.0, SpreadBasis.MEMBERS), (-40.0, SpreadBasis.TYPICAL_ERROR)]
)
def test_members_of_another_region_than_the_voyages_are_not_used(west, basis) -> None:
    region = RegularGrid(35.0, 1.0, 16, west, 1.0, 51)
    members = [(1, make_sea(grid=region)), (2, make_sea(3.0, grid=region))]
    voyage = make_route(make_context()).simulation
    assert build_ensemble(make_sea(), members, voyage).basis is basis


def test_the_fan_widens_from_the_departure_to_the_arrival() -> None:
    context = make_context(REQUEST)
    found = spread_of(context, *(make_sea(0.5 * n, 2.0 * n) for n in range(1, 10)))
    first, last = found.fan[0], found.fan[-1]
    assert first.fuel_t.p10 == first.fuel_t.p90 == 0.0
    assert first.time.p10 == first.time.p90
    assert last.time == found.eta
    assert last.fuel_t.p90 == pytest.approx(found.fuel_t.p90)
    width = [point.time.p90 - point.time.p10 for point in found.fan]
    assert width == sorted(width)
    assert width[-1] > timedelta(hours=1)


def test_a_member_in_which_the_ship_makes_no_headway_is_counted_separately() -> None:
    context = make_context(REQUEST)
    route = make_route(context)
    assert simulate_member(context, route, KeptSetting.RPM, Member(1, _adverse())) is None
    found = spread_of(context, make_sea(), _adverse())
    assert (found.member_count, found.unsailable_count) == (1, 1)


def _adverse() -> WeatherField:
    from tests.unit.engine.weather.seas import uniform_climatology

    return WeatherField(uniform_climatology(current=(-9.0, 0.0)))


def test_percentiles_contain_the_next_draw_with_their_probability() -> None:
    random = np.random.default_rng(3)
    draws = random.standard_normal((4000, 20))
    inside = [
        found.p10 <= row[-1] <= found.p90 for row in draws if (found := find_percentiles(row[:-1]))
    ]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.02)
    assert estimate_percentile([1.0, 2.0, 3.0], 50.0) == 2.0


def test_beyond_their_forecasts_equal_members_spread_as_the_climate_does() -> None:
    ending = make_sea(hours=24.0)
    context = make_context(IN_TIME, ending)
    spread = spread_of(context, *[ending] * 50)
    widths_t = [point.fuel_t.p90 - point.fuel_t.p10 for point in spread.fan]
    within = [n for n, point in enumerate(spread.fan) if point.cumulative_nm < 240.0]
    assert widths_t[within[-1]] < 0.1
    assert widths_t[-1] > 1.0


def test_members_whose_forecasts_cover_the_voyage_have_no_other_spread() -> None:
    route = make_route(make_context())
    ensemble = make_members(make_sea(), make_sea(3.0))
    assert ensemble.list_deviations(route.simulation) == [None, None]


def test_a_value_at_the_limit_but_for_rounding_does_not_exceed_it() -> None:
    context = make_context(with_limits(REQUEST, wave_height_m=3.0 - 1e-9))
    spread = measure_spread(context, make_route(context), make_members(make_sea(3.0)))
    (waves, _) = spread.exceedances
    assert waves.probability == 0.0
