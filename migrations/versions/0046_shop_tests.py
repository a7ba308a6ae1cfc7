"""Add the shop test of a vessel's engine."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vessel", sa.Column("shop_test", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("vessel", "shop_test")
