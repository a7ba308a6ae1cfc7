"""Add imports of noon report files, which workers run."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate, protect, replace_in_retirement

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

TABLE = "noon_import"
SEEN = "organization_id, id, run_status, created_at, heartbeat_at"
POSITIONS = "DELETE FROM ais_position p WHERE p.timestamp < old;"
IMPORTS = "DELETE FROM noon_import i WHERE i.created_at < old;"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("asked", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("run_status", sa.String(), nullable=False),
        sa.Column("progress", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("stage", sa.String(), nullable=True),
        sa.Column("attempt", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("failure", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f(f"fk_{TABLE}_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f(f"fk_{TABLE}_organization_id")
        ),
        sa.CheckConstraint(
            "run_status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')",
            name=op.f(f"ck_{TABLE}_run_status"),
        ),
    )
    op.create_index(
        f"uq_{TABLE}_active",
        TABLE,
        ["vessel_id"],
        unique=True,
        postgresql_where=sa.text("run_status IN ('QUEUED', 'RUNNING')"),
    )
    protect(TABLE)
    grant("web", "SELECT, INSERT, UPDATE", TABLE)
    grant("worker", "SELECT, UPDATE", TABLE)
    grant("eraser", "SELECT, UPDATE, DELETE", TABLE)
    open_gate(TABLE, f"SELECT ({SEEN})")
    grant("worker", "INSERT", "noon_report")
    grant("worker", "INSERT", "audit_entry")
    replace_in_retirement(POSITIONS, f"{POSITIONS} {IMPORTS}")


def downgrade() -> None:
    replace_in_retirement(f"{POSITIONS} {IMPORTS}", POSITIONS)
    op.execute("REVOKE INSERT ON noon_report, audit_entry FROM chartroom_worker")
    op.drop_table(TABLE)
