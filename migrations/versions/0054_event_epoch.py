"""Order events after those of another database cluster, whose transactions were counted apart."""

from alembic import op

from migrations.tenancy import grant, rows_of_all

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

TRANSACTION = "(pg_current_xact_id()::text)::bigint"


def upgrade() -> None:
    op.execute("CREATE SEQUENCE event_epoch")
    # all events of before, of this cluster or of another, belong to epoch 0
    op.execute("SELECT setval('event_epoch', 1)")
    op.execute(
        "CREATE FUNCTION event_transaction(xid8) RETURNS bigint STABLE LANGUAGE sql"
        " AS 'SELECT (last_value << 40) + $1::text::bigint FROM event_epoch'"
    )
    for role in ("web", "worker"):
        grant(role, "SELECT", "event_epoch")
    default = "event_transaction(pg_current_xact_id())"
    op.execute(f"ALTER TABLE event ALTER COLUMN transaction SET DEFAULT {default}")


def downgrade() -> None:
    op.execute(f"ALTER TABLE event ALTER COLUMN transaction SET DEFAULT {TRANSACTION}")
    with rows_of_all("event"):
        op.execute("UPDATE event SET transaction = transaction & ((1::bigint << 40) - 1)")
    op.execute("DROP FUNCTION event_transaction(xid8)")
    op.execute("DROP SEQUENCE event_epoch")
