"""Add motion limits of vessels."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

COLUMNS = ("slamming_limit", "deck_wetness_limit", "bow_acceleration_limit_g")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("vessel", sa.Column(name, sa.Float()))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("vessel", name)
