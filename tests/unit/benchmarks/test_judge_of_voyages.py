"""The judge of random voyages words refusals as plans do, and takes voyages of no length."""

import pytest

from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from benchmarks.random_pairs import Port
from benchmarks.seamanship import Judge

pytestmark = pytest.mark.atlas

LISBON = Port("Lisboa", Position(38.65, -9.35))
MUSKEGON = Port("Muskegon", Position(43.233333, -86.266667))


@pytest.fixture(scope="module")
def judge(sea: SeaAtlas) -> Judge:
    return Judge.make(sea)


def test_locks_shut_in_winter_are_said_to_be_shut_until_they_open(judge: Judge) -> None:
    winter, *_, autumn = judge.judge_months("coaster", MUSKEGON, LISBON)
    assert winter.found.refused == "SEASON_CLOSED"
    assert winter.found.detail.startswith("Locks are closed until 22 Mar 2026: St Lawrence Seaway")
    assert autumn.found.refused is None


def test_two_berths_in_one_place_are_no_voyage_and_no_fault(judge: Judge) -> None:
    months = list(judge.judge_months("coaster", LISBON, LISBON))
    assert [voyage.found.unproven for voyage in months] == [()] * 4
