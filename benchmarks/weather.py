"""Time of importing and looking up a forecast, and correctness of reading it.

The benchmark generates a forecast like NOAA's (wind and waves, 3-hourly, ten days, the globe at
half a degree, complex packing with land masked out of the waves) and imports it in a separate
process. It looks it up a million times: at random places and times, which is bound by memory, and
along tracks, as a search does. Every message is compared with an independent reader, at 1,000
random points each.

``--samples FOLDER`` also compares every supported message of the GRIB files in a folder;
``--samples-only`` leaves out the generated forecast.
"""

import argparse
import json
import resource
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import gribberish
import numpy as np
from numba import njit

from app.datasources.weather.grib import decode_grib, eccodes, survey_grib
from app.datasources.weather.importing import import_files
from app.datasources.weather.store import open_run
from app.engine.weather import WeatherField, WeatherRun, sample_weather
from app.engine.weather.kernels import sample_weather_many
from benchmarks.report import print_result, print_table

REFERENCE = datetime(2026, 1, 10, tzinfo=UTC)
STEPS = range(0, 241, 3)
SHAPE = (361, 720)
N_POINT = 1_000_000

#: Name -> discipline, category, number, first fixed surface, its value, least and greatest.
FIELDS = {
    "10u": (0, 2, 2, 103, 10, -25.0, 25.0),
    "10v": (0, 2, 3, 103, 10, -25.0, 25.0),
    "swh": (10, 0, 3, 1, 0, 0.3, 12.0),
    "perpw": (10, 0, 11, 1, 0, 3.0, 20.0),
    "dirpw": (10, 0, 10, 1, 0, 0.0, 359.0),
}


def main() -> None:
    """Run the benchmark; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=Path, help="folder of GRIB files to compare")
    parser.add_argument(
        "--samples-only", action="store_true", help="leave out the generated forecast"
    )
    parser.add_argument("--import-here", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.import_here:
        print(json.dumps(import_made(arguments.import_here)))
        return
    result: dict[str, object] = {}
    if not arguments.samples_only:
        result |= measure_made_forecast()
    if arguments.samples:
        result |= compare_samples(arguments.samples)
    print_table(["figure", "value"], result.items())
    print_result(result)


def measure_made_forecast() -> dict[str, object]:
    """Generate, import and look up a forecast."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_forecast(folder / "made.grib2")
        command = [sys.executable, "-m", "benchmarks.weather", "--import-here", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        result = json.loads(done.stdout.splitlines()[-1]) | compare_samples(folder)
        run = open_run(next((folder / "runs").iterdir()))
        # memory-mapped from a temporary folder: look up before it is removed
        result |= measure_look_ups(WeatherField(WeatherRun("none", {}), (run,)))
    return result


def make_forecast(path: Path) -> None:
    """Generate smooth random fields, so that packing works as on real ones."""
    rng = np.random.default_rng(5)
    land = smooth(rng, 12.0) > 0.62
    with path.open("wb") as file:
        for step in STEPS:
            for name, (*_, least, greatest) in FIELDS.items():
                values = least + (greatest - least) * smooth(rng, 20.0)
                masked = np.where(land, np.nan, values) if name not in ("10u", "10v") else values
                file.write(encode(name, masked, step))


def smooth(rng: np.random.Generator, waves: float) -> np.ndarray:
    """Return a smooth global field with values 0 to 1."""
    lat, lng = np.meshgrid(
        np.linspace(-1, 1, SHAPE[0]), np.linspace(0, 2 * np.pi, SHAPE[1]), indexing="ij"
    )
    field = np.zeros(SHAPE)
    for _ in range(8):
        turns, tilt, phase = rng.integers(1, int(waves)), rng.normal(0, waves), rng.uniform(0, 7)
        field += np.sin(turns * lng + tilt * lat + phase)
    return (field - field.min()) / np.ptp(field)


def encode(name: str, values: np.ndarray, step: int) -> bytes:
    """Return one GRIB 2 message."""
    discipline, category, number, surface, level, *_ = FIELDS[name]
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    keys = {
        "discipline": discipline,
        "dataDate": int(REFERENCE.strftime("%Y%m%d")),
        "dataTime": 0,
        "Ni": SHAPE[1],
        "Nj": SHAPE[0],
        "latitudeOfFirstGridPointInDegrees": 90.0,
        "latitudeOfLastGridPointInDegrees": -90.0,
        "longitudeOfFirstGridPointInDegrees": 0.0,
        "longitudeOfLastGridPointInDegrees": 359.5,
        "iDirectionIncrementInDegrees": 0.5,
        "jDirectionIncrementInDegrees": 0.5,
        "parameterCategory": category,
        "parameterNumber": number,
        "typeOfFirstFixedSurface": surface,
        "scaleFactorOfFirstFixedSurface": 0,
        "scaledValueOfFirstFixedSurface": level,
        "stepUnits": 1,
        "forecastTime": step,
        "bitmapPresent": int(np.isnan(values).any()),
        "missingValue": 9999.0,
        "bitsPerValue": 14,
    }
    for key, value in keys.items():
        eccodes.codes_set(message, key, value)
    eccodes.codes_set_values(message, np.where(np.isnan(values), 9999.0, values).ravel())
    if not keys["bitmapPresent"]:
        eccodes.codes_set(message, "packingType", "grid_complex_spatial_differencing")
    data: bytes = eccodes.codes_get_message(message)
    eccodes.codes_release(message)
    return data


def import_made(folder: Path) -> dict[str, object]:
    """Import the generated forecast; return time and memory of this process."""
    path = folder / "made.grib2"
    began = time.perf_counter()
    report = import_files([path], folder / "runs", None, source="made", now=REFERENCE)
    seconds = time.perf_counter() - began
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "file_mb": round(path.stat().st_size / 1e6, 1),
        "fields": len(STEPS) * len(FIELDS),
        "import_s": round(seconds, 2),
        "import_peak_mb": round(peak_mb),
        "store_mb": round(report.run.size_bytes / 1e6),
    }


@njit(nogil=True, error_model="numpy")
def look_up_all(arrays, lats, lngs, times_h):
    """Return the sum of all values, so that no look-up is optimised away."""
    total = 0.0
    for index in range(lats.size):
        point = sample_weather(arrays, lats[index], lngs[index], times_h[index], False)
        total += point.wind_u_ms + point.wind_v_ms + point.wave_height_m + point.wave_period_s
        total += point.wave_from_east + point.wave_from_north
    return total


def measure_look_ups(field: WeatherField) -> dict[str, object]:
    """Return processor seconds of a million look-ups, the best of three, warm."""
    rng = np.random.default_rng(6)
    first_h = REFERENCE.timestamp() / 3600.0
    # as a search does, from point to neighbouring point: 1,000 tracks of 1,000 points
    along = np.tile(np.linspace(0.0, 1.0, 1000), 1000)
    start = np.repeat(rng.uniform(0, 1, 1000), 1000)
    places = {
        "random": (
            rng.uniform(-70, 70, N_POINT),
            rng.uniform(-180, 180, N_POINT),
            first_h + rng.uniform(0, 240, N_POINT),
        ),
        "along_tracks": (
            -60 + 100 * start + 20 * along,
            -180 + 300 * start + 60 * along,
            first_h + 240 * along,
        ),
    }
    result: dict[str, object] = {}
    for name, (lats, lngs, times_h) in places.items():
        look_up_all(field.kernel_arrays, lats, lngs, times_h)
        seconds = min(_cpu_seconds(field, lats, lngs, times_h) for _ in range(3))
        result[f"million_{name}_s"] = round(seconds, 3)
    lats, lngs, times_h = places["random"]
    out = np.ones((10, N_POINT))
    seconds = min(_list_cpu_seconds(field, lats, lngs, times_h, out) for _ in range(3))
    result["million_random_list_s"] = round(seconds, 3)
    return result


def _cpu_seconds(field: WeatherField, *place: np.ndarray) -> float:
    began = time.process_time()
    look_up_all(field.kernel_arrays, *place)
    return time.process_time() - began


def _list_cpu_seconds(field: WeatherField, *arguments: np.ndarray) -> float:
    began = time.process_time()
    lats, lngs, times_h, out = arguments
    at_sea, in_place = np.zeros(lats.size, dtype=np.bool_), np.zeros((2, lats.size))
    sample_weather_many(field.kernel_arrays, lats, lngs, times_h, at_sea, in_place, out)
    return time.process_time() - began


def compare_samples(folder: Path) -> dict[str, object]:
    """Compare decoded values with gribberish, and with the packing formula.

    gribberish shares no code with ecCodes. Where it does not support a grid, simple packing is
    decoded here from the bytes. Both see the values in the message's own order; fields on regular
    grids are also compared as imported.
    """
    rng = np.random.default_rng(7)
    compared, worst = 0, 0.0
    for path in sorted(p for p in folder.iterdir() if p.is_file()):
        wanted = {field.ordinal: field for field in survey_grib(path).fields}
        taken = {f.ordinal: values for f, values in decode_grib(path, wanted.values())}
        for ordinal, message, raw in _raw_messages(path, wanted):
            other = _independent_values(message, raw.size)
            points = rng.integers(0, raw.size, 1000)
            difference = np.abs(other[points] - raw[points])
            if taken[ordinal].size == raw.size:
                as_taken = taken[ordinal][::-1].ravel()[points]
                difference = np.maximum(difference, np.abs(as_taken - other[points]))
            assert np.array_equal(np.isnan(other[points]), np.isnan(raw[points]))
            worst = max(worst, float(np.nanmax(difference)))
            compared += 1
    return {"samples_compared": compared, "samples_max_difference": worst}


def _raw_messages(
    path: Path, wanted: Mapping[int, object]
) -> Iterator[tuple[int, bytes, np.ndarray]]:
    """Yield each supported message and its values by ecCodes, NaN where missing."""
    with path.open("rb") as file:
        ordinal = 0
        while (message := eccodes.codes_grib_new_from_file(file)) is not None:
            if ordinal in wanted:
                data = eccodes.codes_get_message(message)
                eccodes.codes_set(message, "missingValue", 1e30)
                values = np.array(eccodes.codes_get_values(message))
                yield ordinal, data, np.where(values > 9e29, np.nan, values)
            eccodes.codes_release(message)
            ordinal += 1


def _independent_values(message: bytes, size: int) -> np.ndarray:
    values = np.asarray(gribberish.parse_grib_array(message, 0), dtype=float).ravel()
    return values if values.size == size else unpack_simply(message)


def unpack_simply(message: bytes) -> np.ndarray:
    """Return values of a GRIB 2 message of simple packing (WMO template 5.0) and bitmap."""
    sections, at = {}, 16
    while message[at : at + 4] != b"7777":
        length = int.from_bytes(message[at : at + 4], "big")
        sections[message[at + 4]] = message[at : at + length]
        at += length
    representation = sections[5]
    assert int.from_bytes(representation[9:11], "big") == 0
    reference = struct.unpack(">f", representation[11:15])[0]
    binary, decimal = (_signed(representation[i : i + 2]) for i in (15, 17))
    n_bit, n_value = representation[19], int.from_bytes(representation[5:9], "big")
    bits = np.unpackbits(np.frombuffer(sections[7], np.uint8)[5:])[: n_bit * n_value]
    packed = bits.reshape(-1, n_bit) @ (1 << np.arange(n_bit - 1, -1, -1))
    values = (reference + packed * 2.0**binary) / 10.0**decimal
    if sections[6][5] == 255:
        return values
    there = np.unpackbits(np.frombuffer(sections[6], np.uint8)[6:]).astype(bool)
    n_point = int.from_bytes(sections[3][6:10], "big")
    out = np.full(n_point, np.nan)
    out[there[:n_point]] = values
    return out


def _signed(two_bytes: bytes) -> int:
    """Return a GRIB integer, which has a sign bit instead of a complement."""
    value = int.from_bytes(two_bytes, "big")
    return -(value & 0x7FFF) if value & 0x8000 else value


if __name__ == "__main__":
    main()
