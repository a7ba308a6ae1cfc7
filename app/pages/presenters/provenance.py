"""Description of a plan's data sources."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.engine.area import AreaRule
from app.models import ChartingRevision
from app.pages.charts.chart_areas import keep_in_force
from app.pages.presenters.filters import dated_time, short_time

#: Names of stored runs: source, reference time, content.
_RUN = re.compile(r"(\w+)-(\d{4})(\d\d)(\d\d)T(\d\d)Z-")
_LAT_EDGES, _LNG_EDGES = ("south", "north"), ("west", "east")
_ZONES = {
    "ECA": "emission control",
    "PIRACY": "piracy",
    "WAR_RISK": "war risk",
    "ICE": "ice",
    "SEASON": "seasons",
}
#: Kinds with many areas, which are counted instead of named.
_COUNTED = ("ICE", "SEASON", "CHART")


def describe_provenance(planned: ChartingRevision) -> list[tuple[str, str]]:
    """List name and description of each data source; unknown ones are left out."""
    sources = planned.provenance or {}
    areas = keep_in_force(planned.areas or [], planned)
    lines = [
        ("Weather", _describe_weather(sources)),
        ("Avoided areas", _names(area for area in areas if _is_kept_out_of(area))),
        ("Zones", _describe_zones(sources.get("zones") or {}, areas)),
        ("Coast, depths", _describe_sea(sources)),
        ("Charts", "; ".join(sources.get("charts") or ())),
        ("Ship's model", _describe_ship(sources.get("ship"))),
        ("Engine", sources.get("engineVersion") or ""),
        ("Revision", str(planned.revision)),
    ]
    return [(name, words) for name, words in lines if words]


def _describe_weather(sources: Mapping[str, Any]) -> str:
    """Name the forecast runs, regional ones with their areas."""
    areas = sources.get("weatherAreas") or {}
    return ", ".join(
        name_run(run) + _name_area(areas.get(run)) for run in sources.get("weatherRuns", ())
    )


def _describe_ship(ship: Mapping[str, Any] | None) -> str:
    """Describe the basis of the ship model; plans of earlier releases have none."""
    if ship is None:
        return ""
    version = ship["calibration"]
    if version is not None:
        return f"calibration {version['number']}, accepted {dated_time(version['acceptedAt'])} UTC"
    is_declared = ship["basis"] == "DECLARED"
    return "declared speed and consumption" if is_declared else "particulars only"


def _name_area(area: Mapping[str, float] | None) -> str:
    """Describe the area of a regional run: " (30° N to 65° N, 60° W to 15° E only)"."""
    if area is None:
        return ""
    lats = (f"{abs(area[edge]):.0f}° {'S' if area[edge] < 0 else 'N'}" for edge in _LAT_EDGES)
    lngs = (f"{abs(area[edge]):.0f}° {'W' if area[edge] < 0 else 'E'}" for edge in _LNG_EDGES)
    return f" ({' to '.join(lats)}, {' to '.join(lngs)} only)"


def _describe_sea(sources: Mapping[str, Any]) -> str:
    data = ", ".join(sources.get("seaSources") or ())
    identity = sources.get("seaAtlas") or ""
    return f"{data} ({identity})" if data and identity else identity


def name_run(name: str) -> str:
    """Name a weather run by source and time, climatology as monthly averages."""
    found = _RUN.match(name)
    if not found:
        return "monthly averages" if name.startswith("climatology") else name
    source, year, month, day, hour = found.groups()
    return f"{source.upper()} {short_time(f'{year}-{month}-{day}T{hour}:00:00Z')} UTC"


def _is_kept_out_of(area: Mapping[str, Any]) -> bool:
    return AreaRule(area["rule"]).forbids_entry and area["kind"] not in _COUNTED


def _names(areas: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(area["name"] for area in areas))


def _describe_zones(zones: Mapping[str, Any], areas: list[Mapping[str, Any]]) -> str:
    """Count the zones of each kind, and name their edition."""
    counts = {words: sum(area["kind"] == kind for area in areas) for kind, words in _ZONES.items()}
    listed = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    return f"{listed} (edition {zones['version']})" if listed and zones.get("version") else listed
