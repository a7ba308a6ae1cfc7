"""Weather runs, and weather at a point or over a grid."""

from typing import Any

from flask import Response

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.common import list_of
from app.api.schemas.weather import (
    SEA_FIELDS,
    SEA_SOURCES,
    WeatherGridQuerySchema,
    WeatherGridSchema,
    WeatherPointQuerySchema,
    WeatherPointSchema,
    WeatherRunSchema,
)
from app.engine.request import Position
from app.engine.units import wrap_longitude
from app.models import Scope
from app.records.instants import format_instant
from app.records.plan import WeatherSchema
from app.records.rounding import round_longitude
from app.services.sea import sea
from app.services.weather import weather, weather_chart

blueprint = ApiBlueprint("Weather", __name__, description="Forecasts and climatology")


@blueprint.operation("GET", "/weather/runs", Scope.READ)
@blueprint.response(200, list_of(WeatherRunSchema))
def list_weather_runs(context: RequestContext) -> Response:
    """List the stored forecast runs, newest first."""
    found = weather.list_records(context.session)
    return json_response(present.listed(found, WeatherRunSchema.write))


@blueprint.operation("GET", "/weather/point", Scope.READ)
@blueprint.arguments(WeatherPointQuerySchema, location="query")
@blueprint.response(200, WeatherPointSchema)
def get_weather_point(context: RequestContext, query: dict[str, Any]) -> Response:
    """Get wind, waves and current at a position and time, with their sources.

    On land there are no waves and no current.
    """
    time, place = query["time"], Position(query["lat"], float(wrap_longitude(query["lng"])))
    field = weather.get_field(context.session, time, time, (place, place))
    found = WeatherSchema.write(field.at(place, time))
    if not sea.open_atlas().is_water(*place):
        found |= dict.fromkeys(SEA_FIELDS)
        found["sources"] |= dict.fromkeys(SEA_SOURCES)
    return json_response(
        {
            "lat": place.lat,
            "lng": round_longitude(place.lng),
            "time": format_instant(time),
            **found,
            "weatherRuns": list(field.run_names),
        }
    )


@blueprint.operation("GET", "/weather/grid", Scope.READ)
@blueprint.arguments(WeatherGridQuerySchema, location="query")
@blueprint.response(200, WeatherGridSchema)
def get_weather_grid(context: RequestContext, query: dict[str, Any]) -> Response:
    """Get wind, waves and current over an area at a time.

    On land, waves and current are those of the nearest water, for interpolation up to the coast.
    """
    time = query.pop("time")
    field = weather.get_field(context.session, time, time)
    return json_response(
        {"time": format_instant(time), **weather_chart.chart(field, time, **query)}
    )
