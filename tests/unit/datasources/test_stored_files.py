"""Files that root stores are readable and replaceable by the service."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.datasources.enc import write_cell
from app.datasources.stored_files import make_folder, remove_folder, share, share_all
from tests.unit.datasources.test_enc import make_cell
from tests.unit.datasources.weather.test_store import write_run

#: User and group of the service, which need not exist.
SERVICE = 54321, 54322

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """The service's folder, in which an operator works under a private umask."""
    if os.geteuid() == 0:
        os.chown(tmp_path, *SERVICE)
    before = os.umask(0o077)
    yield tmp_path
    os.umask(before)


def owner_of(path: Path) -> tuple[int, int]:
    return path.stat().st_uid, path.stat().st_gid


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@needs_root
def test_weather_that_root_stores_belongs_to_the_service(store: Path) -> None:
    write_run(store / "weather" / "runs")
    assert {owner_of(path) for path in store.rglob("*")} == {SERVICE}


def test_weather_and_charts_that_are_stored_are_readable_by_every_account(store: Path) -> None:
    write_run(store / "runs")
    write_cell(make_cell(), store / "charts")
    modes = {(path.is_dir(), mode_of(path)) for path in store.rglob("*")}
    assert modes == {(True, 0o755), (False, 0o644)}


@needs_root
def test_an_interrupted_download_of_root_is_left_to_the_service(store: Path) -> None:
    make_folder(store / "downloads" / "gfs")
    piece = store / "downloads" / "gfs" / ".f000.0"
    piece.write_bytes(b"GRIB")
    share_all(store / "downloads")
    assert (owner_of(piece), mode_of(piece)) == (SERVICE, 0o644)


def test_a_link_leads_root_nowhere(store: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("of root")
    (store / "link").symlink_to(secret)
    share_all(store)
    with pytest.raises(OSError, match="symbolic links"):
        share(store / "link")
    assert (owner_of(secret), mode_of(secret)) == ((os.geteuid(), os.getegid()), 0o600)


def test_a_folder_of_the_store_that_cannot_be_removed_is_named(
    store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
    remove_folder(store)
    assert f"{store} cannot be removed" in caplog.text
