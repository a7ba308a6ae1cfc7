"""Add the state of silent webhook receivers, and let planners manage webhooks."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("webhook_endpoint", sa.Column("silent_since", sa.DateTime(timezone=True)))
    grant("worker", "UPDATE (silent_since)", "webhook_endpoint")
    grant("gate", "SELECT (attempt)", "webhook_delivery")
    op.add_column(
        "organization",
        sa.Column(
            "planners_manage_webhooks",
            sa.Boolean(),
            server_default=sa.text("false"),
            nullable=False,
        ),
    )
    grant("web", "UPDATE (planners_manage_webhooks)", "organization")


def downgrade() -> None:
    op.drop_column("organization", "planners_manage_webhooks")
    op.execute("REVOKE SELECT (attempt) ON webhook_delivery FROM chartroom_gate")
    op.drop_column("webhook_endpoint", "silent_since")
