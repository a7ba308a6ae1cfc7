"""Index what an organization has of two growing tables.

The quota of telemetry sums an organization's days with every write; the audit log is read for one
subject by its page, by exports and by erasures.
"""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_telemetry_day_organization_id",
        "telemetry_day",
        ["organization_id"],
        postgresql_include=["records"],
    )
    op.create_index(
        "ix_audit_entry_organization_id_subject_id_id",
        "audit_entry",
        ["organization_id", "subject_id", "id"],
    )


def downgrade() -> None:
    op.drop_index("ix_audit_entry_organization_id_subject_id_id", "audit_entry")
    op.drop_index("ix_telemetry_day_organization_id", "telemetry_day")
