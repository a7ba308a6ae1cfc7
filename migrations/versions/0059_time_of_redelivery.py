"""Let web processes set the time of a delivery's next attempt, when it is to be sent at once."""

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None

_RIGHT = "UPDATE (next_attempt_at) ON webhook_delivery"


def upgrade() -> None:
    op.execute(f"GRANT {_RIGHT} TO chartroom_web")


def downgrade() -> None:
    op.execute(f"REVOKE {_RIGHT} FROM chartroom_web")
