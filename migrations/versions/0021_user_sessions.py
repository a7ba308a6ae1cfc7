"""Store user sessions."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "app_user",
        sa.Column("sessions", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
    )
    grant("gate", "SELECT (sessions), UPDATE (sessions)", "app_user")


def downgrade() -> None:
    op.drop_column("app_user", "sessions")
