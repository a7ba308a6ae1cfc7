"""Remove the optimality gap from stored plans: it was always null."""

from alembic import op

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
    # the rows of all organizations: the owner is held to one organization's otherwise
    op.execute("ALTER TABLE charting_revision NO FORCE ROW LEVEL SECURITY")
    for column in ("summary", "plan"):
        op.execute(LEAVE_OUT.format(column=column))
    op.execute("ALTER TABLE charting_revision FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    """Nothing: what reads a summary takes a missing gap for null."""
