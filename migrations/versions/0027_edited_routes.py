"""Store editor, reason and findings of manually edited routes."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("charting_revision", sa.Column("edit", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("charting_revision", "edit")
