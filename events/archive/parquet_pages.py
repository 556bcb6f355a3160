"""Reads the sizes that the pages of a Parquet column claim, before any page is decompressed.

A Parquet reader allocates the size that a page's header claims, and a small file can claim gigabytes by dictionaries or deltas.
An archive's segments have plain pages only, whose sizes are bounded; this walks the headers and refuses others. Page headers:
Apache Parquet, `parquet.thrift` (PageHeader, DataPageHeader), in Thrift's compact protocol.
"""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

MAX_HEADER_BYTES = 8 * 1024
MAX_DEPTH = 8
_DATA_PAGE, _PLAIN = 0, 0
_TYPE, _UNCOMPRESSED, _COMPRESSED, _DATA_HEADER = 1, 2, 3, 5
_VALUES, _ENCODING = 1, 2


class Page(NamedTuple):
    """One data page: its number of values, and its bytes before and after decompression."""

    values: int
    compressed_bytes: int
    plain_bytes: int


def pages(file: BinaryIO, start: int, length: int) -> Iterator[Page]:
    """Yield the pages of a column chunk. Raises `ValueError` for a page that is not a plain data page, or does not fit."""
    at, end = start, start + length
    while at < end:
        file.seek(at)
        header = _Compact(file.read(min(MAX_HEADER_BYTES, end - at)))
        fields = header.struct(0)
        data = fields.get(_DATA_HEADER)
        if fields.get(_TYPE) != _DATA_PAGE or not isinstance(data, dict) or data.get(_ENCODING) != _PLAIN:
            raise ValueError("a page is not a plain data page; an archive has no others")
        page = Page(_count(data, _VALUES), _count(fields, _COMPRESSED), _count(fields, _UNCOMPRESSED))
        at += header.at + page.compressed_bytes
        if at > end:
            raise ValueError("a page reaches beyond its column")
        yield page


def _count(fields: dict[int, object], field: int) -> int:
    value = fields.get(field)
    if not isinstance(value, int) or value < 0:
        raise ValueError("a page does not state its length")
    return value


class _Compact:
    """Thrift's compact protocol, as far as page headers need it: integers are kept, other values skipped."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, depth: int) -> dict[int, object]:
        """Read a struct as field number → integer, struct, or None for other types."""
        fields: dict[int, object] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = self._value(head & 0x0F, depth + 1, in_list=False)
        return fields

    def _value(self, kind: int, depth: int, *, in_list: bool) -> object:
        if depth > MAX_DEPTH:
            raise ValueError("the header of a page is nested too deeply")
        match kind:
            case 1 | 2:  # a boolean is its own type, but takes a byte in a list
                if in_list:
                    self._byte()
            case 3:
                self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7:
                self._skip(8)
            case 8:
                self._skip(self._unsigned())
            case 9 | 10:
                head = self._byte()
                for _ in range(head >> 4 if head >> 4 < 15 else self._unsigned()):
                    self._value(head & 0x0F, depth + 1, in_list=True)
            case 12:
                return self.struct(depth)
            case _:
                raise ValueError("the header of a page has a field of an unknown type")
        return None

    def _byte(self) -> int:
        self._skip(1)
        return self.data[self.at - 1]

    def _skip(self, length: int) -> None:
        if self.at + length > len(self.data):
            raise ValueError("the header of a page is cut off or too long")
        self.at += length

    def _unsigned(self) -> int:
        value = shift = 0
        while shift < 64:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError("a number in the header of a page does not end")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
