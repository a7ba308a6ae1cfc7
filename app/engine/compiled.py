"""Numba's ``njit`` for all kernels, with a cache that damage costs time and nothing else.

Numba takes a cached kernel that is not there for one to compile. One that is cut short, as by a
full disk, it cannot read, and whoever calls the kernel fails at each start. Here such a file counts
as not there, and compiling replaces it.
"""

import pickle
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final

import numba
from numba.core.caching import IndexDataCacheFile

__all__ = ["njit", "njit_borrowing"]

#: For kernels in general.
njit: Final = partial(numba.njit, _nrt=True)

#: For kernels that make and return no arrays, called for each edge or place. Numba counts the
#: references to every array that a kernel is given, those in tuples too, each with an atomic
#: instruction; in a kernel this small that takes longer than its work. The caller keeps the arrays.
njit_borrowing: Final = partial(numba.njit, _nrt=False)

#: What reading a pickle that is cut short or overwritten raises.
_DAMAGE: Final = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError,
                  KeyError, TypeError, ValueError)  # fmt: skip


def _forgive(read: Callable[..., Any], otherwise: Callable[[], Any]) -> Callable[..., Any]:
    """Let a reader of the cache answer as if a damaged file were not there."""

    @wraps(read)
    def forgiving(*arguments: Any) -> Any:
        try:
            return read(*arguments)
        except _DAMAGE:
            return otherwise()

    return forgiving


def _not_there() -> Any:
    raise FileNotFoundError


IndexDataCacheFile._load_index = _forgive(IndexDataCacheFile._load_index, dict)  # type: ignore[method-assign]
IndexDataCacheFile._load_data = _forgive(IndexDataCacheFile._load_data, _not_there)  # type: ignore[method-assign]
