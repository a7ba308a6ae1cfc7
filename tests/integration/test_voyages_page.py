"""The list of voyages: filters, sorting, comparison, archive, CSV."""

import csv
import io
import re
from typing import Any

import pytest

from tests.integration.browser import HTML, ORDER, Browser
from tests.integration.client import ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]


@pytest.fixture
def made(planner: ApiClient) -> dict[str, str]:
    """Three voyages by the year they begin in."""
    vessel = planner.make_vessel()["id"]
    ids = {}
    for year, port in (("2025", "Harwich"), ("2026", "London"), ("2027", "Dover")):
        body = ORDER | {"vesselId": vessel, "portToName": port}
        body |= {"startDate": f"{year}-03-01T06:00:00Z"}
        ids[year] = planner.post("/charting", body).get_json()["id"]
    return ids


def listed(browser: Browser, query: str = "") -> list[str]:
    """Ids of the voyages, in their order."""
    page = browser.get(f"/voyages{query}").text
    return re.findall(r'name="id" value="([^"]+)"', page)


def send(browser: Browser, **form: Any) -> Any:
    form["csrf_token"] = browser.token()
    return browser.http.post("/voyages/selected", data=form, headers=HTML)


def test_departures_are_shown_with_their_year(browser: Browser, made: dict[str, str]) -> None:
    page = browser.get("/voyages").text
    assert "1 Mar 2025 06:00" in page
    assert "1 Mar 2027 06:00" in page


def test_voyages_are_filtered_by_days_state_and_words(
    browser: Browser, made: dict[str, str], planner: ApiClient
) -> None:
    assert listed(browser, "?from=1+Jan+2026&to=31+Dec+2026") == [made["2026"]]
    assert listed(browser, "?search=harwich") == [made["2025"]]
    planner.post(f"/charting/{made['2027']}/cancel")
    assert listed(browser, "?status=CANCELLED") == [made["2027"]]
    wrong = browser.get("/voyages?from=soon")
    assert wrong.status_code == 200
    assert "soon is not a valid day" in wrong.text


def test_a_deleted_vessel_stays_the_chosen_filter(
    browser: Browser, made: dict[str, str], planner: ApiClient
) -> None:
    vessel = planner.get(f"/charting/{made['2025']}").get_json()["vesselId"]
    for each in made.values():
        planner.post(f"/charting/{each}/cancel")
    assert planner.delete(f"/vessel/{vessel}").status_code == 204
    page = browser.get(f"/voyages?vessel={vessel}").text
    assert f'<option value="{vessel}" selected>Noordster (no longer in the fleet)<' in page
    assert vessel not in browser.get("/voyages").text


def test_voyages_are_sorted_by_a_column_both_ways(browser: Browser, made: dict[str, str]) -> None:
    ascending = [made[year] for year in ("2025", "2026", "2027")]
    assert listed(browser, "?sort=departure") == ascending
    assert listed(browser, "?sort=-departure") == ascending[::-1]
    assert sorted(listed(browser, "?sort=-fuel")) == sorted(ascending)
    assert 'aria-sort="descending"' in browser.get("/voyages?sort=-departure").text
    assert listed(browser, "?sort=nonsense") == ascending[::-1]


def test_a_page_past_the_end_is_the_last_one(browser: Browser, made: dict[str, str]) -> None:
    assert sorted(listed(browser, "?page=9")) == sorted(made.values())
    assert "No archived voyages" in browser.get("/voyages?page=9&archived=yes").text


def test_archived_voyages_leave_the_list_and_come_back(
    browser: Browser, made: dict[str, str]
) -> None:
    gone = send(browser, act="archive", id=[made["2025"], made["2026"]])
    assert gone.status_code == 302
    assert listed(browser) == [made["2027"]]
    assert sorted(listed(browser, "?archived=yes")) == sorted([made["2025"], made["2026"]])
    send(browser, act="restore", id=[made["2025"]], archived="yes")
    assert made["2025"] in listed(browser)


def test_chosen_voyages_stand_next_to_each_other(browser: Browser, made: dict[str, str]) -> None:
    answer = send(browser, act="compare", id=[made["2025"], made["2027"]])
    page = browser.get(answer.headers["Location"]).text
    assert "Rotterdam to Harwich" in page
    assert "Rotterdam to Dover" in page
    assert "Rotterdam to London" not in page
    assert '<th scope="row" role="rowheader">No depth known <small>nm</small></th>' in page


def test_a_comparison_leaves_out_what_is_gone_and_says_so(
    browser: Browser, made: dict[str, str]
) -> None:
    kept = made["2025"]
    page = browser.get(f"/voyages/compare?id={kept}&id=gone").text
    assert "Rotterdam to Harwich</span></a><small>1 Mar 2025 06:00" in page
    assert '<td role="cell" class="number table__name"><span class="clamped"' in page, (
        "of names of any length"
    )
    assert "1 of the voyages no longer exists." in page
    answer = send(browser, act="compare", id=[kept] * 8)
    page = browser.get(answer.headers["Location"]).text
    assert "The first 6 voyages are compared; 2 more are left out." in page


def test_the_list_is_given_as_csv_as_it_is_filtered(browser: Browser, made: dict[str, str]) -> None:
    answer = browser.get("/voyages.csv?sort=departure&from=2026-01-01")
    assert answer.content_type == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["id"] for row in rows] == [made["2026"], made["2027"]]
    assert rows[0]["depart"] == "2026-03-01T06:00:00Z"
    assert rows[0]["status"] == "QUEUED"
    assert rows[0]["fuel_mt"] == ""


def test_another_organizations_voyages_are_not_touched(
    browser: Browser, made: dict[str, str], stranger: ApiClient
) -> None:
    vessel = stranger.make_vessel()["id"]
    theirs = stranger.post("/charting", ORDER | {"vesselId": vessel}).get_json()["id"]
    assert theirs not in listed(browser)
    assert send(browser, act="archive", id=[theirs]).status_code == 404
    assert browser.get(f"/voyages/compare?id={theirs}").status_code == 404
    assert theirs not in browser.get("/voyages.csv").text


def test_a_comparison_names_the_options_in_which_the_voyages_differ(
    browser: Browser, made: dict[str, str], planner: ApiClient
) -> None:
    other = planner.order(avoidWarZones=False, draft=9.5)["id"]
    page = browser.get(f"/voyages/compare?id={made['2026']}&id={other}").text
    row = page[page.index('<th scope="row" role="rowheader">Avoid war-risk areas') :]
    assert re.findall(r'<td role="cell" class="number">([^<]*)</td>', row)[:2] == ["yes", "no"]
    assert "Avoid piracy areas" not in page
    assert '<th scope="row" role="rowheader">Route</th>' in page
