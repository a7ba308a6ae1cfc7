"""Store comparisons of departures."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate, protect

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

COMPARISON, DEPARTURE = "departure_comparison", "compared_departure"


def upgrade() -> None:
    _create_comparisons()
    _create_departures()
    for table in (COMPARISON, DEPARTURE):
        protect(table)
        for role in ("web", "worker"):
            grant(role, "SELECT, INSERT, UPDATE, DELETE", table)
        grant("eraser", "SELECT, UPDATE, DELETE", table)
    seen = "organization_id, charting_id, status, queued_at, heartbeat_at"
    open_gate(COMPARISON, f"SELECT ({seen})")


def downgrade() -> None:
    op.drop_table(DEPARTURE)
    op.drop_table(COMPARISON)


def _create_comparisons() -> None:
    op.create_table(
        COMPARISON,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("charting_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("depart_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("depart_to", sa.DateTime(timezone=True), nullable=False),
        sa.Column("step_h", sa.Float(), nullable=False),
        sa.Column("arrive_by", sa.DateTime(timezone=True), nullable=True),
        sa.Column("within_h", sa.Float(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("progress", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("stage", sa.String(), nullable=True),
        sa.Column("attempt", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("failure", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("weather", sa.String(), nullable=True),
        sa.Column("basis", sa.String(), nullable=True),
        sa.Column("best", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "queued_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("queued_by", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{COMPARISON}")),
        sa.UniqueConstraint("charting_id", name=op.f(f"uq_{COMPARISON}_charting_id")),
        sa.UniqueConstraint("organization_id", "id", name=f"uq_{COMPARISON}_organization_id_id"),
        sa.ForeignKeyConstraint(
            ["organization_id", "charting_id"],
            ["charting.organization_id", "charting.id"],
            name=op.f(f"fk_{COMPARISON}_organization_id_charting_id"),
            ondelete="CASCADE",
        ),
        _belongs_to_organization(COMPARISON),
        sa.CheckConstraint(
            "status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')",
            name=op.f(f"ck_{COMPARISON}_status"),
        ),
    )
    op.create_index(
        f"ix_{COMPARISON}_active",
        COMPARISON,
        ["queued_at"],
        postgresql_where=sa.text("status IN ('QUEUED', 'RUNNING')"),
    )


def _create_departures() -> None:
    op.create_table(
        DEPARTURE,
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("charting_id", sa.Uuid(), nullable=False),
        sa.Column("comparison_id", sa.Uuid(), nullable=False),
        sa.Column("departs_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_refined", sa.Boolean(), nullable=False),
        sa.Column("figures", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("infeasible", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("coarse_cost", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("comparison_id", "departs_at", name=op.f(f"pk_{DEPARTURE}")),
        sa.ForeignKeyConstraint(
            ["organization_id", "comparison_id"],
            [f"{COMPARISON}.organization_id", f"{COMPARISON}.id"],
            name=op.f(f"fk_{DEPARTURE}_organization_id_comparison_id"),
            ondelete="CASCADE",
        ),
        _belongs_to_organization(DEPARTURE),
    )
    op.create_index(f"ix_{DEPARTURE}_charting_id", DEPARTURE, ["organization_id", "charting_id"])


def _belongs_to_organization(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id"], ["organization.id"], name=op.f(f"fk_{table}_organization_id")
    )
