"""Reports of a ship as arrays, and their resistances by the model."""

from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.constants import HOURS_PER_DAY
from app.engine.particulars import AS_ESTIMATED, Loading, ShipParticulars
from app.engine.progress import Tick, no_tick
from app.engine.units import KNOT_MS
from app.engine.vessel import kernels as k
from app.engine.vessel.building import build_ship
from app.engine.vessel.relative_sea import find_relative_sea
from app.engine.vessel.ship import Ship

#: Steps to which draught and trim are rounded, to limit the number of ship models: in metres, and
#: of draught at most a share of the design draught.
_DRAFT_STEP_M, _DRAFT_STEP_SHARE = 0.25, 0.02
_TRIM_STEP_M: Final = 0.5
#: Size of the cache of ship models.
_MOST_LOADINGS: Final = 256


class ShipReports(NamedTuple):
    """n reports in order of time, arrays of shape (n,).

    Times of the ends of reports [h] from any epoch; hours under way; speed through the water
    [kn]; heading [deg]; mean draught and trim [m]; significant wave height [m], peak period [s],
    and direction from [deg]; true wind [m/s] and direction from [deg]; fuel of the main engine
    [t/h]; brake power [kW], NaN if not logged; relative standard error of the fuel, NaN if
    unknown. ``is_noon`` marks noon reports, in which a ship may also have lain still; all others
    are of short times.
    """

    times_h: Floats
    hours: Floats
    speed_kn: Floats
    course_deg: Floats
    draft_m: Floats
    trim_m: Floats
    wave_height_m: Floats
    wave_period_s: Floats
    wave_from_deg: Floats
    wind_speed_ms: Floats
    wind_from_deg: Floats
    fuel_t_per_h: Floats
    power_kw: Floats
    noise: Floats
    is_noon: Bools

    def take(self, chosen: Bools | Ints | slice) -> "ShipReports":
        """Return the chosen reports."""
        return ShipReports._make(values[chosen] for values in self)

    @property
    def days(self) -> Ints:
        """Days on which the reports end, counted from the epoch, shape (n,)."""
        return np.floor(self.times_h / HOURS_PER_DAY).astype(np.int64)


class Response(NamedTuple):
    """Response of the model from particulars to n reports.

    Speed [m/s], calm-water resistance and that of waves and wind [N], shapes (n,); ``ships`` are
    the kernel parameters of each loading, and ``loading`` their index for each report, (n,).
    """

    speed_ms: Floats
    calm_n: Floats
    weather_n: Floats
    loading: Ints
    ships: tuple[k.KernelParameters, ...]

    def power_and_fuel(self, resistance_n: Floats) -> tuple[Floats, Floats]:
        """Return brake power [kW] and fuel [t/h] for n resistances [N], one for each report."""
        power, fuel = np.empty_like(resistance_n), np.empty_like(resistance_n)
        for index, ship in enumerate(self.ships):
            indices = np.flatnonzero(self.loading == index)
            _fill_power(ship.scalars, self.speed_ms, resistance_n, indices, power, fuel)
        return power, fuel

    def fuel_of_power(self, power_kw: Floats) -> Floats:
        """Return the fuel [t/h] of the engine's curve for n brake powers [kW]."""
        # the engine is the same at every loading
        return np.asarray(_compute_fuel(self.ships[0].scalars, power_kw))


def fuel_of_power(particulars: ShipParticulars, power_kw: Floats) -> Floats:
    """Return the fuel [t/h] of the engine estimated from particulars for n brake powers [kW]."""
    particulars = replace(particulars, response=AS_ESTIMATED)
    ship = _build_loaded_ship(particulars, particulars.draft_design_m, 0.0)
    return np.asarray(_compute_fuel(ship.kernel_parameters.scalars, power_kw))


def find_response(
    particulars: ShipParticulars, reports: ShipReports, tick: Tick = no_tick
) -> Response:
    """Compute the resistances of reports by the model from particulars alone.

    ``tick`` is called for each loading, whose model takes time to build.
    """
    particulars = replace(particulars, response=AS_ESTIMATED)
    step_m = min(_DRAFT_STEP_M, _DRAFT_STEP_SHARE * particulars.draft_design_m)
    drafts = np.round(reports.draft_m / step_m) * step_m
    trims = np.round(reports.trim_m / _TRIM_STEP_M) * _TRIM_STEP_M
    loadings, index = np.unique(np.column_stack([drafts, trims]), axis=0, return_inverse=True)
    parameters = []
    for loading in loadings.tolist():
        tick()
        parameters.append(_build_loaded_ship(particulars, *loading).kernel_parameters)
    speed_ms = reports.speed_kn * KNOT_MS
    calm, weather = np.empty_like(speed_ms), np.empty_like(speed_ms)
    index = index.reshape(-1).astype(np.int64)
    for number, ship in enumerate(parameters):
        _fill_resistances(ship, reports, np.flatnonzero(index == number), calm, weather)
    return Response(speed_ms, calm, weather, index, tuple(parameters))


@lru_cache(maxsize=_MOST_LOADINGS)  # one calibration needs each about eight times
def _build_loaded_ship(particulars: ShipParticulars, draft_m: float, trim_m: float) -> Ship:
    # the deadweight on board is estimated as linear in the draught between none and all
    share = float(np.clip(1.5 * (draft_m / particulars.draft_design_m) - 0.5, 0.0, 1.0))
    return build_ship(particulars, Loading(draft_m, trim_m, share * particulars.dwt_t))


@njit(cache=True, error_model="numpy")
def _fill_resistances(ship, reports, indices, calm, weather):  # type: ignore[no-untyped-def]
    for i in indices:
        speed_ms = reports.speed_kn[i] * KNOT_MS
        calm[i] = k.calm_resistance_n(ship.scalars, speed_ms)
        sea = find_relative_sea(
            reports.course_deg[i],
            reports.wave_height_m[i],
            reports.wave_period_s[i],
            reports.wave_from_deg[i],
            reports.wind_speed_ms[i],
            reports.wind_from_deg[i],
            np.inf,
        )
        weather[i] = k.wave_resistance_n(
            ship, speed_ms, sea.wave_height_m, sea.wave_period_s, sea.off_bow_deg
        ) + k.wind_resistance_n(ship.scalars, speed_ms, sea.ahead_ms, sea.abeam_ms)


@njit(cache=True, error_model="numpy")
def _fill_power(scalars, speed_ms, resistance_n, indices, power, fuel):  # type: ignore[no-untyped-def]
    for i in indices:
        power[i], _, fuel[i] = k.power_for_resistance(scalars, speed_ms[i], resistance_n[i])


@njit(cache=True, error_model="numpy")
def _compute_fuel(scalars, power_kw):  # type: ignore[no-untyped-def]
    return np.array([k.fuel_of_power(scalars, power) for power in power_kw])
