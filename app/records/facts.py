"""Facts behind a plan, as stored and served."""

import marshmallow as ma

from app.engine.facts import BridgeFact, CostFact, PassageFact, PlanFacts, SavingFact, WaitFact
from app.records.figures import Figure, figure, flag, latitude, longitude, part, parts, text, texts
from app.records.record import Record
from app.records.rounding import POSITION_DECIMALS, round_longitude, round_to


def _more(description: str) -> Figure:
    return Figure(metadata={"description": description})


class PassageFactSchema(Record):
    """A canal or narrow water on the route."""

    record = PassageFact
    left_out_empty = frozenset({"lat", "lng", "maxAirDraft"})

    name = text("Its name")
    kind = text("Canal, strait or the like")
    waitingH = figure("Usual waiting time counted [h]")
    lat = latitude("Latitude of its middle [deg]")
    lng = longitude("Longitude of its middle [deg]")
    isOutward = flag("Whether the ship leaves by it, from its inner end", required=False)
    maxAirDraft = figure(
        "Greatest air draught by its limit and below those of its bridges that the route passes"
        " below [m]; left out if none is known",
        2,
        required=False,
        attribute="max_air_draft_m",
    )


class BridgeFactSchema(Record):
    """A bridge that the route passes below."""

    record = BridgeFact
    left_out_empty = frozenset({"passage"})

    name = text("Its name")
    maxAirDraft = figure("Greatest air draught below it [m]", 2, attribute="max_air_draft_m")
    lat = latitude("Latitude of the route below it [deg]", write=round_to(POSITION_DECIMALS))
    lng = longitude("Longitude of the route below it [deg]", write=round_longitude)
    passage = text("The passage on the route that it spans, if any", required=False)


class CostFactSchema(Record):
    """Extra cost of the route over one that is closed or breaks a limit."""

    record = CostFact
    left_out_empty = frozenset({"reason", "areas"})

    class Meta:
        unknown = ma.INCLUDE

    label = text("The route or limit")
    reason = text("Reason for which that route is closed", required=False)
    areas = texts("Ids of the areas that close it", required=False, attribute="area_ids")
    extraNm = _more("Miles more [nm]")
    extraH = _more("Hours more [h]")
    extraFuelMt = _more("Fuel more [t]")


class WaitFactSchema(Record):
    """A wait for an area to be over, or for weather to pass."""

    record = WaitFact

    lat = latitude()
    lng = longitude()
    hours = figure("Duration of the wait [h]")
    until = text("End of the wait and its reason, in words")
    forAreas = flag("Whether areas are waited for", required=False)


class MeansFactSchema(Record):
    """Fuel saved against the baseline, by means."""

    record = SavingFact

    trackMt = _more("By the track [t]")
    depthMt = _more("By less shallow water along the track, a part of trackMt [t]")
    speedMt = _more("By the speeds and their timing [t]")


class FactsSchema(Record):
    """Reasons for the route beyond its figures, for the explanation.

    More may come with later versions.
    """

    record = PlanFacts
    left_out_empty = frozenset(
        {"bridges", "waits", "closedWays", "bindingLimits", "areasAvoided", "means"}
    )

    class Meta:
        unknown = ma.INCLUDE

    passages = parts(PassageFactSchema, "Canals and narrows passed", required=False)
    bridges = parts(BridgeFactSchema, "Bridges that the route passes below", required=False)
    waits = parts(WaitFactSchema, "Waits for areas to end or weather to pass", required=False)
    closedWays = parts(CostFactSchema, "Shorter routes that are closed", required=False)
    bindingLimits = parts(CostFactSchema, "Limits that cost something", required=False)
    areasAvoided = texts(
        "Areas that the route bends around, each by kind and name in words;"
        " provenance and facts.closedWays hold ids",
        required=False,
    )
    means = part(MeansFactSchema, "Fuel saved against the baseline, by means", required=False)
