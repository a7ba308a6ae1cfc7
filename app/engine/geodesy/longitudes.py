"""Differences of longitude in compiled functions."""

from app.engine.compiled import njit_borrowing


@njit_borrowing(cache=True)
def wrap(dlng):  # type: ignore[no-untyped-def]
    """Wrap a longitude or a difference of longitude [deg] into -180 <= d < 180."""
    if -180.0 <= dlng < 180.0:
        return dlng
    return (dlng + 180.0) % 360.0 - 180.0
