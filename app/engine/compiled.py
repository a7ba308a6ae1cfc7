"""Numba's ``njit`` for all kernels, with a cache that recovers from damaged files.

Numba compiles a kernel that is missing from its cache, but fails at each start on a cache file
that is truncated, for example by a full disk. Here a damaged file counts as missing, and
compiling replaces it.
"""

import pickle
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final

import numba
from numba.core.caching import IndexDataCacheFile

__all__ = ["BORROWING", "njit", "njit_borrowing"]

#: For kernels in general.
njit: Final = partial(numba.njit, _nrt=True)

#: For small kernels that create and return no arrays. Numba counts the references to each array
#: argument with atomic instructions, which take longer than the work of such a kernel. The caller
#: keeps the arrays alive.
njit_borrowing: Final = partial(numba.njit, _nrt=False)

#: The same for implementations with ``numba.extending.overload``, as its ``jit_options``.
BORROWING: Final[Any] = {"_nrt": False, "error_model": "numpy"}

#: Errors raised when a truncated or overwritten pickle is read.
_DAMAGE: Final = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError,
                  KeyError, TypeError, ValueError)  # fmt: skip


def _tolerate_damage(read: Callable[..., Any], on_damage: Callable[[], Any]) -> Callable[..., Any]:
    """Wrap a reader of the cache so that a damaged file is treated as missing."""

    @wraps(read)
    def tolerant(*arguments: Any) -> Any:
        try:
            return read(*arguments)
        except _DAMAGE:
            return on_damage()

    return tolerant


def _raise_missing() -> Any:
    raise FileNotFoundError


IndexDataCacheFile._load_index = _tolerate_damage(IndexDataCacheFile._load_index, dict)  # type: ignore[method-assign]
IndexDataCacheFile._load_data = _tolerate_damage(IndexDataCacheFile._load_data, _raise_missing)  # type: ignore[method-assign]
