"""Random plans for property tests: waypoints with all possible values, including extremes."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import RoutePlan, VoyageSummary, Waypoint
from app.engine.request import Position
from app.engine.weather.records import Weather, WeatherSource

_directions = st.floats(0.0, 360.0, exclude_max=True) | st.sampled_from([0.0, 359.96, 359.99999])
_lengths = st.floats(0.0, 20_000.0) | st.sampled_from([1e-9, 0.004, 18_520.0])
_speeds = st.floats(0.0, 40.0)
_texts = st.none() | st.text(max_size=30)
_sources = st.sampled_from(WeatherSource)

_positions = st.builds(
    Position,
    st.floats(-85.0, 85.0) | st.sampled_from([-1e-9, 0.0]),
    st.floats(-180.0, 180.0, exclude_max=True) | st.sampled_from([179.9999999, -180.0, -1e-9]),
)
_weather = st.none() | st.builds(
    Weather,
    wave_height_m=st.floats(0.0, 20.0),
    wave_period_s=st.floats(0.0, 25.0),
    wave_from_deg=_directions,
    wind_speed_ms=st.floats(0.0, 60.0),
    wind_from_deg=_directions,
    current_speed_kn=st.floats(0.0, 8.0),
    current_to_deg=_directions,
    wave_source=st.none() | _sources,
    wind_source=_sources,
    current_source=_sources,
)
_departures = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001 - Hypothesis wants naive bounds
    datetime(2099, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@st.composite
def _later_waypoints(draw: st.DrawFn, index: int, before: Waypoint) -> Waypoint:
    distance = draw(_lengths)
    waited = timedelta(seconds=draw(st.integers(0, 100_000)))
    leaves = before.leaves_at or before.eta
    eta = leaves + timedelta(seconds=draw(st.floats(1.0, 1e6)))
    return Waypoint(
        index=index,
        position=draw(_positions),
        eta=eta,
        cumulative_nm=before.cumulative_nm + distance,
        leg_distance_nm=distance,
        leg_geometry=draw(st.sampled_from(LegGeometry)),
        course_deg=draw(_directions),
        xtd_m=draw(st.none() | _lengths),
        speed_kn=draw(_speeds),
        speed_through_water_kn=draw(_speeds),
        leg_fuel_t=draw(_lengths),
        rpm=draw(st.none() | st.floats(0.0, 900.0)),
        power_kw=draw(st.none() | st.floats(0.0, 90_000.0)),
        weather=draw(_weather),
        min_depth_m=draw(st.none() | _lengths),
        ukc_m=draw(st.none() | st.floats(-2.0, 6000.0)),
        in_eca=draw(st.booleans()),
        passage=draw(_texts),
        note=draw(_texts),
        leaves_at=eta + waited if waited else None,
        turn_radius_nm=draw(st.none() | st.floats(0.001, 20.0)),
        wheel_over_nm=draw(st.none() | _lengths),
    )


@st.composite
def plans(draw: st.DrawFn) -> RoutePlan:
    """A plan of two to six waypoints without a profile."""
    waypoints = [Waypoint(0, draw(_positions), draw(_departures), 0.0, weather=draw(_weather))]
    for index in range(1, draw(st.integers(2, 6))):
        waypoints.append(draw(_later_waypoints(index, waypoints[-1])))
    summary = VoyageSummary(
        distance_nm=waypoints[-1].cumulative_nm,
        duration_h=(waypoints[-1].eta - waypoints[0].eta) / timedelta(hours=1),
        eta=waypoints[-1].eta,
        fuel_t=0.0,
        co2_t=0.0,
        average_speed_kn=0.0,
        eca_distance_nm=0.0,
        eca_fuel_t=0.0,
        great_circle_nm=0.0,
    )
    return RoutePlan(tuple(waypoints), summary, profile=())
