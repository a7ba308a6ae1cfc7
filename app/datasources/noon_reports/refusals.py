"""Reasons for which a file holds no table."""

from typing import Final

_NO_HEADER: Final = (
    "No row of headers is found. One of the first rows must name the columns, such as"
    " Date (UTC), Latitude, Longitude, Speed (kn), Steaming hours, ME fuel (mt). Rename columns in"
    " another language, or name them in the mapping of an API request."
)


class SheetRefused(ValueError):
    """The file has no readable table; the message gives the reason."""


class HeaderMissing(SheetRefused):
    """The table has no row of headers."""

    def __init__(self) -> None:
        super().__init__(_NO_HEADER)
