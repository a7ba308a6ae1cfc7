"""Let the gate read the revision of the tables, which the check of readiness compares."""

from alembic import op

from migrations.tenancy import grant

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    grant("gate", "SELECT", "alembic_version")


def downgrade() -> None:
    op.execute("REVOKE SELECT ON alembic_version FROM chartroom_gate")
