"""Voyage reports: a deviation from the plan is attributed to its cause."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.engine.monitoring.voyage_report import VoyageReport, report_voyage
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.telemetry.records import VoyageRecords, join_records
from app.engine.times import moment_at
from app.engine.vessel import build_ship
from tests.unit.engine.monitoring.sailed import follow
from tests.unit.engine.storms import make_crossing, make_wall

pytestmark = pytest.mark.atlas

#: Waves all over the voyage's waters.
WEATHERS = {height_m: make_wall(30.0, height_m) for height_m in (1.5, 4.0)}
#: In the midst of the ocean, short, against the waves.
REQUEST = replace(
    make_crossing(),
    departure=Position(45.0, -32.0),
    arrival=Position(42.0, -45.0),
    under_way=True,
)


@pytest.fixture(scope="module")
def plan(sea: SeaAtlas) -> RoutePlan:
    return plan_voyage(REQUEST, sea, WEATHERS[1.5])


def report(
    sea: SeaAtlas,
    plan: RoutePlan,
    records: VoyageRecords,
    height_m: float = 1.5,
    *,
    before_h: float = 0.0,
    after_h: float = 0.0,
) -> VoyageReport:
    """Report a voyage that departed before its first record and arrived after its last."""
    ship = build_ship(REQUEST.ship, REQUEST.loading, rpm_max=REQUEST.rpm_max)
    context = PlanningContext(REQUEST, sea, WEATHERS[height_m], ship)
    departed_at = moment_at(records.times_h[0] - before_h)
    arrived_at = moment_at(records.times_h[-1] + after_h)
    return report_voyage(context, plan, records, departed_at, arrived_at)


def sailed(plan: RoutePlan, **changes: float) -> VoyageRecords:
    return follow(plan, hours=plan.summary.duration_h, every_h=0.25, **changes)


def causes(found: VoyageReport) -> dict[str, float]:
    fuel = found.fuel
    return {
        "weather": fuel.weather_t,
        "speed": fuel.speed_t,
        "track": fuel.track_t,
        "model": fuel.model_t,
    }


def test_a_voyage_sailed_as_planned_deviates_by_no_cause(sea: SeaAtlas, plan: RoutePlan) -> None:
    found = report(sea, plan, sailed(plan))
    assert all(abs(value) < 0.02 * found.fuel.planned_t for value in causes(found).values())
    assert found.time.sailed_h == pytest.approx(found.time.planned_h, abs=0.3)


def test_a_planned_delay_in_harbour_is_no_time_saved_by_the_crew(
    sea: SeaAtlas, plan: RoutePlan
) -> None:
    first, *others = plan.waypoints
    delayed = replace(
        plan,
        waypoints=(replace(first, leaves_at=first.eta + timedelta(hours=5)), *others),
        summary=replace(plan.summary, duration_h=plan.summary.duration_h + 5.0),
    )
    context = PlanningContext.of(replace(REQUEST, under_way=False), sea, WEATHERS[1.5])
    records = follow(plan, hours=plan.summary.duration_h, late_h=5.0, every_h=0.25)
    begins, ends = (moment_at(records.times_h[n]) for n in (0, -1))
    found = report_voyage(context, delayed, records, begins, ends).time
    assert found.planned_h == pytest.approx(plan.summary.duration_h)
    assert (found.weather_h, found.conduct_h) == pytest.approx((0.0, 0.0), abs=0.3)


def test_corners_of_a_coastal_track_between_reports_are_sailed(sea: SeaAtlas) -> None:
    coastal = replace(
        REQUEST,
        departure=Position(51.98, 4.05),
        arrival=Position(38.7, -9.16667),
        under_way=False,
    )
    weather = WEATHERS[1.5]
    planned = plan_voyage(coastal, sea, weather)
    records = sailed(planned)
    context = PlanningContext.of(coastal, sea, weather)
    ends = (moment_at(records.times_h[n]) for n in (0, -1))
    found = report_voyage(context, planned, records, *ends)
    assert found.sailed_nm == pytest.approx(planned.summary.distance_nm, rel=0.003)
    assert abs(found.fuel.track_t) < 0.01 * planned.summary.fuel_t


@pytest.mark.parametrize("changes", [{}, {"fuel_factor": 1.2}, {"late_h": 6.0}])
def test_causes_add_up_to_the_reported_fuel(sea: SeaAtlas, plan: RoutePlan, changes) -> None:
    found = report(sea, plan, sailed(plan, **changes), height_m=4.0)
    total_t = found.fuel.planned_t + sum(causes(found).values())
    assert total_t == pytest.approx(found.fuel.reported_t)
    time = found.time
    assert time.planned_h + time.weather_h + time.conduct_h == pytest.approx(time.sailed_h)


def test_a_consumption_above_the_model_s_is_attributed_to_the_model(
    sea: SeaAtlas, plan: RoutePlan
) -> None:
    plain, thirsty = (report(sea, plan, sailed(plan, fuel_factor=f)) for f in (1.0, 1.2))
    more = {name: causes(thirsty)[name] - causes(plain)[name] for name in causes(plain)}
    assert more["model"] == pytest.approx(0.2 * plan.summary.fuel_t, rel=0.02)
    assert max(abs(more[name]) for name in ("weather", "speed", "track")) < 1e-6


def test_rougher_weather_is_attributed_to_the_weather(sea: SeaAtlas, plan: RoutePlan) -> None:
    as_forecast, rough = (report(sea, plan, sailed(plan), height_m=h) for h in (1.5, 4.0))
    assert rough.fuel.weather_t > as_forecast.fuel.weather_t + 0.1
    assert rough.met_wave_m > as_forecast.met_wave_m + 0.5


def test_a_higher_speed_is_attributed_to_the_speed(sea: SeaAtlas, plan: RoutePlan) -> None:
    usual = sailed(plan)
    fast = usual._replace(times_h=usual.times_h[0] + 0.85 * (usual.times_h - usual.times_h[0]))
    found = report(sea, plan, fast)
    assert found.fuel.speed_t > 0.05 * found.fuel.planned_t
    assert abs(found.fuel.track_t) < 0.02 * found.fuel.planned_t
    assert found.time.conduct_h == pytest.approx(-0.15 * found.time.planned_h, rel=0.05)


def test_a_stop_within_a_leg_is_attributed_to_the_speed_and_not_to_the_track(
    sea: SeaAtlas, plan: RoutePlan
) -> None:
    """The ship drifts for two days in the middle of the voyage, on its track."""
    usual = sailed(plan)
    half, stop_h = usual.times_h.size // 2, np.arange(0.25, 48.0, 0.25)
    there = usual.take(np.full(stop_h.size, half))
    drifting = there._replace(
        times_h=there.times_h + stop_h,
        speed_kn=np.zeros(stop_h.size),
        fuel_t_per_day=np.zeros(stop_h.size),
    )
    after = usual.take(slice(half + 1, None))
    parts = [usual.take(slice(half + 1)), drifting, after._replace(times_h=after.times_h + 48.0)]
    found = report(sea, plan, join_records(parts))
    assert abs(found.fuel.track_t) < 0.02 * found.fuel.planned_t
    assert abs(found.fuel.speed_t) < 0.03 * found.fuel.planned_t
    assert found.time.conduct_h == pytest.approx(48.0, abs=0.5)


def test_a_longer_track_is_attributed_to_the_track(sea: SeaAtlas, plan: RoutePlan) -> None:
    usual = sailed(plan)
    swung = 1.5 * np.sin(np.linspace(0.0, np.pi, usual.times_h.size))
    found = report(sea, plan, usual._replace(lats=usual.lats + swung))
    assert found.fuel.track_t > 0.01 * found.fuel.planned_t
    assert found.sailed_nm > found.planned_nm + 5.0


def test_a_single_report_is_an_error(sea: SeaAtlas, plan: RoutePlan) -> None:
    with pytest.raises(ValueError, match="state the fuel of"):
        report(sea, plan, follow(plan, hours=0.1))


def cut(records: VoyageRecords, first_h: float, last_h: float) -> VoyageRecords:
    """Drop the records of some hours at the beginning and at the end."""
    begin, end = records.times_h[0] + first_h, records.times_h[-1] - last_h
    is_kept = (records.times_h >= begin - 1e-6) & (records.times_h <= end + 1e-6)
    return VoyageRecords(*(values[is_kept] for values in records))


@pytest.mark.parametrize(
    ("first_h", "last_h", "named"), [(28.0, 0.0, "departure"), (0.0, 28.0, "arrival")]
)
def test_reports_that_do_not_reach_an_end_are_refused(
    sea: SeaAtlas, plan: RoutePlan, first_h: float, last_h: float, named: str
) -> None:
    part = cut(sailed(plan), first_h, last_h)
    said = f"nm from the place of {named} and 28.0 h .* Send the ship's reports"
    with pytest.raises(ValueError, match=said):
        report(sea, plan, part, before_h=first_h, after_h=last_h)


@pytest.mark.parametrize(
    ("first_h", "last_h", "said"),
    [(20.0, 0.0, "set after the ship had left"), (0.0, 20.0, "set before the ship came in")],
)
def test_a_start_or_end_that_was_set_at_sea_is_refused(
    sea: SeaAtlas, plan: RoutePlan, first_h: float, last_h: float, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        report(sea, plan, cut(sailed(plan), first_h, last_h), before_h=0.1, after_h=0.1)


def test_daily_reports_from_half_a_day_after_departure_suffice(
    sea: SeaAtlas, plan: RoutePlan
) -> None:
    every_quarter = cut(sailed(plan), 12.0, 0.0)
    daily = VoyageRecords(*(values[::96] for values in every_quarter))
    after_h = float(every_quarter.times_h[-1] - daily.times_h[-1])
    found = report(sea, plan, daily, before_h=12.0, after_h=after_h)
    assert found.departed_at == REQUEST.departs_at
    assert found.time.sailed_h == pytest.approx(found.time.planned_h, abs=0.3)
    assert found.sailed_nm == pytest.approx(found.planned_nm, rel=0.03)
    assert all(abs(value) < 0.03 * found.fuel.planned_t for value in causes(found).values())


def test_hours_in_port_between_the_voyages_times_and_its_reports_are_sailed_hours_without_fuel(
    sea: SeaAtlas, plan: RoutePlan
) -> None:
    exact, wide = (report(sea, plan, sailed(plan), before_h=h, after_h=h) for h in (0.0, 5.0))
    assert wide.time.sailed_h == pytest.approx(exact.time.sailed_h + 10.0)
    assert wide.fuel == exact.fuel


def test_a_voyage_finished_long_after_arrival_ends_with_its_last_report(
    sea: SeaAtlas, plan: RoutePlan
) -> None:
    found = report(sea, plan, sailed(plan), after_h=200.0)
    assert found.time.sailed_h == pytest.approx(found.time.planned_h, abs=0.3)


def test_reports_with_a_gap_of_days_are_refused(sea: SeaAtlas, plan: RoutePlan) -> None:
    whole = sailed(plan)
    since_h = whole.times_h - whole.times_h[0]
    is_kept = (since_h < 10.0) | (since_h > 40.0)
    with pytest.raises(ValueError, match="state the fuel of"):
        report(sea, plan, VoyageRecords(*(values[is_kept] for values in whole)))
