"""What a speed takes and what it meets: records that a ship answers with."""

from dataclasses import dataclass

from app.engine.vessel.kernels import RESISTANCE_FLOOR


@dataclass(frozen=True, slots=True)
class ResistanceParts:
    """Resistance [N]: calm deep water, shallow water's addition, waves, wind, leeway."""

    calm_n: float
    shallow_n: float
    wave_n: float
    wind_n: float
    drift_n: float

    @property
    def total_n(self) -> float:
        """Their sum, held at a tenth of the calm-water resistance from below."""
        total = self.calm_n + self.shallow_n + self.wave_n + self.wind_n + self.drift_n
        return max(total, RESISTANCE_FLOOR * self.calm_n)


@dataclass(frozen=True, slots=True)
class Performance:
    """What a speed takes.

    ``load`` is power over MCR. ``flags`` name what is outside a method's range
    or the engine's power, as stable codes.
    """

    speed_through_water_kn: float
    power_kw: float
    rpm: float
    fuel_t_per_h: float
    load: float
    propulsive_efficiency: float
    resistance: ResistanceParts
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttainableSpeed:
    """The speed the ship makes [kn] and what holds it back, if anything."""

    speed_kn: float
    limited_by: str | None = None
