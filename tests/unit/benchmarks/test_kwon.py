"""The table of involuntary speed loss that the ship model is compared with."""

import pytest

from benchmarks.kwon import find_speed_loss_pct


def test_kwons_table_is_not_used_where_it_turns_negative() -> None:
    assert find_speed_loss_pct(6, 0.0, 0.142, 312_622.0, 0.80, "laden") == pytest.approx(
        5.306, 1e-3
    )
    assert find_speed_loss_pct(5, 0.0, 0.17, 30_000.0, 0.80, "ballast") is None
    assert find_speed_loss_pct(9, 0.0, 0.14, 312_622.0, 0.80, "laden") is None
