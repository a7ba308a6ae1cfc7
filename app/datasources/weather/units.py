"""Units of variables in weather files, converted by UDUNITS to those of the engine."""

from typing import Final

import cf_units

from app.datasources.weather.fields import Quantity

#: The engine's unit of each quantity, as UDUNITS writes it.
_ENGINE_UNITS: Final[dict[Quantity, str]] = {
    Quantity.WIND_U: "m s-1",
    Quantity.WIND_V: "m s-1",
    Quantity.WAVE_HEIGHT: "m",
    Quantity.PEAK_PERIOD: "s",
    Quantity.ENERGY_PERIOD: "s",
    Quantity.ZERO_CROSSING_PERIOD: "s",
    Quantity.WAVE_FROM: "degree",
    Quantity.CURRENT_U: "m s-1",
    Quantity.CURRENT_V: "m s-1",
    Quantity.ICE: "1",
    Quantity.PRESSURE: "hPa",
    Quantity.SEA_TEMPERATURE: "degC",
    Quantity.SWELL_HEIGHT: "m",
    Quantity.SWELL_FROM: "degree",
}

#: Spellings that weather centres use and UDUNITS does not know, in lower case.
_SPELLINGS: Final[dict[str, str]] = {
    "kn": "knot",
    "deg": "degree",
    "degree true": "degree",
    "degrees true": "degree",
    "(0 - 1)": "1",
}


class UnitRefused(ValueError):
    """A unit that is missing, unknown or of another quantity; the message says which."""


def find_conversion(quantity: Quantity, unit: str) -> tuple[float, float]:
    """Return scale and offset that bring a file's unit to the engine's.

    Raise :class:`UnitRefused` if the unit is missing, unknown, or not one of the quantity.
    """
    target = _ENGINE_UNITS[quantity]
    wanted = f"{quantity} needs a unit that converts to {target!r}"
    if not unit.strip():
        raise UnitRefused(f"the units attribute is missing; {wanted}")
    try:
        source = cf_units.Unit(_SPELLINGS.get(unit.strip().lower(), unit.strip()))
    except ValueError as fault:
        raise UnitRefused(f"the unit {unit!r} is not known; {wanted}") from fault
    # an angle is dimensionless to UDUNITS, but a pure number is no direction and no angle a share
    is_angle = source.definition.endswith("rad")
    if not source.is_convertible(target) or is_angle != (target == "degree"):
        raise UnitRefused(f"the unit {unit!r} does not fit; {wanted}")
    offset, one = (source.convert(value, target) for value in (0.0, 1.0))
    return one - offset, offset
