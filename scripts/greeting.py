"""The message of `make run`: the address, the sign-in, and a command for a first route."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setup_steps import ROOT

if TYPE_CHECKING:
    from run import Settings


def ask_service(settings: Settings, path: str, body: Any = None) -> Any:
    """Call an operation of the service with the demo's key; return its answer."""
    request = urllib.request.Request(  # noqa: S310 (our own address)
        f"{settings.address}/v1{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "X-API-Key": settings.demo_key.read_text().strip(),
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


def demo_vessel(settings: Settings) -> str | None:
    """Return the id of the demo organization's first vessel, ``None`` if it has none."""
    vessels = ask_service(settings, "/vessel")["items"]
    return str(vessels[-1]["id"]) if vessels else None


def greeting(settings: Settings, email: str) -> str:
    """Return the message with the address, the sign-in and a command for a first route.

    Without the demo user's ``email`` it names no sign-in.
    """
    key = _shown(settings.demo_key)
    lines = {"API": f"{settings.address}/docs, key in {key}"}
    if email:
        password = settings.demo_password.read_text().strip()
        lines = {"Sign in": f"{email}, password {password}", **lines}
    return _message(settings, lines, order_line(settings, key))


def order_line(settings: Settings, key: Path) -> str:
    """Return the command that requests a first route, or why there is none."""
    try:
        vessel = demo_vessel(settings)
    except OSError as error:
        if getattr(error, "code", None) == HTTPStatus.UNAUTHORIZED:
            return f"The key in {key} is no longer valid; issue another one to use the API."
        return f"The demo's vessel cannot be read ({error}); see the logs."
    if vessel is None:
        return "The demo has no vessel; add one on the page Fleet to plan routes."
    departure = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) + timedelta(days=1)
    order = json.dumps(first_order(vessel, departure))
    return f"""A first route, Rotterdam to Singapore:

curl -s {settings.address}/v1/charting -H "X-API-Key: $(cat {key})" \
-H 'Content-Type: application/json' -d '{order}'"""


def bare_greeting(settings: Settings) -> str:
    """Return the message without a demo: the address, and how to create the first user."""
    text = """Other machines can connect, so there is no demo user (DEMO=1 creates one).
docs/operations.md describes how to create your organization and its admin."""
    return _message(settings, {"API": f"{settings.address}/docs"}, text)


def _message(settings: Settings, lines: Mapping[str, str], text: str) -> str:
    """Return the message with a line for the map, those given, and one for the logs."""
    named = {"Map": f"{settings.address}/", **lines, "Logs": str(_shown(settings.logs))}
    listed = "\n".join(f"  {name:<8} {value}" for name, value in named.items())
    return f"\nChartroom is ready.\n\n{listed}\n\n{text}\n\nCtrl-C stops all of it."


def _shown(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def first_order(vessel_id: str, departure: datetime) -> dict[str, object]:
    """Return the request for a voyage from Rotterdam to Singapore by Suez."""
    return {
        "portFromName": "Rotterdam",
        "latFrom": 51.98,
        "lngFrom": 4.05,
        "portToName": "Singapore",
        "latTo": 1.25,
        "lngTo": 103.83,
        "startDate": departure.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "vesselId": vessel_id,
        "speedRangeMin": 11,
        "speedRangeMax": 15,
        "draft": 12.2,
        "trim": 0,
        "rpm": 110,
        "dwt": 68000,
        "lbp": 225.5,
        "pitch": 5.1,
        "optimizationType": "FUEL",
        "routeType": "WX",
        "avoidWarZones": False,
        "avoidPiracyAreas": False,
    }
