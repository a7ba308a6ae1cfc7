"""Route files: values, faults and refusals, with their lines."""

import io
import json
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import RouteFile, UnreadableRoute
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import RoutePlan
from app.exports.csv import render_csv
from app.exports.rtz import render_rtz
from tests.builders import three_plans

SAMPLE = Path(__file__).parents[2] / "data/rtz/RTZ1.1AllOptionalElementsAndAttributes.rtz"

TWO = (
    '<waypoint id="1"><position lat="50" lon="-6"/></waypoint>\n'
    '<waypoint id="2"><position lat="49" lon="-7"/></waypoint>\n'
)


def rtz(inside: str, *, head: str = '<routeInfo routeName="X"/>', version: str = "1") -> bytes:
    return (
        f'<route xmlns="http://www.cirm.org/RTZ/1/{version}" version="1.{version}">\n{head}\n'
        f"<waypoints>\n{inside}</waypoints>\n</route>"
    ).encode()


def stopping(times: str) -> bytes:
    """Return a route whose second waypoint has these times in the schedule."""
    schedule = f'<schedules><schedule><manual>\n<scheduleElement waypointId="2" {times}/>'
    return rtz(f"{TWO}</waypoints>{schedule}</manual></schedule></schedules><waypoints>")


def notes(content: bytes) -> list[tuple[int | None, str]]:
    return [(fault.line, fault.detail) for fault in read_route_file(content).faults]


@pytest.mark.parametrize("name", list(three_plans()))
def test_our_own_rtz_reads_back_as_the_plan_that_it_was_written_from(name: str) -> None:
    plan = three_plans()[name]
    route = read_route_file(render_rtz(plan, route_name="Westward", revision=1))
    assert (route.name, route.faults) == ("Westward", ())
    for read, planned in zip(route.waypoints, plan.waypoints, strict=True):
        assert read.id == str(planned.number)
        assert read.position == pytest.approx(planned.position, abs=1e-6)
        assert read.leg_geometry == planned.leg_geometry
        assert (read.eta or read.etd) == planned.eta
        if planned.leg_geometry:
            assert read.xtd_m == pytest.approx(planned.xtd_m, abs=2.0)
            assert read.speed_kn == pytest.approx(planned.speed_kn, abs=0.01)


@pytest.mark.parametrize("name", list(three_plans()))
def test_our_own_csv_reads_back_as_the_plan_that_it_was_written_from(name: str) -> None:
    plan = three_plans()[name]
    route = read_route_file(render_csv(plan))
    assert route.faults == ()
    _assert_same(route.waypoints, plan)
    assert [w.passage for w in route.waypoints] == [w.passage for w in plan.waypoints]
    assert [w.line for w in route.waypoints] == [*range(2, 2 + len(plan.waypoints))]


@pytest.mark.parametrize(
    "content",
    [
        b"lat;lng;speed_kn\n51,975;4,05;12,5\n49;-6;12,5\n",
        b"Latitude (deg),Longitude (deg),Speed [kn]\n51.975,4.05,12.5\n49,-6,12.5\n",
        b"sep=;\n\nLat;Lon;SOG\n51 58.5 N;004 03 E;12.5\n49 N;6 W;12.5\n",
        b"# Route 7\nlat,lon,sog\n5158.5N,00403.0E,12.5\n49N,6W,12.5\n",
        "lat;lon;sog;name\n51°58′30″N;4°03'E;12,5;Málaga\n49° N;6° W;12,5;\n".encode("utf-16"),
        b"lat\tlon\tsog\tname\nN51 58.5\tE4 3\t12.5\tM\xe1laga\n49.0N\t6.0W\t12.5\t\n",
    ],
)
def test_tables_are_read_in_the_notations_of_spreadsheets_and_of_officers(content: bytes) -> None:
    route = read_route_file(content)
    assert route.faults == ()
    assert route.waypoints[0].position == pytest.approx((51.975, 4.05))
    assert route.waypoints[1].position == (49.0, -6.0)
    assert [waypoint.speed_kn for waypoint in route.waypoints] == [12.5, 12.5]


def test_xml_in_utf_16_is_read() -> None:
    content = rtz(TWO, head='<routeInfo routeName="Málaga"/>').decode()
    text = f'<?xml version="1.0" encoding="UTF-16"?>{content}\n'
    assert read_route_file(text.encode("utf-16")).name == "Málaga"


def workbook(*rows: tuple[object, ...]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def test_a_workbook_is_read_as_a_table() -> None:
    content = workbook(
        ("Route to Lisbon",),
        ("WP", "Latitude", "Longitude", "ETA", "Speed (kn)"),
        (1, 50, "006 00.0 W", datetime(2026, 3, 1, 6), None),  # noqa: DTZ001 - a cell has no zone
        (2, 49.00001, "006 30.6 W", None, 12.5),
    )
    first, second = read_route_file(content).waypoints
    assert (first.id, first.position) == ("1", (50.0, -6.0))
    assert (first.eta, first.speed_kn) == (datetime(2026, 3, 1, 6, tzinfo=UTC), None)
    assert second.position == (49.00001, pytest.approx(-6.51))
    assert second.speed_kn == 12.5


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04" + bytes(100), "an archive. Unpack it"),
        (workbook(("lat", "lng"), (50, -6))[:-100], "cut off or damaged"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "XLS workbook"),
        (workbook(("A", "B"), (1, 2)), "must name the columns, lat and lng"),
    ],
    ids=["archive", "cut off", "XLS", "no positions"],
)
def test_a_workbook_without_a_route_is_refused_in_words(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableRoute, match=words):
        read_route_file(content)


def test_times_without_a_zone_are_noted_once() -> None:
    route = read_route_file(b"lat,lng,ETA\n50,-6,2026-03-01 06:00\n49,-7,2026-03-01 12:00\n")
    assert [w.eta for w in route.waypoints] == [
        datetime(2026, 3, 1, h, tzinfo=UTC) for h in (6, 12)
    ]
    (fault,) = route.faults
    assert fault.waypoint == 1
    assert "such times are taken for UTC" in fault.detail


def etas(*texts: str, header: str = "ETA (UTC)") -> RouteFile:
    lines = [f"{50 - number},-6,{text}" for number, text in enumerate(texts)]
    return read_route_file("\n".join([f"lat,lng,{header}", *lines]).encode())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2026-11-30 06:00", "2026-12-01 06:30"),
        ("30.11.2026 06:00", "01.12.2026 06:30"),
        ("30/11/2026 06:00", "01/12/2026 06:30"),
        ("11/30/2026 06:00", "12/01/2026 06:30"),
        ("11/30/2026 6:00 AM", "12/01/2026 6:30 AM"),
        ("30 Nov 2026 06:00", "01 Dec 2026 06:30"),
        ("30 Nov 2026 06:00 UTC", "1 Dec 2026 06:30 UTC"),
        ("Mon 30 Nov 2026 06:00 UTC", "Tue 1 Dec 2026 06:30 UTC"),
        ("30 Nov 2026 08:00 +02:00", "01 Dec 2026 08:30 +02:00"),
        ("46356.25", "46357.270833333"),
    ],
)
def test_times_of_a_column_in_utc_are_read_in_the_forms_of_tables(first: str, second: str) -> None:
    route = etas(first, "", second)
    assert [w.eta for w in route.waypoints] == [
        datetime(2026, 11, 30, 6, tzinfo=UTC),
        None,
        datetime(2026, 12, 1, 6, 30, tzinfo=UTC),
    ]
    assert route.faults == ()


@pytest.mark.parametrize("first", ["2026-11-30 06:00", "30.11.2026 06:00"])
def test_a_column_that_does_not_state_utc_is_noted_once(first: str) -> None:
    (fault,) = etas(first, first.replace("30", "29", 1), header="ETA").faults
    assert "has no time zone; such times are taken for UTC" in fault.detail
    assert etas(f"{first}Z", f"{first}Z", header="ETA").faults == ()


def test_dates_with_dots_have_the_day_first() -> None:
    route = etas("01.12.2026 06:00", "02.12.2026 06:00")
    assert [w.eta and (w.eta.day, w.eta.month) for w in route.waypoints] == [(1, 12), (2, 12)]


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (("01/12/2026 06:00", "02/12/2026 06:00"), "may be day/month or month/day"),
        (("30 Nov 2026 06:00 LT", "1 Dec 2026 06:00 LT"), "is a local time; write it in UTC"),
        (("morning", "evening"), "is not a date; write it as 2026-04-03 12:00"),
        (("9999-12-31 24:00", "9999-12-31 24:00"), "not a date that can be kept"),
        (("30 Nov 2026 6h", "1 Dec 2026 8h"), "is not a date: “6H” is not a time"),
    ],
)
def test_times_of_a_column_in_an_unreadable_form_are_one_fault(
    times: tuple[str, ...], words: str
) -> None:
    route = etas(*times)
    assert [w.eta for w in route.waypoints] == [None, None]
    (fault,) = route.faults
    assert f"eta {times[0]!r} " in fault.detail
    assert words in fault.detail
    assert "This holds for 2 values of eta." in fault.detail
    assert (fault.line, fault.waypoint) == (2, 1)


def test_a_time_in_another_form_than_the_others_is_left_out() -> None:
    route = etas("30/11/2026 06:00", "01/12/2026 06:00", "2026-12-02 06:00")
    days = [w.eta and w.eta.day for w in route.waypoints]
    assert days == [30, 1, None]
    (fault,) = route.faults
    assert "is a date in another form (2026-04-03) than most rows (03/04/2026)" in fault.detail
    assert fault.line == 4


def test_a_workbook_that_unpacks_to_too_much_is_not_opened() -> None:
    content = io.BytesIO(workbook(("lat", "lng"), (50, -6), (49, -6)))
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image1.bmp", bytes(6_000_000))
    with pytest.raises(UnreadableRoute, match="unpacks to 6 MB"):
        read_route_file(content.getvalue())


def test_a_column_of_speed_through_the_water_is_no_speed_over_ground() -> None:
    route = read_route_file(b"lat,lng,speed_kn,stw_kn\n50,-6,,\n49,-6,12.5,11.25\n")
    assert (route.waypoints[1].speed_kn, route.waypoints[1].stw_kn) == (12.5, 11.25)


@pytest.mark.parametrize(
    ("header", "written", "speed_kn", "stw_kn"),
    [
        ("Planned speed (kn)", "12.5", 12.5, None),
        ("Speed kts", "12.5", 12.5, None),
        ("Speed over ground (kn)", "12.5", 12.5, None),
        ("Avg Speed", "12.5", 12.5, None),
        ("Speed (m/s)", "6.5", 12.634989, None),
        ("speed_ms", "6.5", 12.634989, None),
        ("SOG [km/h]", "23.15", 12.5, None),
        ("STW (km/h)", "23.15", None, 12.5),
        ("Speed through the water", "12.5", None, 12.5),
        ("Speed limit", "12.5", None, None),
        ("Wind speed (kn)", "12.5", None, None),
    ],
)
def test_speeds_are_read_under_the_names_and_in_the_units_of_noon_reports(
    header: str, written: str, speed_kn: float | None, stw_kn: float | None
) -> None:
    _, second = read_route_file(f"lat,lng,{header}\n50,-6,\n49,-6,{written}\n".encode()).waypoints
    assert second.speed_kn == (speed_kn and pytest.approx(speed_kn, abs=1e-6))
    assert second.stw_kn == (stw_kn and pytest.approx(stw_kn, abs=1e-6))


@pytest.mark.parametrize(
    ("header", "what_is_read"),
    [
        ("Speed (Bf)", "Speeds are read from Speed and STW, in kn, km/h or m/s."),
        ("Min speed", "Speeds are read from Speed and STW, in kn, km/h or m/s."),
        ("Arrival time", "Times are read from ETA and ETD."),
    ],
)
def test_a_column_that_looks_like_times_or_speeds_is_named_where_none_are_read(
    header: str, what_is_read: str
) -> None:
    table = f"lat,lng,{header}{{}}\n50,-6,7{{}}\n49,-6,7{{}}\n"
    read = notes(table.format("", "", "").encode())
    assert read == [(1, f"The column {header!r} is left out. {what_is_read}")]
    known = ",Speed,ETA", ",12,2026-03-01T06:00Z", ",12,2026-03-02T06:00Z"
    assert notes(table.format(*known).encode()) == []


@pytest.mark.parametrize("header", ["ETA (UTC+8)", "ETA UTC+08:00"])
def test_a_header_may_state_the_offset_of_its_times(header: str) -> None:
    route = etas("2026-03-01 14:00", "2026-03-01 14:00Z", header=header)
    assert [w.eta and w.eta.hour for w in route.waypoints] == [6, 14]
    assert route.faults == ()


@pytest.mark.parametrize("header", ["ETA (local)", "ETA LT", "Local ETA", "ETA (SGT)"])
def test_a_column_of_local_times_is_left_out_and_named(header: str) -> None:
    route = etas("2026-03-01 14:00", "2026-03-02 14:00", header=header)
    assert [w.eta for w in route.waypoints] == [None, None]
    (fault,) = route.faults
    assert fault.detail == (
        f"The column {header!r} is left out: its times are local; write them in UTC, below ETA"
        " (UTC)."
    )


def _assert_same(waypoints: object, plan: RoutePlan) -> None:
    for read, planned in zip(waypoints, plan.waypoints, strict=True):  # type: ignore[call-overload]
        assert read.position == pytest.approx(planned.position, abs=1e-5)
        assert (read.eta, read.leg_geometry) == (planned.eta, planned.leg_geometry)


def test_anothers_rtz_with_every_optional_element_is_read() -> None:
    route = read_route_file(SAMPLE.read_bytes())
    assert route.name == "RTZ1.1AllOptionalElementsAndAttributes"
    second, third = route.waypoints[1:3]
    assert second.leg_geometry is LegGeometry.RHUMB
    assert (second.turn_radius_nm, third.turn_radius_nm) == (0.3, 0.6)  # the default's
    assert third.leg_geometry is LegGeometry.GREAT_CIRCLE  # the default's
    assert third.xtd_m == pytest.approx(1.1 * 1852.0)


def test_the_first_editions_spelling_of_a_schedule_is_read() -> None:
    schedule = (
        '<schedules><schedule id="1"><manual>'
        '<sheduleElement waypointId="1" etd="2026-03-01T06:00:00Z"/>'
        '<sheduleElement waypointId="2" eta="2026-03-01T12:00:00+02:00" speed="12.5"/>'
        "</manual></schedule></schedules></route>"
    )
    content = rtz(TWO, version="0").replace(b"</route>", schedule.encode())
    first, second = read_route_file(content).waypoints
    assert first.etd == datetime(2026, 3, 1, 6, tzinfo=UTC)
    assert (second.eta, second.speed_kn) == (datetime(2026, 3, 1, 10, tzinfo=UTC), 12.5)


#: As an ECDIS of 2017 writes it for the exchange of voyages: comments, waypoints without a name,
#: six decimals, two makers' extensions in the head and on legs, and calculated times alone.
WITH_EXTENSIONS_OF_TWO_MAKERS = b"""<?xml version="1.0" encoding="UTF-8"?>
<!--route--><route version="1.1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:other="http://other.example/1/0/0" xmlns="http://www.cirm.org/RTZ/1/1"
  xsi:schemaLocation="http://other.example/1/0/0 other.xsd">
<routeInfo routeName="SOUTH" vesselIMO="7917551" optimizationMethod="Time table"><extensions>
  <extension xsi:type="other:Head" manufacturer="Other" name="head" version="1.0.0" depPort="XXXXX">
    <other:changes/></extension>
  <extension manufacturer="Maker" name="Info" version="1.0"><property ukcLimit="30.000000"/>
</extension></extensions></routeInfo>
<waypoints><!--No.1-->
  <waypoint id="1" name="" radius="0.800000"><position lat="48.500000" lon="-6.000000"/></waypoint>
  <waypoint id="2" name="" radius="0.800000"><position lat="46.250000" lon="-7.500000"/>
    <leg portsideXTD="0.099892" starboardXTD="0.099892" safetyContour="10"
      geometryType="Loxodrome" speedMax="22.100000" staticUKC="30.000000"/>
    <extensions><extension manufacturer="Maker" name="Leg" version="1.0">
      <property margin="40.000000"/></extension></extensions></waypoint>
  <waypoint id="3" name="" radius="0.800000"><position lat="44.000000" lon="-9.500000"/>
    <leg portsideXTD="0.2" starboardXTD="0.1" geometryType="Orthodrome"/></waypoint>
</waypoints>
<schedules><schedule id="1"><calculated>
  <scheduleElement etd="2017-10-09T12:00:00Z" waypointId="1"/>
  <scheduleElement eta="2017-10-10T00:00:00Z" waypointId="2" speed="13.700000"/>
  <scheduleElement eta="2017-10-10T12:00:00Z" waypointId="3" speed="13.700000"/>
</calculated></schedule></schedules></route>"""

#: As a planning station of 2019 writes RTZ 1.2: ids in no order, a default waypoint, a leg on the
#: first one, ordered speeds beside calculated times with a small z, a second schedule, and results
#: of its own check with positions in another unit.
WITH_SCHEDULES_AND_CHECKS = b"""<route xmlns="http://www.cirm.org/RTZ/1/2" version="1.2">
<routeInfo routeName="WEST"/><waypoints>
  <defaultWaypoint radius="0.6"><leg portsideXTD="0.5" starboardXTD="0.5"
    geometryType="Orthodrome"/><extensions><extension name="a" manufacturer="M" version="1"
    waypointId="-1"/></extensions></defaultWaypoint>
  <waypoint id="11" revision="0" name="Pilots"><position lat="48.5" lon="-6"/><leg/></waypoint>
  <waypoint id="2" revision="3" radius="2.00"><position lat="46.25" lon="-7.5"/>
    <leg starboardXTD="1.00" geometryType="Loxodrome"/></waypoint>
  <waypoint id="0" revision="0"><position lat="44" lon="-9.5"/></waypoint>
  <extensions><extension name="b" manufacturer="M" version="1"/></extensions></waypoints>
<schedules><schedule id="42" name="Ordered"><manual>
    <scheduleElement waypointId="11" etd="2020-02-18T00:00:00z"/>
    <scheduleElement waypointId="2" speed="10.000"/><scheduleElement waypointId="0" speed="11.5"/>
    <extensions/></manual><calculated>
    <scheduleElement waypointId="0" eta="2020-02-19T06:00:00z" speed="11.400"/>
    <scheduleElement waypointId="2" eta="2020-02-18T15:00:00z" etd="2020-02-18T15:00:00z"/>
  </calculated></schedule>
  <schedule id="996"><calculated><scheduleElement waypointId="2" eta="2021-01-01T00:00:00z"/>
  </calculated></schedule></schedules>
<extensions><extension name="checks" manufacturer="M" version="1"><waypoints xmlns="">
  <waypoint id="9"><point lat="457.4" lon="9312.2"/></waypoint></waypoints></extension></extensions>
</route>"""


def test_a_route_with_extensions_of_two_makers_is_read() -> None:
    route = read_route_file(WITH_EXTENSIONS_OF_TWO_MAKERS)
    first, second, third = route.waypoints
    assert (route.name, route.faults) == ("SOUTH", ())
    assert [w.position for w in route.waypoints] == [(48.5, -6.0), (46.25, -7.5), (44.0, -9.5)]
    assert first.etd == datetime(2017, 10, 9, 12, tzinfo=UTC)
    assert (second.eta, second.speed_kn) == (datetime(2017, 10, 10, tzinfo=UTC), 13.7)
    assert second.leg_geometry is LegGeometry.RHUMB
    assert third.leg_geometry is LegGeometry.GREAT_CIRCLE
    assert (second.turn_radius_nm, third.xtd_m) == (0.8, pytest.approx(0.2 * 1852.0))


def test_a_route_with_two_schedules_and_another_check_is_read() -> None:
    route = read_route_file(WITH_SCHEDULES_AND_CHECKS)
    first, second, third = route.waypoints
    (fault,) = route.faults
    assert "schedule '996' is left out" in fault.detail
    assert [w.position for w in route.waypoints] == [(48.5, -6.0), (46.25, -7.5), (44.0, -9.5)]
    assert first.etd == datetime(2020, 2, 18, tzinfo=UTC)
    assert (second.eta, second.speed_kn) == (datetime(2020, 2, 18, 15, tzinfo=UTC), 10.0)
    assert (third.eta, third.speed_kn) == (datetime(2020, 2, 19, 6, tzinfo=UTC), 11.5)
    geometries = (second.leg_geometry, third.leg_geometry)
    assert geometries == (LegGeometry.RHUMB, LegGeometry.GREAT_CIRCLE)
    assert (second.turn_radius_nm, third.turn_radius_nm) == (2.0, 0.6)
    assert (second.xtd_m, third.xtd_m) == (pytest.approx(1852.0), pytest.approx(926.0))


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (rtz(TWO, head=""), 1, "no routeInfo"),
        (rtz(TWO, head="<routeInfo/>"), 2, "no routeName"),
        (rtz(TWO).replace(b'id="2"', b'id="B"'), 5, "not a whole number"),
        (rtz(TWO).replace(b' id="2"', b""), 5, "id of waypoint 2 is None"),
        (rtz(TWO).replace(b'id="2"', b'id="2" radius="-1"'), 5, "radius is '-1'"),
        (rtz(TWO).replace(b'id="2"', b'id="1"'), 5, "waypoint 2 is '1', as that of waypoint 1"),
        (rtz(TWO).replace(b"RTZ/1/1", b"RTZ/2/0"), 1, "namespace"),
        (rtz(TWO).replace(b' xmlns="http://www.cirm.org/RTZ/1/1"', b""), 1, "There is no name"),
        (rtz(TWO).replace(b'version="1.1"', b'version="1.0"'), 1, "version is '1.0'"),
        (
            rtz(TWO.replace('lon="-7"/>', 'lon="-7"/><leg geometryType="Straight"/>')),
            5,
            "neither a great circle nor a rhumb line",
        ),
        (
            rtz(TWO.replace('lon="-7"/>', 'lon="-7"/><leg starboardXTD="wide"/>')),
            5,
            "starboardXTD is 'wide'",
        ),
        (b"lat,lng,eta\n50,-6,\n49,-7,tomorrow\n", 3, "not a date"),
        (b"lat,lng,eta\n50,-6,\n49,-7,2026-03-01T06:00\n", 3, "no time zone"),
        (b"lat,lng,speed_kn\n50,-6,\n49,-7,-3\n", 3, "not a number from 0 on"),
    ],
)
def test_a_fault_that_leaves_the_route_readable_is_noted_with_its_line(
    content: bytes, line: int, words: str
) -> None:
    ((found, detail),) = notes(content)
    assert found == line
    assert words in detail


def scheduled(*schedules: str) -> bytes:
    inside = "".join(f"<schedule><manual>{each}</manual></schedule>" for each in schedules)
    return rtz(TWO).replace(b"</route>", f"<schedules>{inside}</schedules></route>".encode())


def test_of_several_schedules_the_first_that_is_not_empty_is_read_and_the_others_noted() -> None:
    first, second = (f'<scheduleElement waypointId="2" speed="{kn}"/>' for kn in (12, 14))
    assert read_route_file(scheduled("", first)).faults == ()
    route = read_route_file(scheduled("", first, "", f"\n{second}"))
    assert route.waypoints[1].speed_kn == 12.0
    ((_, detail),) = notes(scheduled(first, second))
    assert detail == ("The further schedule is left out; times and speeds are those of the first.")


@pytest.mark.parametrize(
    "times",
    [
        'eta="2026-03-01T06:00:00Z" stay="PT30H"',
        'etd="2026-03-02T12:00:00Z" stay="P1DT6H"',
        'eta="2026-03-01T06:00:00Z" etd="2026-03-02T12:00:00Z" stay="P0Y0M1DT5H59M60.0S"',
        'stay="PT30H"/></manual><calculated><scheduleElement waypointId="2"'
        ' eta="2026-03-01T06:00:00Z"/></calculated><manual><scheduleElement waypointId="2"',
    ],
)
def test_a_stay_is_the_time_between_arrival_and_departure(times: str) -> None:
    route = read_route_file(stopping(times))
    assert route.faults == ()
    assert route.waypoints[1].eta == datetime(2026, 3, 1, 6, tzinfo=UTC)
    assert route.waypoints[1].etd == datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("times", "detail"),
    [
        ('stay="PT24H"', "stay is left out: there is neither eta nor etd."),
        (
            'eta="9999-12-31T23:00:00Z" stay="PT2H"',
            "stay is left out: it leads beyond the calendar.",
        ),
        *(
            (f'eta="2026-03-01T06:00:00Z" stay="{stay}"',
             f"stay is {stay!r}, not a duration such as PT6H30M.")
            for stay in ("24", "P1M", "-PT2H", "P", "P1DT", "PT1.5H", "P9999999999D")
        ),
    ],
)  # fmt: skip
def test_a_stay_that_gives_no_time_is_noted_with_its_line(times: str, detail: str) -> None:
    assert notes(stopping(times)) == [(7, detail)]


def test_a_stay_of_no_time_says_nothing() -> None:
    route = read_route_file(stopping('stay="PT0S"'))
    assert (route.faults, route.waypoints[1].etd) == ((), None)


def test_of_two_waypoints_of_one_id_the_first_has_the_schedules_time() -> None:
    stop = '<scheduleElement waypointId="1" eta="2026-03-01T06:00:00Z"/>'
    first, second = read_route_file(scheduled(stop).replace(b'id="2"', b'id="1"')).waypoints
    assert (first.eta, second.eta) == (datetime(2026, 3, 1, 6, tzinfo=UTC), None)


@pytest.mark.parametrize("time", ["24:00:00Z", "24:00Z", "24:00:00.000+00:00", "24:00:00"])
def test_midnight_may_be_written_as_the_end_of_a_day(time: str) -> None:
    stop = f'<scheduleElement waypointId="2" eta="2026-02-28T{time}"/>'
    route = read_route_file(scheduled(stop))
    assert all("no time zone" in fault.detail for fault in route.faults)
    assert route.waypoints[1].eta == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("time", ["2026-02-28T24:01:00Z", "9999-12-31T24:00:00Z"])
def test_a_time_after_the_end_of_a_day_or_of_the_calendar_is_noted(time: str) -> None:
    stop = f'<scheduleElement waypointId="2" eta="{time}"/>'
    ((_, detail),) = notes(scheduled(stop))
    assert "not a time such as" in detail


def test_a_track_is_joined_over_a_short_loss_of_reception() -> None:
    after = '</trkseg><trkseg/><trkseg><trkpt lat="47.5" lon="-8"/></trkseg>'
    route = read_route_file(gpx(after=TRK.replace("</trkseg>", after)))
    assert [w.position for w in route.waypoints] == [(50, -6), (48, -8), (47.5, -8)]


def test_a_schedule_of_waypoints_that_are_not_there_is_noted() -> None:
    schedule = (
        '<schedules><schedule id="1"><manual>\n<scheduleElement waypointId="7"/>\n'
        "</manual></schedule></schedules></route>"
    )
    ((line, detail),) = notes(rtz(TWO).replace(b"</route>", schedule.encode()))
    assert line == 8
    assert "'7' that is not there" in detail


def kml(*lines: str, points: str = "") -> bytes:
    drawn = "".join(
        f"<Placemark><name>R{number}</name><LineString><coordinates>{line}</coordinates>"
        "</LineString></Placemark>"
        for number, line in enumerate(lines, 1)
    )
    return f'<kml xmlns="http://www.opengis.net/kml/2.2">{points}{drawn}</kml>'.encode()


def gpx(*routes: str, after: str = "") -> bytes:
    drawn = "".join(f"<rte><name>R{n}</name>{route}</rte>" for n, route in enumerate(routes, 1))
    return f"<gpx>{drawn}{after}</gpx>".encode()


def geojson(*drawn: tuple[str, object], **said: object) -> bytes:
    features = [
        {
            "type": "Feature",
            "properties": {"name": f"R{number}", **said},
            "geometry": {"type": kind, "coordinates": coordinates},
        }
        for number, (kind, coordinates) in enumerate(drawn, 1)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


WEST, NORTH = [[-6, 50], [-7, 49], [-8, 48]], [[-4, 48], [-5, 49]]
PINS = ("Point", [-6, 50]), ("Point", [-8, 48])
RTEPTS = '<rtept lat="50" lon="-6"/><rtept lat="49" lon="-7"/>'
FAR = '<trkseg><trkpt lat="46" lon="-8"/></trkseg>'
TRK = '<trk><trkseg><trkpt lat="50" lon="-6"/><trkpt lat="48" lon="-8"/></trkseg></trk>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (kml("-6,50 -7,49", "-4,48 -5,49"), "2 lines that do not meet: 'R1', 'R2'. Send"),
        (gpx(RTEPTS, RTEPTS), "2 routes: 'R1', 'R2'. Send a file with one route."),
        (gpx(after=TRK + TRK), "2 tracks: no. 1, no. 2. Send"),
        (geojson(("LineString", WEST), ("LineString", NORTH)), "2 lines that do not meet: 'R1'"),
        (geojson(("MultiLineString", [WEST, NORTH])), "2 lines that do not meet: 'R1', 'R1'"),
        (
            gpx(after=TRK.replace("</trkseg>", f"</trkseg>{FAR}")),
            "2 parts of a track that are more than 60 nm apart: no. 1, no. 2. Send",
        ),
        (gpx(*[RTEPTS] * 9), "9 routes: 'R1', 'R2', 'R3', 'R4', …. Send"),
    ],
)
def test_a_file_of_several_routes_is_refused_with_their_names(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableRoute, match=re.escape(words)):
        read_route_file(content)


@pytest.mark.parametrize(
    "content",
    [
        kml("-6,50 -7,49", "-7,49 -8,48"),
        kml("-6,50 -7,49 -8,48", "", points="<Point><coordinates>-6,50</coordinates></Point>"),
        geojson(("LineString", WEST[:2]), ("LineString", WEST[1:])),
        geojson(("MultiLineString", [WEST[:2], WEST[1:]])),
        geojson(*PINS, ("LineString", WEST)),
        json.dumps(
            {
                "type": "GeometryCollection",
                "geometries": [
                    {"type": "LineString", "coordinates": WEST},
                    *({"type": kind, "coordinates": at} for kind, at in PINS),
                ],
            }
        ).encode(),
    ],
)
def test_lines_that_meet_are_one_route_and_points_beside_them_are_none(content: bytes) -> None:
    route = read_route_file(content)
    assert [w.position for w in route.waypoints] == [(50, -6), (49, -7), (48, -8)]
    assert route.faults == ()


def test_lines_meet_at_the_antimeridian() -> None:
    halves = ("LineString", [[178, 10], [180, 11]]), ("LineString", [[-180, 11], [-178, 12]])
    waypoints = read_route_file(geojson(*halves)).waypoints
    assert [w.position for w in waypoints] == [(10, 178), (11, -180), (12, -178)]


def test_points_that_repeat_a_line_state_the_values_of_its_waypoints() -> None:
    points = [("Point", at) for at in WEST]
    route = read_route_file(geojson(*points, ("LineString", WEST), speedKn=12))
    assert [w.speed_kn for w in route.waypoints] == [12.0, 12.0, 12.0]
    ((_, detail),) = notes(geojson(*PINS, ("LineString", WEST), speedKn=12))
    assert detail == "The points are not those of the line; their values are left out."


def test_an_empty_route_of_gpx_gives_way_to_the_track() -> None:
    places = [w.position for w in read_route_file(gpx("", after=TRK)).waypoints]
    assert places == [(50, -6), (48, -8)]


def test_a_track_beside_a_route_is_left_out_with_a_note() -> None:
    route = read_route_file(gpx(RTEPTS, "", after=TRK))
    assert [w.position for w in route.waypoints] == [(50, -6), (49, -7)]
    assert [fault.detail for fault in route.faults] == ["Tracks are left out; the route is read."]


def test_kml_is_read_as_its_line() -> None:
    route = read_route_file(kml("-6,50,0 -7,49,0\n-8,48,0"))
    assert route.name == "R1"
    assert [w.position for w in route.waypoints] == [(50, -6), (49, -7), (48, -8)]


def test_gpx_gives_speeds_in_metres_per_second() -> None:
    plain, extended, resting, faulty = (
        "<speed>5.0</speed>",
        '<extensions><x:TrackPointExtension xmlns:x="http://www.garmin.com/xmlschemas/'
        'TrackPointExtension/v2"><x:speed>6</x:speed></x:TrackPointExtension></extensions>',
        "<speed>0</speed>",
        "<speed>-1</speed>",
    )
    points = "".join(
        f'<trkpt lat="{50 - n}" lon="-6">{speed}</trkpt>'
        for n, speed in enumerate((plain, extended, resting, faulty))
    )
    route = read_route_file(gpx(after=f"<trk><trkseg>{points}</trkseg></trk>"))
    speeds = [w.speed_kn for w in route.waypoints]
    assert speeds == [pytest.approx(9.719, abs=1e-3), pytest.approx(11.663, abs=1e-3), None, None]
    (fault,) = route.faults
    assert (fault.waypoint, fault.detail) == (4, "speed is '-1', not a number from 0 on.")


def test_points_of_geojson_carry_what_their_properties_say() -> None:
    point = (
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[-6,50]},"properties":'
        '{"id":4,"eta":"2026-03-01T06:00:00Z","speedKn":12,"legGeometry":"RHUMB","xtdM":926}}'
    )
    content = f'{{"type":"FeatureCollection","features":[{point},{point}]}}'
    read = read_route_file(content.encode()).waypoints[0]
    assert (read.id, read.speed_kn, read.xtd_m) == ("4", 12.0, 926.0)
    assert (read.eta, read.leg_geometry) == (
        datetime(2026, 3, 1, 6, tzinfo=UTC),
        LegGeometry.RHUMB,
    )


def _bomb(depth: int) -> str:
    entities = "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "x" * 10}">' for i in range(depth)
    )
    return f"<!DOCTYPE route [{entities}]>"


GOOD = rtz(TWO)
SPHERE = '{"type":"LineString","coordinates":%s}'
#: Fifty broken files: what is wrong, and the line if one can be named.
BROKEN: dict[str, tuple[bytes, int | None]] = {
    "empty": (b"", None),
    "blank": (b" \n\t ", None),
    "mark only": (b"\xef\xbb\xbf", None),
    "binary": (bytes(range(256)), None),
    "zip": (b"PK\x03\x04" + bytes(100) + b"\xff", None),
    "zip bomb": (b"PK\x03\x04\x14\x00" + b"\x9c" * 1_000_000, None),
    "gzip": (b"\x1f\x8b\x08\x00\xff", None),
    "image": (b"\x89PNG\r\n\x1a\n\xff", 1),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", 1),
    "null bytes": (b"\0\0\0\0", None),
    "xxe of a file": (
        b'<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><route>&e;</route>', 1),
    "xxe of a host": (
        b'<!DOCTYPE r [<!ENTITY e SYSTEM "http://127.0.0.1/">]><route>&e;</route>', 1),
    "xxe by parameter": (
        b'<!DOCTYPE r [<!ENTITY % e SYSTEM "http://127.0.0.1/x.dtd"> %e;]><route/>', 1),
    "external document type": (b'<!DOCTYPE gpx SYSTEM "http://127.0.0.1/gpx.dtd"><gpx/>', 1),
    "billion laughs": (f"{_bomb(9)}<route>&a8;</route>".encode(), 1),
    "quadratic blow-up": (
        f'<!DOCTYPE r [<!ENTITY a "{"x" * 50_000}">]><route>{"&a;" * 5_000}</route>'.encode(), 1),
    "deep xml": (b"<route>" * 5_000, 1),
    "truncated rtz": (GOOD[:-30], 5),
    "truncated tag": (GOOD[:60], 2),
    "unclosed element": (GOOD.replace(b"</waypoints>", b""), 7),
    "two roots": (GOOD + GOOD, 7),
    "undeclared prefix": (b'<x:route lat="1"/>\n', 1),
    "undeclared entity": (GOOD.replace(b'lat="50"', b'lat="&half;"'), 4),
    "wrong encoding declared": (b'<?xml version="1.0" encoding="utf-16"?><route/>', 1),
    "unknown encoding": (b'<?xml version="1.0" encoding="klingon"?><route/>', 1),
    "latin-1 undeclared": (GOOD.replace(b'"X"', b'"M\xe1laga"'), 2),
    "other xml": (b"<html><body/></html>", 1),
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', 1),
    "rtz without waypoints": (rtz(""), None),
    "rtz of one waypoint": (rtz(TWO.splitlines()[0]), None),
    "waypoint without position": (rtz(TWO + '<waypoint id="3"/>'), 6),
    "position in words": (GOOD.replace(b'lat="49"', b'lat="south"'), 5),
    "position empty": (GOOD.replace(b'lat="49"', b'lat=""'), 5),
    "position without longitude": (GOOD.replace(b' lon="-7"', b""), 5),
    "latitude of 91": (GOOD.replace(b'lat="49"', b'lat="91"'), 5),
    "latitude not a number": (GOOD.replace(b'lat="49"', b'lat="nan"'), 5),
    "longitude infinite": (GOOD.replace(b'lon="-7"', b'lon="inf"'), 5),
    "exchanged beyond the pole": (GOOD.replace(b'lat="49" lon="-7"', b'lat="-137" lon="40"'), 5),
    "gpx empty": (b"<gpx/>", None),
    "gpx of places": (b'<gpx><wpt lat="50" lon="-6"/><wpt lat="49" lon="-7"/></gpx>', None),
    "gpx without latitude": (b'<gpx><rte>\n<rtept lon="1"/>\n</rte></gpx>', 2),
    "kml empty": (b"<kml/>", None),
    "kml in words": (
        b"<kml>\n<LineString><coordinates>here there</coordinates></LineString></kml>", 2),
    "json broken": (b'{\n"type": \n', 3),
    "json list": (b"[1, 2]", None),
    "json deep": (b"[" * 100_000, 1),
    "geojson of a polygon": (b'{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}', None),
    "geojson off the globe": ((SPHERE % "[[0,0],[0,95]]").encode(), None),
    "geojson in words": ((SPHERE % '[[0,0],["a","b"]]').encode(), None),
    "geojson of huge numbers": ((SPHERE % f"[[0,0],[{'9' * 400},0]]").encode(), None),
    "table without header": (b"50,-6\n49,-7\n", 1),
    "table of one line": (b"lat,lng\n50,-6\n", None),
    "table with a gap": (b"lat,lng\n50,-6\n49\n", 3),
    "table in words": (b"lat,lng\n50,-6\nnorth,west\n", 3),
    "table with sixty minutes": (b"lat,lng\n50,-6\n50 60.0 N,-6\n", 3),
    "table with an endless cell": (f"lat,lng\n50,{'1' * 200_000}\n".encode(), None),
    "a hundred thousand lines": (b"lat,lng\n" + b"50,-6\n" * 100_000, None),
    "a hundred thousand points": (
        b"<gpx><rte>" + b'<rtept lat="50" lon="-6"/>' * 100_000 + b"</rte></gpx>", None),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_words_with_its_line(name: str) -> None:
    content, line = BROKEN[name]
    with pytest.raises(UnreadableRoute) as refused:
        read_route_file(content)
    assert refused.value.line == line
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD.replace(b'lat="49"', b'lat="49,8"'), "Waypoint 2 has the lat '49,8', not degrees"),
        (GOOD.replace(b' lon="-7"', b""), "Waypoint 2 has no lon."),
        (b"lat,lng\n50,-6\n49,west\n", "has the longitude 'west'. Write 4.12 or 4 07.2 E"),
        (b"lat,lng\n50,-6\n49\n", "Waypoint 2 has no longitude."),
        (GOOD.replace(b"</waypoints>", b""), "The XML is broken: Opening and ending tag mismatch"),
        (GOOD.replace(b"waypoint ", b"Waypoint ").replace(b"/waypoint>", b"/Waypoint>"),
         "The element “Waypoint” must be spelt “waypoint”."),
        (GOOD.replace(b"<position", b"<Position"), "“Position” must be spelt “position”."),
        (b"<GPX/>", "“GPX” must be spelt “gpx”."),
        (b"<kml><linestring><coordinates>1,2 3,4</coordinates></linestring></kml>",
         "“linestring” must be spelt “LineString”."),
    ],
)  # fmt: skip
def test_a_refusal_names_what_is_wrong_and_what_would_be_right(content: bytes, words: str) -> None:
    with pytest.raises(UnreadableRoute, match=re.escape(words)):
        read_route_file(content)


@pytest.mark.parametrize(
    ("rows", "xtd_m"),
    [
        (("51.5;3.25;12;1,852", "51.0;2.25;12;926"), 1852.0),
        (("51 30.5 N;3 10.5 E;12;1,852", "51 N;2 E;12;926"), 1852.0),
        (("51,5;3,25;12,5;1.852", "51,0;2,25;12,5;926"), 1852.0),
        (("51,5;3,25;12,5;0.926", "51,0;2,25;12,5;926"), 0.926),
        (("51,5;3,25;12,5;1,852", "51,0;2,25;12,5;926"), 1.852),
    ],
)
def test_the_whole_table_decides_on_marks_for_thousands(
    rows: tuple[str, str], xtd_m: float
) -> None:
    content = "\n".join(("lat;lng;speed;xtd_m", *rows)).encode()
    assert read_route_file(content).waypoints[0].xtd_m == xtd_m
