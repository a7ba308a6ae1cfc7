"""Tutorial of the API, command by command."""

import hashlib
import os
import re
import subprocess
from pathlib import Path

from tests.e2e.service import ROOT, Service
from tests.waiting import PATIENCE_S

TUTORIAL = ROOT / "docs" / "api" / "README.md"


def test_following_the_tutorial_gives_a_route_file(service: Service, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", TUTORIAL.read_text(), re.DOTALL | re.MULTILINE)
    told = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", "".join(blocks)],
        env=os.environ | {"BASE": f"{service.address}/v1", "KEY": service.key},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "COMPLETED" in told.stdout
    digest = hashlib.sha256((tmp_path / "route.csv").read_bytes()).hexdigest()
    assert f"sha256:{digest}" in told.stdout
    assert (tmp_path / "route.rtz").read_text().startswith("<?xml")
    assert '"stored":2' in told.stdout
