"""Memory that a worker holds."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

_LARGE_ARRAYS = """
import runpy
import numpy as np

def resident_mb():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * 4096 / 2**20

if {is_asked}:
    runpy.run_path("app/jobs/memory.py")["return_large_arrays"]()
np.ones(2**21)  # by its release, 16 MB, the C library learns to keep such arrays
before = resident_mb()
arrays, above = [], []
for _ in range(10):
    arrays.append(np.ones(2**20))
    above.append(np.ones(6000))
del arrays
print(resident_mb() - before)
"""


def test_a_worker_application_has_no_operations_and_no_pages() -> None:
    program = (
        "import sys\n"
        "from app import create_worker_app\n"
        "from app.config import Settings\n"
        "from app.jobs import worker\n"
        "create_worker_app(Settings('postgresql://nobody@localhost:1/none',"
        " 'redis://localhost:1/0'))\n"
        "print(*{'app.api', 'app.pages', 'folium', 'zxcvbn'} & set(sys.modules))"
    )
    assert _run(program) == ""


def test_memory_of_large_arrays_is_returned_when_they_are_released() -> None:
    assert float(_run(_LARGE_ARRAYS.format(is_asked=False))) > 60.0
    assert float(_run(_LARGE_ARRAYS.format(is_asked=True))) < 20.0


def _run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
