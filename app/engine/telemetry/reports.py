"""Reports of whole periods, such as noon reports, which count where a ship has no records."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.constants import HOURS_PER_DAY
from app.engine.geodesy import great_circle_distance_nm
from app.engine.telemetry.records import (
    FASTEST_KN,
    UNDER_WAY_KN,
    VoyageRecords,
    join_records,
    merge,
    reach_nm,
)

#: Longest gap to the previous report at which a period begins there, and usual period [h].
LONGEST_PERIOD_H: Final = 30.0
#: Time by which a period's record follows that of the period before [h].
_NEXT_H: Final = 1.0 / 3600.0
#: Least part of the longer of two periods that is in both if they are the same hours: more than
#: rounded hours and clocks set back make, less than the half of a day read in another zone.
_SAME_HOURS: Final = 0.25
#: Two reports closer than this, the later without hours and with at least this share of the
#: other's fuel, are of the same hours [h; share], unless a ship can have made its distance since.
_AGAIN_H, _AGAIN_FUEL = 1.0, 0.5


class StatedReports(NamedTuple):
    """Statements of n reports in order of time, arrays of shape (n,); NaN is not stated.

    Times, hours under way and times of receipt [h], distance [nm], speed over ground [kn], fuel of
    main engine, generators and boilers [t], positions at the end [deg]. ``is_arrival`` is 1 for a
    report of the ship's arrival, else 0.
    """

    times_h: Floats
    steaming_h: Floats
    distance_nm: Floats
    speed_kn: Floats
    fuel_t: Floats
    lats: Floats
    lngs: Floats
    generators_t: Floats
    boilers_t: Floats
    received_h: Floats
    is_arrival: Floats

    def take(self, chosen: Bools) -> "StatedReports":
        """Return the chosen reports."""
        return StatedReports(*(values[chosen] for values in self))


class PeriodReports(NamedTuple):
    """n reports in order of time, arrays of shape (n,).

    A report covers ``hours`` up to ``times_h`` [h from any epoch], of which ``hours_under_way``
    were sailed; distance [nm], fuel of the main engine and ``auxiliary_t``, that of
    auxiliaries and boilers [t], are those of the whole period. Fuel, ``auxiliary_t`` and positions
    at its end [deg] are NaN if not reported. ``is_arrival`` is 1 if the ship arrived at its end,
    else 0.
    """

    times_h: Floats
    hours: Floats
    hours_under_way: Floats
    distance_nm: Floats
    fuel_t: Floats
    lats: Floats
    lngs: Floats
    auxiliary_t: Floats
    is_arrival: Floats

    def take(self, chosen: Bools | slice) -> "PeriodReports":
        """Return the chosen reports."""
        return PeriodReports(*(values[chosen] for values in self))


def no_reports() -> PeriodReports:
    """Return no reports."""
    return PeriodReports(*np.empty((len(PeriodReports._fields), 0)))


def read_reports(stated: StatedReports) -> PeriodReports:
    """Build reports from what ships state.

    Reports with neither distance nor speed over ground are left out, unless they state that the
    ship lay all the time. Of reports of the same hours the one received last counts.
    """
    found = _build(stated.take(_are_newest(stated)))
    return found.take(np.isfinite(found.distance_nm))


def _build(stated: StatedReports) -> PeriodReports:
    """Build reports, with distance NaN where it is unknown.

    The main engine of a ship that made no way burns nothing if only other fuel is stated. Of
    generators and boilers, one not stated burns nothing if the other is stated.
    """
    times_h, steaming_h, distance_nm, speed_kn, fuel_t, lats, lngs = stated[:7]
    generators_t, boilers_t, is_arrival = stated.generators_t, stated.boilers_t, stated.is_arrival
    hours = find_periods_h(times_h, steaming_h)
    is_moving = (distance_nm > 0.0) | (speed_kn >= UNDER_WAY_KN)
    under_way_h = np.where(np.isfinite(steaming_h), steaming_h, np.where(is_moving, hours, 0.0))
    run_nm = np.where(steaming_h == 0.0, 0.0, speed_kn * under_way_h)
    made_nm = np.where(np.isfinite(distance_nm), distance_nm, run_nm)
    is_stated = np.isfinite(generators_t) | np.isfinite(boilers_t)
    auxiliary_t = np.where(
        is_stated, np.nan_to_num(generators_t) + np.nan_to_num(boilers_t), np.nan
    )
    burns_nothing = is_stated & (under_way_h == 0.0) & np.isnan(fuel_t)
    fuel_t = np.where(burns_nothing, 0.0, fuel_t)
    return PeriodReports(
        times_h, hours, under_way_h, made_nm, fuel_t, lats, lngs, auxiliary_t, is_arrival
    )


def _are_newest(stated: StatedReports) -> Bools:
    """Return whether each report is the one received last of its hours; of equals the later one.

    A report without fuel or distance replaces none: its hours would have no figures.
    """
    built = _build(stated)
    full = np.flatnonzero(np.isfinite(built.distance_nm) & np.isfinite(built.fuel_t))
    rank = np.empty(full.size, dtype=np.int64)
    rank[np.lexsort((stated.times_h[full], stated.received_h[full]))] = np.arange(full.size)
    hours = _find_own_hours(stated, built)[full]
    pairs = [
        sorted(pair, key=rank.__getitem__, reverse=True)
        for pair in _pair_same_hours(stated.times_h[full], hours)
    ]
    is_newest = np.ones(stated.times_h.size, dtype=np.bool_)
    for newer, older in sorted(pairs, key=lambda pair: -rank[pair[0]]):
        is_newest[full[older]] &= not is_newest[full[newer]]
    return is_newest


def _find_own_hours(stated: StatedReports, built: PeriodReports) -> Floats:
    """Return the hours that each report is of, whatever other reports are near it.

    They are those under way, else those since the report before. A distance says nothing of them:
    the speed next to it is often that at the report's time.
    """
    hours = np.where(stated.steaming_h > 0.0, stated.steaming_h, built.hours)
    gaps_h = np.diff(stated.times_h)
    burnt_t = built.fuel_t + np.nan_to_num(built.auxiliary_t)
    since_nm = FASTEST_KN * gaps_h
    is_made_since = (stated.distance_nm[1:] > 0.0) & (stated.distance_nm[1:] <= since_nm)
    is_again = (
        ~(stated.steaming_h[1:] > 0.0)
        & (gaps_h < _AGAIN_H)
        & (burnt_t[1:] > 0.0)
        & (burnt_t[1:] >= _AGAIN_FUEL * burnt_t[:-1])
        & ~is_made_since
    )
    for before in np.flatnonzero(is_again):
        hours[before + 1] = hours[before]
    return hours


def _pair_same_hours(times_h: Floats, hours: Floats) -> Iterator[tuple[int, int]]:
    """Find the pairs of reports, by index, that are of the same hours."""
    for step in range(1, times_h.size):
        gaps_h = times_h[step:] - times_h[:-step]
        common_h = np.minimum(hours[step:] - gaps_h, hours[:-step])
        if not (common_h > 0.0).any():
            return
        longer_h = np.maximum(hours[step:], hours[:-step])
        for first in np.flatnonzero(common_h > _SAME_HOURS * longer_h).tolist():
            yield first, first + step


def find_periods_h(times_h: Floats, steaming_h: Floats) -> Floats:
    """Return the hours that each of n reports covers, in order of time; NaN is not stated.

    A period begins with the previous report, else it has the hours under way, else a day.
    """
    gaps_h = np.diff(times_h, prepend=np.nan)
    since_h = np.where((gaps_h > 0.0) & (gaps_h <= LONGEST_PERIOD_H), gaps_h, np.nan)
    hours = np.fmax(since_h, steaming_h)
    return np.where(hours > 0.0, hours, HOURS_PER_DAY)


def select_fuelled(reports: PeriodReports) -> PeriodReports:
    """Return the reports that state the main engine's fuel."""
    return reports.take(np.isfinite(reports.fuel_t))


def merge_reports(records: VoyageRecords, reports: PeriodReports) -> VoyageRecords:
    """Merge records with the reports of periods without any, in order of time.

    A report with a position gives a record of its mean speed and consumption, and one more at the
    report before it if its period begins there. At the time of arrival the speed is zero.
    """
    placed = reports.take(np.isfinite(reports.lats) & np.isfinite(reports.lngs))
    found = exclude_covered(placed, records.times_h, records.times_h)
    mean_kn = found.distance_nm / found.hours
    ends = VoyageRecords(
        found.times_h,
        found.lats,
        found.lngs,
        np.where(found.is_arrival, 0.0, mean_kn),
        found.fuel_t / found.hours * HOURS_PER_DAY,
    )
    begins_h = found.times_h - found.hours
    before = np.searchsorted(placed.times_h, begins_h + _NEXT_H) - 1
    follows = (before >= 0) & (begins_h - placed.times_h[before] < _NEXT_H)
    begins = ends._replace(
        times_h=begins_h + _NEXT_H,
        lats=placed.lats[before],
        lngs=placed.lngs[before],
        speed_kn=mean_kn,
    ).take(follows)
    return merge(records, merge(ends, begins))


def begin_at(
    records: VoyageRecords, reports: PeriodReports, since_h: float, lat: float, lng: float
) -> VoyageRecords:
    """Return merged records from a time on, with one at that time and a position if none is.

    It is added if the first record is of a report whose period reaches back to then, with the
    report's mean speed and consumption, and if a ship can have come from there.
    """
    inside = records.take(records.times_h >= since_h)
    begins_h = reports.times_h - reports.hours
    spanning = reports.take((reports.times_h > since_h) & (begins_h <= since_h + _NEXT_H))
    if not inside.times_h.size or inside.times_h[0] not in spanning.times_h:
        return inside
    first = spanning.take(spanning.times_h == inside.times_h[0])
    away_nm = great_circle_distance_nm(lat, lng, inside.lats[:1], inside.lngs[:1])
    if (away_nm > reach_nm(inside.times_h[:1] - since_h)).any():
        return inside
    rates = first.distance_nm / first.hours, first.fuel_t / first.hours * HOURS_PER_DAY
    begin = VoyageRecords(np.array([since_h]), np.array([lat]), np.array([lng]), *rates)
    return join_records([begin, inside])


def exclude_covered(reports: PeriodReports, begins_h: Floats, ends_h: Floats) -> PeriodReports:
    """Return the reports whose periods overlap none of the spans, which are disjoint and sorted."""
    first = np.searchsorted(ends_h, reports.times_h - reports.hours, side="right")
    begins_h = np.append(begins_h, np.inf)
    return reports.take(begins_h[first] >= reports.times_h)
