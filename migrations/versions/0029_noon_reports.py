"""Store vessels' noon reports."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, protect

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

NUMBERS = (
    *("utc_offset_h", "latitude", "longitude", "steaming_hours", "distance_nm"),
    *("speed_through_water_kn", "speed_over_ground_kn", "heading_deg"),
    *("draft_fore_m", "draft_aft_m", "draft_mean_m", "trim_m", "rpm", "power_kw"),
    *("fuel_hfo_t", "fuel_lsfo_t", "fuel_distillate_t", "fuel_lng_t"),
    *("auxiliary_fuel_t", "boiler_fuel_t", "fuel_t"),
    *("wind_from_relative_deg", "wind_from_deg", "wind_beaufort", "wind_speed_ms"),
    *("sea_state", "swell_from_deg", "swell_height_m", "wave_from_deg", "wave_height_m"),
)


def upgrade() -> None:
    op.create_table(
        "noon_report",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("timestamp", sa.DateTime(timezone=True), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=True) for name in NUMBERS),
        sa.Column("report_type", sa.String(), nullable=False),
        sa.Column("remarks", sa.String(), nullable=True),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("vessel_id", "timestamp", name=op.f("pk_noon_report")),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f("fk_noon_report_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_noon_report_organization_id"),
        ),
    )
    protect("noon_report")
    grant("web", "SELECT, INSERT, DELETE", "noon_report")
    grant("worker", "SELECT", "noon_report")
    grant("eraser", "SELECT, UPDATE, DELETE", "noon_report")


def downgrade() -> None:
    op.drop_table("noon_report")
