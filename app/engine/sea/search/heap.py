"""A binary heap of keys and nodes, as kernels."""

import numpy as np

from app.engine.compiled import njit


@njit(cache=True)
def push(keys, nodes, size, key, node):  # type: ignore[no-untyped-def]
    """Put an item into a binary heap of ``size`` items; there must be room."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] <= key:
            break
        keys[i] = keys[up]
        nodes[i] = nodes[up]
        i = up
    keys[i] = key
    nodes[i] = node


@njit(cache=True)
def pop(keys, nodes, size):  # type: ignore[no-untyped-def]
    """Move the last item to the root and sift it down; the caller has read the root."""
    key = keys[size - 1]
    node = nodes[size - 1]
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i] = keys[child]
        nodes[i] = nodes[child]
        i = child
    keys[i] = key
    nodes[i] = node


@njit(cache=True)
def grow(keys, nodes):  # type: ignore[no-untyped-def]
    """A heap's arrays, twice as long."""
    more_keys = np.empty(2 * keys.size, dtype=keys.dtype)
    more_nodes = np.empty(2 * nodes.size, dtype=nodes.dtype)
    more_keys[: keys.size] = keys
    more_nodes[: nodes.size] = nodes
    return more_keys, more_nodes
