"""Return of released memory to the operating system."""

import ctypes
import gc
from typing import Final

#: Parameter of mallopt(3): size from which an array has pages of its own.
_M_MMAP_THRESHOLD: Final = -3
#: That size [bytes]. The C library would raise it to the largest array released so far, and keep
#: the labels of searched lattices in its pools.
_LARGE_ARRAY: Final = 4 * 2**20
#: Parameter of mallopt(3): size of free memory at a pool's end from which it is returned.
_M_TRIM_THRESHOLD: Final = -1
#: That size [bytes]. The default of 128 kB would return and fetch the memory of smaller arrays
#: again and again during a planning, which takes a tenth of its time.
_FREE_AT_END: Final = 128 * 2**20


def return_large_arrays() -> None:
    """Return the memory of large arrays as soon as they are released, from now on.

    That of smaller ones is kept until :func:`release_memory`.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # the GNU C library's alone
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_ARRAY)
        libc.mallopt(_M_TRIM_THRESHOLD, _FREE_AT_END)


def release_memory() -> None:
    """Collect garbage and return free heap memory with malloc_trim(3)."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # the GNU C library's alone
        libc.malloc_trim(0)
