"""Involuntary speed loss by Kwon's method, for comparison with the resistance model.

Source: Y.J. Kwon, Speed loss due to added resistance in wind and waves, The Naval Architect (March
2008) 14-16, after R.L. Townsin and Y.J. Kwon (1983). The ship model does not use it: the table is
empirical, in whole Beaufort numbers, coarse in the hull, and of a small range.
"""

from typing import Final, Literal

Condition = Literal["normal", "laden", "ballast"]

#: C_U = a + b Fn + c Fn^2 by block coefficient; "normal" is for 0.55 to 0.70,
#: "laden" and "ballast" for 0.75 to 0.85. The last term of the 0.85 rows is
#: positive in the original; some reprints have it negative.
_SPEED_FACTORS: Final[dict[tuple[Condition, float], tuple[float, float, float]]] = {
    ("normal", 0.55): (1.7, -1.4, -7.4),
    ("normal", 0.60): (2.2, -2.5, -9.7),
    ("normal", 0.65): (2.6, -3.7, -11.6),
    ("normal", 0.70): (3.1, -5.3, -12.4),
    ("laden", 0.75): (2.4, -10.6, -9.5),
    ("laden", 0.80): (2.6, -13.1, -15.1),
    ("laden", 0.85): (3.1, -18.7, 28.0),
    ("ballast", 0.75): (2.6, -12.5, -13.5),
    ("ballast", 0.80): (3.0, -16.3, -21.6),
    ("ballast", 0.85): (3.4, -20.9, 31.8),
}


def speed_factor(condition: Condition, block_coefficient: float, froude_number: float) -> float:
    """Return C_U of the nearest tabulated block coefficient.

    It is negative beyond the row's range of Froude numbers, which the caller must check.
    """
    rows = [row for row in _SPEED_FACTORS if row[0] == condition]
    nearest = min(rows, key=lambda row: abs(row[1] - block_coefficient))
    a, b, c = _SPEED_FACTORS[nearest]
    return a + b * froude_number + c * froude_number**2


def direction_factor(beaufort: float, off_bow_deg: float) -> float:
    """Return C_beta: weather off the bow (0..180 deg) relative to weather from ahead.

    It is not negative; the lower bound of the sectors astern is reached above Bf 11.
    """
    if off_bow_deg <= 30.0:
        doubled = 2.0
    elif off_bow_deg <= 60.0:
        doubled = 1.7 - 0.03 * (beaufort - 4.0) ** 2
    elif off_bow_deg <= 150.0:
        doubled = 0.9 - 0.06 * (beaufort - 6.0) ** 2
    else:
        doubled = 0.4 - 0.03 * (beaufort - 8.0) ** 2
    return max(0.5 * doubled, 0.0)


def form_factor(beaufort: float, volume_m3: float, form: str) -> float:
    """Return C_form for "laden", "ballast" or "container" ships, by displaced volume [m3]."""
    linear, divisor = {"laden": (0.5, 2.7), "ballast": (0.7, 2.7), "container": (0.7, 22.0)}[form]
    return linear * beaufort + float(beaufort**6.5) / (divisor * float(volume_m3 ** (2.0 / 3.0)))


def speed_loss_pct(direction: float, speed: float, form: float) -> float:
    """Return the loss of speed [%] of the table, C_beta C_U C_form."""
    return direction * speed * form


def find_speed_loss_pct(
    beaufort: float,
    off_bow_deg: float,
    froude_number: float,
    volume_m3: float,
    block_coefficient: float,
    condition: Condition,
) -> float | None:
    """Return the loss of speed [%], or ``None`` beyond the table's range.

    The range is Beaufort 0 to 8, 0.05 <= Fn <= 0.30 and a positive C_U.
    """
    factor = speed_factor(condition, block_coefficient, froude_number)
    if factor <= 0.0 or not 0.0 <= beaufort <= 8.0 or not 0.05 <= froude_number <= 0.30:
        return None
    form = "container" if condition == "normal" else condition
    return speed_loss_pct(
        direction_factor(beaufort, off_bow_deg), factor, form_factor(beaufort, volume_m3, form)
    )
