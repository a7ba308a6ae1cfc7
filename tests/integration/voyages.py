"""A planned voyage and its ship, for tests of voyages under way."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import select, update

from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.datasources.weather.store import summarise_run
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, WeatherField
from app.models import Event, VoyageExecution
from app.records.instants import format_instant, parse_instant
from app.services.monitoring import monitor, watching
from app.services.platform import queue
from app.services.platform.sessions import installation_session, organization_session
from app.services.weather import weather, weather_intake
from tests.integration.client import ApiClient
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import BISHOP_ROCK, OFF_NEW_YORK, make_storm

Plan = Callable[..., None]
HOUR = timedelta(hours=1)

#: A crossing of the North Atlantic through where storms are brought.
CROSSING: dict[str, Any] = {
    **{"latFrom": OFF_NEW_YORK.lat, "lngFrom": OFF_NEW_YORK.lng, "portFromName": "New York"},
    **{"latTo": BISHOP_ROCK.lat, "lngTo": BISHOP_ROCK.lng, "portToName": "Bishop Rock"},
    **{"maxWaveHeight": 6, "waveUnit": "meters", "speedRangeMax": 14, "speedRangeMin": 9},
}
_OF_PLANNING = ("charting.started", "charting.completed")


def bring_storm(
    worker: Flask, height_m: float, *, begins_at: datetime, issued_at: datetime
) -> None:
    """Bring in a forecast of waves: those of a storm, or hardly any."""
    bring_waves(worker, make_storm(height_m), begins_at=begins_at, issued_at=issued_at)


def bring_waves(
    worker: Flask, field: WeatherField, *, begins_at: datetime, issued_at: datetime
) -> None:
    """Bring in the waves of a made field as a forecast that begins at a time."""
    layer = field.forecasts[0].layers[Group.WAVE]
    shift_h = hours_since_epoch(begins_at) - hours_since_epoch(DEPARTS_AT)
    times_h = tuple(time_h + shift_h for time_h in layer.times_h)
    with worker.app_context():
        with RunWriter(weather.runs_folder()) as writer:
            rooms = writer.add_layers({Group.WAVE: LayerAxes(layer.grid, times_h)})
            rooms[Group.WAVE][:] = layer.source.reshape(rooms[Group.WAVE].shape)
            run = writer.finish("test", issued_at)
        with installation_session() as session:
            folder: Path = weather.runs_folder() / run.name
            weather_intake.catalogue(session, summarise_run(folder))


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

    def check_position_reports(self) -> None:
        """Look after the voyage as a worker does, now."""
        with organization_session(self.organization_id) as session:
            session.execute(update(VoyageExecution).values(due_at=datetime.now(UTC)))
        with self.worker.app_context():
            monitor.check_position_reports(self.organization_id, UUID(self.id))

    def is_watch_due(self) -> bool:
        query = select(VoyageExecution.watch_due_at).where(
            VoyageExecution.charting_id == UUID(self.id)
        )
        with organization_session(self.organization_id) as session:
            return session.scalar(query) is not None

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
        return [event.kind for event in self._list_events()]

    def event_data(self) -> list[dict[str, Any]]:
        return [event.payload for event in self._list_events()]

    def _list_events(self) -> list[Event]:
        query = select(Event).where(Event.subject_id == UUID(self.id)).order_by(Event.sequence)
        with organization_session(self.organization_id) as session:
            found = session.scalars(query).all()
            return [event for event in found if not event.kind.startswith(_OF_PLANNING)]
