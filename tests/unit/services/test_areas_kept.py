"""Areas as stored in a revision."""

import json

from shapely.geometry import MultiPolygon, box

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.particulars import IceClass
from app.services.engine_mapping import read_area, snapshot_area

ICE = Area(
    "ice",
    "Ice",
    AreaKind.ICE,
    AreaRule.NO_ENTRY,
    MultiPolygon([box(0.0, 70.0, 9.0, 80.0)]),
    ice=IceWater(IceHazard.PACK, IceClass.IA, 30.0),
)


def test_an_area_of_ice_is_read_as_it_was_kept() -> None:
    assert read_area(json.loads(json.dumps(snapshot_area(ICE)))) == ICE


def test_ice_kept_before_margins_were_has_none() -> None:
    kept = json.loads(json.dumps(snapshot_area(ICE))) | {"ice": ["PACK", "IA"]}
    assert read_area(kept).ice == IceWater(IceHazard.PACK, IceClass.IA)
