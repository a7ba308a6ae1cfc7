"""Add scopes, allowed networks and a default lifetime of keys."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import grant

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

FIND_KEY = """
CREATE FUNCTION find_key(wanted_prefix text, wanted_sha256 bytea)
RETURNS TABLE (
    id uuid, organization_id uuid, prefix text, role text, is_operator boolean, name text,
    expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz,
    scopes text[], networks text[]
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT k.id, k.organization_id, k.prefix, k.role, k.is_operator, k.name,
        k.expires_at, k.revoked_at, k.last_used_at, k.scopes, k.networks
    FROM api_key k WHERE k.prefix = wanted_prefix AND k.secret_sha256 = wanted_sha256
$$
"""

FIND_KEY_OF_BEFORE = """
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
    for column, default in (("scopes", "'{read,plan,telemetry,admin}'"), ("networks", "'{}'")):
        op.add_column(
            "api_key",
            sa.Column(
                column, postgresql.ARRAY(sa.Text()), server_default=sa.text(default), nullable=False
            ),
        )
    op.add_column(
        "organization",
        sa.Column("key_lifetime_days", sa.Integer(), server_default=sa.text("365"), nullable=True),
    )
    op.create_check_constraint(
        op.f("ck_organization_key_lifetime"), "organization", "key_lifetime_days > 0"
    )
    grant("web", "UPDATE (key_lifetime_days)", "organization")
    grant("gate", "SELECT (scopes, networks)", "api_key")
    replace_find_key(FIND_KEY)


def downgrade() -> None:
    replace_find_key(FIND_KEY_OF_BEFORE)
    op.drop_column("organization", "key_lifetime_days")
    op.drop_column("api_key", "networks")
    op.drop_column("api_key", "scopes")


def replace_find_key(statement: str) -> None:
    """Make the function anew, as the gate's own: its owner decides what it sees."""
    op.execute("DROP FUNCTION find_key")
    op.execute(statement)
    op.execute("REVOKE ALL ON FUNCTION find_key FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION find_key TO chartroom_web, chartroom_worker")
    op.execute("GRANT CREATE ON SCHEMA public TO chartroom_gate")
    op.execute("ALTER FUNCTION find_key OWNER TO chartroom_gate")
    op.execute("REVOKE CREATE ON SCHEMA public FROM chartroom_gate")
