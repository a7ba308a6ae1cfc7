"""Add the OpenID subject of users."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("app_user", sa.Column("oidc_subject", sa.String(), nullable=True))
    op.create_unique_constraint(op.f("uq_app_user_oidc_subject"), "app_user", ["oidc_subject"])
    grant("gate", "SELECT (oidc_subject)", "app_user")


def downgrade() -> None:
    op.drop_column("app_user", "oidc_subject")
