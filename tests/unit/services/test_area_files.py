"""Import and export of area files."""

import json
from collections.abc import Callable
from datetime import date

import pytest

from app.models import AreaLevel, AreaRecord, AreaType
from app.services.areas.area_files import FileArea, read_areas, write_geojson, write_kml
from app.services.areas.geojson import parse_area
from app.services.errors import Invalid

SQUARE = [[0.0, 50.0], [1.0, 50.0], [1.0, 51.0], [0.0, 51.0], [0.0, 50.0]]
KML = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document>
  <Placemark><name>Range</name><description>Firing by day</description>
    <TimeSpan><begin>2026-01-16T00:00:00Z</begin><end>2026-01-23</end></TimeSpan>
    <Polygon>
      <outerBoundaryIs><LinearRing><coordinates>
        -8,49,0 -6,49,0 -6,51,0 -8,51,0 -8,49,0
      </coordinates></LinearRing></outerBoundaryIs>
      <innerBoundaryIs><LinearRing><coordinates>
        -7.5,49.5 -6.5,49.5 -6.5,50.5 -7.5,49.5
      </coordinates></LinearRing></innerBoundaryIs>
    </Polygon>
  </Placemark>
  <Placemark><name>A buoy</name><Point><coordinates>-8,49</coordinates></Point></Placemark>
</Document></kml>"""


def collection(*features: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def feature(**said: object) -> dict[str, object]:
    geometry = {"type": "Polygon", "coordinates": [SQUARE]}
    return {"type": "Feature", "properties": said, "geometry": geometry}


@pytest.mark.parametrize(
    ("time", "days"),
    [
        ("<TimeSpan><begin>2026-12-01</begin><end>2026-12-05</end></TimeSpan>",
         ("2026-12-01", "2026-12-05")),
        ("<TimeStamp><when>2026-12-01T08:00:00Z</when></TimeStamp>", ("2026-12-01", "2026-12-01")),
        ("<TimeSpan><begin>2026-12</begin><end>2028-02</end></TimeSpan>",
         ("2026-12-01", "2028-02-29")),
        ("<TimeSpan><begin>2026</begin><end>2026</end></TimeSpan>", ("2026-01-01", "2026-12-31")),
    ],
)  # fmt: skip
def test_an_area_of_kml_has_the_days_of_its_folder_unless_it_has_its_own(
    time: str, days: tuple[str, str]
) -> None:
    own = "<TimeSpan><end>2030-01-01</end></TimeSpan>"
    ring = (
        "<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates>"
        "</LinearRing></outerBoundaryIs></Polygon>"
    )
    folder = (
        f"<kml><Folder>{time}<Placemark>{ring}</Placemark>"
        f"<Placemark>{own}{ring}</Placemark></Folder></kml>"
    )
    inherited, stated = read_areas(folder.encode()).areas
    assert (inherited.start_date, inherited.end_date) == days
    assert (stated.start_date, stated.end_date) == (None, "2030-01-01")


def test_kml_in_utf_16_is_read() -> None:
    content = KML.replace("UTF-8", "UTF-16").encode("utf-16")
    assert read_areas(content) == read_areas(KML.encode())


def test_a_polygon_of_kml_comes_with_its_hole_its_days_and_its_words() -> None:
    ((area,), left_out) = read_areas(KML.encode())
    assert left_out == ["A buoy (Point)"]
    assert (area.name, area.description) == ("Range", "Firing by day")
    assert (area.start_date, area.end_date) == ("2026-01-16", "2026-01-23")
    outline, hole = area.geometry["coordinates"]
    assert outline[1] == [-6.0, 49.0]
    assert len(hole) == 4


def test_features_without_a_name_are_numbered_and_others_than_areas_are_named() -> None:
    features = [
        {
            "type": "Feature",
            "properties": None,
            "geometry": {"type": "Point", "coordinates": [0, 0]},
        },
        {
            "type": "Feature",
            "properties": None,
            "geometry": {"type": "Polygon", "coordinates": [SQUARE]},
        },
        {
            "type": "Feature",
            "properties": {"name": "Harbour"},
            "geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]},
        },
        {"type": "Feature", "properties": {}, "geometry": None},
        {"type": "Feature", "properties": {}, "geometry": {"type": "A\ud800"}},
    ]
    ((area,), left_out) = read_areas(collection(*features))
    assert area.name == "Area 2"
    assert left_out == [
        "Feature 1 (Point)",
        "Harbour (LineString)",
        "Feature 4 (no polygon)",
        "Feature 5 (A)",
    ]


def test_polygons_of_a_collection_of_geometries_are_one_area() -> None:
    east = [[lng + 5.0, lat] for lng, lat in SQUARE]
    geometries = [
        {"type": "Polygon", "coordinates": [SQUARE]},
        {
            "type": "GeometryCollection",
            "geometries": [{"type": "MultiPolygon", "coordinates": [[east]]}],
        },
        {"type": "Point", "coordinates": [0, 0]},
    ]
    geometry = {"type": "GeometryCollection", "geometries": geometries}
    said = {"name": "Range"}
    ((area,), left_out) = read_areas(
        collection({"type": "Feature", "properties": said, "geometry": geometry})
    )
    assert area.geometry == {"type": "MultiPolygon", "coordinates": [[SQUARE], [east]]}
    assert left_out == ["Range (Point)"]


def test_polygons_that_share_an_edge_or_overlap_are_joined() -> None:
    rings = ("0,0 2,0 2,1 0,1 0,0", "2,0 3,0 3,1 2,1 2,0", "1,0 2,0 2,2 1,2 1,0")
    polygons = "".join(
        f"<Polygon><outerBoundaryIs><LinearRing><coordinates>{ring}</coordinates></LinearRing>"
        "</outerBoundaryIs></Polygon>"
        for ring in rings
    )
    file = f"<kml><Placemark><MultiGeometry>{polygons}</MultiGeometry></Placemark></kml>"
    ((area,), _) = read_areas(file.encode())
    assert area.geometry["type"] == "Polygon"
    assert parse_area(area.geometry).area == pytest.approx(4)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2026-04-01", "2026-04-01"),
        (" 2026-04-01\n", "2026-04-01"),
        ("2026-04-01T00:00:00Z", "2026-04-01"),
        ("2026-04-01T00:30:00+02:00", "2026-03-31"),
        (None, None),
        ("", None),
    ],
)
def test_a_day_is_a_date_or_that_of_a_time_in_utc(written: str | None, day: str | None) -> None:
    ((area,), _) = read_areas(collection(feature(start_date=written, end_date=written)))
    assert (area.start_date, area.end_date) == (day, day)


@pytest.mark.parametrize(
    "written", ["30.04.2026", "2026-13", "2026-02-30", "2026-04-01T00:00:00", "\ud800", 5, ["x"]]
)
def test_a_day_that_cannot_be_read_is_refused_with_its_area(written: object) -> None:
    with pytest.raises(Invalid, match=r"Range: the last day is .* Write a date such as"):
        read_areas(collection(feature(name="Range", end_date=written)))
    if isinstance(written, str) and written.isascii():
        with pytest.raises(Invalid, match="Range: the last day is"):
            read_areas(KML.replace("2026-01-23", written).encode())


@pytest.mark.parametrize("write", [write_geojson, write_kml])
def test_an_exported_area_is_read_back_with_all_that_it_states(
    write: Callable[[list[AreaRecord]], bytes],
) -> None:
    area = AreaRecord(
        name="Range",
        drawn={"type": "Polygon", "coordinates": [SQUARE]},
        type=AreaType.MILITARY,
        level=AreaLevel.VESSEL_TYPE,
        vessel_type_codes=[1, 3],
        start_date=date(2026, 4, 1),
        is_active=False,
    )
    ((read,), _) = read_areas(write([area]))
    assert read == FileArea(
        name="Range",
        geometry=area.drawn,
        start_date="2026-04-01",
        type="MILITARY",
        level="VESSEL_TYPE",
        vessel_type_codes=[1, 3],
        is_active=False,
    )
    assert (b"<visibility>0</visibility>" in write([area])) == (write is write_kml)


def test_a_code_of_thousands_of_digits_is_none_of_a_type() -> None:
    codes = f'<Data name="vessel_type_codes"><value>3 {"1" * 5_000}</value></Data>'
    file = KML.replace("<Polygon>", f"<ExtendedData>{codes}</ExtendedData><Polygon>", 1)
    ((area,), _) = read_areas(file.encode())
    assert area.name == "Range"


def test_the_same_words_in_another_file_state_no_type_and_level() -> None:
    ((area,), _) = read_areas(collection(feature(type="restricted", level=3, is_active=False)))
    assert (area.type, area.level, area.is_active) == (None, None, None)


def test_a_bare_polygon_is_an_area() -> None:
    ((area,), _) = read_areas(json.dumps({"type": "Polygon", "coordinates": [SQUARE]}).encode())
    assert area.geometry["coordinates"] == [SQUARE]


@pytest.mark.parametrize("write", [write_geojson, write_kml])
def test_an_area_drawn_beyond_180_is_written_within_it(
    write: Callable[[list[AreaRecord]], bytes],
) -> None:
    ring = [[170.0, 10.0], [190.0, 10.0], [190.0, 12.0], [170.0, 12.0], [170.0, 10.0]]
    area = AreaRecord(name="Date line", drawn={"type": "Polygon", "coordinates": [ring]})
    ((read,), _) = read_areas(write([area]))
    lngs = {lng for (ring,) in read.geometry["coordinates"] for lng, _ in ring}
    assert lngs == {-180.0, -170.0, 170.0, 180.0}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "neither GeoJSON nor KML"),
        (b"lat,lng\n1,2", "neither GeoJSON nor KML"),
        (b'{"type": "FeatureCollection", "features": []}', "holds no polygon"),
        (b"<kml><Placemark>", "not sound XML"),
        (
            b'<!DOCTYPE k [<!ENTITY e SYSTEM "file:///etc/hostname">]><kml><Placemark>'
            b"<name>&e;</name></Placemark></kml>",
            "document type",
        ),
        (
            KML.replace("-6,49,0", "-6, 49, 0").encode(),
            "Range: “-6,” is no position. Write longitude",
        ),
        (KML.replace("-6,51,0", "-6,97,0").encode(), "Range: Latitude 97"),
    ],
)
def test_a_file_that_holds_no_sound_area_is_refused_in_words(content: bytes, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        read_areas(content)


def test_what_is_said_of_an_area_may_be_anything() -> None:
    square = {"type": "Polygon", "coordinates": [SQUARE]}
    said = (
        [1],
        "x",
        None,
        {"name": "\u0001\ud800"},
        {"name": "A\u0001 B", "description": "C\0\nD"},
    )
    features = [{"type": "Feature", "properties": own, "geometry": square} for own in said]
    found, _ = read_areas(collection(*features))
    assert [area.name for area in found] == ["Area 1", "Area 2", "Area 3", "Area 4", "A B"]
    assert found[-1].description == "C\nD"
