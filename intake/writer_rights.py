"""The doors of intake: what a line may report depends on the writer who hands it in (the table is `events.vocabulary.places`).

Devices hand in table and meter events (`rack ingest`, and out of quarantine `rack quarantine redrive`), the office its
property's (`rack ingest --office`). The desk, `rack keys` and intake itself write to the log without a line, under sources
that no line may claim: the log drops a report that it has from the same source under the same number.
"""

from events.errors import WrongPlace
from events.vocabulary.base import Writer
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, EventCorrected
from events.vocabulary.places import check_place, writers_of

NAMES: dict[Writer, str] = {
    "device": "devices",
    "desk": "the desk",
    "office": "the office",
    "pit": "the pit",
    "count": "the count room",
    "keys": "`rack keys`",
    "intake": "intake itself",
}
"""Writer → as it is called in a sentence. Of several who write an event, the first here is named."""

WAYS: dict[Writer, str] = {
    "device": "hand it in with `rack ingest`, without --office",
    "desk": "sign it in a person's name with `rack review` or `rack observe`, or on the pages",
    "keys": "publish and retire keys with `rack keys`",
    "office": "let the office hand it in with `rack ingest --office`",
    "pit": "enter it with `rack pit`",
    "count": "enter it with `rack count`",
    "intake": "leave it out: whatever is refused gets its notice here",
}
"""Writer → how its events come into the log."""

RESERVED: dict[str, Writer] = {"rack-keys": "keys", "review": "desk"}
"""Source that no line may name → whose it is."""

RESERVED_BEGINNINGS: dict[str, Writer] = {
    "intake-": "intake",
    "redrive-": "intake",
    "transcript-": "intake",
    "filing-": "office",
    "pit-": "pit",
    "count-": "count",
    "observer-": "desk",
}
"""The beginning of a reserved source → its writer: notices, redrives, transcripts; filings, entries, observed rounds."""

PEOPLE = ("filing-", "pit-", "count-")
"""The beginnings of a person's source; the rest names the person."""


def owner_of(source: str) -> Writer | None:
    """Return the owner of a source that no line may name; None for any other source.

    >>> owner_of("pit-m-ortiz"), owner_of("pitch-1")
    ('pit', None)
    """
    beginning = source[: source.find("-") + 1]
    return RESERVED.get(source) or RESERVED_BEGINNINGS.get(beginning)


def check_line(writer: Writer, stream: str, draft: Draft) -> None:
    """Raise `WrongPlace` if this writer may not hand in a line, saying who writes such an event, and how."""
    check_writer(writer, stream, draft.payload)
    owner = owner_of(draft.source)
    if owner is not None:
        raise WrongPlace(
            f"{draft.payload.TYPE} in {stream} names the source {draft.source}, which is that of {NAMES[owner]}: "
            "expected a name of the device's own; give it one"
        )


def check_writer(writer: Writer, stream: str, payload: Event) -> None:
    """Raise `WrongPlace` if an event, or what it puts in the place of another, is not written there by this writer."""
    if writer not in writers_of(stream, payload.TYPE):
        check_place(stream, payload)
        raise _not_written(writer, stream, payload.TYPE, f"{payload.TYPE} in {stream}")
    if isinstance(payload, EventCorrected) and payload.replacement is not None:
        check_place(stream, payload)
        type_ = payload.replacement.type
        if writer not in writers_of(stream, type_):
            raise _not_written(writer, stream, type_, f"{type_} in the place of {stream} event {payload.supersedes_seq}")


def _not_written(writer: Writer, stream: str, type_: str, what: str) -> WrongPlace:
    writers = writers_of(stream, type_)
    owner = next(name for name in NAMES if name in writers)
    return WrongPlace(f"{what} is written by {NAMES[owner]}, not by {NAMES[writer]}; {WAYS[owner]}")
