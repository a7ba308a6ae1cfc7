"""Store re-planning checks of voyages under way, and advice."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, protect

revision = "0037"
down_revision = "0032"
branch_labels = None
depends_on = None

WATCHED = (
    ("watched_at", sa.DateTime(timezone=True)),
    ("watch_due_at", sa.DateTime(timezone=True)),
    ("watched_weather", sa.String()),
    ("outlook", sa.JSON(none_as_null=True)),
)
THRESHOLDS = (("advice_fuel_pct", "1.5"), ("advice_fuel_t", "2.0"), ("advice_eta_h", "3.0"))


def upgrade() -> None:
    for name, kind in WATCHED:
        op.add_column("voyage_execution", sa.Column(name, kind, nullable=True))
    op.create_index(
        "ix_voyage_execution_watch_due",
        "voyage_execution",
        ["watch_due_at"],
        postgresql_where=sa.text("state = 'UNDER_WAY' AND watch_due_at IS NOT NULL"),
    )
    grant("gate", "SELECT (watch_due_at)", "voyage_execution")
    for name, usual in THRESHOLDS:
        column = sa.Column(name, sa.Float(), server_default=sa.text(usual), nullable=False)
        op.add_column("organization", column)
        op.create_check_constraint(op.f(f"ck_organization_{name}"), "organization", f"{name} >= 0")
    columns = ", ".join(name for name, _ in THRESHOLDS)
    grant("web", f"UPDATE ({columns})", "organization")
    op.create_table(
        "voyage_advice",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("charting_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("weather", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("act_by", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_by", sa.String(), nullable=True),
        sa.Column("answer_reason", sa.String(), nullable=True),
        sa.Column("accepted_revision", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_voyage_advice")),
        sa.ForeignKeyConstraint(
            ["organization_id", "charting_id"],
            ["charting.organization_id", "charting.id"],
            name=op.f("fk_voyage_advice_organization_id_charting_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_voyage_advice_organization_id"),
        ),
        sa.CheckConstraint(
            "state IN ('OPEN', 'ACCEPTED', 'DECLINED', 'EXPIRED', 'SUPERSEDED')",
            name=op.f("ck_voyage_advice_state"),
        ),
    )
    op.create_index(
        "ix_voyage_advice_charting_id", "voyage_advice", ["organization_id", "charting_id"]
    )
    protect("voyage_advice")
    for role in ("web", "worker"):
        grant(role, "SELECT, INSERT, UPDATE, DELETE", "voyage_advice")
    grant("eraser", "SELECT, UPDATE, DELETE", "voyage_advice")


def downgrade() -> None:
    op.drop_table("voyage_advice")
    for name, _ in THRESHOLDS:
        op.drop_column("organization", name)
    op.drop_index("ix_voyage_execution_watch_due", "voyage_execution")
    for name, _ in WATCHED:
        op.drop_column("voyage_execution", name)
