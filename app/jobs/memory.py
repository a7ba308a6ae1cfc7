"""Return of released memory to the operating system."""

import ctypes
import gc


def release_memory() -> None:
    """Collect garbage and return free heap memory with malloc_trim(3)."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # the GNU C library's alone
        libc.malloc_trim(0)
