"""The best speeds along a track that is given, each stretch in the weather of its time."""

from dataclasses import dataclass
from functools import cache, partial
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from app.engine.errors import LimitsTooTight
from app.engine.optimise.labels import Heartbeat, Way
from app.engine.optimise.navigable_water import SeaRoom
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import (
    Corridor,
    Fineness,
    Problem,
    find_best,
    refine,
    search_widely,
)
from app.engine.optimise.speed_profile import Profile, profile_of_way
from app.engine.optimise.surface import EARTH
from app.engine.optimise.timed_closures import Closings
from app.engine.optimise.windows import (
    LONGEST_WAIT_FOR_WEATHER_H,
    Timetable,
    add_late_bins,
    find_longest_wait_h,
    lay_waits_h,
    windows_h,
)
from app.engine.sailing.simulation import Helm, Sailing
from app.engine.sailing.track import Track

Floats = NDArray[np.float64]

#: Stretch over which one speed is ordered [nm].
STRETCH_NM: Final = 40.0
#: Fewest stretches of a track, unless its segments are fewer.
_FEWEST: Final = 12
_SPEEDS: Final = 9
_BINS: Final = 128
#: Times of a whole voyage's arrivals at which a stretch is worked out first, where a step
#: more often than that isn't needed yet.
_FEWEST_TIMES: Final = 64
#: Then about what is found: so many times, in windows of this share of the hours first.
#: Bins of time that are too wide cost more than windows that are too narrow: labels that lie
#: together in a bin are compared by what an hour is worth on the whole.
_ROUNDS: Final = 3
_SPAN: Final = 0.012
#: How far apart the times are at which a stretch is worked out [h]; between two of which
#: one breaks a limit, the stretch is closed.
_STEP_H: Final = 3.0
_LIMITED_STEP_H: Final = 0.75
_SHIFT_TOLERANCE_KN: Final = 1e-4
_FAR_TOO_SOON_H: Final = 2.0
#: The ship slows down instead of waiting for no longer than this [h] where weather is limited:
#: later by more she meets other weather.
_SHORT_WAIT_H: Final = 0.5
#: Price of fuel where time alone counts: of sailings as soon, as where all wait for the same
#: area, the one that burns least is taken [h/t].
LEAST_PRICE: Final = 1e-6


@dataclass(frozen=True)
class Aim:
    """What a voyage is to have least of: fuel [t] and hours at their prices.

    With ``longest_h`` it arrives within so many hours. ``worth`` is what an hour less
    costs [t] on voyages of so many hours: hours, ascending, and tonnes. Speeds are
    ordered between the two given [kn]; ``slowest`` is the shortest route simulated at the lower.
    ``wait_price`` is what an hour's wait must save [t], where whole simulations are compared.
    """

    departs_h: float
    speed_min_kn: float
    speed_max_kn: float
    fuel_price: float
    hour_price: float
    worth: tuple[Floats, Floats]
    longest_h: float | None
    slowest: Timetable | None = None
    wait_price: float = 0.0

    @property
    def hour_worth(self) -> float:
        """What another hour would save [t]; 0 where no arrival is asked for."""
        return 0.0 if self.longest_h is None else float(np.interp(self.longest_h, *self.worth))

    @property
    def arrive_by_h(self) -> float:
        """The latest arrival, in hours like ``departs_h``."""
        return inf if self.longest_h is None else self.departs_h + self.longest_h

    def bin_prices(self, window_h: tuple[Floats, Floats], bins: int) -> Floats:
        """What an hour is worth [t] in each bin of the windows at the stages."""
        first, last = window_h[0][-1], window_h[1][-1]
        arrivals_h = first + (last - first) * (np.arange(bins) + 0.5) / bins
        return np.asarray(np.interp(arrivals_h - self.departs_h, *self.worth))


def optimise_speeds(
    track: Track,
    depth_m: Floats,
    room: SeaRoom,
    ocean: Ocean,
    aim: Aim,
    sail_at: Helm,
    heartbeat: Heartbeat = lambda: None,
    near: Profile | None = None,
) -> Sailing | None:
    """Sail a track at the best speed for each stretch; ``None`` where none keeps the limits.

    ``sail_at`` sails the track at speeds ordered per segment [kn], shape (n,). ``near`` are
    speeds that are good on a track beside it: the best are looked for about them, and among
    all where none about them keeps the limits.
    """
    edges = cut_stretches(track, min(STRETCH_NM, track.length_nm / _FEWEST))
    closings = Closings.find(track, room) if room.timed else None
    if closings is not None:
        # nearer to an area nothing is closed yet, and there is no place to wait any more
        far_enough = ~closings.are_too_near(edges)
        far_enough[0] = True
        edges = np.union1d(edges[far_enough], closings.waiting_places)
    problem = _pose(track, depth_m, room, ocean, aim, edges, closings)

    def search_near(start: Way | None) -> Way | None:
        if start is None:
            return None
        fine = _fineness(ocean, aim, start)
        way = refine(problem, start, fine, rounds=_ROUNDS, heartbeat=heartbeat)
        return None if way is start else way

    def search_about(profile: Profile) -> Way | None:
        return search_near(_start(profile, track, edges, aim, sail_at))

    # the soonest arrival jumps by days with what a limit closes for hours: all are looked at
    way = None if near is None or aim.fuel_price <= LEAST_PRICE else search_about(near)
    if way is None:
        slowest = _simulate_slowest(track, edges, aim, sail_at)
        line = track.lats[edges], track.lngs[edges]
        wide = _search_all(problem, line, ocean, aim, slowest, heartbeat)
        if wide is None:
            return None
        found = search_near(wide) if wide.waits else search_about(profile_of_way(problem, wide))
        way = found or wide
    not_before_h = np.full(track.distance_nm.size, -inf)
    not_before_h[edges[:-1]] = np.where(way.left_h > way.hours[:-1], way.left_h, -inf)
    sail_waiting = partial(sail_at, not_before_h=not_before_h)
    sailing = sail_in_time(sail_waiting, np.repeat(way.speeds_kn, np.diff(edges)), aim)
    if not way.waits:
        return sailing
    slowed = sail_waiting(
        _slow_before_waits(sailing, aim, _SHORT_WAIT_H if ocean.is_limited else inf)
    )
    # against a current a little less speed is a little later
    is_in_time = slowed.total_h <= max(sailing.total_h, aim.arrive_by_h - aim.departs_h)
    return slowed if is_in_time and slowed.total_fuel_t < sailing.total_fuel_t else sailing


def _slow_before_waits(sailing: Sailing, aim: Aim, longest_h: float) -> Floats:
    """The speeds ordered [kn], lower where the ship would wait after, for no longer than that."""
    ordered_kn = np.array(np.broadcast_to(sailing.ordered_kn, sailing.waited_h.size))
    waits_h = sailing.waited_h - sailing.track.wait_h
    begins = 0
    for point in np.flatnonzero(waits_h > 0.0).tolist():
        if waits_h[point] < longest_h:
            hours = sailing.hours[point] - sailing.left_h[begins]
            ordered_kn[begins:point] *= hours / (hours + waits_h[point])
        begins = point
    return np.asarray(np.maximum(ordered_kn, aim.speed_min_kn))


def _simulate_slowest(
    track: Track, edges: NDArray[np.int64], aim: Aim, sail_at: Helm
) -> Timetable | None:
    """Simulate the track at the lowest speed ordered; ``None`` where a current stops the ship."""
    try:
        hours = sail_at(aim.speed_min_kn).hours
    except LimitsTooTight:
        return None
    return Timetable(track.cumulative_nm[edges] / track.length_nm, hours[edges])


def _search_all(
    problem: Problem,
    line: tuple[Floats, Floats],
    ocean: Ocean,
    aim: Aim,
    slowest: Timetable | None,
    heartbeat: Heartbeat,
) -> Way | None:
    """Search all speeds along a line coarsely."""
    window_h = windows_h(problem, line, 1.0)
    window_h, bins = add_late_bins(problem, line, window_h, _BINS, slowest)
    corridor = Corridor(
        offsets_nm=np.zeros(1),
        reach=0,
        smooth_nm=STRETCH_NM,
        speeds=_SPEEDS,
        window_h=window_h,
        bins=bins,
        longest_hop_nm=inf,
        longest_step_h=max(
            2.0 * step_h(ocean), float(window_h[1][-1] - window_h[0][-1]) / _FEWEST_TIMES
        ),
        hour_prices=aim.bin_prices(window_h, bins) if aim.fuel_price > LEAST_PRICE else None,
    )
    return find_best(problem, search_widely(problem, line, corridor, heartbeat))


def _start(
    profile: Profile,
    track: Track,
    edges: NDArray[np.int64],
    aim: Aim,
    sail_at: Helm,
) -> Way | None:
    """The track in stretches at speeds that are about the best, when each is truly reached;
    ``None`` where no way is made at them."""
    at_nm = track.cumulative_nm[edges]
    amid = 0.5 * (at_nm[:-1] + at_nm[1:]) / at_nm[-1]
    try:
        sailing = sail_in_time(sail_at, np.repeat(profile.at(amid), np.diff(edges)), aim)
    except LimitsTooTight:
        return None
    return Way(
        lats=track.lats[edges],
        lngs=track.lngs[edges],
        hours=aim.departs_h + sailing.hours[edges],
        left_h=aim.departs_h + sailing.hours[edges[:-1]],
        speeds_kn=np.broadcast_to(sailing.ordered_kn, track.distance_nm.size)[edges[:-1]],
        fuel=sailing.total_fuel_t,
    )


def sail_in_time(sail_at: Helm, ordered_kn: Floats, aim: Aim) -> Sailing:
    """Sail at speeds ordered per segment, all shifted alike so as to arrive just in time.

    A search's clock runs by the middle of the speeds it tries; this one is exact.
    Without a latest arrival the speeds stay as they are, and so they do where the
    search has come in far too soon: it had its reasons, such as a storm behind.
    """
    longest_h, as_found = aim.longest_h, sail_at(ordered_kn)
    if longest_h is None or as_found.total_h < longest_h - _FAR_TOO_SOON_H:
        return as_found

    def shifted(by_kn: float) -> Sailing:
        return sail_at(np.clip(ordered_kn + by_kn, aim.speed_min_kn, aim.speed_max_kn))

    @cache
    def late_h(by_kn: float) -> float:
        return shifted(by_kn).total_h - longest_h

    # Hours go with one over the speed, about: the shift lies between none and twice what
    # that tells.
    mean_kn = float(np.mean(ordered_kn))
    likely_kn = 2.0 * mean_kn * (as_found.total_h / longest_h - 1.0)
    span_kn = aim.speed_max_kn - aim.speed_min_kn
    if likely_kn == 0.0 or span_kn == 0.0:
        return as_found
    if late_h(likely_kn) * likely_kn > 0.0:
        likely_kn = float(np.copysign(span_kn, likely_kn))
        furthest = shifted(likely_kn)
        if (furthest.total_h - longest_h) * likely_kn > 0.0:
            return furthest if likely_kn > 0.0 else as_found
    by_kn = float(brentq(late_h, 0.0, likely_kn, xtol=_SHIFT_TOLERANCE_KN))
    return shifted(by_kn + _SHIFT_TOLERANCE_KN)


def cut_stretches(track: Track, stretch_nm: float) -> NDArray[np.int64]:
    """Points that cut a track into stretches of a length [nm], both its ends included."""
    marks = np.arange(0.0, track.length_nm, stretch_nm)
    points = np.searchsorted(track.cumulative_nm, marks - 1e-9)
    last = track.lats.size - 1
    return np.unique(np.concatenate([points, [last]])).astype(np.int64)


def step_h(ocean: Ocean) -> float:
    """How far apart the times may be at which a line is worked out [h]."""
    return _LIMITED_STEP_H if ocean.is_limited else _STEP_H


def _pose(
    track: Track,
    depth_m: Floats,
    room: SeaRoom,
    ocean: Ocean,
    aim: Aim,
    edges: NDArray[np.int64],
    closings: Closings | None,
) -> Problem:
    no_place_to_wait = track.in_passage[edges[1:] - 1]
    if closings is not None:
        no_place_to_wait |= closings.are_too_near(edges[1:])
    longest_wait_h = find_longest_wait_h(room, aim.departs_h)
    if ocean.is_limited:
        longest_wait_h = max(longest_wait_h, LONGEST_WAIT_FOR_WEATHER_H)
    return Problem(
        medium=ocean,
        radius_nm=EARTH,
        departs_h=aim.departs_h,
        speed_min_kn=aim.speed_min_kn,
        speed_max_kn=aim.speed_max_kn,
        fuel_price=aim.fuel_price,
        hour_price=aim.hour_price,
        hour_worth=aim.hour_worth,
        moves=np.zeros(edges.size, dtype=np.bool_),
        longest_wait_h=lay_waits_h(longest_wait_h, no_place_to_wait),
        first_hop=edges,
        hops=given_hops(track, depth_m),
        clear=lambda lats, lngs, joined: joined,
        closed=None if closings is None else closings.close_stretches(edges),
        arrive_by_h=aim.arrive_by_h,
        price=room.price,
    )


def given_hops(track: Track, depth_m: Floats) -> Floats:
    """The track's segments as ``Stages.hops``."""
    columns = (
        track.middle_lats,
        track.middle_lngs,
        track.course_deg,
        track.distance_nm,
        track.speed_cap_kn,
        track.wait_h,
        np.where(np.isnan(depth_m), inf, depth_m),
    )
    return np.stack(columns, axis=1)


def _fineness(ocean: Ocean, aim: Aim, way: Way) -> Fineness:
    step_kn = (aim.speed_max_kn - aim.speed_min_kn) / (_SPEEDS - 1)
    return Fineness(
        columns=1,
        offset_nm=0.0,
        reach=0,
        smooth_nm=STRETCH_NM,
        speeds=5,
        speed_step_kn=0.5 * step_kn,
        span_h=_SPAN * float(way.hours[-1] - aim.departs_h),
        bins=32,
        longest_hop_nm=inf,
        longest_step_h=step_h(ocean),
    )
