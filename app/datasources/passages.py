"""The named narrow waters of the world, read from the project's own data files.

Each file under ``data/passages`` is a GeoJSON FeatureCollection of one region,
kept by hand: a LineString is the centre line, the properties are the fields of
:class:`app.engine.sea.passages.Passage` in the same units, plus ``remarks`` for
what a number cannot say. ``null`` is written where no source is known.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from app.engine.request import Position
from app.engine.sea.passages import Passage, PassageKind, Quality

#: Where the files of the regions lie.
PASSAGES_DIR: Final = Path(__file__).parent / "data" / "passages"

_REQUIRED: Final = frozenset({"id", "name", "kind", "half_width_m", "source", "quality"})
_LENGTHS: Final = (
    "half_width_m",
    "max_draft_m",
    "max_breadth_m",
    "max_loa_m",
    "max_air_draft_m",
    "depth_m",
    "min_ukc_m",
    "speed_kn",
)
_FLAGS: Final = ("one_way", "through_traffic")
_KNOWN: Final = _REQUIRED | {*_LENGTHS, *_FLAGS, "waiting_h", "remarks", "gate"}


class InvalidPassage(ValueError):
    """A passage is invalid; the message names file and passage."""


def load_passages(directory: Path = PASSAGES_DIR) -> tuple[Passage, ...]:
    """Read every passage of the ``*.geojson`` files in ``directory``, ordered by id.

    Raises
    ------
    InvalidPassage
        When a file is not such a collection, a field is missing, unknown or
        implausible, or two passages share an id or a name.
    """
    files = sorted(directory.glob("*.geojson"))
    if not files:
        raise InvalidPassage(f"{directory}: no passage files here")
    passages = [passage for file in files for passage in _read_file(file)]
    _refuse_repeated("id", (passage.id for passage in passages))
    _refuse_repeated("name", (passage.name for passage in passages))
    return tuple(sorted(passages, key=lambda passage: passage.id))


def _refuse_repeated(field: str, values: Iterable[str]) -> None:
    repeated = sorted(value for value, count in Counter(values).items() if count > 1)
    if repeated:
        raise InvalidPassage(f"passages share the {field} {', '.join(repeated)}")


def _read_file(file: Path) -> list[Passage]:
    try:
        features = json.loads(file.read_text(encoding="utf-8"))["features"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise InvalidPassage(f"{file.name}: not a GeoJSON FeatureCollection: {error}") from error
    return [_parse(feature, f"{file.name}, feature {n}") for n, feature in enumerate(features)]


def _parse(feature: Mapping[str, Any], place: str) -> Passage:
    properties = dict(feature["properties"])
    place = f"{place} ({properties.get('id', 'no id')})"
    if missing := _REQUIRED - properties.keys():
        raise InvalidPassage(f"{place}: {', '.join(sorted(missing))} missing")
    if unknown := properties.keys() - _KNOWN:
        raise InvalidPassage(f"{place}: unknown field {', '.join(sorted(unknown))}")
    properties.pop("remarks", None)
    _check_properties(properties, place)
    properties["kind"] = _member(PassageKind, properties["kind"], place)
    properties["quality"] = _member(Quality, properties["quality"], place)
    properties["gate"] = _parse_gate(properties, place)
    return Passage(**properties, centre_line=_parse_line(feature["geometry"], place))


def _parse_gate(properties: Mapping[str, Any], place: str) -> tuple[Position, Position] | None:
    gate = properties.get("gate")
    if gate is None:
        return None
    if properties["kind"] is not PassageKind.LANE or not properties.get("one_way"):
        raise InvalidPassage(f"{place}: only lanes of one direction have a gate of their own")
    start, end = _parse_line({"type": "LineString", "coordinates": gate}, f"{place}, gate")
    return start, end


def _member(kind: Any, value: str, place: str) -> Any:
    try:
        return kind(value)
    except ValueError as error:
        raise InvalidPassage(f"{place}: {error}") from error


def _check_properties(properties: Mapping[str, Any], place: str) -> None:
    for name in _LENGTHS:
        value = properties.get(name)
        if value is not None and not (_is_number(value) and value > 0.0):
            raise InvalidPassage(f"{place}: {name} is {value!r}, not a positive number")
    for name in _FLAGS:
        if not isinstance(properties.get(name, False), bool):
            raise InvalidPassage(f"{place}: {name} is neither true nor false")
    waiting = properties.get("waiting_h", 0.0)
    if not _is_number(waiting) or waiting < 0.0:
        raise InvalidPassage(f"{place}: waiting_h is {waiting!r}, not a number of hours")
    if properties["half_width_m"] is None or not str(properties["source"]).strip():
        raise InvalidPassage(f"{place}: half_width_m and source cannot be empty")
    draft, depth = properties.get("max_draft_m"), properties.get("depth_m")
    if draft is not None and depth is not None and draft > depth:
        raise InvalidPassage(f"{place}: max_draft_m {draft} is more than depth_m {depth}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parse_line(geometry: Mapping[str, Any], place: str) -> tuple[Position, ...]:
    if geometry["type"] != "LineString" or len(geometry["coordinates"]) < 2:
        raise InvalidPassage(f"{place}: the centre line is not a LineString of two points or more")
    line = tuple(Position(lat=lat, lng=lng) for lng, lat in geometry["coordinates"])
    for position in line:
        if not (abs(position.lat) <= 90.0 and -180.0 <= position.lng < 180.0):
            raise InvalidPassage(f"{place}: {position} is not on the earth")
    for start, end in pairwise(line):
        if start == end:
            raise InvalidPassage(f"{place}: {start} comes twice in a row")
    return line
