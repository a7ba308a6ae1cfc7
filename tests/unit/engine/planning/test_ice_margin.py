"""The margin around ice for ships that may not enter it."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely.geometry import MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.geodesy import great_circle_distance_nm
from app.engine.particulars import IceClass
from app.engine.planning.ice import add_ice_margin, buffer_by_distance
from app.engine.request import Position

ICE = MultiPolygon([box(-30.0, 62.0, -20.0, 70.0)])
FAR, NEAR, INSIDE = Position(50.0, -25.0), Position(61.8, -25.0), Position(65.0, -25.0)


def make_ice(rule: AreaRule = AreaRule.AVOID_UNLESS_ENDPOINT, margin_nm: float = 30.0) -> Area:
    water = IceWater(IceHazard.PACK, IceClass.IA, margin_nm)
    return Area("ice", "Ice", AreaKind.ICE, rule, ICE, ice=water)


@pytest.mark.parametrize(
    ("lat", "lng"), [(62.0, -25.0), (62.0, -20.0), (70.0, -30.0), (66.0, -20.0)]
)
def test_the_margin_is_equally_wide_in_every_direction(lat: float, lng: float) -> None:
    edge = shapely.get_coordinates(shapely.segmentize(buffer_by_distance(ICE, 30.0).boundary, 0.05))
    miles = [great_circle_distance_nm(lat, lng, y, x) for x, y in edge]
    assert 29.5 < np.min(miles) < 33.0


def test_an_area_that_a_ship_may_not_enter_has_a_margin() -> None:
    kept = add_ice_margin(make_ice(), FAR, FAR)
    assert kept.geometry.contains(shapely.Point(-25.0, 61.6))
    assert kept.geometry.contains(ICE)


@pytest.mark.parametrize(
    ("area", "end"),
    [
        (make_ice(AreaRule.PRICED), FAR),
        (make_ice(AreaRule.LEAST_EXPOSURE), FAR),
        (make_ice(margin_nm=0.0), FAR),
        (make_ice(), INSIDE),
    ],
    ids=["ship of the class", "end behind the area", "no margin", "end inside the area"],
)
def test_other_areas_have_no_margin(area: Area, end: Position) -> None:
    assert add_ice_margin(area, FAR, end) is area


def test_there_is_no_margin_around_an_end_next_to_the_ice() -> None:
    kept = add_ice_margin(make_ice(), FAR, NEAR).geometry
    assert not kept.contains(shapely.Point(NEAR.lng, NEAR.lat))
    assert kept.contains(ICE)
    assert kept.contains(shapely.Point(-25.0, 70.3))


def test_the_margin_ends_at_the_pole_and_goes_on_across_180_degrees() -> None:
    kept = buffer_by_distance(MultiPolygon([box(170.0, 85.0, 180.0, 90.0)]), 30.0)
    west, south, east, north = kept.bounds
    assert (west, east, north) == (-180.0, 180.0, 90.0)
    assert south < 84.6
    assert kept.contains(shapely.Point(165.0, 85.0))
    assert kept.contains(shapely.Point(-176.0, 85.0))
    assert not kept.contains(shapely.Point(-160.0, 85.0))


def test_there_is_no_margin_around_an_end_across_180_degrees() -> None:
    ice = replace(make_ice(), geometry=MultiPolygon([box(170.0, 65.0, 180.0, 70.0)]))
    end = Position(67.0, -179.6)
    kept = add_ice_margin(ice, FAR, end).geometry
    assert not kept.contains(shapely.Point(end.lng, end.lat))
    assert kept.contains(shapely.Point(-179.6, 69.0))
