"""Electronic charts: S-57 cells as they come from a hydrographic office."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import shapely
from shapely.geometry import LineString, MultiPolygon, Point, box

from app.datasources.enc import (
    DRY_M,
    ChartCell,
    InvalidChart,
    give_berth,
    load_cell,
    read_cell,
    write_cell,
)
from app.engine.area import Area, AreaKind, AreaRule
from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath, ShipSize

_NAME = "shared/reference/sea/US5FL4DQ.000"
#: A cell of NOAA west of Key West, 1:10,000; present where the project is built.
KEY_WEST = next((p / _NAME for p in Path(__file__).parents if (p / _NAME).is_file()), Path(_NAME))


def make_cell(**changes: object) -> ChartCell:
    """A bank of 5 m across the way, and an islet."""
    shallows = ((box(61.5, -39.5, 62.5, -36.5), 5.0), (box(61.0, -38.1, 61.1, -37.9), DRY_M))
    cell = ChartCell("XX5TEST1", 3, 1, "20260301", 10_000, shallows, 0)
    return replace(cell, **changes)


def find_path(sea: SeaAtlas, closed: MultiPolygon | None) -> SeaPath:
    areas = []
    if closed is not None:
        rule = AreaRule.AVOID_UNLESS_ENDPOINT
        areas.append(Area("enc", "ENC", AreaKind.CHART, rule, closed))
    ship = ShipSize(draft_m=8.0, breadth_m=25.0, loa_m=150.0)
    ends = Position(-38.0, 58.0), Position(-38.0, 66.0)
    return sea.find_paths(*ends, ship=ship, areas=areas, most=1)[0]


@pytest.fixture(scope="module")
def cell() -> ChartCell:
    if not KEY_WEST.is_file():
        pytest.skip(f"no chart at {KEY_WEST}")
    return read_cell(KEY_WEST)


def test_a_cell_says_its_edition_and_date(cell: ChartCell) -> None:
    assert (cell.name, cell.edition, cell.update, cell.issued) == ("US5FL4DQ", 2, 0, "20231016")
    assert cell.label == "ENC US5FL4DQ, edition 2.0 of 20231016"


def test_a_deeper_ship_finds_more_of_a_cell_closed(cell: ChartCell) -> None:
    shallow, deep = cell.close(2.0), cell.close(8.0)
    assert shallow is not None
    assert deep is not None
    assert shallow.area < deep.area
    assert shallow.difference(deep.buffer(1e-9)).area == 0.0


def test_land_and_rocks_of_a_cell_are_closed_to_the_smallest_craft(cell: ChartCell) -> None:
    closed = cell.close(0.0)
    assert closed is not None
    dry = [area for area, depth_m in cell.shallows if depth_m == DRY_M]
    assert len(dry) > 40
    assert all(closed.intersects(area.representative_point()) for area in dry)


@pytest.mark.atlas
def test_a_cell_changes_a_route(sea: SeaAtlas) -> None:
    direct = find_path(sea, None)
    assert find_path(sea, make_cell().close(4.0)).distance_nm < direct.distance_nm + 5.0
    around = find_path(sea, make_cell().close(9.0))
    assert around.distance_nm > direct.distance_nm + 10.0
    assert direct.distance_nm < 1.01 * float(great_circle_distance_nm(-38.0, 58.0, -38.0, 66.0))


@pytest.mark.atlas
def test_a_real_cell_changes_a_route(sea: SeaAtlas, cell: ChartCell) -> None:
    ship = ShipSize(draft_m=2.0, breadth_m=8.0, loa_m=30.0)
    ends = Position(24.51, -81.85), Position(24.64, -81.85)
    free = sea.find_paths(*ends, ship=ship, most=1)[0]
    closed = cell.close(3.0)
    assert closed is not None
    rule = AreaRule.AVOID_UNLESS_ENDPOINT
    area = Area("enc", cell.label, AreaKind.CHART, rule, closed)
    kept = sea.find_paths(*ends, ship=ship, areas=[area], most=1)[0]
    free_track, kept_track = (
        LineString(list(zip(path.lngs, path.lats, strict=True))) for path in (free, kept)
    )
    assert free_track.intersects(closed)
    assert not kept_track.intersects(closed)
    assert kept.distance_nm > free.distance_nm


def test_the_newest_edition_wins(tmp_path: Path) -> None:
    assert write_cell(make_cell(), tmp_path)
    assert not write_cell(make_cell(edition=2, update=9), tmp_path)
    assert load_cell(tmp_path / "XX5TEST1.json") == make_cell()
    assert write_cell(make_cell(update=2), tmp_path)
    assert load_cell(tmp_path / "XX5TEST1.json").update == 2


def test_a_file_that_is_no_cell_is_refused_in_words(tmp_path: Path) -> None:
    text = tmp_path / "notes.000"
    text.write_text("not a chart")
    with pytest.raises(InvalidChart, match=r"notes\.000 is not an S-57 cell"):
        read_cell(text)


def test_a_danger_without_a_depth_is_dry_and_kept_clear_of() -> None:
    rock = Point(62.0, -38.0).buffer(0.002)
    closed = make_cell(shallows=((rock, DRY_M),)).close(0.5)
    assert closed is not None
    assert shapely.distance(closed, Point(62.0, -38.0)) == 0.0


# LNDARE has no attributes of soundings
@pytest.mark.filterwarnings("ignore:Attributes EXPSOU ignored:RuntimeWarning")
def test_rocks_charted_as_land_that_is_a_point_are_closed_like_other_rocks(
    cell: ChartCell, tmp_path: Path
) -> None:
    """S-57 has islets as points of LNDARE (class 71); here the cell's UWTROC (153) become such."""
    # a feature's record: identifier, primitive (1: point), group, class
    rock = re.compile(rb"\x64(....)\x01(.)\x99\x00", re.DOTALL)
    content, n_rock = rock.subn(
        lambda found: b"\x64" + found[1] + b"\x01" + found[2] + b"\x47\x00", KEY_WEST.read_bytes()
    )
    path = tmp_path / KEY_WEST.name
    path.write_bytes(content)
    islets = read_cell(path)
    assert n_rock > 20
    assert len(islets.shallows) == len(cell.shallows)
    n_dry, n_dry_before = (
        sum(depth_m == DRY_M for _, depth_m in each.shallows) for each in (islets, cell)
    )
    assert n_dry > n_dry_before


@pytest.mark.parametrize("lat", [0.0, 45.0, -60.0, 70.0])
def test_the_berth_of_a_rock_is_as_wide_east_and_west_as_north_and_south(lat: float) -> None:
    berth = give_berth(Point(10.0, lat))
    assert berth is not None
    _, _, east, north = berth.bounds
    to_east, to_north = great_circle_distance_nm(lat, 10.0, lat, east), north - lat
    assert 1852.0 * float(to_east) == pytest.approx(200.0, rel=0.01)
    assert 111_200.0 * to_north == pytest.approx(200.0, rel=0.01)


@pytest.mark.parametrize("name", [b"/tmp/chart01", b"../chart.000", b"         000"])
@pytest.mark.usefixtures("cell")
def test_a_cell_whose_name_leads_out_of_the_folder_of_charts_is_refused(
    name: bytes, tmp_path: Path
) -> None:
    path = tmp_path / KEY_WEST.name
    path.write_bytes(KEY_WEST.read_bytes().replace(b"US5FL4DQ.000", name))
    with pytest.raises(InvalidChart, match="no name of a cell"):
        read_cell(path)
