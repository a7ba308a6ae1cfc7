"""Report of a benchmark: a table for people, then one line of JSON for programs.

Where ``BENCHMARK_REPORT`` names a file, tables, tracks and result are written there as JSON too.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

#: Environment variable with the file for the whole report as JSON.
REPORT_VARIABLE: Final = "BENCHMARK_REPORT"

_tables: list[dict[str, Any]] = []
_tracks: list[list[tuple[float, float]]] = []


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headers, columns aligned."""
    lines = [[str(cell) for cell in row] for row in (headers, *rows)]
    _tables.append({"headers": lines[0], "rows": lines[1:]})
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())


def add_track(positions: Iterable[tuple[float, float]]) -> None:
    """Add a track (latitudes and longitudes [deg]) to the report that is written."""
    _tracks.append([(round(lat, 2), round(lng, 2)) for lat, lng in positions])


def print_result(result: Mapping[str, object]) -> None:
    """Print the result as the last line."""
    print(json.dumps(dict(result)))
    if path := os.environ.get(REPORT_VARIABLE):
        report = {"tables": _tables, "tracks": _tracks, "result": dict(result)}
        Path(path).write_text(json.dumps(report), encoding="utf-8")
