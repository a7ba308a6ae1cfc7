"""Record schemas: writing and reading give the engine's record again."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import marshmallow as ma
import pytest

from app.engine.facts import BridgeFact, CostFact, PassageFact, PlanFacts, SavingFact, WaitFact
from app.records import facts, plan
from app.records.facts import FactsSchema
from app.records.figures import Figure, known
from app.records.record import Record, snake_case
from app.records.rounding import round_longitude

FACTS = PlanFacts(
    passages=(
        PassageFact("Panama Canal", "CANAL", 18.5, 9.1, -79.7),
        PassageFact("Sound", "STRAIT"),
    ),
    bridges=(
        BridgeFact("Bridge of the Americas", 61.3, 8.943, -79.565, "Panama Canal"),
        BridgeFact("Sound Bridge", 55.0, 55.6, 12.8),
    ),
    waits=(WaitFact(36.1, -5.4, 12.25, "Mon 2 Feb 12:00 UTC", for_areas=True),),
    closed_ways=(CostFact("by Suez", 3415.4, 250.2, 288.9, "it enters an area", ("red-sea",)),),
    binding_limits=(CostFact("the wave limit", 61.7, 0.0, 4.4),),
    areas_avoided=("Reef",),
    means=SavingFact(8.1, 0.2, 4.7),
)


def list_schemas() -> Iterator[type[Record]]:
    """The schemas of a plan that have a record of the engine."""
    for schema in [*vars(plan).values(), *vars(facts).values()]:
        if isinstance(schema, type) and issubclass(schema, Record) and is_dataclass(schema.record):
            yield schema


@pytest.mark.parametrize("schema", [*list_schemas()], ids=lambda schema: schema.__name__)
def test_each_attribute_of_a_record_is_written(schema: Any) -> None:
    written = set()
    for name, field in schema._declared_fields.items():
        attribute = field.attribute or snake_case(name)
        # the parts of a whole that lies in the record itself are written by their own schema
        written |= (
            {part.attribute for part in field.nested._declared_fields.values()}
            if attribute == "."
            else {attribute.partition(".")[0]}
        )
    # the dense profile of an alternative lies in a column of its own
    assert written == {field.name for field in fields(schema.record)} - (
        {"profile"} if schema is plan.AlternativeSchema else set()
    )


def test_facts_are_read_as_they_were_written() -> None:
    assert FactsSchema.read(FactsSchema.write(FACTS)) == FACTS
    assert FactsSchema.write(PlanFacts()) == {"passages": []}
    assert FactsSchema.read({"passages": []}) == PlanFacts()


def test_facts_of_the_first_plans_are_read_under_the_engines_names() -> None:
    kept = {
        "passages": [{"name": "Sound", "kind": "STRAIT", "waiting_h": 2.0}],
        "closed_ways": [{"label": "by Suez", "areas": ["red-sea"], "extra_fuel_t": 288.9}],
        "means": {"track_t": 8.1},
    }
    read = FactsSchema.read(kept)
    assert read.passages == (PassageFact("Sound", "STRAIT", 2.0),)
    assert read.closed_ways == (CostFact("by Suez", extra_fuel_t=288.9, area_ids=("red-sea",)),)
    assert read.means == SavingFact(track_t=8.1)


@dataclass(frozen=True, slots=True)
class _Clearance:
    min_clearance_m: float | None
    fuel_t: float = 0.0


_FIGURES = {"minClearanceM": known("Least distance to the coast [m]", 1, is_cut=True)}


class _ClearanceSchema(Record.from_dict(_FIGURES | {"fuelMt": Figure()})):  # type: ignore[misc]
    record = _Clearance


_PlainSchema = ma.Schema.from_dict(
    {
        "minClearanceM": ma.fields.Float(attribute="min_clearance_m"),
        "fuelMt": ma.fields.Float(attribute="fuel_t"),
    }
)


def test_a_field_is_named_in_one_schema_and_written_and_read_by_it() -> None:
    assert _ClearanceSchema.write(_Clearance(12.39, 4.0)) == {"minClearanceM": 12.3, "fuelMt": 4.0}
    assert _ClearanceSchema.read({"minClearanceM": None}) == _Clearance(None)


def test_a_record_is_dumped_as_marshmallow_would() -> None:
    records = [_Clearance(12.5, 4.0), _Clearance(None)]
    assert _ClearanceSchema().dump(records, many=True) == _PlainSchema().dump(records, many=True)
    assert _ClearanceSchema().dump(records[0]) == _PlainSchema().dump(records[0])


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("extraFuelMt", "extra_fuel_t"),
        ("co2Mt", "co2_t"),
        ("sfocGPerKwh", "sfoc_g_per_kwh"),
        ("focMtPerDay", "foc_mt_per_day"),
        ("eta", "eta"),
    ],
)
def test_names_are_those_of_attributes_in_snake_case(name: str, attribute: str) -> None:
    assert snake_case(name) == attribute


def test_longitudes_stay_below_180_when_they_are_rounded() -> None:
    assert round_longitude(179.9999999) == -180.0
