"""Reading memory-mapped arrays by address in compiled code.

A look-up touches a dozen arrays. Passed as arrays in a tuple, numba counts
references to every one of them at every call, which costs several times the
arithmetic (measured: 1240 ns a look-up against 190 ns). So compiled code gets
the addresses of read-only arrays, whose owner (the weather field) keeps them
alive. Nothing here checks bounds: callers compute indices that are inside.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.ir
from numba import config, types
from numba.extending import intrinsic

#: numba's code generator, which carries no types of its own.
_ir: Any = llvmlite.ir


def _loader(element: Any, c_type: Any, size: int) -> Callable[[int, int], Any]:
    """Compile a function that reads one element at an address and an index."""
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
    """Compile a function that asks for one element without waiting for it."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda address, index: None

    @intrinsic
    def prefetch(typing_context: Any, address: Any, index: Any) -> Any:
        """Bring ``address + size * index`` into the cache."""

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            integer, byte = _ir.IntType(32), _ir.IntType(8).as_pointer()
            kind = _ir.FunctionType(_ir.VoidType(), [byte, integer, integer, integer])
            call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
            pointer = builder.inttoptr(arguments[0], context.get_data_type(element).as_pointer())
            place = builder.bitcast(builder.gep(pointer, [arguments[1]]), byte)
            # to be read, of the highest locality, data
            builder.call(call, [place, integer(0), integer(3), integer(1)])
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), generate

    return prefetch  # type: ignore[return-value]


prefetch_int16 = _prefetcher(types.int16, 2)

load_int16 = _loader(types.int16, ctypes.c_int16, 2)
load_int32 = _loader(types.int32, ctypes.c_int32, 4)
load_float64 = _loader(types.float64, ctypes.c_double, 8)
