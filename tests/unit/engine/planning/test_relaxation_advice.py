"""Advice on a limit that no route keeps: a higher limit, a later departure, both or neither."""

from typing import Any, cast

import pytest

from app.engine.errors import NoRoute
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import WAVE_HEIGHT
from app.engine.planning.relaxation import Relaxation, _advise, _Scale, explain_infeasible
from app.engine.progress import ProgressReporter
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing

SCALE = _Scale(WAVE_HEIGHT, None)
HIGHER = Relaxation(5.5, None, cast(Any, None))


@pytest.mark.parametrize(
    ("relaxation", "departs_at", "advice"),
    [
        (
            None,
            None,
            "A higher limit alone does not help. Leaving up to 5 days later does not help either.",
        ),
        (None, DEPARTS_AT, "A higher limit alone does not help. Leaving on {} would do."),
        (
            HIGHER,
            None,
            "A limit of 5.5 m would do. Leaving up to 5 days later does not help.",
        ),
        (HIGHER, DEPARTS_AT, "A limit of 5.5 m would do. Leaving on {} would do too."),
    ],
)
def test_each_sentence_of_the_advice_says_whether_one_change_helps(
    relaxation: Relaxation | None, departs_at: Any, advice: str
) -> None:
    day = DEPARTS_AT.strftime("%a %-d %b %Y %H:%M UTC")
    assert _advise(SCALE, relaxation, departs_at) == advice.format(day)


def test_a_voyage_whose_routes_all_enter_closed_areas_has_no_route() -> None:
    context = PlanningContext.of(make_crossing(), cast(Any, None), None)
    error = explain_infeasible(context, [], [], ProgressReporter())
    assert isinstance(error, NoRoute)
    assert error.detail == "Every route found enters a forbidden area."
