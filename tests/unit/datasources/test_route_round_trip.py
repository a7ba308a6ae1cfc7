"""Any plan that is exported, and any route written by another program, is read back."""

import json
from datetime import datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import RouteFile
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.plan import RoutePlan
from app.engine.report.timetable import list_leaving_times
from app.engine.request import Position
from app.engine.units import wrap_longitude
from app.exports.csv import render_csv
from app.exports.rtz import RtzVersion, render_rtz
from tests.unit.exports.plans import plans

#: Digits of the formats: positions [deg], speeds [kn], times; lengths, which are cut [nm].
DEGREES, KNOTS, SECOND, MILES = 0.6e-6, 0.006, timedelta(seconds=1), 0.00101
#: A narrower corridor is left out of RTZ, and a wider one written so; radii are between two [nm].
NARROWEST_NM, WIDEST_NM = 0.01, 9.999
SMALLEST_RADIUS_NM, LARGEST_RADIUS_NM = 0.001, 5.0

latitudes = st.floats(-90.0, 90.0)
#: Some programs count longitudes to 360 or beyond the antimeridian.
longitudes = st.floats(-180.0, 360.0) | st.sampled_from([-180.0, 180.0, 179.9999999, 360.0, -1e-9])
routes = st.lists(st.tuples(latitudes, longitudes), min_size=2, max_size=8)
across = [(5.0, 179.5), (5.5, -179.5), (6.0, 180.5)]


def assert_at(read: Position, lat: float, lng: float) -> None:
    assert -180.0 <= read.lng < 180.0
    assert read.lat == pytest.approx(lat, abs=DEGREES)
    assert wrap_longitude(read.lng - lng) == pytest.approx(0.0, abs=DEGREES)


def assert_same_places(route: RouteFile, given_at: list[tuple[float, float]]) -> None:
    assert route.faults == ()
    for read, (lat, lng) in zip(route.waypoints, given_at, strict=True):
        assert_at(read.position, lat, lng)


def assert_cut(read: float | None, planned: float | None, digit: float) -> None:
    """Assert that a length is read as planned or less, by up to a digit of the format."""
    assert (read is None) == (planned is None)
    if read is not None and planned is not None:
        assert planned - digit <= read <= planned * (1.0 + 1e-9)


def corridor_in_rtz(xtd_nm: float | None) -> float | None:
    return None if xtd_nm is None or xtd_nm < NARROWEST_NM else min(xtd_nm, WIDEST_NM)


def radius_in_rtz(radius_nm: float | None) -> float | None:
    if radius_nm is None:
        return None
    return min(max(radius_nm, SMALLEST_RADIUS_NM), LARGEST_RADIUS_NM)


def is_near(read: datetime | None, planned: datetime | None) -> bool:
    return read == planned or bool(read and planned and abs(read - planned) <= SECOND)


@pytest.mark.parametrize("version", RtzVersion)
@given(plans())
def test_an_exported_rtz_is_read_back(version: RtzVersion, plan: RoutePlan) -> None:
    content = render_rtz(plan, route_name="A", revision=1, version=version)
    route = read_route_file(content)
    assert_same_places(route, [w.position for w in plan.waypoints])
    left_at = None
    for read, planned in zip(route.waypoints, plan.waypoints, strict=True):
        assert read.id == str(planned.number)
        assert read.leg_geometry == planned.leg_geometry
        if left_at is not None:
            assert read.eta is not None
            assert read.eta > left_at
            assert is_near(read.eta, max(planned.eta, left_at))
        left_at = read.etd or read.eta
        if planned.leg_geometry:
            assert (read.speed_kn or 0.0) == pytest.approx(planned.speed_kn, abs=KNOTS)
            xtd_nm = None if planned.xtd_m is None else planned.xtd_m / NAUTICAL_MILE_M
            read_nm = None if read.xtd_m is None else read.xtd_m / NAUTICAL_MILE_M
            assert_cut(read_nm, corridor_in_rtz(xtd_nm), MILES)
        assert_cut(read.turn_radius_nm, radius_in_rtz(planned.turn_radius_nm), MILES)


@given(plans())
def test_an_exported_csv_is_read_back(plan: RoutePlan) -> None:
    route = read_route_file(render_csv(plan))
    assert_same_places(route, [w.position for w in plan.waypoints])
    leaving = list_leaving_times(plan.waypoints)
    for read, planned, leaves_at in zip(route.waypoints, plan.waypoints, leaving, strict=True):
        assert read.id == str(planned.number)
        assert read.leg_geometry == planned.leg_geometry
        assert is_near(read.eta, planned.eta)
        assert is_near(read.etd, leaves_at)
        assert_cut(read.xtd_m, planned.xtd_m, digit=1.0)
        assert_cut(read.turn_radius_nm, planned.turn_radius_nm, MILES)
        for value, written in (
            (read.speed_kn, planned.speed_kn),
            (read.stw_kn, planned.speed_through_water_kn),
        ):
            assert (value or 0.0) == pytest.approx(written or 0.0, abs=KNOTS)


@example(across)
@given(routes)
def test_a_route_in_gpx_is_read_back(given_at: list[tuple[float, float]]) -> None:
    points = "".join(f'<rtept lat="{lat!r}" lon="{lng!r}"/>' for lat, lng in given_at)
    content = f'<gpx xmlns="http://www.topografix.com/GPX/1/1"><rte>{points}</rte></gpx>'
    assert_same_places(read_route_file(content.encode()), given_at)


@example(across)
@given(routes)
def test_a_route_in_kml_is_read_back(given_at: list[tuple[float, float]]) -> None:
    points = " ".join(f"{lng!r},{lat!r},0" for lat, lng in given_at)
    content = (
        '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><LineString>'
        f"<coordinates>{points}</coordinates></LineString></Placemark></kml>"
    )
    assert_same_places(read_route_file(content.encode()), given_at)


@example(across)
@given(routes)
def test_a_route_in_geojson_is_read_back(given_at: list[tuple[float, float]]) -> None:
    shape = {"type": "LineString", "coordinates": [[lng, lat] for lat, lng in given_at]}
    content = json.dumps({"type": "Feature", "properties": {}, "geometry": shape})
    assert_same_places(read_route_file(content.encode()), given_at)


@example(across)
@given(routes)
def test_a_route_cut_at_the_antimeridian_is_read_back(given_at: list[tuple[float, float]]) -> None:
    """RFC 7946, 3.1.9, cuts a line there: the parts meet at 180 and -180."""
    cut = [[[lng, lat] for lat, lng in given_at], [[-180.0, 7.0], [-179.0, 8.0]]]
    cut[0].append([180.0, 7.0])
    shape = {"type": "MultiLineString", "coordinates": cut}
    content = json.dumps({"type": "Feature", "properties": {}, "geometry": shape})
    assert_same_places(read_route_file(content.encode()), [*given_at, (7.0, 180.0), (8.0, -179.0)])


@example(across)
@given(routes)
def test_a_route_in_a_table_of_degrees_and_minutes_is_read_back(
    given_at: list[tuple[float, float]],
) -> None:
    lines = [f"{_as_officers(lat, 'NS')},{_as_officers(lng, 'EW')}" for lat, lng in given_at]
    content = "\n".join(["lat,lng", *lines])
    route = read_route_file(content.encode())
    for read, (lat, lng) in zip(route.waypoints, given_at, strict=True):
        assert read.position.lat == pytest.approx(lat, abs=1e-5)
        assert wrap_longitude(read.position.lng - lng) == pytest.approx(0.0, abs=1e-5)


def _as_officers(degrees: float, hemispheres: str) -> str:
    """A coordinate in degrees and minutes, with its hemisphere: 51 58.5000 N."""
    minutes = round(60.0 * abs(degrees), 4)
    return f"{int(minutes // 60)} {minutes % 60.0:07.4f} {hemispheres[degrees < 0.0]}"
