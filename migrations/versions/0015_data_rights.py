"""Add erasure on request, and retention periods of organizations."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, make_own_role, open_gate, protect

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TENANT_TABLES = (
    "app_user",
    "api_key",
    "vessel",
    "charting",
    "charting_revision",
    "point_review",
    "area",
    "telemetry",
    "telemetry_day",
    "event",
    "webhook_endpoint",
    "webhook_delivery",
    "audit_entry",
    "idempotency_record",
    "organization",
    "erasure",
)
KEPT_DAYS = ("keep_charting_days", "keep_telemetry_days", "keep_audit_days")


def upgrade() -> None:
    make_own_role("eraser")
    op.create_table(
        "erasure",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind IN ('organization', 'vessel', 'charting', 'user')", name=op.f("ck_erasure_kind")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_erasure_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasure")),
    )
    op.create_index(
        "uq_erasure_subject_id",
        "erasure",
        ["organization_id", "subject_id"],
        unique=True,
        postgresql_where=sa.text("done_at IS NULL"),
    )
    protect("erasure")
    grant("web", "SELECT, INSERT, DELETE", "erasure")
    open_gate("erasure", "SELECT (id, organization_id, due_at, done_at)")
    add_settings()
    for table in TENANT_TABLES:
        grant("eraser", "SELECT, UPDATE, DELETE", table)


def add_settings() -> None:
    for name in KEPT_DAYS:
        op.add_column("organization", sa.Column(name, sa.Integer(), nullable=True))
        op.create_check_constraint(op.f(f"ck_organization_{name}"), "organization", f"{name} > 0")
    op.add_column(
        "organization",
        sa.Column("erase_after_days", sa.Integer(), server_default=sa.text("30"), nullable=False),
    )
    op.create_check_constraint(
        op.f("ck_organization_erase_after_days"), "organization", "erase_after_days > 0"
    )
    columns = ", ".join((*KEPT_DAYS, "erase_after_days"))
    grant("web", f"UPDATE ({columns})", "organization")
    grant("gate", f"SELECT ({', '.join(KEPT_DAYS)})", "organization")


def downgrade() -> None:
    op.drop_column("organization", "erase_after_days")
    for name in KEPT_DAYS:
        op.drop_column("organization", name)
    op.drop_table("erasure")
    for table in TENANT_TABLES[:-1]:
        op.execute(f"REVOKE ALL ON {table} FROM chartroom_eraser")
