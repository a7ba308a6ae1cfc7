"""Voyages of vessels that are deleted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from uuid import UUID

import pytest

from app.models import Role
from app.services.chartings import chartings
from app.services.monitoring import executions
from app.services.platform.actor import Actor
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient
from tests.integration.voyages import Voyage
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis", "context")]


def test_a_deleted_vessel_starts_no_voyage(voyage: Voyage, admin: ApiClient, now: datetime) -> None:
    voyage.report(until=now, late_h=1.0)
    assert admin.delete(f"/vessel/{voyage.vessel_id}").status_code == 204
    voyage.check_position_reports()
    assert voyage.progress()["state"] == "EXPECTED"
    refused = voyage.planner.post(f"/charting/{voyage.id}/start", {})
    assert (refused.status_code, voyage.events()) == (409, [])
    assert refused.get_json()["detail"].startswith("The vessel is deleted")


def test_a_vessel_whose_voyage_starts_meanwhile_is_not_deleted(
    voyage: Voyage, admin: ApiClient, organization_id: UUID
) -> None:
    actor = Actor(organization_id, "test", Role.MASTER)
    with ThreadPoolExecutor(1) as pool:
        with organization_session(organization_id) as session:
            charting = chartings.get(session, organization_id, voyage.id)
            executions.start(session, actor, charting)
            late = pool.submit(admin.delete, f"/vessel/{voyage.vessel_id}")
            with pytest.raises(TimeoutError):
                late.result(1.0)
        refused = late.result(PATIENCE_S)
    assert refused.status_code == 409
    assert refused.get_json()["code"] == "VOYAGE_UNDER_WAY"
