"""Runs in a bucket: published, fetched by checksum, refused if damaged."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import obstore
import pytest
from obstore.store import S3Store

from app.datasources.weather.bucket import BucketFault, RunBucket, partial_folder
from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.datasources.weather.store import MEMBERS, open_run
from tests.s3_server import BUCKET, list_objects, make_bucket, serving_s3, store_of
from tests.unit.engine.weather.seas import uniform_climatology

RUN = "made-run"


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_s3(tmp_path_factory.mktemp("s3") / "log") as url:
        make_bucket(url)
        yield url


@pytest.fixture
def bucket(endpoint: str) -> RunBucket:
    return RunBucket(f"{BUCKET}/weather", endpoint)


@pytest.fixture
def objects(endpoint: str) -> Iterator[S3Store]:
    """Contents of the bucket, which is emptied at the end."""
    store = store_of(endpoint, "weather")
    yield store
    if left := list_objects(store):
        obstore.delete(store, left)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A run in the store of the machine that took it in, with a member."""
    with RunWriter(tmp_path / "here") as writer:
        layers = uniform_climatology().layers
        axes = {group: LayerAxes(each.grid, each.times_h) for group, each in layers.items()}
        for group, room in writer.add_layers(axes).items():
            room[:] = layers[group].source.reshape(room.shape)
        writer.finish("made", None, folder_name=RUN)
    folder = tmp_path / "here" / RUN
    (folder / MEMBERS).mkdir()
    manifest = (folder / "manifest.json").read_text()
    (folder / MEMBERS / "manifest.json").write_text(manifest[:-1] + ', "members": [7]}')
    (folder / MEMBERS / "007.wave.npy").write_bytes(b"waves of member 7")
    return folder


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """The store of another machine."""
    return tmp_path / "there"


def read_files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(".fetching")
    }


def test_another_machine_fetches_every_byte_of_a_run(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    digest = bucket.publish(stored)
    bucket.fetch(RUN, digest, there, [7])
    assert read_files(there / RUN) == read_files(stored)
    assert open_run(there / RUN).layers
    assert {path.name for path in there.iterdir()} == {RUN, ".fetching"}


def test_members_are_fetched_only_once_they_are_needed(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    digest = bucket.publish(stored)
    bucket.fetch(RUN, digest, there, [])
    assert not (there / RUN / MEMBERS).exists()
    before = (there / RUN / "manifest.json").stat().st_ino
    bucket.fetch(RUN, digest, there, [7])
    assert read_files(there / RUN) == read_files(stored)
    assert (there / RUN / "manifest.json").stat().st_ino == before, "what is there is not fetched"


def test_an_object_of_several_parts_comes_whole(
    bucket: RunBucket,
    objects: S3Store,
    stored: Path,
    there: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.datasources.weather.bucket._PART", 1000)
    bucket.fetch(RUN, bucket.publish(stored), there, [7])
    assert read_files(there / RUN) == read_files(stored)


@pytest.mark.parametrize("damage", ["changed", "cut short", "missing"])
def test_a_damaged_object_is_refused_by_its_name_and_leaves_the_store_as_it_was(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path, damage: str
) -> None:
    digest = bucket.publish(stored)
    bucket.fetch(RUN, digest, there, [])
    before = read_files(there / RUN)
    key = f"{RUN}/{MEMBERS}/007.wave.npy"
    if damage == "missing":
        obstore.delete(objects, key)
    else:
        obstore.put(objects, key, b"waves" if damage == "cut short" else b"Waves of member 7")
    with pytest.raises(BucketFault, match=f"{BUCKET}/weather/{key}"):
        bucket.fetch(RUN, digest, there, [7])
    assert read_files(there) == {f"{RUN}/{name}": content for name, content in before.items()}


def fail_at_the_last_file(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> tuple[str, str]:
    """Publish a run, spoil its last file and try to fetch it: the index's SHA-256, the file."""
    digest = bucket.publish(stored)
    last = sorted(path.name for path in stored.glob("*.npy"))[-1]
    obstore.put(objects, f"{RUN}/{last}", b"something else")
    with pytest.raises(BucketFault, match=last):
        bucket.fetch(RUN, digest, there, [])
    return digest, last


def test_nothing_is_seen_of_a_run_until_its_last_object_is_right(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    fail_at_the_last_file(bucket, objects, stored, there)
    assert read_files(there) == {}
    assert not (there / RUN).exists()


def test_an_interrupted_fetch_goes_on_from_the_files_that_are_right(
    bucket: RunBucket,
    objects: S3Store,
    stored: Path,
    there: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digest, last = fail_at_the_last_file(bucket, objects, stored, there)
    left = partial_folder(there / RUN) / "control" / "of-an-older-index.npy"
    left.write_bytes(b"replaced")
    obstore.put(objects, f"{RUN}/{last}", (stored / last).read_bytes())
    fetched: list[str] = []
    download = RunBucket._download

    def note(self: RunBucket, key: str, path: Path, checksum: str) -> None:
        fetched.append(key)
        download(self, key, path, checksum)

    monkeypatch.setattr(RunBucket, "_download", note)
    bucket.fetch(RUN, digest, there, [7])
    assert fetched[0] == f"{RUN}/{last}"
    assert all(key.startswith(f"{RUN}/{MEMBERS}/") for key in fetched[1:])
    assert read_files(there / RUN) == read_files(stored)
    assert {path.name for path in there.iterdir()} == {RUN, ".fetching"}


def test_what_a_removal_left_behind_is_not_published(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    (stored / ".gone-members").mkdir()
    (stored / ".gone-members" / "001.wave.npy").write_bytes(b"waves of member 1")
    bucket.fetch(RUN, bucket.publish(stored), there, [7])
    assert not any(".gone" in key for key in list_objects(objects))
    assert open_run(there / RUN).layers


def test_an_index_that_is_too_large_is_not_read(
    bucket: RunBucket, objects: S3Store, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = bucket.publish(stored)
    monkeypatch.setattr("app.datasources.weather.bucket._INDEX_LIMIT", 100)
    with pytest.raises(BucketFault, match=f"index-{digest} is damaged"):
        bucket.read_index(RUN, digest)


def test_an_index_that_was_changed_is_refused(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    digest = bucket.publish(stored)
    obstore.put(objects, f"{RUN}/index-{digest}", f"{'0' * 64}  ../../evil\n".encode())
    with pytest.raises(BucketFault, match=f"index-{digest} is damaged"):
        bucket.fetch(RUN, digest, there, [])
    assert not any(path.is_dir() for path in there.iterdir())


def test_publishing_again_repairs_damaged_files(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    digest = bucket.publish(stored)
    obstore.put(objects, f"{RUN}/manifest.json", b"{}")
    assert bucket.publish(stored) == digest
    bucket.fetch(RUN, digest, there, [])
    assert open_run(there / RUN).layers


def test_workers_of_one_machine_fetch_a_run_once(
    bucket: RunBucket, objects: S3Store, stored: Path, there: Path
) -> None:
    digest = bucket.publish(stored)
    with ThreadPoolExecutor(4) as pool:
        for fetched in [pool.submit(bucket.fetch, RUN, digest, there, [7]) for _ in range(4)]:
            fetched.result()
    assert read_files(there / RUN) == read_files(stored)
    assert {path.name for path in there.iterdir()} == {RUN, ".fetching"}


def test_what_is_removed_leaves_the_bucket_and_no_other_run(
    bucket: RunBucket, objects: S3Store, stored: Path
) -> None:
    bucket.publish(stored)
    other = stored.rename(stored.with_name(f"{RUN}-2"))
    bucket.publish(other)
    bucket.remove(f"{RUN}/{MEMBERS}")
    assert not any(MEMBERS in key for key in list_objects(objects) if key.startswith(f"{RUN}/"))
    bucket.remove(RUN)
    left = list_objects(objects)
    assert left
    assert all(key.startswith(f"{RUN}-2/") for key in left)


@pytest.mark.parametrize("name", ["nosuchbucket", BUCKET])
def test_a_bucket_that_does_not_answer_is_a_fault_that_names_it(endpoint: str, name: str) -> None:
    address = "http://127.0.0.1:1" if name == BUCKET else endpoint
    with pytest.raises(BucketFault, match=f"^{name}: "):
        RunBucket(name, address).check_reachable()
