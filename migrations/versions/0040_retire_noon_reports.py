"""Apply the retention of telemetry to noon reports."""

from migrations.tenancy import replace_in_retirement

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

TELEMETRY = "DELETE FROM telemetry t WHERE t.timestamp < old;"
REPORTS = "DELETE FROM noon_report n WHERE n.timestamp < old;"


def upgrade() -> None:
    replace_in_retirement(TELEMETRY, f"{TELEMETRY} {REPORTS}")


def downgrade() -> None:
    replace_in_retirement(f"{TELEMETRY} {REPORTS}", TELEMETRY)
