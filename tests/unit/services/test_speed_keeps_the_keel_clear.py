"""Ships slow down where squat would reduce the under-keel clearance below its margin."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.datasources.passages import load_passages
from app.engine.codes import WarningCode
from app.engine.errors import DraftTooDeep
from app.engine.particulars import Loading
from app.engine.plan import PlanWarning
from app.engine.planning.candidate_paths import build_path_geometry, find_candidate_paths
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import simulate_constant_speed
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.plan_warnings import find_warnings
from app.engine.request import Objective, Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from tests.unit.engine.sailing_builders import KAMSARMAX
from tests.unit.services import test_ice_in_routing as ice
from tests.unit.services.test_voyages_as_a_master_reads_them import LISBON, ROTTERDAM, VLCC

pytestmark = pytest.mark.atlas

ACEH, SOUTH_CHINA_SEA = Position(6.2, 95.0), Position(1.6, 105.2)
#: Malacca Strait and the lanes of both straits, but those of the deep eastern entrance.
STRAITS = {p.name for p in load_passages() if p.min_ukc_m == 3.5 and p.depth_m == 23.0}


def make_context(sea: SeaAtlas, draft_m: float, speed_max_kn: float = 14.0) -> PlanningContext:
    request = ice.order(ACEH, SOUTH_CHINA_SEA, (7, 10))
    loading = Loading(draft_m, 0.0, 0.8 * VLCC.dwt_t)
    request = replace(
        request, ship=VLCC, loading=loading, speed_min_kn=8.0, speed_max_kn=speed_max_kn
    )
    return PlanningContext(request, sea, None, build_ship(VLCC, loading))


@pytest.fixture(scope="module")
def sail(sea: SeaAtlas) -> Callable[[float], tuple[SimulatedRoute, Sequence[PlanWarning]]]:
    """The route through the straits of a VLCC of some draught [m], at its greatest speed."""

    def find(draft_m: float) -> tuple[SimulatedRoute, Sequence[PlanWarning]]:
        context = make_context(sea, draft_m)
        geometry = build_path_geometry(context, find_candidate_paths(context, ())[0])
        route = simulate_constant_speed(context, geometry, Objective.TIME, None)
        return route, find_warnings(context, route, ())

    return find


def pick(route: SimulatedRoute, values: np.ndarray) -> np.ndarray:
    """Values of the segments in the straits."""
    legs = [number for number, leg in enumerate(route.legs) if leg.passage in STRAITS]
    return values[np.isin(route.simulation.track.leg, legs)]


def test_a_deep_ship_slows_down_in_the_straits_and_keeps_the_rule(sail) -> None:
    route, warnings = sail(19.0)
    speeds_kn = pick(route, route.simulation.through_water_kn)
    assert speeds_kn.size
    assert speeds_kn.max() < 9.0
    assert pick(route, route.ukc_m).min() >= 3.5 - 1e-6
    texts = [each.detail for each in warnings if each.code is WarningCode.LOW_UKC]
    speeds = [text.partition(" in ")[0] for text in texts if "slows to" in text]
    assert speeds == ["The ship slows to 8.0 kn"]
    assert "Malacca Strait, off Melaka, south-eastbound lane; " in texts[0]


def test_straits_too_shallow_even_at_the_lowest_speed_are_named_in_one_warning(sail) -> None:
    _, warnings = sail(19.3)
    texts = [each.detail for each in warnings if each.code is WarningCode.LOW_UKC]
    (text,) = [each for each in texts if "at all times" in each]
    assert "require 3.5 m under the keel at all times; at the lowest speed there are 3.4" in text
    assert not any("slows to 6.0 kn" in each for each in texts)


def test_a_ship_that_its_power_holds_below_the_limit_of_squat_does_not_slow_down_for_it(
    sea: SeaAtlas,
) -> None:
    context = make_context(sea, 14.0, speed_max_kn=45.0)
    geometry = build_path_geometry(context, find_candidate_paths(context, ())[0])
    route = simulate_constant_speed(context, geometry, Objective.TIME, None)
    found = {warning.code for warning in find_warnings(context, route, ())}
    assert WarningCode.LOW_UKC not in found


def test_a_ship_with_enough_water_keeps_its_speed(sail) -> None:
    route, warnings = sail(14.0)
    # the power limits the speed there, not the depth
    assert pick(route, route.simulation.through_water_kn).max() > 12.0
    assert WarningCode.LOW_UKC not in {each.code for each in warnings}


def test_deeper_draught_never_raises_the_speed(sail) -> None:
    fastest = [pick(sail(d)[0], sail(d)[0].simulation.through_water_kn).max() for d in (18.0, 19.0)]
    assert fastest[0] > fastest[1]


def test_a_ship_that_fits_only_at_its_lowest_speed_may_pass_a_shoal(sea: SeaAtlas) -> None:
    context = make_context(sea, 14.0)
    slow, fast = context.size_at(8.0), context.size_at(14.0)
    asked: list[float] = []

    class Shoal:
        """A sea that lets pass whom its shoal leaves room."""

        def find_paths(self, *_ends: Position, ship, **_more):
            asked.append(ship.least_depth_m)
            if ship.least_depth_m > slow.least_depth_m:
                raise DraftTooDeep("too shallow", gate={"particular": "depth_m"})
            return ()

    assert find_candidate_paths(replace(context, sea=Shoal()), ()) == ()
    assert asked == [fast.least_depth_m, slow.least_depth_m]


def make_laden(
    sea: SeaAtlas, speeds_kn: tuple[float, float], rpm_max: float | None = None
) -> PlanningContext:
    """The context of a laden Kamsarmax from Lisbon to Rotterdam at a range of speeds [kn]."""
    request = replace(
        ice.order(LISBON, ROTTERDAM, (7, 10)),
        ship=KAMSARMAX,
        loading=Loading(12.2, 0.0, 68_000.0),
        speed_min_kn=speeds_kn[0],
        speed_max_kn=speeds_kn[1],
        rpm_max=rpm_max,
    )
    return PlanningContext.of(request, sea, None)


def test_a_speed_that_the_ship_cannot_make_requires_no_more_depth(sea: SeaAtlas) -> None:
    context = make_laden(sea, (11.0, 40.0))
    attainable_kn = context.calm_speed_max_kn
    assert KAMSARMAX.service_speed_kn < attainable_kn < 20.0
    attainable = make_laden(sea, (11.0, attainable_kn))
    assert context.size == attainable.size == context.size_at(40.0)
    lengths_nm = [
        find_candidate_paths(each, (), most=1)[0].distance_nm for each in (context, attainable)
    ]
    assert lengths_nm[0] == lengths_nm[1] < 1300.0


def test_a_limit_of_shaft_speed_requires_less_depth(sea: SeaAtlas) -> None:
    free, held = (make_laden(sea, (8.0, 14.0), rpm_max) for rpm_max in (None, 58.0))
    assert held.calm_speed_max_kn < free.calm_speed_max_kn == 14.0
    assert held.size.required_depth_m < free.size.required_depth_m
