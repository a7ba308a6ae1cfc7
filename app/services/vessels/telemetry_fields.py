"""Fields of a telemetry record: name, bounds and column."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from app.records.instants import format_instant

#: Largest difference of a ship's clock ahead of the service's.
MOST_AHEAD: Final = timedelta(minutes=5)
#: Earliest time of a record.
EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)


# Bounds that no ship exceeds: a value beyond is an error of a sensor or of units, and would
# distort every sum.
#: The fastest ferry, HSC Francisco, made 58 kn on trials (Incat, 2013).
MOST_SPEED_KN: Final = 75.0
#: High-speed marine diesels turn at 2,300 at most (MTU 16V 2000 M96, 2,450).
MOST_RPM: Final = 3000.0
#: The largest diesel, Wärtsilä RT-flex96C of 84,420 kW, burns 171 g/kWh, 346 t/day.
MOST_FUEL_T_PER_DAY: Final = 500.0
MOST_POWER_KW: Final = 120_000.0
#: The deepest ship, Seawise Giant, drew 24.6 m; as for a charting's draught.
MOST_DRAFT_M: Final = 30.0
#: The strongest gust measured, 113.2 m/s at Barrow Island 1996 (WMO Weather & Climate Extremes).
MOST_WIND_MS: Final = 120.0
#: The Challenger Deep, 10,935 m (NOAA, 2020).
MOST_DEPTH_M: Final = 11_100.0


@dataclass(frozen=True, slots=True)
class TelemetryField:
    """A number that a ship reports; bounds are inclusive."""

    name: str
    column: str
    description: str
    least: float
    greatest: float
    is_required: bool = False


def _must(
    name: str, column: str, description: str, least: float, greatest: float
) -> TelemetryField:
    return TelemetryField(name, column, description, least, greatest, is_required=True)


FIELDS: Final = (
    _must("latitude", "latitude", "Latitude [deg north]", -90, 90),
    _must("longitude", "longitude", "Longitude [deg east]", -180, 360),
    _must("speed", "speed_kn", "Speed over ground [kn]", 0, MOST_SPEED_KN),
    _must("heading", "heading_deg", "Heading [deg true]", 0, 360),
    _must("rpm", "rpm", "Shaft speed [1/min]", 0, MOST_RPM),
    _must(
        "fuelConsumption",
        "fuel_consumption_t_day",
        "Main engine's fuel consumption [mt/day]",
        0,
        MOST_FUEL_T_PER_DAY,
    ),
    _must("draft", "draft_m", "Mean draught [m]", 0, MOST_DRAFT_M),
    _must("engineLoad", "engine_load_pct", "Main engine's load [% of MCR]", 0, 100),
    TelemetryField("windSpeed", "wind_speed_ms", "True wind speed [m/s]", 0, MOST_WIND_MS),
    TelemetryField("windDirection", "wind_from_deg", "True wind, from [deg true]", 0, 360),
    TelemetryField("seaState", "sea_state", "Sea state [Douglas degree]", 0, 9),
    TelemetryField("waterDepth", "water_depth_m", "Depth of water [m]", 0, MOST_DEPTH_M),
    TelemetryField("trimFore", "trim_fore_m", "Draught forward [m]", -MOST_DRAFT_M, MOST_DRAFT_M),
    TelemetryField("trimAft", "trim_aft_m", "Draught aft [m]", -MOST_DRAFT_M, MOST_DRAFT_M),
    TelemetryField("mePower", "me_power_kw", "Main engine's power [kW]", 0, MOST_POWER_KW),
)

#: Columns that describe a record, the time first.
COLUMNS: Final = ("timestamp", *(field.column for field in FIELDS))


def describe(record: object) -> dict[str, Any]:
    """A stored record in JSON types, by the names of its fields."""
    shown = {"timestamp": format_instant(record.timestamp)}  # type: ignore[attr-defined]
    return shown | {field.name: getattr(record, field.column) for field in FIELDS}


def find_time_fault(instant: datetime, now: datetime) -> str | None:
    """Return an error of a record's time, or ``None``."""
    if instant > now + MOST_AHEAD:
        return "Lies more than 5 minutes in the future."
    if instant < EARLIEST:
        return "Lies before 2000."
    return None


def to_millisecond(instant: datetime) -> datetime:
    """A time truncated to the millisecond, as it is stored."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
