"""The cache of compiled kernels: damaged files, and a folder that cannot be written."""

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


def run_script(script: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    if not script.exists():
        script.write_text(KERNEL)
    variables = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": os.getcwd()}
    return subprocess.run(
        [sys.executable, script], env=variables, capture_output=True, text=True, check=False
    )


def call_kernel(folder: Path) -> str:
    done = run_script(folder / "kernel.py", folder / "cache")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.parametrize("ending", ["nbc", "nbi"])
def test_a_kernel_with_a_truncated_cache_file_is_compiled_again(
    tmp_path: Path, ending: str
) -> None:
    assert call_kernel(tmp_path) == "42.0"
    (cached,) = (tmp_path / "cache").rglob(f"*.{ending}")
    whole = cached.read_bytes()
    for share in (0.0, 0.5):
        cached.write_bytes(whole[: int(share * len(whole))])
        assert call_kernel(tmp_path) == "42.0"
        (mended,) = (tmp_path / "cache").rglob(f"*.{ending}")
        assert len(mended.read_bytes()) == len(whole)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    done = run_script(tmp_path / "kernel.py", no_folder / "cache")
    assert done.stderr.startswith(f"NUMBA_CACHE_DIR: {no_folder / 'cache'} cannot be written (Not")
