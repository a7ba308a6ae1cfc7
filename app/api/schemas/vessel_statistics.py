"""Vessel statistics in responses."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.records.figures import count, part, parts, text
from app.records.plan import CarbonIntensitySchema

_TIME = {"type": "string", "format": "date-time"}


def _figure(description: str, **options: Any) -> fields.Float:
    """Return a field for a value that is null if there are too few records."""
    bounds = validate.Range(min=0)
    return fields.Float(
        allow_none=True, validate=bounds, metadata={"description": description}, **options
    )


class PeriodSchema(ma.Schema):
    """The requested period, or that of the records."""

    since = fields.String(
        data_key="from", allow_none=True, metadata=_TIME | {"description": "Start"}
    )
    until = fields.String(data_key="to", allow_none=True, metadata=_TIME | {"description": "End"})


class SpeedPointSchema(ma.Schema):
    """Mean consumption near a speed."""

    speedKn = _figure("Speed over ground, rounded to whole knots [kn]")
    focMtPerDay = _figure("Fuel consumption of the main engine [mt/day]")
    hours = _figure("Hours under way near this speed [h]")


class ComparisonSchema(ma.Schema):
    """A planned voyage compared with its records, if they cover it."""

    chartingId = text("Id of the charting")
    predictedFuelMt = _figure("Planned fuel [mt]")
    actualFuelMt = _figure("Recorded fuel [mt]")
    predictedDistanceNm = _figure("Planned distance [nm]")
    actualDistanceNm = _figure("Recorded distance [nm]")


class VesselStatisticsSchema(ma.Schema):
    """A vessel's statistics."""

    period = part(PeriodSchema, "The period covered")
    voyages = count("Planned voyages that depart in the period")
    distanceNm = _figure("Geodesic distance under way [nm]")
    hoursUnderway = _figure("Hours under way, at one knot or more [h]")
    avgSpeedKn = _figure("Mean speed over ground under way [kn]")
    fuelMt = _figure("Fuel of the main engine, at rest included [mt]")
    fuelPerNm = _figure("Fuel per distance [mt/nm]")
    focMtPerDay = _figure("Fuel consumption under way [mt/day]")
    co2Mt = _figure("Carbon dioxide, tank to wake [mt]")
    cii = part(CarbonIntensitySchema, "Carbon intensity")
    ciiYearToDate = part(CarbonIntensitySchema, "Carbon intensity of this calendar year so far")
    speedCurve = parts(SpeedPointSchema, "Fuel consumption by speed")
    predictedVsActual = parts(ComparisonSchema, "Planned voyages compared with records")
    telemetryCount = count("Records in the period")
