"""Create the audit record, and let chartings be archived."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import grant, protect

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("before", postgresql.JSON(none_as_null=True), nullable=True),
        sa.Column("after", postgresql.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_audit_entry_organization_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entry"),
    )
    op.create_index("ix_audit_entry_organization_id_id", "audit_entry", ["organization_id", "id"])
    protect("audit_entry")
    # rows are added and stay: no right to update or delete them
    grant("web", "SELECT, INSERT", "audit_entry")
    grant("web", "UPDATE, DELETE", "telemetry")
    grant("web", "DELETE", "charting")
    op.add_column("charting", sa.Column("archived_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("charting", "archived_at")
    for rights, table in (("UPDATE, DELETE", "telemetry"), ("DELETE", "charting")):
        op.execute(f"REVOKE {rights} ON {table} FROM chartroom_web")
    op.drop_table("audit_entry")
