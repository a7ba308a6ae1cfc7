"""Plans, departures of a window and reports of voyages as tables: RFC 4180 in UTF-8.

A waypoint of a plan, a departure or a report has one line; reports of several voyages go one under
the other. The column ``index`` numbers waypoints from 1. Columns carry their units.
Everything said of a leg stands on the line of the waypoint that it leads to;
unknown values are empty. Wind and waves are named by the direction they come
from, currents by the direction they set towards.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256

from app.engine.departures.window import DepartureFigures
from app.engine.monitoring.voyage_report import VoyageReport
from app.engine.plan import RoutePlan, Waypoint
from app.engine.report.timetable import list_leaving_times
from app.engine.spread import FanPoint, Spread
from app.engine.weather.records import Weather
from app.exports.formats import (
    direction,
    fixed,
    fixed_down,
    latitude,
    longitude,
    remark,
    utc_time,
    write_table,
)
from app.records.departures import DepartureView

_Cell = Callable[[Waypoint], str]


def _of_weather(write: Callable[[Weather], str]) -> _Cell:
    """A cell that is empty where no weather is known."""
    return lambda waypoint: "" if waypoint.weather is None else write(waypoint.weather)


def _of_waves(write: Callable[[Weather], str]) -> _Cell:
    """A cell that is empty where no waves are known."""
    return _of_weather(lambda weather: "" if weather.wave_source is None else write(weather))


def _of_leg(write: _Cell) -> _Cell:
    """A cell that is empty on the first waypoint, to which no leg leads."""
    return lambda waypoint: "" if waypoint.leg_geometry is None else write(waypoint)


_COLUMNS: dict[str, _Cell] = {
    "index": lambda w: str(w.number),
    "lat": lambda w: latitude(w.position.lat),
    "lng": lambda w: longitude(w.position.lng),
    "eta": lambda w: utc_time(w.eta),
    "course_deg": lambda w: direction(w.course_deg),
    "leg_geometry": lambda w: w.leg_geometry or "",
    "leg_nm": _of_leg(lambda w: fixed(w.leg_distance_nm, 2)),
    "cumulative_nm": lambda w: fixed(w.cumulative_nm, 2),
    "speed_kn": lambda w: fixed(w.speed_kn, 2),
    "stw_kn": lambda w: fixed(w.speed_through_water_kn, 2),
    "rpm": lambda w: fixed(w.rpm, 1),
    "power_kw": lambda w: fixed(w.power_kw, 0),
    "leg_fuel_mt": _of_leg(lambda w: fixed(w.leg_fuel_t, 3)),
    "wave_m": _of_waves(lambda m: fixed(m.wave_height_m, 2)),
    "wave_period_s": _of_waves(lambda m: fixed(m.wave_period_s, 1)),
    "wave_from_deg": _of_waves(lambda m: direction(m.wave_from_deg)),
    "wind_ms": _of_weather(lambda m: fixed(m.wind_speed_ms, 1)),
    "wind_from_deg": _of_weather(lambda m: direction(m.wind_from_deg)),
    "current_kn": _of_weather(lambda m: fixed(m.current_speed_kn, 2)),
    "current_to_deg": _of_weather(lambda m: direction(m.current_to_deg)),
    "min_depth_m": lambda w: fixed_down(w.min_depth_m, 1),
    "ukc_m": lambda w: fixed_down(w.ukc_m, 1),
    "xtd_m": lambda w: fixed_down(w.xtd_m, 0),
    "in_eca": lambda w: "true" if w.in_eca else "false",
    "note": remark,
    "turn_radius_nm": lambda w: fixed_down(w.turn_radius_nm, 3),
    "wheel_over_nm": lambda w: fixed(w.wheel_over_nm, 3),
}

#: The spread at a waypoint; empty for plans that have none. Fuel is that burnt since departure.
_SPREAD_COLUMNS: dict[str, Callable[[FanPoint], str]] = {
    "eta_p10": lambda point: utc_time(point.time.p10),
    "eta_p90": lambda point: utc_time(point.time.p90),
    "fuel_p10_mt": lambda point: fixed(point.fuel_t.p10, 3),
    "fuel_p90_mt": lambda point: fixed(point.fuel_t.p90, 3),
}

#: The columns in their order; ``etd`` is empty where the ship does not wait, ``passage`` where the
#: leg runs in none.
COLUMNS = (*_COLUMNS, *_SPREAD_COLUMNS, "spread_basis", "etd", "passage")
#: How near to a waypoint its point of the spread lies [nm]: both are rounded.
_SAME_NM = 0.02


def render_csv(plan: RoutePlan) -> bytes:
    """Write the plan's waypoints, header first."""
    leaving_times = list_leaving_times(plan.waypoints)
    rows = (
        [
            *(cell(waypoint) for cell in _COLUMNS.values()),
            *_write_spread(plan.spread, waypoint),
            "" if leaves_at is None else utc_time(leaves_at),
            waypoint.passage or "",
        ]
        for waypoint, leaves_at in zip(plan.waypoints, leaving_times, strict=True)
    )
    return write_table([COLUMNS, *rows]).encode()


def _write_spread(spread: Spread | None, waypoint: Waypoint) -> list[str]:
    """Write the spread at a waypoint and what it rests on."""
    fan = () if spread is None else spread.fan
    away = {abs(point.cumulative_nm - waypoint.cumulative_nm): point for point in fan}
    if spread is None or not away or min(away) > _SAME_NM:
        return [""] * (len(_SPREAD_COLUMNS) + 1)
    point = away[min(away)]
    return [*(cell(point) for cell in _SPREAD_COLUMNS.values()), str(spread.basis)]


_DepartureCell = Callable[[DepartureView], str]


def _of_figures(write: Callable[[DepartureFigures], str]) -> _DepartureCell:
    """A cell that is empty where a departure has no figures."""
    return lambda view: "" if view.figures is None else write(view.figures)


_DEPARTURE_COLUMNS: dict[str, _DepartureCell] = {
    "departure": lambda view: utc_time(view.departure),
    "state": lambda view: str(view.state),
    "best": lambda view: "true" if view.is_best else "false",
    "arrival": _of_figures(lambda figures: utc_time(figures.arrives_at)),
    "duration_h": _of_figures(lambda figures: fixed(figures.duration_h, 2)),
    "fuel_mt": _of_figures(lambda figures: fixed(figures.fuel_t, 3)),
    "distance_nm": _of_figures(lambda figures: fixed(figures.distance_nm, 2)),
    "max_wave_m": _of_figures(lambda figures: fixed(figures.max_wave_m, 2)),
    "route": _of_figures(lambda figures: figures.route),
    "reason_code": lambda view: "" if view.infeasible is None else str(view.infeasible.code),
    "reason": lambda view: "" if view.infeasible is None else view.infeasible.detail,
}


def render_departures(departures: Iterable[DepartureView]) -> bytes:
    """Write the departures, header first."""
    rows = ([cell(view) for cell in _DEPARTURE_COLUMNS.values()] for view in departures)
    return write_table([list(_DEPARTURE_COLUMNS), *rows]).encode()


_REPORT_COLUMNS: dict[str, Callable[[VoyageReport], str]] = {
    "departed": lambda report: utc_time(report.departed_at),
    "arrived": lambda report: utc_time(report.arrived_at),
    "planned_nm": lambda report: fixed(report.planned_nm, 2),
    "sailed_nm": lambda report: fixed(report.sailed_nm, 2),
    "planned_wave_m": lambda report: fixed(report.planned_wave_m, 2),
    "met_wave_m": lambda report: fixed(report.met_wave_m, 2),
    "planned_fuel_mt": lambda report: fixed(report.fuel.planned_t, 3),
    "weather_fuel_mt": lambda report: fixed(report.fuel.weather_t, 3),
    "speed_fuel_mt": lambda report: fixed(report.fuel.speed_t, 3),
    "track_fuel_mt": lambda report: fixed(report.fuel.track_t, 3),
    "model_fuel_mt": lambda report: fixed(report.fuel.model_t, 3),
    "reported_fuel_mt": lambda report: fixed(report.fuel.reported_t, 3),
    "planned_h": lambda report: fixed(report.time.planned_h, 2),
    "weather_h": lambda report: fixed(report.time.weather_h, 2),
    "conduct_h": lambda report: fixed(report.time.conduct_h, 2),
    "sailed_h": lambda report: fixed(report.time.sailed_h, 2),
    "weather_runs": lambda report: " ".join(report.weather_runs),
    "forecast_coverage_pct": lambda report: fixed(report.forecast_coverage_pct, 1),
}


def render_voyage_report(report: VoyageReport) -> bytes:
    """Write a report, header first."""
    return write_table(
        [list(_REPORT_COLUMNS), [cell(report) for cell in _REPORT_COLUMNS.values()]]
    ).encode()


def content_hash(content: bytes) -> str:
    """The integrity hash of a file's exact bytes, ``sha256:<hex>``."""
    return f"sha256:{sha256(content).hexdigest()}"
