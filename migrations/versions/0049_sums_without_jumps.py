"""Sum all days of telemetry again, without impossible jumps of position."""

from alembic import op

from migrations.tenancy import rows_of_all

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with rows_of_all("telemetry_day"):
        op.execute("UPDATE telemetry_day SET is_summed = false, changes = changes + 1")


def downgrade() -> None:
    pass
