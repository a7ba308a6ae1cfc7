"""Voyages through seeded storms, against searches with thirty times the work."""

from datetime import UTC, datetime

import pytest

from app.engine.sea.atlas import SeaAtlas
from benchmarks.atlas import open_climatology
from benchmarks.land_check import LandCheck
from benchmarks.optimise import DATES, Case, plan, plan_finer
from benchmarks.storm_weather import make_storms

pytestmark = pytest.mark.atlas


@pytest.mark.parametrize("route", ["Fremantle - Cape Town", "San Francisco - Yokohama"])
def test_a_track_far_from_the_best_of_a_wide_lattice_is_found(sea: SeaAtlas, route: str) -> None:
    departs_at = datetime(2026, 4, 10, tzinfo=UTC)
    weather = make_storms(DATES.index(departs_at), departs_at, open_climatology(), days=40)
    outcome = plan(Case(route, "Kamsarmax", departs_at), sea, weather, LandCheck(sea.passages))
    excess_pct = plan_finer(outcome, sea, weather)
    assert excess_pct is not None
    assert excess_pct < 0.25
