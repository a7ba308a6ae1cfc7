"""Benchmarks of claims, each run in its own process, and their figures compared with the limits."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.proof.claims import Claim, Mark
from benchmarks.report import REPORT_VARIABLE

_ROOT: Final = Path(__file__).parents[2]
#: Lines of a failed benchmark's messages to keep.
_LAST_LINES: Final = 12


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its required range; ``None`` where it was not measured."""

    mark: Mark
    value: float | None

    @property
    def holds(self) -> bool:
        """Return whether the figure is in its required range."""
        return self.mark.holds(self.value)

    @property
    def fails(self) -> bool:
        """Return whether the figure fails the proof; an aim that is missed does not."""
        return not self.holds and (not self.mark.is_aim or self.value is None)

    @property
    def shown(self) -> str:
        """The figure with its unit."""
        return "not measured" if self.value is None else f"{self.value:.4g}{self.mark.unit}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Report of a claim's benchmark; ``fault`` is the reason where there is none."""

    claim: Claim
    command: str
    seconds: float
    figures: tuple[Figure, ...]
    tables: Sequence[Mapping[str, Any]] = ()
    tracks: Sequence[Sequence[tuple[float, float]]] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """All evidence of one run, with its commit and machine."""

    evidence: tuple[Evidence, ...]
    commit: str
    machine: str
    is_quick: bool
    seconds: float = field(default=0.0, compare=False)

    def list_figures(self) -> Iterator[tuple[Evidence, Figure]]:
        """Yield every figure with its evidence."""
        for evidence in self.evidence:
            for figure in evidence.figures:
                yield evidence, figure

    @property
    def holds(self) -> bool:
        """Return whether no figure fails."""
        return not any(figure.fails for _, figure in self.list_figures())


def prove(claims: Sequence[Claim], *, quick: bool) -> Proof:
    """Run the benchmarks one after the other, so that each has the whole machine."""
    began = time.monotonic()
    commands = [(claim, claim.command(quick=quick)) for claim in claims]
    evidence = tuple(_measure(claim, command) for claim, command in commands if command)
    seconds = time.monotonic() - began
    return Proof(evidence, name_commit(), describe_machine(), quick, seconds)


def _measure(claim: Claim, command: Sequence[str]) -> Evidence:
    print(f"{claim.name} …", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=_ROOT,
            env=os.environ | {REPORT_VARIABLE: str(path)},
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    result = {} if done.returncode else report.get("result", {})
    figures = tuple(Figure(mark, mark.read(result)) for mark in claim.marks)
    for figure in figures:
        verdict = "holds" if figure.holds else "FAILS" if figure.fails else "falls short"
        print(f"  {verdict:11} {figure.mark.label}: {figure.shown}, required {figure.mark.asked}")
    fault = "" if result else "\n".join(done.stderr.splitlines()[-_LAST_LINES:])
    return Evidence(
        claim,
        " ".join(("python -m", *command)),
        time.monotonic() - began,
        figures,
        report.get("tables", ()),
        report.get("tracks", ()),
        fault,
    )


def name_commit() -> str:
    """Return the commit of the code, and whether there are uncommitted changes."""
    described = ["git", "describe", "--always", "--dirty= with changes", "--exclude=*"]
    done = subprocess.run(described, cwd=_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def describe_machine() -> str:
    """Name processor, cores, memory and Python."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    processor = models[0] if models else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return f"{processor}, {cores} cores, {memory_gb:.0f} GB, Python {platform.python_version()}"
