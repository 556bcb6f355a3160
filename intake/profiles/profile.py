"""A vendor's messages become events of the vocabulary: each message as a whole, or it is refused.

A message is translated by its profile alone: the same message always becomes the same events, so that a device may repeat it.
The first event of a message has the message's number, each further one the next: a device counts what it reports. Amounts are
read as decimals, never as floating point.
"""

import csv
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from events.errors import EventError
from events.vocabulary.card_numbers import hidden_numbers, without_card_numbers
from events.vocabulary.codec import MAX_EVENT_BYTES, as_json, unique_keys
from intake.errors import IntakeError, NoKeyring
from intake.lines import (
    JSON_LINES,
    AcceptedLine,
    LineSource,
    Refusal,
    line_of,
    named_tokens,
    raw_lines,
    read_line,
    reason_of,
    tokens_at,
)
from intake.profiles.card_fields import card_fields, marked, without_prefixes
from intake.profiles.form import CARD, CardForm, EnvelopeForm, EventMapping, ProfileMapping, Value, read_form


class MessageRead(NamedTuple):
    """A message: where it is, the events that it becomes, a line of JSON each, and why it is refused."""

    where: str
    events: list[str]
    refused: list[str]


_ID_KEY: Final = secrets.token_bytes(32)
"""A key of this process, stored nowhere, so that an event's id cannot be guessed. A repeat is recognized by its content."""
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00Z")
_LARGEST: Final = 2**53 - 1
_NOTHING: Final = object()
_INTEGER: Final = re.compile(r"-?\d+", re.ASCII)
_STREAM: Final = re.compile(r"(?:table|meter)/[a-z0-9-]{1,32}")

_UNTOLD: Final = "the message is refused for one of its card numbers"

Fields = Mapping[str, Any]


class MessageRefused(Exception):
    """A message cannot be translated: names the field, the expected value and the actual value."""


class Profile:
    """A profile, ready to translate. Raises `IntakeError` if the file is not in order, naming line and field."""

    def __init__(self, path: Path) -> None:
        mapping = read_form(path)
        self._form, self._translator = mapping.form, _Translator(mapping)
        self._mapping, self._card_fields = mapping, card_fields(mapping)
        self._of_tokens = _Translator(without_prefixes(mapping))

    @property
    def name(self) -> str:
        """The profile's name."""
        return self._form.name

    @property
    def format(self) -> str:
        """The format of messages: `json` or `delimited`."""
        return self._form.format

    @property
    def content_types(self) -> tuple[str, ...]:
        """The content types in which messages are handed in."""
        return JSON_LINES if self._form.format == "json" else ("text/csv",)

    def is_heading(self, message: bytes) -> bool:
        """Whether this is the line with the names of the columns, which says nothing."""
        return self._form.format == "delimited" and message.decode(errors="replace") == self._form.delimiter.join(
            self._form.columns
        )

    def read_arriving(
        self, file: LineSource, name: str, tokens: Callable[[bytes], bytes], origin: str = ""
    ) -> Iterator[tuple[str, tuple[AcceptedLine | Refusal, ...]] | None]:
        """Yield where each message is and what it becomes, and None if none has come in time.

        Raises `NoKeyring` if a card number needs a token and none can be made.
        """
        for raw in raw_lines(file, name):
            if raw is None:
                yield None
            elif raw.excess is not None:
                with named_tokens(raw.where):
                    refusal = self._refusal(raw.data, raw.where, tokens, raw.excess, quotes=False)
                yield raw.where, (msgspec.structs.replace(refusal, origin=origin),)
            elif not self.is_heading(raw.data):
                with named_tokens(raw.where):
                    lines = self.read(raw.data, raw.where, tokens, origin)
                yield raw.where, lines

    def messages(self, file: LineSource, name: str) -> Iterator[MessageRead]:
        """Yield what messages become, to be shown: each card number has the same token, and no keyring is needed."""
        for each in self.read_arriving(file, name, lambda data: without_card_numbers(data, lambda _: "p-card")):
            if each is not None:
                where, lines = each
                drafts = [line_of(line.stream, line.draft).decode() for line in lines if not isinstance(line, Refusal)]
                yield MessageRead(where, drafts, [line.reason for line in lines if isinstance(line, Refusal)])

    def lines_of(self, file: LineSource, name: str, tokens: Callable[[bytes], bytes]) -> Iterator[AcceptedLine | Refusal | None]:
        """Yield the lines that messages become, as `intake.lines.read_arriving` yields lines."""
        for each in self.read_arriving(file, name, tokens):
            if each is None:
                yield None
            else:
                yield from each[1]

    def read(
        self, message: bytes, where: str, tokens: Callable[[bytes], bytes], origin: str = ""
    ) -> tuple[AcceptedLine | Refusal, ...]:
        """Return the events that a message becomes, or its refusal, whatever error it causes.

        If one event of it is refused, all of it is. Raises what `intake.lines.read_or_refuse` raises.
        """
        lines: list[AcceptedLine | Refusal] = []
        try:
            for _, data in self._translator.translate(message):
                line = read_line(tokens(data), where)
                if isinstance(line, Refusal):
                    raise MessageRefused(line.reason)
                lines.append(msgspec.structs.replace(line, origin=origin))
        except (OSError, MemoryError, NoKeyring):
            raise
        except Exception as error:  # whatever a message does: it is kept, and others are read
            refusal = self._refusal(message, where, tokens, _reason_of(error), quotes=not isinstance(error, IntakeError))
            return (msgspec.structs.replace(refusal, origin=origin),)
        return tuple(lines)

    def _refusal(self, message: bytes, where: str, tokens: Callable[[bytes], bytes], reason: str, *, quotes: bool) -> Refusal:
        """Return the refusal of a message: kept and quoted with tokens for its card numbers, if the reason quotes it."""
        try:
            kept = self.kept(message, tokens)
        except NoKeyring:
            raise
        except IntakeError:
            kept = self.kept(message, hidden_numbers)
        stream, problem = self._of_tokens.try_out(kept)
        return Refusal(where, kept, stream, (problem or _UNTOLD) if quotes and kept != message else reason)

    def kept(self, message: bytes, tokens: Callable[[bytes], bytes]) -> bytes:
        """Return a message with tokens for its card numbers, including those that only the profile identifies."""
        return tokens_at(self._translator.time_us(message), tokens, marked(message, self._card_fields, self._mapping))


class _Translator:
    """Makes lines of our vocabulary out of messages, by a mapping."""

    def __init__(self, mapping: ProfileMapping) -> None:
        self._mapping, self._form = mapping, mapping.form

    def try_out(self, message: bytes) -> tuple[str | None, str | None]:
        """Return the stream of a message, and why it is refused; None for each if unknown."""
        stream: str | None = None
        try:
            for line_stream, data in self.translate(message):
                stream = stream or (line_stream if _STREAM.fullmatch(line_stream) else None)
                line = read_line(data, "")
                if isinstance(line, Refusal):
                    return stream, line.reason
        except Exception as error:
            return stream, _reason_of(error)
        return stream, None

    def time_us(self, message: bytes) -> int | None:
        """Return when a message's events happened; None if it does not say."""
        try:
            at_us = self._value(self._form.envelope.occurred_at, self._parse(message))
            return at_us + 1000 * self._form.clock_offset_ms if type(at_us) is int and 0 < at_us < _LARGEST else None
        except Exception:
            return None

    def translate(self, message: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield stream and line of each event. Raises `MessageRefused` or `EventError`."""
        if len(message) > MAX_EVENT_BYTES:
            raise MessageRefused(f"the message has {len(message)} bytes, more than {MAX_EVENT_BYTES}")
        fields = self._parse(message)
        number = 0
        for event in self._events_of(fields):
            items = [None] if event.each is None else _list(_at(fields, event.each), event.each)
            for item in items:
                yield self._line(event, fields if item is None else {**fields, "item": item}, number)
                number += 1

    def _parse(self, message: bytes) -> dict[str, Any]:
        if self._form.format == "delimited":
            texts = _split(message, self._form.delimiter)
            if len(texts) != len(self._form.columns):
                raise MessageRefused(f"expected {len(self._form.columns)} columns, got {len(texts)}")
            return {name: text for name, text in zip(self._form.columns, texts, strict=True) if text != ""}
        try:
            fields = json.loads(message, parse_float=_decimal, parse_constant=_no_number, object_pairs_hook=unique_keys)
        except EventError:
            raise
        except (ValueError, RecursionError) as error:
            raise MessageRefused(f"expected a message as one JSON object: {error}") from error
        if not isinstance(fields, dict):
            raise MessageRefused("expected a message as one JSON object")
        return fields

    def _events_of(self, fields: Fields) -> list[EventMapping]:
        if self._form.kind is None:
            return next(iter(self._mapping.events.values()))
        kind = _at(fields, self._form.kind)
        events = None if kind is _NOTHING else self._mapping.events.get(str(kind))
        if events is None:
            what = "is missing" if kind is _NOTHING else f"is {_shown(kind)}, which the profile does not map"
            raise MessageRefused(f"{self._form.kind} {what}")
        return events

    def _line(self, event: EventMapping, fields: Fields, number: int) -> tuple[str, bytes]:
        envelope: EnvelopeForm = event.envelope
        stream, source = self._value(envelope.stream, fields), self._value(envelope.source, fields)
        at_us, seq = self._value(envelope.occurred_at, fields), self._value(envelope.source_seq, fields)
        if type(at_us) is not int or type(seq) is not int:
            raise MessageRefused(f"expected numbers for time and sequence number, got {_shown(at_us)} and {_shown(seq)}")
        line = {
            "stream": stream,
            "source": source,
            "source_seq": seq + number,
            "occurred_at_us": at_us + 1000 * self._form.clock_offset_ms,
            "round_no": self._value(envelope.round_no, fields),
            "type": event.type,
            "version": event.version,
            "payload": {name: self._value(value, fields) for name, value in event.payload.items()},
        }
        if envelope.event_id is not None:
            line["event_id"] = self._value(envelope.event_id, fields)
        else:
            identity = json.dumps([stream, source, line["source_seq"], event.type]).encode()
            line["event_id"] = hmac.digest(_ID_KEY, identity, "sha256").hex()[:32]
        try:
            return str(stream), as_json(line)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:  # half of a surrogate pair, for one
            raise MessageRefused(f"the message cannot be written as an event: {error}") from error

    # ------------------------------------------------------------------------------------------------------------- values

    def _value(self, value: Value, fields: Fields) -> Any:
        if value.none:
            return None
        if value.list_ is not None:
            return [self._value(each, fields) for each in value.list_]
        if value.chips is not None:
            return sum(worth * _count(_at(fields, path), path) for path, worth in value.chips.items())
        if value.from_ is None:
            return value.is_
        found = _at(fields, value.from_)
        if found is _NOTHING or (found is None and (value.absent_none or value.absent is not msgspec.UNSET)):
            if value.absent_none:
                return None
            if value.absent is msgspec.UNSET:
                raise MessageRefused(f"{value.from_} is missing")
            return value.absent
        if value.every:
            return [self._understood(value, each) for each in _list(found, value.from_)]
        return self._understood(value, found)

    def _understood(self, value: Value, found: Any) -> Any:
        path = value.from_ or ""
        if value.names is not None:
            read = self._named(value.names, found, path)
        elif value.prefix.startswith(CARD):
            read = _text(found, path)
        elif value.as_ == "as_is":
            read = found
        elif value.as_ in ("card", "cards"):
            assert self._form.cards is not None
            read = (_cards if value.as_ == "cards" else _card)(found, self._form.cards, path)
        else:
            read = CONVERSIONS[value.as_](found, path)
        return f"{value.prefix}{read}{value.suffix}" if value.prefix or value.suffix else read

    def _named(self, table: str, found: Any, path: str) -> Any:
        key = str(found).lower() if isinstance(found, bool) else str(found)
        try:
            return self._form.names[table][key]
        except KeyError:
            raise MessageRefused(f"{path} is {_shown(found)}, which [names.{table}] does not have") from None


def _reason_of(error: Exception) -> str:
    return str(error) if isinstance(error, MessageRefused) else reason_of(error)


def _at(fields: Fields, path: str) -> Any:
    """Return what is at a path; `_NOTHING` if nothing does. A number in it counts the elements of a list from 0."""
    found: Any = fields
    for step in (path,) if path in fields else path.split("."):
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return _NOTHING
    return found


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise MessageRefused(f"{text[:60]} is no number that can be read") from None


def _no_number(text: str) -> Any:
    raise MessageRefused(f"{text} is no number")


def _split(message: bytes, delimiter: str) -> list[str]:
    try:
        rows = list(csv.reader([message.decode()], delimiter=delimiter, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise MessageRefused(f"expected a line of columns: {error}") from error
    return rows[0] if rows else []


def _list(found: Any, path: str) -> list[Any]:
    if not isinstance(found, list):
        raise MessageRefused(f"{path}: expected a list, got {'nothing' if found is _NOTHING else _shown(found)}")
    return found


def _shown(value: Any) -> str:
    return repr(value)[:60]


# -------------------------------------------------------------------------------------------------------- as vendors write


def _integer(found: Any, path: str) -> int:
    digits = str(found).removeprefix("-").lstrip("0") or "0"
    if isinstance(found, bool) or not _INTEGER.fullmatch(str(found)) or len(digits) > 16 or int(digits) > _LARGEST:
        raise MessageRefused(f"{path}: expected an integer, got {_shown(found)}")
    return -int(digits) if str(found).startswith("-") else int(digits)


def _count(found: Any, path: str) -> int:
    count = 0 if found is _NOTHING or found is None else _integer(found, path)
    if count < 0:
        raise MessageRefused(f"{path}: expected a number of chips, got {_shown(found)}")
    return count


def _scaled(scale: int) -> Callable[[Any, str], int]:
    """Return a reader of decimals, as an integer of this many parts of one; others than whole parts are refused."""

    def read(found: Any, path: str) -> int:
        text = str(found).strip().removeprefix("$").replace(",", "")
        try:
            parts = Decimal(text) * scale
            if isinstance(found, bool) or not parts.is_finite() or parts != parts.to_integral_value() or abs(parts) > _LARGEST:
                raise ArithmeticError
        except ArithmeticError:
            raise MessageRefused(
                f"{path}: expected a number with at most {len(str(scale)) - 1} decimals, got {_shown(found)}"
            ) from None
        return int(parts)

    return read


def _flag(found: Any, path: str) -> bool:
    try:
        return {"true": True, "1": True, "y": True, "false": False, "0": False, "n": False}[str(found).lower()]
    except KeyError:
        raise MessageRefused(f"{path}: expected true or false, got {_shown(found)}") from None


def _iso8601(found: Any, path: str) -> int:
    try:
        moment = datetime.fromisoformat(str(found))
    except ValueError:
        raise MessageRefused(f"{path}: expected a time such as 2026-03-01T21:14:00Z, got {_shown(found)}") from None
    if moment.tzinfo is None:
        raise MessageRefused(f"{path}: {_shown(found)} names no zone")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _text(found: Any, path: str) -> str:
    if not isinstance(found, str | int) or isinstance(found, bool):
        raise MessageRefused(f"{path}: expected a text, got {_shown(found)}")
    return str(found)


CONVERSIONS: dict[str, Callable[[Any, str], Any]] = {
    "text": _text,
    "integer": _integer,
    "flag": _flag,
    "dollars": _scaled(100),
    "dollars_to_centicents": _scaled(10_000),
    "microseconds": _integer,
    "milliseconds": _scaled(1_000),
    "seconds": _scaled(1_000_000),
    "iso8601": _iso8601,
}
"""The form of a value → its reader, except for cards."""


def _card(found: Any, form: CardForm, path: str) -> str | None:
    text = str(found)
    if found is None or text == form.unread:
        return None
    if text == form.joker:
        return "Jk"
    suits = {suit: text.removesuffix(suit) if form.first == "rank" else text.removeprefix(suit) for suit in form.suits}
    for suit, rank in suits.items():
        if rank != text and rank in form.ranks:
            return form.ranks[rank] + form.suits[suit]
    raise MessageRefused(f"{path}: {_shown(found)} is no card as [cards] writes them")


def _cards(found: Any, form: CardForm, path: str) -> list[str | None]:
    if form.separator is not None and isinstance(found, str):
        found = found.split(form.separator) if found else []
    return [_card(each, form, path) for each in _list(found, path)]
