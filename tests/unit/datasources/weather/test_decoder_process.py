"""Files read in a process of their own, which a damaged one may end."""

import os
import selectors
import signal
import threading
from collections.abc import Iterator

import pytest

from app.datasources.weather.decoder_process import DecoderStopped, read_in_process


def test_items_come_in_order_from_another_process() -> None:
    assert list(read_in_process(lambda: (os.getpid() for _ in range(2)))) != [os.getpid()] * 2
    assert list(read_in_process(lambda: range(3))) == [0, 1, 2]


def test_an_error_in_the_process_is_raised_after_the_items_before_it() -> None:
    def read() -> Iterator[int]:
        yield 1
        raise ValueError("no number")

    items = read_in_process(read)
    assert next(items) == 1
    with pytest.raises(ValueError, match="no number"):
        next(items)


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGSEGV, "SIGSEGV"), (signal.SIGABRT, "SIGABRT"), (signal.SIGALRM, "longer than")],
)
def test_a_process_that_a_file_ends_is_an_error_that_says_so(
    number: signal.Signals, words: str
) -> None:
    def read() -> Iterator[int]:
        yield 1
        os.kill(os.getpid(), number)

    items = read_in_process(read)
    assert next(items) == 1
    with pytest.raises(DecoderStopped, match=words):
        next(items)


def test_a_reader_that_stops_early_leaves_no_process() -> None:
    items = read_in_process(lambda: iter([os.getpid(), 0]))
    process = next(items)
    items.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_process_ends_once_the_one_that_reads_from_it_has_been_killed() -> None:
    receiving, sending = os.pipe()
    killed = os.fork()
    if not killed:
        try:
            os.close(receiving)
            items = read_in_process(lambda: (bytes(1_000_000) for _ in range(100)))
            next(items)
            os.write(sending, b"1")
            signal.pause()
        finally:
            os._exit(1)
    os.close(sending)
    assert os.read(receiving, 1) == b"1"
    os.kill(killed, signal.SIGKILL)
    os.waitpid(killed, 0)
    # both have the end that was written to: it is closed when both have ended
    with selectors.DefaultSelector() as selector:
        selector.register(receiving, selectors.EVENT_READ)
        assert selector.select(30.0)
    assert os.read(receiving, 1) == b""
    os.close(receiving)


class Uncopied(Exception):
    """An error that is made of two parts, and of which a copy is made of one."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


class WithLock(Exception):
    """An error that cannot be copied at all."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.lock = threading.Lock()


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (EOFError("no more"), EOFError, "^no more$"),
        (Uncopied("message 3", "no bytes"), RuntimeError, "^Uncopied: message 3: no bytes$"),
        (WithLock("locked"), RuntimeError, "^WithLock: locked$"),
    ],
)
def test_any_error_of_reading_arrives_with_its_words(
    fault: Exception, kind: type[Exception], words: str
) -> None:
    def read() -> Iterator[int]:
        yield 1
        raise fault

    items = read_in_process(read)
    assert next(items) == 1
    with pytest.raises(kind, match=words):
        next(items)


@pytest.mark.parametrize(("file_bytes", "longest_s"), [(0, 120), (23_000_000, 350), (10**12, 3720)])
def test_the_time_until_an_item_grows_with_the_file(file_bytes: int, longest_s: int) -> None:
    items = read_in_process(lambda: iter([signal.alarm(0)]), file_bytes=file_bytes)
    assert next(items) == pytest.approx(longest_s, abs=10)
