"""Store sums of telemetry by day, and index planned voyages by departure."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

#: Times are stored as text with an offset: what they mean depends on no setting, which
#: PostgreSQL cannot know of a cast of text.
INSTANT_OF = """
CREATE FUNCTION instant_of(written text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT written::timestamptz'
"""


def upgrade() -> None:
    op.add_column(
        "telemetry_day",
        sa.Column("changes", sa.BigInteger(), server_default=sa.text("1"), nullable=False),
    )
    op.add_column(
        "telemetry_day",
        sa.Column("is_summed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("telemetry_day", sa.Column("sums", sa.LargeBinary()))
    op.add_column("telemetry_day", sa.Column("curve", sa.LargeBinary()))
    op.create_index(
        "ix_telemetry_day_unsummed",
        "telemetry_day",
        ["organization_id", "vessel_id", "day"],
        postgresql_where=sa.text("NOT is_summed"),
    )
    grant("worker", "UPDATE (is_summed, sums, curve)", "telemetry_day")
    open_gate("telemetry_day", "SELECT (organization_id, vessel_id, day, is_summed)")
    op.execute(INSTANT_OF)
    op.create_index(
        "ix_charting_revision_departure",
        "charting_revision",
        ["organization_id", sa.text("instant_of(request ->> 'startDate')")],
        postgresql_where=sa.text("status = 'COMPLETED'"),
    )


def downgrade() -> None:
    op.drop_index("ix_charting_revision_departure", "charting_revision")
    op.execute("DROP FUNCTION instant_of")
    op.execute("DROP POLICY telemetry_day_gate ON telemetry_day")
    op.execute("REVOKE ALL ON telemetry_day FROM chartroom_gate")
    for column in ("curve", "sums", "is_summed", "changes"):
        op.drop_column("telemetry_day", column)
