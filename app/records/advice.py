"""Advice to a ship under way, and the outlook that it rests on, as stored and served."""

from app.engine.codes import FindingCode
from app.engine.geodesy.leg import LegGeometry
from app.engine.monitoring.advice import Advice, AdviceReason, AdvisedWaypoint
from app.records.figures import (
    Figure,
    Word,
    figure,
    fix_latitude,
    fix_longitude,
    flag,
    instant,
    known,
    listed,
    parts,
    text,
)
from app.records.plan import Placed
from app.records.record import Record
from app.records.route_check import FindingSchema


def _raised(value: str) -> Figure:
    """A limit that is raised because no route keeps it."""
    words = f"{value} up to which the advised route goes if no route keeps the limit; else null"
    return figure(words, 3, allow_none=True, required=False)


class AdvisedWaypointSchema(Placed):
    """A waypoint of the advised route and the line of the leg that leads to it."""

    record = AdvisedWaypoint

    lat = fix_latitude()
    lng = fix_longitude()
    legGeometry = Word(LegGeometry, "Line of the leg; null at the first", allow_none=True)


class AdviceContentSchema(Record):
    """A change that is advised, against the rest of the plan in the weather as known now."""

    record = Advice

    reasons = listed(
        Word(AdviceReason, "LIMIT: the plan's rest breaks a limit or an area; ARRIVAL; FUEL"),
        "Reasons for the advice",
    )
    avoids = listed(
        text("A limit or area, in one sentence"),
        "Limits and areas that the plan's rest breaks",
    )
    codes = listed(Word(FindingCode, "Kind of a finding"), "Kinds of the findings")
    excess = known("Waves or wind over their limit, the greatest ratio [1]", 3)
    fuelSavedMt = known(
        "Fuel saved, negative where more is burnt to keep a limit [t]", 3, least=None
    )
    timeSavedH = known("Time saved, negative where it arrives later [h]", 2, least=None)
    fuelMt = figure("Fuel of the main engine from here, as advised [t]", 3)
    fuelStandardErrorMt = known("Standard error of fuelMt, by what is known of the ship [t]", 3)
    eta = instant("Arrival as advised")
    actBy = instant("Time at which the ship leaves the planned track or changes its speed,"
                    " three hours after the advice at the soonest")  # fmt: skip
    leavesTrack = flag("Whether the ship leaves the planned track")
    action = text("Instruction in words")
    identities = listed(
        text("Code of a finding, and after a colon the area's id, or waves or wind"),
        "Limits and areas of codes, each once; missing from older advice",
        required=False,
    )
    waypoints = parts(
        AdvisedWaypointSchema,
        "Waypoints of the advised route; missing from older advice",
        required=False,
    )
    allowedWaveM = _raised("Significant wave [m]")
    allowedWindMs = _raised("Mean wind [m/s]")


class OutlookSchema(Record):
    """Figures of the rest of the plan in the weather as known at the time."""

    watchedAt = instant("Time of the computation")
    weather = text("Forecast runs that it rests on; empty for climatology")
    eta = instant("Arrival at the plan's speeds; null where the rest cannot be sailed",
                  allow_none=True)  # fmt: skip
    laterH = known("Arrival later than planned, negative for sooner [h]", 2, least=None)
    fuelMt = known("Fuel of the main engine from here [t]", 3)
    plannedFuelMt = figure(
        "Fuel of the main engine from here in the plan [t]; null for a ship off the track",
        3,
        allow_none=True,
    )
    breaches = parts(FindingSchema, "Limits and areas that the rest breaks")
