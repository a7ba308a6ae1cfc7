"""The proof: marks, what fails and what falls short, the page, and the figures of record."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.engine.sea.atlas import SeaAtlas
from benchmarks import prove as command
from benchmarks.proof import running
from benchmarks.proof.claims import Claim, Mark
from benchmarks.proof.page import write_page
from benchmarks.proof.running import Evidence, Figure, Proof

ROOT = Path(__file__).parents[3]
_RUN = subprocess.run


@pytest.mark.parametrize(
    ("mark", "asked", "holding", "beyond"),
    [
        (Mark("k", "errors", most=1.2, unit=" %"), "at most 1.2 %", 1.2, 1.21),
        (Mark("k", "points", least=5), "at least 5", 5, 4),
        (Mark("k", "bias", least=-3, most=3, unit=" %"), "within ± 3 %", -3, -3.1),
        (Mark("k", "share", least=85, most=95, unit=" %"), "85 to 95 %", 90, 95.1),
        (Mark("k", "legs on land", least=0, most=0), "0", 0, 1),
    ],
)
def test_a_mark_says_what_it_asks(mark: Mark, asked: str, holding: float, beyond: float) -> None:
    assert mark.asked == asked
    assert mark.holds(holding)
    assert not mark.holds(beyond)
    assert not mark.holds(None)


def test_a_figure_beyond_its_mark_fails_and_one_beyond_its_aim_falls_short() -> None:
    assert Figure(Mark("k", "s", most=1), 2.0).fails
    assert not Figure(Mark("k", "s", most=1, is_aim=True), 2.0).fails
    assert Figure(Mark("k", "s", most=1, is_aim=True), None).fails, "not measured"


def evidence(name: str, *figures: Figure, **values: Any) -> Evidence:
    claim = Claim(name, "hull", "a source", tuple(figure.mark for figure in figures))
    return Evidence(claim, "python -m benchmarks.hull", 1.0, figures, **values)


@pytest.mark.atlas
def test_the_page_begins_with_what_fails_and_then_what_falls_short(
    sea: SeaAtlas, tmp_path: Path
) -> None:
    good = Figure(Mark("a", "a figure that holds", most=1), 0.5)
    short = Figure(Mark("b", "a figure short of its aim", most=1, is_aim=True), 2.0)
    bad = Figure(Mark("c", "a figure that fails", most=1), 3.0)
    table = {"headers": ["case", "error %"], "rows": [[f"c{n}", f"{n / 7:.3f}"] for n in range(9)]}
    proof = Proof(
        (
            evidence(
                "First", good, short, tables=[table], tracks=[[(50.0, 179.0), (50.0, -179.0)]]
            ),
            evidence("Second", bad, fault="ValueError: <no atlas>"),
        ),
        "abc123",
        "a machine",
        is_quick=False,
    )
    write_page(proof, sea, tmp_path / "proof.html")
    page = (tmp_path / "proof.html").read_text(encoding="utf-8")
    places = [page.index(f.mark.label) for f in (bad, short, good)]
    assert places == sorted(places)
    assert "Not every limit is kept." in page
    assert "1 of 3 figures" in page
    assert "ValueError: &lt;no atlas&gt;" in page
    assert page.count("<svg") == 2, "a histogram and a map"
    assert "http" not in page.replace("http-equiv", ""), "the page needs nothing else"


def run_with(monkeypatch: pytest.MonkeyPatch, program: str) -> Proof:
    """Prove a claim by a program in place of its benchmark."""

    def run(command: list[str], **options: Any) -> Any:
        if command[0] != sys.executable:
            return _RUN(command, **options)
        return _RUN([sys.executable, "-c", program], **options)

    monkeypatch.setattr(running.subprocess, "run", run)
    claim = Claim("A claim", "hull", "a source", (Mark("error_pct", "error", most=1, unit=" %"),))
    return running.prove([claim], quick=False)


def test_a_benchmark_that_reports_is_held_to_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    report = "from benchmarks.report import *; print_table(['a'], [[1]]); add_track([(1, 2.0)]);"
    proof = run_with(monkeypatch, report + "print_result({'error_pct': 0.5})")
    assert proof.holds
    (found,) = proof.evidence
    assert (found.figures[0].shown, found.fault) == ("0.5 %", "")
    assert found.tables == [{"headers": ["a"], "rows": [["1"]]}]
    assert found.tracks == [[[1, 2.0]]]
    assert not run_with(monkeypatch, report + "print_result({'error_pct': 1.5})").holds


@pytest.mark.parametrize(
    "program",
    [
        "raise ValueError('the sea is dry')",
        "from benchmarks.report import *; print_result({'error_pct': 1}); raise ValueError('dry')",
    ],
)
def test_a_benchmark_that_dies_fails_the_proof_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    proof = run_with(monkeypatch, program)
    assert not proof.holds
    assert "dry" in proof.evidence[0].fault
    assert proof.evidence[0].figures[0].shown == "not measured"


@pytest.mark.atlas
def test_a_part_of_the_proof_leaves_the_figures_of_record_alone(
    tmp_path: Path, sea: SeaAtlas
) -> None:
    document = tmp_path / "validation.md"
    document.write_text((ROOT / "docs" / "validation.md").read_text(encoding="utf-8"))
    before = document.read_text()
    assert command.main(["--only", "land_truth", "--into", str(tmp_path)]) == 0
    assert document.read_text() == before
    assert json.loads((tmp_path / "proof.json").read_text())["holds"]
