"""Let a one-time link confirm a user's new address."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("one_time_link", sa.Column("new_email", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("one_time_link", "new_email")
