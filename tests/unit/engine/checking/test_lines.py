"""Legs are checked as great circles and as rhumb lines; findings say which of them they mean."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from app.engine.area import AreaRule
from app.engine.checking.check import check_route
from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.geodesy import great_circle_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import Loading
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX, make_area

pytestmark = pytest.mark.atlas

GREAT_CIRCLE, RHUMB = LegGeometry.GREAT_CIRCLE, LegGeometry.RHUMB
AS_GREAT_CIRCLE = " if sailed as a great circle, not as the route's rhumb line."
AS_RHUMB_LINE = " if sailed as a rhumb line, not as the route's great circle."
REQUEST = VoyageRequest(
    departure=Position(40.0, -60.0),
    arrival=Position(40.0, -20.0),
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(12.2, 0.0, 68_000.0),
    speed_min_kn=11.0,
    speed_max_kn=14.0,
)

Find = Callable[..., list[Finding]]


@pytest.fixture(scope="module")
def find(sea: SeaAtlas) -> Find:
    """Return a function that finds what has a code on a route of one geometry."""

    def find(
        code: FindingCode,
        places: Sequence[tuple[float, float]],
        geometry: LegGeometry,
        **changes: object,
    ) -> list[Finding]:
        context = PlanningContext.of(replace(REQUEST, **changes), sea, None)
        route = [GivenWaypoint(Position(*place), geometry, speed_kn=12.0) for place in places]
        return [each for each in check_route(context, route).findings if each.code is code]

    return find


@pytest.mark.parametrize(
    ("ends", "geometry", "land", "end_of_message"),
    [
        # the Aleutians lie on the great circle, Iceland too, and Greenland on the parallel
        (((48.0, 160.0), (48.0, -135.0)), RHUMB, (51.9, 178.5), AS_GREAT_CIRCLE),
        (((61.5, -35.0), (63.0, 5.0)), RHUMB, (63.4, -20.3), AS_GREAT_CIRCLE),
        (((82.0, 0.0), (82.0, 180.0)), GREAT_CIRCLE, (82.0, -19.4), AS_RHUMB_LINE),
        # Taveuni and Wrangel Island lie on the meridian of 180 degrees, which is both lines
        (((-20.0, 180.0), (-12.0, 180.0)), RHUMB, (-16.98, 180.0), "W."),
        (((69.9, -180.0), (72.5, -180.0)), GREAT_CIRCLE, (70.97, 180.0), "W."),
    ],
)
def test_land_is_named_where_a_line_of_the_leg_touches_it(
    find: Find,
    ends: tuple[tuple[float, float], tuple[float, float]],
    geometry: LegGeometry,
    land: tuple[float, float],
    end_of_message: str,
) -> None:
    (found,) = find(FindingCode.LAND_CROSSED, ends, geometry)
    assert found.severity is Severity.DANGER
    assert found.position is not None
    assert great_circle_distance_nm(*found.position, *land) < 5.0
    assert found.message.endswith(end_of_message)


def test_land_narrower_than_the_samples_of_a_leg_is_named_where_it_lies(find: Find) -> None:
    """The leg crosses the south of St Peter and St Paul's Rocks for 50 m."""
    rocks = (0.9135, -29.3455)
    (found,) = find(FindingCode.LAND_CROSSED, ((0.9135, -31.0), (0.9135, -27.0)), RHUMB)
    assert found.position is not None
    assert great_circle_distance_nm(*found.position, *rocks) < 0.2


@pytest.mark.parametrize(
    ("geometry", "words"),
    [(RHUMB, f"{AS_GREAT_CIRCLE[:-1]}; the ship needs"), (GREAT_CIRCLE, "W; the ship needs")],
)
def test_a_charted_shoal_is_named_where_a_line_of_the_leg_crosses_it(
    find: Find, geometry: LegGeometry, words: str
) -> None:
    """The Virgin Rocks lie on the great circle, nine miles north of the parallel."""
    virgin_rocks = (46.4, -50.6)
    ends = (46.25, -55.7), (46.25, -45.7)
    (found,) = find(FindingCode.TOO_SHALLOW, ends, geometry)
    assert found.position is not None
    assert great_circle_distance_nm(*found.position, *virgin_rocks) < 20.0
    assert words in found.message


#: The middles of both lines along 40 N from 60 W to 20 W: the great circle leads 106 nm north.
OFF_NEWFOUNDLAND = (40.0, -60.0), (40.0, -20.0)
MIDDLES = {RHUMB: 40.0, GREAT_CIRCLE: 41.765}


@pytest.mark.parametrize(
    ("geometry", "line", "severity", "end_of_message"),
    [
        (RHUMB, RHUMB, Severity.DANGER, "UTC."),
        (RHUMB, GREAT_CIRCLE, Severity.WARNING, AS_GREAT_CIRCLE),
        (GREAT_CIRCLE, GREAT_CIRCLE, Severity.DANGER, "UTC."),
        (GREAT_CIRCLE, RHUMB, Severity.WARNING, AS_RHUMB_LINE),
    ],
)
def test_an_area_on_the_other_line_of_a_leg_is_a_warning(
    find: Find,
    geometry: LegGeometry,
    line: LegGeometry,
    severity: Severity,
    end_of_message: str,
) -> None:
    lat = MIDDLES[line]
    area = make_area(-40.05, lat - 0.05, -39.95, lat + 0.05)
    (found,) = find(FindingCode.AREA_ENTERED, OFF_NEWFOUNDLAND, geometry, areas=(area,))
    assert found.severity is severity
    assert found.message.endswith(end_of_message)
    assert found.position is not None
    assert great_circle_distance_nm(*found.position, lat, -40.0) < 10.0


@pytest.mark.parametrize("rule", [AreaRule.REPORTED, AreaRule.PRICED, AreaRule.LEAST_EXPOSURE])
def test_an_area_that_may_be_entered_is_reported_on_the_route_s_own_line_only(
    find: Find, rule: AreaRule
) -> None:
    area = make_area(-40.05, 41.7, -39.95, 41.8, rule=rule)
    assert find(FindingCode.AREA_ENTERED, OFF_NEWFOUNDLAND, GREAT_CIRCLE, areas=(area,))
    assert not find(FindingCode.AREA_ENTERED, OFF_NEWFOUNDLAND, RHUMB, areas=(area,))


@pytest.mark.parametrize(
    ("geometry", "severity", "end_of_message"),
    [
        (GREAT_CIRCLE, Severity.DANGER, "reaches 41.8° N, 46.2 nm beyond it."),
        (RHUMB, Severity.WARNING, f"reaches 41.8° N, 46.2 nm beyond it{AS_GREAT_CIRCLE}"),
    ],
)
def test_a_latitude_limit_that_the_other_line_of_a_leg_passes_is_a_warning(
    find: Find, geometry: LegGeometry, severity: Severity, end_of_message: str
) -> None:
    limits = Limits(north_lat=41.0)
    (found,) = find(FindingCode.LATITUDE_LIMIT, OFF_NEWFOUNDLAND, geometry, limits=limits)
    assert (found.severity, found.required) == (severity, 41.0)
    assert found.measured == pytest.approx(41.765, abs=0.01)
    assert found.message.endswith(end_of_message)
