"""Charts by folium, split into parts that the content security policy allows.

folium draws the routes. Coast, border, areas, marks, labels and tools are added in the browser by
``static/js/chart``. Colours and widths are set in CSS, so that they follow the palette.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import folium

from app.engine.geodesy.leg import LegGeometry, sample_leg
from app.engine.request import Position

_LEAFLET_SCRIPT: Final = "vendor/leaflet/leaflet.js"
_LEAFLET_SHEET: Final = "vendor/leaflet/leaflet.css"

# folium's class attributes link to public CDNs; local files replace them.
folium.Map.default_js = [("leaflet", f"/static/{_LEAFLET_SCRIPT}")]
folium.Map.default_css = [("leaflet_css", f"/static/{_LEAFLET_SHEET}")]

#: Longest straight segment of a drawn leg [nm].
_DRAWN_STEP_NM = 60.0

LatLng = tuple[float, float]


class ChartLinks(NamedTuple):
    """Static files to load before the script of a page with a chart."""

    js: tuple[str, ...] = (_LEAFLET_SCRIPT,)
    css: tuple[str, ...] = (_LEAFLET_SHEET,)


class ChartParts(NamedTuple):
    """A rendered chart: HTML element and script."""

    html: str
    script: str


def lay_out_chart(centre: LatLng = (26.0, 8.0), zoom: float = 2.0) -> folium.Map:
    """Create an empty chart named ``map_chart``."""
    chart = folium.Map(
        location=centre,
        zoom_start=zoom,  # type: ignore[arg-type]  # Leaflet takes half levels too
        tiles=None,
        zoom_control=False,
        attribution_control=False,
        zoom_snap=0.5,
        zoom_delta=0.5,
        wheel_px_per_zoom_level=90,
        min_zoom=2,
        max_zoom=16,
        # what crosses 180° is drawn on one copy of the world, and stays in view there
        max_bounds=True,
        min_lon=-360,
        max_lon=360,
        max_bounds_viscosity=1.0,
    )
    chart._id = "chart"
    return chart


def draw_route(
    chart: folium.Map, waypoints: Sequence[Mapping[str, Any]], ship: LatLng | None = None
) -> None:
    """Draw the planned route's line and bring it into view, with the ship's position.

    Waypoints are added in the browser, because folium would compile a template for each.
    """
    line = trace_legs(waypoints)
    folium.PolyLine(line, class_name="line-halo", interactive=False).add_to(chart)
    folium.PolyLine(line, class_name="line-route", interactive=False).add_to(chart)
    for leg in pairwise(waypoints):
        if leg[1].get("unproven"):
            unproven = trace_legs(leg)
            folium.PolyLine(unproven, class_name="line-unproven", interactive=False).add_to(chart)
    # on the copy of the world that the middle of the route is on
    near = [] if ship is None else unwrap([line[len(line) // 2], ship])[1:]
    show_all(chart, [*line, *near])


def draw_alternative(
    chart: folium.Map, waypoints: Sequence[Mapping[str, Any]], number: int
) -> None:
    """Draw an alternative by its number from 0; each has its own dash."""
    line = trace_legs(waypoints)
    for name in ("line-alt-halo", f"line-alt line-alt-{number % 3}"):
        classes = f"{name} alternative-{number}"
        folium.PolyLine(line, class_name=classes, interactive=False).add_to(chart)


def show_all(chart: folium.Map, line: Sequence[LatLng]) -> None:
    """Fit the initial view to a line."""
    lats, lngs = [lat for lat, _ in line], [lng for _, lng in line]
    if line:
        corners = [[min(lats), min(lngs)], [max(lats), max(lngs)]]
        chart.fit_bounds(corners, padding=(48, 48), max_zoom=11)


def trace_legs(waypoints: Sequence[Mapping[str, Any]]) -> list[LatLng]:
    """Return the line through the waypoints, each leg by its own geometry.

    Longitudes are continuous across the antimeridian.
    """
    line = [(point["lat"], point["lng"]) for point in waypoints[:1]]
    for start, end in pairwise(waypoints):
        line += _trace_leg(start, end)
    return unwrap(line)


def _trace_leg(start: Mapping[str, Any], end: Mapping[str, Any]) -> list[LatLng]:
    """Return the points of a leg after its start; a short leg has its end only, for speed."""
    if end["legDistanceNm"] <= _DRAWN_STEP_NM:
        return [(end["lat"], end["lng"])]
    lats, lngs = sample_leg(
        Position(start["lat"], start["lng"]),
        Position(end["lat"], end["lng"]),
        LegGeometry(end["legGeometry"]),
        _DRAWN_STEP_NM,
    )
    return list(zip(lats.tolist(), lngs.tolist(), strict=True))[1:]


def render(chart: folium.Map) -> ChartParts:
    """Render the chart's element and script separately, without folium's document."""
    figure: Any = chart.get_root()
    figure.render()
    return ChartParts(html=figure.html.render(), script=figure.script.render())


def unwrap(places: Iterable[LatLng]) -> list[LatLng]:
    """Make longitudes continuous, without a jump at the antimeridian."""
    whole: list[LatLng] = []
    for lat, lng in places:
        before = whole[-1][1] if whole else lng
        whole.append((round(lat, 6), round(lng + 360 * round((before - lng) / 360), 6)))
    return whole
