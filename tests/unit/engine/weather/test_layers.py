import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.times import hours_since_epoch, moment_at
from app.engine.weather import Group, RegularGrid, layer_from_values
from app.engine.weather.groups import CHANNELS, pack, unpack
from app.engine.weather.layer import Layer, measure_coverage_h, nearest_known

GRID = RegularGrid(-2.5, 5.0, 2, 170.0, 5.0, 5)


@given(st.sampled_from(list(Group)), st.floats(0, 1))
def test_packing_keeps_a_value_within_half_a_step(group, share):
    channels = CHANNELS[group]
    values = np.array([[c.least + share * (c.greatest - c.least) for c in channels]])
    errors = np.abs(unpack(group, pack(group, values)) - values)
    assert (errors <= np.array([c.scale for c in channels]) * 0.500001).all()


def test_a_cell_with_one_missing_channel_is_missing_in_all_channels():
    packed = pack(Group.WIND, np.array([[1.0, np.nan], [1.0, 2.0]]))
    assert np.isnan(unpack(Group.WIND, packed)[0]).all()
    assert unpack(Group.WIND, packed)[1] == pytest.approx([1.0, 2.0])


def test_a_wave_of_forty_metres_is_refused_with_its_value():
    with pytest.raises(ValueError, match="wave_height from 40 to 40 m is outside 0 to 32"):
        pack(Group.WAVE, np.array([[40.0, 10.0, 0.0, 1.0]]))


def test_the_nearest_sea_is_found_across_the_antimeridian():
    known = np.zeros(GRID.n_cell, dtype=bool)
    known[[0, 4]] = True  # 170E and 170W on the southern row
    nearest = nearest_known(GRID, known, 1000.0)
    assert list(nearest[:5]) == [0, 0, nearest[2], 4, 4]


def test_no_value_is_taken_from_beyond_the_limit():
    known = np.zeros(GRID.n_cell, dtype=bool)
    known[0] = True
    assert nearest_known(GRID, known, 600.0)[1] == 0
    assert nearest_known(GRID, known, 500.0)[1] == -1


def test_time_steps_that_do_not_increase_are_refused():
    layer = layer_from_values(Group.ICE, GRID, [3.0, 3.0], np.zeros((2, 2, 5, 1)))
    with pytest.raises(ValueError, match="increase"):
        layer.open()


def test_a_layer_on_disk_pickles_as_its_path(tmp_path):
    made = layer_from_values(Group.ICE, GRID, [0.0], np.full((1, 2, 5, 1), 0.4))
    np.save(tmp_path / "ice.npy", made.source)
    np.save(tmp_path / "near.npy", made.nearest)
    stored = Layer(Group.ICE, GRID, (0.0,), tmp_path / "ice.npy", tmp_path / "near.npy")
    assert len(pickle.dumps(stored)) < 1000
    assert not stored.open().arrays[0].flags.owndata
    assert not stored.open().arrays[0].flags.writeable


def test_a_layer_of_another_shape_is_refused():
    layer = Layer(Group.ICE, GRID, (0.0,), np.zeros((1, 3, 1), np.int16), np.zeros(10, np.int32))
    with pytest.raises(ValueError, match="shape"):
        layer.open()


def test_a_naive_time_is_refused():
    with pytest.raises(ValueError, match="zone"):
        hours_since_epoch(moment_at(5.0).replace(tzinfo=None))


@pytest.mark.parametrize(("first", "n_lat"), [(-95.0, 3), (85.0, 3)])
def test_a_grid_beyond_the_poles_is_refused(first, n_lat):
    with pytest.raises(ValueError, match="exceed -90 to 90"):
        RegularGrid(first, 5.0, n_lat, 0.0, 5.0, 72)


@pytest.mark.parametrize(
    ("times_h", "span_h", "covered_h"),
    [
        ((0.0, 12.0, 24.0), (0.0, 24.0), 24.0),
        ((0.0, 12.0, 24.0), (-10.0, 100.0), 24.0),
        ((0.0, 12.0, 100.0, 112.0), (0.0, 112.0), 36.0),
        ((0.0, 12.0, 100.0, 112.0), (15.0, 98.0), 7.0),
        ((0.0, 12.0, 100.0, 112.0), (20.0, 90.0), 0.0),
    ],
)
def test_hours_inside_a_gap_are_not_covered(times_h, span_h, covered_h):
    assert measure_coverage_h(Group.WAVE, times_h, *span_h) == covered_h
