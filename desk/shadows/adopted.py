"""Which adoption put a verdict in force. It imports nothing that judges: every page of a round asks."""

from desk.review.desk import Desk
from events.proofs.keys import PROPERTY_STREAM
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Envelope
from replay.findings import Adjudication, read_result
from replay.narrative.events import sentence


def adoption_of(desk: Desk, stream: str, round_no: int) -> str:
    """Return in a sentence which adoption put the verdict on a round in force; empty if none did."""
    verdict = in_force(desk, stream, round_no)
    event = property_event(desk, verdict.adopted) if verdict is not None and verdict.adopted else None
    return "" if event is None else sentence(event.payload)


def in_force(desk: Desk, stream: str, round_no: int | None) -> Adjudication | None:
    """Return the verdict in force on a round; None if none exists."""
    key = f"{stream}#{round_no}"
    data = desk.results.latest("adjudications", key)
    return None if data is None else read_result("adjudications", key, data, Adjudication)


def property_event(desk: Desk, seq: int) -> Envelope | None:
    """Return the property's event with this number, or None."""
    return next((decode(record.data) for record in desk.log.read(PROPERTY_STREAM, seq, seq)), None)
