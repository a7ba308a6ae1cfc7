"""The figures of record in the docs match the last proof and this code."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.proof.claims import CLAIMS
from benchmarks.proof.page import find_figures_of_record, list_figures_of_record
from benchmarks.report import REPORT_VARIABLE

ROOT = Path(__file__).parents[3]
RECORD = json.loads((ROOT / "docs" / "proof.json").read_text(encoding="utf-8"))


def test_the_figures_of_record_are_those_of_the_last_proof() -> None:
    assert RECORD["holds"]
    assert not RECORD["quick"]
    assert [claim["claim"] for claim in RECORD["claims"]] == [claim.name for claim in CLAIMS]
    document = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    assert find_figures_of_record(document) == list_figures_of_record(RECORD)


@pytest.mark.atlas
@pytest.mark.parametrize("benchmark", ["land_truth", "hull", "foc"])
def test_the_figures_of_record_are_those_of_this_code(
    benchmark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.benchmark == benchmark)
    (recorded,) = (entry for entry in RECORD["claims"] if entry["claim"] == claim.name)
    report = tmp_path / "report.json"
    monkeypatch.setenv(REPORT_VARIABLE, str(report))
    import_module(f"benchmarks.{benchmark}").main(claim.arguments)
    result = json.loads(report.read_text())["result"]
    for figure, mark in zip(recorded["figures"], claim.marks, strict=True):
        assert mark.read(result) == pytest.approx(figure["value"], abs=0.02), (
            f"{mark.label}: run `make prove` to update the figures of record"
        )
