"""The form of a profile: a TOML file, read strictly; an error names the line and the field.

`docs/integrating-a-device.md` describes the form; `docs/profiles/` has examples.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec

from events.log.plain_file import MOST_TOML, read_plain, toml_in
from events.vocabulary.card_numbers import introduces_number
from events.vocabulary.model import REGISTRY
from events.vocabulary.places import PLACES
from intake.errors import IntakeError

CARD: Final = "card:"
"""The prefix that makes a vendor's bare number a card number, which gets a token."""

Conversion = Literal[
    "text",
    "integer",
    "flag",
    "dollars",
    "dollars_to_centicents",
    "card",
    "cards",
    "microseconds",
    "milliseconds",
    "seconds",
    "iso8601",
    "as_is",
]


class Value(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from", "is_": "is", "as_": "as", "list_": "list"}
):
    """Where the value of a field comes from (one of `is`, `none`, `from`, `chips` or `list`) and how it is understood.

    `is`: a constant. `none`: None. `from`: a path into the message, such as `bet.amount` (`item.…` within `each`). `chips`:
    path of a count → what such a chip is worth in cents. `list`: values, one after the other.
    """

    is_: Any = msgspec.UNSET
    none: Literal[True] | None = None
    from_: str | None = None
    chips: dict[str, int] | None = None
    list_: "list[Value] | None" = None
    as_: Conversion = "as_is"
    names: str | None = None
    """Table of `names` in which the value is looked up."""
    prefix: str = ""
    """Put before a text; `suffix` after it."""
    suffix: str = ""
    every: bool = False
    """The value is a list, and each of its elements is understood so."""
    absent: Any = msgspec.UNSET
    """The value if the message does not have it. Without it, such a message is refused."""
    absent_none: bool = False
    """The same, None."""


class CardForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a vendor writes cards: its ranks and suits → ours, which comes first, the joker, and what represents an unread card."""

    ranks: dict[str, str]
    suits: dict[str, str]
    first: Literal["rank", "suit"] = "rank"
    joker: str | None = None
    unread: str | None = None
    separator: str | None = None
    """Between cards that are in one text; None: they are in a list."""


class EnvelopeForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an event is, whose it is, and when it happened. Without `event_id` it is made, so that no one can guess it."""

    stream: Value
    source: Value
    source_seq: Value
    occurred_at: Value
    round_no: Value
    event_id: Value | None = None


class EventForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event that a message becomes; with `each`, one for every element of that list."""

    type: str
    payload: dict[str, Any]
    version: int = 1
    each: str | None = None
    envelope: dict[str, Any] = {}
    """The differences from the profile's envelope."""


class MessageForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of message and its events, in order; without events, the message is not recorded."""

    kind: str
    event: list[EventForm] = []


class ProfileForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a profile's file."""

    form: Literal["discard-rack device profile 1"]
    name: str
    envelope: EnvelopeForm
    message: list[MessageForm]
    format: Literal["json", "delimited"] = "json"
    columns: list[str] = []
    delimiter: str = ","
    kind: str | None = None
    """Path of what names the kind of a message; None: there is one kind."""
    clock_offset_ms: int = 0
    """Added to the device's times."""
    cards: CardForm | None = None
    names: dict[str, dict[str, Any]] = {}


class EventMapping(msgspec.Struct, frozen=True):
    """A rule that makes an event, with its whole envelope, from a message."""

    type: str
    version: int
    each: str | None
    envelope: EnvelopeForm
    payload: dict[str, Value]


class ProfileMapping(msgspec.Struct, frozen=True):
    """A profile that was read and holds together: its form, and kind of message → its events."""

    form: ProfileForm
    events: dict[str, list[EventMapping]]


T = TypeVar("T")


class FieldError(Exception):
    """A field of a profile is wrong: where it is, as a path, and what was expected."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(problem)
        self.place, self.problem = place, problem


def read_form(path: Path) -> ProfileMapping:
    """Return what a profile says. Raises `IntakeError` naming file, line and field."""
    try:
        data = read_plain(path, MOST_TOML + 1)
        content, text = toml_in(data), data.decode()
    except OSError as error:
        raise IntakeError(f"{path}: {error.strerror}; name a profile of a device") from error
    except ValueError as error:
        raise IntakeError(f"{path}: {error}") from error
    try:
        return _checked(content)
    except FieldError as error:
        line = line_of_field(text, error.place)
        raise IntakeError(f"{path}:{line}: {error.place or 'the profile'}: {error.problem}") from error


def _checked(content: dict[str, Any]) -> ProfileMapping:
    form = _convert(content, ProfileForm, "")
    if form.format == "delimited" and not form.columns:
        raise FieldError("format", 'a delimited profile names its columns: columns = ["…"]')
    if form.format == "delimited" and len(form.delimiter) != 1:
        raise FieldError("delimiter", f"expected one character, got {form.delimiter!r}")
    if form.format == "json" and form.columns:
        raise FieldError("columns", "only a delimited profile has columns")
    if form.kind is None and len(form.message) != 1:
        raise FieldError("message", 'name the path that tells messages apart (kind = "…"), or map one message only')
    for name in EnvelopeForm.__struct_fields__:
        value = getattr(form.envelope, name)
        if value is not None:
            _check_value(form, value, f"envelope.{name}", items=False)
    events: dict[str, list[EventMapping]] = {}
    for number, message in enumerate(form.message):
        place = f"message[{number}]"
        if message.kind in events:
            raise FieldError(f"{place}.kind", f"{message.kind!r} is mapped twice")
        events[message.kind] = [
            _checked_event(form, event, f"{place}.event[{at}]", content["envelope"]) for at, event in enumerate(message.event)
        ]
    return ProfileMapping(form, events)


def _checked_event(form: ProfileForm, event: EventForm, place: str, envelope: dict[str, Any]) -> EventMapping:
    cls = REGISTRY.get((event.type, event.version))
    if cls is None:
        raise FieldError(
            f"{place}.type", f"{event.type!r} version {event.version} is no event of the vocabulary (docs/events.md)"
        )
    if not any("device" in writers for writers in PLACES[event.type].values()):
        raise FieldError(f"{place}.type", f"{event.type} is not a device's to report (docs/events.md says whose)")
    fields = {field.name for field in msgspec.structs.fields(cls)}
    for name in event.payload:
        if name not in fields:
            raise FieldError(f"{place}.payload.{name}", f"{event.type} has no such field; it has {', '.join(sorted(fields))}")
    if missing := sorted(fields - event.payload.keys()):
        raise FieldError(f"{place}.payload", f"{event.type} needs {', '.join(missing)} too")
    payload = {name: _convert(value, Value, f"{place}.payload.{name}") for name, value in event.payload.items()}
    for name, value in payload.items():
        _check_value(form, value, f"{place}.payload.{name}", items=event.each is not None)
    whole = _convert(envelope | event.envelope, EnvelopeForm, f"{place}.envelope")
    for name in event.envelope:
        _check_value(form, getattr(whole, name), f"{place}.envelope.{name}", items=event.each is not None)
    if event.each is not None:
        _check_path(form, event.each, f"{place}.each", items=False)
    return EventMapping(event.type, event.version, event.each, whole, payload)


def _check_value(form: ProfileForm, value: Value, place: str, *, items: bool) -> None:
    ways = [value.is_ is not msgspec.UNSET, value.none is not None, value.from_ is not None, value.chips is not None]
    if sum([*ways, value.list_ is not None]) != 1:
        raise FieldError(place, "expected one of is, none, from, chips and list")
    if value.from_ is not None:
        _check_path(form, value.from_, f"{place}.from", items=items)
    for path in value.chips or ():
        _check_path(form, path, f"{place}.chips", items=items)
    for number, each in enumerate(value.list_ or ()):
        _check_value(form, each, f"{place}.list[{number}]", items=items)
    if value.from_ is None and (value.as_ != "as_is" or value.names or value.every or value.prefix or value.suffix):
        raise FieldError(
            place, "as, names, every, prefix and suffix say how what comes from the message is understood; name it with from"
        )
    if value.names is not None and value.names not in form.names:
        raise FieldError(f"{place}.names", f"there is no table [names.{value.names}]")
    if value.as_ in ("card", "cards") and form.cards is None:
        raise FieldError(f"{place}.as", "the profile does not say how cards are written; add [cards]")
    if introduces_number(value.prefix):
        if not value.prefix.startswith(CARD):
            raise FieldError(f"{place}.prefix", f'a prefix that makes a card number begins with "{CARD}"')
        if value.names is not None or value.as_ not in ("as_is", "text"):
            raise FieldError(place, "a card number is taken as it stands; leave out names and as")
    if value.absent is not msgspec.UNSET and value.absent_none:
        raise FieldError(place, "absent and absent_none cannot both be so")


def _check_path(form: ProfileForm, path: str, place: str, *, items: bool) -> None:
    steps = path.split(".")
    if not all(steps):
        raise FieldError(place, f"{path!r} is no path; expected names with dots between them, such as bet.amount")
    if form.format == "delimited" and not (items and steps[0] == "item") and path not in form.columns:
        raise FieldError(place, f"there is no column {path!r}; the columns are {', '.join(form.columns)}")


def _convert(content: Any, cls: type[T], place: str) -> T:
    try:
        return msgspec.convert(content, cls)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$")
        where = path.removesuffix("`").lstrip(".")
        if unknown := re.search(r"unknown field `(.*)`", problem):
            where = f"{where}.{unknown[1]}".lstrip(".")
        raise FieldError(".".join(part for part in (place, where) if part), problem) from error


# --------------------------------------------------------------------------------------------------- where a field is

_HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\"-]+)\s*=")


def line_of_field(text: str, place: str) -> int:
    """Return the number of the line of a field, or the nearest that holds it; 1 if none does.

    >>> line_of_field('a = 1\\n[[m]]\\nk = 1\\n[[m]]\\nk = 2\\n', "m[1].k")
    5
    """
    best, depth = 1, 0
    for number, found in _places(text):
        if (place == found or place.startswith((found + ".", found + "["))) and len(found) > depth:
            best, depth = number, len(found)
    return best


def _places(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line that begins a table or names a key, and the path of it."""
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            steps: list[str] = []
            names = header[2].split(".")
            for at, name in enumerate(names):
                prefix = ".".join([*steps, name])
                if header[1] == "[[" and at == len(names) - 1:
                    counts[prefix] = counts.get(prefix, -1) + 1
                    steps.append(f"{name}[{counts[prefix]}]")
                elif prefix in counts:
                    steps.append(f"{name}[{counts[prefix]}]")
                else:
                    steps.append(name)
            table = ".".join(steps)
            yield number, table
        elif key := _KEY.match(line):
            name = key[1].replace('"', "")
            yield number, f"{table}.{name}" if table else name
