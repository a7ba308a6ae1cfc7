"""Give vessels the height of their highest point above the keel, for the bridges on a route."""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vessel", sa.Column("keel_to_mast_m", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("vessel", "keel_to_mast_m")
