"""Apply the retention of telemetry to noon reports."""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

TELEMETRY = "DELETE FROM telemetry t WHERE t.timestamp < old;"
REPORTS = "DELETE FROM noon_report n WHERE n.timestamp < old;"


def upgrade() -> None:
    _replace(TELEMETRY, f"{TELEMETRY} {REPORTS}")


def downgrade() -> None:
    _replace(f"{TELEMETRY} {REPORTS}", TELEMETRY)


def _replace(old: str, new: str) -> None:
    """Replace words of the function that retires what is kept no longer."""
    op.execute(
        "DO $do$ BEGIN EXECUTE replace("
        "pg_get_functiondef('retire_expired(int, text[])'::regprocedure),"
        f" '{old}', '{new}'); END $do$"
    )
