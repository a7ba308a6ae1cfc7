"""Create tables of webhook endpoints and deliveries, and let old events be pruned."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import grant, open_gate, protect

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

WEB_RIGHTS = {
    "webhook_endpoint": "SELECT, INSERT, UPDATE, DELETE",
    "webhook_delivery": "SELECT, INSERT, UPDATE (status, finished_at)",
}
WORKER_RIGHTS = {
    "webhook_endpoint": "SELECT, UPDATE (is_active, gone_at, failing_since, rests_until)",
    "webhook_delivery": "SELECT, INSERT, UPDATE",
}
GATE_RIGHTS = (
    "SELECT (id, organization_id, endpoint_id, subject_id, sequence, status, next_attempt_at,"
    " leased_until)"
)


def upgrade() -> None:
    op.create_unique_constraint("uq_event_organization_id_id", "event", ["organization_id", "id"])
    op.create_index("ix_event_created_at", "event", ["created_at"])
    create_endpoints()
    create_deliveries()
    for table in ("webhook_endpoint", "webhook_delivery"):
        protect(table)
        grant("web", WEB_RIGHTS[table], table)
        grant("worker", WORKER_RIGHTS[table], table)
    open_gate("webhook_delivery", GATE_RIGHTS)
    grant("gate", "DELETE", "event")


def downgrade() -> None:
    op.execute("REVOKE DELETE ON event FROM chartroom_gate")
    op.drop_table("webhook_delivery")
    op.drop_table("webhook_endpoint")
    op.drop_index("ix_event_created_at", "event")
    op.drop_constraint("uq_event_organization_id_id", "event")


def instant(name: str, *, nullable: bool = True, now: bool = False) -> sa.Column[object]:
    default = sa.text("now()") if now else None
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, server_default=default)


def create_endpoints() -> None:
    op.create_table(
        "webhook_endpoint",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("event_kinds", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
        instant("previous_secret_until"),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        instant("gone_at"),
        instant("failing_since"),
        instant("rests_until"),
        instant("created_at", nullable=False, now=True),
        sa.Column("created_by", sa.String(), nullable=False),
        instant("updated_at", nullable=False, now=True),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_webhook_endpoint_organization_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_endpoint")),
        sa.UniqueConstraint("organization_id", "id", name="uq_webhook_endpoint_organization_id_id"),
    )


def create_deliveries() -> None:
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("endpoint_id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.JSON(), nullable=False),
        instant("next_attempt_at", nullable=False),
        instant("leased_until"),
        instant("created_at", nullable=False, now=True),
        instant("finished_at"),
        sa.CheckConstraint(
            "status IN ('PENDING', 'DELIVERED', 'FAILED')", name=op.f("ck_webhook_delivery_status")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_webhook_delivery_organization_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "endpoint_id"],
            ["webhook_endpoint.organization_id", "webhook_endpoint.id"],
            name=op.f("fk_webhook_delivery_organization_id_endpoint_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "event_id"],
            ["event.organization_id", "event.id"],
            name=op.f("fk_webhook_delivery_organization_id_event_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("event_id", "endpoint_id", name="uq_webhook_delivery_event_id"),
    )
    op.create_index("ix_webhook_delivery_endpoint_id", "webhook_delivery", ["endpoint_id", "id"])
    op.create_index(
        "ix_webhook_delivery_pending",
        "webhook_delivery",
        ["endpoint_id", "subject_id", "sequence"],
        postgresql_where=sa.text("status = 'PENDING'"),
    )
