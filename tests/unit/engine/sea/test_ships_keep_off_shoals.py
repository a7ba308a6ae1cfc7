"""No route crosses water charted shallower than the ship requires."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.errors import DraftTooDeep, VoyageError
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.passage_limits import exceeded_limits
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, ShipSize
from app.engine.sea.shoals import DEEP, count_steps, find_least_steps
from tests.unit.engine.sea.ascii_chart import Drawing

WEST, EAST = Position(-4.1, 57.0), Position(-3.9, 64.0)
BASIN, OCEAN = Position(20.0, 60.0), Position(20.0, 56.0)

lats = st.floats(-8.0, 0.0)
lngs = st.floats(56.0, 66.0)
depths_m = st.floats(4.0, 20.0)


def ship(required_depth_m: float) -> ShipSize:
    return ShipSize(required_depth_m - 2.0, 15.0, 100.0, required_depth_m=required_depth_m)


def lay(sea: SeaAtlas, a: Position, b: Position, size: ShipSize) -> tuple[Leg, ...]:
    return sea.build_legs(sea.find_paths(a, b, ship=size)[0], TrackKind.GREAT_CIRCLE)


def sound(sea: SeaAtlas, leg: Leg, geometry: LegGeometry) -> float:
    """Least depth on a leg by the chart, every 0.1 nm; infinite where it tells nothing."""
    found = sea.depth_m(*sample_leg(leg.start, leg.end, geometry, 0.1))
    return float(np.nanmin(found, initial=np.inf))


@pytest.mark.parametrize("geometry", list(LegGeometry))
def test_a_ship_goes_round_a_bank_too_shallow_for_it(
    tiny_sea: SeaAtlas, geometry: LegGeometry
) -> None:
    legs = lay(tiny_sea, WEST, EAST, ship(9.5))
    assert min(sound(tiny_sea, leg, geometry) for leg in legs) >= 9.5
    assert sum(leg.distance_nm for leg in legs) > 425.0


def test_a_ship_that_needs_less_crosses_the_bank(tiny_sea: SeaAtlas) -> None:
    legs = lay(tiny_sea, WEST, EAST, ship(9.0))
    assert min(leg.min_depth_m or np.inf for leg in legs) == pytest.approx(9.0)
    assert sum(leg.distance_nm for leg in legs) < 420.0


def test_without_a_required_depth_the_draught_is_asked_for(tiny_sea: SeaAtlas) -> None:
    deep = ShipSize(draft_m=9.5, breadth_m=15.0, loa_m=100.0)
    assert sum(leg.distance_nm for leg in lay(tiny_sea, WEST, EAST, deep)) > 425.0


def test_a_basin_behind_a_reef_is_entered_by_its_gap(tiny_sea: SeaAtlas) -> None:
    legs = lay(tiny_sea, OCEAN, BASIN, ship(12.0))
    assert max(leg.end.lng for leg in legs) > 62.0
    assert min(sound(tiny_sea, leg, leg.geometry) for leg in legs) >= 12.0


def test_the_refusal_of_a_ship_too_deep_for_a_gap_states_its_depth(
    tiny_sea: SeaAtlas,
) -> None:
    with pytest.raises(DraftTooDeep) as refusal:
        tiny_sea.find_paths(OCEAN, BASIN, ship=ship(18.0))
    gate = refusal.value.data["gate"]
    assert (gate["limit"], gate["ship"]) == (15.0, 18.0)
    assert 61.0 <= gate["lng"] <= 62.6
    assert 19.4 <= gate["lat"] <= 20.6
    assert "15 m" in refusal.value.detail


def test_the_shoal_named_in_a_refusal_is_found_where_only_a_finer_grid_charts_it(
    tiny_sea: SeaAtlas,
) -> None:
    unaware = replace(tiny_sea, depths=np.full_like(tiny_sea.depths, 4000))
    with pytest.raises(DraftTooDeep) as refusal:
        unaware.find_paths(BASIN, OCEAN, ship=ship(18.0))
    gate, w = refusal.value.data["gate"], tiny_sea.waters
    place = gate["lat"], gate["lng"]
    steps = find_least_steps(w.charted, w.charted_blocks, *place, *place, 0, DEEP)
    assert steps == count_steps(gate["limit"])


def test_a_departure_on_a_shoal_is_refused(tiny_sea: SeaAtlas) -> None:
    with pytest.raises(DraftTooDeep) as refusal:
        tiny_sea.find_paths(Position(-4.0, 60.5), EAST, ship=ship(9.5))
    assert refusal.value.data["gate"]["limit"] == 9.0


def test_an_authoritys_draught_limit_replaces_the_depth(strait: Passage) -> None:
    assert not exceeded_limits(strait, ShipSize(7.9, 15.0, 100.0, required_depth_m=11.5))
    assert set(exceeded_limits(strait, ShipSize(8.1, 15.0, 100.0))) == {"draft_m"}


def test_a_limit_of_depth_includes_the_under_keel_clearance(strait: Passage) -> None:
    sill = replace(strait, max_draft_m=None)
    wanted = ShipSize(7.9, 15.0, 100.0, required_depth_m=11.5)
    assert exceeded_limits(sill, wanted) == {"depth_m": (11.5, 11.0)}


def test_a_lightened_ship_passes_a_strait_that_was_too_shallow(
    tiny_sea: SeaAtlas, drawings: dict[str, Drawing]
) -> None:
    places = drawings["strait"].places
    with pytest.raises(DraftTooDeep):
        tiny_sea.find_paths(places["O"], places["I"], ship=ship(11.0))
    assert tiny_sea.find_paths(places["O"], places["I"], ship=ship(11.0).lighten(1.0))


@settings(max_examples=40, deadline=None)
@given(lats, lngs, lats, lngs, depths_m, depths_m)
def test_a_deeper_ship_never_gets_a_cheaper_route(
    tiny_sea: SeaAtlas, lat0: float, lng0: float, lat1: float, lng1: float, one: float, two: float
) -> None:
    costs = []
    for required in sorted((one, two)):
        try:
            ends = Position(lat0, lng0), Position(lat1, lng1)
            costs.append(tiny_sea.find_paths(*ends, ship=ship(required), most=1)[0].cost_nm)
        except VoyageError:
            costs.append(np.inf)
    assert costs[0] <= costs[1] * (1.0 + 1e-6)


@settings(max_examples=25, deadline=None)
@given(lats, lngs, lats, lngs, depths_m)
def test_no_leg_crosses_less_water_than_is_required(
    tiny_sea: SeaAtlas, lat0: float, lng0: float, lat1: float, lng1: float, required: float
) -> None:
    try:
        legs = lay(tiny_sea, Position(lat0, lng0), Position(lat1, lng1), ship(required))
    except DraftTooDeep:
        return
    for leg in legs:
        assert all(sound(tiny_sea, leg, geometry) >= required for geometry in LegGeometry)


@given(lats, lngs, lats, lngs, st.floats(0.0, 1.0))
def test_the_shoal_map_is_nowhere_deeper_than_the_chart(
    tiny_sea: SeaAtlas, lat0: float, lng0: float, lat1: float, lng1: float, share: float
) -> None:
    w = tiny_sea.waters
    steps = find_least_steps(w.shoals, w.shoal_blocks, lat0, lng0, lat1, lng1, 0, DEEP)
    charted = tiny_sea.depth_m(lat0 + share * (lat1 - lat0), lng0 + share * (lng1 - lng0))
    assert steps >= DEEP or steps <= count_steps(float(charted))
