"""Electronic navigational charts: S-57 cells (``.000``), read through GDAL.

Source of names and attributes: IHO S-57, Transfer standard for digital hydrographic data, edition
3.1, appendix A. Depths are metres below the cell's sounding datum. GDAL applies update files
(``.001`` …) next to a cell.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyogrio
import shapely
from pyogrio.errors import DataLayerError, DataSourceError
from shapely.errors import ShapelyError
from shapely.geometry import MultiPolygon, Polygon, mapping, shape
from shapely.geometry.base import BaseGeometry

from app.datasources.stored_files import make_folder, share

#: Depth given to land, of dangers without a depth, and of areas closed to every ship [m].
DRY_M: Final = -100.0
#: Distance kept from land and dangers that are points or lines [deg of latitude]: 200 m.
_BERTH_DEG: Final = 200.0 / 111_200.0
#: RESTRN of areas that ships are to keep out of: entry prohibited, entry restricted, area to be
#: avoided.
_KEEP_OUT: Final = frozenset({"7", "8", "14"})
_DEPTHS: Final[tuple[str, ...]] = ("DEPARE", "DRGARE")
_DANGERS: Final[tuple[str, ...]] = ("OBSTRN", "WRECKS", "UWTROC")
_LANES: Final = "TSSLPT"
#: Names of cells; a stored cell's file is called so, hence nothing that leads to another folder.
_NAME: Final = re.compile(r"\w{1,12}", re.ASCII)


class InvalidChart(ValueError):
    """The file is no S-57 cell, or no whole stored cell; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class ChartCell:
    """Parts of a cell that restrict a route.

    ``shallows`` are polygons in (lng, lat) [deg] with their least depth [m], land and areas to
    keep out of among them with ``DRY_M``; ``lanes`` counts lanes of traffic schemes, which are
    not held. ``edition`` and ``update`` are the producer's numbers, ``issued`` is YYYYMMDD.
    """

    name: str
    edition: int
    update: int
    issued: str
    scale: int
    shallows: tuple[tuple[Polygon, float], ...]
    lanes: int

    @property
    def label(self) -> str:
        """Name of the cell in plans."""
        return f"ENC {self.name}, edition {self.edition}.{self.update} of {self.issued}"

    def close(self, depth_m: float) -> MultiPolygon | None:
        """The water that is shallower than a depth [m], with land and areas to keep out of."""
        closed = shapely.union_all([area for area, least_m in self.shallows if least_m < depth_m])
        parts = [part for part in shapely.get_parts(closed) if isinstance(part, Polygon)]
        return MultiPolygon(parts) if parts else None


def read_cell(path: Path) -> ChartCell:
    """Read an S-57 cell.

    Raise :class:`InvalidChart` if the file is no S-57 base cell.
    """
    try:
        layers = {str(name) for name, _ in pyogrio.list_layers(path)}
    except DataSourceError as error:
        raise InvalidChart(_refuse(path)) from error
    if "DSID" not in layers:
        raise InvalidChart(_refuse(path))
    identity = next(_read(path, "DSID"))[1]
    name = str(identity["DSID_DSNM"]).partition(".")[0]
    if not _NAME.fullmatch(name):
        raise InvalidChart(f"{path.name} calls its cell {name!r}, which is no name of a cell.")
    return ChartCell(
        name=name,
        edition=int(identity["DSID_EDTN"]),
        update=int(identity["DSID_UPDN"] or 0),
        issued=str(identity["DSID_ISDT"]),
        scale=int(identity["DSPM_CSCL"]),
        shallows=tuple(_list_shallows(path, layers)),
        lanes=sum(1 for _ in _read(path, _LANES)) if _LANES in layers else 0,
    )


def _refuse(path: Path) -> str:
    return f"{path.name} is not an S-57 cell. Give base cells (.000) of an electronic chart."


def _list_shallows(path: Path, layers: set[str]) -> Iterator[tuple[Polygon, float]]:
    for layer in (name for name in _DEPTHS if name in layers):
        for area, attributes in _read(path, layer):
            yield from _list_polygons(area, _depth_m(attributes.get("DRVAL1")))
    for layer in (name for name in _DANGERS if name in layers):
        for danger, attributes in _read(path, layer):
            yield from _list_polygons(give_berth(danger), _depth_m(attributes.get("VALSOU")))
    for land, _ in _read(path, "LNDARE") if "LNDARE" in layers else ():
        yield from _list_polygons(give_berth(land), DRY_M)
    for area, attributes in _read(path, "RESARE") if "RESARE" in layers else ():
        if _KEEP_OUT & set(_list_codes(attributes.get("RESTRN"))):
            yield from _list_polygons(area, DRY_M)


def give_berth(danger: BaseGeometry | None) -> BaseGeometry | None:
    """Widen a point or line in (lng, lat) [deg] by 200 m to every side; keep an area as it is."""
    if danger is None or danger.geom_type in ("Polygon", "MultiPolygon"):
        return danger
    # degrees of longitude of one length with those of latitude
    shrink = np.array([np.cos(np.radians(danger.centroid.y)), 1.0])
    berth = shapely.transform(danger, lambda points: points * shrink).buffer(_BERTH_DEG)
    widened: BaseGeometry = shapely.transform(berth, lambda points: points / shrink)
    return widened


def _list_polygons(area: BaseGeometry | None, depth_m: float) -> Iterator[tuple[Polygon, float]]:
    for part in shapely.get_parts(area) if area is not None else ():
        if isinstance(part, Polygon) and not part.is_empty:
            yield shapely.make_valid(part) if not part.is_valid else part, depth_m


def _depth_m(value: Any) -> float:
    """A depth as given; dry where it is not known."""
    known = value is not None and np.isfinite(float(value))
    return float(value) if known else DRY_M


def _list_codes(value: Any) -> list[str]:
    """The codes of a list attribute, which GDAL returns as a list or as text."""
    if value is None:
        return []
    if isinstance(value, str):
        return [code.strip() for code in value.strip("()").split(",")]
    return [str(code) for code in np.atleast_1d(value)]


def _read(path: Path, layer: str) -> Iterator[tuple[BaseGeometry | None, dict[str, Any]]]:
    """Geometry and attributes of each object of a class."""
    try:
        meta, _, shapes, columns = pyogrio.raw.read(path, layer=layer)
    except DataLayerError:
        return
    names = [str(name) for name in meta["fields"]]
    geometries = [None] * len(columns[0]) if shapes is None else shapely.from_wkb(shapes)
    for n, geometry in enumerate(geometries):
        yield geometry, {name: column[n] for name, column in zip(names, columns, strict=True)}


def write_cell(cell: ChartCell, folder: Path) -> bool:
    """Store a cell, unless a newer edition is stored; return whether it was stored.

    A stored cell that cannot be read is replaced.
    """
    path = folder / f"{cell.name}.json"
    with suppress(InvalidChart):
        kept = load_cell(path)
        if (kept.edition, kept.update) > (cell.edition, cell.update):
            return False
    make_folder(folder)
    attributes = {each.name: getattr(cell, each.name) for each in fields(cell)}
    attributes["shallows"] = [[mapping(area), depth_m] for area, depth_m in cell.shallows]
    written = path.with_suffix(".new")
    written.write_text(json.dumps(attributes))
    share(written)
    written.replace(path)
    return True


def load_cell(path: Path) -> ChartCell:
    """Load a cell that :func:`write_cell` wrote.

    Raise :class:`InvalidChart` if the file cannot be read, or is not as it was written.
    """
    try:
        attributes = json.loads(path.read_text())
        shallows = tuple((shape(area), float(m)) for area, m in attributes.pop("shallows"))
        return ChartCell(**attributes, shallows=shallows)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ShapelyError) as error:
        raise InvalidChart(f"{path.name}: {type(error).__name__}: {error}") from error
