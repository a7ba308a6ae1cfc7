"""Built-in ice zones against a monthly raster of ice risk, where one is available."""

from pathlib import Path

import numpy as np
import pytest
import shapely

from app.engine.area import IceHazard
from app.engine.particulars import IceClass
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import get_clearance_nm
from app.zones.catalogue import load_zones

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
        is_closed = (
            zone.ice is not None
            and zone.ice.hazard in CLOSED
            and zone.ice.class_needed is not IceClass.NONE
        )
        if is_closed and (not zone.months or month in zone.months):
            shapely.prepare(zone.geometry)
            closed |= shapely.contains_xy(zone.geometry, x, y)
    # by area: half-degree cells shrink towards the poles
    weight = np.cos(np.radians(y)) * at_sea
    assert (weight * closed).sum() / weight.sum() > 0.9


def test_every_zone_of_ice_names_its_class_its_months_and_its_source() -> None:
    for zone in load_zones().zones:
        if zone.ice is not None:
            is_pack = zone.ice.hazard is IceHazard.PACK
            assert not is_pack or zone.ice.class_needed is not IceClass.NONE, zone.id
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


@pytest.mark.parametrize(
    ("place", "lat", "lng", "is_inside"),
    [
        ("Nuuk", 64.2, -51.8, True),
        ("Cape Farewell", 59.5, -43.9, True),
        ("Denmark Strait off Greenland", 67.0, -28.0, True),
        ("Longyearbyen", 78.2, 15.6, True),
        ("Sabetta", 71.3, 72.1, True),
        ("Cheshskaya Bay", 67.2, 47.0, True),
        ("Pevek", 69.7, 170.3, True),
        ("Anadyr", 64.7, 177.5, True),
        ("Etolin Strait", 60.3, -165.3, True),
        ("Nome", 64.5, -165.4, True),
        ("Iqaluit", 63.7, -68.5, True),
        ("Churchill", 58.8, -94.2, False),
        ("Isafjordur", 66.2, -23.2, False),
        ("off the north of Iceland", 67.0, -18.0, False),
        ("Hammerfest", 70.7, 23.6, False),
        ("Murmansk", 69.1, 33.4, False),
        ("Arkhangelsk", 64.6, 40.4, False),
        ("Penzhina Bay", 62.0, 164.3, False),
        ("Anchorage", 61.2, -150.1, False),
        ("Valdez", 61.0, -146.6, False),
        ("Ungava Bay", 59.3, -67.0, False),
    ],
)
def test_arctic_waters_of_the_polar_code_hold_the_right_places(
    place: str, lat: float, lng: float, is_inside: bool
) -> None:
    (arctic,) = (zone for zone in load_zones().zones if zone.id == "polar-waters-arctic")
    assert shapely.contains_xy(arctic.geometry, lng, lat) == is_inside, place
