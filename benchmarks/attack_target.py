"""A service under attack, and the outcome of an attack."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.installation import SHORT_VOYAGE, VESSEL, Installation

READ_EVERY_S = 0.05
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Outcome:
    """Outcome of an attack, and whether it was repelled."""

    number: int
    attack: str
    before: str
    after: str
    is_repelled: bool
    others_p95_s: float | None = None


@dataclass
class Target:
    """The service under attack, an attacker's key and another organization's."""

    service: Installation
    attacker: str
    other: str
    seconds: float

    def ask(
        self, method: str, path: str, body: Any = None, key: str | None = None
    ) -> tuple[int, bytes]:
        """Call an operation as the attacker, or with another key; status 0 without an answer."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.service.settings.address}{path}",
            method=method,
            data=data,
            headers={"X-API-Key": key or self.attacker, "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def order(self, key: str, vessel_id: str, **changes: Any) -> tuple[int, bytes]:
        """Request a short voyage."""
        return self.ask(
            "POST", "/v1/charting", SHORT_VOYAGE | changes | {"vesselId": vessel_id}, key
        )

    def make_vessel(self, key: str) -> str:
        """Register a vessel; return its id."""
        return str(json.loads(self.ask("POST", "/v1/vessel", VESSEL, key)[1])["id"])

    @contextmanager
    def reading(self) -> Iterator[list[float]]:
        """Let the other organization read continuously; yield the duration of each read [s]."""
        took: list[float] = []
        ended = threading.Event()

        def read() -> None:
            while not ended.wait(READ_EVERY_S):
                began = time.perf_counter()
                status, _ = self.ask("GET", "/v1/charting", key=self.other)
                took.append(time.perf_counter() - began if status == 200 else PATIENCE_S)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield took
        finally:
            ended.set()
            reader.join()


def p95(took: Sequence[float]) -> float:
    """Return the 95th percentile [s]."""
    return round(float(np.quantile(took, 0.95)), 3) if took else PATIENCE_S
