"""The ship: hull, propulsion, machinery, and what weather does to them."""

from app.engine.vessel.foc import FocEstimate, FocPoint, estimate_foc
from app.engine.vessel.fuels import co2_factor, eca_fuel_factor, fuel_in_eca
from app.engine.vessel.kernels import KernelParameters
from app.engine.vessel.ship import AttainableSpeed, Performance, Ship, build_ship

__all__ = [
    "AttainableSpeed",
    "FocEstimate",
    "FocPoint",
    "KernelParameters",
    "Performance",
    "Ship",
    "build_ship",
    "co2_factor",
    "eca_fuel_factor",
    "estimate_foc",
    "fuel_in_eca",
]
