"""Beaufort and Douglas as limits."""

import marshmallow as ma
import numpy as np
import pytest

from app.api.schemas.route_order import OrderConstraintsSchema
from app.records.charting import ChartingSchema
from app.records.route_check import RouteCheckRequestSchema
from app.services.sea.sea_scales import douglas_height_m, wave_limit_m, wind_limit_ms


@pytest.mark.parametrize(
    ("force", "speed_ms"), [(0, 0.2), (3, 5.4), (7, 17.1), (8, 20.7), (11, 32.6), (12, None)]
)
def test_a_beaufort_number_allows_up_to_its_upper_bound(
    force: float, speed_ms: float | None
) -> None:
    assert wind_limit_ms({"maxWindBf": force, "windUnit": "bf"}) == speed_ms


@pytest.mark.parametrize(
    ("degree", "height_m"), [(0, 0.0), (4, 2.5), (5, 4.0), (8, 14.0), (9, None)]
)
def test_a_douglas_degree_allows_up_to_its_upper_bound(
    degree: float, height_m: float | None
) -> None:
    assert wave_limit_m({"maxWaveHeight": degree, "waveUnit": "douglas"}) == height_m


def test_metres_and_metres_per_second_are_taken_as_they_are() -> None:
    assert wave_limit_m({"maxWaveHeight": 4.2, "waveUnit": "meters"}) == 4.2
    assert wind_limit_ms({"maxWindBf": 15.5, "windUnit": "m/s"}) == 15.5


@pytest.mark.parametrize(("asked", "kept"), [(3.6576, 3.65), (0.29, 0.29), (4.35, 4.35), (0, 0)])
def test_a_limit_between_two_digits_of_a_plan_is_the_lower(asked: float, kept: float) -> None:
    assert wave_limit_m({"maxWaveHeight": asked, "waveUnit": "meters"}) == kept


def test_a_stored_limit_beyond_any_sea_is_read_as_a_limit() -> None:
    assert wave_limit_m({"maxWaveHeight": 1e308, "waveUnit": "meters"}) == 150.0
    assert wind_limit_ms({"maxWindBf": 1e308, "windUnit": "m/s"}) == 150.0


def test_no_limit_stays_none() -> None:
    assert wave_limit_m({"maxWaveHeight": None, "waveUnit": "douglas"}) is None
    assert wind_limit_ms({"maxWindBf": None, "windUnit": "bf"}) is None


def test_a_reported_sea_state_is_read_as_the_middle_of_its_degree() -> None:
    middles = (0.0, 0.05, 0.3, 0.875, 1.875, 3.25, 5.0, 7.5, 11.5, 15.0)
    assert douglas_height_m(np.arange(10.0)) == pytest.approx(middles)
    assert douglas_height_m(np.array([2.5])) == pytest.approx(0.5875)


@pytest.mark.parametrize("value", [-0.1, 150.1, 1e308])
@pytest.mark.parametrize(
    ("schema", "field"),
    [
        (ChartingSchema, "maxWaveHeight"),
        (ChartingSchema, "maxWindBf"),
        (RouteCheckRequestSchema, "maxWaveHeight"),
        (RouteCheckRequestSchema, "maxWindBf"),
        (OrderConstraintsSchema, "max_wave_m"),
    ],
)
def test_a_limit_lies_between_a_calm_and_more_than_any_storm(
    schema: type[ma.Schema], field: str, value: float
) -> None:
    assert field in schema().validate({field: value}, partial=True)
    assert schema().validate({field: 100.0}, partial=True) == {}
