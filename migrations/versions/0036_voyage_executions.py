"""Store executions of voyages."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate, protect

revision = "0036"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "voyage_execution",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("charting_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("departed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_by", sa.String(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_by", sa.String(), nullable=True),
        sa.Column("end_reason", sa.String(), nullable=True),
        sa.Column("progress", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("position_faults", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("is_ambiguous", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("monitored_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("charting_id", name=op.f("pk_voyage_execution")),
        sa.ForeignKeyConstraint(
            ["organization_id", "charting_id"],
            ["charting.organization_id", "charting.id"],
            name=op.f("fk_voyage_execution_organization_id_charting_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f("fk_voyage_execution_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_voyage_execution_organization_id"),
        ),
        sa.CheckConstraint(
            "state IN ('EXPECTED', 'UNDER_WAY', 'FINISHED', 'ABANDONED')",
            name=op.f("ck_voyage_execution_state"),
        ),
    )
    op.create_index(
        "uq_voyage_execution_vessel_under_way",
        "voyage_execution",
        ["organization_id", "vessel_id"],
        unique=True,
        postgresql_where=sa.text("state = 'UNDER_WAY'"),
    )
    op.create_index(
        "ix_voyage_execution_due",
        "voyage_execution",
        ["due_at"],
        postgresql_where=sa.text("state IN ('EXPECTED', 'UNDER_WAY')"),
    )
    protect("voyage_execution")
    for role in ("web", "worker"):
        grant(role, "SELECT, INSERT, UPDATE, DELETE", "voyage_execution")
    grant("eraser", "SELECT, UPDATE, DELETE", "voyage_execution")
    open_gate("voyage_execution", "SELECT (organization_id, charting_id, state, due_at)")


def downgrade() -> None:
    op.drop_table("voyage_execution")
