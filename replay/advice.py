"""Advice on a round that is still open: what each wager is due, and the mistakes that can still be corrected.

Advice is no evidence and no verdict. It is worked out of the open round alone (`replay/run/advising.py`), kept beside the results
without a place in their chain (`ResultStore.advice`), one record for each table, and it is gone when its round is over: then
the adjudication counts.
"""

import msgspec

from events.errors import UnreadableResult
from events.log.contract import ResultStore
from replay.findings import Finding, Settlement


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Advice on the open round of a table, as of one event of its stream.

    `as_of` is the number of that event, `at_us` its time by the device's clock. `dues` are the wagers whose due
    is certain on the present record (`due_cents` is never None; `done_cents` is None until something was done).
    `warnings` are findings as the verdict would make them now, with the same ids: one that is gone was put right at the table,
    or taken back by what came later. A warning holds from the last event of its evidence on.
    """

    stream: str
    round_no: int
    as_of: int
    at_us: int
    opened_at_us: int
    game: str
    chapter: str
    dealer: str
    phase: str
    dues: tuple[Settlement, ...]
    warnings: tuple[Finding, ...]


def to_bytes(advice: Advice) -> bytes:
    """Return the JSON of advice; equal advice is equal bytes."""
    return _encode(advice)


def advice_in(results: ResultStore) -> dict[str, Advice]:
    """Return stream → the advice on its open round, as last stored. Raises `UnreadableResult` if the bytes are no advice."""
    found = {}
    for stream, data in results.advice().items():
        try:
            found[stream] = _decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UnreadableResult("advice", stream, error) from error
    return found


_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(Advice).decode
