"""Let workers give a charting the vessel and ports of the revision that is shown."""

from alembic import op

from migrations.tenancy import grant

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

_RIGHT = "UPDATE (vessel_id, port_from_name, port_to_name)"


def upgrade() -> None:
    grant("worker", _RIGHT, "charting")


def downgrade() -> None:
    op.execute(f"REVOKE {_RIGHT} ON charting FROM chartroom_worker")
