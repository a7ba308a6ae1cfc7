"""Growth of reading time with stored rows: to a million chartings and fifty million records.

Needs an empty database of its own:

    python scripts/local_services.py run --throwaway --dir var/bench -- \
        python -m benchmarks.stored_growth

Everything belongs to one organization. Each figure is the median of warm requests [ms]. The
exponent is that of time over rows from the smallest to the largest amount: 0 where time stays
constant, 1 where it grows in proportion.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache, partial
from itertools import pairwise
from typing import Final
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text

from app import create_app
from app.config import Settings
from app.models import ChartingRevision, Vessel, utc_now
from app.services.platform.sessions import cross_tenant_session, operator_session
from app.services.upkeep import sweeper
from benchmarks.report import print_result, print_table
from benchmarks.telemetry import FIRST, fill, percentile_ms
from benchmarks.world import add_vessel, create_organization, prepare_database, tidy_database

CHARTINGS: Final = (1_000, 10_000, 100_000, 1_000_000)
RECORDS: Final = (500_000, 5_000_000, 50_000_000)
#: Telemetry records of a vessel: a year, 5 minutes apart.
RECORDS_PER_VESSEL: Final = 100_000
#: Rows of one statement: a longer one is cancelled.
MOST_AT_ONCE: Final = 50_000
PAGE_SIZE: Final = 20
TIMES: Final = 15

_CHARTINGS = text(
    "WITH made AS (INSERT INTO charting (id, organization_id, vessel_id, port_from_name,"
    " port_to_name, latest_revision, completed_revision, created_by) SELECT gen_random_uuid(),"
    " :organization, :vessel, 'Rotterdam', 'London', 1, 1, 'benchmark'"
    " FROM generate_series(1, :count) RETURNING organization_id, id)"
    " INSERT INTO charting_revision (organization_id, charting_id, revision, request, vessel,"
    " status, queued_by, summary) SELECT organization_id, id, 1,"
    " json_build_object('startDate', to_char(now() - random() * interval '5 years',"
    " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')), json_build_object('name', 'Benchmark'),"
    " 'COMPLETED', 'benchmark',"
    " json_build_object('eta', '2026-03-03T00:00:00Z', 'fuelMt', 20, 'distanceNm', 400) FROM made"
)
Reading = Callable[[], object]


def main() -> None:
    """Fill a database step by step and read at each step; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chartings", type=int, default=CHARTINGS[-1], help="at most")
    parser.add_argument("--records", type=int, default=RECORDS[-1], help="of telemetry, at most")
    asked = parser.parse_args()
    settings = prepare_database()
    app = create_app(settings)
    organization_id, key = create_organization(app, "Benchmark")
    client = app.test_client()
    client.environ_base["HTTP_X_API_KEY"] = key
    with app.app_context(), operator_session(organization_id) as session:
        vessel_id = add_vessel(session, organization_id).id
    grown = {
        "chartings": measure_growth(
            settings, [n for n in CHARTINGS if n <= asked.chartings],
            lambda count: add_chartings(app, organization_id, vessel_id, count),
            list_charting_readings(app, client),
        ),
        "telemetry records": measure_growth(
            settings, [n for n in RECORDS if n <= asked.records],
            lambda count: add_telemetry(app, organization_id, count),
            list_telemetry_readings(client, cache(partial(find_reporting, app, organization_id))),
        ),
    }  # fmt: skip
    print_result({name: report(name, *found) for name, found in grown.items()})


def measure_growth(
    settings: Settings,
    amounts: Sequence[int],
    add: Callable[[int], None],
    readings: dict[str, Reading],
) -> tuple[Sequence[int], dict[str, list[float]]]:
    """Return medians [ms] of each reading at each amount."""
    taken: dict[str, list[float]] = {name: [] for name in readings}
    for before, amount in pairwise((0, *amounts)):
        add(amount - before)
        tidy_database(settings)
        for name, reading in readings.items():
            taken[name].append(percentile_ms([reading] * (TIMES + 1), 50.0))
    return amounts, taken


def add_chartings(app: Flask, organization_id: UUID, vessel_id: UUID, count: int) -> None:
    """Store completed chartings of a vessel."""
    whose = {"organization": organization_id, "vessel": vessel_id}
    for first in range(0, count, MOST_AT_ONCE):
        with app.app_context(), operator_session(organization_id) as session:
            session.execute(_CHARTINGS, whose | {"count": min(MOST_AT_ONCE, count - first)})


def add_telemetry(app: Flask, organization_id: UUID, count: int) -> None:
    """Store a year of telemetry for as many further vessels as needed."""
    for _ in range(count // RECORDS_PER_VESSEL):
        with app.app_context():
            fill(organization_id, vessels=1, records=RECORDS_PER_VESSEL)


def find_reporting(app: Flask, organization_id: UUID) -> UUID:
    """Return the newest vessel, which has telemetry."""
    with app.app_context(), operator_session(organization_id) as session:
        return session.scalars(select(Vessel.id).order_by(Vessel.id.desc())).first()  # type: ignore[return-value]


def list_charting_readings(app: Flask, client: FlaskClient) -> dict[str, Reading]:
    """Return the readings of chartings."""

    def read_newest() -> object:
        page = client.get(f"/v1/charting?pageSize={PAGE_SIZE}").get_json()
        return client.get(f"/v1/charting/{page['items'][0]['id']}").get_json()

    def look_for_forgotten() -> object:
        with app.app_context(), cross_tenant_session() as session:
            row = ChartingRevision
            return sweeper._find_lost(session, row, row.queued_at, row.charting_id, row.revision)

    return {
        "first page of the list": lambda: ask(client, f"/charting?pageSize={PAGE_SIZE}"),
        "list and one of it": read_newest,
        "active chartings": lambda: ask(client, "/charting/active"),
        "sweep for forgotten ones": look_for_forgotten,
    }


def list_telemetry_readings(
    client: FlaskClient, find_vessel: Callable[[], UUID]
) -> dict[str, Reading]:
    """Return the readings of one vessel's telemetry."""
    day = (FIRST + timedelta(days=100)).date()
    last = RECORDS_PER_VESSEL // 50
    return {
        "a day of one vessel": lambda: ask(
            client, f"/telemetry/{find_vessel()}?from={day}&to={day}&pageSize=1000"
        ),
        "last page of a vessel": lambda: ask(
            client, f"/telemetry/{find_vessel()}?page={last}&pageSize=50"
        ),
        "statistics of a year": lambda: ask(
            client, f"/vessel/{find_vessel()}/stats?from=2025-01-01&to={utc_now().date()}"
        ),
    }


def ask(client: FlaskClient, path: str) -> object:
    """Call the API; raise for any answer but 200."""
    answer = client.get(f"/v1{path}")
    if answer.status_code != 200:
        raise RuntimeError(answer.text[:500])
    return answer.get_json()


def report(
    name: str, amounts: Sequence[int], taken: dict[str, list[float]]
) -> dict[str, float | None]:
    """Print a table of the times; return their exponents."""
    exponents = {
        reading: round(math.log(times[-1] / times[0]) / math.log(amounts[-1] / amounts[0]), 2)
        if len(amounts) > 1 else None
        for reading, times in taken.items()
    }  # fmt: skip
    print_table(
        [name, *(f"{amount:,}" for amount in amounts), "exponent"],
        [
            [reading, *(f"{ms:.1f} ms" for ms in times), str(exponents[reading])]
            for reading, times in taken.items()
        ],
    )
    return exponents


if __name__ == "__main__":
    main()
