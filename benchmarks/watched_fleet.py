"""Delay of charting requests while a fleet of voyages under way is watched.

``python -m benchmarks.watched_fleet [--voyages N] [--orders N] [--every S] [--workers N]``

Crossings of the North Atlantic under a wave limit are planned in yesterday's forecast, start then
and send reports. A new forecast, with typical errors, makes every voyage due at once. From then on
requests come at a fixed interval, and the same again after all voyages are watched. A delay lasts
from the request to its plan. The processor time of a watch is the workers' additional time with
watches over that for the requests alone, looking at positions included.
"""

import argparse
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from app import create_app
from app.config import Settings
from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.datasources.weather.store import summarise_run
from app.engine.weather import WeatherField
from app.records.instants import format_instant
from app.services.platform.sessions import installation_session
from app.services.weather import weather, weather_intake
from benchmarks.atlas import open_climatology
from benchmarks.disk_faults import own_files
from benchmarks.fault_kinds import list_workers
from benchmarks.installation import SHORT_VOYAGE, VESSEL, Installation, installation, wait_until
from benchmarks.report import print_result, print_table
from benchmarks.synthetic_ensembles import SyntheticOcean

PATIENCE_S = 3000.0
#: South, west, north and east of the forecasts, and their days from a departure.
_ATLANTIC, _DAYS = (22.0, -84.0, 64.0, 10.0), 16
#: Chartings of one organization planned at once, below its quota.
_AT_ONCE = 100
_ACTIVE = "SELECT count(*) FROM charting_revision WHERE status IN ('QUEUED', 'RUNNING')"
_UNDER_WAY = "SELECT count(*) FROM voyage_execution WHERE state = 'UNDER_WAY'"
_COUNT_AS_WATCHED = (
    "UPDATE voyage_execution"
    " SET watched_at = now(), watched_weather = (SELECT name FROM weather_run)"
    " WHERE watched_at IS NULL AND state = 'UNDER_WAY' RETURNING 1"
)
_ADVISED = "SELECT count(DISTINCT charting_id) FROM voyage_advice"
_DUE = "SELECT count(*) FROM voyage_execution WHERE watch_due_at IS NOT NULL"
_MAKE_DUE = "UPDATE voyage_execution SET watch_due_at = now() WHERE state = 'UNDER_WAY' RETURNING 1"
_DELAYS = (
    "SELECT extract(epoch FROM finished_at - queued_at) FROM charting_revision"
    " ORDER BY queued_at DESC LIMIT {}"
)


def draw_voyages(seed: int, departs_at: datetime) -> Iterator[dict[str, Any]]:
    """Yield crossings of the North Atlantic from a departure."""
    random = np.random.default_rng(seed)
    while True:
        start, end = random.uniform((36, -62), (42, -52)), random.uniform((40, -25), (50, -13))
        yield SHORT_VOYAGE | {
            "latFrom": round(start[0], 3), "lngFrom": round(start[1], 3), "portFromName": "West",
            "latTo": round(end[0], 3), "lngTo": round(end[1], 3), "portToName": "East",
            "startDate": format_instant(departs_at), "isAlterFrom": True,
            "maxWaveHeight": 6, "waveUnit": "meters",
        }  # fmt: skip


def bring(service: Installation, field: WeatherField, issued_at: datetime) -> None:
    """Import a forecast into the service."""
    settings = Settings.from_environment(service.supervisor.environment, "worker")
    layers = field.forecasts[0].layers
    axes = {group: LayerAxes(each.grid, each.times_h) for group, each in layers.items()}
    app = create_app(settings)
    with app.app_context():
        with RunWriter(weather.runs_folder()) as writer:
            for group, room in writer.add_layers(axes).items():
                room[:] = layers[group].source.reshape(room.shape)
            run = writer.finish("made", issued_at)
        with installation_session() as session:
            weather_intake.catalogue(session, summarise_run(weather.runs_folder() / run.name))
    app.extensions["chartroom"].close()


def send(service: Installation, path: str, body: Any) -> Any:
    """Post, repeatedly while the service is too busy; return the created object."""
    for _ in range(10):
        status, answer = service.ask("POST", path, body)
        if status in (200, 201, 202):
            return answer
        time.sleep(1.0)
    raise RuntimeError(f"{path} was answered {status}: {answer}")


def put_to_sea(service: Installation, voyages: int, departs_at: datetime) -> None:
    """Plan voyages and report their ships up to now; they count as watched so far."""
    sailing = []
    for voyage in islice(draw_voyages(1, departs_at), voyages):
        wait_until(lambda: service.rows(_ACTIVE)[0][0] < _AT_ONCE, PATIENCE_S)
        vessel_id = send(service, "/vessel", VESSEL)["id"]
        sailing.append((vessel_id, send(service, "/charting", voyage | {"vesselId": vessel_id})))
    wait_until(lambda: service.rows(_ACTIVE)[0][0] == 0, PATIENCE_S, every_s=1.0)
    now = format_instant(datetime.now(UTC))
    for vessel_id, charting in sailing:
        status, track = service.ask("GET", f"/charting/{charting['id']}/track")
        if status != 200:
            continue  # no route keeps the limit
        records = [
            {
                **{"timestamp": at["time"], "latitude": at["lat"], "longitude": at["lng"]},
                **{"speed": at["speedKn"], "heading": at["courseDeg"] % 360, "rpm": 84},
                **{"fuelConsumption": 24, "draft": 10, "engineLoad": 60},
            }
            for at in track["items"]
            if at["time"] <= now
        ]
        send(service, f"/telemetry/{vessel_id}/batch", records)
        send(service, f"/charting/{charting['id']}/start", {"at": format_instant(departs_at)})
        service.rows(_COUNT_AS_WATCHED)
    wait_until(lambda: service.rows(_DUE)[0][0] == 0, PATIENCE_S, every_s=1.0)


def order(service: Installation, orders: int, every_s: float, departs_at: datetime) -> list[float]:
    """Request voyages at an interval; return the delay of each [s]."""
    for voyage in islice(draw_voyages(2, departs_at), orders):
        began = time.monotonic()
        service.place_order(voyage)
        time.sleep(max(0.0, every_s - (time.monotonic() - began)))
    wait_until(lambda: service.rows(_ACTIVE)[0][0] == 0, PATIENCE_S)
    return [float(row[0]) for row in service.rows(_DELAYS.format(orders))]


def processor_s(service: Installation) -> float:
    """Return the processor time of the workers, with their ended work-horses [s]."""
    ticks = 0
    for name in list_workers(service):
        stat = Path(f"/proc/{service.pids(name)[0]}/stat").read_text()
        # user, system and the same of children (proc_pid_stat(5)), after the name in parentheses
        ticks += sum(map(int, stat.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def run(service: Installation, voyages: int, orders: int, every_s: float) -> dict[str, object]:
    """Measure requests with watches, then alone."""
    departs_at = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=24)
    ocean = SyntheticOcean(1, departs_at, open_climatology(), _ATLANTIC, _DAYS)
    bring(service, ocean.draw(1), departs_at)
    put_to_sea(service, voyages, departs_at)
    order(service, 5, 0.0, departs_at)  # warms up both workers
    bring(service, ocean.draw(2, issued_h=24.0), departs_at + timedelta(hours=24))
    service.rows(_MAKE_DUE)
    began, used_s = time.monotonic(), [processor_s(service)]
    watched = order(service, orders, every_s, departs_at)
    wait_until(lambda: service.rows(_DUE)[0][0] == 0, PATIENCE_S, every_s=1.0)
    watched_s = time.monotonic() - began
    used_s.append(processor_s(service))
    alone = order(service, orders, every_s, departs_at)
    used_s.append(processor_s(service))
    before, with_watches, without = used_s
    under_way = service.rows(_UNDER_WAY)[0][0]
    rows = [(name, f"{median(each):.2f}", f"{max(each):.2f}")
            for name, each in (("alone", alone), ("with watches", watched))]  # fmt: skip
    print_table(("orders", "median delay [s]", "longest [s]"), rows)
    return {
        "voyages": under_way,
        "advised": service.rows(_ADVISED)[0][0],
        "orders": orders,
        "alone_median_s": round(median(alone), 2),
        "watched_median_s": round(median(watched), 2),
        "more_pct": round(100.0 * (median(watched) / median(alone) - 1.0), 1),
        "all_watched_s": round(watched_s, 1),
        "watch_processor_s": round((2.0 * with_watches - before - without) / under_way, 2),
    }


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voyages", type=int, default=200)
    parser.add_argument("--orders", type=int, default=50)
    parser.add_argument("--every", type=float, default=6.0, help="seconds between orders")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=8036)
    asked = parser.parse_args()
    with own_files(small_disk=False), installation(asked.port, asked.workers) as service:
        print_result(run(service, asked.voyages, asked.orders, asked.every))


if __name__ == "__main__":
    main()
