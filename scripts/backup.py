"""Back up an installation to one file, and restore it.

    backup.py save FILE        while the service runs or is stopped
    backup.py restore FILE     into an empty database; the service is stopped

The file is a tar of the database (rows, tables, rights of roles), of the stored weather runs and of
the electronic charts. Sea atlas, climatology, kernels and the jobs in Redis are not in it; they are
built again. Runs with the project's own Python. DATABASE_URL, WEATHER_DIR and CHARTS_DIR name
database and folders; the default is the installation of `make run`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import database_copy
import psycopg
from local_processes import ServiceError
from local_services import LocalServices, say
from setup_steps import VAR

FORMAT = 1
MANIFEST, DUMP = "manifest.json", "database.dump"

#: Folders in the backup, by their names in it.
Folders = Mapping[str, Path]


def save(url: str, folders: Folders, target: Path) -> None:
    """Write the backup; `target` appears only once it is complete.

    Raises ServiceError if its folder is missing.
    """
    if not target.parent.is_dir():
        raise ServiceError(f"There is no folder {target.parent}. Create it, or name another file.")
    with tempfile.TemporaryDirectory(dir=target.parent) as created:
        workshop = Path(created)
        fingerprint = database_copy.save(url, workshop / DUMP)
        manifest = {
            "format": FORMAT,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "roles": database_copy.roles_of(fingerprint, url),
            "fingerprint": fingerprint,
        }
        (workshop / MANIFEST).write_text(json.dumps(manifest, indent=1))
        draft = workshop / "backup.tar"
        draft.touch(mode=0o600)
        # "dereference" stores a file with several names under each of them
        with tarfile.open(draft, "w", dereference=True) as archive:
            for each in (MANIFEST, DUMP):
                archive.add(workshop / each, each)
            for name, folder in folders.items():
                add_folder(archive, folder.resolve(), name)
        draft.replace(target)
    rows = sum(table["rows"] for table in fingerprint["tables"].values())
    size_mb = target.stat().st_size / 1e6
    say(f"{target}: {rows} rows of {len(fingerprint['tables'])} tables, {size_mb:.1f} MB")


def add_folder(archive: tarfile.TarFile, folder: Path, name: str) -> None:
    """Add the runs of weather, or the charts, in a folder."""
    if not folder.is_dir():
        say(f"{folder} is no folder: the backup holds no {name}")
        return
    for path in _list_whole(folder):
        _add(archive, path, Path(name, path.name))


def _add(archive: tarfile.TarFile, path: Path, name: Path) -> None:
    """Add a file, or a folder. Of one that is removed meanwhile nothing is added."""
    begun = archive.offset
    try:
        inside = _list_whole(path) if path.is_dir() else [path]
        folders = [each for each in inside if each.is_dir()]
        for each in inside:
            if each not in folders:
                placed = name / each.relative_to(path)
                with each.open("rb") as file:
                    archive.addfile(archive.gettarinfo(arcname=str(placed), fileobj=file), file)
    except FileNotFoundError:
        say(f"{path} was removed meanwhile and is not in the backup")
        _cut(archive, begun)
        return
    for each in folders:
        _add(archive, each, name / each.name)


def _cut(archive: tarfile.TarFile, offset: int) -> None:
    """Remove from an archive what was added since it had a length."""
    file: Any = archive.fileobj
    file.seek(offset)
    file.truncate()
    archive.offset = offset


def _list_whole(folder: Path) -> list[Path]:
    """List a folder without what is being written or removed: its name begins with a dot.

    Links are named and left out: the service's account could have them lead root elsewhere.
    """
    found = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    for path in found:
        if path.is_symlink():
            say(f"{path} is a link and is not in the backup")
    return [path for path in found if not path.is_symlink()]


def restore(url: str, folders: Folders, source: Path) -> None:
    """Fill an empty database and the folders; check that everything was restored."""
    with tempfile.TemporaryDirectory() as created, tarfile.open(source) as archive:
        workshop = Path(created)
        unpack(archive, archive.getmember(MANIFEST), workshop / MANIFEST)
        manifest = json.loads((workshop / MANIFEST).read_text())
        if manifest["format"] != FORMAT:
            raise ServiceError(f"{source} is of format {manifest['format']}, not {FORMAT}")
        unpack(archive, archive.getmember(DUMP), workshop / DUMP)
        saved = manifest["fingerprint"]
        restored = database_copy.restore(url, workshop / DUMP, manifest["roles"], saved["owners"])
        links = [line for name in folders for line in unpack_folder(archive, name, folders[name])]
    for table, kept in saved["tables"].items():
        say(f"  {table:<28} {kept['rows']:>10} rows  {kept['hash']}")
    different = [*database_copy.differences(saved, restored), *links]
    if different:
        raise ServiceError("not everything was restored:\n  " + "\n  ".join(different))
    say(f"Restored as it was on {manifest['made_at']}: rows, sequences and rights are the same.")


def unpack_folder(archive: tarfile.TarFile, name: str, folder: Path) -> list[str]:
    """Restore what is missing in a folder: runs of weather, or charts; return what could not be."""
    folder.mkdir(parents=True, exist_ok=True)
    present = {path.name for path in folder.iterdir()}
    members = [each for each in archive.getmembers() if Path(each.name).parts[:1] == (name,)]
    # each is renamed when it is whole: the disk may be full before; the sweep of unfinished runs
    # finds this name
    with tempfile.TemporaryDirectory(dir=folder, prefix=".making-") as created:
        for member in members:
            parts = Path(member.name).parts[1:]
            if member.isfile() and parts and ".." not in parts and parts[0] not in present:
                target = Path(created).joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                unpack(archive, member, target)
        for whole in Path(created).iterdir():
            whole.rename(folder / whole.name)
    links = [each for each in members if each.issym() or each.islnk()]
    return [f"{each.name}: a link to {each.linkname}, not its content" for each in links]


def unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Write the bytes of a member; nothing else of it is trusted."""
    content = archive.extractfile(member)
    if content is None:
        raise ServiceError(f"{member.name} in the backup is no file")
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)


def database_url(action: str) -> str:
    """Return the address of the named database, or of the one that `make run` runs.

    Saving uses the login in `BACKUP_DATABASE_URL` if it is set; restoring needs the owner's.
    Raises ServiceError when there is neither.
    """
    variables = ["BACKUP_DATABASE_URL", "DATABASE_URL"] if action == "save" else ["DATABASE_URL"]
    for variable in variables:
        if named := os.environ.get(variable):
            return named
    services = LocalServices(Path(os.environ.get("STATE_DIR") or VAR), names=["postgres"])
    if not services.running()["postgres"]:
        raise ServiceError("DATABASE_URL is not set, and no `make run` is running here")
    return services.environment()["DATABASE_URL"]


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(description="back an installation up, and restore it")
    parser.add_argument("action", choices=["save", "restore"])
    parser.add_argument("file", type=Path)
    asked = parser.parse_args(arguments)
    folders = {
        "weather-runs": Path(os.environ.get("WEATHER_DIR") or VAR / "weather") / "runs",
        "charts": Path(os.environ.get("CHARTS_DIR") or VAR / "charts"),
    }
    try:
        action = {"save": save, "restore": restore}[asked.action]
        action(database_url(asked.action), folders, asked.file.resolve())
    except (tarfile.TarError, KeyError) as error:
        say(f"backup: {asked.file} is no whole backup: {error}")
        return 1
    except (ServiceError, psycopg.Error, OSError) as error:
        say(f"backup: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
