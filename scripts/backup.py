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
    """Write the backup; `target` appears only once it is complete."""
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
        with tarfile.open(draft, "w") as archive:
            for each in (MANIFEST, DUMP):
                archive.add(workshop / each, each)
            for name, folder in folders.items():
                if folder.is_dir():
                    archive.add(folder, name, filter=_leave_out_drafts)
        draft.replace(target)
    rows = sum(table["rows"] for table in fingerprint["tables"].values())
    size_mb = target.stat().st_size / 1e6
    say(f"{target}: {rows} rows of {len(fingerprint['tables'])} tables, {size_mb:.1f} MB")


def _leave_out_drafts(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what is being written or removed: its name begins with a dot."""
    return None if Path(member.name).name.startswith(".") else member


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
        for name, folder in folders.items():
            unpack_folder(archive, name, folder)
    for table, kept in saved["tables"].items():
        say(f"  {table:<28} {kept['rows']:>10} rows  {kept['hash']}")
    different = database_copy.differences(saved, restored)
    if different:
        raise ServiceError("not everything was restored:\n  " + "\n  ".join(different))
    say(f"Restored as it was on {manifest['made_at']}: rows, sequences and rights are the same.")


def unpack_folder(archive: tarfile.TarFile, name: str, folder: Path) -> None:
    """Restore the members of a folder that are missing: runs of weather, or charts."""
    folder.mkdir(parents=True, exist_ok=True)
    present = {path.name for path in folder.iterdir()}
    for member in archive.getmembers():
        top, *parts = Path(member.name).parts
        if member.isfile() and top == name and ".." not in parts and parts[0] not in present:
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            unpack(archive, member, target)


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
