"""Monthly statistics and track of a vessel, for charts and as files."""

import csv
import io
from collections.abc import Iterator
from typing import Any

from flask import Response, request, stream_with_context
from flask.typing import ResponseReturnValue

from app.engine.plan import CarbonIntensity
from app.models import TelemetryRecord, Vessel
from app.pages.blueprint import answer_json, pages
from app.pages.presenters.period import Period, read_period
from app.pages.web.access import organization_id
from app.records.instants import format_instant
from app.services.errors import Invalid
from app.services.platform.sessions import organization_session
from app.services.vessels import telemetry, vessel_records, vessels
from app.services.vessels.telemetry_fields import COLUMNS
from app.services.vessels.vessel_records import MonthStatistics, VesselRecords

_PAGE = 1000

_TELEMETRY_COLUMNS = ("timestamp", *COLUMNS)
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
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_MONTH_COLUMNS)
    writer.writerows(_month_row(month) for month in found.months)
    return _file(text.getvalue(), vessel, "statistics", period)


@pages.get("/fleet/<vessel_id>/telemetry.csv")
def vessel_telemetry_csv(vessel_id: str) -> ResponseReturnValue:
    """Stream all records of a period as CSV (RFC 4180)."""
    period = _read_period()
    with organization_session(organization_id()) as session:
        vessel = vessels.get(session, organization_id(), vessel_id)
    return _file(stream_with_context(_telemetry_lines(vessel, period)), vessel, "telemetry", period)


def _telemetry_lines(vessel: Vessel, period: Period) -> Iterator[str]:
    owner = vessel.organization_id
    yield _line(_TELEMETRY_COLUMNS)
    page, last = 1, 1
    while page <= last:
        with organization_session(owner) as session:
            found = telemetry.list_page(session, vessel, period.since, period.until, page, _PAGE)
            last = found.total_pages
            lines = [_telemetry_line(record) for record in found.items]
        yield "".join(lines)
        page += 1


def _telemetry_line(record: TelemetryRecord) -> str:
    return _line(_cell(record, column) for column in _TELEMETRY_COLUMNS)


def _cell(record: TelemetryRecord, column: str) -> Any:
    value = getattr(record, column)
    return format_instant(value) if column == "timestamp" else value


def _line(cells: Any) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _file(content: str | Iterator[str], vessel: Vessel, kind: str, period: Period) -> Response:
    ship = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in vessel.name or "")
    days = period.query.values()
    name = "_".join([ship.strip("-") or "vessel", kind, *days])
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(content, mimetype="text/csv", headers=headers)


def _read_period() -> Period:
    period = read_period(request.args)
    if period.fault:
        raise Invalid.at("/from", period.fault)
    return period


def _describe(vessel_id: str, period: Period) -> tuple[Vessel, VesselRecords]:
    with organization_session(organization_id()) as session:
        vessel = vessels.get(session, organization_id(), vessel_id)
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
