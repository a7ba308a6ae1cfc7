"""What it costs to sail near a coast: the offing a navigator keeps where there is room.

A shortest path touches every cape. Ships pass open coasts some miles off, for
sea room against set, engine failure and inshore traffic (Bowditch 2019, ch. 24;
ICS, Bridge Procedures Guide, 5th ed., 3.2). Each mile is therefore priced by
its distance from land; straits narrower than the offing stay passable, along
their middle.
"""

from typing import Final

from app.engine.compiled import njit_borrowing

#: Distance from land [nm] from which nothing is gained by going farther out.
FULL_OFFING_NM: Final = 6.0
#: Share by which a mile at the very coast is dearer than one in the open.
COAST_PRICE: Final = 0.3
#: Nearest approach [nm] outside narrow waters, and the price of going nearer yet.
NEAREST_NM: Final = 1.0
NEAREST_PRICE: Final = 2.0


@njit_borrowing(cache=True)
def price_clearance(clearance_nm):  # type: ignore[no-untyped-def]
    """Cost of a mile at a distance from land, in open-sea miles: 1 at full offing."""
    if clearance_nm >= FULL_OFFING_NM:
        return 1.0
    short = 1.0 - clearance_nm / FULL_OFFING_NM
    price = 1.0 + COAST_PRICE * short * short
    if clearance_nm < NEAREST_NM:
        price += NEAREST_PRICE * (1.0 - clearance_nm / NEAREST_NM)
    return price
