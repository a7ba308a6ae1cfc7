"""Provenance of a plan: versions and names of its sources, to judge and reproduce it."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.engine import __version__
from app.engine.area import Area, AreaKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.services.areas.areas_in_force import zone_catalogue
from app.zones.catalogue import ZONE_KINDS


def _describe_areas(weather: WeatherField) -> dict[str, dict[str, float]]:
    """Bounds [deg] of the regional forecasts, by run."""
    return {
        name: dict(zip(("south", "west", "north", "east"), bounds, strict=True))
        for name, bounds in weather.regional_bounds.items()
    }


_NOT_ORDERED = ZONE_KINDS | {AreaKind.CHART}


def _describe_ship(vessel: Mapping[str, Any]) -> dict[str, Any]:
    """Basis of the ship's model, from a vessel's snapshot."""
    active = vessel.get("calibration")
    if active:
        kept = {name: active[name] for name in ("id", "number", "acceptedAt")}
        return {"basis": "CALIBRATION", "calibration": kept}
    basis = "DECLARED" if vessel.get("performance") else "PARTICULARS"
    return {"basis": basis, "calibration": None}


def describe(
    sea: SeaAtlas,
    areas: Iterable[Area],
    weather: WeatherField | None,
    vessel: Mapping[str, Any],
) -> dict[str, Any]:
    """List every source of a plan."""
    areas = tuple(areas)
    covered = {} if weather is None else {"weatherAreas": _describe_areas(weather)}
    return {
        "engineVersion": __version__,
        "seaAtlas": sea.identity,
        "seaSources": list(sea.sources),
        "passages": sea.identity,
        "weatherRuns": [] if weather is None else list(weather.run_names),
        **covered,
        "zones": {
            "version": zone_catalogue().version,
            "applied": [area.id for area in areas if area.kind in ZONE_KINDS],
        },
        "charts": [area.name for area in areas if area.kind is AreaKind.CHART],
        "ship": _describe_ship(vessel),
        "constraints": [area.id for area in areas if area.kind not in _NOT_ORDERED],
    }
