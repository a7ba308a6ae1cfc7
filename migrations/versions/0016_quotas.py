"""Add quotas of organizations: active chartings, areas, telemetry."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

LIMITS = ("most_active_orders", "most_areas", "most_telemetry_records")


def upgrade() -> None:
    for name in LIMITS:
        op.add_column("organization", sa.Column(name, sa.BigInteger(), nullable=True))
        op.create_check_constraint(op.f(f"ck_organization_{name}"), "organization", f"{name} >= 0")


def downgrade() -> None:
    for name in LIMITS:
        op.drop_column("organization", name)
