"""Conversion of route plans to their database columns and back."""

from typing import Any

from app.engine.facts import PlanFacts
from app.engine.plan import RoutePlan
from app.models import ChartingRevision
from app.records.facts import FactsSchema
from app.records.plan import (
    AlternativeSchema,
    FrontPointSchema,
    SummarySchema,
    TrackPointSchema,
    WarningSchema,
    WaypointSchema,
)
from app.records.record import Json
from app.records.spread import SpreadSchema


def write_plan(plan: RoutePlan) -> Json:
    """Write a plan as the columns of a revision, for storing and serving.

    ``alternative_profiles``, one for each alternative, are for drawing and not read back.
    """
    return {
        "label": plan.label,
        "summary": SummarySchema.write(plan.summary),
        "warnings": [*map(WarningSchema.write, plan.warnings)],
        "plan": {
            "waypoints": [*map(WaypointSchema.write, plan.waypoints)],
            "alternatives": [*map(AlternativeSchema.write, plan.alternatives)],
            "facts": FactsSchema.write(plan.facts),
            "front": [*map(FrontPointSchema.write, plan.front)],
            "spread": None if plan.spread is None else SpreadSchema.write(plan.spread),
        },
        "profile": [*map(TrackPointSchema.write, plan.profile)],
        "alternative_profiles": [
            [*map(TrackPointSchema.write, other.profile)] for other in plan.alternatives
        ],
    }


def read_plan(stored: ChartingRevision) -> RoutePlan:
    """Read a stored plan."""
    plan = stored.plan or {}
    return RoutePlan(
        waypoints=tuple(map(WaypointSchema.read, plan["waypoints"])),
        summary=SummarySchema.read(stored.summary or {}),
        profile=tuple(map(TrackPointSchema.read, stored.profile or ())),
        label=stored.label or "",
        alternatives=tuple(map(AlternativeSchema.read, plan["alternatives"])),
        warnings=tuple(map(WarningSchema.read, stored.warnings or ())),
        facts=read_facts(plan),
        # older plans have none
        front=tuple(map(FrontPointSchema.read, plan.get("front", ()))),
        spread=SpreadSchema.read(plan["spread"]) if plan.get("spread") else None,
    )


def read_facts(plan: dict[str, Any]) -> PlanFacts:
    """Read the facts of a stored plan."""
    facts: PlanFacts = FactsSchema.read(plan["facts"])
    return facts
