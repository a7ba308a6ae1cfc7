"""Add the network address of audit entries."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audit_entry", sa.Column("origin", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("audit_entry", "origin")
