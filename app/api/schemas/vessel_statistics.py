"""Vessel statistics in responses."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import marshmallow as ma

from app.engine.plan import CarbonIntensity
from app.engine.telemetry.records import FuelBasis, RecordedVoyage
from app.records.figures import Word, count, figure, instant, kept, part, parts, text
from app.records.instants import write_instant
from app.records.plan import CarbonIntensitySchema
from app.records.record import Record
from app.services.vessels.vessel_statistics import VesselStatistics

#: A value that is null if there are too few records.
_figure = partial(figure, least=0, allow_none=True, required=False)


class PeriodSchema(ma.Schema):
    """The requested period, or that of the records."""

    since = instant("Start", required=False, data_key="from", allow_none=True)
    until = instant("End", required=False, data_key="to", allow_none=True)


class SpeedPointSchema(Record):
    """Mean consumption near a speed."""

    speedKn = _figure("Speed over ground, rounded to whole knots [kn]", 0)
    focMtPerDay = _figure(
        "Fuel consumption of the main engine [mt/day]", 3, attribute="fuel_t_per_day"
    )
    hours = _figure("Hours under way near this speed [h]", 3)


class ComparisonSchema(Record):
    """A voyage sailed compared with its records, if they cover it."""

    chartingId = text("Id of the charting")
    predictedFuelMt = _figure("Planned fuel [mt]", 3)
    actualFuelMt = _figure("Recorded fuel [mt]", 3)
    predictedDistanceNm = _figure("Planned distance [nm]", 2)
    actualDistanceNm = _figure("Recorded distance [nm]", 2)


def _of_records(
    read: Callable[[RecordedVoyage], Any], missing: Any = None
) -> Callable[[VesselStatistics], Any]:
    """Read a figure of the records, if there are any."""
    return lambda found: missing if found.recorded is None else read(found.recorded)


def _present_cii(cii: CarbonIntensity | None) -> dict[str, Any]:
    """Write a carbon intensity, with nulls if there is none."""
    empty = dict.fromkeys(CarbonIntensitySchema().fields)
    return empty if cii is None else CarbonIntensitySchema.write(cii)


def _per(total: float, amount: float) -> float | None:
    return total / amount if amount else None


class VesselStatisticsSchema(Record):
    """A vessel's statistics."""

    computed: ClassVar = {
        "period": lambda found: {
            "from": write_instant(found.since),
            "to": write_instant(found.until),
        },
        "distanceNm": _of_records(lambda r: r.distance_nm),
        "hoursUnderway": _of_records(lambda r: r.hours_under_way),
        "avgSpeedKn": _of_records(lambda r: _per(r.distance_nm, r.hours_under_way)),
        "fuelMt": _of_records(lambda r: r.fuel_t),
        "fuelPerNm": _of_records(lambda r: _per(r.fuel_t, r.distance_nm)),
        "focMtPerDay": _of_records(lambda r: _per(24.0 * r.fuel_under_way_t, r.hours_under_way)),
        "cii": lambda found: _present_cii(found.carbon_intensity),
        "ciiYearToDate": lambda found: _present_cii(found.year_to_date),
        "speedCurve": _of_records(lambda r: r.speed_curve, ()),
    }

    period = part(PeriodSchema, "The period covered")
    voyages = count(
        "Planned voyages that depart in the period and were sailed: started ones, and plans that"
        " the records follow from end to end"
    )
    distanceNm = _figure("Geodesic distance under way, of noon reports as stated [nm]", 2)
    hoursUnderway = _figure("Hours under way, at one knot or more [h]", 3)
    avgSpeedKn = _figure("Mean speed over ground under way [kn]", 3)
    fuelMt = _figure("Fuel of the main engine, at rest included [mt]", 3)
    fuelPerNm = _figure("Fuel per distance [mt/nm]", 6)
    focMtPerDay = _figure("Fuel consumption under way [mt/day]", 3)
    co2Mt = _figure(
        "Carbon dioxide of main engine, auxiliaries and boilers, tank to wake, by the factor of the"
        " vessel's fuelType whatever grades reports state [mt]",
        3,
    )
    fuelBasis = Word(
        FuelBasis,
        "Source of the fuel of auxiliaries and boilers in co2Mt and cii. REPORTED: by noon reports;"
        " DECLARED: for hours without it, auxiliaryMtPerDay of the vessel; MAIN_ENGINE_ONLY: for"
        " some hours it is unknown and not counted",
        required=False,
        allow_none=True,
    )
    cii = kept(
        CarbonIntensitySchema,
        "Carbon intensity of co2Mt, by the requirement of the year in which the records end:"
        " indicative unless the period is a calendar year and fuelBasis REPORTED",
    )
    ciiYearToDate = kept(
        CarbonIntensitySchema, "Carbon intensity of this calendar year so far, counted like cii"
    )
    speedCurve = parts(SpeedPointSchema, "Fuel consumption by speed")
    predictedVsActual = parts(
        ComparisonSchema,
        "Voyages sailed compared with records that reach from end to end of the plan, once they are"
        " finished",
        attribute="comparisons",
    )
    telemetryCount = count("Telemetry records in the period")
    noonReportCount = count(
        "Noon reports in the figures: those that end in the period, of hours without telemetry; of"
        " reports of the same hours the one received last"
    )
