"""Description of the area that a forecast run covers."""

import pytest

from app.engine.weather.grid import RegularGrid
from app.services.weather.weather_area import ALL_OCEANS, describe_area

GLOBAL = RegularGrid(-90, 1, 181, 0, 1, 360)


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        (GLOBAL, ALL_OCEANS),
        (RegularGrid(-78, 0.25, 625, -180, 0.25, 1440), ALL_OCEANS),
        (RegularGrid(-60, 1, 133, 0, 1, 360), ALL_OCEANS),
        (RegularGrid(30, 1, 31, -80, 1, 71), "30°N to 60°N, 80°W to 10°W"),
        (RegularGrid(-20, 1, 31, 170, 1, 31), "20°S to 10°N, 170°E to 160°W"),
        (RegularGrid(0, 1, 61, 0, 1, 360), "0°N to 60°N"),
    ],
)
def test_a_regional_run_is_not_said_to_cover_all_oceans(grid: RegularGrid, words: str) -> None:
    assert describe_area([grid]) == words


def test_a_run_covers_what_all_its_groups_cover() -> None:
    regional = RegularGrid(30, 1, 31, -80, 1, 71)
    assert describe_area([GLOBAL, regional]) == "30°N to 60°N, 80°W to 10°W"
