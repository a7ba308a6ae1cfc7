"""Measure every claim and write the proof: ``python -m benchmarks.prove [--quick]``.

Writes proof.html and proof.json into ``--into`` (docs). A full run also writes the figures of
record into docs/validation.md. Fails where a figure is out of its required range. Needs the sea
atlas, the climatology, an empty database and a Redis of its own; ``make prove`` provides them.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.atlas import open_atlas
from benchmarks.proof.claims import CLAIMS
from benchmarks.proof.page import write_figures_of_record, write_json, write_page
from benchmarks.proof.running import Proof, prove
from benchmarks.report import print_result

_DOCS = Path("docs")


def write(proof: Proof, folder: Path) -> None:
    """Write page and JSON, and after a complete run the figures of record."""
    folder.mkdir(parents=True, exist_ok=True)
    write_page(proof, open_atlas(), folder / "proof.html")
    write_json(proof, folder / "proof.json")
    is_whole = not proof.is_quick and len(proof.evidence) == len(CLAIMS)
    if is_whole and (folder / "validation.md").is_file():
        record = json.loads((folder / "proof.json").read_text(encoding="utf-8"))
        write_figures_of_record(record, folder / "validation.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the claims; 0 when no figure fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer cases")
    parser.add_argument("--only", default="", help="claims whose benchmark name contains this text")
    parser.add_argument("--into", type=Path, default=_DOCS, help="the folder to write to")
    asked = parser.parse_args(arguments)
    claims = [claim for claim in CLAIMS if asked.only in claim.benchmark]
    proof = prove(claims, quick=asked.quick)
    write(proof, asked.into)
    figures = [figure for _, figure in proof.list_figures()]
    print_result(
        {
            "holds": proof.holds,
            "figures": len(figures),
            "failed": sum(figure.fails for figure in figures),
            "short_of_aims": sum(not (figure.holds or figure.fails) for figure in figures),
            "seconds": round(proof.seconds),
        }
    )
    return 0 if proof.holds else 1


if __name__ == "__main__":
    sys.exit(main())
