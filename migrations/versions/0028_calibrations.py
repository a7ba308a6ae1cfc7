"""Store calibrations of vessels, and dates of hull cleaning and docking."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from migrations.tenancy import grant, protect

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "vessel_calibration",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("particulars", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("response", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("evidence", sa.JSON(none_as_null=True), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_by", sa.String(), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vessel_calibration")),
        sa.UniqueConstraint(
            "vessel_id", "number", name=op.f("uq_vessel_calibration_vessel_id_number")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_vessel_calibration_organization_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f("fk_vessel_calibration_organization_id_vessel_id"),
        ),
    )
    protect("vessel_calibration")
    grant("web", "SELECT, INSERT, UPDATE", "vessel_calibration")
    grant("eraser", "SELECT, UPDATE, DELETE", "vessel_calibration")
    for name in ("maintenance", "calibration"):
        op.add_column("vessel", sa.Column(name, JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("vessel", "calibration")
    op.drop_column("vessel", "maintenance")
    op.drop_table("vessel_calibration")
