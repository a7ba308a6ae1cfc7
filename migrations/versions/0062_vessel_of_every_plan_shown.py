"""Give each charting the vessel and ports of the revision that is shown.

A re-planning for another vessel set them at once, and left them so if it failed or was cancelled.
0061 repaired that only where its role was held to no policy, such as a superuser.
"""

from alembic import op

from migrations.tenancy import rows_of_all

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Take them from the completed revision, if that vessel is still stored."""
    with rows_of_all("charting", "charting_revision", "vessel"):
        op.execute(
            """
            UPDATE charting SET
                vessel_id = (shown.request ->> 'vesselId')::uuid,
                port_from_name = shown.request ->> 'portFromName',
                port_to_name = shown.request ->> 'portToName'
            FROM charting_revision shown
            WHERE shown.charting_id = charting.id AND shown.revision = charting.completed_revision
                AND (charting.vessel_id, charting.port_from_name, charting.port_to_name)
                    IS DISTINCT FROM ((shown.request ->> 'vesselId')::uuid,
                        shown.request ->> 'portFromName', shown.request ->> 'portToName')
                AND EXISTS (
                    SELECT FROM vessel WHERE vessel.id = (shown.request ->> 'vesselId')::uuid
                    AND vessel.organization_id = charting.organization_id)
            """
        )


def downgrade() -> None:
    """Keep them: the former values were wrong."""
