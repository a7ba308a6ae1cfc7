"""First start of the service, with the printed command."""

import json
import stat
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.e2e.orders import ORDERS, call, order, wait_for_status
from tests.e2e.service import ROOT, Service
from tests.killing import kill

ROTTERDAM_SINGAPORE_NM = 8340  # by published tables, through Suez


@pytest.fixture(scope="module")
def first_route(service: Service) -> Any:
    ordered = json.loads(service.order_first_route())
    wait_for_status(service, ordered["id"], {"COMPLETED"})
    return call(service, f"/charting/{ordered['id']}")


def test_the_printed_line_orders_rotterdam_to_singapore_through_suez(first_route):
    assert first_route["portFromName"] == "Rotterdam"
    distance_nm = first_route["summary"]["distanceNm"]
    assert distance_nm == pytest.approx(ROTTERDAM_SINGAPORE_NM, rel=0.015)


def test_its_times_of_arrival_increase_from_waypoint_to_waypoint(first_route):
    etas = [datetime.fromisoformat(waypoint["eta"]) for waypoint in first_route["waypoints"]]
    assert len(etas) > 10
    assert all(earlier < later for earlier, later in pairwise(etas))


def test_killed_workers_are_started_again_and_plan_the_next_route(service):
    # Like a machine short of memory; test_faults.py covers running jobs.
    workers = service.processes("worker.py")
    assert workers
    kill(workers)
    order(service, ORDERS["Rotterdam to Lisbon"])
    assert "started again" in service.greeting


def test_secrets_are_for_their_owner_only(service):
    for name in ("demo-key", "demo-password", "secret-key", "services.json"):
        assert stat.S_IMODE((service.state / name).stat().st_mode) == 0o600, name


def test_the_project_folder_is_where_the_printed_line_works(service):
    assert (ROOT / "var" / "atlas" / "manifest.json").exists()
    assert f"$(cat {service.state.relative_to(ROOT)}/demo-key)" in service.greeting
