"""Read-only arrays, as of an opened atlas, for which set-up has compiled the kernels."""

from typing import TypeVar

Arrays = TypeVar("Arrays", bound=tuple)


def opened(arrays: Arrays) -> Arrays:
    """Return a named tuple with read-only views of its arrays."""
    views = [array.view() for array in arrays]
    for view in views:
        view.setflags(write=False)
    return type(arrays)(*views)
