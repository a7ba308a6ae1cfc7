"""How every benchmark reports: a table for people, then one line of JSON for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headers, columns aligned."""
    lines = [[str(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())


def print_result(result: Mapping[str, object]) -> None:
    """Print the result as the last line."""
    print(json.dumps(dict(result)))
