"""Create the catalogue of weather runs, the only table shared by all organizations."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations.tenancy import enable_row_security, grant

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "weather_run",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("reference_time", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=False),
        sa.Column("groups", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("notes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column(
            "imported_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_weather_run"),
    )
    op.create_index("ix_weather_run_valid_to", "weather_run", ["valid_to"])
    enable_row_security("weather_run")
    # everyone's to read; the working roles have no right to write
    op.execute("CREATE POLICY weather_run_all ON weather_run USING (true) WITH CHECK (true)")
    for role in ("web", "worker"):
        grant(role, "SELECT", "weather_run")


def downgrade() -> None:
    op.drop_table("weather_run")
