"""The departures of a window as a table: RFC 4180 in UTF-8, one line per departure.

Columns carry their units; what is not known is empty.
"""

from collections.abc import Callable, Iterable

from app.engine.departures.outcome import DepartureFigures
from app.exports.formats import fixed, utc_time, write_table
from app.records.departures import DepartureView

_Cell = Callable[[DepartureView], str]


def _of_figures(write: Callable[[DepartureFigures], str]) -> _Cell:
    """A cell that is empty where a departure has no figures."""
    return lambda view: "" if view.figures is None else write(view.figures)


_COLUMNS: dict[str, _Cell] = {
    "departure": lambda view: utc_time(view.departure),
    "state": lambda view: str(view.state),
    "best": lambda view: "true" if view.is_best else "false",
    "arrival": _of_figures(lambda figures: utc_time(figures.arrives_at)),
    "duration_h": _of_figures(lambda figures: fixed(figures.duration_h, 2)),
    "fuel_mt": _of_figures(lambda figures: fixed(figures.fuel_t, 3)),
    "distance_nm": _of_figures(lambda figures: fixed(figures.distance_nm, 2)),
    "max_wave_m": _of_figures(lambda figures: fixed(figures.max_wave_m, 2)),
    "route": _of_figures(lambda figures: figures.route),
    "reason_code": lambda view: "" if view.infeasible is None else str(view.infeasible.code),
    "reason": lambda view: "" if view.infeasible is None else view.infeasible.detail,
}

#: The columns in their order.
COLUMNS = tuple(_COLUMNS)


def render_departures(departures: Iterable[DepartureView]) -> bytes:
    """Write the departures, header first."""
    rows = ([cell(view) for cell in _COLUMNS.values()] for view in departures)
    return write_table([COLUMNS, *rows]).encode()
