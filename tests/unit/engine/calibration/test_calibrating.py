"""Calibrations recover a ship's response from its reports, within the stated errors."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.calibration.calibrating import Calibration, NotEnoughReports, calibrate, observe
from app.engine.calibration.declared import find_contradictions, fit_declared
from app.engine.calibration.filtering import find_implausible
from app.engine.calibration.parameters import (
    FOULING_PER_MONTH,
    LEVEL,
    MONTH_H,
    SCALARS,
    continue_fouling,
)
from app.engine.calibration.proposing import explain_not_better
from app.engine.calibration.reports import ShipReports, find_response
from app.engine.particulars import (
    DeclaredPoint,
    Loading,
    MeasuredResponse,
    PointSource,
    ShipParticulars,
    ShipType,
)
from app.engine.vessel import build_ship
from app.engine.vessel import kernels as k
from app.engine.vessel.foc import service_point
from benchmarks.calibration import level_standard_error
from benchmarks.synthetic_reports import KnownShip, list_particulars, make_ship

SHIPS = list_particulars()
CAPESIZE = SHIPS[0]


@pytest.fixture(scope="module")
def known() -> KnownShip:
    return make_ship(CAPESIZE, 3, with_power=True)


@pytest.fixture(scope="module")
def found(known: KnownShip) -> Calibration:
    return calibrate(CAPESIZE, known.reports)


def errors_of(calibration: Calibration) -> dict[str, float]:
    return {estimate.name: estimate.standard_error for estimate in calibration.estimates}


def test_progress_passes_through_all_stages_and_changes_no_result(
    known: KnownShip, found: Calibration
) -> None:
    seen: list[tuple[float, str]] = []
    again = calibrate(
        CAPESIZE, known.reports, on_progress=lambda fraction, stage: seen.append((fraction, stage))
    )
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions)
    assert (fractions[0], len({*fractions}) > 20, fractions[-1] <= 1.0) == (0.0, True, True)
    assert [*dict.fromkeys(stage for _, stage in seen)] == [
        "Checking reports", "Fitting the earlier reports", "Validating the fit",
        "Fitting all reports", "Estimating errors",
    ]  # fmt: skip
    assert again.response() == found.response()


def test_a_calibration_stops_when_its_progress_raises(known: KnownShip) -> None:
    reports: list[str] = []

    def stop(fraction: float, stage: str) -> None:
        reports.append(stage)
        if len(reports) == 30:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        calibrate(CAPESIZE, known.reports, on_progress=stop)
    assert len(reports) == 30


def test_true_parameters_lie_in_their_intervals_for_most_ships():
    inside = total = 0
    for number in range(0, len(SHIPS), 2):
        ship = make_ship(SHIPS[number], 40 + number)
        fitted = calibrate(ship.particulars, ship.reports)
        level = np.log(fitted.response().calm)
        pairs = [(level, level_standard_error(fitted), ship.truth[0])]
        pairs += [
            (estimate.value, estimate.standard_error, truth)
            for estimate, truth in zip(fitted.estimates[1:], ship.truth[1:], strict=True)
            if estimate.is_measured
        ]
        inside += sum(abs(value - truth) <= 1.645 * error for value, error, truth in pairs)
        total += len(pairs)
        assert fitted.held_out is not None
        assert fitted.held_out.is_better
        assert fitted.held_out.after_median_abs_pct < 5.0
    assert inside >= 0.85 * total


def test_wrong_units_and_frozen_sensors_are_excluded_with_reasons(
    known: KnownShip, found: Calibration
):
    reasons = {outlier.index: outlier.reason for outlier in found.outliers}
    assert known.planted
    for index, unit in known.planted.items():
        assert unit in reasons[index]
    assert "weather is beyond what occurs" in reasons.values()
    assert "fuel is not above 0" in reasons.values()
    assert found.records == known.reports.times_h.size
    assert found.used + len(found.outliers) == found.records


def test_a_fortnight_in_short_tons_is_excluded_and_does_not_change_the_fit():
    ship = make_ship(CAPESIZE, 11, with_faults=False)
    fuel = ship.reports.fuel_t_per_h.copy()
    fuel[100:116] /= 0.907185
    spoilt = calibrate(CAPESIZE, ship.reports._replace(fuel_t_per_h=fuel))
    named = [o.index for o in spoilt.outliers if "short tons" in o.reason]
    assert len(set(named) & set(range(100, 116))) >= 12
    assert len(set(named) - set(range(100, 116))) <= 2
    clean = calibrate(CAPESIZE, ship.reports)
    assert not any("short tons" in outlier.reason for outlier in clean.outliers)
    moved = spoilt.response().calm / clean.response().calm
    assert moved == pytest.approx(1.0, abs=0.01)


def test_nine_reports_measure_only_the_level_with_a_wide_interval(found: Calibration):
    few = make_ship(CAPESIZE, 5, with_faults=False)
    fitted = calibrate(CAPESIZE, few.reports.take(slice(0, 9)))
    assert [estimate.is_measured for estimate in fitted.estimates] == [True, False, False, False]
    assert errors_of(fitted)["resistance"] > 2.0 * errors_of(found)["resistance"]
    # parameters that are not measured are as uncertain as before
    assert errors_of(fitted)["weather"] == pytest.approx(0.4)


def test_a_year_of_reports_is_proposed(found: Calibration):
    assert explain_not_better(CAPESIZE, found) == ()


def test_fewer_than_five_days_held_out_are_no_proof(known: KnownShip):
    few = calibrate(CAPESIZE, make_ship(CAPESIZE, 5, with_faults=False).reports.take(slice(0, 12)))
    assert few.held_out is not None
    assert few.held_out.is_better
    assert explain_not_better(CAPESIZE, few) == (
        f"{few.held_out.days} days could be held out; at least 5 are needed",
    )
    fewer = calibrate(CAPESIZE, known.reports.take(slice(0, 4)))
    assert explain_not_better(CAPESIZE, fewer)[0].startswith("0 days could be held out")


def test_an_estimate_at_its_bound_is_not_proposed():
    reports = make_ship(CAPESIZE, 5, with_faults=False).reports
    heavy = calibrate(CAPESIZE, reports._replace(fuel_t_per_h=1.8 * reports.fuel_t_per_h))
    assert heavy.held_out is not None
    assert heavy.held_out.is_better
    (reason,) = explain_not_better(CAPESIZE, heavy)
    assert reason.startswith("the estimate of resistance is at its bound (+0.35)")


def test_scattered_reports_are_not_proposed(known: KnownShip):
    reports = make_ship(CAPESIZE, 5, with_faults=False).reports
    scatter = np.exp(np.random.default_rng(1).normal(0.0, 0.6, reports.times_h.size))
    scattered = calibrate(CAPESIZE, reports._replace(fuel_t_per_h=scatter * reports.fuel_t_per_h))
    reasons = explain_not_better(CAPESIZE, scattered)
    assert any(reason.startswith("the standard error of a voyage's fuel is") for reason in reasons)


def test_a_trend_needs_half_a_year_and_restarts_at_a_docking(known: KnownShip):
    half = calibrate(CAPESIZE, known.reports.take(slice(0, 100)))
    assert half.fit.trend.times_h.size == 0
    ship = make_ship(CAPESIZE, 8, with_faults=False)
    docked_h = float(ship.reports.times_h[150])
    cleaned = np.where(ship.reports.times_h > docked_h, 0.9, 1.0) * ship.reports.fuel_t_per_h
    fitted = calibrate(CAPESIZE, ship.reports._replace(fuel_t_per_h=cleaned), dockings_h=[docked_h])
    times_h = docked_h + np.array([-24.0, 24.0])
    before, after, share = fitted.fit.trend.locate(times_h)
    knots = fitted.fit.values[SCALARS:]
    levels = (1.0 - share) * knots[before] + share * knots[after]
    assert np.exp(levels[1] - levels[0]) == pytest.approx(0.88, abs=0.04)


def test_a_docking_after_a_few_months_of_reports_widens_the_error():
    reports = make_ship(CAPESIZE, 3, days=120).reports
    found = calibrate(CAPESIZE, reports)
    docked_h = found.last_h + MONTH_H
    docked = calibrate(CAPESIZE, reports, dockings_h=[docked_h]).response()
    before = found.response()
    assert before.measured_to_h is None
    assert docked.measured_to_h == docked_h
    assert docked.calm == pytest.approx(before.calm)
    assert docked.standard_error == pytest.approx(np.hypot(before.standard_error, 0.1))


def test_the_draught_of_a_small_ship_is_rounded_by_its_own_scale():
    reports = make_ship(CAPESIZE, 3, days=30).reports
    coaster = ShipParticulars(ShipType.GENERAL_CARGO, 500.0, 50.0, 46.0, 9.0, 4.0, 3.0, 3.2, 10.0)
    drafts_m = np.linspace(2.9, 3.1, reports.times_h.size)
    found = find_response(coaster, reports._replace(draft_m=drafts_m, trim_m=0.0 * drafts_m))
    exact = build_ship(coaster, Loading(2.9, 0.0, 0.0)).calm_resistance_n(found.speed_ms[0])
    assert found.calm_n[0] == pytest.approx(exact, rel=0.01)


def test_fouling_continues_after_the_last_report_up_to_five_years(found: Calibration):
    response = found.response()
    assert response.measured_to_h == found.last_h
    assert continue_fouling(response, found.last_h - 100.0) == response
    in_a_year = continue_fouling(response, found.last_h + 12.0 * MONTH_H)
    assert in_a_year.calm / response.calm == pytest.approx(np.exp(12.0 * FOULING_PER_MONTH))
    assert found.fit.trend.fouling_since(np.array([found.last_h + 12.0 * MONTH_H])) == (
        pytest.approx(12.0 * FOULING_PER_MONTH, abs=0.001)
    )
    in_ten_years = continue_fouling(response, found.last_h + 120.0 * MONTH_H)
    assert in_ten_years.calm / response.calm == pytest.approx(np.exp(60.0 * FOULING_PER_MONTH))


def test_a_docking_after_the_last_report_takes_the_fouling_away_and_widens_the_error(
    known: KnownShip, found: Calibration
):
    docked_h = found.last_h + MONTH_H
    docked = calibrate(CAPESIZE, known.reports, dockings_h=[docked_h]).response()
    fouled = continue_fouling(found.response(), docked_h)
    assert docked.measured_to_h == docked_h
    assert docked.calm == pytest.approx(min(np.exp(found.fit.values[LEVEL]), fouled.calm))
    assert docked.calm < fouled.calm
    assert docked.standard_error == pytest.approx(np.hypot(fouled.standard_error, 0.1))
    in_a_year = continue_fouling(docked, docked_h + 12.0 * MONTH_H)
    assert in_a_year.calm / docked.calm == pytest.approx(np.exp(12.0 * FOULING_PER_MONTH))


def test_a_response_without_a_trend_stays_as_it_is(known: KnownShip):
    half = calibrate(CAPESIZE, known.reports.take(slice(0, 100))).response()
    assert continue_fouling(half, known.reports.times_h[-1] + 1e5) == half


def test_the_model_of_a_calibrated_ship_burns_the_fuel_of_the_fit(
    known: KnownShip, found: Calibration
):
    latest = known.reports.take(slice(-1, None))
    seen = observe(CAPESIZE, latest)
    draft_m, trim_m = (
        round(float(latest.draft_m[0]) * 4) / 4,
        round(float(latest.trim_m[0]) * 2) / 2,
    )
    seen = seen._replace(log_draft=np.log([draft_m / CAPESIZE.draft_design_m]))
    ship = build_ship(
        dataclasses.replace(CAPESIZE, response=found.response()),
        Loading(draft_m, trim_m, CAPESIZE.dwt_t),
    )
    resistance = float(found.fit.resistance(seen)[0][0])
    power, _ = ship.power_for_resistance(float(seen.response.speed_ms[0]), resistance)
    expected = float(np.exp(found.fit.log_fuel(seen)[0]))
    load = power / ship.engine.mcr_kw
    curve = 1.280 + load * (-0.710 + load * 0.455)
    assert 1e-6 * power * ship.engine.base_sfoc_g_kwh * curve == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_resistance_of_the_compiled_ship_is_scaled_by_its_factors(factor: float):
    loading = Loading(CAPESIZE.draft_design_m, 0.0, CAPESIZE.dwt_t)
    plain = build_ship(CAPESIZE, loading).kernel_parameters
    scaled = build_ship(
        dataclasses.replace(CAPESIZE, response=MeasuredResponse(factor, 0.0, factor)), loading
    )
    for along, across in ((8.0, 3.0), (-6.0, 9.0)):
        both = [
            k.calm_resistance_n(ship.scalars, 7.0)
            + k.wave_resistance_n(ship, 7.0, 3.0, 9.0, 30.0)
            + k.wind_resistance_n(ship.scalars, 7.0, along, across)
            for ship in (plain, scaled.kernel_parameters)
        ]
        assert both[1] / both[0] == pytest.approx(factor, rel=1e-3)


def test_two_declared_points_move_the_curve_towards_them():
    loading = Loading(CAPESIZE.draft_design_m, 0.0, CAPESIZE.dwt_t)
    base = build_ship(CAPESIZE, loading)
    points = [
        DeclaredPoint(speed, 0.85 * service_point(base, speed).foc_mt_per_day, beaufort=5.0)
        for speed in (12.0, 14.0)
    ]
    measured = dataclasses.replace(CAPESIZE, response=fit_declared(CAPESIZE, tuple(points)))
    ship = build_ship(measured, loading)
    third = service_point(ship, 13.0).foc_mt_per_day / service_point(base, 13.0).foc_mt_per_day
    assert third == pytest.approx(0.85, abs=0.04)


def test_points_that_contradict_each_other_are_found():
    sane = [DeclaredPoint(12.0, 40.0), DeclaredPoint(14.0, 60.0)]
    assert find_contradictions(sane) == []
    assert find_contradictions([*sane, DeclaredPoint(13.0, 30.0)]) == [(0, 2)]
    trial = dataclasses.replace(sane[0], fuel_t_per_day=70.0, source=PointSource.SEA_TRIAL)
    assert find_contradictions([trial, sane[1]]) == []


def test_a_ship_at_rest_has_not_enough_reports():
    reports = make_ship(CAPESIZE, 1).reports
    with pytest.raises(NotEnoughReports, match="not under way at sea speed"):
        calibrate(CAPESIZE, reports._replace(speed_kn=np.full(reports.times_h.size, 1.0)))


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.75, 0.9, 1.1, 1.3]))
def test_a_ship_that_burns_more_never_calibrates_to_less(seed: int, factor: float):
    ship = make_ship(SHIPS[seed % len(SHIPS)], seed, days=90, with_faults=False)
    burnt = ship.reports.fuel_t_per_h
    fitted = [
        calibrate(ship.particulars, ship.reports._replace(fuel_t_per_h=share * burnt))
        for share in (1.0, factor)
    ]
    plain, scaled = (calibration.response().calm for calibration in fitted)
    assert (scaled >= plain) == (factor >= 1.0) or scaled == plain


def test_a_frozen_sensor_is_excluded_but_daily_values_are_not():
    known = make_ship(CAPESIZE, 5, days=60, with_faults=False)
    hourly = np.repeat(np.arange(40), 24)
    random = np.random.default_rng(1)
    dense = known.reports.take(hourly)._replace(
        times_h=np.arange(hourly.size) + 1.0,
        hours=np.ones(hourly.size),
        is_noon=np.zeros(hourly.size, dtype=np.bool_),
    )
    assert not find_frozen(dense)
    speed = dense.speed_kn * (1.0 + 0.005 * random.normal(size=hourly.size))
    speed[100:112] = speed[100]
    assert find_frozen(dense._replace(speed_kn=speed)) == set(range(100, 112))


@pytest.mark.parametrize("hours", [0.5, 3.0, 11.9, 12.0, 19.9])
def test_a_noon_report_of_few_hours_under_way_is_excluded(hours: float):
    known = make_ship(CAPESIZE, 5, days=10, with_faults=False).reports
    steaming = np.where(np.arange(known.hours.size) == 1, hours, 20.0)
    found = find_implausible(CAPESIZE, known._replace(hours=steaming))
    assert found == {1: "fewer than 20 h under way"}


def find_frozen(reports: ShipReports) -> set[int]:
    found = find_implausible(CAPESIZE, reports)
    return {index for index, reason in found.items() if reason == "the log stands still"}


def test_power_inconsistent_with_the_fuel_does_not_change_the_fit(known: KnownShip):
    silent = known.reports._replace(power_kw=np.full(known.reports.times_h.size, np.nan))
    without = calibrate(CAPESIZE, silent)
    for factor in (0.0, 0.001, 0.5):
        spoilt = known.reports._replace(power_kw=factor * known.reports.power_kw)
        assert calibrate(CAPESIZE, spoilt).response() == without.response()


def test_records_of_one_day_with_correlated_errors_count_less():
    known = make_ship(CAPESIZE, 5, days=80, with_faults=False)
    days = known.reports.take(slice(0, 40))
    hourly = np.repeat(np.arange(40), 24)
    noise = np.exp(0.02 * np.random.default_rng(2).normal(size=hourly.size))
    dense = days.take(hourly)
    dense = dense._replace(
        times_h=dense.times_h - np.tile(np.arange(24)[::-1], 40),
        hours=np.ones(hourly.size),
        is_noon=np.zeros(hourly.size, dtype=np.bool_),
        fuel_t_per_h=dense.fuel_t_per_h * noise,
    )
    by_day, by_hour = errors_of(calibrate(CAPESIZE, days)), errors_of(calibrate(CAPESIZE, dense))
    assert by_hour["resistance"] > 0.6 * by_day["resistance"]


def test_a_hull_continues_to_foul_after_the_last_report():
    known = make_ship(CAPESIZE, 21, with_faults=False)
    early = known.reports.take(known.reports.times_h < 24.0 * 250)
    fitted = calibrate(CAPESIZE, early).fit
    late = known.reports.take(known.reports.times_h > 24.0 * 330)
    at_last = late._replace(times_h=np.full(late.times_h.size, early.times_h[-1]))
    on, held = (fitted.resistance(observe(CAPESIZE, reports))[1] for reports in (late, at_last))
    months = (late.times_h - early.times_h[-1]) / MONTH_H
    assert np.log(on / held) == pytest.approx(FOULING_PER_MONTH * months)
