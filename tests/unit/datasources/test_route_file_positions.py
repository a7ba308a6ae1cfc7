"""Route tables with a position in several columns."""

import io
import re

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import UnreadableRoute

#: Sheets of an ECDIS: comments above the headers, and stars for no value on the first line.
ROUTE_SHEET = b"""// ROUTE SHEET exported by JRC ECDIS.
// <<NOTE>>This strings // indicate comment column/cells. You can edit freely.
// DOVER,<Normal>,DVR
// WPT No.,LAT,,,LON,,,PORT[NM],STBD[NM],Arr. Rad[NM],Speed[kn],Sail(RL/GC),ROT[deg/min],Turn Rad[NM],Time Zone,,Name
000,51,58.800,N,004,00.000,E,***,***,***,***,***,***,***,-01:00,,Hook,
001,51,30.000,N,002,48.000,W,0.20,0.20,0.50,12.5,RL,10.0,0.50,-01:00,,,
"""  # noqa: E501


def join(*lines: str) -> bytes:
    return "\n".join(lines).encode()


FIRST, SECOND = "1,51,58.8,N,004,00.0,W", "2,51,30,N,002,48,W"


@pytest.mark.parametrize(
    "content",
    [
        join("WP,LAT,,,LON,,", FIRST, SECOND),
        join("WP,LAT,,,LON", FIRST, SECOND),
        join("WP,Lat deg,Lat min,N/S,Lon deg,Lon min,E/W", FIRST, SECOND),
        join("WP,Lat,Lat,Lat,Lon,Lon,Lon", FIRST, SECOND),
        join("WP,Lat (deg),Lat (min),Lat N/S,Long (deg),Long (min),Long E/W", FIRST, SECOND),
        join("WP,LatDeg,LatMin,LatDir,LonDeg,LonMin,LonDir", FIRST, SECOND),
        join("WP,Latitude,Min,Dir,Longitude,Min,Dir", FIRST, SECOND),
        join("WP,Latitude,Minutes,Hemi.,Longitude,Minutes,Hemi.", FIRST, SECOND),
        join("WP,LAT,,,LON,,", ",deg,min,,deg,min,", FIRST, SECOND),
        join("WP;LAT;;;LON;;", "1;51;58,8;N;004;00,0;W", "2;51;30;N;002;48;W"),
        join("WP,Lat,,Lon,", "1,51 58.8,N,004 00.0,W", "2,51.5,N,2.8,W"),
        join("Hemi,Lat,Hemi,Lon", "N,51 58.8,W,4 0", "N,51 30,W,2 48"),
        join("Lat,Lon,Half,Half", "51.98,4,N,W", "51.5,2.8,N,W"),
        join("LAT,,,,LON,,,", "51,58,48,N,4,0,0.0,W", "51,30,00,N,2,48,0,W"),
        join("NS,Lat,,EW,Lon,", "N,51,58.8,W,4,0.0", "N,51,30,W,2,48"),
        join("LAT,,,,,LON,,,,", "51,°,58.8,',N,4,°,0,',W", "51,°,30,',N,2,°,48,',W"),
        join("Lat min,Lat deg,Lat NS,Lon deg,Lon min,Lon EW", "58.8,51,N,4,0,W", "30,51,N,2,48,W"),
        join("Lat deg,Lon deg,Lat min,Lon min,N/S,E/W", "51,4,58.8,0,N,W", "51,2,30,48,N,W"),
    ],
)
def test_degrees_minutes_and_hemispheres_of_several_columns_are_joined(content: bytes) -> None:
    route = read_route_file(content)
    assert route.faults == ()
    assert route.waypoints[0].position == pytest.approx((51.98, -4.0))
    assert route.waypoints[1].position == pytest.approx((51.5, -2.8))


def test_the_route_sheet_of_an_ecdis_is_read() -> None:
    route = read_route_file(ROUTE_SHEET)
    first, second = route.waypoints
    assert route.faults == ()
    assert (first.id, first.position) == ("000", pytest.approx((51.98, 4.0)))
    assert second.position == pytest.approx((51.5, -2.8))
    assert (second.speed_kn, second.turn_radius_nm) == (12.5, 0.5)
    assert second.leg_geometry is not None


def test_positions_in_several_columns_of_a_workbook_are_joined() -> None:
    book = openpyxl.Workbook()
    for row in (
        ("WP", "LAT", None, None, "LON"),
        (1, 51, 58.8, "N", 4, 0, "W"),
        (2, 51, 30, "N", 2, 48, "W"),
    ):
        book.active.append(row)
    book.save(written := io.BytesIO())
    first, second = read_route_file(written.getvalue()).waypoints
    assert first.position == pytest.approx((51.98, -4.0))
    assert second.position == pytest.approx((51.5, -2.8))


@pytest.mark.parametrize(
    "content",
    [
        join("Lat deg,Lon deg", "51.98,-4", "51.5,-2.8"),
        join("Latitude (deg),Longitude (deg),", "51.98,-4,", "51.5,-2.8,"),
        join("lat,lon,,dir", "51.98,-4,pilot station,225", "51.5,-2.8,,180"),
        join("lat,lon,d", "51.98,-4,25.3", "51.5,-2.8,31"),
        join("lat,lon,Latitude,Longitude", "51.98,-4,51-58.8N,4-0W", "51.5,-2.8,51-30N,2-48W"),
    ],
)
def test_positions_in_one_column_each_are_read_next_to_other_columns(content: bytes) -> None:
    first, second = read_route_file(content).waypoints
    assert (first.position, second.position) == ((51.98, -4.0), (51.5, -2.8))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (join("WP,LAT,,LON,", "1,51,58.8,4,0", "2,51,30,2,48"), "latitude cannot be joined"),
        (join("WP,LAT,,,LON,,", FIRST, "2,51,,N,2,48,W"), "“LAT”, no. 3, no. 4 hold '51  N'"),
        (join("WP,LAT,,,LON,,", "1,51.5,58.8,N,4,0,W", SECOND), "hold '51.5 58.8 N' for waypoint"),
        (join("WP,LAT,,,LON,,", "1,51,60.0,N,4,0,W", SECOND), "hold '51 60.0 N' for waypoint 1"),
        (join("WP,LAT,,,LON,,", "1,-51,58.8,N,4,0,W", SECOND), "hold '-51 58.8 N'"),
        (join("WP,LAT,,,LON,,", "1,51,58.8,E,4,0,N", SECOND), "hold '51 58.8 E'"),
        (join("Lat,Lon,Lat min,Lon min", "51,4,58.8,0", "51,2,30,48"), "“Lat”, “Lat min” hold"),
        (
            join("Lat,Decimals,N/S,Lon,Decimals,E/W", "51,58.8,N,4,0,W", "51,30,N,2,48,W"),
            "columns “Lat”, “N/S” do not follow each other: “Decimals” is between them",
        ),
        (
            join("Lat deg,Lat sec,N/S,Lon deg,Lon sec,E/W", "51,30,N,4,0,W", "51,0,N,2,0,W"),
            "are not degrees, minutes and seconds, each once",
        ),
        (
            join("Lat,Decimals,Lon,Decimals", "51,58.8,-4,0", "51,30,-2,48"),
            "columns “Lat” are followed by “Decimals”, as those of the longitude are",
        ),
        (join(",LAT,,,LON,", "51,58.8,N,4,0.0,W", "51,30,N,2,48,W"), "latitude cannot be joined"),
        (join("lat,lon,", "51.98,-4,225", "51.5,-2.8,180"), "“lon”, no. 3 hold '-4 225'"),
        (join("Lat min,Lon min", "58.8,0", "30,48"), "must name the columns, lat and lng"),
    ],
)
def test_columns_that_cannot_be_joined_with_certainty_are_refused_by_name(
    content: bytes, words: str
) -> None:
    with pytest.raises(UnreadableRoute, match=re.escape(words)) as refused:
        read_route_file(content)
    assert len(str(refused.value)) < 300


def test_a_hemisphere_of_the_other_coordinate_is_no_position() -> None:
    with pytest.raises(UnreadableRoute, match=r"has the latitude '51 58\.8 E'"):
        read_route_file(b"lat,lon\n51 58.8 E,4 00 N\n51 30 N,2 48 W\n")


@st.composite
def _angles(draw: st.DrawFn, most_deg: int, letters: str) -> tuple[list[str], float]:
    """Cells of one coordinate in degrees, minutes and perhaps seconds, and its value [deg]."""
    degrees = draw(st.integers(0, most_deg - 1))
    letter = draw(st.sampled_from(letters))
    thousandths = draw(st.integers(0, 59_999))
    is_with_seconds = draw(st.booleans())
    minutes = thousandths // 1000 if is_with_seconds else thousandths / 1000
    seconds = [f"{(thousandths % 1000) * 0.06:05.2f}"] if is_with_seconds else []
    sign = -1.0 if letter in "SW" else 1.0
    cells = [f"{degrees:0{len(str(most_deg))}d}", f"{minutes}", *seconds, letter]
    return cells, sign * (degrees + thousandths / 60_000)


@given(
    lat=_angles(90, "NS"),
    lng=_angles(180, "EW"),
    titles=st.sampled_from(("blank", "same", "named")),
)
def test_a_position_written_in_separate_columns_is_read_back(
    lat: tuple[list[str], float], lng: tuple[list[str], float], titles: str
) -> None:
    headers: list[str] = []
    for name, (cells, _) in (("Lat", lat), ("Lon", lng)):
        parts = ["deg", "min", "sec"][: len(cells) - 1]
        headers += {
            "blank": [name, *[""] * (len(cells) - 1)],
            "same": [name] * len(cells),
            "named": [*(f"{name} {part}" for part in parts), f"{name} hemisphere"],
        }[titles]
    row = ",".join(["7", *lat[0], *lng[0], "12.5"])
    content = join(",".join(["WP", *headers, "Speed"]), row, row)
    read = read_route_file(content).waypoints[0]
    assert read.position == pytest.approx((lat[1], lng[1]), abs=1e-9)
    assert (read.id, read.speed_kn) == ("7", 12.5)
