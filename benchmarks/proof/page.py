"""Proof written as a self-contained page, as JSON, and as the figures of record."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.engine.sea.atlas import SeaAtlas
from benchmarks.proof.plots import draw_curve, draw_histogram, draw_map
from benchmarks.proof.running import Evidence, Figure, Proof

#: Column of a table whose values are drawn as a histogram.
_ERRORS: Final = "error %"
#: Columns of a table that are drawn against each other.
_CURVE: Final = ("hours", "mt")
_FEWEST_ERRORS: Final = 8

_BEGIN: Final = "<!-- figures of record: written by `make prove` -->"
_END: Final = "<!-- end of the figures of record -->"


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with its caption."""

    svg: str
    caption: str
    is_wide: bool = False


def write_page(proof: Proof, sea: SeaAtlas, path: Path) -> None:
    """Write the page, which loads no other file."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    figures = list(proof.list_figures())
    failed = [pair for pair in figures if pair[1].fails]
    short = [pair for pair in figures if not (pair[1].holds or pair[1].fails)]
    page = environment.get_template("page.html").render(
        proof=proof,
        figures=figures,
        held=sum(figure.holds for _, figure in figures),
        short=failed + short,
        plots={e.claim.name: list(_draw_plots(e, sea)) for e in proof.evidence},
    )
    path.write_text(page, encoding="utf-8")


def _draw_plots(evidence: Evidence, sea: SeaAtlas) -> Iterator[Plot]:
    for table in evidence.tables:
        errors = [float(value) for value in _column(table, _ERRORS) if _is_number(value)]
        if len(errors) >= _FEWEST_ERRORS:
            yield Plot(draw_histogram(errors, " %"), f"Errors of {len(errors)} cases")
        across, up = (_column(table, name) for name in _CURVE)
        if across and up:
            curve = [(float(x), float(y)) for x, y in zip(across, up, strict=True)]
            yield Plot(draw_curve(curve, "h", "mt"), "Fuel against time under way")
    if evidence.tracks:
        caption = f"{len(evidence.tracks)} routes, each leg checked; land at one degree"
        yield Plot(draw_map(evidence.tracks, sea), caption, is_wide=True)


def _column(table: Mapping[str, Any], name: str) -> list[str]:
    if name not in table["headers"]:
        return []
    index = table["headers"].index(name)
    return [row[index] for row in table["rows"]]


def _is_number(value: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", value) is not None


def write_json(proof: Proof, path: Path) -> None:
    """Write every figure with its limits, source, command, commit and machine."""
    claims = [
        {
            "claim": evidence.claim.name,
            "source": evidence.claim.source,
            "command": evidence.command,
            "seconds": round(evidence.seconds, 1),
            "fault": evidence.fault or None,
            "figures": [_as_json(figure) for figure in evidence.figures],
        }
        for evidence in proof.evidence
    ]
    about = {
        "holds": proof.holds,
        "commit": proof.commit,
        "machine": proof.machine,
        "quick": proof.is_quick,
        "seconds": round(proof.seconds),
    }
    path.write_text(json.dumps(about | {"claims": claims}, indent=1) + "\n", encoding="utf-8")


def _as_json(figure: Figure) -> dict[str, object]:
    mark = figure.mark
    return {
        "key": mark.key,
        "figure": mark.label,
        "value": figure.value,
        "unit": mark.unit.strip() or None,
        "measured": figure.shown,
        "asked": mark.asked,
        "least": None if isinf(mark.least) else mark.least,
        "most": None if isinf(mark.most) else mark.most,
        "aim": mark.is_aim,
        "timed": mark.is_timed,
        "holds": figure.holds,
    }


def list_figures_of_record(proof: dict[str, Any]) -> str:
    """Format all figures that do not depend on the machine, one table per claim of a JSON proof."""
    return "\n\n".join(filter(None, map(_list_figures_of_claim, proof["claims"])))


def _list_figures_of_claim(claim: dict[str, Any]) -> str:
    rows = [
        f"| {figure['figure']} | {figure['measured']} | {figure['asked']} |"
        for figure in claim["figures"]
        if not figure["timed"]
    ]
    heading = (
        f"**{claim['claim']}** (`{claim['command']}`)\n",
        "| figure | measured | required |",
        "|---|---|---|",
    )
    return "\n".join([*heading, *rows]) if rows else ""


def find_figures_of_record(document: str) -> str:
    """Return the figures of record in a document."""
    return document.partition(_BEGIN)[2].partition(_END)[0].strip()


def write_figures_of_record(proof: dict[str, Any], path: Path) -> None:
    """Replace the figures of record in a document."""
    before, _, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    figures = list_figures_of_record(proof)
    path.write_text(f"{before}{_BEGIN}\n{figures}\n{_END}{after}", encoding="utf-8")
