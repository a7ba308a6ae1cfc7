"""Checksums of files, in the form that ``sha256sum --check`` reads too."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

NAME: Final = "SHA256SUMS"


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 of every file of a folder."""
    names = sorted(path.name for path in folder.iterdir())
    (folder / NAME).write_text(list_checksums(folder, names))


def find_damage(folder: Path) -> list[str] | None:
    """Names of files that are missing or have changed; ``None`` if there are no checksums."""
    noted = folder / NAME
    if not noted.exists():
        return None
    checksums = parse_checksums(noted.read_text())
    return [name for name, checksum in checksums.items() if not is_right(folder / name, checksum)]


def list_checksums(folder: Path, names: Iterable[str]) -> str:
    """Return a line with the SHA-256 of each of these files of a folder."""
    return "".join(f"{hash_file(folder / name)}  {name}\n" for name in names)


def parse_checksums(text: str) -> dict[str, str]:
    """Parse the lines of ``list_checksums`` to checksums by file name."""
    lines = (line.split("  ", 1) for line in text.splitlines())
    return {name: checksum for checksum, name in lines}


def is_right(path: Path, checksum: str) -> bool:
    """Return whether a file exists and has this checksum."""
    return path.is_file() and hash_file(path) == checksum


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
