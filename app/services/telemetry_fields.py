"""The fields of a telemetry record: by which name, within which bounds, in which column."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

#: How far a ship's clock may run ahead of ours.
MOST_AHEAD: Final = timedelta(minutes=5)
#: Partitions are made from here on.
EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TelemetryField:
    """A number that a ship reports; bounds are inclusive, ``None`` is no bound."""

    name: str
    column: str
    description: str
    least: float | None = None
    greatest: float | None = None
    is_required: bool = False


def _must(
    name: str, column: str, description: str, least: float, greatest: float | None = None
) -> TelemetryField:
    return TelemetryField(name, column, description, least, greatest, is_required=True)


FIELDS: Final = (
    _must("latitude", "latitude", "Latitude [deg north]", -90, 90),
    _must("longitude", "longitude", "Longitude [deg east]", -180, 180),
    _must("speed", "speed_kn", "Speed over ground [kn]", 0),
    _must("heading", "heading_deg", "Heading [deg true]", 0, 360),
    _must("rpm", "rpm", "Shaft speed [1/min]", 0),
    _must(
        "fuelConsumption", "fuel_consumption_t_day", "Main engine's fuel consumption [mt/day]", 0
    ),
    _must("draft", "draft_m", "Mean draught [m]", 0),
    _must("engineLoad", "engine_load_pct", "Main engine's load [% of MCR]", 0, 100),
    TelemetryField("windSpeed", "wind_speed_ms", "True wind speed [m/s]", 0),
    TelemetryField("windDirection", "wind_from_deg", "True wind, from [deg true]", 0, 360),
    TelemetryField("seaState", "sea_state", "Sea state [Douglas degree]", 0, 9),
    TelemetryField("waterDepth", "water_depth_m", "Depth of water [m]", 0),
    TelemetryField("trimFore", "trim_fore_m", "Draught forward [m]"),
    TelemetryField("trimAft", "trim_aft_m", "Draught aft [m]"),
    TelemetryField("mePower", "me_power_kw", "Main engine's power [kW]", 0),
)

#: Columns that a record is told by, the time first.
COLUMNS: Final = ("timestamp", *(field.column for field in FIELDS))


def find_time_fault(instant: datetime, now: datetime) -> str | None:
    """What is wrong with the time of a record, if anything."""
    if instant > now + MOST_AHEAD:
        return "Lies more than 5 minutes in the future."
    if instant < EARLIEST:
        return "Lies before 1990."
    return None


def to_millisecond(instant: datetime) -> datetime:
    """A time cut to the millisecond, as it is kept."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
