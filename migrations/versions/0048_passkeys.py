"""Add passkeys, with which users sign in."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate, protect

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

TABLE = "passkey"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("transports", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkey")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkey_credential_id")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_passkey_organization_id")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["app_user.id"], name=op.f("fk_passkey_user_id"), ondelete="CASCADE"
        ),
    )
    op.create_index("ix_passkey_user_id", TABLE, ["user_id"])
    protect(TABLE)
    grant("web", "SELECT, INSERT, UPDATE (sign_count, last_used_at), DELETE", TABLE)
    grant("eraser", "SELECT, UPDATE, DELETE", TABLE)
    open_gate(TABLE, "SELECT (user_id, credential_id)")


def downgrade() -> None:
    op.drop_table(TABLE)
