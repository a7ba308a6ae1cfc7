"""Voyages through seeded storms, against searches with thirty times the work."""

from datetime import UTC, datetime

import pytest

from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from benchmarks.atlas import open_climatology
from benchmarks.land_check import LandCheck
from benchmarks.optimise import DATES, Case, plan, plan_finer
from benchmarks.storm_weather import make_storms

pytestmark = pytest.mark.atlas


DEPARTS_AT = datetime(2026, 4, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def weather() -> WeatherField:
    return make_storms(DATES.index(DEPARTS_AT), DEPARTS_AT, open_climatology(), days=40)


@pytest.fixture(scope="module")
def check(sea: SeaAtlas) -> LandCheck:
    return LandCheck(sea.passages)


def test_a_track_far_from_the_best_of_a_wide_lattice_is_found(
    sea: SeaAtlas, weather: WeatherField, check: LandCheck
) -> None:
    case = Case("San Francisco - Yokohama", "Kamsarmax", DEPARTS_AT)
    outcome = plan(case, sea, weather, check)
    excess_pct = plan_finer(outcome, sea, weather)
    assert excess_pct is not None
    assert excess_pct < 0.25
