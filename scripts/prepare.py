"""Prepare everything that the service or its tests need.

Run as a script it only builds data and kernels, for example in a container with all packages.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from local_services import LocalServices, run_command
from setup_steps import (
    PYTHON,
    ROOT,
    VAR,
    VENV,
    SetupError,
    alone,
    install_front_end,
    install_moto,
    install_python_packages,
    install_system_packages,
    is_done,
    make_virtual_environment,
    mark_done,
    system_packages,
)

#: Folders of what is built, by the variables of the environment that may name others.
USUAL_FOLDERS = {
    "ATLAS_DIR": VAR / "atlas",
    "WEATHER_DIR": VAR / "weather",
    "NUMBA_CACHE_DIR": VAR / "numba",
}
FOLDERS = {
    name: Path(os.environ.get(name) or usual).absolute() for name, usual in USUAL_FOLDERS.items()
}
ATLAS, WEATHER, KERNELS = FOLDERS.values()


def prepare(*, own_servers: Collection[str], development: bool = False) -> None:
    """Bring this machine and folder to where everything can run. Raises SetupError.

    Safe to call at any time: what is there is left alone, and a second set-up in the same folder
    waits for the first. `own_servers` are those ("postgres", "redis") that run here.
    """
    install(own_servers=own_servers, development=development)
    build()


def install(*, own_servers: Collection[str], development: bool = False) -> None:
    """Install all packages: the first part of `prepare`."""
    with alone():
        install_system_packages(
            system_packages(
                own_database="postgres" in own_servers,
                own_redis="redis" in own_servers,
                browser=development,
            )
        )
        make_virtual_environment()
        # one thread, because its steps have one log
        with ThreadPoolExecutor(max_workers=1) as parallel:
            steps = [parallel.submit(install_front_end, development=development)]
            if development:
                steps.append(parallel.submit(install_moto))
            install_python_packages(development=development)
            for step in steps:
                step.result()


def build_environment() -> dict[str, str]:
    """Return the environment in which the project's Python finds what is built here."""
    return {
        **os.environ,
        **{name: str(folder) for name, folder in FOLDERS.items()},
        "PYTHONPATH": str(ROOT),
    }


def run_with_services(directory: Path, arguments: Sequence[str]) -> int:
    """Run the project's Python with a PostGIS and a Redis made for it; return its exit status.

    Raises ServiceError.
    """
    services = LocalServices(directory, throwaway=True)
    with services.tied() as addresses:
        return run_command([str(PYTHON), *arguments], build_environment() | addresses)


def build() -> None:
    """Build atlas, climatology, kernels and bytecode: the second part of `prepare`."""
    with alone():
        build_data()
        compile_bytecode()


def build_data() -> None:
    """Build atlas and climatology, compile the kernels, unless code and data are as they were."""
    stamp = VAR / f"built{own_depths()}{own_folders()}"
    inputs = built_from()
    if is_done(stamp, *inputs) and ATLAS.is_dir() and WEATHER.is_dir() and KERNELS.is_dir():
        return
    # numba sees a change in the file of a kernel, not one in what that kernel calls
    for compiled in KERNELS.rglob("*.nb[ic]"):
        compiled.unlink()
    command = [str(PYTHON), str(ROOT / "scripts" / "build.py")]
    command += ["--atlas", str(ATLAS), "--weather", str(WEATHER)]
    result = subprocess.run(command, env=build_environment(), cwd=ROOT, check=False)
    if result.returncode:
        raise SetupError("Atlas, climatology or kernels could not be built; the reason is above.")
    for other in VAR.glob("built*"):
        other.unlink()
    mark_done(stamp, *inputs)


def compile_bytecode() -> None:
    """Compile the code that was changed, for processes that may not write bytecode.

    Every account may enter the folders: web and workers have another one than root.
    """
    command = [str(PYTHON), "-m", "compileall", "-q", "app", "migrations"]
    subprocess.run(command, cwd=ROOT, check=False, umask=0o022)


def own_depths() -> str:
    """Name the operator's grid of depths, as it is now, if BATHYMETRY names one."""
    named = os.environ.get("BATHYMETRY")
    if not named:
        return ""
    path = Path(named)
    if not path.is_file():
        raise SetupError(f"BATHYMETRY names {named}, which is no file.")
    found = path.stat()
    return _digest(f"{path.resolve()} {found.st_size} {found.st_mtime_ns}")


def own_folders() -> str:
    """Name the operator's folders for what is built, if the environment names any."""
    if FOLDERS == USUAL_FOLDERS:
        return ""
    return _digest(" ".join(map(str, FOLDERS.values())))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def built_from() -> list[Path]:
    """List the files that decide what is built: code, its data, and the packages' versions."""
    code = [
        path
        for folder in ("app/engine", "app/datasources")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    pins = [ROOT / "requirements.txt", ROOT / "requirements-data.txt"]
    return [*code, *pins, ROOT / "scripts" / "build.py", VENV / "pyvenv.cfg"]


if __name__ == "__main__":
    with alone():
        build_data()
