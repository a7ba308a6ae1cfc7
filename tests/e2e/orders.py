"""Chartings for tests, requested from the running service by its API."""

import json
import time
import urllib.request
from collections.abc import Sequence
from typing import Any

from tests.e2e.service import Service
from tests.waiting import PATIENCE_S

Port = tuple[float, float, str]
Ends = tuple[Port, Port]

#: A short voyage that plans fast, and one across the antimeridian.
ORDERS: dict[str, Ends] = {
    "Rotterdam to Lisbon": ((51.98, 4.0, "Rotterdam"), (38.65, -9.35, "Lisbon")),
    "Yokohama to Seattle": ((35.2, 139.75, "Yokohama"), (48.4, -124.8, "Seattle")),
}
#: Reference routes between the ends.
REFERENCES: dict[str, list[tuple[float, float]]] = {
    "Rotterdam to Lisbon": [(51.0, 1.5), (50.0, -2.0), (48.6, -6.0), (43.5, -10.0)],
    "Yokohama to Seattle": [(34.7, 139.9), (43.0, 165.0), (47.5, 180.0), (49.0, -150.0)],
}
WESTWARD: Ends = ((51.98, 4.0, "Rotterdam"), (40.45, -73.8, "New York"))


def call(service: Service, path: str, body: Any = None, method: str | None = None) -> Any:
    headers = {"X-API-Key": service.key, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    address = f"{service.address}/v1{path}"
    request = urllib.request.Request(address, data=data, headers=headers, method=method)  # noqa: S310 (our own address)
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
        return json.loads(answer.read() or "null")


def wait_for_status(service: Service, charting_id: str, wanted: set[str]) -> Any:
    end = time.monotonic() + PATIENCE_S
    while True:
        charting = call(service, f"/charting/{charting_id}?addCharting=false")
        if charting["status"] in wanted:
            return charting
        assert charting["status"] in ("QUEUED", "RUNNING"), charting.get("failure")
        assert time.monotonic() < end, f"still {charting['status']} after {PATIENCE_S} s"
        time.sleep(0.25)


def order(
    service: Service,
    ends: Ends,
    reference: Sequence[tuple[float, float]] = (),
    status: str = "COMPLETED",
    **otherwise: Any,
) -> str:
    """Request a charting, with fields replaced by ``otherwise``, and wait for its status.

    The plan is compared with a route through the places of ``reference``, if there are any.
    """
    start, end = ends
    line = [{"lat": lat, "lng": lng} for lat, lng in (start[:2], *reference, end[:2])]
    vessel = call(service, "/vessel")["items"][0]
    body = {
        "latFrom": start[0],
        "lngFrom": start[1],
        "portFromName": start[2],
        "latTo": end[0],
        "lngTo": end[1],
        "portToName": end[2],
        "startDate": "2026-03-01T06:00:00Z",
        "vesselId": vessel["id"],
        "speedRangeMin": 11,
        "speedRangeMax": 14,
        "draft": 12,
        "trim": 0,
        "rpm": 110,
        "dwt": 70_000,
        "lbp": vessel["lbp"],
        "pitch": vessel["pitch"],
        "optimizationType": "FUEL",
        "routeType": "WX",
        "importedData": [{"name": "last voyage", "waypoints": line}] if reference else [],
    } | otherwise
    charting_id: str = call(service, "/charting", body)["id"]
    wait_for_status(service, charting_id, {status})
    return charting_id
