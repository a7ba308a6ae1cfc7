"""Store vessels' MMSI and AIS positions, with the retention of telemetry."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, protect, replace_in_retirement

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

TABLE = "ais_position"
TELEMETRY = "DELETE FROM telemetry t WHERE t.timestamp < old;"
POSITIONS = "DELETE FROM ais_position p WHERE p.timestamp < old;"


def upgrade() -> None:
    op.add_column("vessel", sa.Column("mmsi", sa.String(), nullable=True))
    op.create_index(
        "uq_vessel_organization_id_mmsi",
        "vessel",
        ["organization_id", "mmsi"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        TABLE,
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("minute", sa.Integer(), nullable=False),
        sa.Column("timestamp", sa.DateTime(timezone=True), nullable=False),
        sa.Column("latitude", sa.Float(), nullable=False),
        sa.Column("longitude", sa.Float(), nullable=False),
        sa.Column("speed_kn", sa.Float(), nullable=False),
        sa.Column("course_deg", sa.Float(), nullable=True),
        sa.Column("heading_deg", sa.Float(), nullable=True),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("vessel_id", "minute", name=op.f(f"pk_{TABLE}")),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f(f"fk_{TABLE}_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f(f"fk_{TABLE}_organization_id")
        ),
    )
    protect(TABLE)
    grant("web", "SELECT, INSERT", TABLE)
    grant("worker", "SELECT", TABLE)
    grant("eraser", "SELECT, UPDATE, DELETE", TABLE)
    replace_in_retirement(TELEMETRY, f"{TELEMETRY} {POSITIONS}")


def downgrade() -> None:
    replace_in_retirement(f"{TELEMETRY} {POSITIONS}", TELEMETRY)
    op.drop_table(TABLE)
    op.drop_index("uq_vessel_organization_id_mmsi", "vessel")
    op.drop_column("vessel", "mmsi")
