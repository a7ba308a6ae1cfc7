import errno
import json
import os
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from app.datasources.weather import fetching
from app.datasources.weather.downloading import (
    ByteRange,
    Downloader,
    DownloadFailed,
    NotThere,
)
from app.datasources.weather.fetching import NothingNewer, fetch_ecmwf, fetch_gfs
from app.datasources.weather.importing import import_files
from app.engine.weather import Group
from tests.unit.datasources.weather.making import NOW, REFERENCE, grib2
from tests.unit.datasources.weather.serving import serving

CONTENT = bytes(range(256)) * 800
QUICK = {"wait_s": 0.01, "timeout_s": 0.3}


def fetch(url, target, ranges=None):
    Downloader(**QUICK).fetch(f"{url}/file", ranges or [ByteRange(0, None)], target)
    return target.read_bytes()


def test_byte_ranges_are_joined_in_their_order(tmp_path):
    with serving({"/file": CONTENT}) as (url, _):
        got = fetch(url, tmp_path / "f", [ByteRange(10, 20), ByteRange(300, 310)])
    assert got == CONTENT[10:20] + CONTENT[300:310]


def test_a_broken_line_is_taken_up_where_it_broke(tmp_path):
    with serving({"/file": CONTENT}) as (url, faults):
        faults.cut["/file"] = 2
        assert fetch(url, tmp_path / "f") == CONTENT
    firsts = [int(span.split("=")[1].split("-")[0]) for _, _, span in faults.requests]
    assert len(firsts) == 3
    assert 0 == firsts[0] < firsts[1] < firsts[2]


@pytest.mark.parametrize("extra", [b"", b"of another file"])
def test_a_piece_that_was_complete_when_the_process_ended_is_taken(tmp_path, extra):
    (tmp_path / ".f.0").write_bytes(CONTENT + extra)
    with serving({"/file": CONTENT}) as (url, _):
        assert fetch(url, tmp_path / "f") == CONTENT


def test_a_slow_server_is_asked_again(tmp_path):
    with serving({"/file": CONTENT}) as (url, faults):
        faults.slow["/file"] = 1
        assert fetch(url, tmp_path / "f") == CONTENT
    assert len(faults.requests) == 2


def test_an_answer_of_another_range_is_not_taken(tmp_path):
    ranges = [ByteRange(500, 700)]
    content = bytes(range(256)) * 4
    with serving({"/file": content}) as (url, faults):
        faults.elsewhere["/file"] = 1
        fetch(url, tmp_path / "f", ranges)
        assert (tmp_path / "f").read_bytes() == content[500:700]
        faults.elsewhere["/file"] = 9
        with pytest.raises(DownloadFailed, match="bytes 0-199/1024 came instead of byte 500"):
            fetch(url, tmp_path / "g", ranges)


def test_a_busy_server_is_asked_again(tmp_path):
    with serving({"/file": CONTENT}) as (url, faults):
        faults.busy["/file"] = 2
        assert fetch(url, tmp_path / "f") == CONTENT


def test_a_server_that_stays_away_is_given_up_with_its_address(tmp_path):
    with serving({"/file": CONTENT}) as (url, faults):
        faults.busy["/file"] = 99
        with pytest.raises(DownloadFailed, match=r"/file: .*503.* \(5 tries\)"):
            fetch(url, tmp_path / "f")
    assert not (tmp_path / "f").exists()


def test_a_full_disk_is_no_fault_of_the_server_which_is_not_asked_again(tmp_path):
    (tmp_path / ".f.0").symlink_to("/dev/full")
    full = os.strerror(errno.ENOSPC)
    with serving({"/file": CONTENT}) as (url, faults), pytest.raises(OSError, match=full):
        fetch(url, tmp_path / "f")
    assert len(faults.requests) == 1
    assert not (tmp_path / "f").exists()


def test_a_missing_file_is_not_asked_for_twice(tmp_path):
    with serving({}) as (url, faults), pytest.raises(NotThere, match="404"):
        fetch(url, tmp_path / "f")
    assert len(faults.requests) == 1


def test_what_an_earlier_call_left_is_not_fetched_again(tmp_path):
    (tmp_path / ".f.0").write_bytes(CONTENT[:1000])
    with serving({"/file": CONTENT}) as (url, faults):
        assert fetch(url, tmp_path / "f") == CONTENT
    assert faults.requests == [("GET", "/file", "bytes=1000-")]


def noaa(hours, reference=REFERENCE):
    """A GFS run as NOAA lays it out: files and their inventories."""
    base = f"/gfs.{reference:%Y%m%d}/{reference:%H}"
    files = {}
    shape = (37, 72)
    for step in range(0, hours + 1, 3):
        atmosphere = [
            ("t2m", "TMP:2 m above ground"),
            ("10u", "UGRD:10 m above ground"),
            ("10v", "VGRD:10 m above ground"),
        ]
        waves = [
            ("swh", "HTSGW:surface"),
            ("pp1d", "PERPW:surface"),
            ("mwd", "DIRPW:surface"),
            ("swell 1", "SWELL:1 in sequence"),
            ("swell 2", "SWELL:2 in sequence"),
            ("swdir 1", "SWDIR:1 in sequence"),
        ]
        name = f"{base}/atmos/gfs.t{reference:%H}z.pgrb2.0p50.f{step:03d}"
        _lay_out(files, name, atmosphere, shape, step, reference)
        name = f"{base}/wave/gridded/gfswave.t{reference:%H}z.global.0p25.f{step:03d}.grib2"
        _lay_out(files, name, waves, shape, step, reference)
    return files


def _lay_out(files, name, fields, shape, step, reference):
    data, lines = b"", []
    for number, (short_name, words) in enumerate(fields, start=1):
        lines.append(f"{number}:{len(data)}:d={reference:%Y%m%d%H}:{words}:{step} hour fcst:")
        data += grib2(short_name, np.full(shape, 5.0), step, reference=reference)
    files[name] = data
    files[f"{name}.idx"] = "\n".join(lines).encode()


def fetch_noaa(url, folder, hours=6):
    seen = []
    fetched = fetch_gfs(
        folder,
        NOW,
        hours,
        lambda done, total: seen.append((done, total)),
        url=url,
        downloader=Downloader(**QUICK),
    )
    return fetched, seen


def test_a_noaa_run_is_fetched_by_its_inventory_and_imports(tmp_path):
    with serving(noaa(6)) as (url, _):
        fetched, seen = fetch_noaa(url, tmp_path / "down")
    assert fetched.reference_time == REFERENCE
    assert seen[-1] == (6, 6)
    report = import_files(fetched.files, tmp_path / "runs", None, source="gfs", now=NOW)
    assert report.run.groups == (Group.WIND, Group.WAVE, Group.SWELL)
    assert report.left_out == ()


def test_a_run_without_its_last_step_is_passed_over_for_the_one_before(tmp_path):
    newer = noaa(3)
    older = noaa(6, REFERENCE - timedelta(hours=6))
    with serving({**newer, **older}) as (url, _):
        fetched, _ = fetch_noaa(url, tmp_path)
    assert fetched.reference_time == REFERENCE - timedelta(hours=6)


def test_a_fetch_that_was_broken_off_goes_on_where_it_stopped(tmp_path):
    files = noaa(6)
    lost = next(name for name in files if name.endswith("0p50.f006"))
    without = {name: data for name, data in files.items() if name != lost}
    with serving(without) as (url, _), pytest.raises(NotThere):
        fetch_noaa(url, tmp_path)
    with serving(files) as (url, faults):
        fetched, _ = fetch_noaa(url, tmp_path)
    assert len(fetched.files) == 6
    fetched_again = [path for _, path, span in faults.requests if span]
    assert set(fetched_again) == {
        lost,
        lost.replace("atmos/gfs", "wave/gridded/gfswave").replace(
            "pgrb2.0p50.f006", "global.0p25.f006.grib2"
        ),
    }


def test_an_inventory_of_another_file_is_found_out(tmp_path):
    files = noaa(0)
    name = next(name for name in files if name.endswith("0p50.f000"))
    files[name] = b"\0" * 7 + files[name]
    told = pytest.raises(DownloadFailed, match="not whole GRIB messages")
    with serving(files) as (url, _), told:
        fetch_noaa(url, tmp_path, hours=0)
    assert not list(tmp_path.glob("*/gfs.t*"))


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>Sign in at http://portal:80/x:y:z</html>",
        b"<html>Sign in</html>",
        b"\xff\xfe:::\n",
        b"",
    ],
)
def test_an_answer_of_a_captive_portal_is_no_inventory(tmp_path, answer):
    told = pytest.raises(DownloadFailed, match="what came is no inventory")
    with serving(dict.fromkeys(noaa(6), answer)) as (url, _), told:
        fetch_noaa(url, tmp_path)


def test_no_run_at_all_is_reported(tmp_path):
    told = pytest.raises(DownloadFailed, match="no complete run since 2026-01-09 06:00Z")
    with serving({}) as (url, _), told:
        fetch_noaa(url, tmp_path)


def ecmwf(reference, hours):
    files = {}
    parameters = {"oper": ["t2m", "10u", "10v"], "wave": ["swh", "pp1d", "mwd"]}
    for stream, names in parameters.items():
        for step in range(0, hours + 1, 3):
            base = f"/{reference:%Y%m%d}/{reference:%H}z/ifs/0p25/{stream}"
            base += f"/{reference:%Y%m%d%H%M%S}-{step}h-{stream}-fc"
            data, lines = b"", []
            for name in names:
                message = grib2(name, np.full((37, 72), 5.0), step, reference=reference)
                entry = {
                    "date": f"{reference:%Y%m%d}",
                    "time": f"{reference:%H%M}",
                    "type": "fc",
                    "stream": stream,
                    "step": str(step),
                    "levtype": "sfc",
                    "param": name,
                    "_offset": len(data),
                    "_length": len(message),
                }
                lines.append(json.dumps(entry))
                data += message
            files[f"{base}.grib2"], files[f"{base}.index"] = data, "\n".join(lines).encode()
    return files


def fetch_today(url, folder, hours):
    # a run of today, whose files the import accepts
    now = datetime.now(UTC)
    return fetch_ecmwf(folder, now, hours, lambda *_: None, url=url, downloader=Downloader(**QUICK))


def midnight():
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def test_a_silent_ecmwf_server_is_given_up(tmp_path):
    files = ecmwf(midnight(), 0)
    with serving(files) as (url, faults):
        faults.slow_s = 3.0
        faults.slow |= dict.fromkeys(files, 99)
        with pytest.raises(DownloadFailed, match="timed out"):
            fetch_today(url, tmp_path, 0)


def test_an_ecmwf_run_is_fetched_by_its_index_and_imports(tmp_path):
    with serving(ecmwf(midnight(), 3)) as (url, faults):
        fetched = fetch_today(url, tmp_path, 3)
        before = len(faults.requests)
        again = fetch_today(url, tmp_path, 3)
        fetched_again = [span for _, _, span in faults.requests[before:] if span]
    assert fetched == again
    assert fetched_again == []
    now = datetime.now(UTC)
    report = import_files(fetched.files, tmp_path / "runs", None, source="ecmwf", now=now)
    assert report.run.groups == (Group.WIND, Group.WAVE)


def test_an_ecmwf_run_without_its_last_step_is_passed_over_for_the_one_before(tmp_path):
    older = midnight() - timedelta(hours=12)
    with serving({**ecmwf(midnight(), 3), **ecmwf(older, 6)}) as (url, _):
        assert fetch_today(url, tmp_path, 6).reference_time == older


@pytest.fixture
def short_runs(monkeypatch):
    """Short runs of 3 h, instead of 144 h."""
    monkeypatch.setattr(fetching, "_ECMWF_SHORT_H", 3)


def fetch_ecmwf_at(url, folder, hour, newer_than):
    """Fetch 6 h at an hour of the day of REFERENCE."""
    return fetch_ecmwf(
        folder,
        REFERENCE.replace(hour=hour),
        6,
        lambda *_: None,
        url=url,
        downloader=Downloader(**QUICK),
        newer_than=newer_than,
    )


@pytest.mark.usefixtures("short_runs")
def test_a_short_ecmwf_run_is_fetched_to_its_end_when_the_long_one_is_stored(tmp_path):
    long, short = (REFERENCE.replace(hour=hour) for hour in (0, 6))
    with serving({**ecmwf(long, 6), **ecmwf(short, 3)}) as (url, _):
        first = fetch_ecmwf_at(url, tmp_path, 14, None)
        behind = fetch_ecmwf_at(url, tmp_path, 14, long - timedelta(hours=6))
        second = fetch_ecmwf_at(url, tmp_path, 14, long)
        with pytest.raises(NothingNewer):
            fetch_ecmwf_at(url, tmp_path, 14, short)
    assert first.reference_time == behind.reference_time == long
    assert second.reference_time == short
    assert [first.files[-1].name, second.files[-1].name] == ["wave-006.grib2", "wave-003.grib2"]


@pytest.mark.usefixtures("short_runs")
def test_a_long_ecmwf_run_of_which_steps_are_missing_is_no_short_one(tmp_path):
    long, late = (REFERENCE.replace(hour=hour) for hour in (0, 12))
    files = {**ecmwf(long, 6), **ecmwf(late, 3)}
    with serving(files) as (url, _), pytest.raises(NothingNewer):
        fetch_ecmwf_at(url, tmp_path, 20, long)


@pytest.mark.parametrize("answer", [b"<html>Sign in</html>", b"", b'{"type": "fc"}'])
def test_an_answer_of_a_captive_portal_is_no_index(tmp_path, answer):
    told = pytest.raises(DownloadFailed, match=r"not a line of an index|none of the wanted fields")
    with serving(dict.fromkeys(ecmwf(midnight(), 0), answer)) as (url, _), told:
        fetch_today(url, tmp_path, 0)
