"""Records of ships are read by whatever headers and units they come with."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.calibration.reports import ShipReports
from benchmarks.ship_records import RecordsRefused, read_ship_records

ROWS = """2026-01-01T12:00:00Z,10.0,20.0,12.0,13.0,12.5,12.0,80,9000,{fuel},8.0,45,2.0
2026-01-02T12:00:00Z,10.0,24.0,12.0,13.0,13.5,13.0,82,9500,{fuel},9.0,50,2.5
"""
PLAIN = "time,lat,lng,draft_fore,draft_aft,speed_over_ground,speed_through_water,rpm,power,"


def write(folder: Path, header: str, fuel: str = "1.5") -> Path:
    path = folder / "records.csv"
    path.write_text(f"{header}\n{ROWS.format(fuel=fuel)}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("header", "fuel"),
    [
        (PLAIN + "fuel_per_hour,wind_speed,wind_from,wave_height", "1.5"),
        (PLAIN + "fuel_kg_per_h,wind_speed_ms,wind_dir_deg,hs", "1500"),
        (PLAIN + "Fuel [t/day],Wind speed (m/s),Wind direction (deg),Wave height [m]", "36"),
        (
            "Date time,Latitude,Longitude,Draught fwd (m),Draught aft (m),SOG (kn),STW (kn),RPM,"
            "Power (kW),FOC (mt/day),True wind speed,True wind direction,Significant wave height",
            "36",
        ),
    ],
)
def test_headers_and_units_of_many_kinds_give_the_same_records(
    tmp_path: Path, header: str, fuel: str
) -> None:
    reports = read_ship_records(write(tmp_path, header, fuel))
    assert reports.fuel_t_per_h == pytest.approx([1.5, 1.5])
    assert reports.speed_kn == pytest.approx([12.0, 13.0])
    assert reports.draft_m == pytest.approx([12.5, 12.5])
    assert reports.trim_m == pytest.approx([1.0, 1.0])
    assert reports.wind_speed_ms == pytest.approx([8.0, 9.0])
    assert reports.wave_height_m == pytest.approx([2.0, 2.5])
    assert reports.power_kw == pytest.approx([9000.0, 9500.0])
    assert np.diff(reports.times_h) == pytest.approx([24.0])
    # without a heading the ship's heading is its course made good: east
    assert reports.course_deg == pytest.approx([90.0, 90.0], abs=1.0)


def test_speed_in_km_per_hour_and_draught_in_feet_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text(
        "time,stw_kmh,draft_ft,fuel_t_per_h,wind_kn\n2026-01-01,18.52,32.80840,1.0,19.43844\n",
        encoding="utf-8",
    )
    reports = read_ship_records(path)
    assert reports.speed_kn == pytest.approx([10.0])
    assert reports.draft_m == pytest.approx([10.0])
    assert reports.wind_speed_ms == pytest.approx([10.0], rel=1e-4)


def test_apparent_wind_becomes_the_true_wind(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text(
        "time,stw,heading,draft,fuel_per_hour,relative_wind_speed,relative_wind_direction\n"
        "2026-01-01,19.43844,90,10,1.0,20,0\n",
        encoding="utf-8",
    )
    reports = read_ship_records(path)
    assert reports.wind_speed_ms == pytest.approx([10.0], rel=1e-4)
    assert reports.wind_from_deg == pytest.approx([90.0])


def read_text(folder: Path, text: str) -> ShipReports:
    path = folder / "records.csv"
    path.write_text(text, encoding="utf-8")
    return read_ship_records(path)


def test_columns_that_only_begin_like_a_figure_are_passed_over(tmp_path: Path) -> None:
    reports = read_text(
        tmp_path,
        "fuelType,fuelTemp,aeFuel,timestamp,speedThroughWater,draftFore,mainEngineFuel,windSpeed\n"
        "VLSFO,140,0.2,1767225600000,12,9,1.5,7\n",
    )
    assert reports.fuel_t_per_h == pytest.approx([1.5])
    assert reports.times_h == pytest.approx([1767225600 / 3600])
    assert (reports.draft_m[0], reports.trim_m[0]) == (9.0, 0.0)


def test_semicolons_decimal_commas_and_days_before_months_are_read(tmp_path: Path) -> None:
    reports = read_text(
        tmp_path,
        "Date;Time;DRAUGHT AFT;Speed (kn);ME cons (mt);Steaming hours;Beaufort\n"
        "13/01/2026;12:00;9,5;12,5;36;24;4\n14/01/2026;12:00;9,5;12,0;18;12;4\n",
    )
    assert np.diff(reports.times_h) == pytest.approx([24.0])
    assert reports.speed_kn == pytest.approx([12.5, 12.0])
    assert reports.draft_m == pytest.approx([9.5, 9.5])
    assert reports.fuel_t_per_h == pytest.approx([1.5, 1.5])
    assert reports.wind_speed_ms == pytest.approx([0.836 * 8.0] * 2)


def test_what_cannot_be_read_is_missing_and_the_rest_is_kept(tmp_path: Path) -> None:
    reports = read_text(
        tmp_path,
        "time,stw,draft,wind,fuel\n2026-01-01,12,10,5,1\n2026-01-02,#REF!,,5,1\n2026-01-03,12\n"
        "2026-01-04,12,11,5,1,\n2026-01-04,12,11,5,1\n",
    )
    # the line that is cut off has no time and stands last; the repeated one stands once
    assert np.isnan(reports.times_h).tolist() == [False, False, False, True]
    assert np.isnan(reports.speed_kn).tolist() == [False, True, False, True]
    assert reports.draft_m[:3] == pytest.approx([10.0, 10.0, 11.0])


def test_speed_over_ground_stands_in_for_a_dead_log(tmp_path: Path) -> None:
    reports = read_text(
        tmp_path,
        "time,stw,sog,draft,fuel\n2026-01-01,0,12,9,1\n2026-01-02,11,12,9,1\n2026-01-03,,12,9,1\n",
    )
    assert reports.speed_kn == pytest.approx([12.0, 11.0, 12.0])


def test_without_wind_and_waves_the_sea_is_that_of_service(tmp_path: Path) -> None:
    plain = read_text(tmp_path, "time,stw,fuel\n2026-01-01,12,1\n")
    assert plain.wind_speed_ms == pytest.approx([0.836 * 5.0**1.5])
    assert plain.wave_height_m == pytest.approx([2.0], abs=0.01)
    assert np.isnan(plain.draft_m).all()
    waves = read_text(tmp_path, "time,stw,fuel,wave_height\n2026-01-01,12,1,2\n")
    assert waves.wind_speed_ms == pytest.approx([9.35])


def test_the_course_made_good_is_that_of_time_not_of_the_files_order(tmp_path: Path) -> None:
    reports = read_text(
        tmp_path,
        "time,lat,lng,stw,fuel\n2026-01-02,0,5,12,1\n2026-01-01,0,0,12,1\n",
    )
    assert reports.course_deg == pytest.approx([90.0, 90.0])


def test_weather_comes_from_abeam_where_the_ships_course_is_not_known(tmp_path: Path) -> None:
    reports = read_text(
        tmp_path, "time,stw,fuel,wind_speed,wind_from,wave_from\n2026-01-01,12,1,8,10,20\n"
    )
    off_bow = reports.wind_from_deg - reports.course_deg
    assert off_bow == pytest.approx([90.0])
    assert reports.wave_from_deg == pytest.approx(reports.wind_from_deg)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,stw,draft,wind\n2026-01-01,12,10,5\n", "no column for fuel"),
        ("time,stw,draft,wind,fuel\n2026-01-01,12,10,5\n", "line 2: 4 fields"),
        ("time,stw,draft,wind,fuel\n2026-01-01,twelve,10,5,1\n", "'twelve', which is not a number"),
        ("time,stw,draft,wind,fuel\nyesterday,12,10,5,1\n", "'yesterday' is not as in ISO 8601"),
        ("time,stw,draft,wind,fuel\n", "no records below its header"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "records.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordsRefused, match=words):
        read_ship_records(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(RecordsRefused, match="not UTF-8"):
        read_ship_records(path)
