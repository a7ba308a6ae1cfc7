"""Order events by transaction, so that event streams miss none."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

#: The transaction's number, which never wraps.
TRANSACTION = "(pg_current_xact_id()::text)::bigint"


def upgrade() -> None:
    column = sa.Column("transaction", sa.BigInteger(), server_default=sa.text("0"), nullable=False)
    op.add_column("event", column)
    op.execute(f"ALTER TABLE event ALTER COLUMN transaction SET DEFAULT {TRANSACTION}")
    op.create_index("ix_event_stream", "event", ["organization_id", "transaction", "sequence"])
    op.execute("GRANT SELECT (transaction) ON event TO chartroom_gate")


def downgrade() -> None:
    op.drop_index("ix_event_stream", "event")
    op.drop_column("event", "transaction")
