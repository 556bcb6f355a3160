"""Reads files attached to our PDFs without a library: PDFs as Typst writes them, with a section that a signature adds.

Invariant: the caller has checked the signature over every byte, or uses the answer only to choose the check.
"""

import re
import zlib
from collections.abc import Iterator

from desk.packet.bundle import MAX_BYTES, BadPacket

_STARTS = re.compile(rb"startxref\s+([0-9]{1,10})\s+%%EOF\s*\Z")
_SECTION = re.compile(rb"xref\s+")
_ENTRY = re.compile(rb"([0-9]{1,10}) ([0-9]{1,10})(?: ([nf]))?\s+")
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref", re.DOTALL)
_ROOT = re.compile(rb"/Root ([0-9]{1,10}) 0 R")
_PREVIOUS = re.compile(rb"/Prev ([0-9]{1,10})")
_NAMES = re.compile(rb"/EmbeddedFiles\s*<<\s*/Names\s*\[\s*")
_NAME = re.compile(rb"\(((?:[^()\\]|\\.)*)\)\s*([0-9]{1,10}) 0 R\s*")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_FILE = re.compile(rb"/EF\s*<<\s*/F ([0-9]{1,10}) 0 R")
_STREAM = re.compile(rb"<<(.*?)>>\s*stream\r?\n", re.DOTALL)
_LENGTH = re.compile(rb"/Length ([0-9]{1,10})\s*[/>]")


def attached(pdf: bytes, name: str) -> bytes:
    """Return a file attached to a document. Raises `BadPacket`."""
    try:
        places, catalog = _places(pdf)
        files = dict(_named(_object(pdf, places, catalog)))
        specification = _object(pdf, places, files[name])
        return _content(pdf, _begin(pdf, places, _number(_FILE.search(specification))))
    except (LookupError, ValueError, zlib.error) as error:
        raise BadPacket("the PDF", f"it has no {name} attached that can be read: {error}") from error


def _places(pdf: bytes) -> tuple[dict[int, int], int]:
    """Return the positions of the newest version of each object, and the number of the catalog."""
    places: dict[int, int] = {}
    roots: list[int] = []
    read: set[int] = set()
    at: int | None = _number(_STARTS.search(pdf, max(0, len(pdf) - 100)))
    while at is not None:
        if at in read:
            raise ValueError("its sections go in a circle")
        read.add(at)
        place, number = _end(_SECTION.match(pdf, at)), 0
        while entry := _ENTRY.match(pdf, place):
            place = entry.end()
            if entry[3] is None:
                number = int(entry[1])
                continue
            places.setdefault(number, int(entry[1]) if entry[3] == b"n" else -1)
            number += 1
        trailer = _TRAILER.match(pdf, place)
        roots.append(_number(_ROOT.search(trailer[1] if trailer else b"")))
        previous = _PREVIOUS.search(trailer[1]) if trailer else None
        at = int(previous[1]) if previous else None
    return places, roots[0]


def _begin(pdf: bytes, places: dict[int, int], number: int) -> int:
    return _end(re.compile(rb"%d 0 obj\s*" % number).match(pdf, places[number]))


def _object(pdf: bytes, places: dict[int, int], number: int) -> bytes:
    """Return an object that is not a stream."""
    begin = _begin(pdf, places, number)
    return pdf[begin : pdf.index(b"endobj", begin)]


def _named(catalog: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name of each attached file and the object that describes it."""
    at = _end(_NAMES.search(catalog))
    while found := _NAME.match(catalog, at):
        yield _ESCAPE.sub(_unescaped, found[1]).decode("latin-1"), int(found[2])
        at = found.end()


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 8) & 0xFF]) if found[1].isdigit() else found[1]


def _content(pdf: bytes, place: int) -> bytes:
    """Return the content of the stream at a position."""
    begins = _STREAM.match(pdf, place)
    begin, described = _end(begins), begins[1] if begins else b""
    stored = pdf[begin : begin + _number(_LENGTH.search(described + b">"))]
    if b"/Filter" not in described:
        return stored
    if not re.search(rb"/Filter\s*/FlateDecode", described):
        raise ValueError("it is packed in a way that is not read here")
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(stored, MAX_BYTES)
    if not unpacking.eof:
        raise ValueError("it is cut off, or too long")
    return content


def _number(found: re.Match[bytes] | None) -> int:
    if found is None:
        raise ValueError("the document is not of the form that this program makes")
    return int(found[1])


def _end(found: re.Match[bytes] | None) -> int:
    if found is None:
        raise ValueError("the document is not of the form that this program makes")
    return found.end()
