"""A vessel's statistics in answers."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.records.figures import count, part, parts, text
from app.records.plan import CarbonIntensitySchema

_TIME = {"type": "string", "format": "date-time"}


def _figure(description: str, **options: Any) -> fields.Float:
    """A figure that is null where the records don't suffice."""
    bounds = validate.Range(min=0)
    return fields.Float(
        allow_none=True, validate=bounds, metadata={"description": description}, **options
    )


class PeriodSchema(ma.Schema):
    """The period asked for, or else that of the records."""

    since = fields.String(
        data_key="from", allow_none=True, metadata=_TIME | {"description": "Its start"}
    )
    until = fields.String(
        data_key="to", allow_none=True, metadata=_TIME | {"description": "Its end"}
    )


class SpeedPointSchema(ma.Schema):
    """Mean consumption near a speed."""

    speedKn = _figure("Speed over ground, to the whole knot [kn]")
    focMtPerDay = _figure("Main engine's consumption [mt/day]")
    hours = _figure("Hours under way near this speed [h]")


class ComparisonSchema(ma.Schema):
    """A planned voyage against the records of its time, where they cover it."""

    chartingId = text("The charting")
    predictedFuelMt = _figure("Fuel as planned [mt]")
    actualFuelMt = _figure("Fuel by the records [mt]")
    predictedDistanceNm = _figure("Distance as planned [nm]")
    actualDistanceNm = _figure("Distance by the records [nm]")


class VesselStatisticsSchema(ma.Schema):
    """A vessel's statistics."""

    period = part(PeriodSchema, "The period covered")
    voyages = count("Voyages planned, by departure")
    distanceNm = _figure("Geodesic distance under way [nm]")
    hoursUnderway = _figure("Hours under way, at one knot or more [h]")
    avgSpeedKn = _figure("Distance over hours under way [kn]")
    fuelMt = _figure("Main engine's fuel, lying still included [mt]")
    fuelPerNm = _figure("Fuel over distance [mt/nm]")
    focMtPerDay = _figure("Consumption under way [mt/day]")
    co2Mt = _figure("CO2, tank to wake [mt]")
    cii = part(CarbonIntensitySchema, "Carbon intensity")
    ciiYearToDate = part(CarbonIntensitySchema, "Carbon intensity of this calendar year so far")
    speedCurve = parts(SpeedPointSchema, "Consumption by speed")
    predictedVsActual = parts(ComparisonSchema, "Voyages as planned and as recorded")
    telemetryCount = count("Records in the period")
