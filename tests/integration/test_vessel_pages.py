"""Pages of vessels: particulars, months, track, files."""

import csv
import io
import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from app.models import Role, utc_now
from app.records.instants import format_instant
from tests.integration.browser import Browser, signed_in
from tests.integration.client import VESSEL, ApiClient
from tests.integration.test_telemetry import at
from tests.integration.test_vessel_statistics import sail, send_noon_reports

pytestmark = pytest.mark.usefixtures("redis")

FORM = {key: value for key, value in VESSEL.items() if key not in ("type",)} | {"type": 1}


def read_csv(answer: Any) -> list[dict[str, str]]:
    assert answer.mimetype == "text/csv"
    return list(csv.DictReader(io.StringIO(answer.text)))


def put(browser: Browser, address: str, particulars: dict[str, Any], *, version: int) -> Any:
    """Save the form of a vessel, opened at a version."""
    headers = {"Accept": "application/json", "X-CSRFToken": browser.token()}
    headers["If-Match"] = f'"{version}"'
    return browser.http.put(address, json=particulars, headers=headers)


def test_a_vessel_is_added_and_changed_on_its_page(browser: Browser, planner: ApiClient) -> None:
    made = browser.post("/fleet/new", FORM | {"name": "Added", "captain": "A. Vos"})
    address = made.get_json()["address"]
    assert "Added" in browser.get(address).text
    changed = FORM | {"name": "Renamed", "captain": "A. Vos", "serviceSpeed": 13.5}
    changed |= {"keelToMast": 46.5}
    assert put(browser, address, changed, version=1).status_code == 200
    (vessel,) = planner.get("/vessel").get_json()["items"]
    assert (vessel["name"], vessel["serviceSpeed"]) == ("Renamed", 13.5)
    assert vessel["keelToMast"] == 46.5
    form = browser.get(f"{address}/edit").text
    assert all(f'value="{figure}"' in form for figure in (13.5, 46.5))
    assert "<dt>Keel to mast</dt><dd>46.50 m</dd>" in browser.get(address).text


def test_a_vehicle_carrier_is_named_on_the_form_and_on_its_page(
    browser: Browser, planner: ApiClient
) -> None:
    carrier = {"type": 7, "gt": 60_000, "dwt": 20_000, "ciiType": "VEHICLE_CARRIER"}
    made = browser.post("/fleet/new", FORM | carrier)
    vessel_id = made.get_json()["address"].rsplit("/", 1)[1]
    assert planner.get(f"/vessel/{vessel_id}").get_json()["ciiType"] == "VEHICLE_CARRIER"
    assert '"VEHICLE_CARRIER" selected' in browser.get(f"/fleet/{vessel_id}/edit").text
    page = browser.get(f"/fleet/{vessel_id}").text
    assert "<dt>Type for the CII</dt><dd>Vehicle carrier</dd>" in page


def test_the_particulars_saved_by_another_user_are_not_overwritten(
    browser: Browser, planner: ApiClient
) -> None:
    made = browser.post("/fleet/new", FORM | {"captain": "A. Vos"})
    address = made.get_json()["address"]
    assert put(browser, address, FORM | {"captain": "B. Bos"}, version=1).status_code == 200
    refused = put(browser, address, FORM | {"captain": "C. Kok"}, version=1)
    assert refused.status_code == 412
    assert "after you opened this form" in refused.get_json()["detail"]
    (vessel,) = planner.get("/vessel").get_json()["items"]
    assert vessel["captain"] == "B. Bos"
    assert '"version": 2' in browser.get(f"{address}/edit").text


def test_a_vessel_shows_its_newest_voyages_and_links_to_all(
    browser: Browser, planner: ApiClient
) -> None:
    ship, other = planner.make_vessel()["id"], planner.make_vessel(imo=None)["id"]
    for vessel, count in ((ship, 13), (other, 1)):
        for _ in range(count):
            planner.order(vesselId=vessel)
    page = browser.get(f"/fleet/{ship}").text
    assert page.count(">Rotterdam to London<") == 12
    assert "1 Mar 2026 06:00" in page
    assert f'<a href="/voyages?vessel={ship}">All 13 voyages</a>' in page


def test_a_type_of_vessel_keeps_its_abbreviation_in_every_list(
    browser: Browser, planner: ApiClient
) -> None:
    vessel = planner.make_vessel(type=10, dwt=70_000)
    for path in (f"/fleet/{vessel['id']}", "/constraints"):
        page = browser.get(path).text
        assert "LNG carrier" in page, path
        assert "Lng carrier" not in page, path
        assert "bulk carrier" not in page, path


@pytest.mark.parametrize("path", ["/", "/check", "/voyages"])
def test_a_large_fleet_is_listed_whole(
    browser: Browser, planner: ApiClient, organization_id: UUID, database_url: str, path: str
) -> None:
    first = planner.make_vessel()["id"]
    copies = """
        INSERT INTO vessel
        SELECT (jsonb_populate_record(vessel, jsonb_build_object('id', gen_random_uuid()))).*
        FROM vessel, generate_series(1, 250) WHERE id = %s RETURNING id"""
    with psycopg.connect(database_url) as database:
        database.execute("SELECT set_config('app.organization', %s, false)", [str(organization_id)])
        fleet = {first, *(str(row[0]) for row in database.execute(copies, [first]))}
    page = browser.get(path).text
    assert {each for each in fleet if each not in page} == set()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dwt": 820_000}, "/dwt"),
        ({"dwt": None}, "/dwt"),
        ({"serviceSpeed": 44}, "/serviceSpeed"),
        ({"imo": "1234568"}, "/imo"),
        ({"dateConstructed": "June"}, "/dateConstructed"),
        ({"pitch": 0}, "/pitch"),
        ({"type": 77}, "/type"),
        ({"name": "Nord\x00ster"}, "/name"),
        ({"name": "Nord\u202eretsdron"}, "/name"),
        ({"name": " "}, "/name"),
        ({"captain": "A. Vos\x1b[2J"}, "/captain"),
    ],
)
def test_what_cannot_be_a_ship_is_reported_at_its_field(
    browser: Browser, changes: dict[str, Any], field: str
) -> None:
    refused = browser.post("/fleet/new", FORM | changes)
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in refused.get_json()["errors"]] == [field]


def test_figures_are_looked_over_while_they_are_typed(browser: Browser) -> None:
    good = browser.post("/fleet/check", FORM).get_json()
    assert good["hints"] == []
    assert dict(good["figures"])["Length to breadth"] == "7.0"
    odd = browser.post("/fleet/check", FORM | {"pitch": 1.0}).get_json()
    assert [hint["pointer"] for hint in odd["hints"]] == ["/pitch"]
    assert browser.post("/fleet/check", {"dwt": 1}).get_json()["figures"] is None


def test_every_fault_of_the_form_is_reported_at_once(browser: Browser) -> None:
    wrong = FORM | {"dwt": None, "pitch": -1, "imo": "1234568", "dateConstructed": "June"}
    named = ["/dateConstructed", "/dwt", "/imo", "/pitch"]
    refused = browser.post("/fleet/new", wrong).get_json()["errors"]
    assert sorted(fault["pointer"] for fault in refused) == named
    hints = browser.post("/fleet/check", wrong).get_json()["hints"]
    assert sorted(hint["pointer"] for hint in hints) == named


def test_an_imo_number_is_taken_as_certificates_print_it(
    browser: Browser, planner: ApiClient
) -> None:
    saved = browser.post("/fleet/new", FORM | {"imo": "IMO 907 4729"}).get_json()
    assert planner.get(f"/vessel/{saved['address'].rsplit('/')[-1]}").get_json()["imo"] == "9074729"


def test_an_imo_number_that_is_too_long_hides_no_other_fault(browser: Browser) -> None:
    wrong = FORM | {"pitch": 1.0, "imo": "IMO 93214831"}
    hints = browser.post("/fleet/check", wrong).get_json()["hints"]
    assert [hint["pointer"] for hint in hints] == ["/pitch", "/imo"]
    assert hints[1]["detail"].startswith("93214831 is not an IMO number. Enter seven digits")


def test_viewers_change_no_vessel(app: Any, organization_id: Any, planner: ApiClient) -> None:
    ship = planner.make_vessel()["id"]
    viewer = signed_in(app, organization_id, Role.VIEWER)
    assert viewer.get("/fleet/new").status_code == 403
    assert viewer.get(f"/fleet/{ship}/edit").status_code == 403
    assert viewer.post("/fleet/new", FORM).status_code == 403
    assert "Add vessel" not in viewer.get(f"/fleet/{ship}").text


def test_months_and_track_are_those_of_the_records(browser: Browser, planner: ApiClient) -> None:
    ship = planner.make_vessel()["id"]
    sail(planner, ship, hours=40 * 24, fuelConsumption=24.0)
    found = browser.get(f"/fleet/{ship}/records").get_json()
    assert [month["month"] for month in found["months"]] == ["2026-03-01", "2026-04-01"]
    assert sum(month["fuelMt"] for month in found["months"]) == pytest.approx(40 * 24.0, rel=0.01)
    march = found["months"][0]
    assert march["cii"]["attained"] == pytest.approx(march["yearSoFar"]["attained"])
    assert march["cii"]["rating"] in "ABCDE"
    assert found["boundaries"] == [0.86, 0.94, 1.06, 1.18]
    assert "100 % of the hours with records</dd>" in browser.get(f"/fleet/{ship}").text
    (part,) = found["track"]
    assert (part["lats"][0], part["lngs"][0]) == (50.0, -20.0)
    assert 2 < len(part["lats"]) <= 1500


def test_noon_reports_give_months_and_a_rating_but_no_track(
    browser: Browser, planner: ApiClient
) -> None:
    ship = planner.make_vessel()["id"]
    days = [utc_now().replace(hour=12, minute=0) - timedelta(days=ago) for ago in range(40, 0, -1)]
    send_noon_reports(planner, ship, days)
    found = browser.get(f"/fleet/{ship}/records").get_json()
    assert sum(month["fuelMt"] for month in found["months"]) == pytest.approx(40 * 28.5)
    assert {month["cii"]["rating"] for month in found["months"]} <= set("ABCDE")
    assert found["track"] == []
    summary = browser.get("/fleet/summaries").get_json()["vessels"][ship]
    assert summary["kgPerNm"] == pytest.approx(28_500 / 300)
    page = browser.get(f"/fleet/{ship}").text
    assert "0 records, 40 noon reports" in page
    assert "auxiliaries only where reported" in page


@pytest.mark.parametrize(
    ("auxiliaries", "basis"),
    [
        ({}, "auxiliaries only where reported"),
        ({"auxiliaryMtPerDay": 3.0}, "auxiliaries as declared"),
    ],
)
def test_the_co2_of_all_consumers_is_not_taken_for_that_of_the_main_engines_fuel(
    browser: Browser, planner: ApiClient, auxiliaries: dict[str, float], basis: str
) -> None:
    ship = planner.make_vessel(**auxiliaries)["id"]
    sail(planner, ship, hours=48)
    page = browser.get(f"/fleet/{ship}").text
    (fuel,) = re.findall(r">Fuel</dt>.*?figure__note\">([^<]*)", page)
    (co2,) = re.findall(r">CO₂</dt>.*?figure__note\">([^<]*)", page)
    assert fuel.startswith("main engine, ")
    assert co2 == f"by the fuel's emission factor, {basis}"


def test_a_period_leaves_out_what_lies_outside(browser: Browser, planner: ApiClient) -> None:
    ship = planner.make_vessel()["id"]
    sail(planner, ship, hours=40 * 24)
    found = browser.get(f"/fleet/{ship}/records?from=2026-03-01&to=2026-03-31").get_json()
    assert [month["month"] for month in found["months"]] == ["2026-03-01"]
    assert browser.get(f"/fleet/{ship}/records?from=March").status_code == 422


def test_the_track_ends_where_records_lie_too_far_apart(
    browser: Browser, planner: ApiClient
) -> None:
    ship = planner.make_vessel()["id"]
    for hour in (0, 1, 100, 101, 102):
        planner.post(f"/telemetry/{ship}", at(hour))
    parts = browser.get(f"/fleet/{ship}/records").get_json()["track"]
    assert [len(part["lats"]) for part in parts] == [2, 3]
    page = browser.get(f"/fleet/{ship}").text
    assert "100 % of the hours with records; 99 h without records" in page


@pytest.mark.parametrize("wrong_lng", [80.0, -7.1], ids=["at any speed", "at its speed"])
def test_a_position_that_the_ship_cannot_reach_is_not_drawn(
    browser: Browser, planner: ApiClient, wrong_lng: float
) -> None:
    ship = planner.make_vessel()["id"]
    course = {hour: {"latitude": 48.0 - 0.18 * hour, "longitude": -8.0} for hour in range(12)}
    course[5]["longitude"] = wrong_lng
    batch = [at(hour, speed=10.8, **place) for hour, place in course.items()]
    assert planner.post(f"/telemetry/{ship}/batch", batch).get_json()["stored"] == 12
    (part,) = browser.get(f"/fleet/{ship}/records").get_json()["track"]
    assert len(part["lats"]) == 11
    assert set(part["lngs"]) == {-8.0}


def test_statistics_and_telemetry_are_files_too(browser: Browser, planner: ApiClient) -> None:
    ship = planner.make_vessel(name="Ñandú / II")["id"]
    sail(planner, ship, hours=990, fuelConsumption=24.0)
    months = browser.get(f"/fleet/{ship}/statistics.csv?from=2026-03-01&to=2026-03-31")
    (march,) = read_csv(months)
    assert (march["month"], march["cii_rating"]) == ("2026-03", "E")
    assert float(march["fuel_mt"]) == pytest.approx(30.5 * 24, rel=0.02)
    name = "Nandu-II_statistics_2026-03-01_2026-03-31.csv"
    assert name in months.headers["Content-Disposition"]
    telemetry = browser.get(f"/fleet/{ship}/telemetry.csv")
    header = telemetry.get_data(as_text=True).splitlines()[0].split(",")
    assert len(set(header)) == len(header)
    records = read_csv(telemetry)
    assert len(records) == 991
    assert records[0]["timestamp"] == "2026-03-01T12:00:00Z"
    assert [record["timestamp"] for record in records] == sorted(r["timestamp"] for r in records)


def test_the_fleet_s_figures_come_by_one_request(
    browser: Browser, planner: ApiClient, stranger: ApiClient
) -> None:
    silent, reporting = (planner.make_vessel()["id"] for _ in range(2))
    stranger_s = stranger.make_vessel()["id"]
    began = utc_now() - timedelta(hours=100)
    records = [
        at(hour, latitude=50.0, longitude=-20.0 + 0.2 * hour, fuelConsumption=24.0)
        | {"timestamp": format_instant(began + timedelta(hours=hour))}
        for hour in range(48)
    ]
    for client, ship in ((planner, reporting), (stranger, stranger_s)):
        client.post(f"/telemetry/{ship}/batch", records)
    found = browser.get("/fleet/summaries").get_json()["vessels"]
    assert list(found) == [reporting]
    assert silent not in found
    stats = planner.get(f"/vessel/{reporting}/stats").get_json()
    assert found[reporting]["kgPerNm"] == pytest.approx(1000 * stats["fuelPerNm"], rel=1e-3)
    assert found[reporting]["rating"] in (*"ABCDE", None)
    assert found[reporting]["offPct"] is None


def test_another_organization_s_vessel_is_not_there(browser: Browser, stranger: ApiClient) -> None:
    ship = stranger.make_vessel()["id"]
    for path in ("", "/edit", "/records", "/statistics.csv", "/telemetry.csv"):
        assert browser.get(f"/fleet/{ship}{path}").status_code == 404


def test_an_empty_fleet_says_what_to_do(browser: Browser) -> None:
    page = browser.get("/fleet").text
    assert "No vessel yet" in page
    assert re.search(r'href="/fleet/new"[^>]*>Add a vessel', page)


def test_a_vessel_without_a_type_is_asked_for_it_where_it_is_not_rated(
    browser: Browser, planner: ApiClient
) -> None:
    typed, untyped = planner.make_vessel(), planner.make_vessel(type=None)
    for vessel in (typed, untyped):
        sail(planner, vessel["id"], hours=24, fuelConsumption=24.0)
    assert "enter the type" not in browser.get(f"/fleet/{typed['id']}").text
    assert (
        f'/fleet/{untyped["id"]}/edit">enter the type'
        in browser.get(f"/fleet/{untyped['id']}").text
    )
