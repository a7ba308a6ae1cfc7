"""Times and speeds of GPX: those of GPX 1.1 and those of OpenCPN's extensions."""

from datetime import UTC, datetime

import pytest

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import RouteFile

HEAD = '<gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:opencpn="http://www.opencpn.org">'
DAY = datetime(2026, 3, 1, tzinfo=UTC)


def gpx(*points: str, plan: str = "", kind: str = "rte") -> RouteFile:
    """A route of points 60 nm apart; each text stands in its point."""
    drawn = "".join(
        f'<{kind}pt lat="{50 - number}" lon="-6">{inside}</{kind}pt>'
        for number, inside in enumerate(points)
    )
    inside = f"<trkseg>{drawn}</trkseg>" if kind == "trk" else drawn
    extensions = f"<extensions>{plan}</extensions>"
    return read_route_file(f"{HEAD}<{kind}>{extensions}{inside}</{kind}></gpx>".encode())


def at(time: str) -> str:
    return f"<time>2026-03-01T{time}Z</time>"


def planned(speed_kn: str) -> str:
    return f"<opencpn:planned_speed>{speed_kn}</opencpn:planned_speed>"


def leg(speed_kn: str) -> str:
    return f"<extensions>{planned(speed_kn)}</extensions>"


DEPARTURE = "<opencpn:planned_departure>2026-03-01T02:00:00Z</opencpn:planned_departure>"


@pytest.mark.parametrize(
    "times",
    [
        ("06:00:00", "06:01:10", "06:02:05"),
        ("06:00:00", "06:00:00", "06:00:00"),
        ("16:00:00", "11:00:00", "06:00:00"),
        ("06:00:00", "12:00:00", "11:59:00"),
        ("06:00:00", "07:20:00", "12:00:00"),
    ],
    ids=["minutes apart", "equal", "falling", "one earlier", "one too fast"],
)
def test_times_at_which_points_of_a_route_were_made_are_left_out_with_one_note(
    times: tuple[str, ...],
) -> None:
    route = gpx(*map(at, times))
    assert [w.eta for w in route.waypoints] == [None] * 3
    (fault,) = route.faults
    assert "times of the route's points are left out" in fault.detail
    assert "1 to 40 kn" in fault.detail


def test_one_time_alone_is_no_eta() -> None:
    route = gpx(at("06:00:00"), "")
    assert [w.eta for w in route.waypoints] == [None, None]
    assert len(route.faults) == 1


def test_times_at_which_a_ship_can_be_at_each_point_are_etas() -> None:
    route = gpx(at("06:00:00"), at("11:00:00"), "", at("21:30:00"))
    hours = [None if w.eta is None else (w.eta - DAY).total_seconds() / 3600 for w in
             route.waypoints]  # fmt: skip
    assert hours == [6.0, 11.0, None, 21.5]
    assert route.faults == ()


def test_times_of_a_track_are_those_of_the_ship() -> None:
    route = gpx(at("06:00:00"), at("06:01:00"), kind="trk")
    assert [w.eta for w in route.waypoints] == [
        datetime(2026, 3, 1, 6, minute, tzinfo=UTC) for minute in (0, 1)
    ]
    assert route.faults == ()


def test_the_planned_speed_of_opencpn_is_that_of_the_leg_else_of_the_route() -> None:
    route = gpx("", leg("12.50"), leg("0.00"), "<speed>5</speed>", plan=planned("10"))
    speeds = [w.speed_kn for w in route.waypoints]
    assert speeds == [None, 12.5, 10.0, pytest.approx(9.719, abs=1e-3)]
    assert route.faults == ()


def test_the_planned_departure_of_opencpn_is_that_of_the_first_waypoint() -> None:
    route = gpx("", "", plan=DEPARTURE)
    assert [w.etd for w in route.waypoints] == [datetime(2026, 3, 1, 2, tzinfo=UTC), None]
    assert route.faults == ()


def test_times_of_points_that_contradict_the_planned_departure_are_left_out() -> None:
    kept = gpx(at("01:30:00"), at("07:00:00"), plan=DEPARTURE)
    assert kept.waypoints[1].eta == datetime(2026, 3, 1, 7, tzinfo=UTC)
    dropped = gpx("<time>2026-02-28T06:00:00Z</time>", at("01:00:00"), plan=DEPARTURE)
    assert [w.eta for w in dropped.waypoints] == [None, None]
    assert dropped.waypoints[0].etd == datetime(2026, 3, 1, 2, tzinfo=UTC)


def test_an_empty_plan_of_opencpn_is_none() -> None:
    empty = "<opencpn:planned_departure></opencpn:planned_departure>" + planned("")
    route = gpx("<time></time>", "<time></time>", plan=empty)
    assert {(w.eta, w.etd, w.speed_kn) for w in route.waypoints} == {(None, None, None)}
    assert route.faults == ()
