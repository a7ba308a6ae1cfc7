"""Outlines of areas in the browser."""

import json
from typing import Any

import pytest

from tests.unit.pages.test_filters import run_in_node

BAND = [[-180, 70], [180, 70], [180, 90], [-180, 90], [-180, 70]]
BAND_OF_STEPS = [
    [-180, 70], [0, 70], [180, 70], [180, 90], [0, 90], [-180, 90], [-180, 70]
]  # fmt: skip
ACROSS = [[179, 10], [-179, 10], [-179, 12], [179, 12], [179, 10]]


def read_outline(ring: list[Any]) -> Any:
    """Return the corners [lat, lng] of a polygon, and its geometry as sent to the server."""
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return run_in_node(f"""
        import {{ geometryOf, polygonsOf }} from "./static/js/area/outline.js";
        const polygons = polygonsOf({json.dumps(geometry)});
        console.log(JSON.stringify([polygons[0][0], geometryOf(polygons)]));
    """)


@pytest.mark.parametrize("ring", [BAND, BAND_OF_STEPS])
def test_a_band_round_the_globe_is_drawn_over_all_longitudes_and_saved_as_sent(
    ring: list[Any],
) -> None:
    corners, saved = read_outline(ring)
    assert corners == [[lat, lng] for lng, lat in ring[:-1]]
    assert saved["coordinates"] == [ring]


def test_an_outline_across_the_antimeridian_stays_narrow() -> None:
    corners, _saved = read_outline(ACROSS)
    assert [lng for _lat, lng in corners] == [179, 181, 181, 179]
