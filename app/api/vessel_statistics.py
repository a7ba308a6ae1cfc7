"""Vessel statistics."""

from typing import Any

from flask import Response

from app.api import present
from app.api.operation import ApiBlueprint, RequestContext, json_response
from app.api.schemas.telemetry import PeriodQuerySchema
from app.api.schemas.vessel_statistics import VesselStatisticsSchema
from app.engine.plan import CarbonIntensity
from app.services.vessels import vessel_statistics, vessels
from app.services.vessels.vessel_statistics import VesselStatistics

blueprint = ApiBlueprint(
    "Vessel statistics", __name__, description="Distance, fuel and carbon intensity of vessels"
)


@blueprint.operation("GET", "/vessel/<vessel_id>/stats")
@blueprint.arguments(PeriodQuerySchema, location="query")
@blueprint.response(200, VesselStatisticsSchema)
def get_vessel_statistics(
    context: RequestContext, query: dict[str, Any], vessel_id: str
) -> Response:
    """Get totals of a vessel's telemetry and voyages in a period."""
    vessel = vessels.get(context.session, context.actor.organization_id, vessel_id)
    return json_response(_present(vessel_statistics.describe(context.session, vessel, **query)))


def _present(found: VesselStatistics) -> dict[str, Any]:
    return {
        "period": {"from": present.instant(found.since), "to": present.instant(found.until)},
        "voyages": found.voyages,
        **_present_recorded(found),
        "cii": _present_cii(found.carbon_intensity),
        "ciiYearToDate": _present_cii(found.year_to_date),
        "predictedVsActual": [
            {
                "chartingId": str(voyage.charting_id),
                "predictedFuelMt": voyage.predicted_fuel_t,
                "actualFuelMt": voyage.actual_fuel_t,
                "predictedDistanceNm": voyage.predicted_distance_nm,
                "actualDistanceNm": voyage.actual_distance_nm,
            }
            for voyage in found.comparisons
        ],
        "telemetryCount": found.telemetry_count,
    }


def _present_recorded(found: VesselStatistics) -> dict[str, Any]:
    recorded = found.recorded
    if recorded is None:
        figures = (
            "distanceNm", "hoursUnderway", "avgSpeedKn", "fuelMt", "fuelPerNm", "focMtPerDay",
            "co2Mt",
        )  # fmt: skip
        return {**dict.fromkeys(figures), "speedCurve": []}
    hours, miles = recorded.hours_under_way, recorded.distance_nm
    return {
        "distanceNm": miles,
        "hoursUnderway": hours,
        "avgSpeedKn": miles / hours if hours else None,
        "fuelMt": recorded.fuel_t,
        "fuelPerNm": recorded.fuel_t / miles if miles else None,
        "focMtPerDay": 24.0 * recorded.fuel_under_way_t / hours if hours else None,
        "co2Mt": found.co2_t,
        "speedCurve": [
            {"speedKn": point.speed_kn, "focMtPerDay": point.fuel_t_per_day, "hours": point.hours}
            for point in recorded.speed_curve
        ],
    }


def _present_cii(cii: CarbonIntensity | None) -> dict[str, Any]:
    if cii is None:
        return {"attained": None, "required": None, "rating": None}
    return {"attained": cii.attained, "required": cii.required, "rating": cii.rating}
