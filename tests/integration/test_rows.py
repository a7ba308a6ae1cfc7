"""Rows as several sessions see them."""

from uuid import UUID

import pytest
from sqlalchemy import update

from app.models import Vessel
from app.services.platform.ids import find_row
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient

pytestmark = pytest.mark.usefixtures("context")


def test_a_row_that_a_session_holds_is_read_again_when_it_is_locked(
    planner: ApiClient, organization_id: UUID
) -> None:
    vessel_id = UUID(planner.make_vessel()["id"])
    with organization_session(organization_id) as session:
        held = find_row(session, Vessel, organization_id, id=vessel_id)
        with organization_session(organization_id) as other:
            other.execute(update(Vessel).where(Vessel.id == vessel_id).values(name="Renamed"))
        assert find_row(session, Vessel, organization_id, lock=True, id=vessel_id) is held
        assert held is not None
        assert held.name == "Renamed"
