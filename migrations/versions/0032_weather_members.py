"""Add the ensemble members of weather runs."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    members = sa.Column("members", sa.ARRAY(sa.Integer), nullable=False, server_default="{}")
    op.add_column("weather_run", members)


def downgrade() -> None:
    op.drop_column("weather_run", "members")
