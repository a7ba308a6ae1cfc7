"""Time of statistics over a year of telemetry: fleet list, vessel page, one vessel's figures.

Needs an empty database of its own:

    python scripts/local_services.py run --throwaway --dir var/bench -- \
        python -m benchmarks.fleet --ships 200 --records-per-day 24

Each figure is the median of warm requests [s]; ``first`` is the single request before them, with
cold caches. Workers have summed up the days by then. A second organization has one vessel with a
year of records 5 minutes apart.
"""

import argparse
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from app import create_app
from app.api.examples import BODIES
from app.config import Settings
from app.models import Role, utc_now
from app.records.instants import format_instant
from app.services.identity import users
from app.services.platform.sessions import operator_session
from app.services.vessels import telemetry, telemetry_sums
from benchmarks.report import print_result, print_table
from benchmarks.world import add_vessel, create_organization, prepare_database, tidy_database

DAYS: Final = 365
MINUTES_PER_DAY: Final = 1440
PASSWORD: Final = "seven seas and a harbour"  # noqa: S105 - of a throw-away database
SUMMARY: Final = {"fuelMt": 200, "distanceNm": 4000, "durationH": 240, "savedPct": 1}
HTML: Final = {"Accept": "text/html"}

#: Speed that varies with weeks and waves, with four days a month in port.
_RECORDS = text(
    "INSERT INTO telemetry (organization_id, vessel_id, timestamp, latitude, longitude, speed_kn,"
    " heading_deg, rpm, fuel_consumption_t_day, draft_m, engine_load_pct)"
    " SELECT :organization_id, :vessel_id, instant, 50 * sin(days / 20), 4 * days - 170,"
    " speed, 90, 80, 2 + speed ^ 3 / 100, 12, 60"
    " FROM (SELECT :first + n * CAST(:step AS interval) AS instant,"
    "   n * extract(epoch FROM CAST(:step AS interval)) / 86400 AS days"
    "   FROM generate_series(0, :count - 1) AS n) AS made,"
    " LATERAL (SELECT CASE WHEN mod(CAST(days AS integer), 30) < 4 THEN 0"
    "   ELSE 12 + 2 * sin(days * 3) + sin(days * 40) END AS speed) AS sailed"
)
_CHARTINGS = text(
    "INSERT INTO charting (id, organization_id, vessel_id, port_from_name, port_to_name,"
    " latest_revision, completed_revision, created_by)"
    " SELECT gen_random_uuid(), :organization_id, :vessel_id, 'Rotterdam', 'London', 1, 1, 'bench'"
    " FROM generate_series(1, :count) RETURNING id"
)
_REVISION = text(
    "INSERT INTO charting_revision (organization_id, charting_id, revision, request, vessel,"
    " status, queued_by, summary, label, warnings) VALUES (:organization_id, :charting_id, 1,"
    " CAST(:request AS json), '{}', 'COMPLETED', 'bench', CAST(:summary AS json), 'bench', '[]')"
)


@dataclass(frozen=True, slots=True)
class World:
    """An organization, its key, a signed-in browser and its vessels."""

    key: str
    browser: FlaskClient
    vessel_ids: list[UUID]


def main() -> None:
    """Fill a database, send requests, and print their times; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ships", type=int, default=200)
    parser.add_argument("--records-per-day", type=int, default=24)
    parser.add_argument("--voyages", type=int, default=12, help="planned per ship in the year")
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    settings = prepare_database()
    app = create_app(settings)
    fleet = fill(app, "fleet", asked.ships, asked.records_per_day, asked.voyages)
    dense = fill(app, "dense", 1, 288, asked.voyages)
    settle(settings)
    measured = {
        **measure(app, fleet, "fleet", asked.repeat),
        **measure(app, dense, "dense", asked.repeat),
    }
    print_table(
        ("request", "first [s]", "median [s]"),
        [(name, f"{first:.3f}", f"{warm:.3f}") for name, (first, warm) in measured.items()],
    )
    result: dict[str, Any] = {"ships": asked.ships, "records_per_day": asked.records_per_day}
    for name, (first, warm) in measured.items():
        result |= {f"{name}_first_s": round(first, 4), f"{name}_s": round(warm, 4)}
    print_result(result)


def fill(app: Flask, name: str, ships: int, per_day: int, voyages: int) -> World:
    """Create an organization whose ships reported for a year until now, and sign in."""
    step = timedelta(minutes=MINUTES_PER_DAY / per_day)
    count = DAYS * per_day
    end = utc_now().replace(second=0, microsecond=0)
    first = end - (count - 1) * step
    email = f"{name}-{os.getpid()}@ship.example"
    organization_id, key = create_organization(app, name)
    with app.app_context():
        instants = [first + number * step for number in range(count)]
        with operator_session(organization_id) as session:
            users.create(
                session, organization_id, email=email, password=PASSWORD, role=Role.PLANNER,
                name="Bench",
            )  # fmt: skip
            telemetry.add_partitions(session, instants)
        vessel_ids = []
        for _ in range(ships):
            with operator_session(organization_id) as session:
                vessel = add_vessel(session, organization_id)
                owner = {"organization_id": organization_id, "vessel_id": vessel.id}
                span = {"first": first, "step": step, "count": count}
                session.execute(_RECORDS, owner | span)
                telemetry.count_days(session, vessel, instants)
                plan_voyages(session, owner, first, voyages)
                vessel_ids.append(vessel.id)
    return World(key, sign_in(app, email), vessel_ids)


def settle(settings: Settings) -> None:
    """Wait for the workers' sweeps and for the database's own maintenance."""
    worker = create_app(replace(settings, process_role="worker"))
    with worker.app_context():
        begun, days = time.perf_counter(), 0
        while more := telemetry_sums.sum_unsummed_days(utc_now(), for_s=10.0):
            days += more
    print(f"{days} days summed in {time.perf_counter() - begun:.1f} s")
    tidy_database(settings)


def plan_voyages(
    session: Session, owner: Mapping[str, UUID], first: datetime, voyages: int
) -> None:
    """Store consecutive voyages of ten days through the year."""
    ids = session.scalars(_CHARTINGS, {**owner, "count": voyages}).all()
    for number, charting_id in enumerate(ids):
        departs = first + timedelta(days=number * DAYS / voyages, hours=7, minutes=13)
        request = BODIES["createCharting"] | {"startDate": format_instant(departs)}
        summary = SUMMARY | {"eta": format_instant(departs + timedelta(days=10))}
        session.execute(
            _REVISION,
            {
                "organization_id": owner["organization_id"],
                "charting_id": charting_id,
                "request": json.dumps(request),
                "summary": json.dumps(summary),
            },
        )


def sign_in(app: Flask, email: str) -> FlaskClient:
    """Sign in as a browser does."""
    browser = app.test_client()
    page = browser.get("/sign-in", headers=HTML).text
    (token,) = re.findall(r'name="csrf-token" content="([^"]+)"', page)
    form = {"email": email, "password": PASSWORD, "csrf_token": token}
    if browser.post("/sign-in", data=form, headers=HTML).status_code != 302:
        raise RuntimeError("the sign-in failed")
    return browser


def measure(app: Flask, world: World, name: str, repeat: int) -> dict[str, tuple[float, float]]:
    """Return the seconds of the first request, and the median of the others."""
    api, headers = app.test_client(), {"X-API-Key": world.key}
    ship = world.vessel_ids[0]

    def page(path: str) -> Callable[[], Any]:
        return lambda: world.browser.get(path, headers=HTML)

    def report_and_summarise() -> Any:
        """Read the list after every ship has reported once more."""
        for vessel_id in world.vessel_ids:
            answer = api.post(f"/v1/telemetry/{vessel_id}", json=make_record(), headers=headers)
            if answer.status_code != 201:
                raise RuntimeError(answer.text)
        return time_one(page("/fleet/summaries"))

    found = {
        f"{name}_summaries": time_all(page("/fleet/summaries"), repeat),
        f"{name}_page": time_all(page(f"/fleet/{ship}"), repeat),
        f"{name}_records": time_all(page(f"/fleet/{ship}/records"), repeat),
        f"{name}_stats": time_all(
            lambda: api.get(f"/v1/vessel/{ship}/stats", headers=headers), repeat
        ),
    }
    after_reports = [report_and_summarise() for _ in range(repeat)]
    return found | {f"{name}_summaries_after_reports": (after_reports[0], median(after_reports))}


def make_record() -> dict[str, Any]:
    """Return a record of an instant."""
    return {
        "timestamp": format_instant(utc_now()), "latitude": 50, "longitude": -5, "speed": 12,
        "heading": 90, "rpm": 80, "fuelConsumption": 25, "draft": 12, "engineLoad": 60,
    }  # fmt: skip


def time_all(call: Callable[[], Any], repeat: int) -> tuple[float, float]:
    """Time a call once, and return that and the median of further calls."""
    first = time_one(call)
    return first, median(time_one(call) for _ in range(repeat))


def time_one(call: Callable[[], Any]) -> float:
    """Return the seconds of one request."""
    begun = time.perf_counter()
    answer = call()
    answer.get_data()
    taken = time.perf_counter() - begun
    if answer.status_code != 200:
        raise RuntimeError(answer.text[:500])
    return taken


if __name__ == "__main__":
    main()
