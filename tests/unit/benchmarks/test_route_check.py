"""The benchmark of the check: faults of every kind are planted, found, and found in place."""

import json

import pytest

from app.engine.codes import FindingCode
from app.engine.sea.atlas import SeaAtlas
from benchmarks.land_check import LandCheck
from benchmarks.planted_faults import Planter
from benchmarks.random_legs import LegJudge
from benchmarks.route_check import (
    Voyage,
    judge,
    list_false_alarms,
    plan_voyages,
    plant,
)

pytestmark = pytest.mark.atlas


@pytest.fixture(scope="module")
def voyages(sea: SeaAtlas) -> list[Voyage]:
    return list(plan_voyages(3, 11, sea, None))


@pytest.fixture(scope="module")
def land(sea: SeaAtlas) -> LandCheck:
    return LandCheck(sea.passages)


def test_planted_faults_of_ten_kinds_are_found_on_their_legs(
    sea: SeaAtlas, voyages: list[Voyage], land: LandCheck
) -> None:
    planted = list(plant(voyages, Planter(11, sea, land), 30))
    missed = [fault.kind for voyage, fault in planted if judge(voyage, fault) != (True, True)]
    assert missed == []
    assert len({fault.kind for _, fault in planted}) >= 10


def test_plans_unedited_have_no_false_alarm(voyages: list[Voyage]) -> None:
    assert [json.dumps(f.message) for v in voyages for f in list_false_alarms(v)] == []


def test_a_fault_that_is_not_there_is_not_found(
    sea: SeaAtlas, voyages: list[Voyage], land: LandCheck
) -> None:
    _, fault = next(
        (v, f)
        for v, f in plant(voyages, Planter(11, sea, land), 30)
        if f.codes == {FindingCode.LAND_CROSSED}
    )
    unplanted = type(fault)(fault.kind, voyages[0].route, fault.codes, fault.legs)
    assert judge(voyages[0], unplanted) == (False, False)


def test_random_legs_are_judged_by_the_check_as_by_judges_of_their_own(
    voyages: list[Voyage], land: LandCheck
) -> None:
    judged = list(LegJudge(11, voyages[0].context, land).judge(30))
    assert [leg for leg in judged if not leg.is_agreed] == []
    assert {leg.land[1] for leg in judged} == {leg.area[1] for leg in judged} == {True, False}
