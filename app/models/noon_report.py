"""Noon reports of vessels."""

from uuid import UUID

from sqlalchemy import PrimaryKeyConstraint
from sqlalchemy.orm import Mapped

from app.models.base import Base, CreatedAt, Instant, OrganizationId, refer_to


class NoonReport(Base):
    """A ship's report on the hours up to ``timestamp``; NULL is not reported.

    Columns are described in :mod:`app.records.noon_report`.
    """

    __tablename__ = "noon_report"
    __table_args__ = (
        PrimaryKeyConstraint("vessel_id", "timestamp"),
        refer_to("vessel"),
    )

    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    timestamp: Mapped[Instant]
    utc_offset_h: Mapped[float | None]
    latitude: Mapped[float | None]
    longitude: Mapped[float | None]
    steaming_hours: Mapped[float | None]
    distance_nm: Mapped[float | None]
    speed_through_water_kn: Mapped[float | None]
    speed_over_ground_kn: Mapped[float | None]
    heading_deg: Mapped[float | None]
    draft_fore_m: Mapped[float | None]
    draft_aft_m: Mapped[float | None]
    draft_mean_m: Mapped[float | None]
    trim_m: Mapped[float | None]
    rpm: Mapped[float | None]
    power_kw: Mapped[float | None]
    fuel_hfo_t: Mapped[float | None]
    fuel_lsfo_t: Mapped[float | None]
    fuel_distillate_t: Mapped[float | None]
    fuel_lng_t: Mapped[float | None]
    boiler_fuel_t: Mapped[float | None]
    auxiliary_fuel_t: Mapped[float | None]
    fuel_t: Mapped[float | None]
    wind_from_relative_deg: Mapped[float | None]
    wind_from_deg: Mapped[float | None]
    wind_beaufort: Mapped[float | None]
    wind_speed_ms: Mapped[float | None]
    sea_state: Mapped[float | None]
    swell_from_deg: Mapped[float | None]
    swell_height_m: Mapped[float | None]
    wave_from_deg: Mapped[float | None]
    wave_height_m: Mapped[float | None]
    report_type: Mapped[str]
    remarks: Mapped[str | None]
    received_at: Mapped[CreatedAt]
