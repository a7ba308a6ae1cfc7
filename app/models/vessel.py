"""Vessels and their particulars."""

from datetime import date
from typing import Any

from sqlalchemy import Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Id, Instant, OrganizationId


class Vessel(Base):
    """A ship; lengths and draughts [m], deadweight [t], speed [kn], power [kW].

    ``deleted_at`` marks a deleted vessel, whose past chartings stay readable.
    ``version`` counts the changes, for conditional requests.
    """

    __tablename__ = "vessel"
    __table_args__ = (
        # foreign keys include the organization, so that rows only refer to its own vessels
        UniqueConstraint("organization_id", "id", name="uq_vessel_organization_id_id"),
        Index(
            "uq_vessel_organization_id_imo",
            "organization_id",
            "imo",
            unique=True,
            postgresql_where=text("deleted_at IS NULL"),
        ),
        Index(
            "uq_vessel_organization_id_mmsi",
            "organization_id",
            "mmsi",
            unique=True,
            postgresql_where=text("deleted_at IS NULL"),
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    name: Mapped[str | None]
    image: Mapped[str | None]
    date_constructed: Mapped[date]
    captain: Mapped[str | None]
    dwt_t: Mapped[float]
    loa_m: Mapped[float]
    lbp_m: Mapped[float]
    breadth_m: Mapped[float]
    depth_m: Mapped[float]
    draft_design_m: Mapped[float]
    draft_scantling_m: Mapped[float]
    service_speed_kn: Mapped[float]
    pitch_m: Mapped[float]
    keel_to_mast_m: Mapped[float | None]
    imo: Mapped[str | None]
    mmsi: Mapped[str | None]
    type_code: Mapped[int | None] = mapped_column(SmallInteger)
    cii_type: Mapped[str | None]
    registrar_id: Mapped[str | None]
    owner: Mapped[str | None]
    gross_tonnage: Mapped[float | None]
    fuel_type: Mapped[str | None]
    installed_power_kw: Mapped[float | None]
    propeller_diameter_m: Mapped[float | None]
    ice_class: Mapped[str | None]
    auxiliary_t_per_day: Mapped[float | None]
    slamming_limit: Mapped[float | None]
    deck_wetness_limit: Mapped[float | None]
    bow_acceleration_limit_g: Mapped[float | None]
    performance: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB(none_as_null=True))
    shop_test: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB(none_as_null=True))
    maintenance: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB(none_as_null=True))
    #: The active version of the vessel's calibration, as stored with plans.
    calibration: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[CreatedAt]
    deleted_at: Mapped[Instant | None]
    version: Mapped[int] = mapped_column(default=1, server_default=text("1"))

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy's own idiom
