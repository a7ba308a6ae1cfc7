"""Types of arrays, for annotations. Shapes and units stand in the docstrings of their users."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
FloatOrArray: TypeAlias = float | Floats
