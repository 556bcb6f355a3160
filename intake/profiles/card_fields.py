"""The bare card numbers of vendors' messages: found by what the profile says, and marked so that they get tokens.

A vendor may send a card's number alone, and the profile gives it the prefix `card:`. What keeps or quotes the message
outside its events needs that mark, too. Here it is put into the message's bytes, also if the message is broken off or not
of the form that the profile expects: then every value under such a name counts as a card number.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from events.vocabulary.card_numbers import PLACEHOLDER
from intake.profiles.form import CARD, EventMapping, ProfileMapping, Value

_JSON: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_WORDS: Final = ("true", "false", "null")
_DIGITS: Final = re.compile(r"\d(?:[ ./-]?\d){3}")
"""Four digits: in a row that has other columns than expected, a cell that holds them could be a card number."""
_ANY: Final = "*"
"""Any element of a list, in a path."""


class CardField(NamedTuple):
    """Where a profile expects a card number: its path, and what the profile puts around it."""

    path: tuple[str, ...]
    prefix: str
    suffix: str


class _Span(NamedTuple):
    """A value of a message: its path, and where it begins and ends in the text."""

    path: tuple[str, ...]
    begin: int
    end: int


def card_fields(mapping: ProfileMapping) -> list[CardField]:
    """Return where the events of a profile take card numbers from."""
    events = [event for events in mapping.events.values() for event in events]
    return list(dict.fromkeys(field for event in events for value in event.payload.values() for field in _of(event, value)))


def _of(event: EventMapping, value: Value) -> Iterator[CardField]:
    for inner in value.list_ or ():
        yield from _of(event, inner)
    if value.from_ is None or not value.prefix.startswith(CARD):
        return
    steps = tuple(value.from_.split("."))
    ways = {(value.from_,), steps}  # a name may hold a dot itself
    if event.each is not None and steps[0] == "item":
        ways |= {(*each, _ANY, *steps[1:]) for each in ((event.each,), tuple(event.each.split(".")))}
    yield from (CardField(way, value.prefix, value.suffix) for way in sorted(ways))


def without_prefixes(mapping: ProfileMapping) -> ProfileMapping:
    """Return the same profile for messages in which tokens represent the card numbers."""

    def bare(value: Value) -> Value:
        inner = None if value.list_ is None else [bare(each) for each in value.list_]
        if not value.prefix.startswith(CARD):
            return msgspec.structs.replace(value, list_=inner)
        return msgspec.structs.replace(value, prefix="", suffix="", as_="text")

    def bare_event(event: EventMapping) -> EventMapping:
        return msgspec.structs.replace(event, payload={name: bare(value) for name, value in event.payload.items()})

    events = {kind: [bare_event(event) for event in events] for kind, events in mapping.events.items()}
    return msgspec.structs.replace(mapping, events=events)


def marked(message: bytes, fields: Sequence[CardField], mapping: ProfileMapping) -> bytes:
    """Return a message in which each bare card number becomes a string that begins with `card:`; no other byte changes."""
    if not fields:
        return message
    text, form = _text(message), mapping.form
    found = _cells(text, form.delimiter, form.columns, fields) if form.format == "delimited" else _members(text, fields)
    pieces: list[str] = []
    at = 0
    for field, span in found:
        pieces += (text[at : span.begin], _string(text[span.begin : span.end], field, span))
        at = span.end
    return "".join([*pieces, text[at:]]).encode("utf-8", "surrogateescape") if pieces else message


def _text(message: bytes) -> str:
    try:
        return message.decode(json.detect_encoding(message).replace("utf-8-sig", "utf-8"), "surrogateescape")
    except UnicodeDecodeError:
        return message.decode("utf-8", "surrogateescape")


def _string(written: str, field: CardField, span: _Span) -> str:
    """Return a value as a string with what the profile puts around it; a string without an end is left out."""
    if not span.path:
        return PLACEHOLDER
    if written.startswith('"'):
        if len(written) == 1 or not written.endswith('"'):
            return f'"{PLACEHOLDER}'
        written = written[1:-1]
    return f'"{json.dumps(field.prefix)[1:-1]}{written}{json.dumps(field.suffix)[1:-1]}"'


# --------------------------------------------------------------------------------------------------------------- JSON


def _members(text: str, fields: Sequence[CardField]) -> list[tuple[CardField, _Span]]:
    spans = list(_values(text))
    if _is_json(text):
        found = [(field, span) for span in spans if (field := _at(fields, span.path)) is not None]
        return found or [(field, span) for span in spans if (field := _below(fields, span.path)) is not None]
    found = [(field, span) for span in spans if (field := _below(fields, span.path)) is not None]
    for field in fields:  # a missing quotation mark turns strings and what is between them around
        named = re.compile(rf"(?<!\w){re.escape(_name_of(field))}(?!\w)[^\w{{}},]*(\w[\w ./-]*)")
        found += [(field, _Span((), *match.span(1))) for match in named.finditer(text)]
    return _merged(sorted(found, key=lambda pair: pair[1].begin))


def _merged(found: list[tuple[CardField, _Span]]) -> list[tuple[CardField, _Span]]:
    """Return spans without overlap: spans that overlap become one."""
    merged: list[tuple[CardField, _Span]] = []
    for field, span in found:
        if merged and span.begin < merged[-1][1].end:
            last = merged[-1][1]
            span = last if last.end >= span.end else _Span((), last.begin, span.end)
            merged[-1] = (field, span)
        else:
            merged.append((field, span))
    return merged


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _at(fields: Sequence[CardField], path: tuple[str, ...]) -> CardField | None:
    """Return the field whose place holds this value, itself or within a list or an object."""
    for field in fields:
        if len(field.path) <= len(path) and all(step in (_ANY, taken) for step, taken in zip(field.path, path, strict=False)):
            return field
    return None


def _below(fields: Sequence[CardField], path: tuple[str, ...]) -> CardField | None:
    """Return the first field whose name occurs anywhere in the path of a value."""
    for field in fields:
        if _name_of(field) in path:
            return field
    return None


def _name_of(field: CardField) -> str:
    return next(step for step in reversed(field.path) if step != _ANY)


def _values(text: str) -> Iterator[_Span]:
    """Yield the strings and numbers of a JSON text with their paths, as far as these can be told if it is damaged."""
    path: list[str] = []
    counts: list[int | None] = []  # of each list that is open, the elements before; None: an object
    is_name = False
    for match in _JSON.finditer(text):
        token = match[0]
        if token in "{[":
            path.append("0" if token == "[" else "")
            counts.append(0 if token == "[" else None)
            is_name = token == "{"
        elif token in "}]":
            if path:
                path.pop()
                counts.pop()
            is_name = False
        elif token == "," and counts:
            count = counts[-1]
            is_name = count is None
            if count is not None:
                counts[-1] = count + 1
                path[-1] = str(count + 1)
        elif token == ":":
            is_name = False
        elif is_name and token.startswith('"'):
            path[-1] = _name(token)
        elif token not in _WORDS and token != ",":
            yield _Span(tuple(path), match.start(), match.end())


def _name(written: str) -> str:
    try:
        return str(json.loads(written))
    except ValueError:
        return written.strip('"')


# ---------------------------------------------------------------------------------------------------------------- rows


def _cells(text: str, delimiter: str, columns: Sequence[str], fields: Sequence[CardField]) -> list[tuple[CardField, _Span]]:
    cell = re.compile(f'"(?:[^"]|"")*"?|[^{re.escape(delimiter)}]*', re.DOTALL)
    spans: list[tuple[int, int]] = []
    at = 0
    while match := cell.match(text, at):
        spans.append(match.span())
        at = match.end() + 1
        if match.end() >= len(text):
            break
    by_column = {field.path[0]: field for field in fields if len(field.path) == 1}
    if len(spans) == len(columns):
        pairs = zip(columns, spans, strict=True)
        return [(by_column[name], _Span((name,), *span)) for name, span in pairs if name in by_column and span[0] < span[1]]
    return [(fields[0], _Span((), *span)) for span in spans if _DIGITS.search(text[slice(*span)])]
