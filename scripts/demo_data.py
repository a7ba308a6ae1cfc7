"""A small fleet with a year of data, created through the API, for screenshots of the pages.

All data are functions of the vessel and the hour, and so the same each time.
"""

from __future__ import annotations

import itertools
import json
import math
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from demo_telemetry import SPEED_SHARE, DemoShip

_TODAY = datetime.now(UTC)
#: Hour of the screenshots, at which their clock starts: 14 January, at least three weeks ago.
NOW = datetime((_TODAY - timedelta(days=21)).year, 1, 14, 9, 42, tzinfo=UTC)

#: Invented ships with the proportions of their type; IMO numbers have a valid check digit.
FLEET: tuple[Mapping[str, Any], ...] = (
    {
        **{"name": "Bergljot", "imo": "9999981", "type": 1, "dwt": 58_400, "loa": 190, "lbp": 185},
        **{"breadth": 32.2, "depth": 18, "draftDesign": 11.3, "draftScant": 12.8},
        **{"serviceSpeed": 14, "pitch": 4.6, "dateConstructed": "2012-03-01"},
    },
    {
        **{"name": "Corvo Star", "imo": "9999979", "type": 2, "dwt": 49_900, "loa": 183},
        **{"lbp": 174, "breadth": 32.2, "depth": 19.1, "draftDesign": 11, "draftScant": 13.1},
        **{"serviceSpeed": 14.5, "pitch": 4.5, "dateConstructed": "2017-09-01"},
    },
    {
        **{"name": "Ostara", "imo": "9999967", "type": 5, "dwt": 34_700, "loa": 208, "lbp": 197},
        **{"breadth": 29.8, "depth": 16.4, "draftDesign": 10.1, "draftScant": 11.6},
        **{"serviceSpeed": 18.5, "pitch": 6.2, "dateConstructed": "2009-05-01"},
    },
)

#: Time from one record to the next.
_EVERY = timedelta(hours=3)
_IN_PORT = timedelta(days=3)
_MOORED: dict[str, Any] = {
    **{"speed": 0, "fuelConsumption": 0, "rpm": 0, "engineLoad": 0, "mePower": 0}
}

Place = tuple[float, float]

#: Tracks over open water, sailed one after another.
TRACKS: tuple[tuple[str, tuple[Place, ...]], ...] = (
    (
        "Rotterdam to New York",
        (
            (51.98, 3.9),
            (51.0, 1.5),
            (49.8, -3),
            (48.9, -7),
            (45.5, -30),
            (41.2, -60),
            (40.4, -73.6),
        ),
    ),
    (
        "New York to Santos",
        ((40.4, -73.6), (36, -66), (10, -42), (-5, -33.6), (-20, -38), (-24.2, -46)),
    ),
    (
        "Santos to Rotterdam",
        (
            (-24.2, -46),
            (-20, -38),
            (-5, -33.4),
            (15, -26),
            (43.5, -10.5),
            (48.8, -6),
            (49.8, -3),
            (51.0, 1.5),
            (51.98, 3.9),
        ),
    ),
)


@dataclass(frozen=True)
class Api:
    """The service's API, used with one key."""

    address: str
    key: str

    def call(self, path: str, body: Any = None, kind: str = "application/json") -> Any:
        """Send a request, GET without a body. An existing object (409) is not replaced."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"X-API-Key": self.key, "Content-Type": kind}
        request = urllib.request.Request(f"{self.address}/v1{path}", data, headers)  # noqa: S310 - our own address
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            if error.code == 409:
                return None
            raise


def seed(api: Api) -> list[str]:
    """Create everything; return the ids of the chartings once they are planned."""
    for ship in FLEET:
        api.call("/vessel", ship)
    vessels = {vessel["name"]: vessel for vessel in api.call("/vessel")["items"]}
    for number, vessel in enumerate(vessels.values()):
        lines = "\n".join(json.dumps(record) for record in _sail(vessel, number))
        for part in _parts(lines.split("\n"), 4000):
            api.call(f"/telemetry/{vessel['id']}/batch", part, "application/x-ndjson")
    api.call("/constraints", _ICE)
    past = _past_orders(vessels["Noordster"], list(vessels).index("Noordster"))
    ids = [api.call("/charting", order)["id"] for order in (*past, *_orders(vessels))]
    for charting_id in ids:
        _wait(api, charting_id)
    return ids


def _parts(lines: list[str], size: int) -> Iterator[bytes]:
    for begin in range(0, len(lines), size):
        yield "\n".join(lines[begin : begin + size]).encode()


def _sail(vessel: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield a year of three-hourly records along the tracks in turn."""
    ship = DemoShip(vessel, number)
    for begins, (_, track) in _voyages(vessel, number):
        sailed = list(_steps(vessel, track))
        moored = [(track[-1], sailed[-1][1])] * (_IN_PORT // _EVERY)
        for step, (place, heading) in enumerate([*sailed, *moored]):
            instant = begins + step * _EVERY
            if instant >= NOW:
                return
            is_moored = step >= len(sailed)
            yield ship.report(instant, place, heading) | (_MOORED if is_moored else {})


def _voyages(
    vessel: Mapping[str, Any], number: int
) -> Iterator[tuple[datetime, tuple[str, tuple[Place, ...]]]]:
    """Yield the start of each voyage with its track; days in port lie between them."""
    begins, voyage = datetime(NOW.year - 1, 1, 2, 6 + number, tzinfo=UTC), number
    while begins < NOW:
        track = TRACKS[voyage % len(TRACKS)]
        yield begins, track
        begins += len(list(_steps(vessel, track[1]))) * _EVERY + _IN_PORT
        voyage += 1


def _steps(vessel: Mapping[str, Any], track: tuple[Place, ...]) -> Iterator[tuple[Place, float]]:
    return _places(track, 3 * SPEED_SHARE * vessel["serviceSpeed"])


def _places(track: tuple[Place, ...], step_nm: float) -> Iterator[tuple[Place, float]]:
    for (lat, lng), (to_lat, to_lng) in itertools.pairwise(track):
        shrink = math.cos(math.radians((lat + to_lat) / 2))
        north, east = 60 * (to_lat - lat), 60 * (to_lng - lng) * shrink
        count = max(1, round(math.hypot(north, east) / step_nm))
        heading = math.degrees(math.atan2(east, north)) % 360
        for i in range(count):
            share = i / count
            yield (lat + share * (to_lat - lat), lng + share * (to_lng - lng)), heading


_ICE: Mapping[str, Any] = {
    **{"name": "Ice limit, Grand Banks", "type": "HIGH_RISK", "level": "GLOBAL"},
    **{"start_date": f"{NOW.year}-01-01", "end_date": f"{NOW.year}-12-31"},
    "geometry": {
        "type": "Polygon",
        "coordinates": [
            [
                [-51.5, 45.2],
                [-48.2, 46.4],
                [-47.2, 44.6],
                [-48.6, 41.7],
                [-50.6, 41.9],
                [-51.5, 45.2],
            ]
        ],
    },
}


def _orders(vessels: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield requests for voyages that begin soon."""
    sines, houston = (37.9, -8.95, "Sines"), (29.3, -94.6, "Houston")
    hamburg, halifax = (53.98, 8.1, "Hamburg"), (44.55, -63.5, "Halifax")
    rotterdam, new_york = (51.98, 3.95, "Rotterdam"), (40.45, -73.8, "New York")
    yield _order(vessels["Ostara"], hamburg, halifax, NOW + timedelta(hours=20), "ETA")
    yield _order(vessels["Corvo Star"], sines, houston, NOW + timedelta(hours=26), "FUEL")
    yield _order(vessels["Noordster"], rotterdam, new_york, NOW + timedelta(hours=8), "FUEL")


def _past_orders(vessel: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Yield requests for the last voyages in the records, for comparison."""
    for begins, (name, track) in list(_voyages(vessel, number))[-7:-1]:
        start, end = name.split(" to ")
        order = _order(vessel, (*track[0], start), (*track[-1], end), begins, "FUEL")
        arrives = begins + len(list(_steps(vessel, track))) * _EVERY
        yield order | {"endDate": arrives.strftime("%Y-%m-%dT%H:00:00Z")}


def _order(
    ship: Mapping[str, Any],
    start: tuple[float, float, str],
    end: tuple[float, float, str],
    departs: datetime,
    objective: str,
) -> dict[str, Any]:
    return {
        **{"latFrom": start[0], "lngFrom": start[1], "portFromName": start[2]},
        **{"latTo": end[0], "lngTo": end[1], "portToName": end[2]},
        "startDate": departs.strftime("%Y-%m-%dT%H:00:00Z"),
        "vesselId": ship["id"],
        "speedRangeMin": ship["serviceSpeed"] - 3,
        "speedRangeMax": ship["serviceSpeed"],
        **{"draft": ship["draftDesign"], "trim": 0, "rpm": 130, "dwt": 0.8 * ship["dwt"]},
        **{"lbp": ship["lbp"], "pitch": ship["pitch"], "routeType": "WX"},
        **{"optimizationType": objective, "maxWaveHeight": 5, "maxWindBf": 9},
    }


def _wait(api: Api, charting_id: str) -> None:
    """Wait for a plan; raises TimeoutError when it takes over five minutes."""
    end = time.monotonic() + 300
    while True:
        found = api.call(f"/charting/{charting_id}?addCharting=false")
        if found["status"] not in ("QUEUED", "RUNNING"):
            return
        if time.monotonic() > end:
            raise TimeoutError(f"{charting_id} is still {found['status']}")
        time.sleep(0.5)
