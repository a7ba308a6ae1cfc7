"""Places and winds in the engine's sentences."""

import pytest

from app.engine.words import name_wind, tell_position, tell_wind


@pytest.mark.parametrize(
    ("lat", "lng", "told"),
    [
        (51.981667, 4.035, "51°58.900'N 004°02.100'E"),
        (-33.999999, -179.999999, "34°00.000'S 180°00.000'W"),
        (-0.000001, 0.0, "00°00.000'N 000°00.000'E"),
    ],
)
def test_positions_are_told_in_degrees_and_minutes(lat: float, lng: float, told: str) -> None:
    assert tell_position(lat, lng) == told


def test_wind_is_told_in_knots_and_as_the_plan_holds_it() -> None:
    assert tell_wind(13.5) == "26 kn (13.5 m/s)"


@pytest.mark.parametrize(
    ("speed_ms", "term"),
    [(0.0, "calm"), (13.84, "strong breeze"), (13.86, "near gale"), (60.0, "hurricane")],
)
def test_a_wind_has_beauforts_term(speed_ms: float, term: str) -> None:
    assert name_wind(speed_ms) == term
