"""Store whether a user or a key ordered each planning.

For plannings of before, a name with an "@" is the address of a user.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import enable_row_security

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
    # the owner sees the rows of all organizations only while it is not held to the policies
    op.execute("ALTER TABLE charting_revision NO FORCE ROW LEVEL SECURITY")
    op.execute(
        "UPDATE charting_revision SET is_queued_by_user = true WHERE strpos(queued_by, '@') > 0"
    )
    enable_row_security("charting_revision")


def downgrade() -> None:
    op.drop_column("charting_revision", "is_queued_by_user")
