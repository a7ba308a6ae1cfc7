"""Store the revision that each voyage departed with, and when a finished one was reopened.

For voyages of before the revision is the newest plan of the whole voyage that was there at the
departure, or otherwise its first plan.
"""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import rows_of_all

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

_FILL = """
UPDATE voyage_execution AS voyage
SET departed_revision = coalesce((
    SELECT coalesce(
        max(plan.revision) FILTER (WHERE plan.finished_at <= voyage.departed_at),
        min(plan.revision)
    )
    FROM charting_revision AS plan
    WHERE plan.charting_id = voyage.charting_id AND plan.revision <= voyage.revision
        AND plan.status = 'COMPLETED' AND (plan.request->>'isAlterFrom')::boolean IS NOT TRUE
), voyage.revision)
WHERE voyage.departed_at IS NOT NULL
"""


def upgrade() -> None:
    op.add_column("voyage_execution", sa.Column("departed_revision", sa.Integer(), nullable=True))
    reopened_at = sa.Column("reopened_at", sa.DateTime(timezone=True), nullable=True)
    op.add_column("voyage_execution", reopened_at)
    with rows_of_all("voyage_execution", "charting_revision"):
        op.execute(_FILL)


def downgrade() -> None:
    op.drop_column("voyage_execution", "reopened_at")
    op.drop_column("voyage_execution", "departed_revision")
