"""Puts public keys into a log: the first one, and each that takes the place of another."""

from __future__ import annotations

import time
from hashlib import sha256

from events.log.contract import EventLog
from events.proofs.checkpoint import origin_of
from events.proofs.keys import PROPERTY_STREAM, KeyRing
from events.proofs.signed_note import PublicKey
from events.vocabulary.codec import read
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, GamingDayOpened, KeyPublished, KeyRetired
from rack.errors import UsageError

SOURCE = "rack-keys"


class KeyBook:
    """The keys that a log names, open for adding to them. Raises `UsageError` for a log without any event."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.ring = KeyRing()
        self._last_seq = self._reports = 0
        for record in log.read(PROPERTY_STREAM):
            self.ring.take(record)
            self._last_seq = record.seq
            self._reports += read(record.data).source == SOURCE
        self._opening_day = None if self._last_seq else self._present_day()

    @property
    def origin(self) -> str:
        """The name that the log's keys bear."""
        return origin_of(self._log.log_id, self._log.property_id)

    def in_force(self) -> list[PublicKey]:
        """Return the keys that sign now."""
        return self.ring.in_force(self._last_seq)

    def publish(
        self, key: PublicKey, by: str, *, vouch: str | None = None, retire: PublicKey | None = None, reason: str = ""
    ) -> int:
        """Append `key_published` and, where a key is replaced, `key_retired`, as one group; return the new key's number."""
        payloads: list[Event] = [KeyPublished(by=by, public_key=str(key), vouch=vouch)]
        if retire is not None:
            payloads.append(KeyRetired(by=by, public_key=str(retire), reason=reason))
        if self._opening_day is not None:
            payloads.insert(0, GamingDayOpened(gaming_day=self._opening_day))
        drafts = [self._draft(payload, place) for place, payload in enumerate(payloads, self._reports + 1)]
        seqs = self._log.append(PROPERTY_STREAM, self._last_seq + 1, drafts).seqs
        published = seqs[0 if self._opening_day is None else 1]
        assert published is not None  # a new key's event is no repeat of anything
        return published

    def _draft(self, payload: Event, source_seq: int) -> Draft:
        now_us = time.time_ns() // 1000  # in the id too: nobody can take that first
        identity = sha256(f"{SOURCE}/{self._log.log_id}/{source_seq}/{now_us}".encode()).hexdigest()[:32]
        return Draft(
            event_id=identity,
            source=SOURCE,
            source_seq=source_seq,
            occurred_at_us=now_us,
            round_no=None,
            payload=payload,
        )

    def _present_day(self) -> str:
        """Return the newest gaming day of any stream."""
        days = [
            read(record.data).gaming_day
            for stream in self._log.streams()
            for record in self._log.read(stream, self._log.head(stream).seq)
        ]
        if not days:
            raise UsageError(
                "the log holds no events and no gaming day is open; append the property's gaming day first"
            )
        return max(days)
