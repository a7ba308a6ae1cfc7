"""Tests of areas that the threads of a planning share: prepared geometries crash under two."""

from collections.abc import Callable
from threading import Thread

import numpy as np
import pytest
from shapely.geometry import LineString, MultiPolygon, Polygon

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.geodesy.shapes import (
    build_lines,
    contains_points,
    intersects,
    lines_within,
    prepared,
)
from app.engine.request import Position
from app.engine.sea.bypasses import CentreLines
from app.engine.sea.route_restrictions import find_end_inside
from app.engine.sea.search.conditions import build_price_map

AREA = MultiPolygon([Polygon([(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)])])
LATS, LNGS = np.array([1.0, 2.0]), np.array([1.0, 9.0])


def find_end() -> None:
    area = Area("a", "a", AreaKind.CONSTRAINT, AreaRule.NO_ENTRY, AREA)
    find_end_inside(area, Position(1.0, 1.0), Position(9.0, 9.0))


TESTS: dict[str, Callable[[], object]] = {
    "price of a mile": lambda: build_price_map.__wrapped__(((AREA, 2.0),)),
    "barriers across passages": lambda: CentreLines(()).list_barriers(AREA, np.empty((0, 4))),
    "end inside": find_end,
    "points inside": lambda: contains_points(AREA, LATS, LNGS),
    "line through": lambda: intersects(AREA, LineString([(-1.0, 1.0), (1.0, 1.0)])),
    "lines near": lambda: lines_within(AREA, build_lines(LATS, LNGS, LATS + 1.0, LNGS), 0.1),
}


@pytest.mark.parametrize("name", TESTS)
def test_one_thread_at_a_time_tests_an_area(name: str) -> None:
    thread = Thread(target=TESTS[name])
    with prepared(AREA):
        thread.start()
        thread.join(0.5)
        is_waiting = thread.is_alive()
    thread.join()
    assert is_waiting
