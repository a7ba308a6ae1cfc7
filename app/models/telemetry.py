"""Telemetry, partitioned by month, its sums per day, and AIS positions of vessels."""

from datetime import date
from uuid import UUID

from sqlalchemy import BigInteger, Index, PrimaryKeyConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import DERIVED, Base, CreatedAt, Instant, OrganizationId, refer_to


class TelemetryRecord(Base):
    """A telemetry record of a ship at one instant.

    Speed over ground [kn], heading [deg], fuel consumption of the main engine
    [t/day], draughts, depth and trims [m], engine load [% of MCR], true wind
    [m/s] by the direction it comes from [deg], power [kW], sea state [Douglas].
    """

    __tablename__ = "telemetry"
    __table_args__ = (
        PrimaryKeyConstraint("vessel_id", "timestamp"),
        refer_to("vessel"),
        {"postgresql_partition_by": "RANGE (timestamp)"},
    )

    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    timestamp: Mapped[Instant]
    latitude: Mapped[float]
    longitude: Mapped[float]
    speed_kn: Mapped[float]
    heading_deg: Mapped[float]
    rpm: Mapped[float]
    fuel_consumption_t_day: Mapped[float]
    draft_m: Mapped[float]
    engine_load_pct: Mapped[float]
    wind_speed_ms: Mapped[float | None]
    wind_from_deg: Mapped[float | None]
    sea_state: Mapped[float | None]
    water_depth_m: Mapped[float | None]
    trim_fore_m: Mapped[float | None]
    trim_aft_m: Mapped[float | None]
    me_power_kw: Mapped[float | None]
    received_at: Mapped[CreatedAt]


class TelemetryDay(Base):
    """Number and sums of a vessel's records of one UTC day.

    ``changes`` counts the transactions that changed the records. ``sums`` and ``curve``, packed
    by :mod:`app.engine.telemetry.sums`, are valid while ``is_summed``.
    """

    __tablename__ = "telemetry_day"
    __table_args__ = (
        PrimaryKeyConstraint("vessel_id", "day"),
        refer_to("vessel"),
        Index(
            "ix_telemetry_day_unsummed",
            "organization_id",
            "vessel_id",
            "day",
            postgresql_where=text("NOT is_summed"),
        ),
        Index(
            "ix_telemetry_day_organization_id",
            "organization_id",
            postgresql_include=["records"],
        ),
    )

    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    day: Mapped[date]
    records: Mapped[int] = mapped_column(default=0)
    changes: Mapped[int] = mapped_column(BigInteger, server_default=text("1"))
    is_summed: Mapped[bool] = mapped_column(server_default=text("false"))
    sums: Mapped[bytes | None] = mapped_column(deferred=True, info=DERIVED)
    curve: Mapped[bytes | None] = mapped_column(deferred=True, info=DERIVED)


class AisPosition(Base):
    """A vessel's position [deg], speed over ground [kn], course and heading [deg true].

    One is stored per ``minute``, counted from 1970; ships under way send one in 2 to 10 seconds.
    """

    __tablename__ = "ais_position"
    __table_args__ = (
        PrimaryKeyConstraint("vessel_id", "minute"),
        refer_to("vessel"),
    )

    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    minute: Mapped[int] = mapped_column(autoincrement=False)
    timestamp: Mapped[Instant]
    latitude: Mapped[float]
    longitude: Mapped[float]
    speed_kn: Mapped[float]
    course_deg: Mapped[float | None]
    heading_deg: Mapped[float | None]
    received_at: Mapped[CreatedAt]
