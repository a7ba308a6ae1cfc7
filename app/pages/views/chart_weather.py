"""Weather of a chart view at one time, compact for slow links."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from flask import Response, jsonify, request
from marshmallow import Schema

from app.engine.units import KNOT_MS
from app.pages.blueprint import pages
from app.pages.web.forms import read_form, time_field
from app.pages.web.own import own_session
from app.records.fields import QueryDegrees
from app.records.instants import format_instant
from app.services.weather import weather, weather_chart

#: Cache time of a view [s]; a newer forecast is shown after this at the latest.
_KEPT_S: Final = 900

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
    response.cache_control.max_age = _KEPT_S
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
