"""Explanations: consistent with the plan's figures, and different for different facts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shapely import MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.codes import AlternativeKind, WarningCode
from app.engine.facts import CostFact, PassageFact, PlanFacts, SavingFact
from app.engine.formatting import cut, format_miles
from app.engine.plan import Alternative, PlanWarning, RoutePlan
from app.engine.report.explanation import explain
from app.engine.report.explanation.phrases import join_phrases
from app.engine.request import Limits, Objective, Position, TrackKind, VoyageRequest
from app.engine.weather.records import Weather, WeatherSource
from tests.builders import (
    DEPARTS_AT,
    Turn,
    make_plan,
    make_request,
    make_weather,
    north_atlantic_plan,
    north_pacific_plan,
    panama_plan,
    three_plans,
)

#: A number that is no part of a word.
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")
MOMENT = re.compile(r"\w{3} \d\d \w{3} \d{4} \d\d:\d\d UTC")


def leaves(record: Any) -> Iterator[Any]:
    """Yield every value of nested records, mappings and sequences."""
    if isinstance(record, Mapping):
        for value in record.values():
            yield from leaves(value)
    elif isinstance(record, (list, tuple, set)):
        for value in record:
            yield from leaves(value)
    else:
        yield record


def assert_every_number_is_in_the_record(
    text: str, plan: RoutePlan, request: VoyageRequest
) -> None:
    # A reader of the text has the record without the dense profile.
    held = [
        value
        for part in (asdict(replace(plan, profile=())), asdict(request))
        for value in leaves(part)
        if value is not None
    ]
    moments = {v.strftime("%a %d %b %Y %H:%M UTC") for v in held if isinstance(v, datetime)}
    numbers = [float(v) for v in held if isinstance(v, (int, float)) and not isinstance(v, bool)]
    words = {n for v in held if isinstance(v, str) for n in NUMBER.findall(v)}
    assert set(MOMENT.findall(text)) <= moments
    for number in NUMBER.findall(MOMENT.sub("", text)):
        decimals = len(number.partition(".")[2])
        found = any(
            number
            in (
                f"{abs(value):.{decimals}f}",
                f"{abs(cut(value, decimals)):.{decimals}f}",
                format_miles(abs(value)).removesuffix(" nm"),
            )
            for value in numbers
        )
        assert found or number in words, number


def rich_plan(**overrides: Any) -> RoutePlan:
    """Return a plan with content for every paragraph."""
    other = north_pacific_plan()
    baseline = replace(other.summary, eta=north_atlantic_plan().summary.eta)
    settings: dict[str, Any] = {
        "label": "by the Cape of Good Hope",
        "alternatives": (
            Alternative(AlternativeKind.TOPOLOGY, "by Panama", other.summary, other.waypoints),
            Alternative(
                AlternativeKind.REFERENCE, "Charterer's route 7", other.summary, other.waypoints
            ),
            Alternative(
                AlternativeKind.BASELINE,
                "great circle at one speed",
                baseline,
                other.waypoints,
            ),
        ),
        "warnings": (
            PlanWarning(WarningCode.SPEED_LOSS, "The ship makes 9.7 kn at full power on one leg."),
        ),
        "facts": PlanFacts(
            closed_ways=(
                CostFact(
                    "by Suez", 3415.4, 250.25, 288.88, reason="it enters the Red Sea war-risk area"
                ),
            ),
            binding_limits=(CostFact("the wave limit", extra_nm=61.7, extra_fuel_t=4.44),),
            areas_avoided=("Firing range", "Fishing ground", "Reef"),
            means=SavingFact(track_t=8.11, speed_t=4.66),
        ),
    }
    return north_atlantic_plan(**{**settings, **overrides})


PLANS = {**three_plans(), "rich": rich_plan()}


@pytest.mark.parametrize("name", PLANS)
def test_every_number_is_in_the_record(name: str) -> None:
    plan = PLANS[name]
    request = make_request(
        plan,
        limits=Limits(wave_height_m=5.0, wind_speed_ms=17.1, north_lat=62.0),
        arrive_by=plan.waypoints[-1].eta + timedelta(hours=5),
    )
    assert_every_number_is_in_the_record(explain(plan, request), plan, request)


@settings(max_examples=30)
# a third of it is 3.2467 nm, served as 3.25
@example(distance_nm=9.74, fuel=1.0, saved=0.0, cover=0.0, ukc=None)
@given(
    distance_nm=st.floats(0.1, 1e4),
    fuel=st.floats(1.0, 5000.0),
    saved=st.floats(-20.0, 20.0),
    cover=st.floats(0.0, 100.0),
    ukc=st.none() | st.floats(0.0, 4000.0),
)
def test_for_any_figures_every_number_is_in_the_record(
    distance_nm: float, fuel: float, saved: float, cover: float, ukc: float | None
) -> None:
    plan = rich_plan(
        distance_nm=distance_nm,
        eca_distance_nm=distance_nm / 3.0,
        fuel_t=fuel,
        saved_pct=saved,
        forecast_coverage_pct=cover,
        min_ukc_m=ukc,
    )
    request = make_request(plan)
    assert_every_number_is_in_the_record(explain(plan, request), plan, request)


def test_a_number_that_is_not_in_the_record_is_noticed() -> None:
    plan = panama_plan()
    request = make_request(plan)
    with pytest.raises(AssertionError):
        assert_every_number_is_in_the_record("It saves 77.7 mt.", plan, request)
    with pytest.raises(AssertionError):
        assert_every_number_is_in_the_record("Mon 2 Mar 2026 11:11 UTC", plan, request)


def test_different_voyages_read_differently() -> None:
    texts = {name: explain(plan, make_request(plan)) for name, plan in PLANS.items()}
    assert len(set(texts.values())) == len(texts)
    shared = SequenceMatcher(None, texts["rich"], texts["north-pacific"]).ratio()
    assert shared < 0.6


def test_the_voyage_is_named_and_timed() -> None:
    text = explain(
        PLANS["panama"],
        make_request(PLANS["panama"], departure_name="Kingston", arrival_name="Buenaventura"),
    )
    assert text.startswith("Kingston to Buenaventura, by Panama: 931 nm in 69.7 hours,")
    assert "Departure Wed 14 Jan 2026 18:00 UTC, arrival Sat 17 Jan 2026 15:44 UTC." in text
    assert "Narrow waters on the route: Panama Canal." in text


def test_a_closed_route_is_reported_with_its_reason_and_its_cost() -> None:
    text = explain(PLANS["rich"], make_request(PLANS["rich"]))
    assert (
        "Sailing by Suez is closed to this voyage: it enters the Red Sea war-risk area."
        " Avoiding it costs 3415 nm, 250.2 hours and 288.9 mt of fuel." in text
    )


def test_other_routes_are_shown_with_their_figures_and_the_baseline_is_no_other_route() -> None:
    text = explain(PLANS["rich"], make_request(PLANS["rich"]))
    figures = "would cover 4497 nm, take 331.4 hours and burn 427.1 mt."
    assert f"Sailed by Panama, the voyage {figures}" in text
    assert f"The route Charterer's route 7 {figures}" in text
    assert text.count(figures) == 2


def test_another_track_by_the_same_passages_is_named_as_such() -> None:
    other = PLANS["north-pacific"]
    plan = panama_plan(
        alternatives=[
            Alternative(AlternativeKind.TOPOLOGY, "by Panama", other.summary, other.waypoints)
        ]
    )
    assert "Another track by Panama would cover 4497 nm" in explain(plan, make_request(plan))


@pytest.mark.parametrize(
    ("later_h", "expected"),
    [
        (0.2, "arriving at the same time, would"),
        (-26.0, "arrives sooner, Fri 16 Jan 2026 22:12 UTC, and would burn 90.0 mt. No saving is"),
    ],
)
def test_a_baseline_that_arrives_at_another_time_is_reported_with_its_arrival(
    later_h: float, expected: str
) -> None:
    plan = panama_plan()
    eta = datetime(2026, 1, 18, 0, 12, tzinfo=UTC)
    summary = replace(plan.summary, eta=eta, baseline_fuel_t=90.0, saved_pct=2.0)
    other = replace(plan.summary, eta=eta + timedelta(hours=later_h))
    plan = replace(
        plan,
        summary=summary,
        alternatives=(Alternative(AlternativeKind.BASELINE, plan.label, other, plan.waypoints),),
    )
    text = explain(plan, make_request(plan))
    assert expected in text
    assert ("the plan saves" in text) is (later_h > 0.0)


def test_a_reference_route_with_faults_is_not_quoted() -> None:
    other = Alternative(
        AlternativeKind.REFERENCE,
        "Straight on",
        panama_plan().summary,
        panama_plan().waypoints,
        faults=("it crosses 40 nm of land",),
    )
    plan = panama_plan(alternatives=[other])
    assert "Straight on would cover" not in explain(plan, make_request(plan))


def test_savings_are_stated_by_track_and_speeds_except_small_ones() -> None:
    text = explain(PLANS["rich"], make_request(PLANS["rich"]))
    assert "would burn 305.5 mt; the plan saves 4.2 %." in text
    assert "It saves 8.1 mt by the track and 4.7 mt by the speeds and their timing." in text
    facts = replace(PLANS["rich"].facts, means=SavingFact(track_t=8.11, speed_t=0.01))
    small = replace(PLANS["rich"], facts=facts)
    assert "It saves 8.1 mt by the track." in explain(small, make_request(small))


@pytest.mark.parametrize(
    ("means", "words"),
    [
        (SavingFact(track_t=8.11, speed_t=-7.9), "saves 8.1 mt by the track, but loses 7.9 mt by"),
        (SavingFact(track_t=-3.2, speed_t=0.01), "loses 3.2 mt by the track."),
    ],
)
def test_what_track_or_speeds_lose_is_stated_too(means: SavingFact, words: str) -> None:
    plan = replace(PLANS["rich"], facts=replace(PLANS["rich"].facts, means=means))
    assert f"It {words}" in explain(plan, make_request(plan))


@pytest.mark.parametrize(
    ("depth_t", "words"),
    [(0.04, "."), (7.22, " (7.2 mt of it in deeper water)."), (9.3, " in deeper water.")],
)
def test_deeper_water_is_mentioned_if_a_track_saves_by_it(depth_t: float, words: str) -> None:
    facts = replace(PLANS["rich"].facts, means=SavingFact(track_t=8.11, depth_t=depth_t))
    plan = replace(PLANS["rich"], facts=facts)
    assert f"It saves 8.1 mt by the track{words}" in explain(plan, make_request(plan))


@pytest.mark.parametrize(
    ("saved_pct", "words"),
    [(0.01, "the plan burns as much"), (-1.25, "the plan burns 1.2 % more")],
)
def test_a_plan_without_savings_is_explained_as_such(saved_pct: float, words: str) -> None:
    plan = north_atlantic_plan(saved_pct=saved_pct)
    assert words in explain(plan, make_request(plan))


def test_a_plan_that_burns_as_much_saves_nothing_by_track_or_speeds() -> None:
    means = SavingFact(track_t=0.1, speed_t=0.1)
    for saved_pct, is_saving in ((0.04, False), (0.06, True)):
        plan = north_atlantic_plan(saved_pct=saved_pct, facts=PlanFacts(means=means))
        assert ("It saves" in explain(plan, make_request(plan))) is is_saving


def test_unproven_water_shorter_than_a_tenth_of_a_mile_is_not_none() -> None:
    plan = PLANS["panama"]
    for miles, words in ((0.03, "less than 0.1 nm,"), (0.06, "0.1 nm,")):
        crossing = replace(plan, summary=replace(plan.summary, unproven_nm=miles))
        assert f"is crossed for {words}" in explain(crossing, make_request(plan))


@pytest.mark.parametrize(
    ("saved_pct", "words"), [(-1.25, "burns 1.2 % more."), (2.0, "saves 2.0 %."), (0.0, "as much.")]
)
def test_a_baseline_that_breaks_a_limit_is_explained_with_it(saved_pct: float, words: str) -> None:
    plan = north_atlantic_plan(saved_pct=saved_pct)
    broken = "it breaks the wave height limit with 9.0 m"
    other = Alternative(
        AlternativeKind.BASELINE, plan.label, plan.summary, plan.waypoints, faults=(broken,)
    )
    text = explain(replace(plan, alternatives=(other,)), make_request(plan))
    assert f", but {broken}. The plan keeps it and " in text
    assert words in text


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (Objective.FUEL, "for the least fuel"),
        (Objective.TIME, "for the earliest arrival"),
        (Objective.BALANCED, "for the best balance of fuel and time"),
    ],
)
def test_the_objective_is_that_of_the_request(objective: Objective, words: str) -> None:
    assert words in explain(PLANS["panama"], make_request(PLANS["panama"], objective=objective))


@pytest.mark.parametrize("objective", [Objective.FUEL, Objective.BALANCED])
def test_a_late_plan_is_the_earliest_arrival_whatever_the_objective(objective: Objective) -> None:
    plan = PLANS["panama"]
    arrives_at = plan.waypoints[-1].eta
    for late, is_late in ((timedelta(seconds=1), False), (timedelta(minutes=1), True)):
        text = explain(plan, make_request(plan, objective=objective, arrive_by=arrives_at - late))
        reason = "chosen for the earliest arrival, because the one required cannot be met."
        assert (reason in text) is is_late
        assert ("This meets the latest arrival requested" in text) is not is_late


def test_an_edited_route_was_not_chosen_by_the_objective() -> None:
    plan = PLANS["panama"]
    late = make_request(plan, arrive_by=plan.waypoints[-1].eta - timedelta(hours=1))
    assert "was chosen" not in explain(plan, late, is_edited=True)


def test_a_requested_track_is_stated() -> None:
    plan = PLANS["panama"]
    assert "shortest one on rhumb lines" in explain(plan, make_request(plan, track=TrackKind.RHUMB))
    assert "As requested" not in explain(plan, make_request(plan))


@pytest.mark.parametrize(
    ("limit_m", "words"),
    [(5.0, "within the limit of 5.0 m"), (4.5, "above the limit of 4.5 m")],
)
def test_waves_are_compared_with_the_limit(limit_m: float, words: str) -> None:
    plan = north_atlantic_plan()
    request = make_request(plan, limits=Limits(wave_height_m=limit_m))
    text = explain(plan, request)
    assert f"The highest waves are 4.7 m, on the leg to waypoint 3, {words}." in text


def test_limits_are_stated_as_the_captain_gave_them() -> None:
    plan = north_atlantic_plan()
    request = make_request(plan, limits=Limits(wave_height_m=6.0, wind_speed_ms=17.1))
    text = explain(plan, request, wave_limit="Douglas 6", wind_limit="Beaufort 7")
    assert "within the limit of Douglas 6." in text
    assert "within the limit of Beaufort 7." in text


def test_a_limit_that_binds_is_reported_with_its_cost() -> None:
    text = explain(PLANS["rich"], make_request(PLANS["rich"]))
    assert "The wave limit changes the plan and costs 62 nm and 4.4 mt of fuel." in text


def test_unknown_weather_and_depth_are_stated() -> None:
    text = explain(PLANS["north-pacific"], make_request(PLANS["north-pacific"]))
    assert "Waves, wind and currents are unknown" in text
    assert "No depth is known along the route, so the least under-keel clearance is unknown" in text
    assert "waves are" not in text


@pytest.mark.parametrize(
    ("cover", "words"),
    [
        (100.0, "The forecast covers the whole voyage."),
        (66.4, "covers 66.4 % of the time"),
        (0.0, "No forecast covers this voyage"),
    ],
)
def test_the_forecast_coverage_is_stated(cover: float, words: str) -> None:
    plan = north_atlantic_plan(forecast_coverage_pct=cover)
    assert words in explain(plan, make_request(plan))


@pytest.mark.parametrize(("lacking", "field"), [("wind", "wind_source"), ("waves", "wave_source")])
def test_waves_or_wind_are_named_if_they_alone_have_no_forecast(lacking: str, field: str) -> None:
    source: dict[str, Any] = {field: WeatherSource.CLIMATOLOGY}
    plan = make_plan(
        [Turn(0, 0), Turn(0, 5)],
        weather=lambda _place, _time: replace(make_weather(), **source),
        forecast_coverage_pct=0.0,
    )
    words = f"No forecast of the {lacking} covers this voyage, for which climatology is taken."
    assert words in explain(plan, make_request(plan))


@pytest.mark.parametrize(
    ("depths", "words"),
    [
        ((3.0, 4.0, 5.0), "The least under-keel clearance is 3.0 m."),
        ((3.0, None, 5.0), "some legs have unknown depths on a part"),
        ((3.0, None, None), "most legs have unknown depths on a part"),
    ],
)
def test_the_share_of_legs_with_unknown_depth_is_stated(
    depths: tuple[float | None, ...], words: str
) -> None:
    plan = make_plan([Turn(0, 0), *(Turn(0, i, ukc_m=d) for i, d in enumerate(depths, 1))])
    assert words in explain(plan, make_request(plan))


def test_an_arrival_in_time_is_stated_and_a_late_one_only_in_its_warning() -> None:
    plan = panama_plan(
        warnings=[
            PlanWarning(WarningCode.ENDDATE_UNREACHABLE, "Arrival cannot be met. Earliest: later.")
        ]
    )
    late = make_request(plan, arrive_by=plan.waypoints[-1].eta - timedelta(hours=1))
    on_time = make_request(plan, arrive_by=datetime(2026, 1, 18, tzinfo=UTC))
    assert "This meets the latest arrival" not in explain(plan, late)
    assert "Arrival cannot be met. Earliest: later." in explain(plan, late)
    assert "This meets the latest arrival requested, Sun 18 Jan 2026 00:00 UTC." in explain(
        plan, on_time
    )


def test_a_speed_below_the_ordered_range_is_stated() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 4), Turn(0, 8, stw_kn=8.5)])
    text = explain(plan, make_request(plan))
    assert (
        "the ship makes 8.5 to 14.0 kn through the water; 10.0 to 14.5 kn are ordered;"
        " on the slowest leg the ship cannot keep that speed." in text
    )


def test_the_speed_in_a_canal_is_not_counted_as_speed_at_sea() -> None:
    assert "the ship makes 14.0 kn through" in explain(
        PLANS["panama"], make_request(PLANS["panama"])
    )


def test_emission_control_areas_are_explained_by_their_rule() -> None:
    eca = Area(
        "e", "ECA", AreaKind.ECA, AreaRule.PRICED, MultiPolygon([box(-75.0, 39.0, -68.0, 42.0)])
    )
    inside, clear = PLANS["north-atlantic"], PLANS["panama"]
    text = explain(inside, make_request(inside, areas=(eca,)))
    assert "229 nm of the route and 17.3 mt of the fuel" in text
    assert "As requested, the distance inside was reduced" in text
    assert "stays clear of emission" in explain(clear, make_request(clear, areas=(eca,)))
    assert "emission" not in explain(clear, make_request(clear))
    corner = replace(clear, summary=replace(clear.summary, eca_distance_nm=0.4))
    assert "0.4 nm of the route" in explain(corner, make_request(corner, areas=(eca,)))


def test_waiting_before_a_canal_is_stated() -> None:
    facts = PlanFacts(passages=(PassageFact("Panama Canal", "CANAL", 18.0),))
    text = explain(panama_plan(facts=facts), make_request(PLANS["panama"]))
    assert "The time includes waiting 18.0 hours before Panama Canal." in text


def test_paragraphs_are_short_and_the_last_one_refers_to_the_ecdis() -> None:
    paragraphs = explain(PLANS["rich"], make_request(PLANS["rich"])).split("\n\n")
    assert paragraphs[-1] == "Verify on the ECDIS before use."
    assert "The ship makes 9.7 kn at full power on one leg." in paragraphs[-2]
    assert all(len(paragraph) < 900 for paragraph in paragraphs)
    assert not any("  " in paragraph for paragraph in paragraphs)


def test_climatological_currents_are_stated_as_long_term_means() -> None:
    plan = make_plan(
        [Turn(0, 0), Turn(0, 3)], departs_at=DEPARTS_AT, weather=lambda *_: make_weather()
    )
    assert "Currents are long-term means." in explain(plan, make_request(plan))


def test_a_voyage_partly_without_known_waves_says_so() -> None:
    def weather(place: Position, _time: datetime) -> Weather:
        river = replace(make_weather(0.0), wave_source=None)
        return river if place.lng < 1.0 else make_weather(2.0)

    plan = make_plan([Turn(0, 0), Turn(0, 3)], departs_at=DEPARTS_AT, weather=weather)
    text = explain(plan, make_request(plan))
    assert "On a part of the voyage, as on rivers and canals, no waves are known;" in text


def test_a_voyage_without_known_currents_says_so() -> None:
    none = replace(make_weather(), current_speed_kn=None, current_to_deg=None, current_source=None)
    plan = make_plan([Turn(0, 0), Turn(0, 3)], departs_at=DEPARTS_AT, weather=lambda *_: none)
    text = explain(plan, make_request(plan))
    assert "No current is known." in text
    assert "long-term means" not in text


def test_phrases_with_commas_of_their_own_are_joined_by_semicolons() -> None:
    assert join_phrases(["a", "b", "c"]) == "a, b and c"
    assert join_phrases(["Gulf of Suez, north", "the canal"]) == "Gulf of Suez, north; the canal"
