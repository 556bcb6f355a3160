"""Version 2 of every event that names a seat or counts to one: for a table with a seventh seat (D131, D320)."""

from typing import Annotated, Any, Literal

import msgspec

from events.vocabulary import round_events, settlement_events, table_events
from events.vocabulary.base import REGISTRY, E, Event, F, Pile, Position, Position7, Seat7, event

_SEVENTH: dict[str, Any] = {
    "seat": Seat7,
    "position": Position7,
    "for_position": Position7,
    "whose": Position7 | Literal["stack"],
    "to": Position7 | Literal["burn", "side"] | Pile,
    "of": Position7 | Literal["stub", "aside", "all"],
    "scope": Literal["round"] | Seat7,
    "found": Position7 | Literal["deck", "stub"],
}
"""The fields that name a seat, with the type that has room for the seventh; so has any other field that is a position."""

DRAWN_MAX = 99
"""California's text bounds the number drawn by nothing: it counts to the player-dealer at 1, 8 and 15 (D320)."""

_MODULES = {module.__name__ for module in (table_events, round_events, settlement_events)}
"""Where the events are that a table in California has too."""

_SAID: dict[type[Event], str] = {round_events.NumberDrawn: " Seats are counted round and round."}

_seven: dict[type[Event], Any] = {}
"""Version 2 of an event, by version 1: a type with the fields and the ancestor of that one."""


def seven_seats(cls: E) -> E:
    """Return version 2 of an event: the same fact at a table with a seventh seat. Events without a seat have none.

    >>> from events.vocabulary.model import RoundClosed, Surrendered
    >>> seven_seats(Surrendered)(seat=7).VERSION, seven_seats(RoundClosed) is RoundClosed
    (2, True)
    """
    wider: E = _seven.get(cls, cls)
    return wider


def fact(cls: type[F], **fields: Any) -> F:
    """Return an event, in version 2 if a field names the seventh seat and version 1 has no room for it.

    >>> from events.vocabulary.model import Surrendered
    >>> fact(Surrendered, seat=3).VERSION, fact(Surrendered, seat=7).VERSION
    (1, 2)
    """
    wider = any(fields.get(name) == 7 for name in (*_SEVENTH, "by")) or str(fields.get("to")).startswith("pile")
    wider = wider or (cls is round_events.NumberDrawn and fields["number"] > 7)
    event: F = (_seven.get(cls, cls) if wider else cls)(**fields)
    return event


def _with_seventh(cls: type[Event], field: msgspec.structs.FieldInfo) -> Any:
    if cls is round_events.NumberDrawn:
        return Annotated[int, msgspec.Meta(ge=1, le=DRAWN_MAX)]
    return Position7 if field.type == Position else _SEVENTH.get(field.name, field.type)


def _register_seventh_seats() -> None:
    for (type_, version), cls in list(REGISTRY.items()):
        fields = msgspec.structs.fields(cls)
        types = [(field.name, _with_seventh(cls, field)) for field in fields]
        if version != 1 or cls.__module__ not in _MODULES or types == [(field.name, field.type) for field in fields]:
            continue
        wider: Any = msgspec.defstruct(
            f"{cls.__name__}7",
            types,
            bases=(cls,),
            frozen=True,
            kw_only=True,
            forbid_unknown_fields=True,
            namespace={"__doc__": f"{cls.__doc__ or ''}".split("\n")[0] + _SAID.get(cls, " Seats go to 7.")},
        )
        _seven[cls] = event(type_, version=2)(wider)


_register_seventh_seats()
