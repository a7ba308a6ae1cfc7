"""Random requests over every field of the API, for long tests.

Each request depends on its own seed alone, so any of them can be drawn again.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

import numpy as np

from app.datasources.ports import Port, list_ports
from app.engine.geodesy import great_circle_distance_nm, interpolate_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import FuelType, IceClass
from app.engine.request import Objective, Position, TrackKind

Json = dict[str, Any]

#: Typical hulls by type: length [m], length over breadth, breadth over design
#: draught, service speed [kn] and the block coefficient of the deadweight.
_HULLS: Final = {
    1: ((90, 330), (5.5, 7.0), (2.4, 3.2), (11.0, 15.5), 0.68),
    2: ((70, 333), (5.3, 6.6), (2.4, 3.4), (11.0, 16.0), 0.66),
    3: ((70, 220), (5.6, 6.6), (2.4, 3.2), (11.0, 15.0), 0.62),
    4: ((70, 290), (5.5, 6.6), (2.6, 3.8), (13.0, 18.5), 0.48),
    5: ((90, 399), (6.0, 7.8), (2.5, 4.0), (14.0, 24.0), 0.46),
    6: ((40, 200), (5.0, 7.0), (2.2, 3.0), (9.0, 16.0), 0.55),
    7: ((60, 230), (5.2, 7.2), (3.2, 5.0), (12.0, 21.0), 0.30),
    8: ((60, 340), (5.5, 8.0), (3.6, 5.5), (12.0, 22.0), 0.10),
    9: ((30, 200), (4.0, 6.5), (2.2, 4.0), (8.0, 16.0), 0.35),
    10: ((180, 330), (5.6, 6.6), (3.4, 4.4), (15.0, 20.0), 0.46),
}
#: Greatest length of short voyages [nm], and their share: they test as many rules.
_LONGEST_NM: Final = ((400.0, 0.35), (1_500.0, 0.3), (4_000.0, 0.2), (25_000.0, 0.15))
#: Days around which departures lie, for which weather is generated.
SEASONS: Final = tuple(datetime(2026, month, 10, tzinfo=UTC) for month in (1, 5, 9))


class Dice:
    """Random draws of one request."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = np.random.default_rng((seed, number))

    def between(self, least: float, greatest: float, decimals: int = 2) -> float:
        """Return a number in a range."""
        return round(float(self.random.uniform(least, greatest)), decimals)

    def happens(self, share: float) -> bool:
        """Return True with a probability."""
        return bool(self.random.random() < share)

    def pick(self, choices: Sequence[Any]) -> Any:
        """Return one of several values."""
        return choices[int(self.random.integers(len(choices)))]

    def maybe(self, share: float, value: Any) -> Any:
        """Return a value with a probability, otherwise ``None``."""
        return value if self.happens(share) else None


def draw_vessel(dice: Dice) -> Json:
    """Return a vessel as a client registers it."""
    code = dice.pick(list(_HULLS))
    lengths, slender, full, speeds, block = _HULLS[code]
    loa = dice.between(*lengths)
    lbp = round(loa * dice.between(0.93, 0.99), 2)
    breadth = round(lbp / dice.between(*slender), 2)
    draft = round(breadth / dice.between(*full), 2)
    scantling = round(draft * dice.between(1.0, 1.15), 2)
    froude_kn = 0.36 * np.sqrt(9.81 * lbp) / 0.514444
    return {
        "name": dice.maybe(0.8, "MV Soak Æ"),
        "dateConstructed": f"{dice.random.integers(1975, 2026)}-03-01",
        "dwt": round(block * dice.between(0.9, 1.05) * lbp * breadth * scantling * 1.025, 1),
        "loa": loa,
        "lbp": lbp,
        "breadth": breadth,
        "depth": round(scantling * dice.between(1.25, 1.8), 2),
        "draftDesign": draft,
        "draftScant": scantling,
        "serviceSpeed": round(min(dice.between(*speeds), froude_kn), 1),
        "pitch": round(0.62 * scantling * dice.between(0.7, 1.1), 2),
        "type": dice.maybe(0.9, code),
        "gt": dice.maybe(0.3, round(0.3 * lbp * breadth * scantling, 0)),
        "fuelType": dice.maybe(0.6, str(dice.pick(list(FuelType)))),
        "installedPowerKw": None,
        "iceClass": dice.maybe(0.3, str(dice.pick(list(IceClass)))),
        "propellerDiameter": dice.maybe(0.2, round(0.62 * scantling, 2)),
    }


def draw_order(dice: Dice, vessel: Json) -> Json:
    """Return a charting request for a registered vessel."""
    start, end = _draw_ends(dice)
    service_kn = vessel["serviceSpeed"]
    fastest = max(1.0, round(service_kn * dice.between(0.6, 1.1), 1))
    slowest = fastest if dice.happens(0.15) else max(1.0, round(fastest * dice.between(0.3, 1), 1))
    departs_at = dice.pick(SEASONS) + timedelta(hours=dice.between(-48.0, 240.0))
    miles = float(great_circle_distance_nm(*start, *end))
    longest = timedelta(hours=miles / fastest * dice.between(0.5, 3.0) + 1.0)
    draft = round(vessel["draftScant"] * dice.between(0.45, 1.0), 2)
    wave_unit, wind_unit = dice.pick(["meters", "douglas"]), dice.pick(["m/s", "bf"])
    return {
        "latFrom": start.lat,
        "lngFrom": start.lng,
        "nidFrom": dice.maybe(0.2, "NLRTM"),
        "portFromName": dice.pick(["Départ", "Port A"]),
        "latTo": end.lat,
        "lngTo": end.lng,
        "portToName": "Port B",
        "startDate": departs_at.isoformat(),
        "endDate": dice.maybe(0.35, (departs_at + longest).isoformat()),
        "vesselId": "vessel",
        "speedRangeMin": slowest,
        "speedRangeMax": fastest,
        "draft": max(0.6, draft),
        "trim": dice.pick([0.0, 0.0, 0.5, -0.3, 2.0, dice.between(-3.0, 5.0)]),
        "rpm": dice.pick([60.0, 90.0, 120.0, 180.0, dice.between(30.0, 400.0)]),
        "dwt": round(vessel["dwt"] * dice.between(0.05, 1.0), 1),
        "lbp": vessel["lbp"],
        "pitch": vessel["pitch"],
        "optimizationType": str(dice.pick(list(Objective))),
        "routeType": str(dice.pick([*TrackKind, TrackKind.WEATHER, TrackKind.WEATHER])),
        "maxWaveHeight": dice.maybe(0.4, _draw_wave_limit(dice, wave_unit)),
        "waveUnit": wave_unit,
        "maxWindBf": dice.maybe(0.3, _draw_wind_limit(dice, wind_unit)),
        "windUnit": wind_unit,
        "maxNorthLat": dice.maybe(0.2, _draw_north_limit(dice, start, end)),
        "maxSouthLat": dice.maybe(0.1, -_draw_north_limit(dice, _mirror(start), _mirror(end))),
        "noGoAreas": dice.maybe(0.3, _draw_areas(dice, start, end, departs_at)),
        "avoidEca": dice.happens(0.3),
        "avoidPiracyAreas": dice.happens(0.7),
        "avoidWarZones": dice.happens(0.7),
        "importedData": dice.maybe(0.3, _draw_references(dice, start, end)),
        "isAlterFrom": dice.happens(0.1),
    }


@cache
def _ports() -> tuple[Port, ...]:
    return tuple(list_ports())


def _draw_ends(dice: Dice) -> tuple[Position, Position]:
    """Return two places in reach of each other: mostly ports, otherwise anywhere."""
    shares = [share for _, share in _LONGEST_NM]
    longest_nm = _LONGEST_NM[int(dice.random.choice(len(shares), p=shares))][0]
    start = _draw_place(dice)
    if dice.happens(0.8):
        near = [
            port.position
            for port in _ports()
            if 1.0 < great_circle_distance_nm(*start, *port.position) < longest_nm
        ]
        return start, dice.pick(near) if near else _draw_place(dice)
    return start, _draw_place(dice)


def _draw_place(dice: Dice) -> Position:
    if dice.happens(0.75):
        return Position(*dice.pick(_ports()).position)
    # evenly over the sphere, sometimes on the antimeridian or at the limits of latitude
    lat = float(np.degrees(np.arcsin(dice.random.uniform(-0.98, 0.99))))
    lng = dice.pick([-180.0, 0.0, 179.999]) if dice.happens(0.1) else dice.between(-180.0, 179.9)
    return Position(round(lat, 3), lng)


def _draw_wave_limit(dice: Dice, unit: str) -> float:
    if unit == "douglas":
        return float(dice.random.integers(0, 10))
    return float(dice.pick([0.0, 0.01, 1.0, 3.0, 5.0, dice.between(0.0, 9.0), 40.0]))


def _draw_wind_limit(dice: Dice, unit: str) -> float:
    if unit == "bf":
        return float(dice.random.integers(0, 13))
    return float(dice.pick([0.0, 0.3, 8.0, dice.between(0.0, 30.0), 80.0]))


def _draw_north_limit(dice: Dice, start: Position, end: Position) -> float:
    northernmost = max(start.lat, end.lat)
    around = float(np.clip(northernmost + dice.between(-8.0, 15.0), -90.0, 90.0))
    return float(dice.pick([around, around, 75.0, 90.0, dice.between(-90.0, 90.0)]))


def _mirror(position: Position) -> Position:
    return Position(-position.lat, position.lng)


def _draw_areas(dice: Dice, start: Position, end: Position, departs_at: datetime) -> list[Any]:
    return [_draw_area(dice, start, end, departs_at) for _ in range(dice.random.integers(0, 4))]


def _draw_area(dice: Dice, start: Position, end: Position, departs_at: datetime) -> Any:
    """Return a box in the middle of the voyage, as a polygon, a dated feature or a bare ring."""
    lat, lng = interpolate_leg(start, end, LegGeometry.GREAT_CIRCLE, dice.between(0.15, 0.85))
    half_lat, half_lng = dice.between(0.02, 2.0), dice.between(0.02, 3.0)
    south, north = max(-89.0, float(lat) - half_lat), min(89.0, float(lat) + half_lat)
    west, east = float(lng) - half_lng, float(lng) + half_lng
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    kind = dice.pick(["geometry", "feature", "ring"])
    if kind == "ring":
        return ring
    if kind == "geometry":
        return geometry
    begins = departs_at.date() + timedelta(days=int(dice.random.integers(-2, 8)))
    ends = begins + timedelta(days=int(dice.random.integers(0, 10)))
    dates = {
        "start_date": dice.maybe(0.7, begins.isoformat()),
        "end_date": dice.maybe(0.7, ends.isoformat()),
    }
    return {"type": "Feature", "properties": {"name": "Box", **dates}, "geometry": geometry}


def _draw_references(dice: Dice, start: Position, end: Position) -> list[Json]:
    return [_draw_reference(dice, start, end) for _ in range(dice.random.integers(0, 3))]


def _draw_reference(dice: Dice, start: Position, end: Position) -> Json:
    """Return a reference route: near the great circle, anywhere, or one place repeated."""
    if dice.happens(0.2):
        places = [_draw_place(dice) for _ in range(dice.random.integers(2, 6))]
    else:
        shares = np.linspace(0.0, 1.0, int(dice.random.integers(2, 12)))
        lats, lngs = interpolate_leg(start, end, LegGeometry.GREAT_CIRCLE, shares)
        places = [Position(float(a), float(b)) for a, b in zip(lats, lngs, strict=True)]
    if dice.happens(0.2):
        places.insert(1, places[0])
    if dice.happens(0.1):
        places = [places[0]] * len(places)
    return {"name": "Theirs", "waypoints": [{"lat": p.lat, "lng": p.lng} for p in places]}


def write_order(vessel: Json, order: Json) -> str:
    """Return a request with its vessel, for a manual test."""
    return json.dumps({"vessel": vessel, "order": order})
