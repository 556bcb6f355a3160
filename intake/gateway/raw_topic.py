"""A topic of Kafka as a second way in: each record is one line, appended before its offset is kept.

The offset is kept, under a name that is the log's own, after everything before it is durable. Whatever is killed when, a
record is read again or was stored; what was stored already is recognized as a repeat by the device's own number. Nothing is
skipped: if the log takes nothing, the topic waits. A record that cannot be read, whatever it does to its reader, goes to
quarantine, with topic, partition and offset: nothing waits behind it.

Who may write to the topic, the broker's access rules say. If there is a register of devices, the key of a record is the
name of its device, which speaks for its own sources only.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from events.errors import BrokenSeal, LogUnavailable
from events.kafka.client import Cluster, TopicPartition, TopicReader
from events.kafka.partition_reader import why_unreadable
from events.kafka.record_batches import ReadMessage
from events.kafka.topics import parse_address
from events.vocabulary.card_numbers import hidden_numbers
from intake.appending import LineOutcome
from intake.devices import Device, DeviceWatch
from intake.errors import IntakeError, NoKeyring
from intake.gateway.group_commit import CommitRequest, GroupCommit, NotStored, QueueFull
from intake.gateway.messages import IntakeMessage, NotItsOwn, Tokens, check_device
from intake.lines import AcceptedLine, Refusal, json_texts, read_reported, reason_of, stream_in
from intake.profiles.profile import Profile
from intake.profiles.registered_profiles import Profiles

POLL_S: Final = 0.2
RETRY_S: Final = 1.0
"""The wait if the log, the register or the broker is unavailable."""

Line = AcceptedLine | Refusal


class RawTopic:
    """Reads a topic into a gateway's log, on its own thread, until closed. Raises `LogUnavailable` for a bad address."""

    def __init__(
        self,
        address: str,
        commit: GroupCommit,
        devices: DeviceWatch | None,
        profiles: Profiles,
        tokens: Tokens,
        *,
        report: Callable[[str], None],
        observe: Callable[[Sequence[LineOutcome]], None] = lambda _: None,
        security: Mapping[str, Any] | None = None,
    ) -> None:
        bootstrap, self.topic = parse_address(address)
        self._cluster = Cluster(bootstrap, security=security)
        self._commit, self._devices, self._profiles, self._tokens = commit, devices, profiles, tokens
        self._report, self._observe = report, observe
        self._ending = threading.Event()
        self.trouble: str | None = f"{self.topic} has not been read yet"
        """Why nothing of the topic is stored at present."""
        self._thread = threading.Thread(target=self._run, name="raw-topic")
        self._thread.start()

    def close(self) -> None:
        """Stop reading: wait until what was handed in is stored, and keep its offsets."""
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._follow()
            except (LogUnavailable, BrokenSeal, IntakeError, NotStored, QueueFull) as error:
                self._say(str(error))
            except Exception as error:  # a defect: the topic is read again from the last offset that was kept
                self._say(f"unexpected {type(error).__name__}: {error}")
            self._ending.wait(RETRY_S)

    def _say(self, trouble: str) -> None:
        if trouble != self.trouble:
            self._report(f"{self.topic}: {trouble}; it is read on as soon as that is over")
        self.trouble = trouble

    def _follow(self) -> None:
        """Read from the offsets that were kept, and on, until something fails."""
        self._cluster.probe()
        reader = self._cluster.reader(patient=True, offsets_of=f"rack-gateway-{self._commit.log_id}")
        try:
            reader.assign(self._offsets(reader))
            self.trouble = None
            while not self._ending.is_set():
                polled = reader.poll(POLL_S)
                if polled:
                    self._take({TopicPartition(*lane): messages for lane, messages in polled.items()})
                    reader.keep({TopicPartition(*lane): messages[-1].offset + 1 for lane, messages in polled.items()})
        finally:
            reader.close()

    def _offsets(self, reader: TopicReader) -> dict[TopicPartition, int]:
        """Return where to go on in each partition; report records that are gone before they were read."""
        lanes = [TopicPartition(self.topic, number) for number in range(reader.partitions(self.topic))]
        if not lanes:
            raise LogUnavailable(f"there is no topic {self.topic} at {self._cluster.bootstrap}; create it")
        offsets = {}
        for lane, first in reader.starts(lanes).items():
            kept = reader.worked_off(lane)
            if kept is not None and kept < first:
                self._report(
                    f"{self.topic} partition {lane.partition}: the records {kept} to {first - 1} were removed before they "
                    "were read; give the topic a longer retention"
                )
            offsets[lane] = max(first, kept or 0)
        return offsets

    def _take(self, polled: Mapping[TopicPartition, Sequence[ReadMessage]]) -> None:
        """Return when all of these records are durable. Raises the error that keeps them from it."""
        messages = [(lane, message) for lane, batch in polled.items() for message in batch]

        def read() -> list[Line]:
            return [line for lane, message in messages for line in self._read(lane, message)]

        handed = CommitRequest(read, len(messages), sum(len(message.value or b"") for _, message in messages))
        self._commit.hand_in(handed)
        lines, outcomes = handed.outcomes.result()
        self._observe(outcomes)
        for line, outcome in zip(lines, outcomes, strict=True):
            if outcome.refused is not None:
                self._report(f"{line.origin}: {outcome.refused.reason}; quarantined as {outcome.refused.sha256[:16]}…")

    def _read(self, lane: TopicPartition, message: ReadMessage) -> list[Line]:
        """Return a record's lines, or its refusal. Raises `IntakeError` if the register or a profile cannot be read."""
        origin = f"topic {lane.topic}, partition {lane.partition}, offset {message.offset}"
        data = message.value or b""
        if reason := why_unreadable(message.headers):
            return [self._refusal(data, origin, reason, None)]
        device, profile = None, None
        if self._devices is not None:
            name = (message.key or b"").decode("ascii", "replace")
            device = self._devices.current().get(name)
            profile = None if device is None else self._profiles.of(device)
            if device is None or device.revoked is not None:
                what = "names no device that is let in" if name else "is missing"
                reason = f"the record's key {what}; expected the name of a device in the register"
                return [self._refusal(data, origin, reason, profile)]
        texts = json_texts(data) if profile is None or profile.format == "json" else [data]
        return [line for text in texts for line in self._read_text(text, origin, device, profile)]

    def _read_text(self, text: bytes, origin: str, device: Device | None, profile: Profile | None) -> Sequence[Line]:
        """Return the lines of a text, or its refusal. Without a keyring a card number refuses its text: others wait behind it."""
        lines: Sequence[Line]
        try:
            try:
                lines = (
                    [read_reported(text, origin, self._tokens)] if profile is None else profile.read(text, origin, self._tokens)
                )
            except NoKeyring as error:
                refusal = self._refusal(text, origin, str(error), profile)
                lines = [msgspec.structs.replace(refusal, stream=stream_in(refusal.data))]
            if device is not None:
                check_device(device, [IntakeMessage(1, tuple(lines))], vendor=profile is not None)
        except NotItsOwn as error:
            return [self._refusal(text, origin, str(error).removeprefix(f"{origin}: "), profile)]
        except (OSError, MemoryError):  # the machine's, not the record's
            raise
        except Exception as error:
            return [self._refusal(text, origin, reason_of(error), profile)]
        return [msgspec.structs.replace(line, origin=origin) for line in lines]

    def _refusal(self, text: bytes, origin: str, reason: str, profile: Profile | None) -> Refusal:
        """Return the refusal of a text, with tokens for its card numbers, or without these if no tokens can be made."""

        def kept(tokens: Tokens) -> bytes:
            return tokens(text) if profile is None else profile.kept(text, tokens)

        try:
            data = kept(self._tokens)
        except IntakeError:
            data = kept(hidden_numbers)
        return Refusal(origin, data, None, reason, origin)
