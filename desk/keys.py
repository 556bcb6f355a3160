"""The key book of a log: its first key and the keys that replaced it."""

import time
from hashlib import sha256
from pathlib import Path

from events.log.contract import EventLog
from events.proofs.checkpoint import origin_of
from events.proofs.keys import PROPERTY_STREAM, KeyRing, new_key, read_signer, vouch_for
from events.proofs.signed_note import KeyKind, PublicKey
from events.vocabulary.codec import read
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, GamingDayOpened, KeyPublished, KeyRetired

SOURCE = "rack-keys"


class KeyNotAdded(Exception):
    """A key cannot be added to a log; the message says why and what to do."""


class KeyBook:
    """The keys of a log, open for adding. Raises `KeyNotAdded` for a log without events."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.ring = KeyRing()
        self._last_seq = self._reports = 0
        for record in log.read(PROPERTY_STREAM):
            self.ring.add(record)
            self._last_seq = record.seq
            self._reports += read(record.data).source == SOURCE
        self._opening_day = None if self._last_seq else self._present_day()

    @property
    def origin(self) -> str:
        """The name in the log's keys."""
        return origin_of(self._log.log_id, self._log.property_id)

    def in_force(self) -> list[PublicKey]:
        """Return the keys in force."""
        return self.ring.in_force(self._last_seq)

    def add_first(self, file: Path, by: str, *, existing: bool = False) -> tuple[PublicKey, int]:
        """Publish the log's first key, new in `file` or existing there; return it and its event's number."""
        if self.in_force():
            raise KeyNotAdded("the log already has a key in force; replace it with `rack keys rotate`")
        made = self._key(file, existing)
        return made, self.publish(made, by)

    def replace(
        self, file: Path, by: str, reason: str, *, old: Path | None = None, existing: bool = False
    ) -> tuple[PublicKey, int]:
        """Publish a key and retire the present one, which vouches for it if `old` is given; return as `add_first` does."""
        if len(self.in_force()) != 1:
            raise KeyNotAdded("the log has no key in force; publish the first with `rack keys new`")
        (retired,) = self.in_force()
        signer = read_signer(old) if old else None
        if signer is not None and signer.public_key != retired:
            raise KeyNotAdded(f"{old} is not the key in force, {retired.name} ({retired.id.hex()})")
        made = self._key(file, existing)
        vouch = vouch_for(made, signer) if signer is not None else None
        return made, self.publish(made, by, vouch=vouch, retire=retired, reason=reason)

    def _key(self, file: Path, existing: bool) -> PublicKey:
        """Return the public key of a file: a new one, or the existing one there."""
        if not existing:
            return new_key(file, self.origin, KeyKind.LOG).public_key
        key = read_signer(file).public_key
        if key.kind is not KeyKind.LOG or key.name != self.origin:
            raise KeyNotAdded(f"{file} is the key {key}; this log's key is one of kind 1 named {self.origin}")
        if self.ring.of(key) is not None:
            raise KeyNotAdded(f"the log has named the key {key.id.hex()} before, and a key cannot be used again; make a new one")
        return key

    def publish(
        self, key: PublicKey, by: str, *, vouch: str | None = None, retire: PublicKey | None = None, reason: str = ""
    ) -> int:
        """Append `key_published` and, if a key is replaced, `key_retired`, as one group; return the new key's number."""
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
        now_us = time.time_ns() // 1000  # in the id too: no one can take that first
        identity = sha256(f"{SOURCE}/{self._log.log_id}/{source_seq}/{now_us}".encode()).hexdigest()[:32]
        return Draft(
            event_id=identity, source=SOURCE, source_seq=source_seq, occurred_at_us=now_us, round_no=None, payload=payload
        )

    def _present_day(self) -> str:
        """Return the latest gaming day of any stream."""
        days = [
            read(record.data).gaming_day
            for stream in self._log.streams()
            for record in self._log.read(stream, self._log.head(stream).seq)
        ]
        if not days:
            raise KeyNotAdded("the log holds no events and no gaming day is open; append the property's gaming day first")
        return max(days)
