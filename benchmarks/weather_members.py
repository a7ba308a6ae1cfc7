"""Time and space of importing ensemble members.

The benchmark generates a forecast like ECMWF's (wind and waves at half a degree, 6-hourly, ten
days) with a control and ``--members`` perturbed members, and imports it in a separate process. It
prints time and memory, without and with the pages of mapped files, which the system can reclaim.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from app.datasources.weather.grib import eccodes
from app.datasources.weather.importing import import_files
from benchmarks.weather import FIELDS, REFERENCE, encode, smooth

STEPS = range(0, 241, 6)
#: NOAA's names of wave period and direction; ECMWF's are read in the same way.
NAMES = ("10u", "10v", "swh", "perpw", "dirpw")


def main() -> None:
    """Generate, import and measure; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=50)
    parser.add_argument("--import-here", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.import_here:
        print(json.dumps(import_made(arguments.import_here)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_ensemble(folder, arguments.members)
        command = [sys.executable, "-m", "benchmarks.weather_members", "--import-here", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    for key, value in result.items():
        print(f"{key:28} {value}")
    print(json.dumps(result))


def make_ensemble(folder: Path, count: int) -> None:
    """Write a file for each step, with the messages of all members.

    Members have the control's values: reading takes as long, generating does not.
    """
    rng = np.random.default_rng(5)
    land = smooth(rng, 12.0) > 0.62
    for step in STEPS:
        with (folder / f"{step:03d}.grib2").open("wb") as file:
            for name in NAMES:
                *_, least, greatest = FIELDS[name]
                values = least + (greatest - least) * smooth(rng, 20.0)
                masked = values if name in ("10u", "10v") else np.where(land, np.nan, values)
                message = encode(name, masked, step)
                for member in range(count + 1):
                    file.write(of_member(message, member))


def of_member(message: bytes, number: int) -> bytes:
    """Return a message as one of an ensemble; the control, 0, unchanged."""
    if number == 0:
        return message
    handle = eccodes.codes_new_from_message(message)
    level = eccodes.codes_get(handle, "scaledValueOfFirstFixedSurface")
    eccodes.codes_set(handle, "productDefinitionTemplateNumber", 1)
    eccodes.codes_set(handle, "perturbationNumber", number)
    assert eccodes.codes_get(handle, "scaledValueOfFirstFixedSurface") == level
    data: bytes = eccodes.codes_get_message(handle)
    eccodes.codes_release(handle)
    return data


class _OwnMemory(threading.Thread):
    """Monitor of this process's own memory, without pages of mapped files."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak_mb = 0.0
        self.is_over = threading.Event()

    def run(self) -> None:
        while not self.is_over.wait(0.05):
            status = Path("/proc/self/status").read_text()
            own = next(line for line in status.splitlines() if line.startswith("RssAnon"))
            self.peak_mb = max(self.peak_mb, int(own.split()[1]) / 1024)


def import_made(folder: Path) -> dict[str, object]:
    """Import the generated ensemble; return time and memory of this process."""
    paths = sorted(folder.glob("*.grib2"))
    watch = _OwnMemory()
    watch.start()
    began, cpu = time.perf_counter(), time.process_time()
    report = import_files(paths, folder / "runs", None, source="made", now=REFERENCE)
    seconds, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    watch.is_over.set()
    return {
        "files_mb": round(sum(path.stat().st_size for path in paths) / 1e6),
        "members": len(report.run.members),
        "import_s": round(seconds, 1),
        "import_cpu_s": round(cpu_s, 1),
        "peak_own_mb": round(watch.peak_mb),
        "peak_with_mapped_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "store_mb": round(report.run.size_bytes / 1e6),
        "store_mb_a_member": round(_size_of_members(report.run.folder) / len(report.run.members)),
    }


def _size_of_members(run_folder: Path) -> float:
    return sum(file.stat().st_size for file in (run_folder / "members").iterdir()) / 1e6


if __name__ == "__main__":
    main()
