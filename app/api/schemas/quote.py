"""Quotes in requests and responses."""

from app.engine.plan import Quote
from app.records.charting import QUOTED, SPEEDS_KN, ChartingSchema
from app.records.fields import OPTIONAL, Instant, Number, RequestSchema, Text
from app.records.figures import figure, instant, known, of_auxiliaries, part, parts, text
from app.records.plan import WarningSchema
from app.records.record import Json, Record
from app.records.vessel import VesselSchema


class _QuoteShip(RequestSchema):
    """Vessel, departure and speed of a quote."""

    vesselId = Text(description="Id of one of your vessels", **OPTIONAL)
    particulars = part(
        VesselSchema, "Particulars of an unregistered ship, instead of vesselId", **OPTIONAL
    )
    speed = Number(required=True, validate=SPEEDS_KN, description="Speed through the water [kn]")
    startDate = Instant(description="Departure time, RFC 3339; default: now", **OPTIONAL)


class QuoteRequestSchema(
    _QuoteShip.from_dict(  # type: ignore[misc]
        {name: ChartingSchema._declared_fields[name] for name in QUOTED}
    )
):
    """A voyage to quote, in calm water at one speed."""


class QuotedRouteSchema(Record):
    """Totals of a candidate route."""

    label = text("Name of the route, e.g. by Suez")
    distanceNm = figure("Distance [nm]", 2, attribute="summary.distance_nm")
    durationH = figure(
        "Duration [h], waiting at canals included", 3, attribute="summary.duration_h"
    )
    eta = instant("Arrival", attribute="summary.eta")
    avgSpeedKn = figure("Mean speed over ground [kn]", 3, attribute="summary.average_speed_kn")
    fuelMt = figure("Fuel of the main engine [t]", 3, attribute="summary.fuel_t")
    fuelStandardErrorMt = known(
        "Standard error of fuelMt [t]",
        3,
        attribute="summary.fuel_standard_error_t",
    )
    co2Mt = figure("Carbon dioxide of the main engine [t]", 3, attribute="summary.co2_t")
    auxiliaryFuelMt = of_auxiliaries(
        "Fuel of the auxiliaries [t]", attribute="summary.auxiliary_fuel_t"
    )
    auxiliaryCo2Mt = of_auxiliaries(
        "Carbon dioxide of the auxiliaries [t]", attribute="summary.auxiliary_co2_t"
    )
    totalFuelMt = of_auxiliaries(
        "Fuel of main engine and auxiliaries [t]", attribute="summary.total_fuel_t"
    )
    totalCo2Mt = of_auxiliaries(
        "Carbon dioxide of main engine and auxiliaries [t]", attribute="summary.total_co2_t"
    )
    ecaDistanceNm = figure(
        "Distance inside emission control areas [nm]", 2, attribute="summary.eca_distance_nm"
    )


class QuoteSchema(QuotedRouteSchema):
    """Totals of the best route and of its alternatives."""

    alternatives = parts(QuotedRouteSchema, "Alternatives, best first")
    warnings = parts(WarningSchema, "Warnings")

    @classmethod
    def write(cls, obj: Quote) -> Json:
        """Write a quote with its best route and the alternatives."""
        best, *others = map(QuotedRouteSchema.write, obj.routes)
        return best | {
            "alternatives": others,
            "warnings": [*map(WarningSchema.write, obj.warnings)],
        }
