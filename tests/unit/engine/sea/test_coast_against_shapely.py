"""Land and clearance from bucketed coast edges, against GEOS on the same polygons."""

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from app.engine.constants import DEGREE_M
from app.engine.sea.coast import build_coast_index, is_land, segment_clearance_m
from app.engine.sea.raster import (
    LandRaster,
    build_land_raster,
    get_bit,
    is_box_water,
    is_line_on_water,
)
from app.engine.sea.search.conditions import CoastData
from tests.unit.engine.opened import opened


class Islands:
    """Random jagged islands within a few degrees, as polygons and as our arrays."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        rings = [self._draw(rng) for _ in range(12)]
        self.polygons = [shapely.polygons(ring.astype(np.float64)) for ring in rings]
        starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
        vertices = np.concatenate(rings)
        self.raster: LandRaster = opened(build_land_raster(vertices, starts))
        self.index = opened(build_coast_index(vertices, starts))
        no_depths = [np.empty(0, dtype=np.uint8)] * 5
        self.waters = CoastData(*self.raster, *self.index, *no_depths)

    @staticmethod
    def _draw(rng: np.random.Generator) -> NDArray[np.float32]:
        bearing = np.sort(rng.uniform(0.0, 2.0 * np.pi, 40))
        radius = rng.uniform(0.05, 0.3, 40)
        lng, lat = rng.uniform(-2.0, 2.0), rng.uniform(48.0, 52.0)
        xy = np.column_stack([lng + radius * np.cos(bearing), lat + radius * np.sin(bearing)])
        return np.vstack([xy, xy[:1]]).astype(np.float32)

    def is_land(self, lat: float, lng: float) -> bool:
        """By the even-odd rule, as GSHHG's levels are meant."""
        return sum(polygon.contains(shapely.Point(lng, lat)) for polygon in self.polygons) % 2 == 1


@pytest.fixture(scope="module")
def islands() -> Islands:
    return Islands(seed=20)


def test_points_are_land_where_the_polygons_say_so(islands: Islands) -> None:
    rng = np.random.default_rng(1)
    for lat, lng in zip(rng.uniform(47.5, 52.5, 3000), rng.uniform(-2.5, 2.5, 3000), strict=True):
        assert is_land(islands.waters, lat, lng) == islands.is_land(lat, lng), (lat, lng)


def test_clearance_is_the_distance_to_the_nearest_edge(islands: Islands) -> None:
    rng = np.random.default_rng(2)
    for _ in range(400):
        lat, lng = rng.uniform(47.5, 52.5), rng.uniform(-2.5, 2.5)
        end = lat + rng.uniform(-0.1, 0.1), lng + rng.uniform(-0.1, 0.1)
        found = segment_clearance_m(*islands.index, lat, lng, *end, 30_000.0)
        scale = np.array([np.cos(np.radians((lat + end[0]) / 2.0)), 1.0])
        line = shapely.linestrings(np.array([(lng, lat), end[::-1]]) * scale)
        shores = [
            shapely.transform(polygon.exterior, lambda xy, s=scale: xy * s)
            for polygon in islands.polygons
        ]
        expected = min(float(shapely.distance(line, shore)) for shore in shores) * DEGREE_M
        assert found == pytest.approx(min(expected, 30_000.0), rel=1e-3, abs=1.0)


def test_a_line_over_water_cells_crosses_no_polygon(islands: Islands) -> None:
    rng = np.random.default_rng(3)
    clear = 0
    for _ in range(2000):
        lat, lng = rng.uniform(47.5, 52.5), rng.uniform(-2.5, 2.5)
        end = lat + rng.uniform(-0.5, 0.5), lng + rng.uniform(-0.5, 0.5)
        if is_line_on_water(*islands.raster, lat, lng, *end):
            clear += 1
            line = shapely.linestrings([(lng, lat), end[::-1]])
            assert not any(polygon.intersects(line) for polygon in islands.polygons)
    assert clear > 200


def test_no_shore_comes_within_the_margin_of_a_box_of_water_cells(islands: Islands) -> None:
    rng = np.random.default_rng(4)
    clear = 0
    for _ in range(2000):
        lat, lng = rng.uniform(47.5, 52.5), rng.uniform(-2.5, 2.5)
        end = lat + rng.uniform(-0.1, 0.1), lng + rng.uniform(-0.1, 0.1)
        if is_box_water(*islands.raster, lat, lng, *end, 500.0 / DEGREE_M):
            clear += 1
            assert not islands.is_land(lat, lng)
            assert segment_clearance_m(*islands.index, lat, lng, *end, 1000.0) > 500.0
    assert clear > 200


def test_columns_of_the_raster_wrap_around_the_globe(islands: Islands) -> None:
    row, col = int((50.0 + 90.0) * 128), 180 * 128
    assert get_bit(islands.raster.shore, row, col) == get_bit(
        islands.raster.shore, row, col - 360 * 128
    )


def test_clearance_is_measured_across_the_antimeridian() -> None:
    ring = np.array([[179.9, 0.0], [179.95, 0.0], [179.95, 0.1], [179.9, 0.0]], dtype=np.float32)
    index = opened(build_coast_index(ring, np.array([0, 4])))
    found = segment_clearance_m(*index, 0.05, -179.95, 0.06, -179.94, 20_000.0)
    assert found == pytest.approx(0.1 * DEGREE_M, rel=1e-2)


def test_land_cut_at_the_antimeridian_is_land_on_it() -> None:
    west, east = (
        np.array([[a, 0.0], [a, 0.1], [b, 0.1], [b, 0.0], [a, 0.0]], dtype=np.float32)
        for a, b in ((179.9, 180.0), (-180.0, -179.9))
    )
    vertices, starts = np.concatenate([west, east]), np.array([0, 5, 10])
    raster = opened(build_land_raster(vertices, starts))
    index = opened(build_coast_index(vertices, starts))
    waters = CoastData(*raster, *index, *[np.empty(0, dtype=np.uint8)] * 5)
    lngs = (180.0, -180.0, 179.99, -179.99)
    assert [is_land(waters, 0.05, lng) for lng in lngs] == [True] * 4
    assert [is_land(waters, 0.102, lng) for lng in lngs] == [False] * 4
