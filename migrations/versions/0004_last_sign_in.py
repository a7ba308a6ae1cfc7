"""Add the time of a user's last sign-in, which shows idle accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("app_user", sa.Column("last_signed_in_at", sa.DateTime(timezone=True)))
    op.execute("GRANT UPDATE (last_signed_in_at) ON app_user TO chartroom_gate")


def downgrade() -> None:
    op.drop_column("app_user", "last_signed_in_at")
