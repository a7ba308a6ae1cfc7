"""Sum all days of telemetry again, with distances that fit the speeds reported."""

from alembic import op

from migrations.tenancy import rows_of_all

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with rows_of_all("telemetry_day"):
        op.execute("UPDATE telemetry_day SET is_summed = false, changes = changes + 1")


def downgrade() -> None:
    pass
