"""Time of preview and import of noon reports from a large spreadsheet by the API.

Needs an empty database of its own:

    python scripts/local_services.py run --throwaway --dir var/bench -- \
        python -m benchmarks.noon_reports
"""

import argparse
import csv
import io
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import openpyxl

from app import create_app
from app.models import Role, Vessel
from app.services.platform.sessions import operator_session
from app.services.upkeep import demo
from benchmarks.report import print_result, print_table
from benchmarks.world import create_organization, prepare_database

FIRST = datetime(2001, 1, 1, 12, tzinfo=UTC)
#: Shorter than a day, so that 50,000 reports fit into 23 years.
STEP = timedelta(hours=4)
HEADER = (
    *("Date (UTC)", "Latitude", "Longitude", "Steaming Hours", "Distance (nm)", "SOG (kn)"),
    *("STW (kn)", "Course", "Draft Fwd (m)", "Draft Aft (m)", "RPM", "ME Power (kW)"),
    *("ME FO Cons (mt)", "AE Cons (mt)", "Wind Force", "Wind Dir", "Wave Height (m)", "Remarks"),
)


def main() -> None:
    """Import files of both kinds and print the times; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    rows = [HEADER, *make_rows(parser.parse_args().rows)]
    app = create_app(prepare_database())
    owner, key = create_organization(app, "noon reports", Role.ADMIN)
    headers = {"X-API-Key": key}
    with app.app_context(), operator_session(owner) as session:
        ships = [Vessel(organization_id=owner, **(demo.VESSEL | {"imo": None})) for _ in "12"]
        session.add_all(ships)
        session.flush()
        vessel_ids = [ship.id for ship in ships]
    client, found = app.test_client(), {}
    files = (("csv", write_csv(rows)), ("xlsx", write_xlsx(rows)))
    for vessel_id, (kind, content) in zip(vessel_ids, files, strict=True):
        path = f"/v1/vessel/{vessel_id}/noon-reports"
        for name, address in (("preview", f"{path}/preview"), ("import", path), ("again", path)):
            begun = time.perf_counter()
            data = {"file": (io.BytesIO(content), f"noon.{kind}")}
            answer = client.post(address, data=data, headers=headers)
            found[f"{kind}_{name}_s"] = round(time.perf_counter() - begun, 2)
            if answer.status_code != 200 or answer.get_json()["faultCount"]:
                raise SystemExit(answer.text[:2000])
    print_table(("what", "s"), list(found.items()))
    print_result({"rows": len(rows) - 1} | found)


def make_rows(count: int) -> Iterator[tuple[object, ...]]:
    """Return reports of a ship under way at varying speeds."""
    rng = np.random.default_rng(1)
    for number in range(count):
        speed = round(12.0 + 2.0 * float(np.sin(number / 50.0)), 1)
        when = FIRST + number * STEP
        yield (
            *(f"{when:%Y-%m-%d %H:%M}", round(float(50.0 * np.sin(number / 5e3)), 3)),
            *(round((0.4 * number) % 360.0 - 180.0, 3), 24, round(24 * speed, 1), speed),
            *(round(speed + 0.2, 1), number % 360, 11.8, 12.2, 84, 7200),
            *(round(0.012 * speed**3 + float(rng.normal(0.0, 0.4)), 2), 2.1, number % 9),
            *((7 * number) % 360, 1.5, "Moderate sea, vessel rolling easily"),
        )


def write_csv(rows: list[tuple[object, ...]]) -> bytes:
    """Write rows as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def write_xlsx(rows: list[tuple[object, ...]]) -> bytes:
    """Write rows as a workbook."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


if __name__ == "__main__":
    main()
