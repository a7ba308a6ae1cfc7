"""Seamanship of random routes: three ships in four months, checked for ice, depth and gates.

``python -m benchmarks.seamanship [--n N] [--seed SEED] [--dump FILE]``

Each of N draws is a voyage of each ship between two ports that admit it by the World Port Index, in
each of four months. Routes are searched, not optimised. The built-in zones of ice and closed
seasons in force in the middle of the month bind all the way. Ships without a route are refused and
counted. A route that meets none of a month's zones counts for that month too.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import shapely
from shapely import STRtree
from shapely.geometry import LineString

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import NoRoute, VoyageError
from app.engine.geodesy import sample_leg
from app.engine.particulars import IceClass
from app.engine.planning.area_rules import explain_season
from app.engine.planning.ice import find_ice_price, find_ice_rule
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg, SeaPath, ShipSize
from app.engine.sea.route_restrictions import find_end_inside
from app.engine.sea.search.sphere import distance_nm
from app.zones.catalogue import Zone, load_zones
from benchmarks.atlas import open_atlas
from benchmarks.land_check import cut_at_antimeridian
from benchmarks.random_pairs import Port, find_port_index
from benchmarks.report import print_result, print_table

#: A coaster, a handymax and a laden very large crude carrier, the last with 2.5 m of squat and
#: margin.
SHIPS: Final = {
    "coaster": ShipSize(draft_m=5.0, breadth_m=13.5, loa_m=90.0, required_depth_m=6.0),
    "handymax": ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0, required_depth_m=12.0),
    "vlcc": ShipSize(draft_m=21.0, breadth_m=60.0, loa_m=333.0, required_depth_m=23.5),
}
#: Unproven water counts beyond this distance from both ends [nm].
ENDS_NM: Final = 25.0
MONTHS: Final = (1, 4, 7, 10)
_CHORD_NM: Final = 5.0
#: Zones in force in the middle of each month of one year.
_YEAR: Final = 2026
NARROWS: Final = Path("tests/data/narrow_waters.json")
_DEPTH_COLUMNS: Final = (
    "Channel Depth (m)",
    "Cargo Pier Depth (m)",
    "Oil Terminal Depth (m)",
    "Liquified Natural Gas Terminal Depth (m)",
    "Maximum Vessel Draft (m)",
    "Offshore Maximum Vessel Draft (m)",
)


class Narrow(NamedTuple):
    """A shallow or narrow water: a line across it, and the deepest ship that it admits [m]."""

    name: str
    line: LineString
    max_draft_m: float


class Route(NamedTuple):
    """A path with its legs, and the legs as lines in lng, lat [deg]."""

    path: SeaPath
    legs: tuple[Leg, ...]
    lines: list[LineString]


class Findings(NamedTuple):
    """Findings of the check on one voyage, or the error that refused it."""

    refused: str | None = None
    detail: str = ""
    ice_nm: float = 0.0
    unproven: tuple[Leg, ...] = ()
    gates: tuple[str, ...] = ()
    rules: int = 0
    detour_pct: float = np.nan
    track: tuple[Position, ...] = ()


class Voyage(NamedTuple):
    """A ship, a month and two ports, with the findings."""

    ship: str
    month: int
    start: Port
    end: Port
    found: Findings


def load_ports(least_m: float) -> list[Port]:
    """Return ports of the index where a channel, pier or mooring has a depth [m]."""
    with find_port_index().open(encoding="utf-8-sig", newline="") as file:
        return [
            Port(row["Main Port Name"], Position(float(row["Latitude"]), float(row["Longitude"])))
            for row in csv.DictReader(file)
            if max(float(row[name] or 0.0) for name in _DEPTH_COLUMNS) >= least_m
        ]


def load_narrows() -> list[Narrow]:
    """Return the list of shallow and narrow waters for the check."""
    return [
        Narrow(each["name"], LineString(each["line"]), each["max_draft_m"])
        for each in json.loads(NARROWS.read_text())["waters"]
    ]


def draw_voyages(count: int, seed: int) -> Iterator[tuple[str, Port, Port]]:
    """Yield ships and pairs of ports that admit them."""
    random = np.random.default_rng(seed)
    ports = {name: load_ports(ship.draft_m) for name, ship in SHIPS.items()}
    for _ in range(count):
        for name, known in ports.items():
            a, b = random.choice(len(known), 2, replace=False)
            yield name, known[a], known[b]


def measure_shortest(atlas: SeaAtlas, start: Port, end: Port) -> float:
    """Return the length of a small craft's route [nm], nan if there is none."""
    craft = ShipSize(draft_m=0.0, breadth_m=0.0, loa_m=0.0)
    try:
        return atlas.find_paths(start.position, end.position, ship=craft, most=1)[0].distance_nm
    except VoyageError:
        return np.nan


def list_areas(zones: Sequence[Zone], month: int) -> list[Area]:
    """List the zones of ice and closed seasons in the middle of a month, without ice class."""
    at = datetime(_YEAR, month, 15, tzinfo=UTC)
    return [area for zone in zones if zone.is_in_force(at) for area in _bind(zone, at)]


def _bind(zone: Zone, at: datetime) -> Iterator[Area]:
    if zone.ice is not None:
        rule = find_ice_rule(zone.ice, IceClass.NONE, port_calls=zone.port_calls)
        price = find_ice_price(zone.ice)
        yield Area(zone.id, zone.name, zone.kind, rule, zone.geometry, price=price, ice=zone.ice)
    elif zone.kind is AreaKind.SEASON:
        (_, opens_at), *_ = zone.windows_between(at, at + timedelta(days=365))
        rule = AreaRule.NO_ENTRY
        yield Area(zone.id, zone.name, zone.kind, rule, zone.geometry, ends_at=opens_at)


@dataclass(frozen=True)
class Judge:
    """Routes voyages and checks them against zones, narrow waters and rules of clearance.

    ``rules`` are the deepest draughts of passages with a rule, by name [m].
    """

    atlas: SeaAtlas
    areas: Mapping[int, Sequence[Area]]
    narrows: Sequence[Narrow]
    tree: STRtree
    rules: Mapping[str, float]

    @classmethod
    def make(cls, atlas: SeaAtlas) -> "Judge":
        """Return a judge with the built-in zones and the list of narrow waters."""
        narrows = load_narrows()
        zones = load_zones().zones
        for zone in zones:
            shapely.prepare(zone.geometry)
        areas = {month: list_areas(zones, month) for month in MONTHS}
        rules = {p.name: float(p.deepest_draft_m or 0.0) for p in atlas.passages if p.min_ukc_m}
        return cls(atlas, areas, narrows, STRtree([n.line for n in narrows]), rules)

    def judge_months(self, ship: str, start: Port, end: Port) -> Iterator[Voyage]:
        """Check one pair of ports in each month."""
        shortest_nm = measure_shortest(self.atlas, start, end)
        try:
            free = self._find(ship, start, end, [])
        except VoyageError as error:
            for month in MONTHS:
                yield Voyage(ship, month, start, end, Findings(error.code, error.detail))
            return
        found = self._judge(ship, free, shortest_nm)
        known: dict[frozenset[tuple[str, AreaRule]], Route] = {}
        for month in MONTHS:
            if not any(_meets(free, area) for area in self.areas[month]):
                yield Voyage(ship, month, start, end, found)
                continue
            try:
                route, closed = self._avoid(ship, start, end, month, free, known)
            except VoyageError as error:
                why = explain_season(error, self.areas[month])
                yield Voyage(ship, month, start, end, Findings(why.code, why.detail))
                continue
            ice_nm = sum(_measure_inside(route, area) for area in closed)
            judged = self._judge(ship, route, shortest_nm)._replace(ice_nm=ice_nm)
            yield Voyage(ship, month, start, end, judged)

    def _avoid(
        self,
        ship: str,
        start: Port,
        end: Port,
        month: int,
        free: Route,
        known: dict[frozenset[tuple[str, AreaRule]], Route],
    ) -> tuple[Route, list[Area]]:
        """Return the route that keeps out of a month's zones, and the zones closed to it.

        ``known`` are routes of other months, by the zones that bound them.
        """
        ends = free.legs[0].start, free.legs[-1].end
        areas = [_admit(area, *ends) for area in self.areas[month]]
        met = {area.id for area in areas if _meets(free, area)}
        while True:
            binding = [area for area in areas if area.id in met]
            key = frozenset((area.id, area.rule) for area in binding)
            try:
                route = known.get(key) or self._find(ship, start, end, binding)
                known[key] = route
            except NoRoute:
                if not any(area.rule is AreaRule.AVOID_UNLESS_ENDPOINT for area in binding):
                    raise
                areas = [_admit_all(area) if area.id in met else area for area in areas]
                continue
            further = {a.id for a in areas if a.id not in met and _meets(route, a)}
            if not further:
                rules = (AreaRule.NO_ENTRY, AreaRule.AVOID_UNLESS_ENDPOINT)
                return route, [area for area in areas if area.rule in rules]
            met |= further

    def _find(self, ship: str, start: Port, end: Port, areas: Sequence[Area]) -> Route:
        ends = start.position, end.position
        path = self.atlas.find_paths(*ends, ship=SHIPS[ship], areas=areas, most=1)[0]
        legs = self.atlas.build_legs(path, TrackKind.GREAT_CIRCLE)
        return Route(path, legs, [line for leg in legs for line in _draw(leg)])

    def _judge(self, ship: str, route: Route, shortest_nm: float) -> Findings:
        draft_m = SHIPS[ship].draft_m
        used = {leg.passage for leg in route.legs}
        return Findings(
            unproven=tuple(list_unproven_beyond(route.legs)),
            gates=tuple(self._list_broken_gates(draft_m, route)),
            rules=sum(name in used and draft_m > limit for name, limit in self.rules.items()),
            detour_pct=100.0 * (route.path.distance_nm / (shortest_nm or np.nan) - 1.0),
            track=tuple(leg.start for leg in route.legs),
        )

    def _list_broken_gates(self, draft_m: float, route: Route) -> list[str]:
        """List the names of narrow waters that the ship crosses but does not fit."""
        lines = np.array(route.lines, dtype=np.object_)
        _, hit = self.tree.query(lines, predicate="intersects")
        found = [self.narrows[i] for i in np.unique(hit)]
        return [narrow.name for narrow in found if draft_m > narrow.max_draft_m]


def _admit(area: Area, start: Position, end: Position) -> Area:
    """Return an area as it binds a ship with an end inside: to be entered as little as possible."""
    inside = find_end_inside(area, start, end) is not None
    return _admit_all(area) if inside else area


def _admit_all(area: Area) -> Area:
    if area.rule is not AreaRule.AVOID_UNLESS_ENDPOINT:
        return area
    return replace(area, rule=AreaRule.LEAST_EXPOSURE)


def _draw(leg: Leg) -> list[LineString]:
    """Return a leg as lines; chords of five miles are within two metres of it."""
    return cut_at_antimeridian(*sample_leg(leg.start, leg.end, leg.geometry, _CHORD_NM))


def _meets(route: Route, area: Area) -> bool:
    """Return whether a route meets an area that binds."""
    if area.rule is AreaRule.REPORTED:
        return False
    return bool(shapely.intersects(area.geometry, route.lines).any())


def _measure_inside(route: Route, area: Area) -> float:
    """Return the length of a route inside an area [nm]."""
    inside = shapely.intersection(route.lines, area.geometry)
    points, part = shapely.get_coordinates(shapely.get_parts(inside), return_index=True)
    return sum(
        float(distance_nm(a[1], a[0], b[1], b[0]))
        for a, b, one, other in zip(points[:-1], points[1:], part[:-1], part[1:], strict=True)
        if one == other
    )


def list_unproven_beyond(legs: Sequence[Leg]) -> list[Leg]:
    """List unproven legs further from both ends than is allowed."""
    if not legs:
        return []
    ends = legs[0].start, legs[-1].end
    return [
        leg
        for leg in legs
        if leg.is_unproven
        and min(distance_nm(*end, *point) for end in ends for point in (leg.start, leg.end))
        > ENDS_NM
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Route, check and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--dump", type=Path, help="write every voyage's findings as JSON")
    options = parser.parse_args(arguments)
    judge = Judge.make(open_atlas())
    voyages = [
        voyage
        for drawn in draw_voyages(options.n, options.seed)
        for voyage in judge.judge_months(*drawn)
    ]
    report(voyages)
    if options.dump:
        options.dump.write_text(json.dumps([_record(voyage) for voyage in voyages]))


def report(voyages: Sequence[Voyage]) -> None:
    """Print every error, then the overall figures."""
    print_table(
        ["ship", "month", "from", "to", "ice nm", "unproven beyond the ends", "gates broken"],
        [
            (
                voyage.ship,
                voyage.month,
                voyage.start.name,
                voyage.end.name,
                round(found.ice_nm, 1),
                " ".join(f"{leg.start.lat:.2f},{leg.start.lng:.2f}" for leg in found.unproven[:4]),
                ", ".join(found.gates),
            )
            for voyage in voyages
            for found in (voyage.found,)
            if found.ice_nm or found.unproven or found.gates or found.rules
        ],
    )
    refused = Counter(f"{v.ship} {v.found.refused}" for v in voyages if v.found.refused)
    print_table(["refused", "voyages"], sorted(refused.items()))
    findings = [voyage.found for voyage in voyages if voyage.found.refused is None]
    print_result(
        {
            "voyages": len(voyages),
            "refused": len(voyages) - len(findings),
            "ice_nm": round(sum(found.ice_nm for found in findings), 1),
            "unproven_nm_beyond_ends": round(
                sum(leg.distance_nm for found in findings for leg in found.unproven), 1
            ),
            "gates_broken": sum(len(found.gates) for found in findings),
            "ukc_rules_broken": sum(found.rules for found in findings),
            "median_detour_pct": round(
                float(np.nanmedian([found.detour_pct for found in findings])), 3
            ),
        }
    )


def _record(voyage: Voyage) -> dict[str, object]:
    return {
        "ship": voyage.ship,
        "month": voyage.month,
        "from": [voyage.start.name, *voyage.start.position],
        "to": [voyage.end.name, *voyage.end.position],
        "refused": voyage.found.refused,
        "detail": voyage.found.detail,
        "detour_pct": voyage.found.detour_pct,
        "unproven_nm": sum(leg.distance_nm for leg in voyage.found.unproven),
        "gates": voyage.found.gates,
        "track": [list(point) for point in voyage.found.track],
    }


if __name__ == "__main__":
    main()
