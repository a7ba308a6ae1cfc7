"""The dense profile as the route page draws it."""

from typing import Any

from app.pages.views.route import _TRACK, _columns


def make_point(weather: dict[str, Any] | None) -> dict[str, Any]:
    return dict.fromkeys(_TRACK, 0.0) | {"weather": weather}


def test_unknown_waves_are_no_calm() -> None:
    met = {"waveHeightM": 0.0, "waveDirDeg": 240.0, "windSpeedMs": 8.0}
    at_sea = {
        "waveHeightM": 2.5,
        "waveDirDeg": 0.0,
        "sources": {"wave": "FORECAST", "wind": "FORECAST"},
    }
    columns = _columns(
        [make_point(met | {"sources": {"wave": None, "wind": "CLIMATOLOGY"}}), make_point(at_sea)]
    )
    assert columns["waveHeightM"] == [None, 2.5]
    assert columns["waveDirDeg"] == [None, 0.0]
    assert columns["windSpeedMs"] == [8.0, None]
    assert columns["source"] == ["CLIMATOLOGY", "FORECAST"], "where waves are unknown, the wind's"
