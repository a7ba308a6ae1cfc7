"""A vessel's statistics through the API, on a real database."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from app.engine.geodesy import great_circle_distance_nm
from app.engine.times import hours_since_epoch, moment_at
from app.records.instants import format_instant, parse_instant
from tests.integration.client import ApiClient
from tests.integration.test_telemetry import at

pytestmark = pytest.mark.services


def sail(planner: ApiClient, vessel_id: str, hours: int = 48, **changes: Any) -> None:
    """Eastward along 50 N at a fifth of a degree an hour, reported hourly."""
    records = [
        at(hour, latitude=50.0, longitude=-20.0 + 0.2 * hour, speed=7.7, **changes)
        for hour in range(hours + 1)
    ]
    assert planner.post(f"/telemetry/{vessel_id}/batch", records).get_json()["stored"] == hours + 1


def test_figures_are_those_of_the_records(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    sail(planner, vessel_id, fuelConsumption=24.0)
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    miles = 48 * float(great_circle_distance_nm(50.0, -20.0, 50.0, -19.8))
    assert stats["distanceNm"] == round(miles, 2)
    assert stats["hoursUnderway"] == pytest.approx(48.0)
    assert stats["fuelMt"] == pytest.approx(48.0)
    assert stats["focMtPerDay"] == pytest.approx(24.0)
    assert stats["fuelPerNm"] == round(48.0 / miles, 6)
    assert stats["co2Mt"] == round(48.0 * 3.151, 3)
    assert stats["fuelBasis"] == "MAIN_ENGINE_ONLY"
    assert stats["telemetryCount"] == 49
    assert stats["period"] == {"from": "2026-03-01T12:00:00Z", "to": "2026-03-03T12:00:00Z"}


def test_the_carbon_intensity_is_co2_over_capacity_and_distance(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    sail(planner, vessel_id)
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    cii = stats["cii"]
    attained = 1e6 * stats["co2Mt"] / (82_000 * stats["distanceNm"])
    assert cii["attained"] == pytest.approx(attained, abs=0.001)
    # MEPC.353(78): 4745 capacity^-0.622, less 11 % in 2026
    assert cii["required"] == pytest.approx(0.89 * 4745 * 82_000**-0.622, abs=0.001)
    assert cii["rating"] in "ABCDE"


def test_without_records_every_figure_is_unknown(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    unknown = {
        "distanceNm",
        "hoursUnderway",
        "avgSpeedKn",
        "fuelMt",
        "fuelPerNm",
        "co2Mt",
        "fuelBasis",
    }
    assert {stats[name] for name in unknown} == {None}
    assert stats["cii"] == {"attained": None, "required": None, "rating": None}
    assert stats["telemetryCount"] == stats["voyages"] == 0


def test_what_lies_between_records_days_apart_is_not_counted(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    path = f"/telemetry/{vessel_id}"
    for hours, lng in ((0, -20.0), (1, -19.8), (100, 10.0), (101, 10.2)):
        planner.post(path, at(hours, latitude=50.0, longitude=lng))
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    assert stats["hoursUnderway"] == pytest.approx(2.0)
    assert stats["distanceNm"] < 20.0


def test_fuel_burnt_lying_still_counts_and_its_hours_are_not_under_way(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    records = [at(hour, speed=0.0, fuelConsumption=2.4) for hour in range(11)]
    planner.post(f"/telemetry/{vessel_id}/batch", records)
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    assert stats["hoursUnderway"] == 0.0
    assert stats["fuelMt"] == pytest.approx(1.0)
    assert stats["avgSpeedKn"] is stats["focMtPerDay"] is None


@pytest.mark.parametrize(
    ("step_h", "hours", "records"),
    [(1, [12.0, 24.0, 12.0], [12, 24, 13]), (12, [12.0, 24.0, 12.0], [1, 2, 2]),
     (24, [0.0, 24.0, 24.0], [1, 1, 1])],
)  # fmt: skip
def test_an_interval_counts_in_the_day_in_which_it_ends(
    planner: ApiClient, step_h: int, hours: list[float], records: list[int]
) -> None:
    vessel_id = planner.make_vessel()["id"]
    reports = [
        at(hour, latitude=50.0, longitude=-20.0 + 0.2 * hour, fuelConsumption=24.0)
        for hour in range(0, 49, step_h)
    ]
    planner.post(f"/telemetry/{vessel_id}/batch", reports)
    path = f"/vessel/{vessel_id}/stats"
    days = [planner.get(f"{path}?from=2026-03-0{n}&to=2026-03-0{n}").get_json() for n in (1, 2, 3)]
    assert [day["hoursUnderway"] or 0.0 for day in days] == hours
    assert [day["telemetryCount"] for day in days] == records
    whole = planner.get(path).get_json()
    for name in ("distanceNm", "fuelMt", "co2Mt"):
        assert sum(day[name] or 0.0 for day in days) == pytest.approx(whole[name], abs=0.02)
    assert days[-1]["period"]["to"] == "2026-03-03T23:59:59.999Z"


@pytest.mark.parametrize("period", ["from=0001-01-01", "to=9999-12-31", "to=0001-01-01"])
def test_any_period_can_be_asked_for(planner: ApiClient, period: str) -> None:
    vessel_id = planner.make_vessel()["id"]
    sail(planner, vessel_id)
    answer = planner.get(f"/vessel/{vessel_id}/stats?{period}")
    assert answer.status_code == 200, answer.text


def test_the_last_day_of_a_year_is_rated_by_that_year(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    records = [
        at(0, latitude=50.0, longitude=-20.0 + 0.2 * hour, speed=7.7)
        | {"timestamp": format_instant(datetime(2025, 12, 31, tzinfo=UTC) + timedelta(hours=hour))}
        for hour in range(25)
    ]
    planner.post(f"/telemetry/{vessel_id}/batch", records)
    year = planner.get(f"/vessel/{vessel_id}/stats?from=2025-01-01&to=2025-12-31").get_json()
    assert year["hoursUnderway"] == 24.0
    # MEPC.338(76): less 9 % in 2025
    assert year["cii"]["required"] == pytest.approx(0.91 * 4745 * 82_000**-0.622, abs=0.001)


def sail_planned(planner: ApiClient, charting_id: str, *, late_h: float = 0.0) -> str:
    """Sail a charting's track at its times and then lie in port for 20 h; return the vessel."""
    charting = planner.get(f"/charting/{charting_id}").get_json()
    track = planner.get(f"/charting/{charting_id}/track").get_json()["items"]
    times_h = [hours_since_epoch(parse_instant(point["time"])) + late_h for point in track]
    quarters = np.arange(times_h[0] - late_h, times_h[-1] + 20.0, 0.25)
    lats, lngs = (np.interp(quarters, times_h, [p[name] for p in track]) for name in ("lat", "lng"))
    records = [
        at(0, latitude=lat, longitude=lng, fuelConsumption=24.0)
        | {"timestamp": format_instant(moment_at(quarter))}
        for quarter, lat, lng in zip(quarters, lats, lngs, strict=True)
    ]
    vessel_id: str = charting["vesselId"]
    answer = planner.post(f"/telemetry/{vessel_id}/batch", records).get_json()
    assert answer["stored"] == len(records)
    return vessel_id


def test_a_planned_voyage_is_set_against_the_records_of_its_time(
    planner: ApiClient, plan: Any
) -> None:
    ordered = planner.order(startDate="2026-03-01T12:00:00Z")
    plan(ordered["id"])
    done = planner.get(f"/charting/{ordered['id']}").get_json()
    vessel_id = sail_planned(planner, ordered["id"])
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    (voyage,) = stats["predictedVsActual"]
    assert stats["voyages"] == 1
    assert voyage["chartingId"] == ordered["id"]
    assert voyage["predictedFuelMt"] == done["summary"]["fuelMt"]
    assert voyage["actualFuelMt"] == pytest.approx(done["summary"]["durationH"], abs=0.3)


def test_a_plan_elsewhere_is_not_set_against_the_records(planner: ApiClient, plan: Any) -> None:
    ordered = planner.order(startDate="2026-03-01T12:00:00Z")
    elsewhere = {"latFrom": 60.4, "lngFrom": 4.9, "latTo": 61.6, "lngTo": 4.4}
    what_if = planner.order(
        vesselId=ordered["vesselId"], startDate="2026-03-01T12:00:00Z", **elsewhere
    )
    for charting in (ordered, what_if):
        plan(charting["id"])
    vessel_id = sail_planned(planner, ordered["id"])
    stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    assert [voyage["chartingId"] for voyage in stats["predictedVsActual"]] == [ordered["id"]]
    assert stats["voyages"] == 1


def test_a_voyage_that_arrives_late_is_compared_by_its_own_times(
    planner: ApiClient, plan: Any
) -> None:
    ordered = planner.order(startDate="2026-03-01T12:00:00Z")
    plan(ordered["id"])
    path = f"/charting/{ordered['id']}"
    planned_h = planner.get(path).get_json()["summary"]["durationH"]
    vessel_id = sail_planned(planner, ordered["id"], late_h=10.0)

    def read() -> tuple[int, list[dict[str, Any]]]:
        stats = planner.get(f"/vessel/{vessel_id}/stats").get_json()
        return stats["voyages"], stats["predictedVsActual"]

    assert read() == (0, [])
    assert planner.post(f"{path}/start", {"at": "2026-03-01T12:00:00Z"}).status_code == 200
    assert read() == (1, [])
    ended_at = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(hours=planned_h + 10.0)
    assert planner.post(f"{path}/finish", {"at": ended_at.isoformat()}).status_code == 200
    voyages, (compared,) = read()
    assert voyages == 1
    assert compared["actualFuelMt"] == pytest.approx(planned_h + 10.0, abs=0.3)


def test_another_organizations_vessel_is_not_there(planner: ApiClient, stranger: ApiClient) -> None:
    assert stranger.get(f"/vessel/{planner.make_vessel()['id']}/stats").status_code == 404


def test_the_year_to_date_is_reported_whatever_period_is_asked_for(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    this_year = datetime.now(UTC).year
    records = [
        at(0, longitude=-20.0) | {"timestamp": f"{this_year}-01-01T00:00:00Z"},
        at(0, longitude=-19.8) | {"timestamp": f"{this_year}-01-01T01:00:00Z"},
    ]
    planner.post(f"/telemetry/{vessel_id}/batch", records)
    stats = planner.get(f"/vessel/{vessel_id}/stats?to=2000-01-01").get_json()
    assert stats["cii"]["rating"] is None
    assert stats["ciiYearToDate"]["rating"] in set("ABCDE")


def test_noon_reports_count_in_days_without_telemetry_and_are_marked(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    noons = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in range(1, 11)]
    send_noon_reports(planner, vessel_id, noons)
    alone = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    assert (alone["distanceNm"], alone["fuelMt"]) == (10 * 300.0, 10 * 28.5)
    assert (alone["noonReportCount"], alone["telemetryCount"]) == (10, 0)
    assert alone["period"] == {"from": "2026-02-28T12:00:00Z", "to": "2026-03-10T12:00:00Z"}
    assert alone["cii"]["rating"] in set("ABCDE")
    sail(planner, vessel_id, fuelConsumption=24.0)
    both = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    # two days of records from noon of 1 March replace two reports
    assert (both["noonReportCount"], both["telemetryCount"]) == (8, 49)
    assert both["fuelMt"] == pytest.approx(8 * 28.5 + 2 * 24.0)
    assert both["hoursUnderway"] == pytest.approx(10 * 24.0)


def test_co2_and_carbon_intensity_count_auxiliaries_and_boilers(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    noons = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in range(1, 6)]

    def read() -> dict[str, Any]:
        found: dict[str, Any] = planner.get(f"/vessel/{vessel_id}/stats").get_json()
        return found

    send_noon_reports(planner, vessel_id, noons, auxiliaryFuel=4.0, boilerFuel=2.0)
    reported = read()
    assert (reported["fuelMt"], reported["fuelBasis"]) == (5 * 28.5, "REPORTED")
    assert reported["co2Mt"] == round(5 * 34.5 * 3.151, 3)
    attained = 1e6 * reported["co2Mt"] / (82_000 * reported["distanceNm"])
    assert reported["cii"]["attained"] == pytest.approx(attained, abs=0.001)
    sail(planner, vessel_id, hours=24, fuelConsumption=24.0)
    mixed = read()
    assert mixed["fuelBasis"] == "MAIN_ENGINE_ONLY"
    assert mixed["co2Mt"] == round((4 * 34.5 + 24.0) * 3.151, 3)
    planner.patch(f"/vessel/{vessel_id}", {"auxiliaryMtPerDay": 3})
    declared = read()
    assert declared["fuelBasis"] == "DECLARED"
    assert declared["co2Mt"] == round((4 * 34.5 + 24.0 + 3.0) * 3.151, 3)


def test_noon_reports_imported_again_with_other_times_count_once(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    noons = [datetime(2026, 3, day, 23, 50, tzinfo=UTC) for day in range(1, 11)]
    send_noon_reports(planner, vessel_id, noons)
    once = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    corrected = [noon + timedelta(minutes=20) for noon in noons]
    send_noon_reports(planner, vessel_id, corrected, fuel=29.5)
    twice = planner.get(f"/vessel/{vessel_id}/stats").get_json()
    assert (twice["distanceNm"], twice["fuelMt"]) == (once["distanceNm"], 10 * 29.5)
    assert (twice["noonReportCount"], twice["hoursUnderway"]) == (10, 240.0)
    assert twice["cii"]["attained"] == pytest.approx(
        once["cii"]["attained"] * 29.5 / 28.5, rel=1e-3
    )
    days = [
        planner.get(f"/vessel/{vessel_id}/stats?from={span}").get_json()["fuelMt"]
        for span in ("2026-03-01&to=2026-03-05", "2026-03-06&to=2026-03-31")
    ]
    assert days == [4 * 29.5, 6 * 29.5]


def send_noon_reports(
    planner: ApiClient, vessel_id: str, instants: Sequence[datetime], **others: float
) -> None:
    """Send reports of 24 hours, 300 nm and 28.5 t each."""
    stated = {"steamingHours": 24.0, "distance": 300.0, "speedOverGround": 12.5, "fuel": 28.5}
    reports = [
        {"timestamp": format_instant(instant), "latitude": 50.0, "longitude": -20.0}
        | stated
        | others
        for instant in instants
    ]
    answer = planner.post(f"/vessel/{vessel_id}/noon-reports", reports)
    assert answer.status_code == 200, answer.text
    assert answer.get_json()["stored"] == len(reports)
