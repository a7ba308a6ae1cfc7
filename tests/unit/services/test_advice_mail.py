"""Mails of advice."""

from datetime import UTC, datetime

import pytest

from app.engine.monitoring.advice import Advice
from app.services.monitoring.advice_mail import list_gains

ETA = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fuel_saved_t", "time_saved_h", "words"),
    [
        (5.0, 2.0, ["Saves 5.0 t of fuel; 100.0 t from here.", "Arrives 2.0 h sooner."]),
        (-5.0, -2.0, ["Costs 5.0 t of fuel; 100.0 t from here.", "Arrives 2.0 h later."]),
        (-0.04, 0.04, []),
        (None, None, []),
    ],
)
def test_gains_are_written_if_their_digits_show_any(
    fuel_saved_t: float | None, time_saved_h: float | None, words: list[str]
) -> None:
    advice = Advice(
        reasons=(),
        avoids=(),
        codes=(),
        excess=None,
        fuel_saved_t=fuel_saved_t,
        time_saved_h=time_saved_h,
        fuel_t=100.0,
        fuel_standard_error_t=None,
        eta=ETA,
        act_by=ETA,
        leaves_track=False,
        action="Slow down",
    )
    assert list_gains(advice) == words
