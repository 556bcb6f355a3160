"""The walk over a log whose chain is whole but whose envelopes contradict it: what a dishonest or faulty writer leaves."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from events.errors import Fork, IntegrityError, UndecodableEvent
from events.log.contract import EventLog, Head, QuarantineEntry, Record
from events.log.foreign import OwnStore
from events.log.hash_chain import genesis, link
from events.log.turn import SoleWriter
from events.proofs.verify import verify
from events.vocabulary import codec
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import Event, GamingDayOpened, RoundClosed, RoundOpened, Surrendered
from tests.contract.drafts import TABLE

LOG_ID = "00112233445566778899aabbccddeeff"


class OneStreamLog(SoleWriter, OwnStore):
    """A log of one stream whose chain fits whatever bytes it was given."""

    log_id, property_id = LOG_ID, "bellwether"

    def __init__(self, *events: bytes, error: IntegrityError | None = None) -> None:
        self.events, self.error = events, error

    def streams(self) -> list[str]:
        return [TABLE]

    def acknowledged(self) -> dict[str, Head]:
        return {}

    def quarantined(self) -> list[QuarantineEntry]:
        return []

    def verify_head(self, stream: str) -> None:
        if self.error is not None:
            raise self.error

    def read(self, stream: str, from_seq: int = 1) -> Iterator[Record]:
        assert from_seq == 1
        previous = genesis(LOG_ID, "bellwether", stream)
        for seq, data in enumerate(self.events, 1):
            previous = link(previous, data)
            yield Record(stream, seq, data, previous)


def as_log(*events: bytes, error: IntegrityError | None = None) -> EventLog:
    log: Any = OneStreamLog(*events, error=error)
    return log


DAY = GamingDayOpened(gaming_day="2026-03-14")
NEXT = GamingDayOpened(gaming_day="2026-03-15")
SEATED = Surrendered(seat=1)
OPENED, CLOSED = RoundOpened(deck="d", observed=[]), RoundClosed(by="d")


def stored(seq: int, payload: Event, day: str = "2026-03-14", **changes: Any) -> bytes:
    envelope = Envelope(
        log_id=LOG_ID,
        property_id="bellwether",
        stream=TABLE,
        seq=seq,
        event_id=f"{seq:032x}",
        source="t",
        source_seq=seq,
        occurred_at_us=0,
        recorded_at_us=seq,
        gaming_day=day,
        round_no=None,
        type=payload.TYPE,
        version=payload.VERSION,
        payload=payload,
    )
    return codec.encode(msgspec.structs.replace(envelope, **changes))


@pytest.mark.parametrize(
    ("events", "breaks"),
    [
        ([stored(1, DAY), stored(2, SEATED), stored(3, SEATED)], []),
        ([stored(1, DAY), stored(2, SEATED, log_id="ff" * 16)], [(2, "envelope", "says that it stands at")]),
        ([stored(1, DAY), stored(2, SEATED, property_id="other")], [(2, "envelope", "'other'")]),
        ([stored(1, DAY), stored(2, SEATED, stream="table/x")], [(2, "envelope", "'table/x'")]),
        ([stored(1, DAY), stored(3, SEATED)], [(2, "envelope", "3")]),
        ([stored(1, DAY, recorded_at_us=9), stored(2, SEATED)], [(2, "envelope", "recorded before")]),
        ([stored(1, SEATED), stored(2, SEATED)], [(1, "envelope", "must be gaming_day_opened")]),
        ([stored(1, DAY), stored(2, SEATED, "2026-03-15")], [(2, "envelope", "the stream is at 2026-03-14")]),
        ([stored(1, DAY, "2026-03-15"), stored(2, SEATED, "2026-03-15")], [(1, "envelope", "2026-03-15")]),
        ([stored(1, NEXT, "2026-03-15"), stored(2, DAY)], [(2, "envelope", "a step back")]),
        ([stored(1, DAY), stored(2, CLOSED, round_no=1), stored(3, OPENED, round_no=1), stored(4, NEXT, "2026-03-15")], []),
        ([stored(1, DAY), stored(2, OPENED), stored(3, NEXT, "2026-03-15")], [(3, "envelope", "a round is open")]),
        ([stored(1, DAY), stored(2, OPENED), stored(3, CLOSED), stored(4, NEXT, "2026-03-15")], []),
        ([stored(1, DAY), b"{}", stored(3, SEATED)], [(2, "unreadable", "not an event envelope")]),
        ([stored(1, DAY), stored(2, SEATED) + b" ", stored(3, NEXT, "2026-03-15")], [(2, "unreadable", "canonical form")]),
        (
            [stored(1, DAY), stored(2, SEATED).replace(b"surrendered", b"sat_down"), b"", stored(4, SEATED, "2026-03-16")],
            [(2, "unreadable", "unknown event"), (3, "unreadable", "not an event")],
        ),
    ],
)
def test_contradictions_are_told_and_the_walk_goes_on(events: list[bytes], breaks: list[tuple[int, str, str]]) -> None:
    report = verify(as_log(*events))
    assert [(found.seq, found.kind) for found in report.breaks] == [(seq, kind) for seq, kind, _ in breaks]
    for found, (_, kind, message) in zip(report.breaks, breaks, strict=True):
        assert message in found.message
        assert found.code == ("LOG-UNREADABLE" if kind == "unreadable" else "LOG-SEAL")
    assert report.ok == (not breaks)
    assert (report.events, report.heads[TABLE].seq) == (len(events), len(events))


@pytest.mark.parametrize(
    ("error", "kind"), [(Fork(TABLE, 2, "two events"), "fork"), (UndecodableEvent(TABLE, 2, "no event"), "unreadable")]
)
def test_errors_of_other_backends_keep_their_kind(error: IntegrityError, kind: str) -> None:
    report = verify(as_log(stored(1, DAY), error=error))
    assert report.first_break is not None
    assert (report.first_break.kind, report.first_break.code, report.first_break.seq) == (kind, error.code, 2)


def test_progress_is_told_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.proofs.verify.PROGRESS_EVERY", 2)
    seen: list[int] = []
    verify(as_log(*(stored(seq, DAY) for seq in range(1, 6))), progress=lambda stream, events: seen.append(events))
    assert seen == [2, 4, 5]


def test_a_report_can_be_written_as_json() -> None:
    report = msgspec.json.decode(msgspec.json.encode(verify(as_log(stored(1, DAY), stored(3, SEATED)))))
    assert report["first_break"] == report["breaks"][0]
    assert report["first_break"]["stream"] == TABLE
