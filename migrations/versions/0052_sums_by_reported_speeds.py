"""Sum all days of telemetry again, with distances that fit the speeds reported."""

from alembic import op

from migrations.tenancy import enable_row_security

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # the owner sees the rows of all organizations only while it is not held to the policies
    op.execute("ALTER TABLE telemetry_day NO FORCE ROW LEVEL SECURITY")
    op.execute("UPDATE telemetry_day SET is_summed = false, changes = changes + 1")
    enable_row_security("telemetry_day")


def downgrade() -> None:
    pass
