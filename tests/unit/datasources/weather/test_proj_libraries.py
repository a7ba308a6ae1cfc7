"""ecCodes and pyproj in one process: each brings a PROJ of its own."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
ENTRY_POINTS = ("wsgi", "worker", "scripts.build")

USE_BOTH = """
import pyproj
from app.datasources.weather.grib import eccodes
east, north = pyproj.Transformer.from_crs(4326, 3857).transform(1.0, 1.0)
assert abs(east - 111319.49) < 0.01
distance_m = pyproj.Geod(ellps="WGS84").inv(0.0, 0.0, 1.0, 1.0)[2]
assert abs(distance_m - 156899.57) < 0.01
message = eccodes.codes_grib_new_from_samples("regular_gg_sfc_grib2")
assert len(eccodes.codes_get_array(message, "distinctLatitudes")) > 0
print("both work")
"""


GRIB = "app.datasources.weather.grib"
ORDERS = [
    *((GRIB, entry_point) for entry_point in ENTRY_POINTS),
    *((entry_point, GRIB) for entry_point in ENTRY_POINTS),
]


@pytest.mark.parametrize("order", ORDERS)
def test_both_work_in_any_order_of_import(order):
    imports = [f"import {name}" for name in order]
    environment = {
        **os.environ,
        "DATABASE_URL": "postgresql://nobody@localhost:1/none",
        "REDIS_URL": "redis://localhost:1/0",
        "SECRET_KEY": "for tests",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([*imports, USE_BOTH])],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "both work\n", done.stderr


def test_only_the_grib_reader_imports_eccodes_and_after_pyproj():
    importers = {}
    for path in (ROOT / "app").rglob("*.py"):
        names = [
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import)
            for alias in node.names
        ]
        if "eccodes" in names:
            importers[str(path.relative_to(ROOT))] = names
    assert list(importers) == ["app/datasources/weather/grib.py"]
    names = importers["app/datasources/weather/grib.py"]
    assert names.index("pyproj") < names.index("eccodes")
