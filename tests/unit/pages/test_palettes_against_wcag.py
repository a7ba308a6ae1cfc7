"""The palettes' contrasts, recomputed by WCAG 2.2's relative luminance (SC 1.4.3, 1.4.11)."""

import re
from itertools import product
from pathlib import Path

import pytest

VARS = Path(__file__).parents[3] / "static" / "css" / "vars.css"
PALETTES = ("day", "dusk", "night")
TEXTS = ("ink", "ink-2", "accent", "accent-2", "ok", "caution", "danger")
DEPTHS = ("sea", "depth-1", "depth-2", "depth-3", "land")


def read_palette(name: str) -> dict[str, str]:
    block = re.search(rf'\[data-palette="{name}"\] {{(.*?)\n}}', VARS.read_text(), re.S)
    assert block, f"no palette {name}"
    return dict(re.findall(r"--([a-z0-9-]+): #([0-9A-F]{6});", block.group(1)))


def channels(colour: str) -> tuple[int, int, int]:
    return int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16)


def luminance(colour: str) -> float:
    linear = (
        c / 12.92 if (c := value / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for value in channels(colour)
    )
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(params=PALETTES)
def palette(request: pytest.FixtureRequest) -> dict[str, str]:
    return read_palette(request.param)


def test_every_palette_names_the_same_colours() -> None:
    assert len({frozenset(read_palette(name)) for name in PALETTES}) == 1


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("000000", "FFFFFF") == pytest.approx(21.0)


def test_text_reads_on_every_surface(palette: dict[str, str]) -> None:
    for text, surface in product(("ink", "ink-2"), ("panel", "field", "raised", "accent-soft")):
        assert contrast(palette[text], palette[surface]) >= 4.5, (text, surface)
    for text in TEXTS:
        assert contrast(palette[text], palette["panel"]) >= 4.5, text


def test_text_on_buttons_and_chips_reads(palette: dict[str, str]) -> None:
    assert contrast(palette["accent-ink"], palette["accent"]) >= 4.5
    for severity in ("ok", "caution", "danger"):
        assert contrast(palette[severity], palette[f"{severity}-soft"]) >= 4.5, severity


def test_edges_of_fields_are_seen(palette: dict[str, str]) -> None:
    assert contrast(palette["line-strong"], palette["panel"]) >= 3.0
    assert contrast(palette["line-strong"], palette["field"]) >= 3.0


def test_route_alternative_and_zone_are_seen_on_any_ground(palette: dict[str, str]) -> None:
    for line, ground in product(("route", "alt", "zone"), DEPTHS):
        assert contrast(palette[line], palette[ground]) >= 3.0, (line, ground)


def test_the_coast_is_seen_and_chart_text_reads(palette: dict[str, str]) -> None:
    assert contrast(palette["coast"], palette["land"]) >= 3.0
    assert contrast(palette["mapink"], palette["sea"]) >= 4.5
    assert contrast(palette["sealabel"], palette["sea"]) >= 4.5


def test_the_route_stands_out_from_its_halo(palette: dict[str, str]) -> None:
    assert contrast(palette["route"], palette["halo"]) >= 4.5


def test_night_spares_adapted_eyes() -> None:
    night = read_palette("night")
    for name, colour in night.items():
        red, _, blue = channels(colour)
        assert blue <= 0x6A, name
        assert blue <= red, name
    for surface in ("frame", "panel", "field", "raised", "line", "accent-soft", "sea", "land"):
        assert luminance(night[surface]) < 0.08, surface


def test_waves_grow_steadily_in_weight(palette: dict[str, str]) -> None:
    ramp = [luminance(palette[f"wave-{step}"]) for step in range(1, 7)]
    assert ramp == sorted(ramp) or ramp == sorted(ramp, reverse=True)
