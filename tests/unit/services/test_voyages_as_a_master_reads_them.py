"""Regression tests of whole voyages that a master would have rejected."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import pytest
import shapely
from shapely.geometry import LineString

from app.engine.codes import WarningCode
from app.engine.errors import EndInsideArea
from app.engine.particulars import IceClass, Loading, ShipParticulars
from app.engine.planning.area_rules import resolve_area_rules
from app.engine.planning.candidates import (
    best_per_candidate,
    evaluate_candidates,
    list_simulated_routes,
)
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.plan_warnings import find_warnings
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from app.services.areas.areas_in_force import zone_catalogue
from benchmarks.land_check import cut_at_antimeridian
from benchmarks.seamanship import list_unproven_beyond, load_narrows
from tests.unit.engine.sailing_builders import KAMSARMAX
from tests.unit.services import test_ice_in_routing as ice

pytestmark = pytest.mark.atlas

CAPESIZE = replace(
    KAMSARMAX, dwt_t=180_000.0, loa_m=292.0, lbp_m=283.0, breadth_m=45.0, depth_m=24.7,
    draft_design_m=17.0, draft_scantling_m=18.3,
)  # fmt: skip
VLCC = replace(
    KAMSARMAX, dwt_t=305_000.0, loa_m=333.0, lbp_m=320.0, breadth_m=60.0, depth_m=30.0,
    draft_design_m=20.5, draft_scantling_m=22.5,
)  # fmt: skip
RAS_TANURA, CHIBA = ice.RAS_TANURA, Position(35.55, 140.0)
BOSTON, NEW_YORK, HALIFAX = (
    Position(42.35, -71.03),
    Position(40.67, -74.03),
    Position(44.65, -63.57),
)
ROTTERDAM, LISBON = Position(51.98, 4.0), Position(38.65, -9.35)


class Ordered(NamedTuple):
    """A voyage as it is ordered: ends, ship and draught [m], day of 2026 and northern limit."""

    departure: Position
    arrival: Position
    draft_m: float = 12.2
    ship: ShipParticulars = KAMSARMAX
    day: tuple[int, int] = (7, 10)
    north_lat: float | None = None


SAILED = {
    "Tubarao-Qingdao": Ordered(ice.TUBARAO, ice.QINGDAO, 18.0, CAPESIZE, (1, 10)),
    "Hobart-Cape Town": Ordered(ice.HOBART, ice.CAPE_TOWN, day=(1, 10)),
    "Sydney-Southampton": Ordered(ice.SYDNEY, ice.SOUTHAMPTON, 11.0, day=(1, 10)),
    "Dunedin-Vigo": Ordered(ice.DUNEDIN, ice.VIGO, 11.0, day=(1, 10)),
    "Hammerfest-Tokyo": Ordered(ice.HAMMERFEST, ice.TOKYO, day=(2, 10), north_lat=85.0),
    "Murmansk-New York": Ordered(ice.MURMANSK, NEW_YORK, day=(1, 10)),
    "Boston-New York": Ordered(BOSTON, NEW_YORK),
    "New York-Halifax": Ordered(NEW_YORK, HALIFAX),
    "Ras Tanura-Chiba": Ordered(RAS_TANURA, CHIBA, 20.8, VLCC),
    "Gladstone-Singapore": Ordered(Position(-23.83, 151.3), Position(1.2, 103.9), 14.2),
    "Rotterdam-Lisbon": Ordered(ROTTERDAM, LISBON),
    "Rotterdam-Lisbon of the tutorial": Ordered(ROTTERDAM, LISBON, 10.5, day=(4, 10)),
    "Jakarta-Darwin": Ordered(Position(-6.1, 106.9), Position(-12.45, 130.85), 10.5),
    "Colombo-Chennai": Ordered(Position(6.95, 79.85), Position(13.1, 80.3)),
    "Sydney-Brisbane": Ordered(ice.SYDNEY, Position(-27.38, 153.17)),
    "Mumbai-Jebel Ali": Ordered(ice.MUMBAI, ice.JEBEL_ALI, day=(3, 10)),
    "Split-Venice": Ordered(Position(43.5, 16.43), Position(45.42, 12.43), 8.0),
}
REFUSED = {
    "Rotterdam-Churchill": (ice.CHURCHILL, (2, 10), "Hudson Bay .* class PC5"),
    "Rotterdam-North Pole": (ice.THE_POLE, (12, 10), "Central Arctic pack .* class PC4"),
}


class Voyage(NamedTuple):
    """The best route of a voyage in a calm sea, its lines on the chart, and its warnings."""

    ordered: Ordered
    route: SimulatedRoute
    lines: list[LineString]
    warned: frozenset[WarningCode]


def make_request(ordered: Ordered) -> VoyageRequest:
    request = ice.order(ordered.departure, ordered.arrival, ordered.day)
    loading = Loading(ordered.draft_m, 0.0, 0.8 * ordered.ship.dwt_t)
    limits = Limits(north_lat=ordered.north_lat)
    return replace(request, ship=ordered.ship, loading=loading, limits=limits)


@pytest.fixture(scope="module")
def sailed(sea: SeaAtlas) -> Callable[[str], Voyage]:
    """Find the route of a voyage by its name, once for all that is asked of it."""
    known: dict[str, Voyage] = {}

    def find(name: str) -> Voyage:
        if name not in known:
            known[name] = sail(sea, name)
        return known[name]

    return find


def sail(sea: SeaAtlas, name: str) -> Voyage:
    request = make_request(SAILED[name])
    ship = build_ship(request.ship, request.loading)
    context = resolve_area_rules(PlanningContext(request, sea, None, ship))
    candidates = evaluate_candidates(context)
    route = best_per_candidate(context, list_simulated_routes(context, candidates))[0]
    track = route.simulation.track
    warned = frozenset(warning.code for warning in find_warnings(context, route, ()))
    return Voyage(SAILED[name], route, cut_at_antimeridian(track.lats, track.lngs), warned)


@pytest.fixture(params=SAILED, ids=str)
def voyage(request: pytest.FixtureRequest, sailed: Callable[[str], Voyage]) -> Voyage:
    return sailed(request.param)


def test_a_voyage_is_what_a_master_would_sail(voyage: Voyage) -> None:
    route, draft_m = voyage.route, voyage.ordered.draft_m
    assert list_ice_entered(route) == []
    assert list_unproven_beyond(route.legs) == []
    crossed = [n for n in load_narrows() if any(line.intersects(n.line) for line in voyage.lines)]
    assert [narrow.name for narrow in crossed if draft_m > narrow.max_draft_m] == []
    is_unproven, is_unknown = route.unproven_nm > 0.0, route.depth_unknown_nm > 0.0
    assert (WarningCode.UNPROVEN_WATER in voyage.warned) == is_unproven
    assert (WarningCode.DEPTH_UNKNOWN in voyage.warned) == (is_unknown and not is_unproven)


@pytest.mark.parametrize(
    "name", ["Tubarao-Qingdao", "Hobart-Cape Town", "Sydney-Southampton", "Dunedin-Vigo"]
)
def test_a_ship_without_ice_class_keeps_north_of_60_south(
    sailed: Callable[[str], Voyage], name: str
) -> None:
    assert sailed(name).route.simulation.track.lats.min() >= -60.01


@pytest.mark.parametrize("name", ["Hammerfest-Tokyo", "Murmansk-New York"])
def test_the_northern_sea_route_is_shut_in_winter_even_where_it_is_asked_for(
    sailed: Callable[[str], Voyage], name: str
) -> None:
    assert sailed(name).route.simulation.track.lats.max() < 72.5


def list_ice_entered(route: SimulatedRoute) -> list[str]:
    """Zones of ice or polar waters that the track enters in their season."""
    simulation = route.simulation
    months = {
        datetime.fromtimestamp(simulation.departs_at.timestamp() + 3600.0 * hours, UTC).month
        for hours in simulation.hours
    }
    points = simulation.track.lngs, simulation.track.lats
    return [
        zone.name
        for zone in zone_catalogue().zones
        if zone.ice is not None
        and zone.ice.class_needed is not IceClass.NONE
        and (not zone.months or months & set(zone.months))
        and shapely.contains_xy(zone.geometry, *points).any()
    ]


@pytest.mark.parametrize("name", ["Tubarao-Qingdao", "Ras Tanura-Chiba", "Gladstone-Singapore"])
def test_three_and_a_half_metres_are_kept_in_the_straits(
    sea: SeaAtlas, sailed: Callable[[str], Voyage], name: str
) -> None:
    found = sailed(name)
    taken = {use.id for use in found.route.uses}
    ruled = [p for p in sea.passages if p.min_ukc_m and p.id in taken]
    assert all(found.ordered.draft_m <= (p.deepest_draft_m or 0.0) for p in ruled)


def test_a_laden_vlcc_passes_lombok(sailed: Callable[[str], Voyage]) -> None:
    assert "lombok" in {use.id for use in sailed("Ras Tanura-Chiba").route.uses}


@pytest.mark.parametrize("name", ["Ras Tanura-Chiba", "Mumbai-Jebel Ali"])
def test_a_voyage_from_or_to_the_gulf_is_planned_with_a_warning(
    sailed: Callable[[str], Voyage], name: str
) -> None:
    assert WarningCode.AREA_ENTERED in sailed(name).warned


def test_split_to_venice_leads_through_the_channels(sailed: Callable[[str], Voyage]) -> None:
    assert sailed("Split-Venice").route.simulation.track.distance_nm.sum() <= 235.0


@pytest.mark.parametrize(("arrival", "day", "why"), REFUSED.values(), ids=REFUSED)
def test_a_voyage_into_the_ice_is_refused_with_the_class_it_needs(
    sea: SeaAtlas, arrival: Position, day: tuple[int, int], why: str
) -> None:
    request = ice.order(ROTTERDAM, arrival, day)
    with pytest.raises(EndInsideArea, match=why):
        resolve_area_rules(
            PlanningContext(request, sea, None, build_ship(request.ship, request.loading))
        )
