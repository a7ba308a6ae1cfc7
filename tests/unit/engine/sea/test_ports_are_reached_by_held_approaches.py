"""Ports behind long narrow waters are reached by passages held as data, or refused by name."""

from collections.abc import Sequence

import pytest
import shapely

from app.engine.errors import DraftTooDeep
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg
from benchmarks.seamanship import SHIPS, list_unproven_beyond, load_narrows

pytestmark = pytest.mark.atlas

PORTS = {
    "Jizan": ("handymax", Position(16.9, 42.483)),
    "Khalifa bin Salman": ("handymax", Position(26.25, 50.75)),
    "Dahej": ("handymax", Position(21.7, 72.533)),
    "Hazira": ("coaster", Position(21.083, 72.633)),
    "Guayaquil": ("coaster", Position(-2.2, -79.883)),
    "Bella Coola": ("coaster", Position(52.367, -126.8)),
    "Kemano": ("coaster", Position(53.483, -128.133)),
    "Naknek": ("coaster", Position(58.717, -157.017)),
    "Cametá": ("coaster", Position(-2.25, -49.5)),
    "San Lorenzo": ("handymax", Position(9.783, -71.067)),
    "Tianjin": ("handymax", Position(38.967, 117.833)),
    "Mina al Ahmadi": ("vlcc", Position(29.067, 48.167)),
    "Ko Si Chang": ("vlcc", Position(13.167, 100.817)),
    "Jizan's tanker terminal": ("vlcc", Position(16.9, 42.483)),
    "Batangas": ("vlcc", Position(13.75, 121.05)),
    "Qua Iboe": ("vlcc", Position(4.2333, 8.0333)),
}
#: In the open ocean, on the side of the port.
OCEANS = (
    Position(12.0, 64.0),
    Position(0.0, -25.0),
    Position(30.0, 140.0),
    Position(-5.0, -95.0),
    Position(40.0, -150.0),
    Position(5.0, 55.0),
    Position(33.0, -60.0),
)


def lay(sea: SeaAtlas, ship: str, start: Position, end: Position) -> Sequence[Leg]:
    path = sea.find_paths(start, end, ship=SHIPS[ship], most=1)[0]
    return sea.lay_legs(path, TrackKind.GREAT_CIRCLE)


@pytest.mark.parametrize(("ship", "port"), PORTS.values(), ids=PORTS)
def test_no_unproven_water_lies_far_from_the_port(sea: SeaAtlas, ship: str, port: Position) -> None:
    ocean = min(OCEANS, key=lambda place: _gap(place, port))
    assert list_unproven_beyond(lay(sea, ship, port, ocean)) == []


def _gap(a: Position, b: Position) -> float:
    return float((a.lat - b.lat) ** 2 + ((a.lng - b.lng + 180.0) % 360.0 - 180.0) ** 2)


def test_a_port_whose_approach_is_too_shallow_is_refused_by_its_name(sea: SeaAtlas) -> None:
    yingkou = Position(40.683, 122.233)
    with pytest.raises(DraftTooDeep, match=r"Liao River to Yingkou.* 4\.9 m of water"):
        lay(sea, "handymax", yingkou, OCEANS[2])


def test_a_ship_from_cherbourg_keeps_out_of_the_alderney_race(sea: SeaAtlas) -> None:
    legs = lay(sea, "handymax", Position(49.65, -1.633), OCEANS[1])
    track = shapely.LineString([(p.lng, p.lat) for leg in legs for p in (leg.start, leg.end)])
    (race,) = [each.line for each in load_narrows() if each.name == "Alderney Race"]
    assert not track.intersects(race)
