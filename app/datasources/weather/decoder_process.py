"""Reading of weather files in a process of its own.

A damaged file may lead the native libraries out of its memory or into an endless loop. That ends
the process that reads it, and not the worker or the command that imports it.
"""

import faulthandler
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Final, TypeVar

#: Longest time until the next item is read [s]: the largest grid takes a few.
_LONGEST_S: Final = 120
#: A fork inherits the libraries, whose import would take longer than most files.
_CONTEXT: Final = multiprocessing.get_context("fork")

_Item = TypeVar("_Item")


class DecoderStopped(Exception):
    """A file ended the process that was reading it."""


def read_apart(read: Callable[[], Iterable[_Item]]) -> Iterator[_Item]:
    """Give the items of ``read``, which is called in a process of its own.

    Errors of ``read`` are raised here. Raise :class:`DecoderStopped` if the process ends early.
    """
    receiving, sending = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_send_items, args=(read, sending), daemon=True)
    process.start()
    sending.close()
    try:
        while (received := receiving.recv()) is not None:
            item, fault = received
            if fault is not None:
                raise fault
            yield item
    except EOFError:
        process.join()
        raise DecoderStopped(_describe_end(process.exitcode or 0)) from None
    finally:
        process.kill()
        process.join()
        receiving.close()


def _send_items(read: Callable[[], Iterable[_Item]], sending: Connection) -> None:
    # the alarm ends this process also when the one that reads from it has been killed
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()  # the other process reports the signal
    signal.alarm(_LONGEST_S)
    try:
        for item in read():
            signal.alarm(0)
            sending.send((item, None))
            signal.alarm(_LONGEST_S)
    except Exception as fault:  # raised by the process that asked
        sending.send((None, fault))
    else:
        sending.send(None)


def _describe_end(exit_code: int) -> str:
    """Describe why a process ended early, by its exit code; signals have negative ones."""
    if exit_code == -signal.SIGALRM:
        return f"reading it takes longer than {_LONGEST_S} s; it is damaged"
    cause = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
    return f"it ends the process that reads it ({cause}); it is damaged"
