"""Write the tables of passages, bridges, shoals, islands and zones into the documentation.

``python -m scripts.list_sea_data``; a test fails where the pages and the data differ.
"""

from __future__ import annotations

from calendar import month_abbr
from collections.abc import Iterable, Sequence
from pathlib import Path

from pyproj import Geod

from app.datasources.bridges import load_bridges
from app.datasources.islands import Island, load_islands
from app.datasources.passages import PASSAGES_DIR, load_passages
from app.datasources.shoal_areas import load_shoal_areas
from app.engine.particulars import IceClass
from app.engine.sea.bridges import Bridge
from app.engine.sea.passages import Passage, Quality
from app.engine.sea.shoal_areas import ShoalArea
from app.zones.catalogue import BoundaryQuality, Zone, load_zones

PASSAGES_PAGE = Path("docs/method/passages.md")
SHOALS_PAGE = Path("docs/method/shoals.md")
ISLANDS_PAGE = Path("docs/method/islands.md")
ZONES_PAGE = Path("docs/method/zones.md")
#: The tables stand below this line; what is above it is written by hand.
MARK = "<!-- Written by scripts/list_sea_data.py: change the data, not the tables. -->"

_REGIONS = {
    "canals": "Canals between seas",
    "europe": "Europe",
    "africa_middle_east": "Africa and the Middle East",
    "asia": "Asia and the Russian Arctic",
    "oceania": "Australia and New Zealand",
    "americas": "The Americas",
    "lanes": "Lanes of traffic separation schemes",
}
_COLUMNS = (
    "passage",
    "kind",
    "length km",
    "half width m",
    "depth m",
    "draught m",
    "breadth m",
    "length of ship m",
    "air draught m",
    "kn",
    "wait h",
    "source of limits",
)
_UNKNOWN = "–"
_GEOD = Geod(ellps="WGS84")


def list_passages() -> str:
    """Return a table of passages for each region, and one of bridges."""
    tables = []
    for region, title in _REGIONS.items():
        ids = _list_ids(region)
        rows = [_write_passage(passage) for passage in load_passages() if passage.id in ids]
        tables += [f"## {title}", "", _write_table(_COLUMNS, sorted(rows))]
    bridges = sorted(map(_write_bridge, load_bridges()))
    columns = ("bridge", "air draught m", "middle", "source")
    tables += ["## Bridges", "", _write_table(columns, bridges)]
    return "\n".join(tables)


def _list_ids(region: str) -> set[str]:
    text = (PASSAGES_DIR / f"{region}.geojson").read_text(encoding="utf-8")
    return {passage.id for passage in load_passages() if f'"{passage.id}"' in text}


def _write_passage(passage: Passage) -> list[str]:
    lats, lngs = zip(*passage.centre_line, strict=True)
    length_km = _GEOD.line_length(lngs, lats) / 1000.0
    limits = (
        passage.depth_m,
        passage.max_draft_m,
        passage.max_breadth_m,
        passage.max_loa_m,
        passage.max_air_draft_m,
        passage.speed_kn,
    )
    return [
        passage.name,
        passage.kind.lower(),
        f"{length_km:.0f}",
        f"{passage.half_width_m:g}",
        *(_UNKNOWN if limit is None else f"{limit:g}" for limit in limits),
        f"{passage.waiting_h:g}",
        _UNKNOWN if "no limits or depths known" in passage.source else passage.source,
    ]


def _write_bridge(bridge: Bridge) -> list[str]:
    lat, lng = (sum(ends) / 2.0 for ends in zip(*bridge.ends, strict=True))
    return [bridge.name, f"{bridge.max_air_draft_m:g}", f"{lat:.3f}, {lng:.3f}", bridge.source]


def list_shoals() -> str:
    """Return a table of shoals, and how many of their sources were read."""
    areas = load_shoal_areas()
    read = sum(area.quality is Quality.PUBLISHED for area in areas)
    count = (
        f"{len(areas)} shoals are held; the outlines of {read} were read in the source named, "
        "the others are recalled and drawn outwards.\n"
    )
    columns = ("shoal", "kind", "least depth m", "south-west", "north-east", "source")
    return "\n".join([count, _write_table(columns, sorted(map(_write_shoal, areas)))])


def _write_shoal(area: ShoalArea) -> list[str]:
    lats, lngs = zip(*area.outline, strict=True)
    corners = [f"{end(lats):.2f}, {end(lngs):.2f}" for end in (min, max)]
    return [area.name, area.kind.lower(), f"{area.least_depth_m:g}", *corners, area.source]


def list_islands() -> str:
    """Return a table of the islands added to the coastline."""
    islands = load_islands()
    columns = ("island", "position", "radius m", "source")
    table = _write_table(columns, sorted(map(_write_island, islands)))
    return f"{len(islands)} islands are held.\n\n{table}"


def _write_island(island: Island) -> list[str]:
    lat, lng = island.centre
    return [island.name, f"{lat:.3f}, {lng:.3f}", f"{island.radius_m:g}", island.source]


def list_zones() -> str:
    """Return a table of the zones, by kind."""
    columns = ("zone", "kind", "in force", "every year", "quality", "read in the source", "sources")
    zones = sorted(load_zones().zones, key=lambda zone: (zone.kind, zone.id))
    return _write_table(columns, [_write_zone(zone) for zone in zones])


def _write_zone(zone: Zone) -> list[str]:
    read = [part.part for part in zone.boundaries if part.quality is BoundaryQuality.VERBATIM]
    sources = dict.fromkeys(part.source for part in zone.boundaries)
    return [
        zone.name,
        _name_kind(zone),
        _write_dates(zone),
        _write_season(zone),
        zone.quality.value,
        "; ".join(read) or _UNKNOWN,
        "; ".join(sources),
    ]


def _name_kind(zone: Zone) -> str:
    words = [zone.kind.replace("_", " ").lower()]
    if zone.ice is not None:
        words.append(zone.ice.hazard.replace("_", " ").lower())
        if zone.ice.class_needed is not IceClass.NONE:
            words.append(f"class {zone.ice.class_needed.replace('_', ' ')}")
    return ", ".join(words if zone.port_calls else [*words, "no port calls"])


def _write_dates(zone: Zone) -> str:
    ends = (("from", zone.in_force_from), ("until", zone.in_force_until))
    return " ".join(f"{word} {day:%Y-%m-%d}" for word, day in ends if day) or "always"


def _write_season(zone: Zone) -> str:
    if zone.yearly is not None:
        return " to ".join(f"{day} {month_abbr[month]}" for month, day in zone.yearly)
    return ", ".join(month_abbr[month] for month in zone.months) or "all"


def _write_table(columns: Sequence[str], rows: Iterable[list[str]]) -> str:
    lines = [list(columns), ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def fill(page: Path, tables: str) -> str:
    """Return the text of a page with its tables updated."""
    head, _, _ = page.read_text(encoding="utf-8").partition(MARK)
    return f"{head}{MARK}\n\n{tables}"


def main() -> None:
    """Command line."""
    pages = (
        (PASSAGES_PAGE, list_passages()),
        (SHOALS_PAGE, list_shoals()),
        (ISLANDS_PAGE, list_islands()),
        (ZONES_PAGE, list_zones()),
    )
    for page, tables in pages:
        page.write_text(fill(page, tables), encoding="utf-8")


if __name__ == "__main__":
    main()
