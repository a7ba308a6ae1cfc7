"""Derived figures of a vessel on its form and page."""

from dataclasses import replace

import pytest

from app.pages.presenters.presenters import derived_figures
from tests.unit.engine.vessel.ships import CAPESIZE


@pytest.mark.parametrize(
    ("power_kw", "remark"),
    [(None, ""), (18_660.0, ""), (1_866.0, "; check the 1\u202f866 kW given")],
)
def test_the_usual_power_is_named_with_one_given_that_disagrees(
    power_kw: float | None, remark: str
) -> None:
    figures = dict(derived_figures(replace(CAPESIZE, installed_power_kw=power_kw)))
    usual, unit, asked = figures["Usual power"].partition(" kW")
    assert 14_000 < int(usual.replace("\u202f", "")) < 20_000
    assert (unit, asked) == (" kW", remark)
