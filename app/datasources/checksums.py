"""Checksums of files, in the form that ``sha256sum --check`` reads too."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

NAME: Final = "SHA256SUMS"


def write_checksums(folder: Path) -> None:
    """Note every file of a folder with its SHA-256."""
    names = sorted(path.name for path in folder.iterdir())
    (folder / NAME).write_text(list_checksums(folder, names))


def find_damage(folder: Path) -> list[str] | None:
    """Names of files that are missing or not as they were noted; None when none were noted."""
    noted = folder / NAME
    if not noted.exists():
        return None
    checksums = parse_checksums(noted.read_text())
    return [name for name, checksum in checksums.items() if not is_right(folder / name, checksum)]


def list_checksums(folder: Path, names: Iterable[str]) -> str:
    """Return a line with the SHA-256 of each of these files of a folder."""
    return "".join(f"{_hash(folder / name)}  {name}\n" for name in names)


def parse_checksums(text: str) -> dict[str, str]:
    """Return the checksums by name that ``list_checksums`` has written."""
    lines = (line.split("  ", 1) for line in text.splitlines())
    return {name: checksum for checksum, name in lines}


def is_right(path: Path, checksum: str) -> bool:
    """Return whether a file is there and as it was noted."""
    return path.is_file() and _hash(path) == checksum


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
