"""Data that the chart loads as it is moved: tiles of coast, depth and unproven water, weather.

Only signed-in users may, because making a tile takes up to a second.
"""

import math
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from flask import Response, abort, current_app, jsonify, request, url_for
from flask.typing import ResponseReturnValue
from marshmallow import Schema

from app.engine.errors import DataMissing
from app.engine.units import KNOT_MS, wrap_longitude
from app.pages.blueprint import answer_json, pages
from app.pages.web.forms import read_form, time_field
from app.pages.web.own import own_session
from app.records.fields import QueryDegrees
from app.records.instants import format_instant
from app.services.errors import Invalid
from app.services.sea import basemap, sea, unproven_water
from app.services.weather import weather, weather_chart

_YEAR_S: Final = 365 * 24 * 3600
#: Cache time of a tile [s]; a new atlas is shown after this at the latest.
_TILE_KEPT_S: Final = 3600
#: Cache time of a view [s]; a newer forecast is shown after this at the latest.
_VIEW_KEPT_S: Final = 900

ViewSchema = Schema.from_dict(
    {
        "south": QueryDegrees(-90, 90, required=True),
        "north": QueryDegrees(-90, 90, required=True),
        "west": QueryDegrees(-360, 360, required=True),
        "east": QueryDegrees(-360, 540, required=True),
        "step": QueryDegrees(0.1, 10, required=True),
        "time": time_field(),
    },
    name="ViewSchema",
)


def tiles_folder() -> Path:
    """Return the folder of built tiles."""
    return Path(current_app.root_path).parent / "var" / "basemap"


@pages.get("/basemap/<version>/<int:z>/<int:x>/<int:y>")
def basemap_tile(version: str, z: int, x: int, y: int) -> Response:
    """Return a tile of coast and depth.

    Its address has a version, so that browsers may cache it for a year.
    """
    if version != basemap.VERSION:
        abort(404)
    try:
        packed = basemap.get_tile(tiles_folder(), z, x, y)
    except basemap.NoSuchTile:
        abort(404)
    response = Response(packed, mimetype="application/json")
    response.content_encoding = "gzip"
    response.cache_control.max_age = _YEAR_S
    response.cache_control.private = True
    response.cache_control.immutable = True
    response.set_etag(f"{version}-{z}-{x}-{y}")
    response.make_conditional(request)
    return response


@pages.get("/chart/unproven/<int:ships>/<int:z>/<int:x>/<int:y>")
def chart_unproven(ships: int, z: int, x: int, y: int) -> Response:
    """Return a tile of the water that is unproven for a class of ships."""
    try:
        tile = unproven_water.get_tile(ships, z, x, y)
    except (unproven_water.NoSuchTile, DataMissing):
        abort(404)
    response = Response(tile, mimetype="application/json")
    response.cache_control.private = True
    response.cache_control.max_age = _TILE_KEPT_S
    return response


def describe_unproven(draft_m: float | None = None) -> dict[str, Any]:
    """Return settings of the layer of unproven water: address of tiles, ship class, zooms."""
    ships = unproven_water.describe_class(draft_m)
    address = url_for("pages.chart_unproven", ships=ships["ships"], z=0, x=0, y=0)
    return {
        "address": address.removesuffix("0/0/0") + "{z}/{x}/{y}",
        "deeperThanM": ships["deeperThanM"],
        "minZoom": unproven_water.ZOOMS.start,
        "maxZoom": unproven_water.ZOOMS.stop - 1,
    }


@pages.get("/chart/depth")
def chart_depth() -> ResponseReturnValue:
    """Return the depth at a position [m]; null on land and where the grid is not reliable."""
    lat, lng = (request.args.get(name, type=float) for name in ("lat", "lng"))
    if lat is None or lng is None or not (abs(lat) <= 90 and math.isfinite(lng)):
        raise Invalid.at("/lat", "Enter a latitude and a longitude.")
    return answer_json(**_look_up(lat, float(wrap_longitude(lng))))


def _look_up(lat: float, lng: float) -> dict[str, Any]:
    try:
        atlas = sea.open_atlas()
    except DataMissing:
        return {"depthM": None, "isLand": False}
    depth_m = float(atlas.depth_m(lat, lng))
    is_land = not atlas.is_water(lat, lng)
    return {"depthM": None if is_land or math.isnan(depth_m) else round(depth_m), "isLand": is_land}


@pages.get("/chart-weather")
def chart_weather() -> Response:
    """Return wind, waves and current in a view of the chart at a time."""
    view = read_form(ViewSchema(), request.args.to_dict())
    time: datetime = view.pop("time")
    with own_session() as session:
        field = weather.get_field(session, time, time)
    drawn = _pack(weather_chart.chart(field, time, **view))
    pressures = weather_chart.list_pressures(field, time, drawn["lats"], drawn["lngs"])
    swell_m, swell_from_deg = weather_chart.list_swell(field, time, drawn["lats"], drawn["lngs"])
    named = weather_chart.name_sources(field, time)
    response = jsonify(
        time=format_instant(time),
        sources=named,
        pressureDhPa=_whole_or_none(pressures, 10),
        swellCm=_whole_or_none(swell_m, 100),
        swellFromDeg=_whole_or_none(swell_from_deg, 1),
        **drawn,
    )
    response.cache_control.private = True
    response.cache_control.max_age = _VIEW_KEPT_S
    return response


def _whole_or_none(values: Sequence[float | None], factor: float) -> list[int | None]:
    """Round to whole multiples of a smaller unit; empty if all values are unknown."""
    if all(value is None for value in values):
        return []
    return _whole(values, factor)


def _pack(drawn: dict[str, Any]) -> dict[str, Any]:
    """Round to whole numbers: waves in cm, wind in kn, current in tenths of a knot.

    Waves in larger units would show steps where heights change slowly.
    """
    return {
        "lats": drawn["lats"],
        "lngs": drawn["lngs"],
        "waveCm": _whole(drawn["waveHeightM"], 100),
        "waveFromDeg": _whole(drawn["waveDirDeg"], 1),
        "windUKn": _whole(drawn["windU"], 1 / KNOT_MS),
        "windVKn": _whole(drawn["windV"], 1 / KNOT_MS),
        "currentUDkn": _whole(drawn["currentU"], 10),
        "currentVDkn": _whole(drawn["currentV"], 10),
    }


def _whole(values: Sequence[float | None], factor: float) -> list[int | None]:
    return [None if value is None else round(value * factor) for value in values]
