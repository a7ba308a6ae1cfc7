"""Arrays as an opened atlas has them, for which set-up has compiled the kernels."""

from typing import TypeVar

Arrays = TypeVar("Arrays", bound=tuple)


def opened(arrays: Arrays) -> Arrays:
    """Read-only views of a named tuple's arrays."""
    views = [array.view() for array in arrays]
    for view in views:
        view.setflags(write=False)
    return type(arrays)(*views)
