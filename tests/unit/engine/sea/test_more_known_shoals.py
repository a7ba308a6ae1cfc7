"""Adding a known shoal never removes a warning from any leg."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.shoal_areas import ShoalArea, ShoalKind, apply_shoal_areas
from app.engine.sea.shoals import build_overview, find_least_steps
from app.engine.sea.squares import restore_rows, store_in_squares

pytestmark = pytest.mark.atlas

#: Deeper than the map tells, so that no least depth is cut short.
NEED = 255
places = st.tuples(st.floats(30.0, 60.0), st.floats(-80.0, 0.0))
offsets = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))


class ShoalMap:
    """The least known depths of the world's cells, from rows of cells."""

    def __init__(self, charted: Any, proven: Any) -> None:
        self.squares = store_in_squares(np.minimum(charted, proven))
        self.overview = build_overview(self.squares)

    def find_least(self, start: tuple[float, float], end: tuple[float, float]) -> int:
        return int(find_least_steps(self.squares, self.overview, *start, *end, 0, NEED))


@pytest.fixture(scope="module")
def rows(sea: SeaAtlas) -> tuple[Any, Any]:
    """The charted and the proven depths, row by row."""
    return restore_rows(sea.waters.charted), restore_rows(sea.waters.shoals)


@pytest.fixture(scope="module")
def known(rows: tuple[Any, Any]) -> ShoalMap:
    return ShoalMap(*rows)


@settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    place=places,
    start=offsets,
    end=offsets,
    size_deg=st.floats(0.01, 0.5),
    depth_m=st.floats(0.0, 40.0),
    kind=st.sampled_from(list(ShoalKind)),
)
def test_a_further_shoal_never_removes_a_warning(
    rows: tuple[Any, Any],
    known: ShoalMap,
    place: tuple[float, float],
    start: tuple[float, float],
    end: tuple[float, float],
    size_deg: float,
    depth_m: float,
    kind: ShoalKind,
) -> None:
    lat, lng = place
    corners = ((0.0, 0.0), (size_deg, 0.0), (size_deg, size_deg), (0.0, size_deg))
    outline = tuple(Position(lat + north, lng + east) for north, east in corners)
    a, b = ((lat + north, lng + east) for north, east in (start, end))
    charted, proven = (each.copy() for each in rows)
    apply_shoal_areas(charted, proven, [ShoalArea("a", "A bank", kind, outline, depth_m)])
    assert ShoalMap(charted, proven).find_least(a, b) <= known.find_least(a, b)
