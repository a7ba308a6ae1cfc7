"""Forecast uncertainty in the explanation of a plan."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.engine.formatting import format_time
from app.engine.report.explanation.spread import explain_spread
from app.engine.request import Position
from app.engine.spread import (
    DecisionPoint,
    ExceedancePlace,
    KeptSetting,
    LimitExceedance,
    LimitKind,
    Percentiles,
    Spread,
    SpreadBasis,
    TimePercentiles,
)
from tests.unit.engine.report.test_explanation import PLANS, make_request

NOON = datetime(2026, 1, 20, 12, tzinfo=UTC)
SPREAD = Spread(
    basis=SpreadBasis.MEMBERS,
    member_count=50,
    unsailable_count=0,
    kept=KeptSetting.RPM,
    reason="",
    fuel_t=Percentiles(388.0, 402.0, 421.0),
    duration_h=Percentiles(100.0, 101.0, 104.0),
    eta=TimePercentiles(NOON, NOON + timedelta(hours=1), NOON + timedelta(hours=4)),
    climatology_pct=0.0,
    fan=(),
    exceedances=(),
    outcomes=(),
)


def explain_spread_of(spread: Spread | None) -> str:
    plan = replace(PLANS["rich"], spread=spread)
    return " ".join(filter(None, explain_spread(plan, make_request(plan))))


def test_fuel_and_arrival_are_stated_with_their_basis() -> None:
    assert explain_spread_of(SPREAD) == (
        "From 50 members of the forecast: in eight of ten members the fuel is between 388.0 mt and"
        " 421.0 mt, with a median of 402.0 mt. At the planned revolutions, the ship arrives between"
        " Tue 20 Jan 2026 12:00 UTC and Tue 20 Jan 2026 16:00 UTC."
    )
    assert explain_spread_of(None) == ""


@pytest.mark.parametrize(
    ("kept", "late_h", "said"),
    [
        (KeptSetting.RPM, 0.0, "In eight of ten the ship arrives as planned."),
        (KeptSetting.ETA, 0.4, "In eight of ten the ship keeps the planned arrival."),
        (KeptSetting.RPM, 5.0, "At the planned revolutions, the ship arrives about {}."),
        (
            KeptSetting.ETA,
            5.0,
            "With speeds changed to keep the planned arrival as far as possible, the ship arrives"
            " about {}.",
        ),
        (KeptSetting.RPM, -5.0, "At the planned revolutions, the ship arrives about {}."),
    ],
)
def test_an_arrival_counts_as_kept_only_if_it_is_the_planned_one(
    kept: KeptSetting, late_h: float, said: str
) -> None:
    at = PLANS["rich"].summary.eta + timedelta(hours=late_h)
    text = explain_spread_of(replace(SPREAD, kept=kept, eta=TimePercentiles(at, at, at)))
    assert text.endswith(said.format(format_time(at)))


def test_members_without_headway_are_stated() -> None:
    text = explain_spread_of(replace(SPREAD, unsailable_count=20))
    assert "In 20 more members the ship makes no headway." in text


def test_a_spread_of_typical_forecast_error_is_stated_as_such() -> None:
    text = explain_spread_of(
        replace(SPREAD, basis=SpreadBasis.TYPICAL_ERROR, climatology_pct=41.26)
    )
    assert text.startswith("From typical forecast error, as there is no ensemble: in eight of ten")
    assert (
        "For 41.3 % of the time, beyond the forecast, the spread is that of the climatology" in text
    )


def test_an_exceeded_limit_is_stated_with_probability_place_and_time() -> None:
    place = ExceedancePlace(Position(45.0, -30.0), NOON, 900.0, 6, 0.2)
    waves = LimitExceedance(LimitKind.WAVE_HEIGHT, "m", 6.0, 0.24, 6.4, place, ())
    text = explain_spread_of(replace(SPREAD, exceedances=(waves,)))
    assert (
        "The wave limit is exceeded with a probability of 0.24, most likely on the leg to"
        " waypoint 7 about Tue 20 Jan 2026 12:00 UTC." in text
    )
    kept = explain_spread_of(
        replace(SPREAD, exceedances=(replace(waves, probability=0.0, place=None),))
    )
    assert "The wave limit is exceeded in none of the members." in kept


def test_a_decision_names_the_forecast_to_wait_for() -> None:
    decision = DecisionPoint(6, Position(45.0, -30.0), NOON, NOON - timedelta(hours=12), "for A")
    text = explain_spread_of(replace(SPREAD, decision=decision))
    assert (
        "Wait for the forecast of Tue 20 Jan 2026 00:00 UTC before deciding for A, at waypoint 7,"
        " Tue 20 Jan 2026 12:00 UTC." in text
    )
    now = explain_spread_of(replace(SPREAD, decision=replace(decision, forecast_at=None)))
    assert "Decide for A at waypoint 7" in now
