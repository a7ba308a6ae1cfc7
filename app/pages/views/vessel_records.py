"""Monthly statistics and track of a vessel, for charts and as files."""

from collections.abc import Iterator
from typing import Any

from flask import Response, request, stream_with_context
from flask.typing import ResponseReturnValue

from app.engine.plan import CarbonIntensity
from app.exports.formats import ascii_name, write_table
from app.models import TelemetryRecord, Vessel
from app.pages.blueprint import answer_file, answer_json, pages
from app.pages.presenters.period import Period, read_period
from app.pages.web.own import own_vessel
from app.records.instants import format_instant
from app.services.errors import Invalid
from app.services.platform.sessions import organization_session
from app.services.vessels import telemetry, vessel_records
from app.services.vessels.telemetry_fields import COLUMNS
from app.services.vessels.vessel_records import MonthStatistics, VesselRecords

_PAGE = 1000

_MONTH_COLUMNS = (
    *("month", "distance_nm", "hours_under_way", "mean_speed_kn", "fuel_mt", "fuel_kg_per_nm"),
    *("co2_mt", "cii_attained", "cii_required", "cii_rating"),
    *("cii_year_so_far", "cii_year_so_far_rating"),
)


@pages.get("/fleet/<vessel_id>/records")
def vessel_months(vessel_id: str) -> ResponseReturnValue:
    """Return months and track of a period for the charts."""
    _, found = _describe(vessel_id, _read_period())
    return answer_json(
        boundaries=found.boundaries,
        months=[_month(month) for month in found.months],
        track=[
            {
                "lats": part.lats.round(5).tolist(),
                "lngs": part.lngs.round(5).tolist(),
                "speedKn": part.speed_kn.round(2).tolist(),
                "fuelMtPerDay": part.fuel_t_per_day.round(2).tolist(),
                "times": [int(3600 * hours) for hours in part.times_h],
            }
            for part in found.track
        ],
    )


@pages.get("/fleet/<vessel_id>/statistics.csv")
def vessel_statistics_csv(vessel_id: str) -> ResponseReturnValue:
    """Download the months of a period as CSV (RFC 4180)."""
    period = _read_period()
    vessel, found = _describe(vessel_id, period)
    text = write_table([_MONTH_COLUMNS, *map(_month_row, found.months)])
    return _file(text, vessel, "statistics", period)


@pages.get("/fleet/<vessel_id>/telemetry.csv")
def vessel_telemetry_csv(vessel_id: str) -> ResponseReturnValue:
    """Stream all records of a period as CSV (RFC 4180)."""
    period = _read_period()
    with own_vessel(vessel_id) as (_, vessel):
        pass  # its telemetry is read page by page
    return _file(stream_with_context(_telemetry_lines(vessel, period)), vessel, "telemetry", period)


def _telemetry_lines(vessel: Vessel, period: Period) -> Iterator[str]:
    owner = vessel.organization_id
    yield write_table([COLUMNS])
    page, last = 1, 1
    while page <= last:
        with organization_session(owner) as session:
            found = telemetry.list_page(session, vessel, period.since, period.until, page, _PAGE)
            last = found.total_pages
            rows = [[_cell(record, column) for column in COLUMNS] for record in found.items]
        yield write_table(rows)
        page += 1


def _cell(record: TelemetryRecord, column: str) -> Any:
    value = getattr(record, column)
    return format_instant(value) if column == "timestamp" else value


def _file(content: str | Iterator[str], vessel: Vessel, kind: str, period: Period) -> Response:
    ship = ascii_name(vessel.name or "", otherwise="vessel")
    name = "_".join([ship, kind, *period.query.values()])
    return answer_file(content, "text/csv", f"{name}.csv")


def _read_period() -> Period:
    period = read_period(request.args)
    if period.fault:
        raise Invalid.at("/from", period.fault)
    return period


def _describe(vessel_id: str, period: Period) -> tuple[Vessel, VesselRecords]:
    with own_vessel(vessel_id) as (session, vessel):
        return vessel, vessel_records.describe(session, vessel, period.since, period.until)


def _month(month: MonthStatistics) -> dict[str, Any]:
    return {
        "month": month.first_day.isoformat(),
        "cii": _intensity(month.carbon_intensity),
        "yearSoFar": _intensity(month.year_so_far),
        "fuelMt": month.recorded.fuel_t,
        "distanceNm": month.recorded.distance_nm,
    }


def _intensity(found: CarbonIntensity | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"attained": found.attained, "required": found.required, "rating": found.rating}


def _month_row(month: MonthStatistics) -> list[Any]:
    recorded, cii, year = month.recorded, month.carbon_intensity, month.year_so_far
    speed_kn = _per_mile(recorded.distance_nm, 1000 * recorded.hours_under_way)
    return [
        f"{month.first_day:%Y-%m}",
        *(round(recorded.distance_nm, 1), round(recorded.hours_under_way, 1), _round(speed_kn)),
        *(round(recorded.fuel_t, 2), _round(_per_mile(recorded.fuel_t, recorded.distance_nm))),
        round(month.co2_t, 2),
        *((_round(cii.attained), _round(cii.required), cii.rating) if cii else ("", "", "")),
        *((_round(year.attained), year.rating) if year else ("", "")),
    ]


def _per_mile(amount_t: float, distance_nm: float) -> float | None:
    """Return kilograms per mile; ``None`` without distance."""
    return 1000 * amount_t / distance_nm if distance_nm else None


def _round(value: float | None) -> float | str:
    return "" if value is None else round(value, 3)
