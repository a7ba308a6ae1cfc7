"""Allow a user with the same e-mail address in each organization.

While an address had one user in the whole installation, an organization could keep another from
inviting a person, and learn whom others have.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_ADDRESS = sa.literal_column("lower(email)")


def upgrade() -> None:
    op.drop_index("uq_app_user_email", "app_user")
    columns = [_ADDRESS, "organization_id"]
    op.create_index("uq_app_user_email_organization_id", "app_user", columns, unique=True)


def downgrade() -> None:
    op.drop_index("uq_app_user_email_organization_id", "app_user")
    op.create_index("uq_app_user_email", "app_user", [_ADDRESS], unique=True)
