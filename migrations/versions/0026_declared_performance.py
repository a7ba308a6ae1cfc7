"""Add a vessel's declared speed and consumption."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vessel", sa.Column("performance", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("vessel", "performance")
