"""Constraints and client data: polygons that restrict routes."""

from datetime import date
from enum import StrEnum
from typing import Any
from uuid import UUID

from geoalchemy2 import Geometry, WKBElement
from sqlalchemy import CheckConstraint, Index, SmallInteger, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Id, OrganizationId, one_of


class AreaCollection(StrEnum):
    """Collection that an area belongs to."""

    CONSTRAINT = "CONSTRAINT"
    CLIENT_DATA = "CLIENT_DATA"


class AreaType(StrEnum):
    """Type of an area, chosen by its author."""

    USER_DEFINED = "USER_DEFINED"
    PREDEFINED = "PREDEFINED"
    MILITARY = "MILITARY"
    HIGH_RISK = "HIGH_RISK"


class AreaLevel(StrEnum):
    """Level of an area: the vessels to which it applies."""

    GLOBAL = "GLOBAL"
    ORGANIZATION = "ORGANIZATION"
    VESSEL_TYPE = "VESSEL_TYPE"


class AreaRecord(Base):
    """A polygon that routes avoid.

    ``geometry`` is split at the antimeridian; ``drawn`` is the author's GeoJSON
    geometry, which is served unchanged. An area with ``made_by_operator`` also
    applies to other organizations, which can only read it.
    """

    __tablename__ = "area"
    __table_args__ = (
        one_of("collection", AreaCollection),
        one_of("level", AreaLevel),
        CheckConstraint("start_date IS NULL OR end_date >= start_date", name="window"),
        Index("ix_area_organization_id_collection", "organization_id", "collection"),
        Index("ix_area_geometry", "geometry", postgresql_using="gist"),
        Index(
            "ix_area_made_by_operator",
            "made_by_operator",
            postgresql_where=text("made_by_operator"),
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    collection: Mapped[str]
    name: Mapped[str]
    geometry: Mapped[WKBElement] = mapped_column(
        Geometry("MULTIPOLYGON", srid=4326, spatial_index=False)
    )
    drawn: Mapped[dict[str, Any]]
    type: Mapped[str]
    level: Mapped[str]
    organization_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    vessel_type_codes: Mapped[list[int] | None] = mapped_column(ARRAY(SmallInteger))
    start_date: Mapped[date | None]
    end_date: Mapped[date | None]
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    description: Mapped[str | None]
    made_by_operator: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    created_at: Mapped[CreatedAt]
    created_by: Mapped[str]
    updated_at: Mapped[CreatedAt]
    updated_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1, server_default=text("1"))

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy's own idiom
