"""Reading of weather files in a process of its own.

A damaged file may lead the native libraries out of its memory or into an endless loop. That ends
the process that reads it, and not the worker or the command that imports it.
"""

import faulthandler
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

#: Longest time until the next item is read [s]: the largest grid takes a few.
_LONGEST_S: Final = 120
#: Slowest reading [bytes/s] of a file, all of which may come before one item: the smallest
#: messages have some 200 bytes, of which a thousand take a second. And the most that it adds [s].
_SLOWEST_BYTES_PER_S: Final = 100_000
_MOST_ADDED_S: Final = 3600
#: A fork inherits the libraries, whose import would take longer than most files.
_CONTEXT: Final = multiprocessing.get_context("fork")

_Item = TypeVar("_Item")


class DecoderStopped(Exception):
    """A file ended the process that was reading it."""


def read_in_process(read: Callable[[], Iterable[_Item]], *, file_bytes: int = 0) -> Iterator[_Item]:
    """Give the items of ``read``, which is called in a process of its own.

    Errors of ``read`` are raised here. Raise :class:`DecoderStopped` if the process ends early, or
    takes too long until an item for a file of ``file_bytes``.
    """
    longest_s = _LONGEST_S + min(file_bytes // _SLOWEST_BYTES_PER_S, _MOST_ADDED_S)
    receiving, sending = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(
        target=_send_items, args=(read, sending, receiving, longest_s), daemon=True
    )
    process.start()
    sending.close()
    try:
        while (received := _receive(receiving)) is not None:
            item, fault = received
            if fault is not None:
                raise fault
            yield item
    except _Ended:
        process.join()
        raise DecoderStopped(_describe_end(process.exitcode or 0, longest_s)) from None
    finally:
        process.kill()
        process.join()
        receiving.close()


class _Ended(Exception):
    """The process has ended before the last item."""


def _receive(receiving: Connection) -> Any:
    """Receive an item and an error, or ``None`` after the last item."""
    try:
        return receiving.recv()
    except EOFError:  # not one of reading the file
        raise _Ended from None


def _send_items(
    read: Callable[[], Iterable[_Item]], sending: Connection, receiving: Connection, longest_s: int
) -> None:
    # if the process that asked is killed, sending fails only if no other has its end of the pipe
    receiving.close()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()  # the other process reports the signal
    signal.alarm(longest_s)
    with suppress(BrokenPipeError):
        try:
            for item in read():
                signal.alarm(0)  # the other process may take its time
                sending.send((item, None))
                signal.alarm(longest_s)
        except BrokenPipeError:
            raise
        except Exception as fault:  # raised by the process that asked
            sending.send((None, _make_plain(fault)))
        else:
            sending.send(None)


def _make_plain(fault: Exception) -> Exception:
    """Return an error that the pipe takes: the fault, or its words if it cannot be copied."""
    try:
        pickle.loads(pickle.dumps(fault))  # noqa: S301  its own bytes
    except Exception:  # whatever its class does
        return RuntimeError(f"{type(fault).__name__}: {fault}")
    return fault


def _describe_end(exit_code: int, longest_s: int) -> str:
    """Describe why a process ended early, by its exit code; signals have negative ones."""
    if exit_code == -signal.SIGALRM:
        return f"reading it takes longer than {longest_s} s; it is damaged"
    cause = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
    return f"it ends the process that reads it ({cause}); it is damaged"
