"""Spread of a plan, as stored and served."""

from typing import Final

from app.engine.request import Position
from app.engine.spread import (
    BestTrack,
    DecisionPoint,
    ExceedancePlace,
    FanPoint,
    KeptSetting,
    LimitExceedance,
    LimitKind,
    MemberOutcome,
    Percentiles,
    ProbabilityPoint,
    Spread,
    SpreadBasis,
    TimePercentiles,
)
from app.records.figures import (
    Word,
    count,
    figure,
    fix_latitude,
    fix_longitude,
    instant,
    known,
    listed,
    part,
    parts,
    text,
)
from app.records.plan import Placed
from app.records.record import Json, Record

#: Half of the earth's circumference, the largest distance [nm].
_FARTHEST_NM: Final = 10_800.0


class PercentilesSchema(Record):
    """Values that 10, 50 and 90 % of what may come stays under."""

    record = Percentiles

    p10 = figure("10 % stays under it [in the unit of the whole]", 3)
    p50 = figure("Half stays under it [in the unit of the whole]", 3)
    p90 = figure("90 % stays under it [in the unit of the whole]", 3)


class TimePercentilesSchema(Record):
    """Times by which the ship is there with 10, 50 and 90 %."""

    record = TimePercentiles

    p10 = instant("With 10 % by then")
    p50 = instant("With 50 % by then")
    p90 = instant("With 90 % by then")


class FanPointSchema(Record):
    """The spread at one distance along the route."""

    record = FanPoint

    cumulativeNm = figure("Distance from departure [nm]", 2)
    time = part(TimePercentilesSchema, "Time there")
    fuelMt = part(PercentilesSchema, "Fuel of the main engine till there [t]")


class ProbabilityPointSchema(Record):
    """Probability of exceeding a limit on a part of the route."""

    record = ProbabilityPoint

    cumulativeNm = figure("Distance from departure to the middle of the part [nm]", 2)
    probability = figure("Share of members that exceed it there", 3, greatest=1.0)


class ExceedancePlaceSchema(Placed):
    """Place and time at which a limit is most likely exceeded."""

    record = ExceedancePlace

    lat = fix_latitude()
    lng = fix_longitude()
    time = instant("Median time at which members exceed it there")
    cumulativeNm = figure("Distance from departure [nm]", 2)
    waypointIndex = count("Waypoint that the leg leads to, from 0")
    probability = figure("Share of members that exceed it there", 3, greatest=1.0)


class LimitExceedanceSchema(Record):
    """Probability, place and time of exceeding a limit."""

    record = LimitExceedance

    limit = Word(LimitKind, "The limit; ROLLING is a dangerous situation of IMO MSC.1/Circ.1228")
    unit = text("Unit of allowed and highestP90; empty for rolling")
    allowed = known("Limit [in the unit]", 2)
    probability = figure("Share of members that exceed it anywhere", 3, greatest=1.0)
    highestP90 = known("Highest value that 90 % of the members stay under [in the unit]", 2)
    place = part(
        ExceedancePlaceSchema,
        "Place at which most members exceed it; null if none does",
        allow_none=True,
    )


class LimitAlongSchema(LimitExceedanceSchema):
    """Probability, place and time of exceeding a limit, and the probability along the route."""

    along = parts(ProbabilityPointSchema, "Probability along the route")


class MemberOutcomeSchema(Record):
    """The route in one member."""

    record = MemberOutcome

    number = count("The member's number", least=1)
    fuelMt = figure("Fuel of the main engine [t]", 3)
    eta = instant("Arrival")
    maxWaveM = figure("Highest significant wave [m]", 2)
    maxWindMs = figure("Highest wind [m/s]", 2)
    exceeds = listed(Word(LimitKind, "A limit"), "Limits it exceeds")


class PositionSchema(Record):
    """A position."""

    record = Position

    lat = fix_latitude("lat")
    lng = fix_longitude("lng")


class BestTrackSchema(Record):
    """A track that is the best one in some members."""

    record = BestTrack

    label = text("Name of the track")
    share = figure("Share of members in which it is the best", 3, greatest=1.0)
    widestNm = figure(
        "Farthest it lies off the planned track [nm]; to port where negative",
        1,
        least=-_FARTHEST_NM,
        greatest=_FARTHEST_NM,
    )
    positions = parts(PositionSchema, "Positions along it, at most 60 nm apart")


class DecisionPointSchema(Placed):
    """The last waypoint from which every track that is best in some member is open."""

    record = DecisionPoint

    waypointIndex = count("The waypoint, from 0")
    lat = fix_latitude()
    lng = fix_longitude()
    time = instant("Time at which the ship is there")
    forecastAt = instant(
        "Reference time of the newest forecast that is on board by then; null"
        " where it is no newer than the plan's",
        required=False,
        allow_none=True,
    )
    sides = text("The choices, in words")


class SpreadSummarySchema(Record):
    """Forecast uncertainty of a plan: the route's figures in other weather than the plan's."""

    basis = Word(
        SpreadBasis,
        "MEMBERS: members of the forecast's ensemble; TYPICAL_ERROR: members made from typical"
        " forecast error, because there is no ensemble",
    )
    members = count("Number of members behind the figures", attribute="member_count")
    unsailable = count(
        "Members in which the ship makes no headway; not counted", attribute="unsailable_count"
    )
    kept = Word(KeptSetting, "Setting that the crew keeps: the planned arrival, or the revolutions")
    reason = text("Reason for the basis, in words")
    fuelMt = part(PercentilesSchema, "Fuel of the main engine [t]")
    durationH = part(PercentilesSchema, "Hours from departure to arrival [h]")
    eta = part(TimePercentilesSchema, "Arrival")
    climatologyPct = figure(
        "Share of the hours beyond the forecast, where the spread is the climate's [%]",
        1,
        greatest=100.0,
    )
    exceedances = parts(LimitExceedanceSchema, "Limits that were set, and rolling")
    decision = part(
        DecisionPointSchema,
        "Until where a choice between tracks may wait; null where one is the best in all members",
        allow_none=True,
    )


class SpreadSchema(SpreadSummarySchema):
    """Forecast uncertainty of a plan along the route and by member."""

    record = Spread

    exceedances = parts(LimitAlongSchema, "Limits that were set, and rolling")
    fan = parts(FanPointSchema, "Time and fuel along the route")
    outcomes = parts(MemberOutcomeSchema, "Each member")
    tracks = parts(
        BestTrackSchema,
        "Tracks that are best in some member, and the planned one; empty where no other was sailed",
    )


def summarise(spread: Json) -> Json:
    """Return the summary of a stored spread."""
    kept = {name: spread[name] for name in SpreadSummarySchema._declared_fields}
    limits = [
        {name: limit[name] for name in LimitExceedanceSchema._declared_fields}
        for limit in spread["exceedances"]
    ]
    return kept | {"exceedances": limits}
