"""Voyages of ships that send noon reports alone are followed and reported."""

from datetime import datetime
from typing import Any

import pytest

from app.engine.formatting import format_time
from app.records.instants import format_instant, parse_instant
from tests.integration.voyages import HOUR, Plan, Voyage

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "context", "redis")]


def report_at_noons(voyage: Voyage, places: list[dict[str, Any]], instants: list[datetime]) -> None:
    """Report some places of the planned track, with 1 t an hour since the last report."""
    reports = [
        {
            "timestamp": format_instant(at),
            **{"latitude": place["lat"], "longitude": place["lng"]},
            **{"distance": place["cumulativeNm"] - before["cumulativeNm"]},
            "fuel": (at - last) / HOUR,
        }
        for before, place, last, at in zip(
            [places[0], *places], places, [instants[0], *instants], instants, strict=False
        )
    ]
    answer = voyage.planner.post(f"/vessel/{voyage.vessel_id}/noon-reports", reports)
    assert answer.status_code == 200, answer.text


def test_a_ship_that_sends_noon_reports_alone_is_followed(voyage: Voyage, now: datetime) -> None:
    voyage.planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
    on_track = [at for at in voyage.track if parse_instant(at["time"]) <= now]
    places = [on_track[0], on_track[len(on_track) // 2], on_track[-1]]
    instants = [parse_instant(at["time"]) for at in places]
    report_at_noons(voyage, places, instants)
    voyage.check_position_reports()
    shown = voyage.progress()
    assert shown["isStale"] is False
    progress = shown["progress"]
    assert progress["madeGoodNm"] == pytest.approx(places[-1]["cumulativeNm"], abs=0.5)
    assert progress["sailedNm"] == pytest.approx(places[-1]["cumulativeNm"], rel=0.05)
    assert progress["fuelMt"] == pytest.approx((instants[-1] - instants[0]) / HOUR, abs=0.1)
    assert abs(progress["behindH"]) < 0.1


def test_noon_reports_alone_start_finish_and_report_a_voyage(voyage: Voyage, now: datetime) -> None:
    at_sea = voyage.track[1:-1:20]
    places = [voyage.track[0]] * 2 + at_sea + [voyage.track[-1]] * 2
    early = [parse_instant(place["time"]) - 24 * HOUR for place in places]
    instants = [early[0] - HOUR, *early[1:-1], early[-1] + HOUR]
    assert instants[-1] < now
    report_at_noons(voyage, places, instants)
    path = f"/charting/{voyage.id}"
    voyage.check_position_reports()
    voyage.check_position_reports()
    shown = voyage.progress()
    assert (shown["state"], shown["startedBy"], shown["endedBy"]) == (
        "FINISHED",
        *["position reports"] * 2,
    )
    assert abs(parse_instant(shown["departedAt"]) - early[0]) < 0.1 * HOUR
    assert abs(parse_instant(shown["endedAt"]) - early[-1]) < 0.1 * HOUR
    report = voyage.planner.get(f"{path}/report").get_json()
    assert report["fuel"]["reportedMt"] == pytest.approx((early[-1] - early[0]) / HOUR, rel=0.03)
    assert report["sailedNm"] == pytest.approx(voyage.length_nm, rel=0.05)


def test_the_noon_report_of_the_day_of_departure_counts_from_the_departure(
    voyage: Voyage, now: datetime
) -> None:
    voyage.planner.post(f"/charting/{voyage.id}/start", {"at": format_instant(voyage.departs_at)})
    at_sea = [at for at in voyage.track if parse_instant(at["time"]) <= now][-1]
    reported_at = parse_instant(at_sea["time"])
    report = {
        "timestamp": format_instant(reported_at),
        **{"latitude": at_sea["lat"], "longitude": at_sea["lng"]},
        **{"distance": at_sea["cumulativeNm"], "fuel": 24.0},
        "steamingHours": (reported_at - voyage.departs_at) / HOUR,
    }
    answer = voyage.planner.post(f"/vessel/{voyage.vessel_id}/noon-reports", [report])
    assert answer.status_code == 200, answer.text
    voyage.check_position_reports()
    progress = voyage.progress()["progress"]
    assert progress["sailedNm"] == pytest.approx(at_sea["cumulativeNm"], rel=0.05)
    assert progress["fuelMt"] == pytest.approx(24.0, rel=0.01)


def test_an_expected_voyage_says_that_no_position_has_come(voyage: Voyage) -> None:
    since = format_time(voyage.departs_at - 24 * HOUR)
    reason = voyage.progress()["notStartedReason"]
    assert reason.startswith(f"There is no credible position of the vessel since {since}. ")
    assert "within 10 nm of the first waypoint is followed by one outside" in reason


def test_a_first_report_from_beyond_the_port_s_area_is_said_to_start_nothing(
    voyage: Voyage, now: datetime
) -> None:
    at_sea = next(at for at in voyage.track if 30.0 < at["cumulativeNm"] < 60.0)
    reported_at = now - HOUR
    report_at_noons(voyage, [at_sea], [reported_at])
    voyage.check_position_reports()
    shown = voyage.progress()
    assert shown["state"] == "EXPECTED"
    assert shown["notStartedReason"].startswith(
        f"No position is of the place of departure: the nearest, {format_time(reported_at)}, is"
    )


def test_a_ship_that_has_not_left_is_said_to_lie_in_port(voyage: Voyage, now: datetime) -> None:
    report_at_noons(voyage, voyage.track[:1], [now - HOUR])
    reason = voyage.progress()["notStartedReason"]
    assert "is 0 nm from the first waypoint: the ship has not left." in reason


def test_two_mixed_tracks_are_said_to_keep_a_voyage_from_starting(
    voyage: Voyage, now: datetime
) -> None:
    own = voyage.track[0] | {"cumulativeNm": 0.0}
    other = own | {"lat": -33.0, "lng": 18.0}
    instants = [now - hours * HOUR for hours in (8, 7, 6, 5, 4, 3, 2, 1)]
    report_at_noons(voyage, [own, other] * 4, instants)
    voyage.check_position_reports()
    shown = voyage.progress()
    assert shown["state"] == "EXPECTED"
    assert shown["notStartedReason"].startswith("Two ships seem to report as this one")
    assert "33°00.000'S 018°00.000'E" in shown["notStartedReason"]


def test_a_plan_with_a_newer_one_between_its_ports_is_said_to_be_replaced(
    voyage: Voyage, plan: Plan
) -> None:
    at = format_instant(voyage.departs_at)
    newer = voyage.planner.order(vesselId=voyage.vessel_id, startDate=at)
    plan(newer["id"])
    reason = voyage.progress()["notStartedReason"]
    assert reason.startswith("Positions start the vessel's newest plan between these ports")


def test_a_voyage_under_way_has_no_reason_for_not_starting(voyage: Voyage) -> None:
    departed = {"at": format_instant(voyage.departs_at)}
    started = voyage.planner.post(f"/charting/{voyage.id}/start", departed)
    assert started.get_json()["notStartedReason"] is None


def test_a_departure_report_with_its_position_alone_begins_the_voyage(
    voyage: Voyage, now: datetime
) -> None:
    at_sea = [at for at in voyage.track if parse_instant(at["time"]) <= now][-1]
    departure = {
        "timestamp": format_instant(voyage.departs_at),
        **{"latitude": voyage.track[0]["lat"], "longitude": voyage.track[0]["lng"]},
        "reportType": "DEPARTURE",
    }
    noon = {
        "timestamp": at_sea["time"],
        **{"latitude": at_sea["lat"], "longitude": at_sea["lng"]},
        **{"distance": at_sea["cumulativeNm"], "fuel": 5.0},
    }
    path = f"/vessel/{voyage.vessel_id}/noon-reports"
    answer = voyage.planner.post(path, [departure, noon])
    assert answer.status_code == 200, answer.text
    voyage.check_position_reports()
    shown = voyage.progress()
    assert shown["state"] == "UNDER_WAY"
    assert shown["departedAt"] == format_instant(voyage.departs_at)


def test_a_report_of_arrival_finishes_the_voyage(voyage: Voyage) -> None:
    first, last = voyage.track[0], voyage.track[-1]
    times = [parse_instant(place["time"]) - 24 * HOUR for place in (first, last)]
    reports = [
        {
            "timestamp": format_instant(at),
            **{"latitude": place["lat"], "longitude": place["lng"]},
            **{"distance": nm, "fuel": 20.0, "reportType": kind},
        }
        for place, at, nm, kind in (
            (first, times[0], 0.0, "DEPARTURE"),
            (last, times[1], last["cumulativeNm"], "ARRIVAL"),
        )
    ]
    answer = voyage.planner.post(f"/vessel/{voyage.vessel_id}/noon-reports", reports)
    assert answer.status_code == 200, answer.text
    voyage.check_position_reports()
    voyage.check_position_reports()
    shown = voyage.progress()
    assert (shown["state"], shown["endedBy"]) == ("FINISHED", "position reports")
    assert (shown["departedAt"], shown["endedAt"]) == tuple(map(format_instant, times))
