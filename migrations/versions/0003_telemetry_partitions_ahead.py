"""Let the sweeper create telemetry partitions before their months begin."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT EXECUTE ON FUNCTION add_telemetry_partition TO chartroom_gate")


def downgrade() -> None:
    op.execute("REVOKE EXECUTE ON FUNCTION add_telemetry_partition FROM chartroom_gate")
