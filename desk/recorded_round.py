"""One round of a log: its events, and the verdict recomputed from them."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, cast
from zoneinfo import ZoneInfo

from msgspec import to_builtins

from desk.packet.evidence import RoundUnknown, known_stream
from desk.review.stored_events import event_of
from events.errors import IntegrityError
from events.log.contract import EventLog, Head
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import (
    DealerTappedIn,
    EntryConfirmed,
    EntryLineAdded,
    Event,
    EventCorrected,
    PropertyConfigured,
    RoundObserved,
    RoundOpened,
)
from replay.findings import Adjudication
from replay.fold.corrections import correction, counting
from replay.fold.device_order import in_order_of_play
from replay.fold.event_reach import is_of_a_round
from replay.fold.observed_fold import added_line, place_of_line
from replay.fold.recorded_event import RecordedEvent, is_of_people
from replay.fold.round import Round
from replay.incidents import incidents
from replay.narrative.events import sentence
from replay.narrative.names import utc
from replay.narrative.reviews import Disposed, recorded_by
from replay.narrative.ruling import ruling
from replay.narrative.verdicts import RoundVerdict, narrate
from replay.run.positions import ReplaySource
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.run.round_keeper import RoundTaker
from replay.transcript.clock import Clock, clock_of
from replay.transcript.read import DECK
from replay.transcript.verdict_text import incident_values
from replay.transcript.write import to_text
from rulebook.chapters.rulebook import Rulebook


@dataclass(frozen=True)
class RecordedRound:
    """A recorded round: its events in order, its verdict, and the damage later in its stream."""

    events: tuple[Envelope, ...]
    adjudication: Adjudication
    broken: tuple[str, ...]
    corrections: Mapping[int, Envelope]
    """The number of an event of the round → its last correction."""
    currency: str
    """The property's (ISO 4217); dollars if the log does not say."""
    clock: Clock
    """The property's; UTC if the log does not say, or names a zone that this machine does not know."""

    def transcript(self) -> str:
        """Return the round as a transcript: the valid content, and in comments the corrections with author and reason."""
        judged, notes = self.adjudication, {}
        counts: list[tuple[int, int, Event | None]] = []
        header, recorded = None, tuple[str, ...]()
        for event in self.events:
            payload: Event | None = event.payload
            made = self.corrections.get(event.seq)
            if made is not None:
                by, was = cast(EventCorrected, made.payload), sentence(event.payload, self.currency)
                notes[event.seq] = f"event {event.seq} was: {was}; corrected by event {made.seq} ({by.by}: {by.reason})"
                payload = _replacement(made, judged.round_no)
            if isinstance(payload, RoundObserved):
                header = payload
                confirmed = [each.payload.by for each in self.events if isinstance(each.payload, EntryConfirmed)]
                recorded = (f"# {recorded_by(payload, event.recorded_at_us, confirmed, utc)}",)
                if payload.dealer is not None:
                    counts.append((event.seq, event.occurred_at_us, DealerTappedIn(dealer=payload.dealer)))
                payload = RoundOpened(deck=payload.deck or DECK, observed=payload.observed)
            elif isinstance(payload, EntryConfirmed):
                continue
            elif isinstance(event.payload, EntryLineAdded):
                added = event.payload
                notes.setdefault(event.seq, f"event {event.seq} was added by {added.by}: {added.reason}")
                line = added_line(added) if made is None else payload
                place = place_of_line([(seq, each) for seq, _, each in counts], added.after_seq)
                counts.insert(place, (event.seq, counts[place - 1][1], line))
                continue
            counts.append((event.seq, event.occurred_at_us, payload))
        return to_text(
            counts,
            table=judged.stream.partition("/")[2],
            round_no=judged.round_no,
            rules=(
                *recorded,
                f"# rules submission {judged.submission} ({judged.chapter}), SHA-256 {judged.rules_digest}"
                if judged.submission
                else "# no rules submission that could be read",
                *((f"# edition {judged.edition}, SHA-256 {judged.edition_digest}",) if judged.edition_digest else ()),
            ),
            notes=notes,
            times=header is None or header.played_from_us is not None,
            currency=self.currency,
            zone=None if self.clock.zone is UTC else cast(ZoneInfo, self.clock.zone),
            gaming_day=judged.gaming_day if self.events else None,
            cutover=self.clock.cutover,
            order_seen=header is None or header.order_seen,
        )

    def values(self, disposed: Mapping[str, Disposed]) -> dict[str, Any]:
        """Return the round as JSON values; `disposed` gives the dispositions of its findings."""
        judged, made = self.adjudication, incidents(self.adjudication.findings)
        ruled = ruling(made, judged.settlements, judged.chapter, None, self.currency, disposed)
        account = narrate(RoundVerdict.of(judged), currency=self.currency, settled=ruled.settled)
        events = [
            {
                "seq": event.seq,
                "type": event.type,
                "occurred_at_us": event.occurred_at_us,
                "source": event.source,
                "sentence": sentence(event.payload, self.currency),
                "payload": to_builtins(event.payload),
                "corrected_by": self.corrections[event.seq].seq if event.seq in self.corrections else None,
            }
            for event in self.events
        ]
        values: dict[str, Any] = to_builtins(judged)
        return values | {
            "sentence": account.sentence,
            "incidents": [incident_values(incident, self.currency, disposed) for incident in made],
            "transcript": self.transcript(),
            "events": events,
        }


def recorded_round(log: EventLog, table: str, round_no: int, rules: Rulebook | None = None) -> RecordedRound:
    """Return a recorded or observed round, judged. Raises `RoundUnknown`, or `IntegrityError` if damage hides it."""
    streams = log.streams()
    stream = known_stream(streams, table)
    memory, facts = MemoryResults(), _FactsOf(round_no)
    others = [other for other in streams if other != stream]
    summary = replay(log, memory, rules=rules, without=others, rounds=facts)
    judged = {each.round_no: each for each in adjudications(memory)}
    if round_no not in judged:
        for _ in _events(log, stream):
            pass  # to the break, if there is one
        rounds = f"rounds {min(judged)} to {max(judged)}" if judged else "no rounds"
        raise RoundUnknown(f"table {table} has no round {round_no}; it has {rounds}")
    read: list[Envelope] = []
    with contextlib.suppress(IntegrityError):  # the round is before the break, which the summary names
        read.extend(_events(log, stream))
    corrections = _corrections(read)
    events = _as_played(read, lambda event: _is_of(event, round_no, corrections.get(event.seq)) or facts.has(event))
    configured = property_configured(log)
    return RecordedRound(
        tuple(events),
        judged[round_no],
        tuple(summary.integrity),
        {event.seq: corrections[event.seq] for event in events if event.seq in corrections},
        "USD" if configured is None else configured.currency,
        clock_of(configured),
    )


class _FactsOf:
    """Collects the events of a round as the fold last assembled it (a `RoundKeeper` that keeps one round)."""

    def __init__(self, round_no: int) -> None:
        self._round_no = round_no
        self._seqs: frozenset[int] = frozenset()

    def has(self, event: Envelope) -> bool:
        """Whether an event concerns the round without naming it (D950)."""
        return event.seq in self._seqs and is_of_a_round(event.payload.KIND, event.round_no)

    def take(self, round_: Round, book: Rulebook | str, seq: int) -> None:
        if round_.round_no == self._round_no and not round_.is_repeat:
            self._seqs = frozenset(fact.seq for fact in round_.facts)

    def resume(self, log: ReplaySource, positions: Mapping[str, Head]) -> list[str]:
        return []

    def taker(self, stream: str) -> RoundTaker:
        return self

    def commit(self, log: ReplaySource, heads: Mapping[str, Head], *, at_once: bool) -> bool:
        return True

    def at_rest(self, state: bytes, seq: int) -> None:
        """Do nothing: the table's state is not needed."""

    def refolded(self, stream: str) -> None:
        """Receive the rounds of a refolded stream one by one."""

    def broken(self, stream: str, why: str) -> None:
        """Keep the events read before the damage."""

    def forget(self, stream: str) -> None:
        """Do nothing: there is nothing to forget."""


def _is_of(event: Envelope, round_no: int, corrected_by: Envelope | None) -> bool:
    is_of_round = event.round_no == round_no and not isinstance(event.payload, EventCorrected)
    return is_of_round or _replacement(corrected_by, round_no) is not None


def _as_played(read: Sequence[Envelope], is_of_round: Callable[[Envelope], bool]) -> list[Envelope]:
    """Return a round's events in the order of play: late events come before later numbers of their device (D850)."""
    newest: dict[str, int] = {}
    facts = list[RecordedEvent]()
    for event in read:
        if is_of_round(event):
            is_late = event.source_seq < newest.get(event.source, 0) and not is_of_people(event.source)
            facts.append(RecordedEvent.of(event, is_late=is_late))
        newest[event.source] = max(newest.get(event.source, 0), event.source_seq)
    by_seq = {event.seq: event for event in read}
    return [by_seq[fact.seq] for fact in in_order_of_play(facts)]


def property_configured(log: EventLog) -> PropertyConfigured | None:
    """Return the property's configuration in its newest readable event; None if none exists."""
    configured = None
    with contextlib.suppress(IntegrityError):  # the round is shown all the same; `rack verify` names the break
        for event in _events(log, "property/main"):
            if isinstance(event.payload, PropertyConfigured):
                configured = event.payload
    return configured


def currency_of(log: EventLog) -> str:
    """Return the property's currency (ISO 4217); dollars if the log does not say."""
    configured = property_configured(log)
    return "USD" if configured is None else configured.currency


def _corrections(events: Sequence[Envelope]) -> dict[int, Envelope]:
    """Return the valid corrections of a stream, by the number of the event that each corrects last."""
    made = {event.seq: event for event in events if isinstance(event.payload, EventCorrected)}
    corrections = [correction(seq, cast(EventCorrected, event.payload)) for seq, event in made.items()]
    ids = {event.seq: event.event_id for event in events}
    return {superseded: made[each.seq] for superseded, each in counting(corrections, ids).items()}


def _replacement(made: Envelope | None, round_no: int) -> Event | None:
    """Return the valid content of a corrected event, if it belongs to this round."""
    if made is None:
        return None
    replacement = correction(made.seq, cast(EventCorrected, made.payload)).replacement
    return replacement[1] if replacement is not None and replacement[0] == round_no else None


def _events(log: EventLog, stream: str) -> Iterator[Envelope]:
    """Yield a stream's events. Raises an `IntegrityError` if it is broken."""
    for record in log.read(stream):
        yield event_of(record, decode)
