"""Read zones from GeoJSON, and find those in force at a time.

A file is a FeatureCollection whose features carry the properties ``id``,
``name``, ``kind``, ``in_force_from``, ``in_force_until`` (calendar dates, UTC,
``until`` being the first day no longer in force), ``months`` or ``yearly`` (for what returns
every year: calendar months, or a day ``from`` and the first day no longer, ``until``, each
MM-DD), for ice ``hazard``, ``ice_class`` (the lowest class at home there) and ``port_calls``
(whether ships below it are taken to ports inside) and ``margin_nm`` (the distance at which
ships that are kept out pass it), ``boundaries`` (the parts of the outline, each with ``part``,
``quality`` and ``source``) and ``remarks``. Geometries are Polygon or MultiPolygon in
(lng, lat) [deg]; what crosses the antimeridian is split there.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from shapely.errors import ShapelyError
from shapely.geometry import MultiPolygon, Polygon, shape
from shapely.validation import explain_validity

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
_REQUIRED: Final = frozenset({"id", "name", "kind", "boundaries"})
_KNOWN: Final = _REQUIRED | {
    "in_force_from",
    "in_force_until",
    "months",
    "yearly",
    "hazard",
    "ice_class",
    "port_calls",
    "margin_nm",
    "pollutants",
    "remarks",
}


class BoundaryQuality(StrEnum):
    """Quality of a part of a boundary."""

    VERBATIM = "verbatim"
    APPROXIMATE = "approximate"


class InvalidZone(ValueError):
    """A zone is invalid; the message names file and zone."""


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
        for year in range(start.year - 1, end.year + 1):
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
        in_season = not self.months or at.astimezone(UTC).month in self.months
        if self.yearly is not None:
            in_season = any(self.yearly.windows_between(at, at))
        return begun and not ended and in_season

    def windows_between(
        self, start: datetime, end: datetime
    ) -> Iterator[tuple[datetime, datetime]]:
        """Spans within ``start``..``end`` in which the zone is in force, in order."""
        first = max(start, self.in_force_from or start)
        last = min(end, self.in_force_until or end)
        if self.yearly is not None:
            yield from self.yearly.windows_between(first, last)
            return
        if not self.months:
            if first <= last:
                yield first, last
            return
        opened: datetime | None = None
        for begins, ends in _months_between(first, last):
            if begins.month in self.months:
                opened = opened or max(begins, first)
                if ends >= last:
                    yield opened, last
            elif opened is not None:
                yield opened, begins
                opened = None


@dataclass(frozen=True, slots=True)
class ZoneCatalogue:
    """Every built-in zone, and an identity that changes whenever one of them does."""

    version: str
    zones: tuple[Zone, ...]


def load_zones(path: Path | None = None) -> ZoneCatalogue:
    """Read one GeoJSON file, or every ``*.geojson`` of a folder; the project's own by default.

    Raises
    ------
    InvalidZone
        When a file is not such a collection, a polygon is invalid or off the
        map, a field is missing, unknown or implausible, or an id comes twice.
    """
    path = path or ZONES_DIR
    files = sorted(path.glob("*.geojson")) if path.is_dir() else [path]
    if not files:
        raise InvalidZone(f"{path}: no zone files here")
    features = [
        (feature, f"{file.name}, feature {number}")
        for file in files
        for number, feature in enumerate(_read_features(file))
    ]
    zones = tuple(sorted((_parse(*item) for item in features), key=lambda zone: zone.id))
    repeated = [zone_id for zone_id, n in Counter(zone.id for zone in zones).items() if n > 1]
    if repeated:
        raise InvalidZone(f"zones share the id {', '.join(repeated)}")
    return ZoneCatalogue(_identify(feature for feature, _ in features), zones)


def zones_in_force(zones: Iterable[Zone], at: datetime) -> tuple[Zone, ...]:
    """The zones that bind at an aware time, in the order given."""
    return tuple(zone for zone in zones if zone.is_in_force(at))


def _identify(features: Iterable[Mapping[str, Any]]) -> str:
    """A digest of what the zones say, whatever the order and layout of the files."""
    texts = sorted(json.dumps(feature, sort_keys=True) for feature in features)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _read_features(file: Path) -> list[dict[str, Any]]:
    try:
        features = json.loads(file.read_text(encoding="utf-8"))["features"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidZone(f"{file.name}: not a GeoJSON FeatureCollection: {error}") from error
    if not isinstance(features, list):
        raise InvalidZone(f"{file.name}: features is not a list")
    return features


def _parse(feature: Mapping[str, Any], place: str) -> Zone:
    properties = feature.get("properties") or {}
    place = f"{place} ({properties.get('id', 'no id')})"
    if missing := _REQUIRED - properties.keys():
        raise InvalidZone(f"{place}: {', '.join(sorted(missing))} missing")
    if unknown := properties.keys() - _KNOWN:
        raise InvalidZone(f"{place}: unknown field {', '.join(sorted(unknown))}")
    geometry = _parse_geometry(feature.get("geometry"), place)
    try:
        zone = Zone(
            id=properties["id"],
            name=properties["name"],
            kind=AreaKind(properties["kind"]),
            geometry=geometry,
            boundaries=tuple(_parse_boundary(part) for part in properties["boundaries"]),
            in_force_from=_parse_date(properties.get("in_force_from")),
            in_force_until=_parse_date(properties.get("in_force_until")),
            months=tuple(properties.get("months", ())),
            yearly=_parse_yearly(properties.get("yearly")),
            ice=_parse_ice(properties),
            port_calls=properties.get("port_calls", True),
            pollutants=tuple(properties.get("pollutants", ())),
            remarks=properties.get("remarks", ""),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidZone(f"{place}: {error}") from error
    _check(zone, place)
    return zone


def _check(zone: Zone, place: str) -> None:
    if zone.kind not in ZONE_KINDS:
        raise InvalidZone(f"{place}: {zone.kind} is not a kind of built-in zone")
    if not zone.boundaries:
        raise InvalidZone(f"{place}: no boundary has a source")
    if not set(zone.months) <= set(range(1, 13)):
        raise InvalidZone(f"{place}: months {zone.months} are not 1 to 12")
    if (zone.kind is AreaKind.ICE) != (zone.ice is not None):
        raise InvalidZone(f"{place}: zones of ice, and they alone, have a hazard")
    starts, ends = zone.in_force_from, zone.in_force_until
    if starts and ends and starts >= ends:
        raise InvalidZone(f"{place}: in force until {ends} but from {starts}")


def _parse_boundary(part: Mapping[str, str]) -> Boundary:
    return Boundary(part["part"], BoundaryQuality(part["quality"]), part["source"])


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


def _parse_geometry(geometry: Any, place: str) -> MultiPolygon:
    try:
        polygon = shape(geometry)
    except (AttributeError, KeyError, TypeError, ValueError, ShapelyError) as error:
        raise InvalidZone(f"{place}: no readable geometry: {error}") from error
    if isinstance(polygon, Polygon):
        polygon = MultiPolygon([polygon])
    if not isinstance(polygon, MultiPolygon) or polygon.is_empty:
        raise InvalidZone(f"{place}: neither Polygon nor MultiPolygon")
    if not polygon.is_valid:
        raise InvalidZone(f"{place}: {explain_validity(polygon)}")
    west, south, east, north = polygon.bounds
    if west < -180.0 or east > 180.0 or south < -90.0 or north > 90.0:
        raise InvalidZone(f"{place}: reaches beyond the map, bounds {polygon.bounds}")
    return polygon


def _months_between(first: datetime, last: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Calendar months (UTC) that meet ``first``..``last``, as begin and end."""
    begins = first.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while begins <= last:
        ends = (begins + timedelta(days=32)).replace(day=1)
        yield begins, ends
        begins = ends
