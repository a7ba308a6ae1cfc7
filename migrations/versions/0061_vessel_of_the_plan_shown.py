"""Give each charting the vessel and ports of the revision that is shown.

A re-planning for another vessel set them at once, and left them so if it failed or was cancelled.
Workers set them now, once there is a plan.
"""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

_RIGHT = "UPDATE (vessel_id, port_from_name, port_to_name) ON charting"


def upgrade() -> None:
    """Take them from the completed revision, if that vessel is still stored."""
    op.execute(f"GRANT {_RIGHT} TO chartroom_worker")
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
            AND EXISTS (SELECT FROM vessel WHERE vessel.id = (shown.request ->> 'vesselId')::uuid
                AND vessel.organization_id = charting.organization_id)
        """
    )


def downgrade() -> None:
    """Keep them: the former values were wrong."""
    op.execute(f"REVOKE {_RIGHT} FROM chartroom_worker")
