"""Add the global coverage of weather runs, and their checksums in the bucket."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("weather_run", sa.Column("global_groups", sa.ARRAY(sa.Text), nullable=True))
    op.add_column("weather_run", sa.Column("published_sha256", sa.String, nullable=True))


def downgrade() -> None:
    op.drop_column("weather_run", "published_sha256")
    op.drop_column("weather_run", "global_groups")
