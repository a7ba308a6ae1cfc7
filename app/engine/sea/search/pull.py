"""String pulling: a chain of points shortened to a track of fewer points that costs no more."""

from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.geodesy.longitudes import wrap
from app.engine.sea.coast import segment_clearance_m
from app.engine.sea.search.chords import draw_chord, is_clear, price_chord
from app.engine.sea.search.sphere import distance_nm, on_arc
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS

#: Relative tolerance of a shortcut's cost, for rounding.
_ROUNDING: Final = 1e-6
#: Longest step whose distance from the coast is measured as that of a straight line [nm].
_SHORT_STEP_NM: Final = 2.0
#: Movement in a round below which a point has settled [nm]; finest and longest step tried [nm].
_SETTLED_NM: Final = 0.1
_FINEST_STEP_NM: Final = 0.1
_LONGEST_STEP_NM: Final = 16.0
#: Least distance that a chord across a corner, with a point more, saves [nm].
_LEAST_SAVED_NM: Final = 1.0


class _Chain(NamedTuple):
    """A chain of n points.

    ``cumulative``, shape (n,), is the cost up to each point. ``is_tight``, shape (n - 1,), marks
    short steps that are nearer to the coast than ``nearest_m``, or nearer to a shoal than usual,
    but clear of land; ``gaps_m``, shape (n - 1,), is their distance from the coast [m].
    """

    lats: Floats
    lngs: Floats
    cumulative: Floats
    is_tight: Bools
    gaps_m: Floats
    nearest_m: float


@njit(cache=True)
def string_pull(waters, conditions, lats, lngs, nearest_m):  # type: ignore[no-untyped-def]
    """Return the indices of the points to keep, first and last included.

    Each chord between kept points is clear and costs no more than the chain that it replaces, so
    that it passes no cape more closely than the chain. Where all that it replaces is nearer to the
    coast or to a shoal than usual, it may be as near as the nearest step of that.
    """
    chain = _measure_chain(waters, conditions, lats, lngs, nearest_m)
    count = lats.size
    keep = np.arange(count)
    while True:
        kept = _skip_forward(waters, conditions, chain, keep, count)
        if kept == count:
            return keep[:count]
        count = kept
        for i in range(count // 2):
            keep[i], keep[count - 1 - i] = keep[count - 1 - i], keep[i]
        count = _skip_forward(waters, conditions, chain, keep, count)
        for i in range(count // 2):
            keep[i], keep[count - 1 - i] = keep[count - 1 - i], keep[i]


@njit(cache=True)
def _measure_chain(waters, conditions, lats, lngs, nearest_m):  # type: ignore[no-untyped-def]
    """Measure the steps of a chain."""
    steps = lats.size - 1
    cumulative, is_tight = np.zeros(steps + 1), np.zeros(steps, dtype=np.bool_)
    gaps_m = np.full(steps, nearest_m)
    for i in range(steps):
        ends = lats[i], lngs[i], lats[i + 1], lngs[i + 1]
        chord = draw_chord(*ends)
        cumulative[i + 1] = cumulative[i] + price_chord(waters, conditions, chord, np.inf)
        is_clear_step = is_clear(waters, conditions, chord, nearest_m, SHOAL_MARGIN_CELLS)
        if not is_clear_step and distance_nm(*ends) < _SHORT_STEP_NM:
            gaps_m[i] = segment_clearance_m(waters.edges, waters.edge_starts, *ends, nearest_m)
            is_tight[i] = gaps_m[i] > 0.0
    return _Chain(lats, lngs, cumulative, is_tight, gaps_m, nearest_m)


@njit(cache=True)
def _is_shorter(waters, conditions, chain, a, b):  # type: ignore[no-untyped-def]
    first, last = min(a, b), max(a, b)
    nearest_m, margin = chain.nearest_m, SHOAL_MARGIN_CELLS
    if chain.is_tight[first:last].all():
        nearest_m = (1.0 - _ROUNDING) * chain.gaps_m[first:last].min()
        margin = 0
    # in the direction of sailing, because lanes are crossed in one only
    chord = draw_chord(chain.lats[first], chain.lngs[first], chain.lats[last], chain.lngs[last])
    limit = (chain.cumulative[last] - chain.cumulative[first]) * (1.0 + _ROUNDING)
    cost = price_chord(waters, conditions, chord, limit)
    return cost <= limit and is_clear(waters, conditions, chord, nearest_m, margin)


@njit_borrowing(cache=True)
def _skip_forward(waters, conditions, chain, keep, count):  # type: ignore[no-untyped-def]
    """Skip points greedily from the front, in place; return the number kept."""
    out = 1
    at = 0
    while at < count - 1:
        good = at + 1
        bad = count
        reach = 2
        while at + reach < count:
            if not _is_shorter(waters, conditions, chain, keep[at], keep[at + reach]):
                bad = at + reach
                break
            good = at + reach
            reach *= 2
        if bad == count and good < count - 1:
            if _is_shorter(waters, conditions, chain, keep[at], keep[count - 1]):
                good = count - 1
            else:
                bad = count - 1
        while bad - good > 1 and bad < count:
            middle = (good + bad) // 2
            if _is_shorter(waters, conditions, chain, keep[at], keep[middle]):
                good = middle
            else:
                bad = middle
        keep[out] = keep[good]
        out += 1
        at = good
    return out


@njit(cache=True)
def relax(waters, conditions, lats, lngs, nearest_m, rounds, is_along):  # type: ignore[no-untyped-def]
    """Move inner points to where the two chords at each cost least, in place.

    Points move across the line between their neighbours, and along it if ``is_along``: a pattern
    search (Hooke and Jeeves 1961) in steps that halve from a quarter of the shorter chord, at most
    16 nm, down to 0.1 nm. From the second round the first step is at most twice the last movement
    of the point and its neighbours; settled points are skipped.
    """
    n = lats.size
    moved = np.full(n, np.inf)
    for _ in range(rounds):
        for i in range(1, n - 1):
            stir = max(moved[i - 1], moved[i], moved[i + 1])
            if stir < _SETTLED_NM:
                moved[i] = 0.0
            else:
                reach = 2.0 * stir
                moved[i] = _relax_point(
                    waters, conditions, lats, lngs, i, nearest_m, reach, is_along
                )
        moved[0] = 0.0
        moved[n - 1] = 0.0
        if moved.max() < _SETTLED_NM:
            return


@njit(cache=True)
def cut_corners(waters, conditions, lats, lngs, nearest_m):  # type: ignore[no-untyped-def]
    """Return the points with a chord across each corner where that costs less.

    A point whose chords touch a cape or shoal cannot be moved, however much of its corner is
    clear. Two points replace it, each at the same share of the chord to a neighbour.
    """
    new_lats, new_lngs = np.empty(2 * lats.size), np.empty(2 * lats.size)
    new_lats[0], new_lngs[0] = lats[0], lngs[0]
    count = 1
    for i in range(1, lats.size):
        new_lats[count], new_lngs[count] = lats[i], lngs[i]
        if i < lats.size - 1:
            before = draw_chord(lats[i], lngs[i], new_lats[count - 1], new_lngs[count - 1])
            after = draw_chord(lats[i], lngs[i], lats[i + 1], lngs[i + 1])
            share = _find_cut(waters, conditions, before, after, nearest_m)
            if share > 0.0:
                new_lats[count], new_lngs[count] = _at_share(before, share)
                count += 1
                new_lats[count], new_lngs[count] = _at_share(after, share)
        count += 1
    return new_lats[:count], new_lngs[:count]


@njit_borrowing(cache=True)
def _at_share(chord, share):  # type: ignore[no-untyped-def]
    """Return latitude and longitude [deg] at a share of a chord."""
    return on_arc(chord[0], chord[1], share * chord[2])


@njit_borrowing(cache=True)
def _find_cut(waters, conditions, before, after, nearest_m):  # type: ignore[no-untyped-def]
    """Return the share of a corner to cut, the greatest of 1/2, 1/4, ... that can be; or zero.

    ``before`` and ``after`` are the chords from the corner to its neighbours.
    """
    share = 0.5
    while True:
        one, two = _at_share(before, share), _at_share(after, share)
        detour_nm = EARTH_RADIUS_NM * share * (before[2] + after[2])
        if detour_nm - distance_nm(*one, *two) < _LEAST_SAVED_NM:
            return 0.0
        limit = _price_between(waters, conditions, one, before[3][:2])
        limit += _price_between(waters, conditions, before[3][:2], two) - _LEAST_SAVED_NM
        cut = draw_chord(*one, *two)
        if price_chord(waters, conditions, cut, limit) <= limit and is_clear(
            waters, conditions, cut, nearest_m, SHOAL_MARGIN_CELLS
        ):
            return share
        share /= 2.0


@njit_borrowing(cache=True)
def _price_between(waters, conditions, a, b):  # type: ignore[no-untyped-def]
    return price_chord(waters, conditions, draw_chord(*a, *b), np.inf)


@njit_borrowing(cache=True)
def _cost_through(waters, conditions, lats, lngs, i, lat, lng, nearest_m, limit):  # type: ignore[no-untyped-def]
    """Return the cost of the chords at a point; infinite if not below the limit or not clear.

    The cheapest tests come first: lengths, then prices, then the coast.
    """
    before = draw_chord(lats[i - 1], lngs[i - 1], lat, lng)
    after = draw_chord(lat, lng, lats[i + 1], lngs[i + 1])
    first = price_chord(waters, conditions, before, limit - EARTH_RADIUS_NM * after[2])
    if first >= limit:
        return np.inf
    both = first + price_chord(waters, conditions, after, limit - first)
    if (
        both < limit
        and is_clear(waters, conditions, before, nearest_m, SHOAL_MARGIN_CELLS)
        and is_clear(waters, conditions, after, nearest_m, SHOAL_MARGIN_CELLS)
    ):
        return both
    return np.inf


@njit_borrowing(cache=True)
def _relax_point(waters, conditions, lats, lngs, i, nearest_m, reach, is_along):  # type: ignore[no-untyped-def]
    """Move a point across the line between its neighbours, and along it if ``is_along``.

    Return the movement [nm].
    """
    before = distance_nm(lats[i - 1], lngs[i - 1], lats[i], lngs[i])
    after = distance_nm(lats[i], lngs[i], lats[i + 1], lngs[i + 1])
    step = min(_LONGEST_STEP_NM, reach, 0.25 * min(before, after))
    lat = lats[i]
    lng = lngs[i]
    scale = max(0.02, np.cos(np.radians(lat)))
    east = wrap(lngs[i + 1] - lngs[i - 1]) * scale
    north = lats[i + 1] - lats[i - 1]
    length = max(1e-9, np.hypot(east, north))
    best = _cost_through(waters, conditions, lats, lngs, i, lat, lng, nearest_m, np.inf)
    side = 1.0
    to_north, to_east = east, -north
    while step > _FINEST_STEP_NM:
        improved = False
        for turn in range(4 if is_along else 2):
            try_lat = min(89.9, max(-89.9, lat + side * step / 60.0 * to_north / length))
            try_lng = wrap(lng + side * step / 60.0 * to_east / length / scale)
            cost = _cost_through(
                waters, conditions, lats, lngs, i, try_lat, try_lng, nearest_m, best
            )
            if cost < best - 1e-6:
                best = cost
                lat = try_lat
                lng = try_lng
                improved = True
                break
            side = -side
            if is_along and turn == 1:
                to_north, to_east = -to_east, to_north
        if not improved:
            step /= 2.0
    moved = distance_nm(lat, lng, lats[i], lngs[i])
    lats[i] = lat
    lngs[i] = lng
    return moved
