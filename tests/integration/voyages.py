"""A planned voyage and its ship, for tests of voyages under way."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import select, update

from app.models import Event, VoyageExecution
from app.records.instants import format_instant, parse_instant
from app.services.monitoring import monitor, watching
from app.services.platform import queue
from app.services.platform.sessions import organization_session
from tests.integration.client import ApiClient

Plan = Callable[..., None]
HOUR = timedelta(hours=1)


_OF_PLANNING = ("charting.started", "charting.completed")


class Voyage:
    """A planned voyage that departed some hours ago, and its ship."""

    def __init__(
        self,
        planner: ApiClient,
        plan: Plan,
        worker: Flask,
        departs_at: datetime,
        **asked: Any,
    ) -> None:
        self.planner, self.worker, self.departs_at = planner, worker, departs_at
        self.reported: list[dict[str, Any]] = []
        ordered = planner.order(startDate=format_instant(departs_at), **asked)
        self.id, self.vessel_id = ordered["id"], ordered["vesselId"]
        self.organization_id = UUID(planner.get("/organization").get_json()["id"])
        plan(self.id)
        with worker.app_context():
            # the order's job, which a worker would have taken
            queue.planning_queue().empty()
        self.track = planner.get(f"/charting/{self.id}/track").get_json()["items"]
        self.length_nm = self.track[-1]["cumulativeNm"]

    def report(self, *, until: datetime, late_h: float = 0.0, **changes: Any) -> list[dict]:
        """Report the ship on its track, so late, up to a time; the reports were taken."""
        records = [
            {
                "timestamp": format_instant(parse_instant(at["time"]) + late_h * HOUR),
                **{"latitude": at["lat"], "longitude": at["lng"], "speed": at["speedKn"]},
                **{"heading": at["courseDeg"] % 360, "rpm": 84, "fuelConsumption": 24},
                **{"draft": 10, "engineLoad": 60},
            }
            | changes
            for at in self.track
            if parse_instant(at["time"]) + late_h * HOUR <= until
        ]
        self.send(records)
        self.reported = records
        return records

    def send(self, records: list[dict[str, Any]]) -> None:
        answer = self.planner.post(f"/telemetry/{self.vessel_id}/batch", records)
        assert answer.status_code == 200, answer.text
        assert not [line for line in answer.get_json()["items"] if line["status"] == "INVALID"]

    def look_after(self) -> None:
        """Look after the voyage as a worker does, now."""
        with organization_session(self.organization_id) as session:
            session.execute(update(VoyageExecution).values(due_at=datetime.now(UTC)))
        with self.worker.app_context():
            monitor.look_after(self.organization_id, UUID(self.id))

    def watch(self) -> None:
        """Watch the voyage as a worker does, now."""
        with self.worker.app_context():
            watching.watch(self.organization_id, UUID(self.id))

    def list_advice(self) -> list[dict[str, Any]]:
        answer = self.planner.get(f"/charting/{self.id}/advice")
        assert answer.status_code == 200, answer.text
        shown: list[dict[str, Any]] = answer.get_json()["items"]
        return shown

    def progress(self) -> dict[str, Any]:
        answer = self.planner.get(f"/charting/{self.id}/progress")
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.get_json()
        return shown

    def events(self) -> list[str]:
        query = select(Event.kind).where(Event.subject_id == UUID(self.id)).order_by(Event.sequence)
        with organization_session(self.organization_id) as session:
            return [kind for kind in session.scalars(query) if not kind.startswith(_OF_PLANNING)]
