"""Files read in a process of their own, which a damaged one may end."""

import os
import signal
from collections.abc import Iterator

import pytest

from app.datasources.weather.decoder_process import DecoderStopped, read_apart


def test_items_come_in_order_from_another_process() -> None:
    assert list(read_apart(lambda: (os.getpid() for _ in range(2)))) != [os.getpid()] * 2
    assert list(read_apart(lambda: range(3))) == [0, 1, 2]


def test_an_error_in_the_process_is_raised_after_the_items_before_it() -> None:
    def read() -> Iterator[int]:
        yield 1
        raise ValueError("no number")

    items = read_apart(read)
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

    items = read_apart(read)
    assert next(items) == 1
    with pytest.raises(DecoderStopped, match=words):
        next(items)


def test_a_reader_that_stops_early_leaves_no_process() -> None:
    items = read_apart(lambda: iter([os.getpid(), 0]))
    process = next(items)
    items.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
