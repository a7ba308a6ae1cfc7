"""Barriers around areas drawn with thousands of vertices: exact, and few."""

import numpy as np
import pytest
import shapely
from shapely.geometry import MultiPolygon, Polygon

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.request import Limits, Position
from app.engine.sea.route_restrictions import build_restrictions
from app.engine.sea.search.barriers import SEARCH_COSINE, LaneLines, is_barred
from app.engine.sea.search.conditions import Conditions

VERTICES = 3000


def draw_star(seed: int, vertices: int = VERTICES) -> MultiPolygon:
    """A ragged star around 45 N 30 W."""
    random = np.random.default_rng(seed)
    bearing = np.linspace(0.0, 2.0 * np.pi, vertices, endpoint=False)
    radius = random.uniform(0.5, 1.5, vertices)
    ring = np.stack([radius * np.sin(bearing) - 30.0, radius * np.cos(bearing) + 45.0], axis=1)
    return MultiPolygon([Polygon(ring)])


def list_barriers(geometry: MultiPolygon) -> np.ndarray:
    return np.unique(build_conditions(geometry).segments, axis=0)


def build_conditions(geometry: MultiPolygon) -> Conditions:
    area = Area("area", "Area", AreaKind.NO_GO, AreaRule.NO_ENTRY, geometry)
    return build_restrictions(
        np.zeros(0, dtype=np.bool_),
        np.empty((0, 4)),
        LaneLines(),
        [],
        [area],
        Position(50.0, -10.0),
        Position(40.0, -60.0),
        Limits(north_lat=80.0),
        0.0,
    ).conditions


def test_a_ragged_area_has_hardly_more_barriers_than_vertices() -> None:
    assert len(list_barriers(draw_star(0))) < 2 * VERTICES


@pytest.mark.parametrize("seed", range(3))
def test_barriers_keep_a_distance_from_the_drawn_area(seed: int) -> None:
    drawn = draw_star(seed, vertices=500)
    lines = shapely.linestrings(list_barriers(drawn).reshape(-1, 2, 2))
    assert shapely.distance(drawn, lines).min() > 0.0004


@pytest.mark.parametrize("seed", range(3))
def test_every_line_into_the_area_crosses_a_barrier(seed: int) -> None:
    drawn = draw_star(seed, vertices=500)
    barriers = shapely.union_all(shapely.linestrings(list_barriers(drawn).reshape(-1, 2, 2)))
    random = np.random.default_rng(seed)
    inside = shapely.get_coordinates(drawn)[random.integers(0, 500, 200)]
    bearing = random.uniform(0.0, 2.0 * np.pi, 200)
    outside = np.stack([3.0 * np.sin(bearing) - 30.0, 3.0 * np.cos(bearing) + 45.0], axis=1)
    lines = shapely.linestrings(np.stack([inside, outside], axis=1))
    assert shapely.intersects(barriers, lines).all()


def test_every_line_into_a_band_round_the_globe_crosses_a_barrier() -> None:
    band = build_conditions(MultiPolygon([shapely.box(-180.0, 55.0, 180.0, 60.0)]))
    barriers = band.segments, band.kinds, band.starts
    for west in np.arange(-180.0, 180.0, 0.25):
        east = (west + 2.0 + 180.0) % 360.0 - 180.0
        assert is_barred(*barriers, 54.9, west, 55.5, east, False, SEARCH_COSINE), west
        assert not is_barred(*barriers, 54.5, west, 54.9, east, False, SEARCH_COSINE), west
