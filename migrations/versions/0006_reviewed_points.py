"""Create the table of reviews of critical points."""

import sqlalchemy as sa
from alembic import op

from migrations.tenancy import grant, protect

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "point_review",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("charting_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("waypoint_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("eta", sa.DateTime(timezone=True), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column(
            "reviewed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("reviewed_by", sa.String(), nullable=False),
        sa.Column("reviewer_name", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id", "charting_id"],
            ["charting.organization_id", "charting.id"],
            name="fk_point_review_organization_id_charting_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["charting_id", "revision"],
            ["charting_revision.charting_id", "charting_revision.revision"],
            name="fk_point_review_charting_id_revision",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name="fk_point_review_organization_id"
        ),
        sa.PrimaryKeyConstraint(
            "charting_id", "revision", "waypoint_index", "eta", name="pk_point_review"
        ),
    )
    protect("point_review")
    grant("web", "SELECT, INSERT, UPDATE, DELETE", "point_review")


def downgrade() -> None:
    op.drop_table("point_review")
