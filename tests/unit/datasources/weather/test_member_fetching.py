import json

import numpy as np
import pytest

from app.datasources.weather.downloading import Downloader, DownloadFailed, NotThere
from app.datasources.weather.importing import import_files
from app.datasources.weather.member_fetching import fetch_members
from app.datasources.weather.store import RunSummary
from tests.unit.datasources.weather.making import NOW, REFERENCE, grib2, write
from tests.unit.datasources.weather.serving import serving
from tests.unit.datasources.weather.test_member_importing import control

QUICK = {"wait_s": 0.01, "timeout_s": 0.5}
SHAPE = (37, 72)


def ecmwf(members, hours=6):
    """Streams enfo and waef as ECMWF lays them out: a file for each step, an index of JSON lines.

    Messages of other kinds lie between: the index names them too.
    """
    files = {}
    for stream, names in {"enfo": ("10u", "t2m", "10v"), "waef": ("swh", "pp1d", "mwd")}.items():
        for step in range(0, hours + 1, 6):
            base = f"/{REFERENCE:%Y%m%d}/{REFERENCE:%H}z/ifs/0p25/{stream}"
            base += f"/{REFERENCE:%Y%m%d%H%M%S}-{step}h-{stream}-ef"
            data, lines = b"", []
            for name in names:
                for member in members:
                    values = np.full(SHAPE, 5.0 + 0.1 * member)
                    message = grib2(name, values, step, member=member)
                    lines.append(
                        {
                            "domain": "g",
                            "date": f"{REFERENCE:%Y%m%d}",
                            "time": f"{REFERENCE:%H%M}",
                            "expver": "0001",
                            "class": "od",
                            "type": "pf",
                            "stream": stream,
                            "step": str(step),
                            "levtype": "sfc",
                            "number": str(member),
                            "param": name,
                            "_offset": len(data),
                            "_length": len(message),
                        }
                    )
                    data += message
            files[f"{base}.grib2"] = data
            files[f"{base}.index"] = "\n".join(map(json.dumps, lines)).encode()
    return files


def gefs(members, hours=6, reference=REFERENCE):
    """GEFS as NOAA lays it out: files and inventories for each member and step."""
    files = {}
    base = f"/gefs.{reference:%Y%m%d}/{reference:%H}"
    kinds = (
        (
            "atmos/pgrb2ap5/gep{member:02d}.t{cycle}z.pgrb2a.0p50.f{step:03d}",
            (
                ("t2m", "TMP:2 m above ground"),
                ("10u", "UGRD:10 m above ground"),
                ("10v", "VGRD:10 m above ground"),
            ),
        ),
        (
            "wave/gridded/gefs.wave.t{cycle}z.p{member:02d}.global.0p25.f{step:03d}.grib2",
            (("swh", "HTSGW:surface"), ("pp1d", "PERPW:surface"), ("mwd", "DIRPW:surface")),
        ),
    )
    for member in members:
        for step in range(0, hours + 1, 6):
            for pattern, fields in kinds:
                name = f"{base}/{pattern.format(member=member, step=step, cycle=f'{reference:%H}')}"
                data, lines = b"", []
                for number, (short, words) in enumerate(fields, start=1):
                    head = f"{number}:{len(data)}:d={reference:%Y%m%d%H}"
                    lines.append(f"{head}:{words}:{step} hour fcst:ENS=+{member}")
                    data += grib2(
                        short,
                        np.full(SHAPE, 5.0 + member),
                        step,
                        member=member,
                        reference=reference,
                    )
                files[name] = data
                files[f"{name}.idx"] = "\n".join(lines).encode()
    return files


def fetch(url, folder, ensemble="ecmwf", count=4, hours=6):
    seen = []
    fetched = fetch_members(
        ensemble,
        folder,
        REFERENCE,
        hours,
        count,
        lambda done, total: seen.append((done, total)),
        url=url,
        downloader=Downloader(**QUICK),
    )
    assert seen[-1][0] == seen[-1][1]
    return fetched


def imported(fetched, tmp_path) -> RunSummary:
    """The run after its control and the fetched members are taken."""
    runs = tmp_path / "runs"
    path = write(tmp_path / "c.grib2", control())
    import_files([path], runs, None, source=fetched.source, now=NOW)
    return import_files(fetched.files, runs, None, source=fetched.source, now=NOW).run


def paths_of(faults, method="GET"):
    return [path for verb, path, _ in faults.requests if verb == method]


def test_ecmwfs_members_are_fetched_by_their_index_and_join_the_run(tmp_path):
    with serving(ecmwf(range(1, 7))) as (url, faults):
        fetched = fetch(url, tmp_path / "down")
    assert fetched.left_out == ()
    assert imported(fetched, tmp_path).members == (1, 2, 3, 4)
    spans = [span for _, path, span in faults.requests if path.endswith("0h-enfo-ef.grib2")]
    assert len(spans) == 2  # ranges of the four wanted members, side by side, for u and for v


def test_ranges_that_touch_are_joined(tmp_path):
    with serving(ecmwf(range(1, 5))) as (url, faults):
        fetch(url, tmp_path)
    spans = [span for _, path, span in faults.requests if path.endswith("6h-waef-ef.grib2")]
    assert len(spans) == 1


def test_a_member_that_a_step_lacks_is_named_and_the_others_are_taken(tmp_path):
    files = ecmwf(range(1, 5))
    lacking = ecmwf((1, 2, 4))
    files.update({name: data for name, data in lacking.items() if "-6h-waef" in name})
    with serving(files) as (url, _):
        fetched = fetch(url, tmp_path / "down")
        again = fetch(url, tmp_path / "down")
    assert fetched.left_out == again.left_out == ("member 3: not in waef at 6 h",)
    assert imported(fetched, tmp_path).members == (1, 2, 4)


def test_a_run_whose_last_step_is_not_there_yet_is_left_until_it_is(tmp_path):
    files = ecmwf(range(1, 5))
    early = {name: data for name, data in files.items() if "6h-waef" not in name}
    with serving(early) as (url, faults), pytest.raises(NotThere, match=r"6h-waef-ef\.index"):
        fetch(url, tmp_path)
    assert not [path for path in paths_of(faults) if path.endswith("grib2")]
    with serving(files) as (url, _):
        assert len(fetch(url, tmp_path).files) == 4


def test_a_run_of_which_few_members_are_listed_is_not_ready(tmp_path):
    with serving(ecmwf((1,))) as (url, _), pytest.raises(NotThere, match="1 of 4 members"):
        fetch(url, tmp_path)


def test_a_range_that_is_cut_is_taken_up_where_it_broke(tmp_path):
    files = ecmwf(range(1, 5))
    cut = next(name for name in files if name.endswith("6h-enfo-ef.grib2"))
    with serving(files) as (url, faults):
        faults.cut[cut] = 2
        fetched = fetch(url, tmp_path / "down")
    assert imported(fetched, tmp_path).members == (1, 2, 3, 4)


def test_a_fetch_of_members_that_was_broken_off_goes_on_where_it_stopped(tmp_path):
    files = ecmwf(range(1, 5))
    lost = next(name for name in files if name.endswith("6h-enfo-ef.grib2"))
    without = {name: data for name, data in files.items() if name != lost}
    with serving(without) as (url, _), pytest.raises(NotThere):
        fetch(url, tmp_path)
    with serving(files) as (url, faults):
        fetch(url, tmp_path)
    assert not [path for path in paths_of(faults) if path.endswith("-0h-enfo-ef.grib2")]


def test_an_index_of_another_file_is_found_out(tmp_path):
    files = ecmwf(range(1, 5))
    name = next(name for name in files if name.endswith("0h-enfo-ef.grib2"))
    files[name] = b"\0" * 7 + files[name]
    wrong = pytest.raises(DownloadFailed, match="not whole GRIB messages")
    with serving(files) as (url, _), wrong:
        fetch(url, tmp_path)
    assert not list(tmp_path.rglob("enfo-000.grib2*"))


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"type": "pf", "param": "10u"}',
        '["pf"]',
        '{"type": "pf", "param": "10u", "number": "1", "_offset": -1, "_length": 9}',
        "7",
    ],
)
def test_an_index_that_cannot_be_read_is_named_with_its_line(tmp_path, line):
    files = ecmwf(range(1, 5))
    name = next(name for name in files if name.endswith("6h-enfo-ef.index"))
    files[name] = line.encode()
    wrong = pytest.raises(DownloadFailed, match=r"6h-enfo-ef\.index: .* is not a line of an index")
    with serving(files) as (url, _), wrong:
        fetch(url, tmp_path)


def test_gefs_members_are_fetched_by_their_inventories_and_join_the_gfs_run(tmp_path):
    with serving(gefs(range(1, 5))) as (url, _):
        fetched = fetch(url, tmp_path / "down", "gefs")
    assert fetched.source == "gfs"
    assert imported(fetched, tmp_path).members == (1, 2, 3, 4)


def test_a_gefs_member_whose_file_is_missing_is_left_out(tmp_path):
    files = gefs(range(1, 5))
    lost = next(name for name in files if "p03" in name and name.endswith("f000.grib2.idx"))
    del files[lost]
    with serving(files) as (url, _):
        fetched = fetch(url, tmp_path / "down", "gefs")
    assert [what.split(":")[0] for what in fetched.left_out] == ["member 3"]
    assert imported(fetched, tmp_path).members == (1, 2, 4)


def test_gefs_members_that_are_not_there_yet_are_left_until_they_are(tmp_path):
    with serving(gefs((1,))) as (url, _), pytest.raises(NotThere, match="gep0"):
        fetch(url, tmp_path, "gefs")


def test_no_more_members_are_asked_for_than_the_centre_has(tmp_path):
    with serving(ecmwf(range(1, 53), hours=0)) as (url, _):
        fetched = fetch(url, tmp_path, count=99, hours=0)
    assert fetched.left_out == ()
    listed = json.loads(next(tmp_path.rglob("enfo-000.json")).read_text())
    assert listed == list(range(1, 51))
