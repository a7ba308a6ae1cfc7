"""The weather badge of pages, and the warning of plans with a stale forecast."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask

from tests.integration.browser import signed_in
from tests.integration.client import CHARTING, ApiClient
from tests.integration.weather.test_store_and_service import START, forecast_file, run
from tests.unit.datasources.weather.making import write
from tests.unit.datasources.weather.test_member_importing import control, fields_of

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]


@pytest.fixture
def badge(app: Flask, organization_id: UUID) -> Callable[[], str]:
    """Text of a page's badge."""
    browser = signed_in(app, organization_id)

    def read() -> str:
        page = browser.get("/voyages").text
        found = re.search(r'<details class="weather-badge">(.*?)</details>', page, re.DOTALL)
        assert found, page
        return " ".join(re.sub(r"<[^>]+>", " ", found.group(1)).split())

    return read


def hours_ago(hours: float) -> datetime:
    now = datetime.now(UTC)
    return (now - timedelta(hours=hours)).replace(minute=0, second=0, microsecond=0)


def test_without_a_forecast_the_badge_names_the_climatology(
    climatology: Path, badge: Callable[[], str]
) -> None:
    assert badge() == (
        "Weather climatology No forecast in the store: voyages are planned on climatology."
    )


def test_the_badge_shows_source_run_age_horizon_and_members(
    app: Flask, climatology: Path, badge: Callable[[], str], tmp_path: Path
) -> None:
    reference = hours_ago(6)
    messages = [*control(reference=reference)]
    for number in (1, 2, 3):
        messages += fields_of(number, 9.0, 3.0, reference=reference)
    run(app, "import", "--source", "ecmwf", str(write(tmp_path / "ens.grib2", messages)))
    said = badge()
    assert re.match(r"ECMWF \d+ \w{3} \d\d:00 UTC current ", said)
    assert f"Run {reference.day} {reference:%b %H:%M} UTC" in said
    # 7 h if an hour began meanwhile
    assert re.search(r"Age (6 h( \d+ min)?|7 h 00 min)", said), said
    ends = reference + timedelta(hours=12)
    assert f"Horizon {ends.day} {ends:%b %H:%M} UTC" in said
    assert said.endswith("Ensemble members 3")


@pytest.mark.parametrize(("age_h", "state"), [(16, "ageing"), (26, "stale")])
def test_a_forecast_that_grows_old_is_said_so(
    app: Flask,
    climatology: Path,
    badge: Callable[[], str],
    tmp_path: Path,
    age_h: int,
    state: str,
) -> None:
    path = forecast_file(tmp_path / "f.grib2", 9.0, hours_ago(age_h))
    run(app, "import", "--source", "gfs", str(path))
    said = badge()
    assert re.match(rf"GFS \d+ \w{{3}} \d\d:00 UTC {state} ", said)
    assert "Ensemble members none" in said
    assert ("Plans made now carry a warning." in said) == (state == "stale")


def test_a_plan_made_in_a_stale_forecast_says_so(
    app: Flask,
    planner: ApiClient,
    plan: Callable[[str, int], None],
    climatology: Path,
    tmp_path: Path,
) -> None:
    run(app, "import", str(forecast_file(tmp_path / "f.grib2", 9.0, START - timedelta(hours=30))))
    vessel = planner.make_vessel()
    charting = planner.post("/charting", {**CHARTING, "vesselId": vessel["id"]}).get_json()
    plan(charting["id"], 1)
    warnings = planner.get(f"/charting/{charting['id']}").get_json()["warnings"]
    (stale,) = [each for each in warnings if each["code"] == "STALE_FORECAST"]
    assert stale["detail"].startswith("The forecast of 28 February 2026 00:00 UTC was 30 h old")
