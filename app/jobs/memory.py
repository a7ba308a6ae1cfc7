"""Memory that a process has released, given back to the system."""

import ctypes
import gc


def release_memory() -> None:
    """Collect garbage and give what is free in the heap back, as malloc_trim(3) does."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # the GNU C library's alone
        libc.malloc_trim(0)
