"""Add the run status of calibrations, which workers fit."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate, rows_of_all

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

TABLE = "vessel_calibration"
SEEN = "organization_id, id, run_status, created_at, heartbeat_at"


def upgrade() -> None:
    for column in _columns():
        op.add_column(TABLE, column)
    op.alter_column(TABLE, "run_status", server_default=None)
    op.alter_column(TABLE, "progress", server_default=sa.text("0"))
    for name in ("response", "evidence"):
        op.alter_column(TABLE, name, nullable=True)
    op.create_check_constraint(
        op.f(f"ck_{TABLE}_run_status"),
        TABLE,
        "run_status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')",
    )
    op.create_index(
        f"uq_{TABLE}_active",
        TABLE,
        ["vessel_id"],
        unique=True,
        postgresql_where=sa.text("run_status IN ('QUEUED', 'RUNNING')"),
    )
    grant("worker", "SELECT, UPDATE", TABLE)
    open_gate(TABLE, f"SELECT ({SEEN})")


def downgrade() -> None:
    op.execute(f"DROP POLICY {TABLE}_gate ON {TABLE}")
    op.execute(f"REVOKE SELECT ({SEEN}) ON {TABLE} FROM chartroom_gate")  # noqa: S608
    op.execute(f"REVOKE SELECT, UPDATE ON {TABLE} FROM chartroom_worker")
    op.drop_index(f"uq_{TABLE}_active", TABLE)
    # without a fit there is no version
    with rows_of_all(TABLE):
        op.execute(f"DELETE FROM {TABLE} WHERE evidence IS NULL")  # noqa: S608
    for name in ("response", "evidence"):
        op.alter_column(TABLE, name, nullable=False)
    for column in _columns():
        op.drop_column(TABLE, column.name)


def _columns() -> list[sa.Column[Any]]:
    return [
        # what is there already was fitted at once
        sa.Column("run_status", sa.String(), server_default="COMPLETED", nullable=False),
        sa.Column("progress", sa.Float(), server_default=sa.text("1"), nullable=False),
        sa.Column("stage", sa.String(), nullable=True),
        sa.Column("attempt", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("failure", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
    ]
