"""Reports of whole periods, such as noon reports, which count where a ship has no records."""

from typing import NamedTuple

import numpy as np

from app.engine.telemetry.records import UNDER_WAY_KN, Flags, Floats

#: Longest gap to the previous report at which a period begins there, and usual period [h].
LONGEST_PERIOD_H = 30.0
_DAY_H = 24.0


class PeriodReports(NamedTuple):
    """n reports in order of time, arrays of shape (n,).

    A report covers ``hours`` up to ``times_h`` [h from any epoch], of which ``hours_under_way``
    were sailed; distance [nm], fuel of the main engine and ``auxiliary_t``, that of
    auxiliaries and boilers [t], are those of the whole period. ``auxiliary_t`` and positions at
    its end [deg] are NaN if not reported.
    """

    times_h: Floats
    hours: Floats
    hours_under_way: Floats
    distance_nm: Floats
    fuel_t: Floats
    lats: Floats
    lngs: Floats
    auxiliary_t: Floats

    def take(self, chosen: Flags | slice) -> "PeriodReports":
        """Return the chosen reports."""
        return PeriodReports(*(values[chosen] for values in self))


def no_reports() -> PeriodReports:
    """Return no reports."""
    return PeriodReports(*np.empty((len(PeriodReports._fields), 0)))


def read_reports(
    times_h: Floats,
    steaming_h: Floats,
    distance_nm: Floats,
    speed_kn: Floats,
    fuel_t: Floats,
    lats: Floats,
    lngs: Floats,
    generators_t: Floats,
    boilers_t: Floats,
) -> PeriodReports:
    """Build reports in order of time from what ships state; NaN is not stated.

    A period begins with the previous report, else it has the hours under way, else a day. Reports
    without fuel, or with neither distance nor speed over ground, are left out. Of generators and
    boilers, one not stated burns nothing if the other is stated.
    """
    gaps_h = np.diff(times_h, prepend=np.nan)
    since_h = np.where((gaps_h > 0.0) & (gaps_h <= LONGEST_PERIOD_H), gaps_h, np.nan)
    hours = np.fmax(since_h, steaming_h)
    hours = np.where(hours > 0.0, hours, _DAY_H)
    is_moving = (distance_nm > 0.0) | (speed_kn >= UNDER_WAY_KN)
    under_way_h = np.where(np.isfinite(steaming_h), steaming_h, np.where(is_moving, hours, 0.0))
    made_nm = np.where(np.isfinite(distance_nm), distance_nm, speed_kn * under_way_h)
    is_stated = np.isfinite(generators_t) | np.isfinite(boilers_t)
    auxiliary_t = np.where(
        is_stated, np.nan_to_num(generators_t) + np.nan_to_num(boilers_t), np.nan
    )
    found = PeriodReports(times_h, hours, under_way_h, made_nm, fuel_t, lats, lngs, auxiliary_t)
    return found.take(np.isfinite(made_nm) & np.isfinite(fuel_t))


def exclude_covered(reports: PeriodReports, begins_h: Floats, ends_h: Floats) -> PeriodReports:
    """Return the reports whose periods overlap none of the spans, which are disjoint and sorted."""
    first = np.searchsorted(ends_h, reports.times_h - reports.hours, side="right")
    begins_h = np.append(begins_h, np.inf)
    return reports.take(begins_h[first] >= reports.times_h)
