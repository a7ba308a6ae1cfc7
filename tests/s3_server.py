"""An S3-compatible server: moto, in a separate process with separate packages.

Its AWS client needs older packages than Chartroom, so it is installed in a folder of its own.
"""

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import obstore
import pytest
from obstore.store import S3Store

from tests.waiting import wait_until

PACKAGES = Path(__file__).parents[1] / "var" / "moto"
BUCKET = "runs"


@contextmanager
def serving_s3(log: Path) -> Iterator[str]:
    """Run a server on a free port, with credentials in the environment."""
    if not PACKAGES.is_dir():
        pytest.fail("moto is not installed in var/moto: `make test` does it", pytrace=False)
    environment = os.environ | {"PYTHONPATH": str(PACKAGES)}
    command = [sys.executable, "-m", "moto.server", "-p", "0"]
    with log.open("wb") as out, pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("AWS_REGION", "us-east-1")
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        try:
            yield _wait_for_address(process, log)
        finally:
            process.kill()
            process.wait()


def _wait_for_address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    address = re.compile(r"http://127\.0\.0\.1:\d+")

    def is_up() -> bool:
        assert process.poll() is None, log.read_text()
        return address.search(log.read_text()) is not None

    wait_until(is_up, "server of S3")
    found = address.search(log.read_text())
    assert found is not None
    return found[0]


def make_bucket(endpoint: str) -> None:
    """Create the bucket unless it exists."""
    request = urllib.request.Request(f"{endpoint}/{BUCKET}", method="PUT")  # noqa: S310
    urllib.request.urlopen(request).close()  # noqa: S310


def store_of(endpoint: str, prefix: str | None = None) -> S3Store:
    """Return a store to read and damage the objects in the bucket."""
    return S3Store(BUCKET, prefix=prefix, endpoint=endpoint, client_options={"allow_http": True})


def list_objects(store: S3Store) -> list[str]:
    return sorted(entry["path"] for page in obstore.list(store) for entry in page)
