"""Folders of charts and runs of weather in a backup."""

import errno
import os
import resource
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import backup
import pytest


@pytest.fixture
def pack(tmp_path: Path) -> Callable[[Path], Path]:
    """Pack the folder of charts or runs of weather into an archive."""

    def run(folder: Path) -> Path:
        target = tmp_path / "packed.tar"
        with tarfile.open(target, "w", dereference=True) as archive:
            backup.add_folder(archive, folder.resolve(), folder.name)
        return target

    return run


def unpack(source: Path, name: str, folder: Path) -> list[str]:
    with tarfile.open(source) as archive:
        return backup.unpack_folder(archive, name, folder)


def list_within(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_charts_in_a_folder_that_a_link_leads_to_are_saved(
    tmp_path: Path, pack: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "US5NYC.json").write_bytes(b"{}")
    (tmp_path / "disk" / "US4NY.json").hardlink_to(tmp_path / "disk" / "US5NYC.json")
    (tmp_path / "disk" / "passwords").symlink_to("/etc/passwd")
    (tmp_path / "charts").symlink_to(tmp_path / "disk")
    assert unpack(pack(tmp_path / "charts"), "charts", tmp_path / "restored") == []
    assert list_within(tmp_path / "restored") == {"US4NY.json": b"{}", "US5NYC.json": b"{}"}
    assert "passwords is a link and is not in the backup" in capsys.readouterr().err


def test_a_link_in_place_of_charts_is_named_at_their_restoration(tmp_path: Path) -> None:
    (tmp_path / "charts").symlink_to("/mnt/charts")
    with tarfile.open(tmp_path / "old.tar", "w") as archive:
        archive.add(tmp_path / "charts", "charts")
    missed = unpack(tmp_path / "old.tar", "charts", tmp_path / "restored")
    assert missed == ["charts: a link to /mnt/charts, not its content"]


def write_files(folder: Path, content: bytes, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def test_a_run_that_did_not_fit_on_the_disk_is_restored_the_next_time(
    tmp_path: Path, pack: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "runs" / "gfs-1", b"wind", "wind.npy", "manifest.json")
    packed = pack(tmp_path / "runs")

    def fill(_content: object, file: BinaryIO) -> None:
        file.write(b"w")
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(shutil, "copyfileobj", fill)
        with pytest.raises(OSError, match="No space left"):
            unpack(packed, "runs", tmp_path / "restored")
    unpack(packed, "runs", tmp_path / "restored")
    assert list_within(tmp_path / "restored") == list_within(tmp_path / "runs")


def test_a_run_that_is_retired_while_it_is_saved_is_left_out_and_named(
    tmp_path: Path,
    pack: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs = tmp_path / "runs"
    write_files(runs, b"wind", "a/wind.npy", "b/members/wind.npy", "c/wind.npy")
    write_files(runs, b"{}", "b/manifest.json")
    write = tarfile.TarFile.addfile

    def retire(archive: tarfile.TarFile, member: tarfile.TarInfo, *content: Any) -> None:
        for gone in ("a", "b/members", "c"):
            shutil.rmtree(runs / gone, ignore_errors=True)
        write(archive, member, *content)

    monkeypatch.setattr(tarfile.TarFile, "addfile", retire)
    unpack(pack(runs), "runs", tmp_path / "restored")
    assert list_within(tmp_path / "restored") == {"a/wind.npy": b"wind", "b/manifest.json": b"{}"}
    said = capsys.readouterr().err
    assert f"{runs / 'c'} was removed meanwhile and is not in the backup" in said


def test_of_a_run_that_is_retired_between_two_of_its_files_nothing_is_saved(
    tmp_path: Path,
    pack: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs = tmp_path / "runs"
    write_files(runs, b"wave" * 5000, "a/wave.npy", "b/wave.npy", "b/wind.npy", "c/wave.npy")
    kept = {name: held for name, held in list_within(runs).items() if not name.startswith("b")}
    write = tarfile.TarFile.addfile

    def retire(archive: tarfile.TarFile, member: tarfile.TarInfo, *content: Any) -> None:
        write(archive, member, *content)
        if member.name == "runs/b/wave.npy":
            shutil.rmtree(runs / "b")

    monkeypatch.setattr(tarfile.TarFile, "addfile", retire)
    unpack(pack(runs), "runs", tmp_path / "restored")
    assert list_within(tmp_path / "restored") == kept
    assert f"{runs / 'b'} was removed meanwhile" in capsys.readouterr().err


def test_a_run_of_more_files_than_may_be_open_at_once_is_saved(
    tmp_path: Path, pack: Callable[[Path], Path]
) -> None:
    limit = max(map(int, os.listdir("/dev/fd"))) + 10
    write_files(tmp_path / "runs" / "gfs-1", b"wind", *(f"{n}.npy" for n in range(limit)))
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
    try:
        packed = pack(tmp_path / "runs")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    unpack(packed, "runs", tmp_path / "restored")
    assert list_within(tmp_path / "restored") == list_within(tmp_path / "runs")


def test_a_folder_that_is_missing_is_named(
    tmp_path: Path, pack: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    pack(tmp_path / "charts")
    assert "charts is no folder: the backup holds no charts" in capsys.readouterr().err


def test_a_backup_to_a_folder_that_is_missing_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKUP_DATABASE_URL", "postgresql://nowhere/none")
    assert backup.main(["save", str(tmp_path / "gone" / "chartroom.tar")]) == 1
    assert f"backup: There is no folder {tmp_path / 'gone'}." in capsys.readouterr().err
