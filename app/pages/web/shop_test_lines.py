"""Shop test of an engine as text: one line per load, with the consumption."""

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError, fields

from app.pages.web.forms import split_lines
from app.records.vessel import MOST_SHOP_TEST_POINTS, ShopTestPointSchema


class ShopTestLines(fields.Field[Any]):
    """A text field of loads and consumptions; empty text means none."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        lines = split_lines(value, MOST_SHOP_TEST_POINTS)
        return [_read_line(number, line) for number, line in lines] or None


def _read_line(number: int, line: str) -> dict[str, float]:
    """Read one point; raises :class:`ValidationError` with the line number."""
    words = line.replace("%", " ").replace(";", " ").replace(",", ".").split()
    try:
        load, sfoc = map(float, words)
    except ValueError:
        raise ValidationError(
            f"Line {number}: enter the load in % and the consumption in g/kWh, like 75 168.5."
        ) from None
    try:
        point: dict[str, float] = ShopTestPointSchema().load({"loadPct": load, "sfoc": sfoc})
    except ValidationError as error:
        faults = error.normalized_messages().items()
        words = [f"{_NAMES[name]}: {' '.join(said)}" for name, said in faults]
        raise ValidationError(f"Line {number}: {'; '.join(words)}") from None
    return point


_NAMES = {"loadPct": "load", "sfoc": "consumption"}


def write_shop_test(points: Iterable[Mapping[str, float]] | None) -> str:
    """Write points as the lines that :class:`ShopTestLines` reads."""
    return "\n".join(f"{point['loadPct']:g} {point['sfoc']:g}" for point in points or ())
