"""Checks that a page shows a round's events as in the log: bytes, chain hashes, none more, none fewer.

Invariant: the warehouse is not trusted. The chain is recomputed from the events' stored bytes, from shortly before the round to
the end of the stream (at most `FORWARD` events), and the end is compared with the acknowledged end on this machine. `rack verify`
checks checkpoints, since it reads all events.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from desk.review.desk import REFUSALS, Desk
from desk.shadows.adopted import adoption_of

FORWARD = 20_000
"""At most this many events after the round are read: some 50 ms on one machine."""
BEFORE = 50
"""Events read before the first one shown, to see whether the round began among them."""

OF_OPEN_ROUND = 600
"""An open round is among this many events of its table, the newest."""

SHOWN = ("event_id", "type", "occurred_at_us", "source", "payload", "hash")


class EventsCheck(msgspec.Struct, frozen=True):
    """Whether the shown events are the log's, what was checked, and any adoption of the verdict, in sentences."""

    ok: bool
    sentence: str
    adopted: str = ""


class _Envelope(msgspec.Struct):
    event_id: str
    type: str
    occurred_at_us: int
    source: str
    round_no: int | None
    payload: msgspec.Raw


_envelope = msgspec.json.Decoder(_Envelope)


class _Differs(ValueError):
    """The log and the shown events differ; the message says how."""


def newest_of_round(desk: Desk, stream: str, round_no: int) -> list[dict[str, Any]]:
    """Return a stream's newest events about a round, as rows in the form of the warehouse."""
    head = desk.log.head(stream).seq
    read = [
        (record.seq, msgspec.json.decode(record.data, type=_Envelope))
        for record in desk.log.read(stream, max(1, head - OF_OPEN_ROUND), head)
    ]
    return [
        {"seq": seq, "hash": "", "round_no": round_no, "payload": bytes(each.payload).decode()}
        | {name: getattr(each, name) for name in ("event_id", "type", "occurred_at_us", "source")}
        for seq, each in read
        if each.round_no == round_no
    ]


def check(
    desk: Desk, stream: str, round_no: int, rows: Iterable[Mapping[str, Any]], first_seq: int, revision: int = 1
) -> EventsCheck:
    """Compare the shown rows of `round_events` with the log; a first `revision` of a verdict was never adopted."""
    shown = {int(row["seq"]): row for row in rows}
    try:
        found = _checked(desk, stream, round_no, shown, first_seq)
        return found if revision == 1 else replace(found, adopted=adoption_of(desk, stream, round_no))
    except REFUSALS as error:
        return EventsCheck(False, f"The log's chain does not hold: {error}")
    except _Differs as error:
        return EventsCheck(False, str(error))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return EventsCheck(False, f"An event of {stream} cannot be read: {error}")


def _checked(desk: Desk, stream: str, round_no: int, shown: Mapping[int, Mapping[str, Any]], first_seq: int) -> EventsCheck:
    first, last = min(shown, default=first_seq), max(shown, default=first_seq)
    begins, reached = max(1, min(first, first_seq) - BEFORE), 0
    left, more = set(shown), 0
    records = desk.log.read(stream, begins)
    for record in islice(records, last - begins + 1 + FORWARD):
        reached = record.seq
        stored = _envelope.decode(record.data)
        row = shown.get(record.seq)
        if row is not None:
            left.discard(record.seq)
            _compare(record.seq, stored, record.hash.hex(), row, round_no)
        elif stored.round_no == round_no:
            more += 1
    if left:
        raise _Differs(f"event {min(left):,} is shown, and {stream} ends at event {reached:,}")
    if more:
        raise _Differs(
            f"the log holds {more:,} {'event' if more == 1 else 'events'} of this round that the warehouse does not show: it is "
            "behind the log, or was altered; run `rack replay --log ADDR --warehouse FILE`"
        )
    desk.log.verify_head(stream)
    return EventsCheck(True, _sentence(desk, stream, len(shown), begins, reached))


def _compare(seq: int, stored: _Envelope, hash_: str, row: Mapping[str, Any], round_no: int) -> None:
    """Raise `_Differs` if a row is not the event with its number."""
    there = {
        "event_id": stored.event_id,
        "type": stored.type,
        "occurred_at_us": stored.occurred_at_us,
        "source": stored.source,
        "payload": bytes(stored.payload).decode(),
        "hash": hash_,
    }
    wrong = [name for name in SHOWN if row[name] != there[name]]
    if stored.round_no != round_no:
        wrong.append("round")
    if wrong:
        raise _Differs(f"event {seq:,} is not shown as the log holds it: its {', '.join(wrong).replace('_us', '')} differs")


def _sentence(desk: Desk, stream: str, events: int, begins: int, reached: int) -> str:
    mark, end = desk.log.acknowledged().get(stream), desk.log.head(stream).seq
    statement = (
        f"Checked now: the {events:,} events shown are those of the log, and every stored event of {stream} from {begins:,} to "
        f"{reached:,} has the correct chain hash"
    )
    if reached < end:
        return f"{statement}. The rest of the stream up to {end:,} and the checkpoints were not checked; run `rack verify`."
    if mark is None:
        return f"{statement}. No end of the stream was acknowledged on this machine; `rack verify` also checks the checkpoints."
    return f"{statement}, up to the end that was acknowledged on this machine. `rack verify` also checks the checkpoints."
