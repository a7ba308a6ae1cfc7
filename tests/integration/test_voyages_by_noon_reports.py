"""Voyages of ships that send noon reports alone are followed and reported."""

from datetime import datetime
from typing import Any

import pytest

from app.records.instants import format_instant, parse_instant
from tests.integration.voyages import HOUR, Voyage

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
