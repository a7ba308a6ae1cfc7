"""Remove the optimality gap from stored plans: it was always null."""

from alembic import op

from migrations.tenancy import rows_of_all

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

#: Never the last field of a summary, so a comma always follows.
LEAVE_OUT = """
UPDATE charting_revision
SET {column} = regexp_replace(
    {column}::text, '"optimalityGapPct"\\s*:\\s*null\\s*,\\s*', '', 'g'
)::json
WHERE {column}::text LIKE '%optimalityGapPct%'
"""


def upgrade() -> None:
    with rows_of_all("charting_revision"):
        for column in ("summary", "plan"):
            op.execute(LEAVE_OUT.format(column=column))


def downgrade() -> None:
    """Nothing: what reads a summary takes a missing gap for null."""
