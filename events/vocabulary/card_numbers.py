"""Finds possible card numbers in a reported line, however they are written, and removes them from the bytes.

The line is read as people and parsers would read it. Escapes are decoded (those of JSON, also inside a string, of addresses and
of HTML), characters normalized, look-alikes of the word read as it, accents and invisible characters dropped, upper case folded.
The line need not be JSON: a truncated or garbled one is searched in the same way. Each character of that reading knows its
original bytes, so that all other bytes stay.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

PLACEHOLDER = "(card number removed)"
"""Stands where a card number stood that gets no token. It is no valid patron."""

MAX_NUMBER = 64
"""Characters of the longest card number that gets a token."""

_COLON = re.compile(rb"cards?\s*:")
_WEB: Final = re.compile(r"%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,31}(?=;));?", re.IGNORECASE)
"""A character as addresses (`%3A`) or HTML (`&#58;`, `&colon;`) write it."""
_LAYERS: Final = 4
"""This many times a text may have been escaped for the web."""
_LOOK_ALIKE: Final = str.maketrans(
    "\u0441\u1d04\u2ca5\u0430\u0251\u03b1\u1d00\u0433\u1d26\u0280\uab47\u0501\u0257\u1d05\u0455\u2236\u02d0\ua789\u05c3\u0589",
    "cccaaaarrrrddds:::::",
)
"""Letters of other alphabets, and signs, that look like those of `cards:` and are not made one by normalization."""
_SPECIAL = re.compile(r'(?:\\\\)+(?=")|\\+(?:u[0-9a-fA-F]{4}|.)|[^\x20-\x7e]|\\', re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "/": "/"}
_ESCAPED_QUOTE = "\ue000"
"""In the reading, a quote inside a string: the string does not end there."""

_STRING = re.compile(r'"\s*card\s*:(?P<number>[^"]*)"')
"""A whole string. Without blank after the colon, or with three digits, it could be a card number."""

_BETWEEN = r"(?:[ ./_]|[ ]?[\u2010-\u2015\u2212-][ ]?|[ ]{2,3})"
"""What people write between two groups of digits; no quote and no comma: no string of JSON and no column is left."""
_TEXT = re.compile(
    rf"(?<![\w-])(?:card\s*:(?:[\w.-]+(?:{_BETWEEN}?\d+)*"
    rf"|\s*(?:[\w-]{{0,8}}[ -])?\d(?:{_BETWEEN}?\d){{2,}}[\w-]*"
    rf"|[^\w\",;|\t\n]{{0,3}}\"?\d(?:{_BETWEEN}?\d){{2,}}[\w-]*)"
    rf"|cards\s*:[^\w\",;|\t\n]{{0,3}}\d(?:{_BETWEEN}?\d){{3,}}[\w-]*)"
)
"""A card number amid other text, or where a string has no end; three digits may have punctuation before them. After `cards:`
four are needed: a shoe has some hundred cards.
"""


class _Reading(NamedTuple):
    """The searchable form of a line: its `text`, and for each character where the original begins and ends in the line."""

    text: str
    begins: list[int]
    ends: list[int]


def hidden_numbers(data: bytes) -> bytes:
    """Return bytes with `PLACEHOLDER` in place of every possible card number.

    >>> hidden_numbers(b"item.p is 'card:47110815', which is no place")
    b"item.p is '(card number removed)', which is no place"
    """
    return without_card_numbers(data, lambda _: None)


def hidden_in_text(text: str) -> str:
    """Return a text with `PLACEHOLDER` in place of every possible card number."""
    return hidden_numbers(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def introduces_number(text: str) -> bool:
    """Whether a number after this text could be a card number.

    >>> introduces_number("card:"), introduces_number("Card : "), introduces_number("card-")
    (True, True, False)
    """
    behind = f'"{text}4711"'.encode("utf-8", "surrogatepass")
    return hidden_numbers(behind) != behind


def without_card_numbers(data: bytes, token: Callable[[str], str | None]) -> bytes:
    """Return a line with every possible card number replaced; all other bytes stay.

    If a number is a whole string, `token` replaces it. If `token` returns None, and in other text, `PLACEHOLDER` does.
    """
    if not _needs_reading(data):
        return data
    line = data.decode("utf-8", "surrogateescape")
    reading = _read(line)
    if "card" not in reading.text:
        return data
    replacements: dict[tuple[int, int], str] = {}

    def cut(match: re.Match[str]) -> str:
        """Record the replacement of a whole string, and blank it in the reading."""
        begin, end = reading.ends[match.start()], reading.begins[match.end() - 1]
        if not _is_number(match["number"], exact=line.startswith("card:", begin)):
            return match[0]
        replacements[begin, end] = _replacement(reading, line, match, token)
        return '"' * len(match[0])

    for match in _TEXT.finditer(_STRING.sub(cut, reading.text)):
        replacements[reading.begins[match.start()], reading.ends[match.end() - 1]] = PLACEHOLDER
    pieces: list[str] = []
    at = 0
    for (begin, end), replacement in sorted(replacements.items()):
        pieces += (line[at:begin], replacement)
        at = end
    return "".join([*pieces, line[at:]]).encode("utf-8", "surrogateescape")


def _is_number(text: str, *, exact: bool) -> bool:
    """Whether the text after the colon could be a number; `exact`: the string begins in the form required of devices."""
    return bool(text.strip()) and (exact or not text[0].isspace() or sum(map(str.isdigit, text)) >= 3)


def _replacement(reading: _Reading, line: str, match: re.Match[str], token: Callable[[str], str | None]) -> str:
    """Return the token of a number as written, with its upper case."""
    first = match.start("number")
    while reading.text[first].isspace():
        first += 1
    decoded = _decoded(line[reading.begins[first] : reading.begins[match.end() - 1]])
    common = unicodedata.normalize("NFKC", decoded)
    written = "".join(character for character in common if unicodedata.category(character) != "Cf").rstrip()
    fits = 0 < len(written) <= MAX_NUMBER and not any(
        character in '"\\' + _ESCAPED_QUOTE or ord(character) < 0x20 or 0xD800 <= ord(character) < 0xE000 for character in written
    )
    return (token(written) if fits else None) or PLACEHOLDER


def _needs_reading(data: bytes) -> bool:
    """Whether a line could hold a card number. The plain bytes of most lines decide."""
    if any(sign in data for sign in b"\\%&") or not data.isascii() or not data.decode("ascii").isprintable():
        return True
    lower = data.lower()
    return b"card" in lower and _COLON.search(lower) is not None


def _read(line: str) -> _Reading:
    text: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    at = 0
    for match in _SPECIAL.finditer(line):
        _take(line[at : match.start()].lower(), range(at, match.start()), text, begins, ends)
        at = match.end()
        for character in _read_as(_decoded_one(match[0])):
            text.append(character)
            begins.append(match.start())
            ends.append(match.end())
    _take(line[at:].lower(), range(at, len(line)), text, begins, ends)
    reading = _Reading("".join(text), begins, ends)
    for _ in range(_LAYERS):
        if _WEB.search(reading.text):
            reading = _without_web_escapes(reading)
    return reading


def _read_as(characters: str) -> Iterator[str]:
    """Yield the characters as they are searched: lower case, without accents and what cannot be seen."""
    for character in unicodedata.normalize("NFKD", characters).casefold().translate(_LOOK_ALIKE):
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Mn"):
            yield character


def _without_web_escapes(reading: _Reading) -> _Reading:
    """Return a reading with one layer of the escapes of addresses and HTML decoded."""
    text, begins, ends, at = list[str](), list[int](), list[int](), 0
    for match in _WEB.finditer(reading.text):
        text.append(reading.text[at : match.start()])
        begins += reading.begins[at : match.start()]
        ends += reading.ends[at : match.start()]
        at = match.end()
        for character in _read_as(html.unescape(unquote(match[0])).replace('"', _ESCAPED_QUOTE)):
            text.append(character)
            begins.append(reading.begins[match.start()])
            ends.append(reading.ends[at - 1])
    return _Reading("".join([*text, reading.text[at:]]), begins + reading.begins[at:], ends + reading.ends[at:])


def _take(plain: str, places: range, text: list[str], begins: list[int], ends: list[int]) -> None:
    """Add a run of plain ASCII to the reading: each character is its own original."""
    text.append(plain)
    begins.extend(places)
    ends.extend(place + 1 for place in places)


def _decoded(written: str) -> str:
    return _SPECIAL.sub(lambda match: _decoded_one(match[0]), written)


def _decoded_one(special: str) -> str:
    """Return the character of an escape, however often its backslash is itself escaped."""
    if special[0] != "\\":
        return special
    kind = special.lstrip("\\")
    if not kind:
        return "\\"
    if kind[0] == "u" and len(kind) == 5:
        character = chr(int(kind[1:], 16))
        return _ESCAPED_QUOTE if character == '"' else character
    return _ESCAPED_QUOTE if kind == '"' else _ESCAPES.get(kind, special)
