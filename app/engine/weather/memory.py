"""Access to memory-mapped arrays by address in compiled code.

A look-up reads a dozen arrays. If they are passed in a tuple, numba counts references to each of
them at every call, which takes several times the arithmetic (measured: 1240 ns per look-up
against 190 ns). Therefore compiled code gets the addresses of read-only arrays, whose owner (the
weather field) keeps them alive. Bounds are not checked: callers must compute valid indices.
"""

import ctypes
from collections.abc import Callable
from typing import Any, TypeAlias

import llvmlite.ir
from numba import config, types
from numba.extending import intrinsic

#: numba's code generator and types, which have no type hints.
_ir: Any = llvmlite.ir
_many: Any = types.UniTuple

Eight: TypeAlias = tuple[float, float, float, float, float, float, float, float]
EightIndices: TypeAlias = tuple[int, int, int, int, int, int, int, int]


def _loader(element: Any, c_type: Any, size: int) -> Callable[[int, int], Any]:
    """Build a compiled function that reads one element at an address and an index."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda address, index: c_type.from_address(address + size * index).value

    @intrinsic
    def load(typing_context: Any, address: Any, index: Any) -> Any:
        """Element at ``address + size * index``."""

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], context.get_data_type(element).as_pointer())
            return builder.load(builder.gep(pointer, [arguments[1]]))

        return element(types.int64, types.int64), generate

    return load  # type: ignore[return-value]


def _prefetcher(element: Any, size: int) -> Callable[[int, int], Any]:
    """Build a compiled function that prefetches one element without waiting for it."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda address, index: None

    @intrinsic
    def prefetch(typing_context: Any, address: Any, index: Any) -> Any:
        """Prefetch the element at ``address + size * index`` into the cache."""

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            integer, byte = _ir.IntType(32), _ir.IntType(8).as_pointer()
            kind = _ir.FunctionType(_ir.VoidType(), [byte, integer, integer, integer])
            call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
            pointer = builder.inttoptr(arguments[0], context.get_data_type(element).as_pointer())
            place = builder.bitcast(builder.gep(pointer, [arguments[1]]), byte)
            # for reading, with the highest locality, as data
            builder.call(call, [place, integer(0), integer(3), integer(1)])
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), generate

    return prefetch  # type: ignore[return-value]


def _mean(n_channel: int) -> Callable[[int, EightIndices, Eight], tuple[float, ...]]:
    """Build a compiled weighted sum over eight points of their adjacent channels.

    The channels of a point are adjacent in memory, and are loaded, converted and weighted as one
    vector, in half the time of single loads.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda address, at, weights: tuple(
            sum(w * load_int16(address, i + channel) for i, w in zip(at, weights, strict=True))
            for channel in range(n_channel)
        )
    result = _many(types.float64, n_channel)

    @intrinsic
    def weigh(typing_context: Any, address: Any, at: Any, weights: Any) -> Any:
        """Weighted sums of the channels that begin at ``address + 2 * at[k]``."""

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            packed = _ir.VectorType(_ir.IntType(16), n_channel)
            wide = _ir.VectorType(_ir.DoubleType(), n_channel)
            lanes = _ir.Constant(_ir.VectorType(_ir.IntType(32), n_channel), [0] * n_channel)
            start = builder.inttoptr(arguments[0], _ir.IntType(16).as_pointer())
            total = _ir.Constant(wide, [0.0] * n_channel)
            for corner in range(8):
                place = builder.gep(start, [builder.extract_value(arguments[1], corner)])
                values = builder.load(builder.bitcast(place, packed.as_pointer()), align=2)
                weight = builder.insert_element(
                    _ir.Constant(wide, _ir.Undefined),
                    builder.extract_value(arguments[2], corner),
                    _ir.IntType(32)(0),
                )
                weight = builder.shuffle_vector(weight, weight, lanes)
                total = builder.fadd(total, builder.fmul(weight, builder.sitofp(values, wide)))
            sums = [builder.extract_element(total, _ir.IntType(32)(k)) for k in range(n_channel)]
            return context.make_tuple(builder, result, sums)

        eight, indices = _many(types.float64, 8), _many(types.int64, 8)
        return result(types.int64, indices, eight), generate

    return weigh  # type: ignore[return-value]


prefetch_int16 = _prefetcher(types.int16, 2)

load_int16 = _loader(types.int16, ctypes.c_int16, 2)
load_int32 = _loader(types.int32, ctypes.c_int32, 4)
load_int64 = _loader(types.int64, ctypes.c_int64, 8)
load_float64 = _loader(types.float64, ctypes.c_double, 8)

mean_of_one = _mean(1)
mean_of_two = _mean(2)
mean_of_four = _mean(4)
