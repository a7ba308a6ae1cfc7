"""Time of reading telemetry, and of batches compared with a bare COPY.

Needs an empty database of its own:

    python scripts/local_services.py run --throwaway --dir var/bench -- \
        python -m benchmarks.telemetry
"""

import argparse
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from flask.testing import FlaskClient
from sqlalchemy import text

from app import create_app
from app.services.platform.sessions import operator_session
from app.services.vessels import telemetry
from app.services.vessels.telemetry_fields import COLUMNS, FIELDS
from benchmarks.report import print_result, print_table
from benchmarks.world import add_vessel, create_organization, prepare_database, tidy_database

FIRST = datetime(2025, 1, 1, tzinfo=UTC)
STEP = timedelta(minutes=5)
BATCH = 5000

#: 100,000 records are 2,000 pages of this size.
PAGE_SIZE = 50

FILL = text(
    "INSERT INTO telemetry (organization_id, vessel_id, timestamp, latitude, longitude, speed_kn,"
    " heading_deg, rpm, fuel_consumption_t_day, draft_m, engine_load_pct)"
    " SELECT :organization_id, :vessel_id, :first + n * interval '5 minutes', 50 * sin(n / 5e3),"
    " 0.004 * (n % 40000) - 80, 12 + 2 * sin(n / 50.0), 90, 80, 25 + 5 * sin(n / 50.0), 12, 60"
    " FROM generate_series(0, :count - 1) AS n"
)


def main() -> None:
    """Fill a database, send requests, and print the times; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vessels", type=int, default=20)
    parser.add_argument("--records", type=int, default=100_000, help="per vessel, 5 min apart")
    arguments = parser.parse_args()
    settings = prepare_database()
    app = create_app(settings)
    organization_id, key = create_organization(app, "Benchmark")
    with app.app_context():
        vessel_ids = fill(organization_id, arguments.vessels, arguments.records)
    tidy_database(settings)
    result = {
        "records": arguments.vessels * arguments.records,
        **measure_reading(app.test_client(), key, vessel_ids, arguments.records),
        **measure_batches(
            app.test_client(), key, organization_id, vessel_ids[0], settings.database_url
        ),
    }
    print_table(("figure", "value"), [(name, f"{value:.4g}") for name, value in result.items()])
    print_result(result)


def fill(organization_id: UUID, vessels: int, records: int) -> list[UUID]:
    """Create vessels with records; return their ids."""
    vessel_ids = []
    with operator_session(organization_id) as session:
        instants = [FIRST + number * STEP for number in range(records)]
        telemetry.add_partitions(session, instants)
        for _ in range(vessels):
            vessel = add_vessel(session, organization_id)
            owner = {"organization_id": organization_id, "vessel_id": vessel.id}
            session.execute(FILL, owner | {"first": FIRST, "count": records})
            telemetry.count_days(session, vessel, instants)
            vessel_ids.append(vessel.id)
    return vessel_ids


def measure_reading(
    client: FlaskClient, key: str, vessel_ids: list[UUID], records: int
) -> dict[str, float]:
    """Return the milliseconds of one day, the last page and a year's statistics."""
    headers = {"X-API-Key": key}
    rng = np.random.default_rng(1)
    days = int(records * STEP / timedelta(days=1))

    def get(path: str) -> Callable[[], None]:
        def ask() -> None:
            response = client.get(f"/v1{path}", headers=headers)
            if response.status_code != 200:
                raise RuntimeError(response.text)

        return ask

    def one_day() -> str:
        day = (FIRST + timedelta(days=int(rng.integers(days)))).date()
        return f"/telemetry/{rng.choice(vessel_ids)}?from={day}&to={day}&pageSize=1000"

    last = records // PAGE_SIZE
    deep = f"/telemetry/{vessel_ids[0]}?page={last}&pageSize={PAGE_SIZE}"
    year = f"/vessel/{vessel_ids[0]}/stats?from=2025-01-01&to=2025-12-31"
    return {
        "day_p95_ms": percentile_ms([get(one_day()) for _ in range(100)]),
        f"page_{last}_p95_ms": percentile_ms([get(deep)] * 20),
        "year_stats_p95_ms": percentile_ms([get(year)] * 10),
    }


def percentile_ms(calls: Sequence[Callable[[], object]], percent: float = 95.0) -> float:
    """Return a percentile of the calls' times [ms], without the first one."""
    taken = []
    for call in calls:
        begun = time.perf_counter()
        call()
        taken.append(1000.0 * (time.perf_counter() - begun))
    return float(np.percentile(taken[1:], percent))


def measure_batches(
    client: FlaskClient, key: str, organization_id: UUID, vessel_id: UUID, database_url: str
) -> dict[str, float]:
    """Return records per second by the API and by a bare COPY of the same rows, alternately."""
    shares, through_api = [], []
    for round_ in range(9):
        start = FIRST - timedelta(days=60 * (round_ + 1))
        records = [make_record(start + number * STEP) for number in range(BATCH)]
        api_s = time_batch(client, key, vessel_id, records)
        through_api.append(BATCH / api_s)
        # the partitions exist, and a minute later nothing is stored
        later = [make_record(start + number * STEP + STEP / 5) for number in range(BATCH)]
        shares.append(time_copy(database_url, organization_id, vessel_id, later) / api_s)
    return {
        "batch_records_per_s": float(np.median(through_api)),
        "batch_share_of_copy_pct": 100.0 * float(np.median(shares)),
    }


def make_record(instant: datetime) -> dict[str, Any]:
    """Return a record with every field."""
    values = {field.name: 1.25 for field in FIELDS}
    return {"timestamp": instant.isoformat().replace("+00:00", "Z"), **values}


def time_batch(
    client: FlaskClient, key: str, vessel_id: UUID, records: list[dict[str, Any]]
) -> float:
    """Return the seconds of one batch by the API."""
    body = client.application.json.dumps(records)
    begun = time.perf_counter()
    response = client.post(
        f"/v1/telemetry/{vessel_id}/batch",
        data=body,
        content_type="application/json",
        headers={"X-API-Key": key},
    )
    taken = time.perf_counter() - begun
    if response.get_json()["stored"] != len(records):
        raise RuntimeError(response.text[:500])
    return taken


def time_copy(
    database_url: str, organization_id: UUID, vessel_id: UUID, records: list[dict[str, Any]]
) -> float:
    """Return the seconds of a bare COPY of such rows by the table's owner."""
    rows = [
        (
            organization_id,
            vessel_id,
            record["timestamp"],
            *(record[field.name] for field in FIELDS),
        )
        for record in records
    ]
    names = ", ".join(("organization_id", "vessel_id", *COLUMNS))
    with psycopg.connect(database_url) as database:
        database.execute("ALTER TABLE telemetry NO FORCE ROW LEVEL SECURITY")
        begun = time.perf_counter()
        with database.cursor().copy(f"COPY telemetry ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        taken = time.perf_counter() - begun
        database.rollback()
    return taken


if __name__ == "__main__":
    main()
