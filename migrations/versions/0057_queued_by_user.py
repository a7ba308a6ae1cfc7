"""Store whether a user or a key ordered each planning.

For plannings of before, a name with an "@" is the address of a user.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import rows_of_all

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "charting_revision",
        sa.Column(
            "is_queued_by_user", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
    )
    with rows_of_all("charting_revision"):
        op.execute(
            "UPDATE charting_revision SET is_queued_by_user = true WHERE strpos(queued_by, '@') > 0"
        )


def downgrade() -> None:
    op.drop_column("charting_revision", "is_queued_by_user")
