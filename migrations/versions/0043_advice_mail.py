"""Add an organization's addresses for advice mail."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, open_gate

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

COLUMNS = "(organization_id, id, mail_due_at)"


def upgrade() -> None:
    addresses = sa.Column(
        "advice_mail", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False
    )
    op.add_column("organization", addresses)
    grant("web", "UPDATE (advice_mail)", "organization")
    op.add_column(
        "voyage_advice", sa.Column("mail_due_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_index(
        "ix_voyage_advice_mail_due",
        "voyage_advice",
        ["mail_due_at"],
        postgresql_where=sa.text("mail_due_at IS NOT NULL"),
    )
    open_gate("voyage_advice", f"SELECT {COLUMNS}")


def downgrade() -> None:
    op.execute("DROP POLICY voyage_advice_gate ON voyage_advice")
    op.execute(
        "REVOKE SELECT (organization_id, id, mail_due_at) ON voyage_advice FROM chartroom_gate"
    )
    op.drop_index("ix_voyage_advice_mail_due", "voyage_advice")
    op.drop_column("voyage_advice", "mail_due_at")
    op.drop_column("organization", "advice_mail")
