"""Noon reports from spreadsheets: units, dates and faults by row."""

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import openpyxl
import pytest

from app.datasources.noon_reports.dates import DateOrder
from app.datasources.noon_reports.mapping import Choice, match_columns
from app.datasources.noon_reports.reading import NoonTable, read_noon_reports
from app.datasources.noon_reports.sheets import MOST_COLUMNS, SheetRefused, read_sheet
from app.records.noon_report import find_report_type

NOW = datetime(2026, 11, 1, tzinfo=UTC)
HEADER = "Date (UTC),Lat,Long,Steaming Time (hrs),Distance (nm),Avg Speed (kn),ME FO Cons (mt)"


def a_row(day: int, **changes: Any) -> str:
    when = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(days=day)
    cells = {
        "date": f"{when:%Y-%m-%d %H:%M}",
        "lat": "51-30.0N",
        "lng": "004-15.0W",
        "hours": "24",
        "distance": "336",
        "speed": "14.0",
        "fuel": "28.5",
    } | changes
    return ",".join(cells.values())


def read(*rows: str, header: str = HEADER, **options: Any) -> NoonTable:
    content = "\n".join([header, *rows]).encode()
    return read_noon_reports(content, now=NOW, **options)


def workbook(rows: Sequence[Sequence[Any]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_sheet(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A workbook with the XML of its sheet changed."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            written = old.read(name)
            if name.endswith("sheet1.xml"):
                before, written = written, change(written)
                assert written != before
            new.writestr(name, written)
    return changed.getvalue()


def faults_of(table: NoonTable) -> dict[tuple[int, str], str]:
    return {(fault.row, fault.column): fault.detail for fault in table.faults}


def test_a_workbook_has_no_columns_beyond_the_last_that_is_named() -> None:
    header = ["Date (UTC)", "Lat", "", "Lon", "Steaming hours", "Speed (kn)", "ME FO Cons (mt)"]
    row = ["2026-03-01 12:00", 51.5, "note", -4.25, 24, 14.0, 28.5, "without a name"]
    table = read_noon_reports(workbook([header, row]), now=NOW)
    assert [column.header for column in table.columns] == header
    assert not table.faults
    assert table.values["fuel"].tolist() == [28.5]


def test_good_rows_are_read_in_the_units_that_are_stored() -> None:
    table = read(a_row(0), a_row(1))
    assert not table.faults
    assert not table.missing
    assert table.values["latitude"].tolist() == [51.5, 51.5]
    assert table.values["longitude"].tolist() == [-4.25, -4.25]
    assert datetime.fromtimestamp(table.seconds[1], UTC) == datetime(2026, 3, 2, 12, tzinfo=UTC)
    assert table.values["fuel"].tolist() == [28.5, 28.5]


def test_longitudes_are_kept_to_the_digit_and_those_beyond_180_become_western() -> None:
    table = read(a_row(0, lng="-5.2"), a_row(1, lng="354.75"), a_row(2, lng="180"))
    assert table.values["longitude"].tolist() == [-5.2, -5.25, -180.0]


def test_units_in_the_headers_are_converted() -> None:
    header = HEADER.replace("(kn)", "[km/h]").replace("(nm)", "(km)").replace("(mt)", "[kg/h]")
    table = read(a_row(0, distance="622.3", speed="25.93", fuel="1187.5"), header=header)
    assert not table.faults
    assert table.values["distance"][0] == pytest.approx(336.0, abs=0.1)
    assert table.values["speedOverGround"][0] == pytest.approx(14.0, abs=0.01)
    assert table.values["fuel"][0] == pytest.approx(28.5)


FOREIGN = {
    "Datum": Choice("timestamp"),
    "Breite": Choice("latitude"),
    "Länge": Choice("longitude"),
    "Std.": Choice("steamingHours"),
    "Weg": Choice("distance", "nm"),
    "Geschw. (kn)": Choice("speedOverGround"),
    "Verbrauch": Choice("fuel", "kg"),
}


@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_the_columns_that_a_user_names_identify_the_row_of_headers(sign: str) -> None:
    rows = ["MS Noordster", sign.join(FOREIGN), a_row(0, fuel="28500").replace(",", sign)]
    table = read_noon_reports("\n".join(rows).encode(), FOREIGN, now=NOW)
    assert not table.faults
    assert table.rows == [3]
    assert table.values["fuel"].tolist() == [28.5]


def test_a_workbook_in_another_language_is_read_by_the_columns_that_a_user_names() -> None:
    rows = [["MS Noordster"], [*FOREIGN], a_row(0, fuel="28500").split(",")]
    table = read_noon_reports(workbook(rows), FOREIGN, now=NOW)
    assert not table.faults
    assert table.values["distance"].tolist() == [336.0]


def test_without_known_columns_the_error_names_the_mapping() -> None:
    rows = [";".join(FOREIGN), a_row(0).replace(",", ";")]
    with pytest.raises(SheetRefused, match="name them in the mapping"):
        read_noon_reports("\n".join(rows).encode(), now=NOW)


@pytest.mark.parametrize(
    ("header", "field"),
    [("Sea", "seaState"), ("Sea State", "seaState"), ("Sea (m)", "waveHeight"),
     ("Sea Height", "waveHeight"), ("Waves", "waveHeight")],
)  # fmt: skip
def test_a_column_of_the_sea_without_a_unit_is_its_state(header: str, field: str) -> None:
    table = read(f"{a_row(0)},4", header=f"{HEADER},{header}")
    assert not table.faults
    assert {"seaState", "waveHeight"} & {*table.values} == {field}


def test_fractions_under_a_bare_sea_are_asked_about_until_a_user_maps_the_column() -> None:
    rows, header = (f"{a_row(0)},4", f"{a_row(1)},2.5"), f"{HEADER},Sea"
    (fault,) = read(*rows, header=header).faults
    assert (fault.row, fault.column, fault.value) == (3, "Sea", "2.5")
    assert "map the column to waveHeight" in fault.detail
    for field in ("waveHeight", "seaState"):
        mapped = read(*rows, header=header, chosen={"Sea": Choice(field)})
        assert not mapped.faults
        assert mapped.values[field].tolist() == [4.0, 2.5]


def test_a_negative_fuel_is_named_with_row_column_and_what_is_right() -> None:
    table = read(a_row(0), a_row(1, fuel="-3.2"))
    (fault,) = table.faults
    assert (fault.row, fault.column, fault.value) == (3, "ME FO Cons (mt)", "-3.2")
    assert fault.detail.startswith("is negative; allowed: 0 to 500 mt")
    assert table.good == [0]


@pytest.mark.parametrize(
    ("bare", "explicit", "field"),
    [
        ("Wind", "Wind speed (kn)", "windSpeed"),
        ("Avg Speed (kn)", "SOG (kn)", "speedOverGround"),
        ("Speed", "Speed over ground", "speedOverGround"),
        ("FO cons (mt)", "ME FO cons (mt)", "fuel"),
        ("Fuel consumption", "Fuel consumption main engine", "fuel"),
    ],
)
def test_of_two_columns_for_a_field_the_one_that_says_so_is_used(
    bare: str, explicit: str, field: str
) -> None:
    for headers in ([bare, explicit], [explicit, bare]):
        found = {column.header: column.field for column in match_columns(headers, {})}
        assert found == {explicit: field, bare: None}
    (alone,) = match_columns([bare], {})
    assert alone.field == field


def test_a_column_that_is_left_out_states_the_reason() -> None:
    headers = ["Wind", "Wind speed (kn)", "SOG (kn)", "Speed (kn)", "Notes of the crew"]
    remarks = {each.header: each.remark for each in match_columns(headers, {})}
    assert remarks == {
        "Wind": "Left out: “Wind speed (kn)” is read as Wind speed.",
        "Wind speed (kn)": None,
        "SOG (kn)": None,
        "Speed (kn)": "Left out: “SOG (kn)” is read as Speed over ground.",
        "Notes of the crew": None,
    }


def test_of_two_columns_that_a_user_names_for_a_field_the_second_is_left_out() -> None:
    choice = Choice("speedOverGround", "kn")
    chosen = match_columns(["SOG", "V1", "V2"], {"V1": choice, "V2": choice})
    assert [each.field for each in chosen] == [None, "speedOverGround", None]
    assert chosen[2].remark == "Left out: “V1” is read as Speed over ground."


@pytest.mark.parametrize(
    ("header", "date", "is_assumed"),
    [
        ("Date", "2026-03-01 12:00", True),
        ("Date", "2026-03-01 12:00Z", False),
        ("Date (UTC)", "2026-03-01 12:00", False),
        ("Date (UTC+8)", "2026-03-01 12:00", False),
    ],
)
def test_times_without_a_zone_are_said_to_be_read_as_utc(
    header: str, date: str, is_assumed: bool
) -> None:
    table = read(a_row(0, date=date), header=HEADER.replace("Date (UTC)", header))
    assert not table.faults
    assert ("read as UTC" in (table.columns[0].remark or "")) is is_assumed


def test_no_time_is_said_to_be_read_as_utc_where_each_that_is_read_has_a_zone() -> None:
    header = HEADER.replace(" (UTC)", "")
    with_zone = a_row(0, date="2026-03-01 12:00Z")
    table = read(with_zone, a_row(1, date="yesterday"), header=header)
    assert table.columns[0].remark is None
    mixed = read(with_zone, a_row(1), header=header)
    assert mixed.columns[0].remark == "Times without a zone are read as UTC."


def test_a_word_for_a_number_is_refused_with_the_unit_if_there_is_one() -> None:
    header = f"{HEADER},Wind force (Bf),Sea state"
    table = read(a_row(0, speed="fast") + ",five,rough", header=header)
    assert [fault.detail.partition("; ")[2] for fault in table.faults] == [
        "a number of kn is wanted",
        "a number is wanted",
        "a number is wanted",
    ]


def test_knots_given_as_km_per_hour_are_named_as_such() -> None:
    table = read(a_row(0), a_row(1, speed="25.9"))
    assert faults_of(table)[3, "Avg Speed (kn)"] == (
        "looks like km/h given as knots: 336 nm in 24 h make 14.0 kn;"
        " give 14.0, or the column's unit"
    )


def test_a_speed_over_no_distance_is_named() -> None:
    table = read(a_row(0), a_row(1, distance="5e-324"))
    assert "does not fit distance" in faults_of(table)[3, "Avg Speed (kn)"]


def test_without_a_distance_the_service_speed_reveals_km_per_hour() -> None:
    table = read(a_row(0, distance="", speed="25.9"), service_speed_kn=14.5)
    assert "looks like km/h" in faults_of(table)[2, "Avg Speed (kn)"]


def test_the_whole_column_decides_on_day_and_month() -> None:
    american = read(*(a_row(0, date=text) for text in ("03/04/2026 12:00", "03/15/2026 12:00")))
    assert not american.faults
    assert american.order is DateOrder.MONTH_FIRST
    assert datetime.fromtimestamp(american.seconds[0], UTC).month == 3
    daily = read(*(a_row(0, date=f"0{day}/04/2026 12:00") for day in (3, 4, 5)))
    assert not daily.faults
    assert daily.order is DateOrder.DAY_FIRST
    dotted = read(a_row(0, date="03.04.2026 12:00"))
    assert datetime.fromtimestamp(dotted.seconds[0], UTC).month == 4
    said = read(a_row(0, date="03/04/2026 12:00"), order=DateOrder.MONTH_FIRST)
    assert datetime.fromtimestamp(said.seconds[0], UTC).month == 3


def test_where_no_row_decides_on_day_and_month_a_user_must() -> None:
    table = read(a_row(0, date="03/04/2026 12:00"))
    assert "could be two dates" in faults_of(table)[2, "Date (UTC)"]
    assert "dateOrder" in faults_of(table)[2, "Date (UTC)"]
    assert table.order is not None
    assert not read(a_row(0, date="04/04/2026 12:00")).faults


@pytest.mark.parametrize("order", [None, DateOrder.DAY_FIRST])
def test_a_second_time_is_left_out_also_where_no_row_decides_on_day_and_month(
    order: DateOrder | None,
) -> None:
    header = HEADER.replace("Date (UTC)", "Date (UTC),Time (LT)")
    table = read(a_row(0, date="03/04/2026 12:00,20:00"), header=header, order=order)
    assert not table.missing
    assert "in another zone" in (table.columns[1].remark or "")
    assert [*faults_of(table)] == ([] if order else [(2, "Date (UTC)")])


def test_dates_in_two_formats_are_named_and_not_guessed() -> None:
    dates = ("13/04/2026 12:00", "14/04/2026 12:00", "04/15/2026 12:00", "05/04/2026 12:00")
    table = read(*(a_row(0, date=text) for text in dates))
    assert {row for row, _ in faults_of(table)} == {4, 5}
    assert "not day/month" in faults_of(table)[4, "Date (UTC)"]
    assert "two dates" in faults_of(table)[5, "Date (UTC)"]
    mixed = read(a_row(0), a_row(1), a_row(2, date="3 Mar 2026 12:00"))
    assert "another form" in faults_of(mixed)[4, "Date (UTC)"]


def test_a_repeated_report_is_named_with_the_first() -> None:
    table = read(a_row(0), a_row(1), a_row(0))
    assert faults_of(table)[4, "Date (UTC)"].startswith("is the time of row 2 again")


def test_a_file_that_ends_within_a_row_is_named() -> None:
    table = read(a_row(0), ",".join(a_row(1).split(",")[:4]))
    assert faults_of(table)[3, ""] == "The row has 4 of 7 cells; the file ends within it"


def test_half_a_workbook_is_refused_in_words() -> None:
    content = workbook([HEADER.split(","), a_row(0).split(",")])
    with pytest.raises(SheetRefused, match="cut off"):
        read_noon_reports(content[: len(content) // 2], now=NOW)


def test_a_workbook_is_read_with_its_own_dates_and_no_formula_is_run() -> None:
    when = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - a cell has no zone
    rows = [
        ["MV Noordster noon reports"],
        [],
        ["Date", "Time Zone", "SOG", "Hours", "Dist.", "ME Cons"],
        ["", "", "[kn]", "[h]", "[nm]", "[mt/day]"],
        [when, "+8", 14.0, 12, 168, 30.0],
        [when + timedelta(days=1), "UTC+08:00", 14.0, 24, 336, "=1+29"],
    ]
    table = read_noon_reports(workbook(rows), now=NOW)
    assert datetime.fromtimestamp(table.seconds[0], UTC) == datetime(2026, 3, 1, 4, tzinfo=UTC)
    assert table.values["fuel"][0] == 15.0
    # a formula has the value that its last editor stored, here none
    assert "formula of which the file holds no value" in faults_of(table)[6, "ME Cons [mt/day]"]


def test_a_formula_without_a_value_is_a_fault_even_where_a_blank_would_be_none() -> None:
    rows = [["Date (UTC)", "Speed (kn)", "ME fuel (mt)", "RPM"]]
    rows += [[f"2026-03-0{day} 12:00", "14.0", "28.5", "=B2*6"] for day in (1, 2)]
    (fault, _) = read_noon_reports(workbook(rows), now=NOW).faults
    assert (fault.row, fault.column, fault.value) == (2, "RPM", "=B2*6")
    assert "save it there" in fault.detail


def test_a_formula_without_a_value_is_a_fault_of_words_and_of_parts_of_positions_too() -> None:
    headers = ["Date (UTC)", "Speed (kn)", "ME fuel (mt)", "Report type", "Remarks"]
    headers += ["Lat deg", "Lat min", "N/S", "Lon deg", "Lon min", "E/W"]
    row = ["2026-03-01 12:00", 14.0, 28.5, "=D1", "=E1", 51, "=30", "N", 4, 15, "W"]
    table = read_noon_reports(workbook([headers, row]), now=NOW)
    found = {fault.column: fault.value for fault in table.faults}
    assert found == {"Report type": "=D1", "Remarks": "=E1", "Lat min": "=30"}
    assert all("holds no value" in fault.detail for fault in table.faults)


def test_a_formula_without_a_value_is_found_in_cells_that_do_not_name_their_place() -> None:
    rows = [["Date (UTC)", "Speed (kn)", "ME fuel (mt)", "RPM"]]
    rows += [["2026-03-01 12:00", "14.0", "28.5", "=B2*6"]]
    content = with_sheet(workbook(rows), lambda xml: re.sub(rb' r="[A-Z]*\d+"', b"", xml))
    (fault,) = read_noon_reports(content, now=NOW).faults
    assert (fault.row, fault.column, fault.value) == (2, "RPM", "=B2*6")


@pytest.mark.parametrize(
    "cell", ['<c r="C2"><f>A2+27</f><v>28.5</v></c>', '<c r="C2" t="str"><f>""</f><v></v></c>']
)
def test_a_formula_has_the_value_that_its_editor_stored(cell: str) -> None:
    rows = [["Date (UTC)", "Speed (kn)", "ME fuel (mt)"], ["2026-03-01 12:00", 14.0, "=A2+27"]]
    content = with_sheet(
        workbook(rows), lambda xml: re.sub(rb'<c r="C2".*?</c>', cell.encode(), xml)
    )
    faults = faults_of(read_noon_reports(content, now=NOW))
    assert not any("formula" in detail for detail in faults.values())


def test_a_workbook_that_unpacks_to_too_much_is_not_opened() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", bytes(100 * 1024 * 1024))
    with pytest.raises(SheetRefused, match="unpacks to"):
        read_noon_reports(file.getvalue(), now=NOW)


def test_cells_far_to_the_right_are_not_read() -> None:
    far = read_sheet(workbook([["Date", "Latitude"], [1, 2, *[None] * 1_000, "x"]]))
    assert [cells for _, cells in far.rows] == [(1, 2)]
    wide = read_sheet(f"{'Date,Latitude,' * 5_000}\n{'1,' * 10_000}".encode())
    assert len(wide.headers) == len(wide.rows[0][1]) == MOST_COLUMNS


def test_a_workbook_with_entities_is_not_opened() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    with pytest.raises(SheetRefused, match="entities"):
        read_noon_reports(file.getvalue(), now=NOW)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_text_is_read_in_the_encodings_that_spreadsheets_write(encoding: str) -> None:
    text = f"{HEADER};Remarks\n{a_row(0)};Café".replace(",", ";").replace(".", ",")
    table = read_noon_reports(text.encode(encoding), now=NOW)
    assert not table.faults
    assert table.remarks == ["Café"]
    assert table.values["fuel"].tolist() == [28.5]


@pytest.mark.parametrize(
    ("speed", "power", "kw"),
    [
        ("12,5", "12.500", 12_500),
        ("12,5", "1.012,5", 1012.5),
        ("12,5", "980", 980),
        ("12,5", "0.980", 0.98),
        ("12.5", '"12,500"', 12_500),
        ("12.5", "12.500", 12.5),
        ("12", "12.500", 12.5),
    ],
)
def test_the_whole_table_decides_on_marks_for_thousands(speed: str, power: str, kw: float) -> None:
    header = "Date (UTC);Time;SOG;Steaming hours;ME Cons;Power (kW)"
    table = read(f"01.03.2026;12:00;{speed};24;28;{power}", header=header)
    assert table.faults == []
    assert table.values["power"].tolist() == [kw]


def test_names_of_the_standardised_vessel_dataset_are_known() -> None:
    header = (
        "ShipReportingDate,ElapsedTime,ShipLatitude,ShipLongitude,SpeedOverGround,DraughtForward,"
        "DraughtAft,FuelConsumedByMainEngine,WindForce,SpeedPropeller"
    )
    row = "2026-03-01T12:00:00Z,PT24H,51.5,-4.25,14.0,11.8,12.2,28.5,5,88"
    table = read(row, header=header)
    assert not table.faults
    assert table.values["steamingHours"].tolist() == [24.0]
    assert {column.field for column in table.columns} >= {"draftFore", "rpm", "windBeaufort"}


def test_a_user_says_what_a_column_is() -> None:
    header = HEADER.replace("Avg Speed (kn)", "V")
    chosen = {"V": Choice("speedThroughWater", "km/h")}
    table = read(a_row(0, speed="25.93"), header=header, chosen=chosen)
    assert table.values["speedThroughWater"][0] == pytest.approx(14.0, abs=0.01)
    wrong = read(a_row(0), header=header, chosen={"V": Choice("speedThroughWater", "mt")})
    assert any("not a unit of speed" in (column.fault or "") for column in wrong.columns)


def test_a_file_without_fuel_says_what_is_missing() -> None:
    table = read("2026-03-01,14.0", header="Date,Speed (kn)")
    assert any("fuel" in choices for choices in table.missing)


def test_local_time_needs_its_offset() -> None:
    table = read(a_row(0), header=HEADER.replace("(UTC)", "(LT)"))
    assert table.missing == [("utcOffset",)]


WITH_OFFSET = f"{HEADER.replace(' (UTC)', '')},UTC offset"


@pytest.mark.parametrize(
    ("written", "offset", "hour"),
    [
        ("12:00", "8", 4),
        ("12:00 LT", "8", 4),
        ("04:00Z", "8", 4),
        ("04:00 UTC", "8", 4),
        ("12:00+08:00", "8", 4),
        ("12:00+08:00", "", 4),
    ],
)
def test_a_time_that_says_its_zone_is_not_moved_by_the_column_of_offsets(
    written: str, offset: str, hour: int
) -> None:
    table = read(a_row(0, date=f"2026-03-01 {written}", offset=offset), header=WITH_OFFSET)
    assert table.faults == []
    assert datetime.fromtimestamp(table.seconds[0], UTC) == datetime(2026, 3, 1, hour, tzinfo=UTC)


def test_a_ships_time_without_an_offset_is_a_fault_of_its_row() -> None:
    rows = a_row(0, offset="8"), a_row(1, offset=""), a_row(2, offset="8")
    assert faults_of(read(*rows, header=WITH_OFFSET)) == {
        (3, "UTC offset"): "is blank: ship's time needs its offset, such as +8"
    }
    beyond = read(a_row(0, offset="8"), a_row(1, offset="15"), header=WITH_OFFSET)
    assert faults_of(beyond) == {(3, "UTC offset"): "is out of range; allowed: -14 to 14 h"}
    local = read(
        a_row(0), a_row(1, date="2026-03-02 12:00 LT"), header=HEADER.replace(" (UTC)", "")
    )
    # the file has no such column: the field is named
    assert [*faults_of(local)] == [(3, "utcOffset")]


def test_a_time_of_day_may_be_the_ships() -> None:
    header = f"Date,Time,{WITH_OFFSET.partition(',')[2]}"
    table = read(a_row(0, date="2026-03-01,1200 LT", offset="-5"), header=header)
    assert datetime.fromtimestamp(table.seconds[0], UTC) == datetime(2026, 3, 1, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    ("heading", "hour"),
    [("Date/Time (UTC+8)", 4), ("Date (GMT +03:30)", 8.5), ("Report Date UTC-5", 17)],
)
def test_a_fixed_zone_in_a_heading_is_taken_off(heading: str, hour: float) -> None:
    table = read(a_row(0), header=HEADER.replace("Date (UTC)", heading))
    assert table.seconds[0] % 86400 == hour * 3600


@pytest.mark.parametrize("zone", ["LMT", "Ship time", "Ship's Time", "Zone time", "SGT", "CEST"])
@pytest.mark.parametrize("heading", ["Date", "Date,Time"])
def test_a_heading_of_ships_time_or_of_a_named_zone_needs_an_offset(
    heading: str, zone: str
) -> None:
    date = "2026-03-01,12:00" if "," in heading else "2026-03-01 12:00"
    heading = f"{heading} ({zone})"
    header = HEADER.replace("Date (UTC)", heading)
    assert read(a_row(0, date=date), header=header).missing == [("utcOffset",)]
    table = read(a_row(0, date=date, offset="8"), header=f"{header},Time difference (UTC)")
    assert table.seconds[0] % 86400 == 4 * 3600


@pytest.mark.parametrize("date", ["2026-03-01 12:00", "2026-03-01T12:00Z", "2026-03-01"])
def test_beside_a_time_of_day_dates_count_as_days(date: str) -> None:
    header = HEADER.replace("Date (UTC)", "Date,Time (UTC)")
    table = read(a_row(0, date=f"{date},12:00"), header=header)
    assert datetime.fromtimestamp(table.seconds[0], UTC) == datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_date_cells_with_a_time_count_as_days_beside_a_time_of_day() -> None:
    when = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - a cell has no zone
    header = ["Date (UTC)", "Time (UTC)", "SOG", "Steaming hours", "ME Cons"]
    table = read_noon_reports(workbook([header, [when, when.time(), 14.0, 24, 28.5]]), now=NOW)
    assert datetime.fromtimestamp(table.seconds[0], UTC) == when.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("headings", "cells", "utc"),
    [
        ("Date (LT),Time (UTC)", "2026-03-02,22:00", datetime(2026, 3, 1, 22, tzinfo=UTC)),
        ("Date (UTC),Time (LT)", "2026-03-01,08:00", datetime(2026, 3, 1, 22, tzinfo=UTC)),
        ("Date (LT),Time (UTC)", "2026-03-02 08:00,22:00", datetime(2026, 3, 1, 22, tzinfo=UTC)),
        ("Date (UTC),Time (LT)", "2026-03-01 22:00,08:00", datetime(2026, 3, 1, 22, tzinfo=UTC)),
        ("Date,Time (UTC+10)", "2026-03-02,08:00", datetime(2026, 3, 1, 22, tzinfo=UTC)),
    ],
)
def test_a_date_and_a_time_of_day_may_be_of_different_zones(
    headings: str, cells: str, utc: datetime
) -> None:
    header = f"{HEADER.replace('Date (UTC)', headings)},UTC offset"
    table = read(a_row(0, date=cells, offset="10"), header=header)
    assert table.faults == []
    assert datetime.fromtimestamp(table.seconds[0], UTC) == utc


@pytest.mark.parametrize(("cell", "hour"), [(0, 0), (0.5, 12), (1200, 12), (1, None), (12, None)])
def test_a_number_is_a_time_of_day_unless_it_may_be_hours_or_minutes(
    cell: float, hour: int | None
) -> None:
    header = ["Date (UTC)", "Time", "SOG", "Steaming hours", "ME Cons"]
    table = read_noon_reports(workbook([header, ["2026-03-01", cell, 14.0, 24, 28.5]]), now=NOW)
    details = [fault.detail for fault in table.faults]
    assert details == ([] if hour is not None else ["is not a time of day, such as 12:00"])
    assert hour is None or table.seconds[0] % 86400 == hour * 3600


def test_a_zone_description_whose_sign_is_not_known_is_no_offset() -> None:
    """In navigation ZD +5 is five hours behind UTC; some forms mean the opposite."""
    for header in ("ZD", "Zone Description"):
        table = read(a_row(0, zone="5"), header=f"{HEADER},{header}")
        assert "utcOffset" not in table.values


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("Fuel ROB (mt)", None),
        ("HFO remaining on board", None),
        ("Fuel type", None),
        ("Consumption Total (mt)", None),
        ("ME total consumption", "fuel"),
        ("ME FO Cons 24 hrs (mt)", "fuel"),
        ("ME Running Hours (h)", None),
        ("Consumption AE (mt)", "auxiliaryFuel"),
        ("AE LO Cons (l)", None),
        ("AE Running Hours", None),
        ("AE Power (kW)", None),
        ("Consumption Boiler", "boilerFuel"),
        ("Boiler pressure (bar)", None),
        ("VLSFO Cons (mt)", "fuelLsfo"),
        ("LSMGO consumption", "fuelDistillate"),
        ("HFO Cons AE", None),
        ("Running Hours AE1", None),
        ("Running Hours ME", "steamingHours"),
        ("Hours to go", None),
        ("Hours in port", None),
        ("Power AE", None),
        ("Power ME (kW)", "power"),
        ("Power (% MCR)", None),
        ("Draft Max (m)", None),
        ("Wind Speed (App) [kn]", None),
        ("Wind Speed Rel (kn)", None),
        ("Wind Speed (kn)", "windSpeed"),
        ("Course to steer", None),
        ("Course", "heading"),
        ("Distance (h)", None),
        ("Heading (T)", "heading"),
        ("Latitude (N/S)", "latitude"),
        ("Long (deg min)", "longitude"),
        ("ME FO Cons (MT/24 hrs)", "fuel"),
        ("ME VLSFO 0.5%", "fuelLsfo"),
        ("ME LSMGO low sulphur", "fuelDistillate"),
        ("Fuel sulphur content", None),
        ("M/E FO Cons Total", "fuel"),
        ("Main Engine Fuel Total (MT)", "fuel"),
        ("Steaming hours (noon to noon)", "steamingHours"),
        ("ME Fuel BDN", None),
        ("Fuel LCV (MJ/kg)", None),
        ("Fuel price", None),
        ("Sea State Dir", None),
        ("Draft Actual Fore", "draftFore"),
        ("Draft Recommended Fore", None),
        ("Draft Arrival", None),
        ("Time Since Previous Report", "steamingHours"),
        ("Hours in ECA", None),
        ("Hours of rest", None),
        ("Hours", "steamingHours"),
        ("RPM TC", None),
        ("Power factor", None),
        ("Power Shore (kW)", None),
        ("ME FO Cons (m3)", None),
        ("ME FO Cons (m³)", None),
        ("ME MGO Cons (ltr)", None),
        ("ME_FO_Cons_cbm", None),
        ("Wind Speed (Bft)", "windBeaufort"),
        ("Wind speed (Beaufort)", "windBeaufort"),
        ("Wind Wave Height", None),
        ("Wind Gust (kn)", None),
    ],
)
def test_headers_of_other_things_are_no_fields(header: str, field: str | None) -> None:
    (column,) = match_columns([header], {})
    assert column.field == field


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Noon Report", "NOON"),
        ("Daily report", "NOON"),
        ("Sea report", "NOON"),
        ("Port report", "PORT"),
        ("In port", "PORT"),
        ("Arrival report", "ARRIVAL"),
        ("DEP", "DEPARTURE"),
        ("warranted", "OTHER"),
        ("COSP", "DEPARTURE"),
        ("BOSP", "DEPARTURE"),
        ("Begin of Sea Passage", "DEPARTURE"),
        ("Commencement of sea passage", "DEPARTURE"),
        ("Full Away", "DEPARTURE"),
        ("END_OF_SEA_PASSAGE", "ARRIVAL"),
        ("FWE", "ARRIVAL"),
        ("STS at sea", "OTHER"),
    ],
)
def test_the_kind_of_a_report_is_read_from_whole_words(words: str, kind: str) -> None:
    assert find_report_type(words) == kind


def test_a_blank_column_leaves_its_field_to_another() -> None:
    header = HEADER.replace("ME FO Cons (mt)", "ME Cons,ME FO Cons (mt)")
    table = read(a_row(0, fuel=",28.5"), a_row(1, fuel=",28.4"), header=header)
    assert table.values["fuel"].tolist() == [28.5, 28.4]


def test_hours_since_the_last_report_count_where_no_hours_under_way_are_given() -> None:
    header = HEADER.replace(
        "Steaming Time (hrs)", "Time_Since_Previous_Report,Time_Elapsed_Sailing"
    )
    table = read(a_row(0, hours="25,24"), header=header)
    assert table.values["steamingHours"].tolist() == [24.0]
    blank = read(a_row(0, hours="25,"), header=header)
    assert blank.values["steamingHours"].tolist() == [25.0]


def test_directions_in_eight_sectors_are_left_out_and_those_in_degrees_are_read() -> None:
    header = f"{HEADER},Wind Dir"
    sectors = read(f"{a_row(0)},4", f"{a_row(1)},8", header=header)
    assert "windFrom" not in sectors.values
    degrees = read(f"{a_row(0)},4", f"{a_row(1)},80", header=header)
    assert degrees.values["windFrom"].tolist() == [4.0, 80.0]
    said = read(f"{a_row(0)},4", header=header, chosen={"Wind Dir": Choice("windFrom")})
    assert said.values["windFrom"].tolist() == [4.0]


def test_a_header_of_many_brackets_is_read_in_one_pass() -> None:
    # a pattern that begins anew at each of them would not end
    (column,) = match_columns(["(" * 1_000_000], {})
    assert column.field is None
