"""Measure every claim and write docs/proof.html: `make prove`, `make prove QUICK=1`.

Runs `benchmarks.prove` with a PostGIS and a Redis of its own. The exit status is 0 only when no
figure fails.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from local_processes import ServiceError
from local_services import SERVERS, run_as_script
from prepare import prepare, run_with_services
from setup_steps import ROOT, VAR, SetupError, say


def main(arguments: Sequence[str]) -> int:
    """Measure; `arguments` are those of `benchmarks.prove`."""
    os.chdir(ROOT)
    try:
        prepare(own_servers=SERVERS, development=True)
        return run_with_services(VAR / "proof", ["-m", "benchmarks.prove", *arguments])
    except (SetupError, ServiceError) as error:
        say(f"\n{error}")
        return 1


if __name__ == "__main__":
    run_as_script(main)
