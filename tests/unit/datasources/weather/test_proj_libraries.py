"""ecCodes and pyproj in one process: each brings a PROJ of its own."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]

#: The web server, a worker, ``flask`` commands, set-up, and a notebook.
ENTRY_POINTS = ("wsgi", "worker", "app.cli", "scripts.build", "app.engine.planner")
READER = "app.datasources.weather.grib"

USE_BOTH = """
import eccodes
from app.engine.geodesy.proj import Geod, Proj
message = eccodes.codes_grib_new_from_samples("regular_gg_sfc_grib2")
assert len(eccodes.codes_get_array(message, "distinctLatitudes")) > 0
distance_m = Geod(ellps="WGS84").inv(0.0, 0.0, 1.0, 1.0)[2]
assert abs(distance_m - 156899.57) < 0.01
east, north = Proj("+proj=merc +ellps=WGS84")(1.0, 1.0)
assert abs(east - 111319.49) < 0.01
import pyproj
east, north = pyproj.Transformer.from_crs(4326, 3857).transform(1.0, 1.0)
assert abs(east - 111319.49) < 0.01
print("both work")
"""

ORDERS = [
    order
    for entry_point in ENTRY_POINTS
    for order in ((READER, entry_point), ("eccodes", entry_point), (entry_point, READER))
]


@pytest.mark.parametrize("order", ORDERS, ids=" then ".join)
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


@pytest.mark.parametrize(
    ("library", "importer"),
    [("eccodes", "app/datasources/weather/grib.py"), ("pyproj", "app/engine/geodesy/proj.py")],
)
def test_each_library_is_imported_in_one_place(library, importer):
    importers = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if library in imported_packages(node)
    }
    assert importers == {importer}


def imported_packages(node):
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return {(node.module or "").split(".")[0]}
    return set()
