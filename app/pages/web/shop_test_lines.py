"""Shop test of an engine as text: one line per load, with the consumption."""

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError

from app.pages.web.text_lines import LinesField, load_point
from app.records.vessel import MOST_SHOP_TEST_POINTS, ShopTestPointSchema

_NAMES = {"loadPct": "load", "sfoc": "consumption"}


class ShopTestLines(LinesField):
    """A text field of loads and consumptions."""

    most = MOST_SHOP_TEST_POINTS

    def read_line(self, line: str) -> Any:
        """Read one point."""
        words = line.replace("%", " ").replace(";", " ").replace(",", ".").split()
        try:
            load, sfoc = map(float, words)
        except ValueError:
            raise ValidationError(
                "enter the load in % and the consumption in g/kWh, like 75 168.5."
            ) from None
        return load_point(ShopTestPointSchema(), {"loadPct": load, "sfoc": sfoc}, _NAMES)


def write_shop_test(points: Iterable[Mapping[str, float]] | None) -> str:
    """Write points as the lines that :class:`ShopTestLines` reads."""
    return "\n".join(f"{point['loadPct']:g} {point['sfoc']:g}" for point in points or ())
