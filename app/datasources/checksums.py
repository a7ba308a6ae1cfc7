"""Checksums of what was built, in the form that ``sha256sum --check`` reads too."""

import hashlib
from pathlib import Path
from typing import Final

NAME: Final = "SHA256SUMS"


def write_checksums(folder: Path) -> None:
    """Note every file of a folder with its SHA-256."""
    lines = [f"{hash_file(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / NAME).write_text("".join(lines))


def find_damage(folder: Path) -> list[str] | None:
    """Names of files that are missing or not as they were noted; None when none were noted."""
    noted = folder / NAME
    if not noted.exists():
        return None
    lines = [line.split("  ", 1) for line in noted.read_text().splitlines()]
    return [name for digest, name in lines if not _is(folder / name, digest)]


def _is(path: Path, digest: str) -> bool:
    return path.is_file() and hash_file(path) == digest


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
