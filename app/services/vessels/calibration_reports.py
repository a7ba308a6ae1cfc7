"""Reports of a vessel for calibration, merged from telemetry and noon reports."""

from typing import Final

import numpy as np
from sqlalchemy import exists, select, text
from sqlalchemy.orm import Session

from app.engine.arrays import Floats
from app.engine.calibration.reports import ShipReports
from app.engine.vessel.sea_state import usual_peak_period_s
from app.models import NoonReport, TelemetryRecord, Vessel
from app.services.sea.sea_scales import douglas_height_m
from app.services.vessels import noon_evidence
from app.services.vessels.noon_evidence import Evidence
from app.services.weather.past_weather import sample_past

#: Largest number of hours of telemetry in a calibration, the latest: more than two years.
MOST_HOURS: Final = 20_000
#: Hourly means: errors of dense records are correlated, and weather changes little in an hour.
_HOURS: Final = text(
    "SELECT 1 + date_part('epoch', date_trunc('hour', timestamp, 'UTC')) / 3600,"
    " avg(speed_kn), atan2d(avg(sind(heading_deg)), avg(cosd(heading_deg))), avg(draft_m),"
    " avg(trim_aft_m - trim_fore_m), avg(wind_speed_ms),"
    " atan2d(avg(sind(wind_from_deg)), avg(cosd(wind_from_deg))), avg(sea_state),"
    " avg(fuel_consumption_t_day) / 24, avg(me_power_kw),"
    " avg(latitude), atan2d(avg(sind(longitude)), avg(cosd(longitude)))"
    " FROM telemetry WHERE vessel_id = :vessel_id GROUP BY 1 ORDER BY 1 DESC LIMIT :most"
)


def has_any(session: Session, vessel: Vessel) -> bool:
    """Return whether a vessel has any report for a calibration."""
    return any(
        session.scalar(select(exists().where(table.vessel_id == vessel.id)))
        for table in (TelemetryRecord, NoonReport)
    )


def gather(session: Session, vessel: Vessel) -> Evidence:
    """Gather all reports of a vessel for a calibration, in order of time."""
    telemetry = _gather_telemetry(session, vessel)
    noon = noon_evidence.exclude_overlaps(
        noon_evidence.gather(session, vessel), telemetry.reports.times_h
    )
    columns = zip(*(part.reports for part in (telemetry, noon)), strict=True)
    both = Evidence(
        ShipReports(*map(np.concatenate, columns)),
        np.concatenate([telemetry.origins, noon.origins]),
    )
    return both.take(np.argsort(both.reports.times_h, kind="stable"))


def _gather_telemetry(session: Session, vessel: Vessel) -> Evidence:
    rows = session.execute(_HOURS, {"vessel_id": vessel.id, "most": MOST_HOURS}).all()
    table = np.array([tuple(row) for row in reversed(rows)], dtype=np.float64).reshape(-1, 12).T
    times_h, speed, heading, draft, trim, wind, wind_from, sea, fuel, power, lat, lng = table
    lacks = ~(np.isfinite(wind) & np.isfinite(wind_from) & np.isfinite(sea))
    height = douglas_height_m(sea)
    period = usual_peak_period_s(height)
    wave_from = wind_from.copy()
    is_forecast = np.zeros(times_h.size, dtype=np.bool_)
    if lacks.any():
        here = sample_past(session, lat[lacks], lng[lacks], times_h[lacks] - 0.5)
        if here is not None:
            waved, blown = lacks & ~np.isfinite(sea), lacks & ~np.isfinite(wind + wind_from)
            _fill(height, here.wave_height_m, lacks, waved)
            _fill(period, here.wave_period_s, lacks, waved)
            _fill(wave_from, here.wave_from_deg, lacks, waved | blown)
            _fill(wind, here.wind_speed_ms, lacks, blown)
            _fill(wind_from, here.wind_from_deg, lacks, blown)
            is_forecast[lacks] = np.minimum(here.wave_weight, here.wind_weight) > 0.5
    reports = ShipReports(
        times_h=times_h,
        hours=np.ones(times_h.size),
        speed_kn=speed,
        course_deg=heading % 360.0,
        draft_m=draft,
        trim_m=np.nan_to_num(trim),
        wave_height_m=height,
        wave_period_s=period,
        wave_from_deg=wave_from % 360.0,
        wind_speed_ms=wind,
        wind_from_deg=wind_from % 360.0,
        fuel_t_per_h=fuel,
        power_kw=power,
        noise=np.full(times_h.size, np.nan),
        is_noon=np.zeros(times_h.size, dtype=np.bool_),
    )
    return Evidence(reports, noon_evidence.find_origins(is_forecast, ~lacks))


def _fill(values: Floats, sampled: Floats, lacks: np.ndarray, wanted: np.ndarray) -> None:
    """Fill the wanted values from samples, which exist for the records that lack weather."""
    values[wanted] = sampled[wanted[lacks]]
