"""Add a vessel's ice class."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vessel", sa.Column("ice_class", sa.String()))


def downgrade() -> None:
    op.drop_column("vessel", "ice_class")
