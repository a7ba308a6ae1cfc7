"""Add the ship type by which a vessel's carbon intensity is rated."""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vessel", sa.Column("cii_type", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("vessel", "cii_type")
