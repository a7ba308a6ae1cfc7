"""Performance of a ship at a speed: frozen records."""

from dataclasses import dataclass

from app.engine.vessel.kernels import RESISTANCE_FLOOR


@dataclass(frozen=True, slots=True)
class ResistanceParts:
    """Parts of the resistance [N]: calm deep water, shallow water, waves, wind, leeway."""

    calm_n: float
    shallow_n: float
    wave_n: float
    wind_n: float
    drift_n: float

    @property
    def total_n(self) -> float:
        """Total resistance [N], at least a tenth of that of calm water."""
        total = self.calm_n + self.shallow_n + self.wave_n + self.wind_n + self.drift_n
        return max(total, RESISTANCE_FLOOR * self.calm_n)


@dataclass(frozen=True, slots=True)
class Performance:
    """Power, shaft speed and fuel at a speed.

    ``load`` is power over MCR, also above 1.
    """

    speed_through_water_kn: float
    power_kw: float
    rpm: float
    fuel_t_per_h: float
    load: float
    resistance: ResistanceParts
