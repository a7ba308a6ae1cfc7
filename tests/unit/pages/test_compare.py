"""Comparison of the planned route with its alternatives."""

from dataclasses import replace
from typing import Any

import pytest

from app.engine.plan import Alternative
from app.pages.presenters.compare import (
    compare_routes,
    eca_hours,
    list_alternative_profiles,
    list_alternatives,
)
from app.records.record import Json
from app.services.plan_codec import write_plan
from tests.builders import north_atlantic_plan

NO_LIMITS = {"waveM": None, "windMs": None}


def stored(**alternatives: Any) -> Json:
    plan = north_atlantic_plan()
    others = tuple(
        Alternative(kind, kind.lower(), replace(plan.summary, **changes), plan.waypoints)
        for kind, changes in alternatives.items()
    )
    return write_plan(replace(plan, alternatives=others))


def rows(plan: Json, limits: dict[str, float | None] = NO_LIMITS) -> list[dict[str, Any]]:
    return compare_routes(plan["label"], plan["summary"], plan["plan"], limits)


def test_every_alternative_keeps_its_dense_profile() -> None:
    plan = north_atlantic_plan()
    others = tuple(
        Alternative(kind, kind.lower(), plan.summary, plan.waypoints, profile=profile)
        for kind, profile in (("BASELINE", plan.profile[:2]), ("REFERENCE", plan.profile[:3]))
    )
    written = write_plan(replace(plan, alternatives=others))
    profiles = list_alternative_profiles(written["plan"], written["alternative_profiles"])
    assert profiles == [written["profile"][:2], written["profile"][:3]]
    assert all("profile" not in other for other in written["plan"]["alternatives"])
    assert list_alternative_profiles(written["plan"], []) == []


def test_a_reference_route_keeps_the_spelling_of_its_name() -> None:
    plan = north_atlantic_plan()
    files = [
        Alternative("REFERENCE", name, plan.summary, plan.waypoints)
        for name in ("r1.csv", "m/s Ane")
    ]
    shown = rows(write_plan(replace(plan, alternatives=tuple(files))))
    assert [row["label"] for row in shown[1:]] == ["r1.csv", "m/s Ane"]


def test_the_planned_route_comes_first_and_differs_from_itself_by_nothing() -> None:
    (planned, other) = rows(stored(TOPOLOGY={"fuel_t": 400.0}))
    assert (planned["label"], planned["number"]) == ("Direct", None)
    assert (other["label"], other["number"]) == ("Topology", 0)


def test_an_alternative_shows_its_extra_cost() -> None:
    plan = stored(BASELINE={"fuel_t": 400.0, "duration_h": 100.0})
    (planned, other) = rows(plan)
    assert other["moreHours"] == pytest.approx(100 - planned["durationH"])
    assert other["reason"] == "Baseline: shortest, constant speed"
    assert (planned["isBaseline"], other["isBaseline"]) == (False, True)


def test_points_of_the_trade_off_curve_are_not_alternatives() -> None:
    plan = stored(FRONT={}, TOPOLOGY={}, REFERENCE={})
    assert [other["kind"] for other in list_alternatives(plan["plan"])] == ["TOPOLOGY", "REFERENCE"]
    assert [row["number"] for row in rows(plan)] == [None, 0, 1]


def test_an_alternative_that_equals_the_plan_is_left_out() -> None:
    plan = north_atlantic_plan()
    others = tuple(
        Alternative("BASELINE", plan.label, replace(plan.summary, fuel_t=fuel_t), plan.waypoints)
        for fuel_t in (1.0005 * plan.summary.fuel_t, 1.02 * plan.summary.fuel_t)
    )
    shown = rows(write_plan(replace(plan, alternatives=others)))
    assert [row["number"] for row in shown] == [None, 1]


def test_an_alternative_that_equals_the_baseline_is_marked_as_it() -> None:
    plan = north_atlantic_plan()
    slower = replace(plan.summary, duration_h=1.5 * plan.summary.duration_h)
    others = tuple(
        Alternative(kind, "Skagen", slower, plan.waypoints) for kind in ("TOPOLOGY", "BASELINE")
    )
    (planned, other) = rows(write_plan(replace(plan, alternatives=others)))
    assert (planned["isBaseline"], other["isBaseline"], other["number"]) == (False, True, 0)
    assert other["label"] == "Skagen, constant speed"


def test_a_limit_is_broken_beyond_it_and_not_on_it() -> None:
    plan = stored(TOPOLOGY={"max_wave_m": 6.0, "max_wind_ms": 20.0})
    at_limit = rows(plan, {"waveM": 6.0, "windMs": 19.9})[1]
    assert (at_limit["isOverWave"], at_limit["isOverWind"]) == (False, True)
    assert not any(row["isOverWave"] for row in rows(plan))


def test_hours_in_ecas_are_those_of_the_legs_inside_by_the_share_of_their_miles() -> None:
    waypoints = [
        {"eta": "2026-01-01T00:00:00Z", "legDistanceNm": 0, "inEca": False},
        {"eta": "2026-01-01T10:00:00Z", "legDistanceNm": 100, "inEca": False},
        {"eta": "2026-01-01T20:00:00Z", "legDistanceNm": 120, "inEca": True},
    ]
    assert eca_hours(120, waypoints) == pytest.approx(10)
    assert eca_hours(60, waypoints) == pytest.approx(5)
    assert eca_hours(0, waypoints[:2]) == 0


def test_the_best_of_each_figure_is_marked_among_the_routes_without_faults() -> None:
    plan = stored(TOPOLOGY={"fuel_t": 100.0, "max_wave_m": 9.0}, REFERENCE={"fuel_t": 50.0})
    plan["plan"]["alternatives"][1]["faults"] = ["It crosses land."]
    planned, other, unsafe = rows(plan)
    assert "fuelMt" in other["best"]
    assert "maxWaveM" in planned["best"]
    assert unsafe["best"] == set()


def test_no_route_is_best_where_all_figures_are_shown_alike() -> None:
    planned, other = rows(stored(TOPOLOGY={"fuel_t": 400.0}))
    assert planned["best"] == {"fuelMt"} or other["best"] == {"fuelMt"}
