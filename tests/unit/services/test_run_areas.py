"""Areas of regional weather runs, and the voyages that they may serve."""

from pathlib import Path

import pytest

from app.engine.request import Position
from app.engine.weather.grid import RegularGrid
from app.services.weather import run_areas

ROTTERDAM, SINGAPORE = Position(51.9, 4.1), Position(1.2, 103.8)
NEW_YORK, LOS_ANGELES = Position(40.6, -74.0), Position(33.7, -118.2)
AUCKLAND, CALLAO = Position(-36.8, 174.8), Position(-12.0, -77.2)
MEDITERRANEAN = RegularGrid(30, 1, 17, -6, 1, 43)
CARIBBEAN = RegularGrid(8, 1, 21, -90, 1, 31)
SOUTH_PACIFIC = RegularGrid(-50, 1, 46, 160, 1, 101)


@pytest.mark.parametrize(
    ("grid", "ends", "is_touched"),
    [
        (MEDITERRANEAN, (ROTTERDAM, SINGAPORE), True),
        (CARIBBEAN, (NEW_YORK, LOS_ANGELES), True),
        (CARIBBEAN, (ROTTERDAM, SINGAPORE), False),
        (SOUTH_PACIFIC, (AUCKLAND, CALLAO), True),
        (SOUTH_PACIFIC, (ROTTERDAM, NEW_YORK), False),
        (MEDITERRANEAN, (AUCKLAND, CALLAO), False),
        (RegularGrid(30, 1, 17, 0, 1, 360), (ROTTERDAM, NEW_YORK), True),
    ],
)
def test_a_regional_run_serves_voyages_that_may_lead_through_its_area(
    monkeypatch: pytest.MonkeyPatch,
    grid: RegularGrid,
    ends: tuple[Position, Position],
    is_touched: bool,
) -> None:
    monkeypatch.setattr(run_areas, "find_grid", lambda *_: grid)
    assert run_areas.may_touch(Path(), "wind", ends) is is_touched
    assert run_areas.may_touch(Path(), "wind", ends[::-1]) is is_touched


def test_the_share_of_a_voyage_in_an_area_across_the_antimeridian_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_areas, "find_grid", lambda *_: SOUTH_PACIFIC)
    assert run_areas.measure_share(Path(), "wind", (AUCKLAND, CALLAO)) == pytest.approx(
        0.72, abs=0.01
    )
    assert run_areas.measure_share(Path(), "wind", (ROTTERDAM, NEW_YORK)) == 0.0
