"""Demo organization for trying the service; creating it again changes nothing."""

import os
import secrets
from datetime import date
from pathlib import Path
from typing import Any, Final, NoReturn
from uuid import UUID

from sqlalchemy.orm import Session

from app.models import Role, Vessel, utc_now
from app.services.identity import keys, organizations, users
from app.services.platform.actor import Actor
from app.services.platform.sessions import operator_session
from app.services.upkeep import demo_records
from app.services.vessels import telemetry_batch, vessels

ORGANIZATION: Final = "Demo"
EMAIL: Final = "demo@chartroom.example"

#: The vessel's id, the same in every installation, so that examples can name it.
VESSEL_ID: Final = UUID("019b76da-a800-7000-8000-000000000001")

#: A Kamsarmax of 82,000 dwt: the dimensions of the class, no particular ship; the IMO number
#: holds its check digit but is not given to ships.
VESSEL: Final[dict[str, Any]] = {
    "name": "Noordster",
    "date_constructed": date(2015, 6, 1),
    "dwt_t": 82_000.0,
    "loa_m": 229.0,
    "lbp_m": 225.5,
    "breadth_m": 32.26,
    "depth_m": 20.05,
    "keel_to_mast_m": 46.0,
    "draft_design_m": 12.2,
    "draft_scantling_m": 14.45,
    "service_speed_kn": 14.0,
    "pitch_m": 5.1,
    "imo": "9999993",
    "type_code": 1,
    "gross_tonnage": 43_000.0,
    "fuel_type": "VLSFO",
    "installed_power_kw": 9_800.0,
    "propeller_diameter_m": 7.1,
}


def create(key_file: Path, password_file: Path) -> bool:
    """Create the demo organization with a user, a planner's key, a vessel and its telemetry.

    The vessel has a month of records up to the day on which it is first created. Return whether
    the user is still there; one who got another address is not created again.
    """
    organization_id = organizations.find_by_name(ORGANIZATION) or organizations.create(ORGANIZATION)
    with operator_session(organization_id) as session:
        has_user = _create_user(session, organization_id, password_file)
        _create_key(session, organization_id, key_file)
        _create_vessel(session, organization_id)
    return has_user


def _create_user(session: Session, organization_id: UUID, password_file: Path) -> bool:
    """Create the user of a new organization; return whether there is one."""
    user = users.find_in(session, organization_id, EMAIL)
    is_new = not users.list_users(session, organization_id)
    if not is_new and (user is None or password_file.exists()):
        return user is not None
    password = secrets.token_urlsafe(12)
    if user is not None:
        users.change(session, user, {"password": password})
    else:
        users.create(
            session, organization_id, email=EMAIL, password=password, role=Role.ADMIN, name="Demo"
        )
    _write_private(password_file, password)
    return True


def _create_key(session: Session, organization_id: UUID, key_file: Path) -> None:
    # a revoked key is not replaced: it must not come back at the next start
    if key_file.exists() and keys.is_known(session, organization_id, key_file.read_text().strip()):
        return
    issued = keys.issue(session, organization_id, Role.PLANNER, name="demo")
    _write_private(key_file, issued.secret)


def _create_vessel(session: Session, organization_id: UUID) -> None:
    there = session.get(Vessel, VESSEL_ID)  # also found when renamed or deleted
    if there is None and vessels.find_by_imo(session, organization_id, VESSEL["imo"]) is None:
        actor = Actor(organization_id=organization_id, name="demo", role=Role.ADMIN)
        vessel = vessels.create(session, actor, VESSEL | {"id": VESSEL_ID})
        lines = dict(enumerate(demo_records.list_lines(utc_now()), start=1))
        telemetry_batch.record_batch(session, vessel, lines, _refuse)


def _refuse(line: bytes) -> NoReturn:
    """Raise for a record of the demo that is not valid."""
    raise ValueError(f"invalid record of the demo vessel: {line!r}")


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text + "\n")
