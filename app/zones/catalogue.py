"""Read zones from GeoJSON, and find those in force at a time.

A file is a FeatureCollection whose features carry the properties ``id``,
``name``, ``kind``, ``in_force_from``, ``in_force_until`` (calendar dates, UTC,
``until`` being the first day no longer in force), ``months`` or ``yearly`` (for what returns
every year: calendar months, or a day ``from`` and the first day no longer, ``until``, each
MM-DD), for ice ``hazard``, ``ice_class`` (the lowest class at home there) and ``port_calls``
(whether ships below it are taken to ports inside) and ``margin_nm`` (the distance at which
ships that are kept out pass it), ``boundaries`` (the parts of the outline, each with ``part``,
``quality`` and ``source``) and ``remarks``. Geometries are Polygon or MultiPolygon in
(lng, lat) [deg]; what crosses the antimeridian is split there. Tests check the files.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from shapely.geometry import MultiPolygon, Polygon, shape

from app.engine.area import AreaKind, IceHazard, IceWater
from app.engine.particulars import IceClass

#: The project's own zones.
ZONES_DIR: Final = Path(__file__).parent / "data"

#: Kinds that a built-in zone may be of.
ZONE_KINDS: Final = frozenset(
    {
        AreaKind.ECA,
        AreaKind.PIRACY,
        AreaKind.WAR_RISK,
        AreaKind.ICE,
        AreaKind.SEASON,
        AreaKind.ADVISORY,
    }
)


class BoundaryQuality(StrEnum):
    """Quality of a part of a boundary."""

    VERBATIM = "verbatim"
    APPROXIMATE = "approximate"


@dataclass(frozen=True, slots=True)
class Boundary:
    """A part of a zone's outline: which, how good, and from where."""

    part: str
    quality: BoundaryQuality
    source: str


class YearlyDays(NamedTuple):
    """Days of every year: the first, and the first no longer, each (month, day), in UTC."""

    first: tuple[int, int]
    until: tuple[int, int]

    def windows_between(
        self, start: datetime, end: datetime
    ) -> Iterator[tuple[datetime, datetime]]:
        """Spans of those days that meet ``start``..``end``, cut to it, in order."""
        for year in range(start.astimezone(UTC).year - 1, end.astimezone(UTC).year + 1):
            begins = datetime(year, *self.first, tzinfo=UTC)
            ends = datetime(year + (self.until <= self.first), *self.until, tzinfo=UTC)
            if begins <= end and ends > start:
                yield max(begins, start), min(ends, end)


@dataclass(frozen=True, slots=True)
class Zone:
    """An area on the sea that rules or dangers attach to, while it is in force.

    In force from ``in_force_from`` (inclusive) to ``in_force_until``
    (exclusive), both aware and in UTC, ``None`` being without end; and where
    ``months`` (1-12) is not empty, in those months only, or where ``yearly`` is given, in
    those days only. ``port_calls``: ships below the ice class needed are taken to
    ports inside.
    """

    id: str
    name: str
    kind: AreaKind
    geometry: MultiPolygon
    boundaries: tuple[Boundary, ...]
    in_force_from: datetime | None = None
    in_force_until: datetime | None = None
    months: tuple[int, ...] = ()
    yearly: YearlyDays | None = None
    ice: IceWater | None = None
    port_calls: bool = True
    pollutants: tuple[str, ...] = ()
    remarks: str = ""

    @property
    def quality(self) -> BoundaryQuality:
        """Verbatim only where every part of the boundary is."""
        if all(part.quality is BoundaryQuality.VERBATIM for part in self.boundaries):
            return BoundaryQuality.VERBATIM
        return BoundaryQuality.APPROXIMATE

    def is_in_force(self, at: datetime) -> bool:
        """Return whether the zone binds at an aware time."""
        begun = self.in_force_from is None or self.in_force_from <= at
        ended = self.in_force_until is not None and self.in_force_until <= at
        return begun and not ended and any(self._list_seasons(at, at))

    def windows_between(
        self, start: datetime, end: datetime
    ) -> Iterator[tuple[datetime, datetime]]:
        """Spans within ``start``..``end`` in which the zone is in force, in order."""
        first = max(start, self.in_force_from or start)
        last = min(end, self.in_force_until or end)
        if first <= last:
            yield from self._list_seasons(first, last)

    def _list_seasons(self, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
        """Spans of the zone's seasons within ``start``..``end``, all of it without seasons."""
        seasons = [self.yearly] if self.yearly is not None else list(_join_months(self.months))
        if not seasons:
            return [(start, end)]
        return sorted(span for days in seasons for span in days.windows_between(start, end))


@dataclass(frozen=True, slots=True)
class ZoneCatalogue:
    """Every built-in zone, and an identity that changes whenever one of them does."""

    version: str
    zones: tuple[Zone, ...]


def load_zones(directory: Path = ZONES_DIR) -> ZoneCatalogue:
    """Read every ``*.geojson`` of a folder."""
    features = [
        feature
        for file in sorted(directory.glob("*.geojson"))
        for feature in json.loads(file.read_text(encoding="utf-8"))["features"]
    ]
    zones = sorted(map(_parse, features), key=lambda zone: zone.id)
    return ZoneCatalogue(_identify(features), tuple(zones))


def _identify(features: Iterable[Mapping[str, Any]]) -> str:
    """A digest of what the zones say, whatever the order and layout of the files."""
    texts = sorted(json.dumps(feature, sort_keys=True) for feature in features)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _parse(feature: Mapping[str, Any]) -> Zone:
    properties, polygon = feature["properties"], shape(feature["geometry"])
    return Zone(
        id=properties["id"],
        name=properties["name"],
        kind=AreaKind(properties["kind"]),
        geometry=MultiPolygon([polygon]) if isinstance(polygon, Polygon) else polygon,
        boundaries=tuple(
            Boundary(part["part"], BoundaryQuality(part["quality"]), part["source"])
            for part in properties["boundaries"]
        ),
        in_force_from=_parse_date(properties.get("in_force_from")),
        in_force_until=_parse_date(properties.get("in_force_until")),
        months=tuple(properties.get("months", ())),
        yearly=_parse_yearly(properties.get("yearly")),
        ice=_parse_ice(properties),
        port_calls=properties.get("port_calls", True),
        pollutants=tuple(properties.get("pollutants", ())),
        remarks=properties.get("remarks", ""),
    )


def _parse_yearly(days: Mapping[str, str] | None) -> YearlyDays | None:
    if days is None:
        return None
    # a common year: 29 February does not return every year
    first, until = (date.fromisoformat(f"2023-{days[name]}") for name in ("from", "until"))
    return YearlyDays((first.month, first.day), (until.month, until.day))


def _parse_ice(properties: Mapping[str, Any]) -> IceWater | None:
    if "hazard" not in properties:
        return None
    needed = IceClass(properties.get("ice_class", IceClass.NONE))
    hazard, margin_nm = IceHazard(properties["hazard"]), properties.get("margin_nm", 0.0)
    return IceWater(hazard, needed, margin_nm)


def _parse_date(text: str | None) -> datetime | None:
    return datetime.combine(date.fromisoformat(text), time(), UTC) if text else None


def _join_months(months: Collection[int]) -> Iterator[YearlyDays]:
    """Runs of successive months, January after December; none if there is every month."""
    for first in months:
        if (first - 2) % 12 + 1 not in months:
            until = first % 12 + 1
            while until in months:
                until = until % 12 + 1
            yield YearlyDays((first, 1), (until, 1))
