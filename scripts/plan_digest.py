"""Print a digest of seeded plans, so that a change of the engine that should change none is seen.

``python scripts/plan_digest.py [--n N]`` plans twelve routes by five settings through seeded
storms. It prints one line for each plan: the route, the setting and the SHA-256 of its rounded
figures, positions, times and codes, but not of its texts. The last line is one JSON object.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Any, Final

from shapely.geometry import MultiPolygon, box

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.datasources.weather.store import open_run  # noqa: E402
from app.engine.area import Area, AreaKind, AreaRule  # noqa: E402
from app.engine.errors import VoyageError  # noqa: E402
from app.engine.planner import plan_voyage  # noqa: E402
from app.engine.request import Limits, Objective, Position, ReferenceRoute, VoyageRequest  # noqa: E402
from app.engine.sea.atlas import SeaAtlas  # noqa: E402
from app.engine.sea.path import SeaPath  # noqa: E402
from app.engine.weather import WeatherField  # noqa: E402
from benchmarks.atlas import SMALL_SHIP, open_atlas  # noqa: E402
from benchmarks.optimise import ROUTES, SHIPS  # noqa: E402
from benchmarks.report import print_result  # noqa: E402
from benchmarks.storm_weather import make_storms  # noqa: E402

_DEPARTS_AT: Final = tuple(datetime(2026, 2 * month, 10, tzinfo=UTC) for month in range(1, 6))
_CODE: Final = re.compile(r"[A-Z][A-Z_]+")
_DIGITS: Final = 5


def make_request(route: str, seed: int, sea: SeaAtlas) -> VoyageRequest:
    """Return the request of a route and a setting: objective, deadline, limits and areas."""
    start, end = (Position(*place) for place in ROUTES[route])
    ship, loading = tuple(SHIPS.values())[seed % len(SHIPS)]
    path = sea.find_paths(start, end, ship=SMALL_SHIP, most=1)[0]
    departs_at, hours = _DEPARTS_AT[seed], path.distance_nm / (0.85 * ship.service_speed_kn)
    request = VoyageRequest(
        departure=start,
        arrival=end,
        departs_at=departs_at,
        ship=ship,
        loading=loading,
        speed_min_kn=0.6 * ship.service_speed_kn,
        speed_max_kn=1.05 * ship.service_speed_kn,
        arrive_by=departs_at + timedelta(hours=hours),
    )
    middle_h = timedelta(hours=0.5 * hours)
    settings: tuple[dict[str, Any], ...] = (
        {"limits": Limits(wave_height_m=8.0)},
        {
            "objective": Objective.BALANCED,
            "limits": Limits(wind_speed_ms=24.0),
            "areas": (
                replace(
                    _area(path, 0.5, AreaRule.NO_ENTRY),
                    starts_at=departs_at,
                    ends_at=departs_at + middle_h + timedelta(hours=12.0),
                ),
            ),
        },
        {"objective": Objective.TIME, "areas": (_area(path, 0.4, AreaRule.PRICED),)},
        {"limits": Limits(wave_height_m=5.5), "arrive_by": None},
        {
            "areas": (_area(path, 0.6, AreaRule.NO_ENTRY),),
            "reference_routes": (ReferenceRoute("line", (start, end)),),
        },
    )
    return replace(request, **settings[seed])


def _area(path: SeaPath, share: float, rule: AreaRule) -> Area:
    """Return a box of four degrees about a place on the longest leg of a path."""
    lats, lngs = path.lats, path.lngs
    longest = int(abs(lngs[1:] - lngs[:-1]).clip(0.0, 180.0).argmax())
    lat = float(lats[longest] + share * (lats[longest + 1] - lats[longest]))
    lng = float(lngs[longest] + share * (lngs[longest + 1] - lngs[longest]))
    square = MultiPolygon([box(lng - 2.0, lat - 2.0, lng + 2.0, lat + 2.0)])
    return Area("area", "Area", AreaKind.CONSTRAINT, rule, square)


def list_figures(value: Any) -> Iterator[str]:  # any record
    """List the numbers, times and codes of a record, in a fixed order, and no other text."""
    if is_dataclass(value):
        for field in fields(value):
            yield from list_figures(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from list_figures(value[key])
    elif isinstance(value, Enum):
        yield str(value.value)
    elif isinstance(value, str):
        yield from [value] if _CODE.fullmatch(value) else []
    elif isinstance(value, float):
        yield f"{round(value, _DIGITS) + 0.0}"
    elif isinstance(value, Sequence):
        for part in value:
            yield from list_figures(part)
    else:
        yield str(value)


def digest(request: VoyageRequest, sea: SeaAtlas, weather: WeatherField | None) -> str:
    """Return the digest of the plan, or of the error that refuses it."""
    try:
        answer: Any = plan_voyage(request, sea, weather)
    except VoyageError as error:
        answer = (error.code, {key: str(value) for key, value in error.data.items()})
    return hashlib.sha256("\n".join(list_figures(answer)).encode()).hexdigest()


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=60)
    options = parser.parse_args()
    sea = open_atlas()
    climatology = open_run(ROOT / "var" / "weather" / "climatology")
    cases = sorted(product(ROUTES, range(5)), key=lambda c: (c[1] - list(ROUTES).index(c[0])) % 5)
    lines = []
    weather: dict[int, WeatherField] = {}
    for route, seed in cases[: options.n]:
        if seed not in weather:
            weather[seed] = make_storms(seed, _DEPARTS_AT[seed], climatology, days=40)
        lines.append(digest(make_request(route, seed, sea), sea, weather[seed]))
        print(f"{route:26} {seed} {lines[-1]}", flush=True)
    print_result(
        {"plans": len(lines), "sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}
    )


if __name__ == "__main__":
    main()
