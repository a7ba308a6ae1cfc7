"""Add a function that finds a key by its secret, for the statement that sets the organization."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

FIND_KEY = """
CREATE FUNCTION find_key(wanted_prefix text, wanted_sha256 bytea)
RETURNS TABLE (
    id uuid, organization_id uuid, prefix text, role text, is_operator boolean, name text,
    expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT k.id, k.organization_id, k.prefix, k.role, k.is_operator, k.name,
        k.expires_at, k.revoked_at, k.last_used_at
    FROM api_key k WHERE k.prefix = wanted_prefix AND k.secret_sha256 = wanted_sha256
$$
"""


def upgrade() -> None:
    op.execute(FIND_KEY)
    op.execute("REVOKE ALL ON FUNCTION find_key FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION find_key TO chartroom_web, chartroom_worker")
    # as the gate it sees the keys of all; as its owner it would be held to nobody's rows
    op.execute("GRANT CREATE ON SCHEMA public TO chartroom_gate")
    op.execute("ALTER FUNCTION find_key OWNER TO chartroom_gate")
    op.execute("REVOKE CREATE ON SCHEMA public FROM chartroom_gate")


def downgrade() -> None:
    op.execute("DROP FUNCTION find_key")
