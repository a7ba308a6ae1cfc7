"""Length of files in the classic NetCDF formats, which the library does not check.

It reads what a file that is cut short lacks as zeros: calm, flat sea. The header is that of the
NetCDF classic format specification (CDF-1, CDF-2 and CDF-5); NetCDF-4 files are HDF5, which
checks its own length. SciPy's reader, which does notice a cut, does not know CDF-5.
"""

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

_MAGIC: Final = b"CDF"
#: Sizes of the values of each type, from 1 on [bytes]: byte, char, short, int, float, double, and
#: CDF-5's ubyte, ushort, uint, int64, uint64.
_TYPE_BYTES: Final = (1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8)
#: Names, attributes and variables begin at multiples of this [bytes].
_ALIGNED: Final = 4
_CUT: Final = "it ends inside its header"


class HeaderInvalid(ValueError):
    """A header that is cut short, or that no library wrote."""


@dataclass(frozen=True)
class _Variable:
    """Place of a variable: its first byte, and its bytes in all or for each record."""

    begin: int
    size: int
    is_record: bool


def find_missing_bytes(path: Path) -> int:
    """Return how many bytes a file lacks of what its header announces; 0 for other formats.

    Raises :class:`HeaderInvalid` if the header itself is cut short.
    """
    with path.open("rb") as file:
        magic = file.read(4)
        if magic[:3] != _MAGIC:
            return 0
        if len(magic) < 4:
            raise HeaderInvalid(_CUT)
        length = path.stat().st_size
        return max(_Header(file, length, magic[3]).find_length() - length, 0)


class _Header:
    """Reader of a header, past its magic number."""

    def __init__(self, file: BinaryIO, length: int, version: int) -> None:
        if version not in (1, 2, 5):
            raise HeaderInvalid(f"version {version} is unknown")
        self._file, self._length = file, length
        self._count_format = ">Q" if version == 5 else ">I"
        self._offset_format = ">I" if version == 1 else ">Q"

    def find_length(self) -> int:
        """Return the length of the whole file [bytes]."""
        n_record = self._count()
        if n_record == 2 ** (8 * struct.calcsize(self._count_format)) - 1:
            n_record = 0  # written as a stream: as many records as there are
        lengths = [self._dimension() for _ in self._items()]
        self._skip_attributes()
        variables = [self._variable(lengths) for _ in self._items()]
        records = [each.size for each in variables if each.is_record]
        # the only variable of a record is not aligned
        step = records[0] if len(records) == 1 else sum(map(_align, records))
        ends = [self._file.tell()]
        for each in variables:
            if not each.is_record:
                ends.append(each.begin + each.size)
            elif n_record:
                ends.append(each.begin + (n_record - 1) * step + each.size)
        return max(ends)

    def _dimension(self) -> int:
        self._skip(self._count())
        return self._count()

    def _variable(self, lengths: list[int]) -> _Variable:
        self._skip(self._count())
        dimensions = [self._count() for _ in range(self._count())]
        if any(each >= len(lengths) for each in dimensions):
            raise HeaderInvalid("a variable has an unknown dimension")
        self._skip_attributes()
        value_bytes = self._type_bytes()
        self._count()  # the size, which is not true of variables of 4 GB and more
        shape = [lengths[each] for each in dimensions]
        is_record = bool(shape) and shape[0] == 0  # the unlimited dimension comes first
        size = value_bytes * math.prod(shape[1:] if is_record else shape)
        return _Variable(self._number(self._offset_format), size, is_record)

    def _skip_attributes(self) -> None:
        for _ in self._items():
            self._skip(self._count())
            value_bytes = self._type_bytes()
            self._skip(value_bytes * self._count())

    def _items(self) -> range:
        self._number(">I")  # the kind of list
        return range(self._count())

    def _type_bytes(self) -> int:
        number = self._number(">I")
        if not 1 <= number <= len(_TYPE_BYTES):
            raise HeaderInvalid(f"type {number} is unknown")
        return _TYPE_BYTES[number - 1]

    def _count(self) -> int:
        return self._number(self._count_format)

    def _number(self, form: str) -> int:
        data = self._file.read(struct.calcsize(form))
        if len(data) < struct.calcsize(form):
            raise HeaderInvalid(_CUT)
        (number,) = struct.unpack(form, data)
        return int(number)

    def _skip(self, size: int) -> None:
        end = self._file.tell() + _align(size)
        if end > self._length:
            raise HeaderInvalid(_CUT)
        self._file.seek(end)


def _align(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
