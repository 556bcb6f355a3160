"""Observations and the rounds entered in them: the one writer of `observed/<table>`, and what that stream says.

Invariant: an entry is stored whole or not at all, in the name of a registered person; everything that can be wrong with it is
asked before anything is written. What is stored is only corrected, by an author and with a reason, under the same number.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC
from hashlib import sha256
from typing import Any

import msgspec

from desk.review.desk import Desk, review_event
from desk.review.persons import ReviewRefused
from events.errors import EventError, UndecodableEvent
from events.log.contract import EventLog, ResultStore
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft, Envelope, ReadEnvelope, unlogged
from events.vocabulary.model import Event, EventCorrected, EventCorrected2, Replacement
from events.vocabulary.places import writers_of
from replay.findings import Adjudication, read_result
from replay.fold.corrections import correction, counting
from replay.fold.observed_fold import Entry, usual_place
from replay.narrative.names import moment
from replay.narrative.reviews import recorded_by

CLOSED_BY = "observer"
"""Who ends an entry in which the observer did not see the round closed."""
LATER = (model.EntryConfirmed, model.ObservationOpened, model.ObservationClosed, model.GamingDayOpened, EventCorrected)
"""What in a stream of observed rounds is no line of an entry."""


class EnteredRound(msgspec.Struct, kw_only=True):
    """A round as it was entered: its header, the events of its entry by number, each as it counts (None: struck)."""

    round_no: int
    seq: int
    header: model.RoundObserved
    entered_us: int
    entered_day: str
    lines: dict[int, Envelope]
    counts: dict[int, Event | None]
    is_withdrawn: bool = False
    confirmed_by: list[str] = []

    @property
    def last_seq(self) -> int:
        """The number of the last event of the entry."""
        return max(self.lines)


class Observation(msgspec.Struct, kw_only=True):
    """An observation: how it was opened, how it ended (None: it goes on), and the numbers of its rounds."""

    opened: model.ObservationOpened
    opened_seq: int
    closed: model.ObservationClosed | None = None
    rounds: list[int] = []

    @property
    def basis(self) -> str:
        """As what its rounds count: `sampled`, `for_cause` or `dispute`."""
        if self.opened.purpose == "dispute":
            return "dispute"
        is_sample = self.opened.selection != "for_cause" and self.opened.purpose != "for_cause"
        return "sampled" if is_sample else "for_cause"


class ObservedTable:
    """What was observed at a table, and entered. Raises an `IntegrityError` if the stream is broken."""

    def __init__(self, log: EventLog, table: str) -> None:
        self.table, self.stream = table, f"observed/{table}"
        self.seq, self.gaming_day = 0, ""
        self.rounds: dict[int, EnteredRound] = {}
        self.observations: dict[str, Observation] = {}
        self.ids: dict[str, int] = {}
        """Id of the opening of an entry → its round number."""
        events: dict[int, Envelope] = {}
        for record in log.read(self.stream) if self.stream in log.streams() else ():
            try:
                event = decode(record.data)
            except EventError as error:
                raise UndecodableEvent(self.stream, record.seq, str(error)) from error
            self.seq, self.gaming_day = event.seq, event.gaming_day
            events[event.seq] = event
        made = [
            correction(seq, each.payload) for seq, each in events.items() if isinstance(each.payload, EventCorrected)
        ]
        self._corrected = counting(made, {seq: each.event_id for seq, each in events.items()})
        for event in events.values():
            self._take(event)

    def basis(self, entered: EnteredRound) -> str:
        """Return as what a round counts; one that was entered outside an observation, or before it began, is for cause."""
        found = self.observations.get(entered.header.observation or "")
        return "for_cause" if found is None or found.opened_seq > entered.seq else found.basis

    def _take(self, event: Envelope) -> None:
        payload, number = event.payload, event.round_no or 0
        entered = self.rounds.get(number)
        match payload:
            case model.ObservationOpened():
                self.observations.setdefault(payload.observation, Observation(opened=payload, opened_seq=event.seq))
            case model.ObservationClosed() if payload.observation in self.observations:
                self.observations[payload.observation].closed = payload
            case model.RoundObserved() if entered is None:
                counts = self._counting(event)
                header = counts if isinstance(counts, model.RoundObserved) else payload
                self.ids[event.event_id] = number
                self.rounds[number] = EnteredRound(
                    round_no=number,
                    seq=event.seq,
                    header=header,
                    entered_us=event.recorded_at_us,
                    entered_day=event.gaming_day,
                    lines={event.seq: event},
                    counts={event.seq: counts},
                    is_withdrawn=counts is None,
                )
                if header.observation in self.observations:
                    self.observations[header.observation].rounds.append(number)
            case model.EntryConfirmed() if entered is not None:
                entered.confirmed_by.append(payload.by)
            case _ if entered is not None and not isinstance(payload, LATER):
                entered.lines[event.seq], entered.counts[event.seq] = event, self._counting(event)

    def _counting(self, event: Envelope) -> Event | None:
        made = self._corrected.get(event.seq)
        if made is None:
            return event.payload
        return None if made.replacement is None else made.replacement[1]

    def round(self, round_no: int) -> EnteredRound:
        """Return an entered round by its number. Raises `ReviewRefused` if none exists."""
        found = self.rounds.get(round_no)
        if found is None:
            known = f"it has 1 to {max(self.rounds)}" if self.rounds else "it has none"
            raise ReviewRefused(f"{self.stream} has no round {round_no}; {known}")
        return found

    def observation(self, name: str) -> Observation:
        """Return an observation by its id. Raises `ReviewRefused` if none exists."""
        if name not in self.observations:
            raise ReviewRefused(
                f"{self.stream} has no observation {name!r}; it has {', '.join(self.observations) or 'none'}"
            )
        return self.observations[name]


def verdict_of(results: ResultStore, key: str) -> Adjudication | None:
    """Return the verdict on a round by its key (`observed/fu-01#17`); None if it was not judged yet."""
    data = results.latest("adjudications", key)
    return None if data is None else read_result("adjudications", key, data, Adjudication)


def as_entry(entered: EnteredRound) -> Entry:
    """Return an entered round as replay folds it, with its corrections."""
    opened = entered.lines[entered.seq]
    entry = Entry(_as_read(opened, entered.header), entered.header)
    for seq, line in entered.lines.items():
        counts = entered.counts[seq]
        if seq != entered.seq and counts is not None:
            entry.events.append(_as_read(line, counts))
    return entry


def _as_read(line: Envelope, payload: Event) -> ReadEnvelope[Event]:
    return unlogged(
        payload,
        stream=line.stream,
        seq=line.seq,
        gaming_day=line.gaming_day,
        source=line.source,
        source_seq=line.source_seq,
        occurred_at_us=line.occurred_at_us,
        round_no=line.round_no,
        event_id=line.event_id,
    )


def _utc(at_us: int) -> str:
    return f"{moment(at_us, UTC):%Y-%m-%dT%H:%M:%SZ}"


def recorded(entered: EnteredRound) -> str:
    """Return who recorded a round, from what, when it was entered and when it was played, in words."""
    return recorded_by(entered.header, entered.entered_us, entered.confirmed_by, _utc)


# ------------------------------------------------------------------------------------------------------------ observations


def open_observation(desk: Desk, table: str, **fields: Any) -> model.ObservationOpened:
    """Open an observation; `fields` are those of the event. The seed of a random selection is made here, before anybody looks."""
    must_know(desk, table)
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        name = fields["observation"] = fields.get("observation") or f"o-{len(state.observations) + 1}"
        if name in state.observations:
            raise ReviewRefused(f"{state.stream} has an observation {name!r} already; choose another id")
        is_random = fields["selection"] == "random"
        begins, ends, rounds = fields["frame_from_us"], fields["frame_to_us"], fields["frame_rounds"]
        if (begins is None) != (ends is None) or (begins is not None and begins >= ends):
            raise ReviewRefused("a frame has a beginning and an end after it; give both, or neither")
        if is_random and begins is None and rounds is None:
            raise ReviewRefused("a random selection is drawn from a frame; give its time, or the number of its rounds")
        if rounds is not None and fields["planned"] > rounds:
            raise ReviewRefused(f"{fields['planned']} rounds are planned, and the frame has {rounds}")
        if fields["purpose"] == "dealer_audit" and fields["dealer"] is None:
            raise ReviewRefused("a dealer audit is of a dealer; name the dealer")
        fields |= {"by": desk.person(fields["by"]).id, "seed": secrets.token_hex(32) if is_random else None}
        opened = review_event(model.ObservationOpened, **fields)
        _write(desk, state, fields["by"], [(opened, None, None, None)])
    assert isinstance(opened, model.ObservationOpened)
    return opened


def close_observation(
    desk: Desk, table: str, *, observation: str, unreadable: int, by: str, reason: str
) -> Observation:
    """Close an observation, with how many of the selected rounds could not be read."""
    must_know(desk, table)
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        found = state.observation(observation)
        if found.closed is not None:
            raise ReviewRefused(f"observation {observation} was closed by {found.closed.by}")
        person = desk.person(by).id
        closed = review_event(
            model.ObservationClosed, by=person, observation=observation, reason=reason, unreadable=unreadable
        )
        _write(desk, state, person, [(closed, None, None, None)])
        return ObservedTable(desk.log, table).observation(observation)


def drawn(opened: model.ObservationOpened) -> list[int]:
    """Return what a random selection draws, in order: numbers of rounds of a counted frame, else times (UTC microseconds).

    Anybody can draw again from the seed: value n is SHA-256("rack/draw/v1/<seed>/<n>") modulo the size of the frame; one that
    was drawn already is passed over.
    """
    if opened.seed is None:
        return []
    begins = opened.frame_from_us or 0
    size = opened.frame_rounds or ((opened.frame_to_us or 0) - begins) // 1_000_000
    chosen: dict[int, None] = {}
    number = 0
    while len(chosen) < min(opened.planned, size):
        number += 1
        chosen[int.from_bytes(sha256(f"rack/draw/v1/{opened.seed}/{number}".encode()).digest()) % size] = None
    if opened.frame_rounds is not None:
        return sorted(value + 1 for value in chosen)
    return sorted(begins + value * 1_000_000 for value in chosen)


# ----------------------------------------------------------------------------------------------------------------- entries


def must_know(desk: Desk, table: str) -> None:
    """Raise `ReviewRefused` if the log has no such table."""
    if f"table/{table}" not in desk.log.streams():
        raise ReviewRefused(f"the log has no table {table!r}")


def same_round(desk: Desk, table: str, round_no: int, *, observed: bool = False) -> model.SameRound:
    """Return another record of a round, of the table's devices or of an observer, as an entry names it."""
    if observed:
        entered = ObservedTable(desk.log, table).round(round_no)
        first, last, stream = entered.seq, entered.last_seq, f"observed/{table}"
    else:
        stream = f"table/{table}"
        judged = verdict_of(desk.results, f"{stream}#{round_no}")
        if judged is None:
            raise ReviewRefused(
                f"table {table} has no judged round {round_no}; replay the log first, or leave out the round"
            )
        first, last = judged.first_seq, judged.last_seq
    return model.SameRound(first_seq=first, last_seq=last, round_no=round_no, stream=stream)


def enter(
    desk: Desk, table: str, header: model.RoundObserved, events: Sequence[tuple[Event, int]], identity: str
) -> tuple[int, int]:
    """Enter a round; return its number and how many events were stored: none if the same was entered before.

    `events` are what was seen, each with its time (UTC microseconds); `identity` says what this entry is, for an entry that is
    handed in again. Raises `ReviewRefused`, and then nothing was written.
    """
    must_know(desk, table)
    person = desk.person(header.by).id
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        event_id = sha256(f"rack/observed/v1/{state.stream}/{person}/{identity}".encode()).hexdigest()[:32]
        if event_id in state.ids:
            return state.ids[event_id], 0
        header = msgspec.structs.replace(header, by=person)
        _check(state, header)
        for event, _ in events:
            if "desk" not in writers_of(state.stream, event.TYPE) or isinstance(event, LATER):
                raise ReviewRefused(
                    f"{event.TYPE} is of the table, and an entered round changes nothing of it; leave it out"
                )
        number = max(state.rounds, default=0) + 1
        seen = list(events)
        if not any(isinstance(event, model.RoundClosed) for event, _ in seen):
            seen.append((model.RoundClosed(by=CLOSED_BY), seen[-1][1] if seen else desk.now_us()))
        if not header.order_seen:
            times = sorted(at_us for _, at_us in seen)
            seen = list(zip(sorted((event for event, _ in seen), key=usual_place), times, strict=True))
        begins = header.played_from_us if header.played_from_us is not None else seen[0][1]
        written = [(header, number, begins, event_id), *((event, number, at_us, None) for event, at_us in seen)]
        return number, _write(desk, state, person, written)


def _check(state: ObservedTable, header: model.RoundObserved) -> None:
    if header.observation is not None:
        found = state.observation(header.observation)
        if found.closed is not None:
            raise ReviewRefused(f"observation {header.observation} was closed by {found.closed.by}; open another one")
        if found.opened.dealer is not None and header.dealer not in (None, found.opened.dealer):
            raise ReviewRefused(
                f"observation {header.observation} is of dealer {found.opened.dealer}, and the round of {header.dealer}"
            )
        begins, ends, at_us = found.opened.frame_from_us, found.opened.frame_to_us, header.played_from_us
        if at_us is not None and begins is not None and ends is not None and not begins <= at_us < ends:
            raise ReviewRefused(f"the round was played outside the frame of observation {header.observation}")
    if header.basis == "video" and header.camera is None:
        raise ReviewRefused("a round that was seen on video names its camera")


def confirm(desk: Desk, table: str, round_no: int, *, by: str) -> EnteredRound:
    """Confirm, as another person, that an entry is what its source shows."""
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        entered = state.round(round_no)
        second = desk.second_person(by, entered.header.by)
        if second.id in entered.confirmed_by:
            raise ReviewRefused(f"{second.id} confirmed round {round_no} already")
        _write(desk, state, second.id, [(model.EntryConfirmed(by=second.id), round_no, None, None)])
        return ObservedTable(desk.log, table).round(round_no)


def correct(
    desk: Desk, table: str, seq: int, changes: Mapping[str, Any] | None, *, by: str, reason: str
) -> EnteredRound:
    """Correct a line of an entry: `changes` are its fields that were wrong; None strikes it, or withdraws the whole entry.

    Raises `ReviewRefused`, and then nothing was written and the round is as it was.
    """
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        entered = next((each for each in state.rounds.values() if seq in each.lines), None)
        if entered is None:
            raise ReviewRefused(
                f"event {seq} of {state.stream} is no line of an entry; `rack observe show` prints their numbers"
            )
        person, before = desk.person(by).id, entered.counts[seq]
        if before is None or entered.is_withdrawn:
            raise ReviewRefused(f"event {seq} of {state.stream} was struck already")
        if changes is None and isinstance(before, model.RoundClosed):
            raise ReviewRefused("the end of an entry cannot be struck; strike its first line to withdraw the entry")
        after = None if changes is None else _changed(before, changes)
        if isinstance(after, model.RoundObserved):
            _check(state, after)
        if after == before:
            raise ReviewRefused(f"event {seq} of {state.stream} says so already")
        replacement = after and Replacement(
            payload=msgspec.to_builtins(after), round_no=entered.round_no, type=after.TYPE, version=after.VERSION
        )
        made = review_event(
            EventCorrected2,
            by=person,
            reason=reason,
            replacement=replacement,
            supersedes_event_id=entered.lines[seq].event_id,
            supersedes_seq=seq,
        )
        _write(desk, state, person, [(made, entered.round_no, None, None)])
        return ObservedTable(desk.log, table).round(entered.round_no)


def _changed(before: Event, changes: Mapping[str, Any]) -> Event:
    fields = set(before.__struct_fields__)
    unknown = [name for name in changes if name not in fields]
    if unknown or {"by"} & changes.keys() & ({"by"} if isinstance(before, model.RoundObserved) else set()):
        what = unknown[0] if unknown else "by"
        raise ReviewRefused(f"{before.TYPE} has no field {what!r} to correct; it has {', '.join(sorted(fields))}")
    try:
        return msgspec.convert(msgspec.to_builtins(before) | dict(changes), type(before), strict=True)
    except msgspec.ValidationError as error:
        raise ReviewRefused(f"{before.TYPE}: {error}; nothing was written") from error


# ----------------------------------------------------------------------------------------------------------------- writing

Written = tuple[Event, int | None, int | None, str | None]
"""An event to write: its round, when it happened (None: now), its id (None: one that no one can guess)."""


def _write(desk: Desk, state: ObservedTable, person: str, events: Sequence[Written]) -> int:
    """Append events, all or none, after the opening of the gaming day of entry; return how many are new."""
    now_us = desk.now_us()
    day = max(desk.today(), state.gaming_day)
    written = list(events)
    if day != state.gaming_day:
        written.insert(0, (model.GamingDayOpened(gaming_day=day), None, None, None))
    source = source_of(person)
    drafts = [
        Draft(
            event_id=event_id or secrets.token_hex(16),
            source=source,
            source_seq=seq,
            occurred_at_us=now_us if at_us is None else at_us,
            round_no=round_no,
            payload=event,
        )
        for seq, (event, round_no, at_us, event_id) in enumerate(written, state.seq + 1)
    ]
    desk.log.append(state.stream, state.seq + 1, drafts)
    return len(events)


def source_of(person: str) -> str:
    """Return the source of what a person enters; the whole id is in the event.

    >>> source_of("s.kane"), len(source_of("a" * 40))
    ('observer-s-kane', 32)
    """
    return f"observer-{''.join(each if each.isalnum() else '-' for each in person)}"[:32]
