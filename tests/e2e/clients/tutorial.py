"""The tutorial's flow by a generated client: ``python tutorial.py ADDRESS KEY``.

The client, generated as the package ``chartroom_client``, is on the path.
"""

import datetime as dt
import hashlib
import sys
import time
from typing import Any

from chartroom_client import AuthenticatedClient
from chartroom_client.api.charting import (
    create_charting,
    get_charting,
    get_charting_csv,
    get_charting_explanation,
    get_charting_rtz,
)
from chartroom_client.api.constraints import create_constraint, delete_constraint
from chartroom_client.api.organization import get_organization
from chartroom_client.api.telemetry import create_telemetry, list_telemetry
from chartroom_client.api.vessel import create_vessel, delete_vessel
from chartroom_client.api.vessel_statistics import get_vessel_statistics
from chartroom_client.models import (
    Charting,
    ChartingOptimizationType,
    ChartingRecordStatus,
    ChartingRouteType,
    Constraint,
    ConstraintGeometry,
    ConstraintLevel,
    ConstraintType,
    ProblemCode,
    Telemetry,
    Vessel,
)

ADDRESS, KEY = sys.argv[1:]
RING = [[-6.5, 48.2], [-5.6, 48.2], [-5.6, 48.8], [-6.5, 48.8], [-6.5, 48.2]]


def order(vessel_id: str) -> Charting:
    return Charting(
        port_from_name="Rotterdam", lat_from=51.98, lng_from=4.0,
        port_to_name="London", lat_to=51.5, lng_to=1.2,
        start_date=dt.datetime(2026, 4, 10, 6, tzinfo=dt.UTC), vessel_id=vessel_id,
        speed_range_min=10, speed_range_max=14, draft=10.5, trim=0, rpm=95,
        dwt=64000, lbp=225.5, pitch=5.1,
        optimization_type=ChartingOptimizationType.FUEL, route_type=ChartingRouteType.WX,
    )  # fmt: skip


def wait_until_planned(client: Any, charting_id: str) -> Any:
    while True:
        record = get_charting.sync(charting_id, client=client)
        if record.status in (ChartingRecordStatus.COMPLETED, ChartingRecordStatus.FAILED):
            return record
        time.sleep(0.5)


client = AuthenticatedClient(
    base_url=ADDRESS, token=KEY, prefix="", auth_header_name="X-API-Key", timeout=60
)
assert get_organization.sync(client=client).planners_manage_webhooks is False
particulars = Vessel(
    name="Noordster III", date_constructed=dt.date(2016, 9, 15), type_=1, dwt=82000, loa=229,
    lbp=225.5, breadth=32.26, depth=20.05, draft_design=12.2, draft_scant=14.45, service_speed=14,
    pitch=5.1,
)  # fmt: skip
vessel = create_vessel.sync(client=client, body=particulars)
geometry = ConstraintGeometry.from_dict({"type": "Polygon", "coordinates": [RING]})
practice = Constraint(
    name="Firing practice", geometry=geometry, type_=ConstraintType.MILITARY,
    level=ConstraintLevel.VESSEL_TYPE, vessel_type_ids=["1"],
)  # fmt: skip
constraint = create_constraint.sync(client=client, body=practice)
refused = get_charting_csv.sync("nonsense", client=client)
assert refused.code == ProblemCode.NOT_FOUND, refused
ordered = create_charting.sync(client=client, body=order(vessel.id))
record = wait_until_planned(client, ordered.id)
assert record.status == ChartingRecordStatus.COMPLETED, record.failure
assert record.failure is None
assert record.waypoints[0].leg_geometry is None
assert record.summary.distance_nm > 90
assert "nm" in get_charting_explanation.sync(ordered.id, client=client).summary
csv = get_charting_csv.sync_detailed(ordered.id, client=client)
digest = hashlib.sha256(csv.content).hexdigest()
assert csv.headers["X-Content-Hash"] == f"sha256:{digest}"
assert csv.parsed.startswith("index,lat,lng")
assert get_charting_rtz.sync(ordered.id, client=client).payload.read().startswith(b"<?xml")
sailed = Telemetry(
    timestamp=dt.datetime(2026, 4, 11, 12, tzinfo=dt.UTC), latitude=49.2, longitude=-5.1,
    heading=220, speed=12.4, rpm=84, fuel_consumption=24.6, draft=10.5, engine_load=61,
)  # fmt: skip
create_telemetry.sync(vessel.id, client=client, body=sailed)
assert list_telemetry.sync(vessel.id, client=client, from_="2026-04-11").total == 1
assert get_vessel_statistics.sync(vessel.id, client=client).telemetry_count == 1
assert delete_constraint.sync_detailed(constraint.id, client=client).status_code == 204
assert delete_vessel.sync_detailed(vessel.id, client=client).status_code == 204
sys.stdout.write("done\n")
