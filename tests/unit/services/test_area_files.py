"""Import and export of area files."""

import json
from collections.abc import Callable

import pytest

from app.models import AreaRecord
from app.services.areas.area_files import read_areas, write_geojson, write_kml
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


def test_a_polygon_of_kml_comes_with_its_hole_its_days_and_its_words() -> None:
    (area,) = read_areas(KML.encode())
    assert (area.name, area.description) == ("Range", "Firing by day")
    assert (area.start_date, area.end_date) == ("2026-01-16", "2026-01-23")
    outline, hole = area.geometry["coordinates"]
    assert outline[1] == [-6.0, 49.0]
    assert len(hole) == 4


def test_features_without_a_name_are_numbered_and_lines_are_left_out() -> None:
    features = [
        {
            "type": "Feature",
            "properties": None,
            "geometry": {"type": "Point", "coordinates": [0, 0]},
        },
        {
            "type": "Feature",
            "properties": {"start_date": "2026-02-30"},
            "geometry": {"type": "Polygon", "coordinates": [SQUARE]},
        },
    ]
    (area,) = read_areas(json.dumps({"type": "FeatureCollection", "features": features}).encode())
    assert area.name == "Area 2"
    assert area.start_date is None


def test_a_bare_polygon_is_an_area() -> None:
    (area,) = read_areas(json.dumps({"type": "Polygon", "coordinates": [SQUARE]}).encode())
    assert area.geometry["coordinates"] == [SQUARE]


@pytest.mark.parametrize("write", [write_geojson, write_kml])
def test_an_area_drawn_beyond_180_is_written_within_it(
    write: Callable[[list[AreaRecord]], bytes],
) -> None:
    ring = [[170.0, 10.0], [190.0, 10.0], [190.0, 12.0], [170.0, 12.0], [170.0, 10.0]]
    area = AreaRecord(name="Date line", drawn={"type": "Polygon", "coordinates": [ring]})
    (read,) = read_areas(write([area]))
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
        (KML.replace("-6,49,0", "west,49,0").encode(), "not numbers"),
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
    found = read_areas(json.dumps({"type": "FeatureCollection", "features": features}).encode())
    assert [area.name for area in found] == ["Area 1", "Area 2", "Area 3", "Area 4", "A B"]
    assert found[-1].description == "C\nD"
