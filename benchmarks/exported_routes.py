"""Errors in the exported files of random voyages.

``python -m benchmarks.exported_routes [--n N] [--seed SEED]``

The voyages have ports, positions under way, berths in narrow waters and islands near the
antimeridian; ships of 4 to 22 m draught; and areas of difficult shapes on the way, some dated. Only
the RTZ, the CSV and the timed track are checked, by code that shares nothing with the engine's own
checks.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import shapely

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import VoyageError
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Objective, Position, TrackKind, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.services.areas.geojson import parse_area
from app.services.errors import Invalid
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.exported_files import (
    Files,
    Leg,
    distance_nm,
    export,
    find_schema_fault,
    list_areas_entered,
    list_impossible_turns,
    list_legs_on_land,
    list_tracks_in_areas,
    nearest_m,
)
from benchmarks.land_check import LandCheck
from benchmarks.random_pairs import load_ports
from benchmarks.report import add_track, print_result, print_table

#: Islands and capes within a few degrees of the antimeridian.
_DATELINE = tuple(
    Position(*place)
    for place in (
        (52.9, 173.2), (-18.13, 178.42), (-17.7, -179.2), (64.7, 177.5), (-43.9, -176.5),
        (-36.8, 174.8), (51.87, -176.6), (-13.3, -176.2), (7.1, 171.3), (0.5, 179.99),
    )
)  # fmt: skip
#: Ships by greatest draught [m]: particulars, and deadweight on board [t].
_SHIPS = (
    (6.5, ShipParticulars(
        ShipType.GENERAL_CARGO, 6_000.0, 110.0, 104.0, 17.0, 9.0, 6.2, 6.6, 13.0, 3.5), 5_000.0),
    (13.0, ShipParticulars(
        ShipType.BULK_CARRIER, 82_000.0, 229.0, 225.5, 32.26, 20.05, 12.2, 14.45, 14.0, 5.1),
        68_000.0),
    (16.0, ShipParticulars(
        ShipType.TANKER, 112_000.0, 250.0, 240.0, 44.0, 21.0, 13.2, 15.0, 14.5, 6.0), 95_000.0),
    (22.0, ShipParticulars(
        ShipType.TANKER, 300_000.0, 333.0, 320.0, 60.0, 30.0, 20.5, 22.5, 15.5, 7.0), 250_000.0),
)  # fmt: skip
_KINDS = ("short", "regional", "ports", "under way", "narrows", "dateline")
#: Tolerance of a distance below an XTD, as a share and in metres: the check uses a plane.
_XTD_SHARE, _XTD_SLACK_M = 0.985, 3.0
#: Least cross-track distance in passages; the coastline data are no finer.
_NARROWEST_M = 25.0
#: Greatest move of a position to the sea [nm]: afloat, and ashore.
_NEAR_NM, _FAR_NM = 0.5, 30.0


@dataclass(frozen=True)
class Fault:
    """An error in a voyage's files, and its place."""

    kind: str
    where: str


class Draw:
    """Random voyages by a seed."""

    def __init__(self, seed: int, sea: SeaAtlas) -> None:
        self.random, self.sea = np.random.default_rng(seed), sea
        self.ports = [port.position for port in load_ports()]

    def request(self, kind: str) -> VoyageRequest | None:
        """Return a voyage of a kind; ``None`` if its ends are one place."""
        random = self.random
        departure, arrival = self._ends(kind)
        if distance_nm(departure, arrival) < 1.0:
            return None
        draft_m = float(random.uniform(4.0, 22.0))
        ship, loaded_t = next((ship, t) for most, ship, t in _SHIPS if draft_m <= most)
        least_kn = float(random.uniform(0.6, 0.9)) * ship.service_speed_kn
        day = datetime(2026, int(random.integers(1, 13)), 10, tzinfo=UTC)
        departs_at = day + timedelta(seconds=int(random.integers(86_400)))
        return VoyageRequest(
            departure,
            arrival,
            departs_at,
            ship,
            Loading(draft_m, 0.0, loaded_t),
            least_kn,
            least_kn + float(random.uniform(0.0, 0.3)) * ship.service_speed_kn,
            objective=Objective(random.choice(list(Objective))),
            track=TrackKind(random.choice(list(TrackKind))),
            areas=tuple(self._areas(departure, arrival, departs_at)),
            under_way=kind == "under way",
        )

    def _ends(self, kind: str) -> tuple[Position, Position]:
        if kind == "dateline":
            return self._near(self._one(_DATELINE), 0.05), self._near(self._one(_DATELINE), 0.5)
        if kind == "narrows":
            line = self._one(self.sea.passages).centre_line
            return self._near(self._one(line), 0.002), self._one(line)
        start = self._one(self.ports)
        if kind == "under way":
            return self._near(start, 0.4), self._one(self.ports)
        reach_nm = {"short": 20.0, "regional": 400.0, "ports": 21_600.0}[kind]
        within = [port for port in self.ports if 1.0 < distance_nm(start, port) < reach_nm]
        return start, self._one(within or self.ports)

    def _one(self, things: Sequence[Position]) -> Position:
        return things[self.random.integers(len(things))]

    def _near(self, place: Position, deg: float) -> Position:
        north, east = self.random.normal(0.0, deg, 2) / (1.0, np.cos(np.radians(place.lat)))
        return Position(
            float(np.clip(place.lat + north, -84.0, 84.0)),
            float((place.lng + east + 180.0) % 360.0 - 180.0),
        )

    def _areas(self, start: Position, end: Position, departs_at: datetime) -> Iterator[Area]:
        for number in range(self.random.integers(0, 4)):
            share = self.random.random()
            east = (end.lng - start.lng + 180.0) % 360.0 - 180.0
            lat, lng = start.lat + share * (end.lat - start.lat), start.lng + share * east
            size = float(10.0 ** self.random.uniform(-1.7, 0.6))
            centre = self._near(Position(lat, lng), self.random.choice([0.01, size]))
            try:
                geometry = parse_area(self._polygon(centre, size))
            except Invalid:
                continue
            yield Area(
                f"area-{number}",
                f"Area {number}",
                AreaKind.NO_GO,
                AreaRule.NO_ENTRY,
                geometry,
                *self._window(departs_at),
            )

    def _window(self, departs_at: datetime) -> tuple[datetime | None, datetime | None]:
        if self.random.random() < 0.6:
            return None, None
        begins = departs_at + timedelta(hours=float(self.random.uniform(-48.0, 200.0)))
        ends = begins + timedelta(hours=float(self.random.uniform(1.0, 120.0)))
        windows = ((begins, ends), (None, ends), (begins, None))
        return windows[self.random.integers(3)]

    def _polygon(self, centre: Position, size_deg: float) -> dict[str, object]:
        """Return a star, a sliver, or a ring of two stars around a place."""
        kind = self.random.choice(["star", "sliver", "ring"])
        bearing = np.sort(self.random.uniform(0.0, 2.0 * np.pi, self.random.integers(5, 14)))
        reach = size_deg * self.random.uniform(0.3, 1.0, bearing.size)
        xy = np.column_stack([np.cos(bearing), np.sin(bearing)]) * reach[:, None]
        if kind == "sliver":
            turn = self.random.uniform(0.0, np.pi)
            along = np.array([np.cos(turn), np.sin(turn)])
            across = self.random.uniform(0.0003, 0.01) * np.array([-along[1], along[0]])
            ends = size_deg * along
            xy = np.array([ends + across, across - ends, -ends - across, ends - across])
        rings = [xy, 0.5 * xy] if kind == "ring" else [xy]
        return {"type": "Polygon", "coordinates": [_place_ring(ring, centre) for ring in rings]}


def _place_ring(xy: np.ndarray, centre: Position) -> list[list[float]]:
    lngs = centre.lng + xy[:, 0] / np.cos(np.radians(centre.lat))
    lats = np.clip(centre.lat + xy[:, 1], -89.0, 89.0)
    ring = np.column_stack([(lngs + 180.0) % 360.0 - 180.0, lats]).tolist()
    return [*ring, ring[0]]


class Judge:
    """Check of a voyage's files."""

    def __init__(self, sea: SeaAtlas) -> None:
        self.land = LandCheck(sea.passages)
        self.vouched = {passage.name for passage in sea.passages}

    def find_faults(self, request: VoyageRequest, plan: RoutePlan) -> Iterator[Fault]:
        """Return all errors in the files."""
        try:
            files = export(plan)
        except ValueError as error:
            yield Fault("not_written", str(error))
            return
        invalid = find_schema_fault(plan)
        if invalid is not None:
            yield Fault("schema_broken", invalid)
        yield from self._find_crossings(files, request.areas)
        yield from self._find_wide_corridors(files.legs, request.areas)
        yield from _find_wrong_figures(files, request)
        for leg, why in list_impossible_turns(files.legs):
            yield Fault("turns_impossible", f"{leg.where} {why}")
        yield from self._find_moved_ends(files.legs, request)

    def _find_crossings(self, files: Files, areas: Sequence[Area]) -> Iterator[Fault]:
        for leg in list_legs_on_land(files.legs, self.land):
            yield Fault("legs_on_land", leg.where)
        always = [area for area in areas if area.starts_at is None and area.ends_at is None]
        for leg, area in list_areas_entered(files.legs, always):
            yield Fault("areas_entered", f"{leg.where} {area.id}")
        for area in list_tracks_in_areas(files, areas):
            yield Fault("areas_entered", f"{area.id} by the timed track")

    def _find_wide_corridors(self, legs: Sequence[Leg], areas: Sequence[Area]) -> Iterator[Fault]:
        always = [a.geometry for a in areas if a.starts_at is None and a.ends_at is None]
        forbidden = shapely.STRtree(always)
        for leg in legs:
            coast = [] if self._lacks_water(leg) else [self.land.coast_pieces]
            for obstacles in (*coast, forbidden):
                found_m = nearest_m(leg, obstacles, leg.xtd_m + 20.0)
                if found_m < _XTD_SHARE * leg.xtd_m - _XTD_SLACK_M:
                    yield Fault("xtd_overclaimed", f"{leg.where} {leg.xtd_m:.0f} {found_m:.0f}")

    def _lacks_water(self, leg: Leg) -> bool:
        """Return whether a leg lies in a passage that the coastline data lack."""
        if leg.name not in self.vouched:
            return False
        lat, lng = leg.start
        ashore = self.land.find_land(np.array([lng]), np.array([lat]))[0]
        return bool(ashore) or nearest_m(leg, self.land.coast_pieces, _NARROWEST_M) < _NARROWEST_M

    def _find_moved_ends(self, legs: Sequence[Leg], request: VoyageRequest) -> Iterator[Fault]:
        for asked, used in ((request.departure, legs[0].start), (request.arrival, legs[-1].end)):
            ashore = self.land.find_land(np.array([asked.lng]), np.array([asked.lat]))[0]
            moved_nm = distance_nm(asked, used)
            if moved_nm > (_FAR_NM if ashore else _NEAR_NM):
                yield Fault("ends_moved", f"{asked.lat:.4f} {asked.lng:.4f} by {moved_nm:.1f} nm")


def _find_wrong_figures(files: Files, request: VoyageRequest) -> Iterator[Fault]:
    """Compare times, speeds, distances and depths of each leg with each other."""
    for leg, row in zip(files.legs, files.table[1:], strict=True):
        if leg.arrives <= leg.departs:
            yield Fault("times_wrong", leg.where)
        if float(row["stw_kn"]) > request.speed_max_kn + 0.01:
            yield Fault("speeds_wrong", f"{leg.where} {row['stw_kn']} kn")
        if abs(leg.measure_nm() - float(row["leg_nm"])) > 0.02 + 0.008 * float(row["leg_nm"]):
            yield Fault("miles_wrong", f"{leg.where} {row['leg_nm']} nm")
        if row["ukc_m"] and not row["min_depth_m"]:
            yield Fault("depths_wrong", f"{leg.where} clearance of an unknown depth")
        if row["ukc_m"] and float(row["ukc_m"]) > float(row["min_depth_m"]) - (
            request.loading.draft_m - 0.01
        ):
            yield Fault("depths_wrong", f"{leg.where} {row['min_depth_m']} {row['ukc_m']}")
    total_nm = sum(float(row["leg_nm"] or 0.0) for row in files.table)
    if abs(total_nm - float(files.table[-1]["cumulative_nm"])) > 0.01 * len(files.table):
        yield Fault("miles_wrong", "the legs do not add up")


_FAULTS = (
    "legs_on_land", "areas_entered", "xtd_overclaimed", "times_wrong", "speeds_wrong",
    "miles_wrong", "depths_wrong", "ends_moved", "not_written",
    "schema_broken", "turns_impossible",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan, check and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    sea = open_atlas()
    weather = WeatherField(open_climatology(), ())
    draw, judge = Draw(options.seed, sea), Judge(sea)
    rows: list[tuple[object, ...]] = []
    refused, planned = Counter[str](), 0
    requests = (draw.request(_KINDS[i % len(_KINDS)]) for i in range(options.n))
    for number, request in enumerate(requests):
        if request is None:
            continue
        try:
            plan = plan_voyage(request, sea, weather)
        except VoyageError as error:
            refused[error.code] += 1
            continue
        planned += 1
        add_track((w.position.lat, w.position.lng) for w in plan.waypoints)
        rows += [(number, f.kind, f.where) for f in judge.find_faults(request, plan)]
    print_table(["voyage", "error", "where"], rows)
    counts = Counter(row[1] for row in rows)
    print_result(
        {"voyages": planned + refused.total(), "planned": planned, "refused": dict(refused)}
        | {kind: counts[kind] for kind in _FAULTS}
    )


if __name__ == "__main__":
    main()
