"""The base of every event: strict frozen structs, the registry of `(type, version)`, and the types on the wire.

Invariant: constructing a value validates it as decoding its bytes does.
"""

import functools
import re
import threading
import unicodedata
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

MAX_INT = 2**53 - 1

Kind = Literal["table", "meter", "review", "property", "observed"]
"""What a stream is of: the part of its name before the slash."""
Writer = Literal["device", "desk", "keys", "office", "pit", "count", "intake"]
"""Who writes events: devices (the floor's terminals too), the desk in a person's name, `rack keys`, the property's office, which
files the rules, people in the pit and in the count room, and intake itself, which leaves a notice for what it refused."""
Row = Mapping[Kind, frozenset[Writer]]
"""Kind of stream → who writes there."""

Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Number = Annotated[int, Meta(ge=1, le=MAX_INT)]
Amount = Annotated[int, Meta(ge=0, le=MAX_INT)]
Centicents = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
BasisPoints = Annotated[int, Meta(ge=0, le=1_000_000)]
Seat = Annotated[int, Meta(ge=1, le=6)]
Position = Literal["dealer"] | Seat
Seat7 = Annotated[int, Meta(ge=1, le=7)]
Position7 = Literal["dealer"] | Seat7
Pile = Literal["pile-1", "pile-2", "pile-3", "pile-4", "pile-5", "pile-6", "pile-7"]
Pip = Annotated[int, Meta(ge=1, le=6)]
Token = Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,32}\Z")]
Text = Annotated[str, Meta(min_length=1, max_length=400)]
Claim = Annotated[str, Meta(min_length=1, max_length=4000)]
"""What a patron says, in full."""
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Day = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
SubmissionText = Annotated[str, Meta(min_length=1, max_length=262_144)]

# fmt: off
Card = Literal[
    "2c", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c", "4d", "4h", "4s", "5c", "5d", "5h", "5s", "6c", "6d", "6h", "6s",
    "7c", "7d", "7h", "7s", "8c", "8d", "8h", "8s", "9c", "9d", "9h", "9s", "Tc", "Td", "Th", "Ts", "Jc", "Jd", "Jh", "Js",
    "Qc", "Qd", "Qh", "Qs", "Kc", "Kd", "Kh", "Ks", "Ac", "Ad", "Ah", "As", "Jk",
]
# fmt: on
SeenCard = Card | None
Cards = Annotated[list[SeenCard], Meta(max_length=60)]

WagerName = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]{0,31}\Z")]
"""The name of a wager, of which only the form is fixed here: which names there are, the chapters say (D881)."""
EnvyWager = Literal["fortune_bonus", "progressive"]
WagerForm = Literal["chips", "plaque", "instrument", "cash", "verbal"]
DealMethod = Literal["manual_shoe", "hand", "automated_shoe"]
Shuffler = Literal["none", "automated", "automated_counting", "continuous"]
Device = Literal["shuffler", "shoe", "shaker", "progressive_system"]
Aspect = Literal[
    "equipment", "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "progressive", "envy",
    "collection", "mystery", "rotation", "fees",
]  # fmt: skip
"""What the record of a round claims to cover. Only in a covered aspect does the absence of an event mean something."""


class _Decoding(threading.local):
    """Set while the codec decodes: a value from a strict decoder needs no second validation."""

    active = False


decoding = _Decoding()


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value that is always valid, whether constructed, replaced (`structs.replace`) or decoded.

    Raises `msgspec.ValidationError` naming the class and field.
    """

    def __post_init__(self) -> None:
        if not decoding.active:
            _validate(self)


@functools.cache
def _shape(cls: type[Strict]) -> tuple[tuple[str, ...], Any, frozenset[str]]:
    """Return a class's field names, their types as one array-like struct, and the fields that hold an event of any type."""
    fields = msgspec.structs.fields(cls)
    types = [(field.name, Any if field.type is Event else field.type) for field in fields]
    events = frozenset(field.name for field in fields if field.type is Event)
    return (tuple(field.name for field in fields), msgspec.defstruct(f"{cls.__name__}Fields", types, array_like=True), events)


def _validate(value: Strict) -> None:
    names, shape, events = _shape(type(value))
    contents = tuple(getattr(value, name) for name in names)
    try:
        converted = msgspec.structs.astuple(msgspec.convert(contents, shape, strict=True))
    except msgspec.ValidationError as error:
        where = re.search(r"`\$\[(\d+)\](.*)`$", str(error))
        name = f".{names[int(where[1])]}{where[2]}" if where else ""
        raise msgspec.ValidationError(f"{type(value).__name__}{name}: {str(error).split(' - at ')[0]}") from error
    for name, content, read_back in zip(names, contents, converted, strict=True):
        field = f"{type(value).__name__}.{name}"
        if content != read_back:
            raise msgspec.ValidationError(f"{field}: {content!r:.80} would read back as {read_back!r:.80}")
        if name in events and not (isinstance(content, Event) and (content.TYPE, content.VERSION) in REGISTRY):
            raise msgspec.ValidationError(f"{field}: expected an event, got {content!r:.80}")
        if isinstance(content, str) and not content.isascii():
            _check_text(field, content)


def _check_text(field: str, text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise msgspec.ValidationError(f"{field}: the text contains half of a surrogate pair")
    if not unicodedata.is_normalized("NFC", text):
        raise msgspec.ValidationError(f"{field}: the text is not in NFC form")


class Event(Strict, frozen=True, forbid_unknown_fields=True):
    """The payload of an event. `TYPE` and `VERSION` are its permanent name in the envelope."""

    TYPE: ClassVar[str] = ""
    VERSION: ClassVar[int] = 0
    KIND: "ClassVar[type[Event]]"
    """The class of version 1, which stands for the event whatever its version."""
    PLACE: ClassVar[Row]
    """In which kinds of streams it may be, and who writes it there."""


E = TypeVar("E", bound=type[Event])
F = TypeVar("F", bound=Event)

REGISTRY: dict[tuple[str, int], type[Event]] = {}
"""Every event this version can decode, by permanent `(type, version)`."""


def require_sorted_fields(cls: type[msgspec.Struct]) -> None:
    """Refuse a class whose fields are not in the order of the canonical bytes: the encoder does not sort them."""
    names = [field.encode_name for field in msgspec.structs.fields(cls)]
    if names != sorted(names):
        raise TypeError(f"{cls.__name__}: fields must be in alphabetical order, as in the canonical bytes")


def at(**writers: str) -> Row:
    """Return a row: for each kind of stream who writes there.

    >>> at(meter="device")
    {'meter': frozenset({'device'})}
    """
    row: Any = {kind: frozenset(names.split()) for kind, names in writers.items()}
    if not row or not row.keys() <= {*get_args(Kind)} or not frozenset().union(*row.values()) <= {*get_args(Writer)}:
        raise TypeError(f"{writers}: expected kinds of streams, each with its writers")
    return dict(row)


TABLE, TABLE_AND_PIT, METER = at(table="device"), at(table="device pit"), at(meter="device")
REVIEW, OBSERVED, ROUND = at(review="desk"), at(observed="desk"), at(table="device", observed="desk")


def event(type_: str, place: Row | None = None, version: int = 1) -> Callable[[E], E]:
    """Register a payload class under its permanent tag. Each tag and version can be used once.

    `place` is where it may be and who writes it: that of version 1 holds for all.
    """

    def register(cls: E) -> E:
        require_sorted_fields(cls)
        if (type_, version) in REGISTRY:
            raise ValueError(f"event {type_!r} version {version} is registered twice")
        cls.TYPE, cls.VERSION = type_, version
        cls.KIND = REGISTRY.get((type_, 1), cls)
        row = place or getattr(cls.KIND, "PLACE", None)
        if row is None:
            raise TypeError(f"event {type_!r}: expected in which streams it may be, and who writes it there")
        cls.PLACE = row
        REGISTRY[type_, version] = cls
        return cls

    return register
