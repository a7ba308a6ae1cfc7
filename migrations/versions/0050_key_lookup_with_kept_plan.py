"""Find keys by a function whose plan each connection keeps.

PostgreSQL plans the body of a function in SQL again in each statement, which takes longer than
the look-up itself. It plans one in PL/pgSQL once per connection. Every request calls it.
"""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

_REPLACE = """
CREATE OR REPLACE FUNCTION find_key(wanted_prefix text, wanted_sha256 bytea)
RETURNS TABLE (
    id uuid, organization_id uuid, prefix text, role text, is_operator boolean, name text,
    expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz,
    scopes text[], networks text[]
)
LANGUAGE {language} STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ {body} $$
"""
_SELECT = """
    SELECT k.id, k.organization_id, k.prefix::text, k.role::text, k.is_operator, k.name::text,
        k.expires_at, k.revoked_at, k.last_used_at, k.scopes, k.networks
    FROM api_key k WHERE k.prefix = wanted_prefix AND k.secret_sha256 = wanted_sha256
"""


def upgrade() -> None:
    _replace("plpgsql", f"BEGIN RETURN QUERY {_SELECT}; END")


def downgrade() -> None:
    _replace("sql", _SELECT)


def _replace(language: str, body: str) -> None:
    """Replace the function; its owner, who decides what it sees, and its rights remain."""
    op.execute("GRANT CREATE ON SCHEMA public TO chartroom_gate")
    op.execute(_REPLACE.format(language=language, body=body))
    op.execute("REVOKE CREATE ON SCHEMA public FROM chartroom_gate")
