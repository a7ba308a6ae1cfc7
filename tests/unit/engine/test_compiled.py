"""Kernels with damaged cache files are compiled again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
from app.engine.compiled import njit

@njit(cache=True)
def double(x):
    return 2.0 * x

print(double(21.0))
"""


def call_kernel(folder: Path) -> str:
    script = folder / "kernel.py"
    if not script.exists():
        script.write_text(KERNEL)
    variables = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, script], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("ending", ["nbc", "nbi"])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_kernel_with_a_truncated_cache_file_is_compiled_again(
    tmp_path: Path, ending: str, share: float
) -> None:
    assert call_kernel(tmp_path) == "42.0"
    (cached,) = (tmp_path / "cache").rglob(f"*.{ending}")
    whole = cached.read_bytes()
    cached.write_bytes(whole[: int(share * len(whole))])
    assert call_kernel(tmp_path) == "42.0"
    (mended,) = (tmp_path / "cache").rglob(f"*.{ending}")
    assert len(mended.read_bytes()) == len(whole)
