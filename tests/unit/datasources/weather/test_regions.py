"""Regions of the oceans to which stored ensemble members are limited."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasources.weather.regions import Region
from app.engine.weather import RegularGrid

GLOBE = RegularGrid(-90.0, 2.5, 73, 0.0, 2.5, 144)
DEGREES = st.floats(-180.0, 180.0)


def test_a_region_is_read_as_it_is_written() -> None:
    assert Region.read("30,-80, 60,0.5") == Region(30.0, -80.0, 60.0, 0.5)


@pytest.mark.parametrize("text", ["", "30,-80,60", "60,-80,30,0", "30,-190,60,0", "30,a,60,0"])
def test_what_is_no_region_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is not a region: give south, west, north and east"):
        Region.read(text)


@given(st.floats(-89.0, 80.0), st.floats(0.5, 60.0), DEGREES, DEGREES, st.floats(0.0, 1.0))
def test_the_part_of_a_globe_surrounds_every_place_of_the_region(
    south: float, height: float, west: float, east: float, share: float
) -> None:
    region = Region(south, west, min(south + height, 90.0), east)
    part = region.part_of(GLOBE)
    width = (east - west) % 360.0 or 360.0
    lng = west + share * width
    lat = region.south + share * (region.north - region.south)
    assert part.grid.lat_first <= lat + 1e-9
    assert lat <= part.grid.lat_last + 1e-9
    assert part.grid.wraps or (lng - part.grid.lng_first) % 360.0 <= (
        part.grid.lng_last - part.grid.lng_first + 1e-6
    )
    # every value stays at its place
    lats, lngs = GLOBE.cells()
    shape = (GLOBE.n_lat, GLOBE.n_lng)
    kept_lats, kept_lngs = part.grid.cells()
    assert part.take(lats.reshape(shape)).ravel() == pytest.approx(kept_lats)
    turned = np.radians(part.take(lngs.reshape(shape)).ravel() - kept_lngs)
    assert np.cos(turned) == pytest.approx(1.0)


def test_a_grid_without_a_part_in_the_region_is_named() -> None:
    north_sea = RegularGrid(50.0, 1.0, 11, -5.0, 1.0, 15)
    with pytest.raises(ValueError, match="a grid from 50 to 60°N has no part between -40 and 0°N"):
        Region(-40.0, -5.0, 0.0, 10.0).part_of(north_sea)


def test_columns_of_a_regional_grid_all_stay() -> None:
    north_sea = RegularGrid(50.0, 1.0, 11, -5.0, 1.0, 15)
    assert Region(52.0, 0.0, 54.0, 2.0).part_of(north_sea).grid.n_lng == 15
