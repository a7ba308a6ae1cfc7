"""Depth at a position, and tiles of unproven water."""

import math
from typing import Any

from flask import Response, abort, request, url_for
from flask.typing import ResponseReturnValue

from app.engine.errors import DataMissing
from app.engine.units import wrap_longitude
from app.pages.blueprint import answer_json, pages
from app.services.errors import Invalid
from app.services.sea import sea, unproven_water

#: Cache time of a tile [s]; a new atlas is shown after this at the latest.
_KEPT_S = 3600


@pages.get("/chart/unproven/<int:ships>/<int:z>/<int:x>/<int:y>")
def chart_unproven(ships: int, z: int, x: int, y: int) -> Response:
    """Return a tile of the water that is unproven for a class of ships."""
    try:
        tile = unproven_water.get_tile(ships, z, x, y)
    except (unproven_water.NoSuchTile, DataMissing):
        abort(404)
    response = Response(tile, mimetype="application/json")
    response.cache_control.private = True
    response.cache_control.max_age = _KEPT_S
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
