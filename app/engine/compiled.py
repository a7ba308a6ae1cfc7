"""Numba's ``njit`` for all kernels, with a cache that recovers from damaged files.

Where ``NUMBA_CACHE_DIR`` cannot be written, Numba tries the folders of the sources and of the user,
and fails without naming it. A warning at import names it.

Numba compiles a kernel that is missing from its cache, but fails at each start on a cache file
that is truncated, for example by a full disk. Here a damaged file counts as missing, and
compiling replaces it.
"""

import logging
import os
import pickle
import tempfile
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final

import numba
from numba.core.caching import IndexDataCacheFile

__all__ = ["BORROWING", "njit", "njit_borrowing"]

logger = logging.getLogger(__name__)

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

#: Folder of ``NUMBA_CACHE_DIR``, empty if it is not set.
_FOLDER: Final[str] = getattr(numba.config, "CACHE_DIR", "")


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


def _warn_if_unwritable(folder: str) -> None:
    """Log a warning if compiled kernels cannot be kept in the folder."""
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        logger.warning(
            "NUMBA_CACHE_DIR: %s cannot be written (%s). Name a folder that this account may write;"
            " without it kernels are compiled again at each start, or the start fails",
            folder,
            error.strerror,
        )


if _FOLDER:
    _warn_if_unwritable(_FOLDER)
