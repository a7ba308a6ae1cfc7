"""Properties of any ship: finite and monotone results, equal in both models."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.vessel import (
    Ship,
    build_ship,
    estimate_foc,
    find_holtrop_violation,
    find_implausible,
)
from app.engine.vessel.calm_water import calm_water_resistance
from app.engine.vessel.hull_form import ballast_draft_m
from app.engine.vessel.kernels import LEAST_HEADWAY_KN, fuel_rate
from app.engine.vessel.relative_sea import find_calm_sea, find_relative_sea
from app.engine.vessel.seaway import resistance_per_height_squared, wave_hull
from app.engine.vessel.shallow_water import lackenby_speed_loss
from app.engine.vessel.wind_data import TANKER_LADEN, fit
from app.engine.weather.records import Weather
from benchmarks.foc import ballast_ship
from benchmarks.ship_kernels import fuel_rates
from tests.unit.engine.vessel.ships import CAPESIZE, relative_sea, ships, typical_ship, weather

DIRECTIONS = st.floats(0.0, 360.0, exclude_max=True)


def laden(particulars: ShipParticulars) -> Ship:
    return build_ship(particulars, Loading(particulars.draft_design_m, 0.0, particulars.dwt_t))


def speeds(ship: Ship) -> tuple[float, float]:
    """Return two thirds of the service speed and a fifth over it [kn]."""
    return 0.67 * ship.particulars.service_speed_kn, 1.2 * ship.particulars.service_speed_kn


def seas(length_m: float) -> st.SearchStrategy[Weather]:
    """Draw seas in which a ship of a length can keep its course."""
    return st.builds(
        lambda height, period, wave, wind, wind_from: weather(
            height, wave, wave_period_s=period, wind_speed_ms=wind, wind_from_deg=wind_from
        ),
        st.floats(0.0, min(0.035 * length_m, 9.0)),
        st.floats(3.0, 20.0),
        DIRECTIONS,
        st.floats(0.0, 25.0),
        DIRECTIONS,
    )


def test_a_trim_by_the_stern_lifts_the_bulb() -> None:
    # 1 % of the length was 5 % of power, most of it from a bulb as large as on even keel
    particulars = ShipParticulars(
        ShipType.CONTAINER_SHIP, 199e3, 400, 383, 58.8, 32.9, 14.5, 16.0, 22.8
    )
    even, trimmed = (build_ship(particulars, Loading(14.5, trim_m, 0.0)) for trim_m in (0.0, 3.83))
    forces_n = [calm_water_resistance(each.hull, 10.5).bulb_n for each in (even, trimmed)]
    assert forces_n[1] < forces_n[0]
    powers_kw = [each.performance(20.5).power_kw for each in (even, trimmed)]
    assert 1.0 < powers_kw[1] / powers_kw[0] < 1.03


@given(ships(), st.data())
@settings(max_examples=30, deadline=None)
def test_performance_is_finite_and_positive_in_any_sea(
    particulars: ShipParticulars, data: st.DataObject
) -> None:
    ship = laden(particulars)
    met = data.draw(seas(particulars.lbp_m))
    depth_m = data.draw(st.floats(1.3, 20.0)) * particulars.draft_design_m
    found = ship.performance(
        data.draw(st.floats(*speeds(ship))),
        course_deg=data.draw(DIRECTIONS),
        weather=met,
        depth_m=depth_m,
    )
    figures = (found.power_kw, found.rpm, found.fuel_t_per_h)
    assert all(math.isfinite(x) and x > 0.0 for x in figures)


@given(ships(), st.data())
@settings(max_examples=30, deadline=None)
def test_the_kernel_gives_the_results_of_the_formulas(
    particulars: ShipParticulars, data: st.DataObject
) -> None:
    ship = laden(particulars)
    met = data.draw(seas(particulars.lbp_m))
    speed_kn = data.draw(st.floats(*speeds(ship)))
    course_deg = data.draw(DIRECTIONS)
    depth_m = data.draw(st.sampled_from([1.5, 3.0, 50.0])) * particulars.draft_design_m
    exact = ship.performance(speed_kn, course_deg=course_deg, weather=met, depth_m=depth_m)
    sea = relative_sea(met, depth_m, course_deg)
    power_kw, rpm, fuel = fuel_rate(ship.kernel_parameters, speed_kn, sea)
    # Where the added resistance has its steepest slopes, the interpolation of the table has an
    # error of up to 5 % of it.
    added = exact.resistance.wave_n / exact.resistance.total_n
    tolerance = 0.006 + 0.05 * added
    assert power_kw == pytest.approx(exact.power_kw, rel=tolerance)
    assert rpm == pytest.approx(exact.rpm, rel=tolerance)
    assert fuel == pytest.approx(exact.fuel_t_per_h, rel=1.5 * tolerance)


@pytest.mark.parametrize("speed_kn", [0.5, 1.6, 3.0])
def test_a_small_propeller_needs_as_much_near_bollard_pull_by_both_models(speed_kn: float) -> None:
    river_sea = replace(
        typical_ship(ShipType.GENERAL_CARGO, 5_000.0),
        loa_m=139.0,
        lbp_m=134.0,
        breadth_m=16.5,
        depth_m=6.0,
        draft_design_m=3.6,
        draft_scantling_m=3.8,
        service_speed_kn=10.5,
    )
    ship, storm = laden(river_sea), weather(5.0, wave_period_s=8.0, wind_speed_ms=25.0)
    exact = ship.performance(speed_kn, weather=storm)
    power_kw, rpm, _ = fuel_rate(ship.kernel_parameters, speed_kn, relative_sea(storm, math.inf))
    assert exact.load > 1.0
    assert power_kw == pytest.approx(exact.power_kw, rel=0.15)
    assert rpm == pytest.approx(exact.rpm, rel=0.1)


@given(ships(), st.data())
@settings(max_examples=20, deadline=None)
def test_the_batch_gives_the_results_of_the_kernel(
    particulars: ShipParticulars, data: st.DataObject
) -> None:
    ship = laden(particulars)
    met = data.draw(st.lists(seas(particulars.lbp_m), min_size=1, max_size=5))
    course_deg = data.draw(DIRECTIONS)
    speeds_kn = np.linspace(*speeds(ship), 9)
    columns = (
        np.full(len(met), course_deg),
        np.array([w.wave_height_m for w in met]),
        np.array([w.wave_period_s for w in met]),
        np.array([w.wave_from_deg for w in met]),
        np.array([w.wind_speed_ms for w in met]),
        np.array([w.wind_from_deg for w in met]),
    )
    answer = np.empty((speeds_kn.size, len(met)))
    fuel_rates(ship.kernel_parameters, speeds_kn, *columns, answer)
    seas_met = [find_relative_sea(*column, math.inf) for column in zip(*columns, strict=True)]
    single = [[fuel_rate(ship.kernel_parameters, v, sea)[2] for sea in seas_met] for v in speeds_kn]
    np.testing.assert_allclose(answer, single, rtol=1e-6)


@given(ships(), st.floats(0.67, 1.15))
@settings(max_examples=30, deadline=None)
def test_more_speed_takes_more_power(particulars: ShipParticulars, share: float) -> None:
    ship = laden(particulars)
    speed_kn = share * particulars.service_speed_kn
    slow, fast = ship.performance(speed_kn), ship.performance(1.02 * speed_kn)
    assert fast.power_kw > slow.power_kw
    assert fast.rpm > slow.rpm
    assert fast.fuel_t_per_h > slow.fuel_t_per_h


@given(ships(), st.data())
@settings(max_examples=25, deadline=None)
def test_more_wave_never_takes_less_power(
    particulars: ShipParticulars, data: st.DataObject
) -> None:
    ship = laden(particulars)
    met = data.draw(seas(particulars.lbp_m))
    speed_kn = data.draw(st.floats(*speeds(ship)))
    lower = ship.performance(speed_kn, weather=met)
    higher = ship.performance(speed_kn, weather=replace(met, wave_height_m=met.wave_height_m + 0.5))
    assert higher.power_kw >= lower.power_kw * (1.0 - 1e-9)


@given(ships(), st.floats(0.0, 20.0))
@settings(max_examples=25, deadline=None)
def test_more_head_wind_takes_more_power(particulars: ShipParticulars, wind_ms: float) -> None:
    ship, speed_kn = laden(particulars), particulars.service_speed_kn
    less = ship.performance(speed_kn, weather=weather(wind_speed_ms=wind_ms))
    more = ship.performance(speed_kn, weather=weather(wind_speed_ms=wind_ms + 2.0))
    assert more.power_kw > less.power_kw


@pytest.mark.parametrize("share", [0.9, 0.75, 0.6])
def test_a_light_draught_saves_less_than_by_the_regressions(share: float) -> None:
    # a year of a gas carrier's records gives (T/T0)^-0.30 over the regressions
    gas_carrier = ShipParticulars(
        ShipType.GAS_CARRIER, 54e3, 225.0, 219.0, 36.6, 22.0, 11.2, 12.0, 16.8
    )
    light = build_ship(gas_carrier, Loading(share * gas_carrier.draft_design_m, 0.0, 0.0))
    speed_ms = 7.8
    regression_n = calm_water_resistance(light.hull, speed_ms).total_n
    over = light.calm_resistance_n(speed_ms) / regression_n
    assert math.log(over) / math.log(share) == pytest.approx(-0.28, abs=0.07)


def test_at_the_design_draught_the_resistance_is_that_of_the_regressions() -> None:
    ship = laden(CAPESIZE)
    regression_n = calm_water_resistance(ship.hull, 7.0).total_n
    assert ship.calm_resistance_n(7.0) == pytest.approx(regression_n)


def test_a_capesize_in_ballast_takes_four_fifths_of_its_laden_power() -> None:
    # charter tables of published capesizes and panamaxes have 0.75 to 0.91 at one speed
    ratio = ballast_ship(CAPESIZE).performance(13.5).power_kw
    ratio /= laden(CAPESIZE).performance(13.5).power_kw
    assert ratio == pytest.approx(0.82, abs=0.03)


@pytest.mark.parametrize(
    ("type_", "lbp_m", "draft_m", "expected_m"),
    [
        pytest.param(ShipType.TANKER, 320.0, 20.8, 8.4, id="VLCC, MARPOL Annex I 18.3"),
        pytest.param(ShipType.BULK_CARRIER, 225.0, 12.2, 6.5, id="bulk carrier as a tanker"),
        pytest.param(ShipType.CHEMICAL_TANKER, 150.0, 9.0, 5.0, id="where both formulas agree"),
        pytest.param(ShipType.TANKER, 100.0, 6.5, 3.4, id="small tanker, formulation A"),
        pytest.param(ShipType.BULK_CARRIER, 100.0, 3.0, 3.0, id="no deeper than laden"),
        pytest.param(ShipType.GAS_CARRIER, 220.0, 11.0, 8.8, id="share of the design draught"),
    ],
)
def test_ballast_draughts_are_those_of_the_type(
    type_: ShipType, lbp_m: float, draft_m: float, expected_m: float
) -> None:
    given_ship = replace(CAPESIZE, ship_type=type_, lbp_m=lbp_m, draft_design_m=draft_m)
    assert ballast_draft_m(given_ship) == pytest.approx(expected_m)


@given(ships(), st.floats(1.02, 1.15))
@settings(max_examples=25, deadline=None)
def test_more_breadth_of_an_equally_full_hull_takes_more_power(
    particulars: ShipParticulars, factor: float
) -> None:
    broader = replace(
        particulars,
        breadth_m=factor * particulars.breadth_m,
        dwt_t=factor * particulars.dwt_t,
    )
    speed_kn = 0.9 * particulars.service_speed_kn
    powers_kw = [laden(ship).performance(speed_kn).power_kw for ship in (particulars, broader)]
    assert powers_kw[1] > powers_kw[0]


#: Particulars that are varied together.
_VARIED_PARTICULARS = {
    "length": ("loa_m", "lbp_m"),
    "breadth": ("breadth_m",),
    "draught": ("draft_design_m", "draft_scantling_m", "depth_m"),
    "speed": ("service_speed_kn",),
    "deadweight": ("dwt_t",),
}


@pytest.mark.parametrize("ship_type", list(ShipType), ids=lambda t: t.name)
@pytest.mark.parametrize("varied", _VARIED_PARTICULARS)
def test_power_revolutions_and_fuel_have_no_steps_in_the_particulars(
    ship_type: ShipType, varied: str
) -> None:
    usual = typical_ship(ship_type, 12_000.0)
    shares = np.linspace(0.9, 1.1, 21)
    found = [
        laden(replace(usual, **{k: s * getattr(usual, k) for k in _VARIED_PARTICULARS[varied]}))
        for s in shares
    ]
    points = [ship.performance(ship.particulars.service_speed_kn) for ship in found]
    figures = np.log([(p.power_kw, p.rpm, p.fuel_t_per_h) for p in points])
    slopes = np.diff(figures, axis=0)
    steps = np.abs(slopes[1:-1] - 0.5 * (slopes[:-2] + slopes[2:]))
    # a second screw is a different ship
    same = np.diff([ship.hull.screws for ship in found]) == 0
    assert np.all(steps[same[1:-1]] < (0.01, 0.018, 0.01))


def _draw_plausible_ship(draw: st.DrawFn) -> ShipParticulars:
    length_m = math.exp(draw(st.floats(math.log(18.0), math.log(480.0))))
    breadth_m = length_m / draw(st.floats(2.5, 12.0))
    scantling_m = breadth_m / draw(st.floats(1.3, 9.0))
    froude = draw(st.floats(0.05, 0.42))
    return ShipParticulars(
        draw(st.sampled_from(ShipType)),
        1.025 * length_m * breadth_m * scantling_m * draw(st.floats(0.02, 0.85)),
        length_m / draw(st.floats(0.85, 1.0)),
        length_m,
        breadth_m,
        scantling_m * draw(st.floats(1.01, 3.0)),
        scantling_m * draw(st.floats(0.6, 1.0)),
        scantling_m,
        max(froude * math.sqrt(9.81 * length_m) / 0.5144, 4.0),
        gross_tonnage=draw(st.none() | st.floats(50.0, 400_000.0)),
        year_built=draw(st.sampled_from([None, 1970, 1995, 2008, 2020])),
    )


@given(st.composite(_draw_plausible_ship)().filter(lambda ship: not find_implausible(ship)))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_ship_that_is_accepted_has_finite_consumption(particulars: ShipParticulars) -> None:
    estimate = estimate_foc(particulars)
    curve = [(point.foc_mt_per_day, point.power_kw) for point in estimate.curve]
    figures = np.array([(estimate.foc_mt_per_day, estimate.power_kw), *curve])
    assert np.all(np.isfinite(figures))
    assert np.all(figures > 0.0)


@given(ships(), st.floats(0.6, 0.95))
@settings(max_examples=25, deadline=None)
def test_more_draught_takes_more_power(particulars: ShipParticulars, share: float) -> None:
    light_m = share * particulars.draft_design_m
    light = build_ship(particulars, Loading(light_m, 0.0, 0.0))
    deep = build_ship(particulars, Loading(1.05 * light_m, 0.0, 0.0))
    speed_kn = 0.9 * particulars.service_speed_kn
    assert deep.performance(speed_kn).power_kw > light.performance(speed_kn).power_kw


@given(ships(), st.floats(1.3, 8.0))
@settings(max_examples=25, deadline=None)
def test_less_water_under_the_keel_never_takes_less_power(
    particulars: ShipParticulars, drafts: float
) -> None:
    ship, depth_m = laden(particulars), drafts * particulars.draft_design_m
    speed_kn = 0.9 * particulars.service_speed_kn
    shoal = ship.performance(speed_kn, depth_m=depth_m).power_kw
    deeper = ship.performance(speed_kn, depth_m=1.2 * depth_m).power_kw
    assert shoal >= deeper * (1.0 - 1e-9) >= ship.performance(speed_kn).power_kw * (1.0 - 1e-8)


@given(ships(), st.floats(0.2, 3.0))
@settings(max_examples=25, deadline=None)
def test_a_following_current_takes_less_fuel_per_mile_over_ground(
    particulars: ShipParticulars, current_kn: float
) -> None:
    ship, over_ground_kn = laden(particulars), 0.95 * particulars.service_speed_kn
    still = ship.performance(over_ground_kn).fuel_t_per_h / over_ground_kn
    helped = ship.performance(over_ground_kn - current_kn).fuel_t_per_h / over_ground_kn
    assert helped < still


@given(ships(), st.data())
@settings(max_examples=25, deadline=None)
def test_a_ship_never_makes_more_than_ordered_or_than_its_power_allows(
    particulars: ShipParticulars, data: st.DataObject
) -> None:
    ship = laden(particulars)
    met = data.draw(seas(particulars.lbp_m))
    ordered_kn = data.draw(st.floats(*speeds(ship)))
    found_kn = ship.attainable_speed_kn(ordered_kn, relative_sea(met, math.inf))
    assert 0.0 < found_kn <= ordered_kn
    if found_kn > max(LEAST_HEADWAY_KN, 1.01 * ship.speed_range_kn[0]):
        assert ship.performance(found_kn, weather=met).load <= 1.03


@pytest.mark.parametrize("ship_type", list(ShipType), ids=lambda t: t.name)
@pytest.mark.parametrize("dwt_t", [1_000.0, 10_000.0, 60_000.0, 200_000.0, 400_000.0])
def test_consumption_is_sensible_for_every_type_and_size(ship_type: ShipType, dwt_t: float) -> None:
    particulars = typical_ship(ship_type, dwt_t)
    estimate = estimate_foc(particulars)
    assert estimate.foc_mt_per_day > 0.0
    assert 140.0 < estimate.sfoc_g_per_kwh < 200.0
    assert len(estimate.curve) >= 7
    rates = [p.foc_mt_per_day for p in estimate.curve]
    assert rates == sorted(rates)
    full = estimate.service_speed_kn
    span = [p for p in estimate.curve if 0.79 * full < p.speed_kn <= full]
    exponent = math.log(span[-1].foc_mt_per_day / span[0].foc_mt_per_day) / math.log(
        span[-1].speed_kn / span[0].speed_kn
    )
    assert 2.4 <= exponent <= 4.0


@given(ships())
@settings(max_examples=30, deadline=None)
def test_a_ship_of_usual_proportions_is_plausible(particulars: ShipParticulars) -> None:
    longest = particulars.loa_m <= 500.0 and particulars.draft_scantling_m <= 30.0
    assert not longest or find_implausible(particulars) == ()


RIVER_SEA_SHIPS = [
    ShipParticulars(ShipType.GENERAL_CARGO, 5_000.0, 138.3, 132.0, 16.7, 5.5, 3.43, 3.53, 10.5),
    ShipParticulars(ShipType.OTHER, 4_000.0, 135.0, 132.0, 14.2, 5.0, 3.5, 3.6, 10.0),
    ShipParticulars(ShipType.TANKER, 2_000.0, 110.0, 107.0, 11.4, 4.0, 2.5, 2.7, 10.0),
    ShipParticulars(ShipType.PASSENGER, 300.0, 135.0, 131.0, 11.45, 3.5, 1.7, 1.8, 12.0),
]


@pytest.mark.parametrize("particulars", RIVER_SEA_SHIPS)
def test_a_long_shallow_ship_needs_less_power_at_less_draught(
    particulars: ShipParticulars,
) -> None:
    powers = [
        build_ship(particulars, Loading(share * particulars.draft_design_m, 0.0, 0.0))
        .performance(particulars.service_speed_kn)
        .power_kw
        for share in (0.35, 0.5, 0.7, 1.0)
    ]
    assert powers == sorted(powers)


def test_a_resistance_of_a_lower_degree_than_fitted_has_its_polynomial() -> None:
    slow = ShipParticulars(ShipType.TANKER, 300_000.0, 333.0, 320.0, 60.0, 30.0, 20.5, 22.0, 4.5)
    ship = build_ship(slow, Loading(15.0, 0.0, slow.dwt_t))
    power_kw, _, _ = fuel_rate(ship.kernel_parameters, 4.5, find_calm_sea(math.inf))
    assert power_kw == pytest.approx(ship.performance(4.5).power_kw, rel=0.01)


@given(ships())
@settings(max_examples=25, deadline=None)
def test_water_counts_as_deep_where_it_takes_a_thousandth_of_speed(
    particulars: ShipParticulars,
) -> None:
    ship = laden(particulars)
    fastest_ms = ship.speed_range_ms[1]
    assert lackenby_speed_loss(fastest_ms, ship.deep_water_m, ship.midship_area_m2) <= 0.00101


def test_hulls_of_proportions_that_no_model_had_are_named() -> None:
    assert find_holtrop_violation(laden(CAPESIZE).hull) is None
    in_ballast = build_ship(CAPESIZE, Loading(ballast_draft_m(CAPESIZE), 0.0, 0.0))
    assert find_holtrop_violation(in_ballast.hull) is None
    stubby = replace(CAPESIZE, breadth_m=80.0, lbp_m=250.0)
    assert find_holtrop_violation(laden(stubby).hull) == (
        "length over breadth is 3.2, of its models 3.9 to 15"
    )
    shallow = build_ship(RIVER_SEA_SHIPS[0], Loading(1.5, 0.0, 0.0))
    assert find_holtrop_violation(shallow.hull) == "length over draught is 90, of its models 40"


def test_a_lower_shaft_speed_caps_the_ships_speed() -> None:
    loading = Loading(18.2, 0.0, 180_000.0)
    free = build_ship(CAPESIZE, loading).performance(13.0)
    capped = build_ship(CAPESIZE, loading, rpm_max=0.9 * free.rpm)
    found_kn = capped.attainable_speed_kn(13.0)
    assert capped.performance(found_kn).rpm == pytest.approx(0.9 * free.rpm, rel=0.002)


def test_the_engine_has_the_power_given_by_the_owner() -> None:
    given = laden(replace(CAPESIZE, installed_power_kw=18_660.0))
    assert given.engine.mcr_kw == 18_660.0
    point = given.performance(13.0)
    assert point.load == pytest.approx(point.power_kw / 18_660.0)


def test_a_coarser_pitch_turns_slower_at_the_same_speed() -> None:
    fine, coarse = (laden(replace(CAPESIZE, pitch_m=p)).performance(13.0) for p in (6.0, 7.5))
    assert coarse.rpm < fine.rpm


def test_trim_by_the_stern_changes_the_power() -> None:
    level = build_ship(CAPESIZE, Loading(10.0, 0.0, 0.0)).performance(13.0)
    trimmed = build_ship(CAPESIZE, Loading(10.0, 3.0, 0.0)).performance(13.0)
    assert trimmed.power_kw != pytest.approx(level.power_kw, rel=1e-4)


@pytest.mark.parametrize(
    ("length_m", "breadth_m", "depth_m", "draft_m", "dwt_t"),
    [(108.0, 11.4, 5.2, 3.6, 2_500.0), (60.0, 10.0, 4.0, 2.1, 700.0)],
)
def test_a_tanker_whose_draught_in_ballast_is_that_of_the_design_is_as_if_laden(
    length_m: float, breadth_m: float, depth_m: float, draft_m: float, dwt_t: float
) -> None:
    given = ShipParticulars(
        ShipType.TANKER,
        dwt_t,
        1.03 * length_m,
        length_m,
        breadth_m,
        depth_m,
        draft_m,
        draft_m,
        11.0,
    )
    assert not find_implausible(given)
    assert ballast_draft_m(given) == draft_m
    ship = laden(given)
    assert ship.wind == fit(TANKER_LADEN)
    assert math.isfinite(ship.performance(10.0).fuel_t_per_h)


def test_seas_from_astern_of_a_ship_as_deep_as_wide_cost_less_than_from_ahead() -> None:
    hull = replace(wave_hull(laden(CAPESIZE).hull), draft_fore_m=10.0, draft_aft_m=45.0)
    ahead, astern = resistance_per_height_squared(
        hull, 6.0, np.array([9.0]), np.array([0.0, 180.0])
    )[0]
    assert abs(astern) < ahead


def test_the_block_coefficient_between_perpendiculars_is_that_of_the_box() -> None:
    hull = laden(CAPESIZE).hull
    box_m3 = CAPESIZE.lbp_m * CAPESIZE.breadth_m * CAPESIZE.draft_design_m
    assert hull.block_coefficient_lpp == pytest.approx(hull.volume_m3 / box_m3)
    assert hull.block_coefficient_lpp > hull.block_coefficient
