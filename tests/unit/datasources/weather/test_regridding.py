"""Conversion of irregular grids to regular ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasources.weather.grib import decode_grib, eccodes, survey_grib
from app.datasources.weather.regridding import RowLayout, rows_to_regular
from app.engine.weather import RegularGrid
from tests.unit.datasources.weather.making import write


def temperature(lats, lngs):
    """A smooth field that is different everywhere."""
    return 10.0 * np.sin(np.radians(lats)) + 3.0 * np.cos(np.radians(lngs))


def on_rows(lats, counts):
    lngs = [np.arange(count) * 360.0 / count for count in counts]
    return np.concatenate([temperature(lat, row) for lat, row in zip(lats, lngs, strict=True)])


@pytest.mark.parametrize("sample", ["reduced_gg_pl_32_grib2", "reduced_gg_pl_32_grib1"])
def test_a_reduced_gaussian_field_keeps_its_shape(tmp_path, sample):
    message = eccodes.codes_grib_new_from_samples(sample)
    lats = np.asarray(eccodes.codes_get_array(message, "distinctLatitudes"))
    counts = np.asarray(eccodes.codes_get_array(message, "pl"))
    if sample.endswith("grib1"):
        eccodes.codes_set(message, "shortName", "10u")
    else:
        for key, value in (
            ("parameterCategory", 2),
            ("parameterNumber", 2),
            ("typeOfFirstFixedSurface", 103),
            ("scaleFactorOfFirstFixedSurface", 0),
            ("scaledValueOfFirstFixedSurface", 10),
        ):
            eccodes.codes_set(message, key, value)
    eccodes.codes_set_values(message, on_rows(lats, counts))
    path = write(tmp_path / "g.grib", [eccodes.codes_get_message(message)])
    survey = survey_grib(path)
    assert survey.left_out == []
    ((field, values),) = decode_grib(path, survey.fields)
    assert (field.grid.n_lat, field.grid.n_lng) == (64, 128)
    rows, columns = np.meshgrid(field.grid.lats(), field.grid.lngs(), indexing="ij")
    # O(spacing squared) at the poles' short rows, better elsewhere
    assert np.abs(values - temperature(rows, columns)).max() < 0.12
    middle = np.abs(rows) < 60
    assert np.abs(values - temperature(rows, columns))[middle].max() < 0.02


def test_next_to_a_gap_the_nearer_value_counts():
    layout = RowLayout(row_lats=np.array([0.0, 1.0]), row_counts=np.array([4, 8]))
    values = np.array([1.0, np.nan, 3.0, 4.0, *range(8)], dtype=float)
    row = rows_to_regular(values, layout.regular_grid(), layout)[0]
    assert row[0] == 1.0
    assert np.isnan(row[2])
    assert row[4:7] == pytest.approx([3.0, 3.5, 4.0])


@given(st.booleans(), st.booleans(), st.booleans())
def test_every_scanning_order_gives_the_same_table(from_north, from_east, by_column):
    grid = RegularGrid(0.0, 1.0, 3, 0.0, 1.0, 4)
    table = np.arange(12.0).reshape(3, 4)
    scanned = table[::-1] if from_north else table
    scanned = scanned[:, ::-1] if from_east else scanned
    values = (scanned.T if by_column else scanned).ravel()
    layout = RowLayout(from_north, from_east, by_column)
    assert np.array_equal(rows_to_regular(values, grid, layout), table)


def test_rows_of_another_number_of_points_than_values_are_refused():
    layout = RowLayout(row_lats=np.array([0.0, 10.0]), row_counts=np.array([4, 8]))
    for size in (11, 13):
        with pytest.raises(ValueError, match=f"{size} values for rows of 12 points"):
            rows_to_regular(np.zeros(size), layout.regular_grid(), layout)
