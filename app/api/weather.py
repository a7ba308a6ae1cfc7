"""Weather runs, and weather at a point or over a grid."""

from typing import Any

from flask import Response

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.common import list_of
from app.api.schemas.weather import (
    WeatherGridQuerySchema,
    WeatherGridSchema,
    WeatherPointQuerySchema,
    WeatherPointSchema,
    WeatherRunSchema,
)
from app.engine.request import Position
from app.engine.units import wrap_longitude
from app.records.instants import format_instant
from app.records.plan import WeatherSchema
from app.services.weather import weather, weather_chart

blueprint = ApiBlueprint("Weather", __name__, description="Forecasts and climatology")


@blueprint.operation("GET", "/weather/runs")
@blueprint.response(200, list_of(WeatherRunSchema))
def list_weather_runs(context: RequestContext) -> Response:
    """List the stored forecast runs, newest first."""
    found = weather.list_records(context.session)
    return json_response(present.listed(found, WeatherRunSchema.write))


@blueprint.operation("GET", "/weather/point")
@blueprint.arguments(WeatherPointQuerySchema, location="query")
@blueprint.response(200, WeatherPointSchema)
def get_weather_point(context: RequestContext, query: dict[str, Any]) -> Response:
    """Get wind, waves and current at a position and time, with their sources."""
    time = query["time"]
    field = weather.get_field(context.session, time, time)
    met = field.at(Position(query["lat"], query["lng"]), time)
    return json_response(
        {
            "lat": query["lat"],
            "lng": wrap_longitude(query["lng"]),
            "time": format_instant(time),
            **WeatherSchema.write(met),
            "weatherRuns": list(field.run_names),
        }
    )


@blueprint.operation("GET", "/weather/grid")
@blueprint.arguments(WeatherGridQuerySchema, location="query")
@blueprint.response(200, WeatherGridSchema)
def get_weather_grid(context: RequestContext, query: dict[str, Any]) -> Response:
    """Get wind, waves and current over an area at a time."""
    time = query.pop("time")
    field = weather.get_field(context.session, time, time)
    return json_response(
        {"time": format_instant(time), **weather_chart.chart(field, time, **query)}
    )
