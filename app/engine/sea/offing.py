"""Coastal clearance cost: the extra cost of sailing near a coast.

A shortest path touches every cape. Ships pass open coasts at a distance of some miles, as a margin
for set, engine failure and inshore traffic (Bowditch 2019, ch. 24; ICS, Bridge Procedures Guide,
5th ed., 3.2). The cost of a mile therefore depends on the distance from land; narrow straits
remain passable, along their middle.
"""

from typing import Final

from app.engine.compiled import njit_borrowing

#: Distance from land from which there is no extra cost [nm].
FULL_OFFING_NM: Final = 6.0
#: Extra cost of a mile at the coast.
_COAST_PRICE: Final = 0.3
#: Nearest approach outside narrow waters [nm], and the further extra cost below it.
NEAREST_NM: Final = 1.0
_NEAREST_PRICE: Final = 2.0


@njit_borrowing(cache=True)
def price_clearance(clearance_nm):  # type: ignore[no-untyped-def]
    """Return the cost of a mile at a distance from land, in open-sea miles."""
    if clearance_nm >= FULL_OFFING_NM:
        return 1.0
    short = 1.0 - clearance_nm / FULL_OFFING_NM
    price = 1.0 + _COAST_PRICE * short * short
    if clearance_nm < NEAREST_NM:
        price += _NEAREST_PRICE * (1.0 - clearance_nm / NEAREST_NM)
    return price
