"""Findings of land, depth and clearance along the legs of a route."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

import numpy as np

from app.engine.arrays import Bools
from app.engine.checking.findings import (
    CORRIDOR_SLACK_M,
    Finding,
    FindingCode,
    Severity,
    describe_line,
)
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.formatting import format_clearance, format_position
from app.engine.geodesy import great_circle_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.sea.coast import is_land, segment_clearance_m
from app.engine.sea.leg_room import measure_leg_gap_m
from app.engine.sea.legs import BERTH_NM
from app.engine.sea.path import Leg
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.shoals import count_steps, is_shoal

#: Distance between the samples of a leg that touches land [nm].
_SAMPLE_NM: Final = 0.1
#: Distance to the coast that counts as touching it [m]: the clearance of a leg is measured along
#: chords, up to 10 m off its line.
_TOUCH_M: Final = 20.0
#: Greatest distance to which corridors are measured [m].
_WIDEST_M: Final = 5.0 * NAUTICAL_MILE_M
#: Least distance of known depth stated [nm].
_LEAST_KNOWN_NM: Final = 0.05
#: Tolerance of the under-keel clearance for the rounding of files [m].
_LEAST_SHORT_M: Final = 0.05


def find_waters(
    context: PlanningContext, route: SimulatedRoute, waypoints: Sequence[GivenWaypoint]
) -> Iterator[Finding]:
    """Find land crossed, too little depth, unknown depth and corridors that are too wide."""
    ends, clear, in_harbour = (route.legs[0].start, route.legs[-1].end), [], []
    for number, leg in enumerate(route.legs):
        if leg.xtd_m > 0.0:
            clear.append(number)
            continue
        found = list(_judge_touch(context, leg, number, ends))
        yield from found
        if not any(finding.severity is Severity.DANGER for finding in found):
            in_harbour.append(number)
    judged = sorted([*clear, *in_harbour])
    track = route.simulation.track
    middles = track.middle_lats, track.middle_lngs
    near = [great_circle_distance_nm(*end, *middles) < BERTH_NM for end in ends]
    # of legs into a harbour, the depth is judged outside it
    is_judged = ~(np.isin(track.leg, in_harbour) & np.logical_or(*near))
    yield from _find_shallow(context, route, judged, is_judged)
    yield from _find_unknown(route, waypoints, judged, is_judged)
    for number in clear:
        yield from _find_wide_corridor(context, route.legs[number], number, waypoints[number + 1])


def _judge_touch(
    context: PlanningContext, leg: Leg, number: int, ends: tuple[Position, Position]
) -> Iterator[Finding]:
    in_harbour: Position | None = None
    for geometry in leg.lines:
        for place in _walk_ashore(context, leg, geometry):
            if not _is_in_harbour(place, ends):
                line = describe_line(leg, geometry is leg.geometry)
                yield Finding(
                    FindingCode.LAND_CROSSED,
                    Severity.DANGER,
                    f"The leg crosses land at {format_position(*place)}{line}.",
                    leg_index=number,
                    position=place,
                )
                return
            in_harbour = in_harbour or place
    shoals = [(line, _list_shoals(context, leg, line)) for line in leg.lines]
    if in_harbour is not None:
        yield _judge_harbour(number, in_harbour)
        shoals = [
            (line, [place for place in places if not _is_in_harbour(place, ends)])
            for line, places in shoals
        ]
    crossed = next(((line, places) for line, places in shoals if places), None)
    if crossed is None and in_harbour is None:
        crossed = leg.geometry, _sample(leg, leg.geometry)
    if crossed is not None:
        yield _judge_shoal(context, leg, number, *crossed)


def _judge_shoal(
    context: PlanningContext,
    leg: Leg,
    number: int,
    geometry: LegGeometry,
    places: Sequence[Position],
) -> Finding:
    """Return the finding of a leg that crosses water charted too shallow, at its shallowest."""
    needed_m, depths_m = context.size.least_depth_m, context.sea.depth_m(*np.array(places).T)
    at = int(np.argmin(np.nan_to_num(depths_m, nan=np.inf)))
    depth_m = float(depths_m[at]) if depths_m[at] < needed_m else None
    water = "water charted too shallow" if depth_m is None else f"{depth_m:.1f} m of water"
    return Finding(
        FindingCode.TOO_SHALLOW,
        Severity.DANGER,
        f"The leg crosses {water} at {format_position(*places[at])}"
        f"{describe_line(leg, geometry is leg.geometry)}; the ship needs {needed_m:.1f} m.",
        leg_index=number,
        position=places[at],
        measured=depth_m,
        required=needed_m,
    )


def _judge_harbour(number: int, place: Position) -> Finding:
    return Finding(
        FindingCode.DEPTH_UNKNOWN,
        Severity.UNKNOWN,
        f"At {format_position(*place)} the coastline data are too coarse for a harbour: check the"
        " leg on the chart.",
        leg_index=number,
        position=place,
    )


def _is_in_harbour(place: Position, ends: tuple[Position, Position]) -> bool:
    return any(great_circle_distance_nm(*end, *place) < BERTH_NM for end in ends)


def _walk_ashore(context: PlanningContext, leg: Leg, geometry: LegGeometry) -> Iterator[Position]:
    """Walk along one line of a leg; yield the samples on land, or just before a coast.

    A leg round half the globe has 100,000 samples: only those asked for are judged.
    """
    waters, samples = context.sea.waters, sample_leg(leg.start, leg.end, geometry, _SAMPLE_NM)
    coast = waters.edges, waters.edge_starts
    following = (np.append(degrees[1:], degrees[-1]) for degrees in samples)
    columns = (degrees.tolist() for degrees in (*samples, *following))
    for lat, lng, next_lat, next_lng in zip(*columns, strict=True):
        segment = lat, lng, next_lat, next_lng
        if is_land(waters, lat, lng) or segment_clearance_m(*coast, *segment, _TOUCH_M) < _TOUCH_M:
            yield Position(lat, lng)


def _list_shoals(context: PlanningContext, leg: Leg, geometry: LegGeometry) -> list[Position]:
    """List the samples along one line of a leg from which it crosses water charted too shallow."""
    waters = context.sea.waters.trust() if leg.is_unproven else context.sea.waters
    shoals, need = (waters.shoals, waters.shoal_blocks), count_steps(context.size.least_depth_m)
    return [
        place
        for place, following in pairwise(_sample(leg, geometry))
        if is_shoal(*shoals, *place, *following, 0, need)
    ]


def _sample(leg: Leg, geometry: LegGeometry) -> list[Position]:
    lats, lngs = sample_leg(leg.start, leg.end, geometry, _SAMPLE_NM)
    return [Position(float(lat), float(lng)) for lat, lng in zip(lats, lngs, strict=True)]


def _find_shallow(
    context: PlanningContext, route: SimulatedRoute, legs: Sequence[int], is_judged: Bools
) -> Iterator[Finding]:
    track = route.simulation.track
    for number in legs:
        segments = np.flatnonzero((track.leg == number) & is_judged)
        ukc_m = route.ukc_m[segments]
        if np.isnan(ukc_m).all():
            continue
        at = int(np.nanargmin(ukc_m))
        least_m, required_m = float(ukc_m[at]), context.required_ukc_m(route.legs[number])
        if least_m >= required_m - _LEAST_SHORT_M:
            continue
        place = track.position(int(segments[at]))
        yield Finding(
            FindingCode.LOW_UKC if least_m > 0.0 else FindingCode.TOO_SHALLOW,
            Severity.WARNING if least_m > 0.0 else Severity.DANGER,
            f"{format_clearance(least_m)} under the keel at {format_position(*place)}, squat"
            f" included; {required_m:.1f} m is required.",
            leg_index=number,
            position=place,
            measured=least_m,
            required=required_m,
        )


def _find_unknown(
    route: SimulatedRoute,
    waypoints: Sequence[GivenWaypoint],
    legs: Sequence[int],
    is_judged: Bools,
) -> Iterator[Finding]:
    """Find runs of legs that have no known depth, or none on a part of their length."""
    track = route.simulation.track
    is_unknown = np.isnan(route.depth_m) & is_judged
    unknown = [n for n in legs if is_unknown[track.leg == n].any()]
    for _, run in groupby(enumerate(unknown), key=lambda each: each[1] - each[0]):
        numbers = [number for _, number in run]
        first, last = numbers[0], numbers[-1]
        is_in_run = (track.leg >= first) & (track.leg <= last)
        miles = float(track.distance_nm[is_in_run & is_unknown].sum())
        if miles < _LEAST_KNOWN_NM:
            continue
        whole = float(track.distance_nm[is_in_run].sum())
        share = "" if miles > whole - _LEAST_KNOWN_NM else f" of {whole:.1f}"
        yield Finding(
            FindingCode.DEPTH_UNKNOWN,
            Severity.UNKNOWN,
            f"No depth is known for {miles:.1f}{share} nm from waypoint"
            f" {waypoints[first].number} to {waypoints[last + 1].number}: check the chart.",
            leg_index=first,
            position=track.position(int(np.flatnonzero(is_in_run & is_unknown)[0])),
            measured=miles,
        )


def _find_wide_corridor(
    context: PlanningContext, leg: Leg, number: int, given: GivenWaypoint
) -> Iterator[Finding]:
    stated_m = given.xtd_m
    if stated_m is None or stated_m <= leg.xtd_m + CORRIDOR_SLACK_M:
        return
    within_m = min(stated_m, _WIDEST_M)
    clear_m = measure_clear_m(context, leg, within_m)
    if stated_m > clear_m + CORRIDOR_SLACK_M and clear_m < within_m:
        yield Finding(
            FindingCode.CORRIDOR_TOO_WIDE,
            Severity.WARNING,
            f"The leg states a cross-track distance of {stated_m:.0f} m; the water is clear for"
            f" {clear_m:.0f} m.",
            leg_index=number,
            position=leg.start,
            measured=stated_m,
            required=clear_m,
        )


def measure_clear_m(context: PlanningContext, leg: Leg, within_m: float) -> float:
    """Measure the clear water off a leg [m], up to a distance; in a passage it is the leg's."""
    if leg.passage is not None:
        return leg.xtd_m
    waters = context.sea.waters.trust()
    return measure_leg_gap_m(waters, NO_CONDITIONS, leg.start, leg.end, within_m)
