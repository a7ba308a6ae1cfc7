"""Plots of the proof as SVG: histograms of errors, checked tracks on a map, trade-off curve."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

import numpy as np

from app.engine.geodesy.leg import LegGeometry, sample_leg
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.coast import is_land
from benchmarks.land_check import cut_at_antimeridian

_WIDTH, _HEIGHT = 460.0, 220.0
_LEFT, _FOOT, _HEAD = 44.0, 34.0, 12.0
_BINS: Final = 24
#: Share of the errors that a histogram's axis spans; those beyond are counted in the last bins.
_SPANNED: Final = 0.98
_MAP_SCALE: Final = 3.0
_MAP_STEP_NM: Final = 100.0


def draw_histogram(values: Sequence[float], unit: str) -> str:
    """Draw a histogram of errors with bins symmetric about zero."""
    span = max(float(np.quantile(np.abs(values), _SPANNED)), 1e-6)
    edges = np.linspace(-span, span, _BINS + 1)
    counts, _ = np.histogram(np.clip(values, -span, span), edges)
    high, wide = _HEIGHT - _FOOT - _HEAD, (_WIDTH - _LEFT) / _BINS
    bars = [
        _rect(_LEFT + index * wide, _HEIGHT - _FOOT - high * count / counts.max(), wide - 1.0,
              high * count / counts.max())
        for index, count in enumerate(counts)
    ]  # fmt: skip
    middle = _LEFT + (_WIDTH - _LEFT) / 2.0
    labels = [
        _text(_LEFT, _HEIGHT - 14.0, f"{-span:.2g}{unit}", "start"),
        _text(middle, _HEIGHT - 14.0, "0"),
        _text(_WIDTH, _HEIGHT - 14.0, f"{span:.2g}{unit}", "end"),
        _text(_LEFT - 6.0, _HEAD + 10.0, str(counts.max()), "end"),
        _text(_LEFT - 6.0, _HEIGHT - _FOOT, "0", "end"),
    ]
    zero = f'<path class="zero" d="M{middle:.1f} {_HEAD}V{_HEIGHT - _FOOT + 4}"/>'
    title = f"{len(values)} errors between {min(values):.3g} and {max(values):.3g}{unit}"
    return _svg(_WIDTH, _HEIGHT, title, [*bars, zero, *labels])


def draw_curve(points: Sequence[tuple[float, float]], across: str, up: str) -> str:
    """Draw points, labelled with their figures, and the line through them."""
    xs, ys = (np.array(axis) for axis in zip(*points, strict=True))
    high, wide = _HEIGHT - _FOOT - 2 * _HEAD, _WIDTH - _LEFT - 16.0
    at_x = _LEFT + 8.0 + wide * (xs - xs.min()) / max(float(np.ptp(xs)), 1e-9)
    at_y = 2 * _HEAD + high * (ys.max() - ys) / max(float(np.ptp(ys)), 1e-9)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(at_x, at_y, strict=True))
    dots = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{here[0]:g} {across}, {here[1]:g} {up}'
        f"</title></circle>"
        for x, y, here in zip(at_x, at_y, points, strict=True)
    ]
    labels = [
        _text(at_x[0], _HEIGHT - 14.0, f"{xs[0]:g} {across}", "start"),
        _text(_WIDTH, _HEIGHT - 14.0, f"{xs[-1]:g} {across}", "end"),
        _text(_LEFT - 4.0, 2 * _HEAD + 4.0, f"{ys.max():g}", "end"),
        _text(_LEFT - 4.0, 2 * _HEAD + high, f"{ys.min():g}", "end"),
        _text(_LEFT - 4.0, _HEAD, up, "end"),
    ]
    drawn = [f'<polyline class="line" points="{line}"/>', *dots, *labels]
    return _svg(_WIDTH, _HEIGHT, f"{len(points)} points, {up} over {across}", drawn)


def draw_map(tracks: Sequence[Sequence[tuple[float, float]]], sea: SeaAtlas) -> str:
    """Draw tracks (latitude, longitude [deg]) over land of one degree."""
    lines = [line for track in tracks for leg in pairwise(track) for line in _draw_leg(*leg)]
    paths = "".join("M" + "L".join(_on_map(lat, lng) for lng, lat in line) for line in lines)
    drawn = [f'<path class="land" d="{_draw_land(sea)}"/>', f'<path class="track" d="{paths}"/>']
    title = f"{len(tracks)} checked tracks"
    return _svg(360.0 * _MAP_SCALE, 165.0 * _MAP_SCALE, title, drawn)


def _draw_land(sea: SeaAtlas) -> str:
    """Draw cells of one degree whose middle is land, adjacent ones as one."""
    runs = []
    for lat in range(-80, 85):
        row = [(is_land(sea.waters, lat + 0.5, lng + 0.5), lng) for lng in range(-180, 180)]
        for on_land, cells in groupby(row, itemgetter(0)):
            lngs = [lng for _, lng in cells]
            if on_land:
                width, height = _MAP_SCALE * len(lngs), _MAP_SCALE
                runs.append(f"M{_on_map(lat + 1, lngs[0])}h{width:g}v{height:g}h{-width:g}z")
    return "".join(runs)


def _on_map(lat: float, lng: float) -> str:
    return f"{(lng + 180.0) * _MAP_SCALE:.0f} {(85.0 - lat) * _MAP_SCALE:.0f}"


def _draw_leg(
    start: tuple[float, float], end: tuple[float, float]
) -> Iterator[Sequence[tuple[float, ...]]]:
    """Return the great circle of a leg in parts that do not jump across the antimeridian."""
    places = Position(*start), Position(*end)
    for line in cut_at_antimeridian(*sample_leg(*places, LegGeometry.GREAT_CIRCLE, _MAP_STEP_NM)):
        yield line.coords[:]


def _rect(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def _svg(width: float, height: float, title: str, drawn: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(drawn)}</svg>"
    )
