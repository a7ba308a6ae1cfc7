"""Islands that the coastline lacks: how their file is read, and that they are land."""

from pathlib import Path

import numpy as np
import pytest
import shapely

from app.datasources import build_atlas
from app.datasources.islands import Island, load_islands
from app.datasources.passages import load_passages
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import great_circle_distance_nm, sample_leg
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.coast import is_land, segment_clearance_m
from app.engine.sea.path import ShipSize

Place = tuple[float, float]

HANDYMAX = ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0)

#: Radius of the widest circle; a larger island needs an outline [m].
WIDEST_M = 8000.0

HEAD = "name,lat,lng,radius_m,source,quality\n"
ROCK = "The Rock,50.0,-6.0,400,Sailing directions,APPROXIMATE\n"


def _load(tmp_path: Path, text: str) -> tuple[Island, ...]:
    path = tmp_path / "islands.csv"
    path.write_text(text, encoding="utf-8")
    return load_islands(path)


def test_an_island_is_read_with_its_position_and_radius(tmp_path: Path) -> None:
    (rock,) = _load(tmp_path, HEAD + ROCK)
    assert (rock.name, rock.centre, rock.radius_m) == ("The Rock", Position(50.0, -6.0), 400.0)


def test_every_island_is_possible() -> None:
    for island in load_islands():
        assert island.name.strip()
        assert island.source.strip()
        assert 0.0 < island.radius_m <= WIDEST_M
        assert abs(island.centre.lat) < 85.0
        assert abs(island.centre.lng) < 180.0


def test_no_circles_overlap_because_they_would_be_water_there() -> None:
    islands = load_islands()
    centres = np.array([island.centre for island in islands])
    radii_m = np.array([island.radius_m for island in islands])
    first, second = np.triu_indices(len(islands), 1)
    apart_m = great_circle_distance_nm(*centres[first].T, *centres[second].T) * NAUTICAL_MILE_M
    for pair in np.flatnonzero(apart_m <= radii_m[first] + radii_m[second]):
        pytest.fail(f"{islands[first[pair]].name} and {islands[second[pair]].name} overlap")


def test_another_list_of_islands_is_another_input_of_the_atlas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = build_atlas.hash_inputs((), (), ())
    monkeypatch.setattr(build_atlas, "load_islands", lambda: load_islands()[1:])
    assert build_atlas.hash_inputs((), (), ()) != before


@pytest.mark.atlas
def test_every_island_of_the_list_is_land_in_the_atlas(sea: SeaAtlas) -> None:
    at_sea = [each.name for each in load_islands() if not is_land(sea.waters, *each.centre)]
    assert at_sea == []


@pytest.mark.atlas
def test_no_island_reaches_another_coast_which_would_turn_both_into_water(sea: SeaAtlas) -> None:
    for island in load_islands():
        place = (*island.centre, *island.centre)
        shore_m = segment_clearance_m(
            sea.waters.edges, sea.waters.edge_starts, *place, island.radius_m
        )
        # the circle is drawn with eight sides
        assert shore_m > 0.9 * island.radius_m, island.name


def test_no_island_lies_in_a_passage() -> None:
    islands = load_islands()
    tree = shapely.STRtree([shapely.Point(each.centre.lng, each.centre.lat) for each in islands])
    for passage in load_passages():
        line = shapely.LineString([(lng, lat) for lat, lng in passage.centre_line])
        for near in tree.query(line, predicate="dwithin", distance=0.3):
            lng, lat = shapely.shortest_line(line, tree.geometries[near]).coords[0]
            off_nm = great_circle_distance_nm(*islands[near].centre, lat, lng)
            assert off_nm * NAUTICAL_MILE_M > islands[near].radius_m, (passage.id, islands[near])


#: Ends of a voyage, and a rock on the way there or a reef that dries.
VOYAGES = (
    ((-51.69, -57.85), (-54.28, -36.5), (-53.5475, -42.02)),
    ((56.41, -5.48), (64.15, -21.9), (56.3233, -7.115)),
    ((42.7, 9.45), (42.1, 11.78), (42.3583, 10.0643)),
    ((26.74, 33.94), (21.47, 39.15), (24.925, 35.86)),
    ((-5.12, 119.4), (-5.62, 132.74), (-5.5425, 130.3057)),
    ((29.95, 32.55), (19.62, 37.22), (19.724, 37.443)),
)


@pytest.mark.atlas
@pytest.mark.parametrize(("start", "end", "rock"), VOYAGES)
def test_a_planned_track_passes_a_lone_rock_at_a_mile_or_more(
    sea: SeaAtlas, start: Place, end: Place, rock: Place
) -> None:
    path = sea.find_paths(Position(*start), Position(*end), ship=HANDYMAX, most=1)[0]
    for leg in sea.build_legs(path, TrackKind.GREAT_CIRCLE):
        places = np.column_stack(sample_leg(leg.start, leg.end, leg.geometry, 0.1))
        assert great_circle_distance_nm(*places.T, *rock).min() > 1.0
