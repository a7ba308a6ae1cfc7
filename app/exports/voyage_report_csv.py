"""The report of a finished voyage as a table: RFC 4180 in UTF-8, a header and one line.

Reports of several voyages go one under the other. Columns carry their units; what is not known is
empty.
"""

from collections.abc import Callable

from app.engine.monitoring.voyage_report import VoyageReport
from app.exports.formats import fixed, utc_time, write_table

_COLUMNS: dict[str, Callable[[VoyageReport], str]] = {
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
}

#: The columns in their order.
COLUMNS = tuple(_COLUMNS)


def render_voyage_report(report: VoyageReport) -> bytes:
    """Write a report, header first."""
    return write_table([COLUMNS, [cell(report) for cell in _COLUMNS.values()]]).encode()
