"""Marine fuels: carbon factors, calorific values, and fuels in emission control areas."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.particulars import FuelType


@dataclass(frozen=True, slots=True)
class Fuel:
    """A fuel's carbon factor [t CO2 / t fuel] and lower calorific value [MJ/kg]."""

    co2_factor: float
    calorific_value_mj_kg: float
    low_sulphur: bool


#: Carbon factors and calorific values: IMO MEPC.364(79), 2022 guidelines on the
#: calculation of the attained EEDI, 2.2.1. For very low sulphur fuel oil, which has no row, the
#: light fuel oil (ISO 8217 grades RMA to RMD) is used. Low sulphur is at most 0.10 %, as MARPOL
#: Annex VI, regulation 14.4 requires.
FUELS: Final[dict[FuelType, Fuel]] = {
    FuelType.HFO: Fuel(3.114, 40.2, low_sulphur=False),
    FuelType.VLSFO: Fuel(3.151, 41.2, low_sulphur=False),
    FuelType.MGO: Fuel(3.206, 42.7, low_sulphur=True),
    FuelType.LNG: Fuel(2.750, 48.0, low_sulphur=True),
    FuelType.METHANOL: Fuel(1.375, 19.9, low_sulphur=True),
}


def co2_factor(fuel_type: FuelType) -> float:
    """Return the CO2 from a fuel burnt (tank to wake) [t/t]."""
    return FUELS[fuel_type].co2_factor


def fuel_in_eca(fuel_type: FuelType) -> FuelType:
    """Return the fuel burnt inside an emission control area: MGO instead of a residual fuel."""
    return fuel_type if FUELS[fuel_type].low_sulphur else FuelType.MGO


def equivalent_mass_t(fuel_t: float, burnt: FuelType, instead: FuelType) -> float:
    """Return the mass [t] of fuel ``instead`` with the heat of ``fuel_t`` of ``burnt``."""
    return fuel_t * FUELS[burnt].calorific_value_mj_kg / FUELS[instead].calorific_value_mj_kg


def eca_fuel_factor(fuel_type: FuelType) -> float:
    """Return the mass of fuel burnt inside an ECA over that burnt outside for the same heat."""
    return equivalent_mass_t(1.0, fuel_type, fuel_in_eca(fuel_type))


def eca_factors(in_eca: Bools, fuel_type: FuelType) -> Floats:
    """Return ``eca_fuel_factor`` where ``in_eca`` holds, 1 elsewhere."""
    return np.where(in_eca, eca_fuel_factor(fuel_type), 1.0)
