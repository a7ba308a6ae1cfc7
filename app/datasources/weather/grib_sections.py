"""Sections of GRIB messages, walked before ecCodes reads them.

ecCodes follows the lengths that a message states. Those of a damaged one may lead it out of the
message, which ends the process. WMO, Manual on Codes, volume I.2: FM 92 GRIB, editions 1 and 2.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

#: Sections that may follow a section of edition 2; the last is the data of a field, after which
#: the next field may begin with any of its sections before the product (4).
_NEXT: Final = {0: (1,), 1: (2, 3), 2: (3,), 3: (4,), 4: (5,), 5: (6,), 6: (7,), 7: (2, 3, 4)}
_DATA: Final = 7
_BEGIN, _END = b"GRIB", b"7777"
#: Length of section 0 by edition.
_HEAD_BYTES: Final = {1: 8, 2: 16}
#: Messages of edition 1 beyond 8 MB count their length in units of 120 bytes (ECMWF).
_LARGE, _UNIT_BYTES = 0x800000, 120
#: Bytes read at once in search of the next message.
_CHUNK_BYTES: Final = 1 << 16


class MessageDamaged(Exception):
    """A message that ends behind its file, or whose sections do not fill it."""


def list_field_counts(path: Path) -> Iterator[int]:
    """Count the fields of each message; raise :class:`MessageDamaged` at the first damaged one."""
    with path.open("rb") as file:
        size, first = file.seek(0, os.SEEK_END), 0
        while (first := _find_begin(file, first)) >= 0:
            head = _read(file, first, 16)
            edition = head[7] if len(head) > 7 else 0
            if edition not in _HEAD_BYTES:
                raise MessageDamaged("a message is damaged")
            walk = _walk_1 if edition == 1 else _walk_2
            count, end = walk(file, first, head, size)
            yield count
            first = end


def _find_begin(file: BinaryIO, start: int) -> int:
    """Return the place of the next message; -1 if there is none. Headers may stand before it."""
    while chunk := _read(file, start, _CHUNK_BYTES):
        if (at := chunk.find(_BEGIN)) >= 0:
            return start + at
        start += max(len(chunk) - len(_BEGIN) + 1, 1)
    return -1


def _walk_2(file: BinaryIO, first: int, head: bytes, size: int) -> tuple[int, int]:
    """Return the number of fields of a message of edition 2, and its end."""
    end = first + int.from_bytes(head[8:16])
    _check_end(file, first, end, size)
    place, number, count = first + _HEAD_BYTES[2], 0, 0
    while place < end - len(_END):
        header = _read(file, place, 5)
        length, before, number = int.from_bytes(header[:4]), number, header[4]
        if number not in _NEXT[before] or length < 5:
            raise MessageDamaged("a message is damaged")
        count += number == _DATA
        place += length
    if place != end - len(_END) or number != _DATA:
        raise MessageDamaged("a message is damaged")
    return count, end


def _walk_1(file: BinaryIO, first: int, head: bytes, size: int) -> tuple[int, int]:
    """Return the one field of a message of edition 1, and its end."""
    total, place = int.from_bytes(head[4:7]), first + _HEAD_BYTES[1]
    flags = _read(file, place, 8)[7:8] or b"\0"
    # the product; a grid and a bitmap, where it says so
    for has in (True, flags[0] & 0x80, flags[0] & 0x40):
        place += int.from_bytes(_read(file, place, 3)) if has else 0
    data = int.from_bytes(_read(file, place, 3))
    end = first + total
    if total & _LARGE and data < _UNIT_BYTES:
        end = first + (total - _LARGE) * _UNIT_BYTES - data + len(_END)
        data = end - len(_END) - place
    _check_end(file, first, end, size)
    if place + data != end - len(_END):
        raise MessageDamaged("a message is damaged")
    return 1, end


def _check_end(file: BinaryIO, first: int, end: int, size: int) -> None:
    if end > size:
        raise MessageDamaged("the file is cut short")
    if end <= first + len(_END) or _read(file, end - len(_END), len(_END)) != _END:
        raise MessageDamaged("a message is damaged")


def _read(file: BinaryIO, place: int, count: int) -> bytes:
    file.seek(place)
    return file.read(count)
