"""Store the dense profile of each alternative, for drawing it with the plan's."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("alternative_profiles", postgresql.JSON(none_as_null=True), nullable=True)
    op.add_column("charting_revision", column)


def downgrade() -> None:
    op.drop_column("charting_revision", "alternative_profiles")
