"""Progress of a voyage under way, as stored and served."""

from typing import Any

from app.engine.monitoring.positions import PositionFault, RefusedPosition
from app.engine.monitoring.progress import NextWaypoint, VoyageProgress
from app.records.figures import (
    Figure,
    Word,
    count,
    figure,
    fix_latitude,
    fix_longitude,
    instant,
    known,
    part,
)
from app.records.record import Record


class NextWaypointSchema(Record):
    """The waypoint that the ship makes for."""

    record = NextWaypoint

    index = count("The waypoint, from 0")
    distanceNm = figure("Distance to it along the track [nm]", 2)
    hours = known("Time to it at the speed made good [h]", 2)


def _on_track(name: str, description: str, decimals: int, **options: Any) -> Figure:
    """A figure that only a ship on the planned track has."""
    words = f"{description}; null for a ship off the track"
    return figure(words, decimals, attribute=f"on_track.{name}", allow_none=True, **options)


class VoyageProgressSchema(Record):
    """A voyage as of the last position of its ship.

    A ship more than 50 nm off the planned track has no progress along it.
    """

    record = VoyageProgress

    time = instant("Time of the position")
    lat = fix_latitude()
    lng = fix_longitude()
    speedKn = figure("Speed over ground as reported [kn]", 2)
    madeGoodNm = _on_track("made_good_nm", "Distance made good along the planned track [nm]", 2)
    toGoNm = _on_track("to_go_nm", "Distance to go along the planned track [nm]", 2)
    sailedNm = known("Distance that the ship has sailed since departure [nm]", 2)
    offTrackNm = figure("Distance off the track, positive to starboard [nm]", 2, least=None)
    behindH = _on_track(
        "behind_h", "Delay on the plan's schedule, negative where ahead of it [h]", 2, least=None
    )
    fuelMt = known("Fuel of the main engine since departure, by the reports that state it [t]", 3)
    fuelFrom = instant(
        "Time of the first of these reports; null with fuelMt", allow_none=True, required=False
    )
    fuelTo = instant(
        "Time of the last of these reports; null with fuelMt", allow_none=True, required=False
    )
    plannedFuelMt = _on_track(
        "planned_fuel_t",
        "Fuel of the plan where the ship was from fuelFrom to fuelTo, or to this place if fuelMt is"
        " null, plus that reported before a plan made under way [t]",
        3,
    )
    speedMadeGoodKn = _on_track(
        "speed_made_good_kn",
        "Speed made good along the track in the last 24 h [kn], null where not known",
        2,
        least=None,
    )
    nextWaypoint = part(
        NextWaypointSchema,
        "Null at the end of the track, and for a ship off it",
        attribute="on_track.next_waypoint",
        allow_none=True,
    )
    plannedEta = instant("Arrival by the plan")
    etaByPlan = instant(
        "Arrival at the plan's speeds from here; null for a ship off the track",
        attribute="on_track.eta_by_plan",
        allow_none=True,
    )
    etaByTrend = instant(
        "Arrival at the speed made good; null where that says nothing",
        attribute="on_track.eta_by_trend",
        allow_none=True,
    )


class RefusedPositionSchema(Record):
    """A reported position that is not believed."""

    record = RefusedPosition

    time = instant("Time that the report gives")
    lat = fix_latitude("lat")
    lng = fix_longitude("lng")
    fault = Word(PositionFault, "Reason for refusing the position")
