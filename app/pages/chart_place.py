"""Depth at a place on the chart."""

import math
from typing import Any

from flask import request
from flask.typing import ResponseReturnValue

from app.engine.errors import DataMissing
from app.pages.blueprint import answer_json, pages
from app.services import sea
from app.services.errors import FieldError, Invalid


@pages.get("/chart/depth")
def chart_depth() -> ResponseReturnValue:
    """Depth at a place [m]; null where the grid can't be believed, and on land."""
    lat, lng = (request.args.get(name, type=float) for name in ("lat", "lng"))
    if lat is None or lng is None or not (abs(lat) <= 90 and math.isfinite(lng)):
        raise Invalid([FieldError("/lat", "Enter a latitude and a longitude.")])
    return answer_json(**_look_up(lat, (lng + 180.0) % 360.0 - 180.0))


def _look_up(lat: float, lng: float) -> dict[str, Any]:
    try:
        atlas = sea.open_atlas()
    except DataMissing:
        return {"depthM": None, "isLand": False}
    depth_m = float(atlas.depth_m(lat, lng))
    is_land = not atlas.is_water(lat, lng)
    return {
        "depthM": None if is_land or math.isnan(depth_m) else round(depth_m),
        "isLand": is_land,
    }
