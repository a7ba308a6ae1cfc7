"""Compiled binary heap of keys and nodes."""

import numpy as np

from app.engine.compiled import njit, njit_borrowing


@njit_borrowing(cache=True)
def push(keys, nodes, size, key, node):  # type: ignore[no-untyped-def]
    """Insert an item into a binary heap of ``size`` items; the arrays must be large enough."""
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


@njit_borrowing(cache=True)
def pop(keys, nodes, size):  # type: ignore[no-untyped-def]
    """Remove the root, which the caller has read: move the last item there and sift it down."""
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
    """Return a heap's arrays, twice as long."""
    more_keys = np.empty(2 * keys.size, dtype=keys.dtype)
    more_nodes = np.empty(2 * nodes.size, dtype=nodes.dtype)
    more_keys[: keys.size] = keys
    more_nodes[: nodes.size] = nodes
    return more_keys, more_nodes
