"""Spellings of units in weather files."""

import numpy as np
import pytest

from app.datasources.weather.fields import Quantity
from app.datasources.weather.netcdf import survey_netcdf
from app.datasources.weather.units import UnitRefused, find_conversion
from tests.unit.datasources.weather.making import netcdf

KNOT_MS = 1852.0 / 3600.0

CONVERTED = [
    (Quantity.WIND_U, "m s-1", 10.0, 10.0),
    (Quantity.WIND_U, "m s**-1", 10.0, 10.0),
    (Quantity.WIND_V, "m/s", 10.0, 10.0),
    (Quantity.WIND_V, "knots", 10.0, 10.0 * KNOT_MS),
    (Quantity.CURRENT_U, "kn", 2.0, 2.0 * KNOT_MS),
    (Quantity.CURRENT_V, "cm s-1", 50.0, 0.5),
    (Quantity.WIND_U, "km/h", 36.0, 10.0),
    (Quantity.WAVE_HEIGHT, "feet", 10.0, 3.048),
    (Quantity.WAVE_HEIGHT, "cm", 250.0, 2.5),
    (Quantity.PEAK_PERIOD, "seconds", 8.0, 8.0),
    (Quantity.WAVE_FROM, "Degree true", 270.0, 270.0),
    (Quantity.WAVE_FROM, "radian", np.pi, 180.0),
    (Quantity.ICE, "%", 40.0, 0.4),
    (Quantity.ICE, "(0 - 1)", 0.4, 0.4),
    (Quantity.PRESSURE, "Pa", 101_325.0, 1013.25),
    (Quantity.PRESSURE, "mbar", 1013.25, 1013.25),
    (Quantity.SEA_TEMPERATURE, "K", 288.15, 15.0),
    (Quantity.SEA_TEMPERATURE, "Celsius", 15.0, 15.0),
]


@pytest.mark.parametrize(("quantity", "unit", "given", "expected"), CONVERTED)
def test_a_unit_is_converted(quantity: Quantity, unit: str, given: float, expected: float) -> None:
    scale, offset = find_conversion(quantity, unit)
    assert given * scale + offset == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "unit", "words"),
    [
        ("u10", "", "the units attribute is missing"),
        ("u10", "beaufort", "the unit 'beaufort' is not known"),
        ("v10", "m", "the unit 'm' does not fit"),
        ("swh", "m s-1", "the unit 'm s-1' does not fit"),
        ("mwd", "1", "the unit '1' does not fit"),
        ("siconc", "degree", "the unit 'degree' does not fit"),
        ("pp1d", "unknown", "the unit 'unknown' does not fit"),
    ],
)
def test_a_unit_that_is_missing_or_unknown_is_refused_with_its_variable(
    tmp_path, name: str, unit: str, words: str
) -> None:
    attributes = {"units": unit} if unit else {}
    values = {name: (attributes, np.ones((2, 5, 5)))}
    survey = survey_netcdf(netcdf(tmp_path / "f.nc", values, lats=range(5), lngs=range(5)))
    assert survey.fields == []
    assert len(survey.left_out) == 1
    assert survey.left_out[0].startswith(f"f.nc: {name}: {words}")


def test_the_quantity_and_the_unit_it_needs_are_named() -> None:
    with pytest.raises(UnitRefused, match=r"eastward wind at 10 m needs .* 'm s-1'"):
        find_conversion(Quantity.WIND_U, "furlong")
