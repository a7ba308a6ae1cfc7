"""A voyage from its plan to its report: monitored, advised, answered, arrived."""

import csv
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from lxml import etree

from app.models import base
from app.records.instants import format_instant, parse_instant
from app.services.monitoring import monitor, watching
from tests.integration.client import ApiClient
from tests.integration.test_event_stream import read as read_stream
from tests.integration.test_event_stream import wait_for_earlier_transactions
from tests.integration.test_webhook_worker import environment, secret, worker
from tests.integration.voyages import CROSSING, HOUR, Plan, Voyage, bring_storm
from tests.receiver import Receiver

__all__ = ["environment", "secret", "worker"]

pytestmark = [
    pytest.mark.atlas,
    pytest.mark.usefixtures("atlas", "redis", "climatology", "secret", "context"),
    pytest.mark.timeout(900),
]

#: Fuel that the ship reports, against what its plan says.
BURNS = 1.03
#: Hours between two looks at the voyage.
LOOK_H = 6


@dataclass
class Clock:
    """The time that the service reads."""

    now: datetime

    def read(self) -> datetime:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that stands twelve days ago, to be moved."""
    stands = Clock(datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 12 * 24 * HOUR)
    real = base.utc_now
    for name, module in tuple(sys.modules.items()):
        if name.startswith("app.") and getattr(module, "utc_now", None) is real:
            monkeypatch.setattr(module, "utc_now", stands.read)
    monkeypatch.setattr("app.api.event_stream.LONGEST_WAIT_S", 0)
    return stands


class Ship:
    """A ship that sails the track of the plan it follows, and reports each hour."""

    def __init__(self, voyage: Voyage, clock: Clock) -> None:
        self.voyage, self.clock = voyage, clock
        self.burnt_t = 0.0
        self.follow(1)

    def follow(self, revision: int) -> None:
        query = f"/charting/{self.voyage.id}/track?revision={revision}"
        self.track = self.voyage.planner.get(query).get_json()["items"]

    @property
    def arrives_at(self) -> datetime:
        return parse_instant(self.track[-1]["time"])

    def sail(self, hours: int, late_h: float = 0.0) -> None:
        """Sail on so long; the service takes the reports and looks after the voyage."""
        records = []
        for _ in range(hours):
            self.clock.now += HOUR
            if (record := self._report(self.clock.now, late_h)) is not None:
                records.append(record)
        if records:
            self.voyage.send(records)
        self.look()

    def look(self) -> None:
        """Do what workers do: look after the voyage, and watch it where that is due."""
        with self.voyage.worker.app_context():
            monitor.check_position_reports(self.voyage.organization_id, UUID(self.voyage.id))
            watching.queue_due()
        if self.voyage.is_watch_due():
            self.voyage.watch()

    def _report(self, at: datetime, late_h: float) -> dict[str, Any] | None:
        """Position of the ship, which stays at the destination after its arrival."""
        sailed_at = at - late_h * HOUR
        leg = next(
            ((a, b) for a, b in pairwise(self.track)
             if parse_instant(a["time"]) <= sailed_at < parse_instant(b["time"])), None,
        )  # fmt: skip
        before, after = leg or (self.track[-1], self.track[-1])
        begun, ended = parse_instant(before["time"]), parse_instant(after["time"])
        share = (sailed_at - begun) / (ended - begun) if leg else 0.0
        rate_t_day = BURNS * 24.0 * 1.2 if leg else 0.0
        if parse_instant(self.track[0]["time"]) > sailed_at:
            return None
        return {
            "timestamp": format_instant(at),
            "latitude": before["lat"] + share * (after["lat"] - before["lat"]),
            "longitude": before["lng"] + share * (after["lng"] - before["lng"]),
            **{"speed": before["speedKn"] if leg else 0.0, "heading": before["courseDeg"] % 360},
            **{"rpm": 84 if leg else 0, "fuelConsumption": rate_t_day},
            **{"draft": 10, "engineLoad": 60 if leg else 0},
        }


def test_a_voyage_is_followed_advised_and_reported(
    planner: ApiClient, plan: Plan, worker_app: Flask, clock: Clock, receiver: Receiver
) -> None:
    departs_at = clock.now
    asked = CROSSING | {"endDate": format_instant(departs_at + 240 * HOUR)}
    bring_storm(worker_app, 1.5, begins_at=departs_at, issued_at=departs_at - 6 * HOUR)
    last_id, _ = read_stream(planner)
    voyage = Voyage(planner, plan, worker_app, departs_at, **asked)
    ship = Ship(voyage, clock)
    assert voyage.progress()["state"] == "EXPECTED"

    ship.sail(LOOK_H, late_h=1.0)
    shown = voyage.progress()
    assert (shown["state"], shown["startedBy"]) == ("UNDER_WAY", "position reports")
    assert shown["progress"]["behindH"] == pytest.approx(1.0, abs=0.2)
    assert voyage.list_advice() == []

    bring_storm(worker_app, 10.0, begins_at=departs_at, issued_at=clock.now)
    ship.sail(LOOK_H, late_h=1.0)
    (first,) = voyage.list_advice()
    path = f"/charting/{voyage.id}/advice"
    declined = planner.post(f"{path}/{first['id']}/decline", {"reason": "Wait for the next run"})
    assert declined.get_json()["answerReason"] == "Wait for the next run"
    bring_storm(worker_app, 10.05, begins_at=departs_at, issued_at=clock.now)
    ship.sail(LOOK_H, late_h=1.0)
    assert len(voyage.list_advice()) == 1, "the same was declined"

    bring_storm(worker_app, 13.0, begins_at=departs_at, issued_at=clock.now)
    ship.sail(LOOK_H, late_h=1.0)
    second, _ = voyage.list_advice()
    accepted = planner.post(f"{path}/{second['id']}/accept").get_json()
    assert accepted["acceptedRevision"] == 2
    plan(voyage.id, 2)
    ship.follow(2)
    check_rtz(planner.get(f"/charting/{voyage.id}/rtz").data, ship.track[0])
    while clock.now < ship.arrives_at:
        ship.sail(2 * LOOK_H)
    ship.sail(LOOK_H)
    shown = voyage.progress()
    assert (shown["state"], shown["endedBy"]) == ("FINISHED", "position reports")
    check_report(planner, voyage)

    told = ["voyage.started", *4 * ["charting.advice"], "voyage.finished"]
    assert voyage.events() == told
    wait_for_earlier_transactions(voyage.organization_id)
    _, streamed = read_stream(planner, last_id)
    assert [event["event"] for event in streamed if event["event"] in told] == told
    receiver.wait_for(len(streamed))
    told_ids = [received.headers["webhook-id"] for received in receiver.received]
    assert len(told_ids) == len(set(told_ids)) == len(streamed)


def check_rtz(content: bytes, start: dict[str, Any]) -> None:
    """The route to load begins where the ship is."""
    names = {"rtz": "http://www.cirm.org/RTZ/1/1"}
    (first, *_) = etree.fromstring(content).iterfind(".//rtz:waypoint/rtz:position", names)
    assert float(first.get("lat")) == pytest.approx(start["lat"], abs=1e-4)
    assert float(first.get("lon")) == pytest.approx(start["lng"], abs=1e-4)


def check_report(planner: ApiClient, voyage: Voyage) -> None:
    """The report adds up to what the ship reported between departure and arrival."""
    report = planner.get(f"/charting/{voyage.id}/report").get_json()
    sent = planner.get(f"/telemetry/{voyage.vessel_id}?pageSize=500").get_json()["items"]
    within = [each for each in sent
              if report["departedAt"] <= each["timestamp"] <= report["arrivedAt"]]  # fmt: skip
    burnt_t = sum(each["fuelConsumption"] for each in within) / 24.0
    fuel = report["fuel"]
    assert fuel["reportedMt"] == pytest.approx(burnt_t, rel=0.005)
    total_t = sum(fuel[f"{cause}Mt"] for cause in ("planned", "weather", "speed", "track", "model"))
    assert total_t == pytest.approx(fuel["reportedMt"], rel=0.005)
    (line,) = csv.DictReader(planner.get(f"/charting/{voyage.id}/report/csv").text.splitlines())
    assert float(line["reported_fuel_mt"]) == pytest.approx(fuel["reportedMt"], abs=0.001)
