"""ecCodes and pyproj in one process, each with its own PROJ."""

import ast
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]

#: The web server, a worker, the ``flask`` commands for weather, set-up, and a notebook.
ENTRY_POINTS = ("wsgi", "worker", "app.cli_weather", "scripts.build", "app.engine.planner")
READER = "app.datasources.weather.grib"

#: What is loaded before either, once for all orders: it brings no PROJ and takes long.
PRELOADED = ["numba", "scipy.optimize", "scipy.spatial", "scipy.special", "shapely"]
PRELOADED += ["alembic", "flask", "geoalchemy2", "psycopg", "redis", "rq", "sqlalchemy.orm"]
PRELOADED += ["authlib", "flask_smorest", "folium", "lxml.etree", "netCDF4", "pyais", "zxcvbn"]
PRELOADED += ["scipy.cluster.hierarchy", "scipy.ndimage", "scipy.sparse.csgraph"]

ORDERS = [
    order
    for entry_point in ENTRY_POINTS
    for order in ((READER, entry_point), (entry_point, READER))
]
#: Only a notebook imports ecCodes by itself.
ORDERS.append(("eccodes", "app.engine.planner"))


@pytest.fixture(scope="module")
def exit_statuses():
    """Exit results of processes that had only loaded PRELOADED, by the order of import."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as fresh:
        return fresh.submit(try_all).result()


@pytest.mark.parametrize("order", ORDERS, ids=" then ".join)
def test_both_work_in_any_order_of_import(exit_statuses, order):
    assert exit_statuses[order] == 0


def try_all():
    for name in PRELOADED:
        import_module(name)
    return {order: status_of(order) for order in ORDERS}


def status_of(order):
    process = multiprocessing.get_context("fork").Process(target=use_both, args=(order,))
    process.start()
    process.join()
    return process.exitcode


def use_both(order):
    assert not {"eccodes", "pyproj"} & set(sys.modules)
    os.environ["DATABASE_URL"] = "postgresql://nobody@localhost:1/none"
    os.environ["REDIS_URL"] = "redis://localhost:1/0"
    os.environ["SECRET_KEY"] = "for tests alone, 32 characters or more"
    for name in order:
        import_module(name)
    import eccodes

    from app.engine.geodesy.proj import Geod, Proj

    message = eccodes.codes_grib_new_from_samples("regular_gg_sfc_grib2")
    assert len(eccodes.codes_get_array(message, "distinctLatitudes")) > 0
    distance_m = Geod(ellps="WGS84").inv(0.0, 0.0, 1.0, 1.0)[2]
    assert abs(distance_m - 156899.57) < 0.01
    east = Proj("+proj=merc +ellps=WGS84")(1.0, 1.0)[0]
    assert abs(east - 111319.49) < 0.01
    import pyproj

    east = pyproj.Transformer.from_crs(4326, 3857).transform(1.0, 1.0)[0]
    assert abs(east - 111319.49) < 0.01


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
