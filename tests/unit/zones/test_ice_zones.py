"""Built-in ice zones against a monthly raster of ice risk, where one is available."""

from pathlib import Path

import numpy as np
import pytest
import shapely

from app.engine.area import IceHazard
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import get_clearance_nm
from app.zones import load_zones

_NAME = "shared/reference/sea/ice_risk_monthly_halfdeg.npz"
RISK = next((p / _NAME for p in Path(__file__).parents if (p / _NAME).is_file()), Path(_NAME))
CLOSED = (IceHazard.PACK, IceHazard.POLAR_WATERS)


@pytest.mark.atlas
@pytest.mark.parametrize("month", range(1, 13))
def test_water_at_risk_of_ice_is_closed_to_ships_without_ice_class(
    sea: SeaAtlas, month: int
) -> None:
    if not RISK.is_file():
        pytest.skip(f"no raster of ice risk at {RISK}")
    with np.load(RISK) as raster:
        lats, lngs, risk = raster["lat"], raster["lon"], raster["risk_pct"][month - 1]
    rows, cols = np.nonzero(risk >= 15)
    y, x = lats[rows], lngs[cols]
    at_sea = np.array(
        [get_clearance_nm(sea.waters.field, a, b) > 10.0 for a, b in zip(y, x, strict=True)]
    )
    closed = np.zeros(x.size, dtype=np.bool_)
    for zone in load_zones().zones:
        is_closed = zone.ice is not None and zone.ice.hazard in CLOSED
        if is_closed and (not zone.months or month in zone.months):
            shapely.prepare(zone.geometry)
            closed |= shapely.contains_xy(zone.geometry, x, y)
    # by area: half-degree cells shrink towards the poles
    weight = np.cos(np.radians(y)) * at_sea
    assert (weight * closed).sum() / weight.sum() > 0.9


def test_every_zone_of_ice_names_its_class_its_months_and_its_source() -> None:
    for zone in load_zones().zones:
        if zone.ice is not None:
            assert zone.ice.hazard not in CLOSED or zone.ice.class_needed != "NONE", zone.id
            assert zone.remarks, zone.id
            assert all(part.source for part in zone.boundaries), zone.id


@pytest.mark.parametrize(
    "name",
    [
        *("Arctic", "Antarctic", "Bothnian", "Finland", "Okhotsk", "Bering", "Hudson"),
        *("St Lawrence", "Belle Isle", "Labrador", "Grand Banks", "Great Lakes", "Seaway"),
        *("Welland", "Soo", "Northern Sea Route", "North-West Passage", "Liaodong", "Azov"),
        "White Sea",
    ],
)
def test_every_sea_that_freezes_on_a_trade_route_has_a_zone(name: str) -> None:
    assert any(name in zone.name for zone in load_zones().zones)
