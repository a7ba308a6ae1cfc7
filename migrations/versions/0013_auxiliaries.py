"""Add the fuel consumption of a vessel's auxiliaries."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vessel", sa.Column("auxiliary_t_per_day", sa.Float()))


def downgrade() -> None:
    op.drop_column("vessel", "auxiliary_t_per_day")
