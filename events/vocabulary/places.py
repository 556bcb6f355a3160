"""Which streams each type of event may be in, and who writes it, as its definition says (`@event("type", row)`).

Invariant: a type without a row cannot be registered. The appender refuses a type in a kind of stream that its row does not name,
whoever writes. A door (`rack ingest`, the desk, `rack keys`) refuses the types of other writers. Readers do not check this:
stored events are read wherever they are.
"""

from events.errors import WrongPlace
from events.vocabulary import model
from events.vocabulary.base import Kind, Row, Writer
from events.vocabulary.model import Event, EventCorrected

PLACES: dict[str, Row] = {type_: cls.PLACE for (type_, version), cls in model.REGISTRY.items() if version == 1}
"""Type of an event (all its versions) → kind of stream → who writes it there."""

_WRITERS: dict[tuple[str, str], frozenset[Writer]] = {
    (kind, type_): writers for type_, row in PLACES.items() for kind, writers in row.items()
}
_NOBODY: frozenset[Writer] = frozenset()

_STREAMS: dict[Kind, str] = {
    "table": "a table's stream (table/<id>)",
    "meter": "a meter's stream (meter/<id>)",
    "review": "a review stream (review/<table>)",
    "property": "the property's stream (property/main)",
    "observed": "a stream of observed rounds (observed/<table>)",
}


def check_place(stream: str, payload: Event) -> None:
    """Raise `WrongPlace` if an event, its replacement or its added line may not be in this stream."""
    kind, type_ = stream.partition("/")[0], payload.TYPE
    if (kind, type_) not in _WRITERS:
        raise WrongPlace(f"{type_} may not stand in {stream}: expected {_expected(type_)}")
    if isinstance(payload, model.EntryLineAdded) and (kind, payload.line.type) not in _WRITERS:
        raise WrongPlace(f"entry_line_added in {stream} would add {payload.line.type}: expected {_expected(payload.line.type)}")
    if isinstance(payload, EventCorrected) and payload.replacement is not None:
        type_ = payload.replacement.type
        if (kind, type_) not in _WRITERS:
            raise WrongPlace(
                f"event_corrected in {stream} would put {type_} in the place of event {payload.supersedes_seq}: "
                f"expected an event of this stream; {type_} belongs in {_expected(type_)}"
            )


def writers_of(stream: str, type_: str) -> frozenset[Writer]:
    """Return who writes events of a type in a stream of this kind; empty if the stream does not take the type."""
    return _WRITERS.get((stream.partition("/")[0], type_), _NOBODY)


def _expected(type_: str) -> str:
    return " or ".join(_STREAMS[kind] for kind in PLACES.get(type_, ())) or "no stream: no such event is in the vocabulary"
