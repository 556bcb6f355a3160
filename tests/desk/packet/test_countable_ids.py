"""What a packet leaves out can be guessed if the ids of its events can be counted: whoever hands it over is told.

Both sides: ids that were drawn at random say nothing.
"""

import json
import uuid
from collections.abc import Callable
from hashlib import sha256
from random import Random

import pytest

from desk.packet.withholding import caution
from events.log.contract import Record
from events.vocabulary.codec import encode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import WagerPlaced

RANDOM = Random(1)
Id = Callable[[int], str]


def profile_id(seq: int) -> str:
    identity = json.dumps(["table/fu-01", "fu-01-floor", seq, "wager_placed"]).encode()
    return sha256(b"rack/profile/v1\0" + identity).hexdigest()[:32]


COUNTABLE: dict[str, Id] = {
    "a counter": lambda seq: f"{seq:032x}",
    "a decimal counter": lambda seq: f"{seq:032d}",
    "a counter from far on": lambda seq: f"{0x8C1F6A0BE47D4F2793D5B0E61CA47F92 + 1000 * seq:032x}",
    "a time and a counter": lambda seq: f"{0x8C1F6A0BE47D4F2793D5:020x}{1_773_500_000_000 + seq:012x}",
    "a counter before a name": lambda seq: f"{seq:08x}" + "a0be47d4f2793d5b0e61ca47",
    "few digits": lambda seq: f"{RANDOM.getrandbits(32):032b}",
    "a UUID of time and machine": lambda seq: (
        uuid.UUID(fields=(0x1B0C0D0E + 7919 * seq, 0x11, 0x11F0, 0x8A, 0x1B, 0xA2C3D4E5F607)).hex
    ),
    "made by a profile of before": profile_id,
}
UNGUESSABLE: dict[str, Id] = {
    "random": lambda seq: f"{RANDOM.getrandbits(128):032x}",
    "a random UUID": lambda seq: uuid.UUID(int=RANDOM.getrandbits(128), version=4).hex,
    "a UUID of a time and random bits": lambda seq: f"{1_773_500_000_000:012x}7{RANDOM.getrandbits(76):019x}",
}


def records(id_: Id, source: str = "fu-01-floor") -> list[Record]:
    made = []
    for seq in range(1, 41):
        payload = WagerPlaced(amount_cents=500, bettor="p-1", form="chips", number=None, seat=2, wager="base")
        envelope = Envelope(
            log_id="00112233445566778899aabbccddeeff",
            property_id="bellwether",
            stream="table/fu-01",
            seq=seq,
            event_id=id_(seq),
            source=source,
            source_seq=seq,
            occurred_at_us=1_773_500_000_000_000 + seq,
            recorded_at_us=1_773_500_000_000_000 + seq,
            gaming_day="2026-03-14",
            round_no=1,
            type="wager_placed",
            version=1,
            payload=payload,
        )
        made.append(Record("table/fu-01", seq, encode(envelope), bytes(32)))
    return made


@pytest.mark.parametrize("name", COUNTABLE)
def test_ids_that_can_be_counted_are_named(name: str) -> None:
    said = caution(records(COUNTABLE[name]), range(1, 31))
    assert said.startswith("the ids of events that were left out can be counted (")
    assert "draw ids at random" in said


@pytest.mark.parametrize("name", UNGUESSABLE)
def test_ids_that_cannot_be_guessed_say_nothing(name: str) -> None:
    for _ in range(50):
        assert caution(records(UNGUESSABLE[name]), range(1, 31)) == ""


def test_a_transcript_is_a_digest_of_its_text() -> None:
    assert "from a transcript" in caution(records(UNGUESSABLE["random"], "transcript-0123456789ab"), range(1, 31))


def test_where_nothing_is_left_out_nothing_is_said() -> None:
    assert caution(records(COUNTABLE["a counter"]), range(1, 41)) == ""


def test_one_event_alone_is_looked_at() -> None:
    assert "event 40" in caution(records(profile_id), range(1, 40))
