"""Types of arrays, for annotations. Shapes and units stand in the docstrings of their users."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
FloatOrArray: TypeAlias = float | Floats


def split_columns(rows: ArrayLike) -> Floats:
    """Return the columns of rows, each a contiguous array.

    Kernels are compiled in advance for contiguous arrays only.
    """
    return np.ascontiguousarray(np.asarray(rows, dtype=np.float64).T)
