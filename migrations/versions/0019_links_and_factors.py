"""Let users choose their passwords by one-time links and sign in with a second factor."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate, protect

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("app_user", "password_hash", nullable=True)
    op.add_column(
        "organization",
        sa.Column(
            "requires_second_factor", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
    )
    grant("web", "UPDATE (requires_second_factor)", "organization")
    grant("gate", "SELECT (requires_second_factor)", "organization")
    create_tables()
    for table in ("one_time_link", "second_factor", "recovery_code"):
        protect(table)
        grant("web", "SELECT, INSERT, UPDATE, DELETE", table)
        grant("eraser", "SELECT, UPDATE, DELETE", table)
    open_gate(
        "one_time_link",
        "SELECT (id, organization_id, user_id, token_sha256, expires_at, used_at)",
    )
    open_gate("second_factor", "SELECT (user_id, confirmed_at)")


def create_tables() -> None:
    op.create_table(
        "one_time_link",
        *of_user(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("token_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        created_at(),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_one_time_link")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_one_time_link_token_sha256")),
        *keys_of("one_time_link"),
    )
    op.create_table(
        "second_factor",
        *of_user(),
        sa.Column("secret_enciphered", sa.LargeBinary(), nullable=False),
        created_at(),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_step", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_second_factor")),
        *keys_of("second_factor"),
    )
    op.create_table(
        "recovery_code",
        *of_user(),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("code_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recovery_code")),
        *keys_of("recovery_code"),
    )
    for table in ("one_time_link", "recovery_code"):
        op.create_index(f"ix_{table}_user_id", table, ["user_id"])


def of_user() -> tuple[sa.Column, ...]:
    return (
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
    )


def created_at() -> sa.Column:
    return sa.Column(
        "created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )


def keys_of(table: str) -> tuple[sa.ForeignKeyConstraint, ...]:
    return (
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f(f"fk_{table}_organization_id")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["app_user.id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    for table in ("recovery_code", "second_factor", "one_time_link"):
        op.drop_table(table)
    op.drop_column("organization", "requires_second_factor")
    op.execute("DELETE FROM app_user WHERE password_hash IS NULL")
    op.alter_column("app_user", "password_hash", nullable=False)
