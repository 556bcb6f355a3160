"""The content of a table's stream of observations: the observations and their rounds, as corrected. Pure.

Corrections, added lines and confirmations are applied; verdicts are stored elsewhere (`verdict_of`).
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

import msgspec

from desk.review.persons import ReviewRefused
from desk.review.stored_events import event_of
from events.log.contract import EventLog, ResultStore
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Envelope, ReadEnvelope, unlogged
from events.vocabulary.model import Event, EventCorrected, EventCorrected2
from replay.findings import Adjudication, read_result
from replay.fold.corrections import correction, counting
from replay.fold.observed_fold import ObservedEntry, added_line, place_of_line
from replay.narrative.names import utc
from replay.narrative.reviews import recorded_by

LATER = (
    model.ChapterPublished,
    model.EntryConfirmed,
    model.EntryLineAdded,
    model.ObservationOpened,
    model.ObservationClosed,
    model.VerdictUnveiled,
    model.RoundUnreadable,
    model.GamingDayOpened,
    EventCorrected,
)
"""The events of a stream of observed rounds that are no line of an entry."""


class EnteredRound(msgspec.Struct, kw_only=True):
    """An entered round: its header and its events by number, each as corrected (None: struck), in order.

    `is_unveiled`: in an audit, the observer saw the amount due before typing the payment.
    """

    round_no: int
    seq: int
    header: model.RoundObserved
    entered_us: int
    lines: dict[int, Envelope]
    counts: dict[int, Event | None]
    is_withdrawn: bool = False
    is_unveiled: bool = False
    confirmed_by: list[str] = []
    corrected_by: str = ""
    """Who corrected it last, or added a line to it."""

    @property
    def last_seq(self) -> int:
        """The number of the last event of the entry."""
        return max(self.lines)


class Observation(msgspec.Struct, kw_only=True):
    """An observation: its opening, its end (None: it goes on), and the numbers of its rounds."""

    opened: model.ObservationOpened
    opened_seq: int
    closed: model.ObservationClosed | None = None
    rounds: list[int] = []
    unreadable: dict[int, model.RoundUnreadable] = {}
    """The selected times or frame numbers that cannot be read."""

    @property
    def basis(self) -> str:
        """The basis of its rounds: `sampled`, `for_cause` or `dispute`."""
        if self.opened.purpose == "dispute":
            return "dispute"
        is_sample = self.opened.selection != "for_cause" and self.opened.purpose != "for_cause"
        return "sampled" if is_sample else "for_cause"


class ObservedTable:
    """The observations and entered rounds of a table. Raises an `IntegrityError` if the stream is broken."""

    def __init__(self, log: EventLog, table: str) -> None:
        self.table, self.stream = table, f"observed/{table}"
        self.seq, self.gaming_day = 0, ""
        self.rounds: dict[int, EnteredRound] = {}
        self.observations: dict[str, Observation] = {}
        self.editions: set[str] = set()
        """The amendments of chapters that are here, each whole."""
        self._unveiled: set[tuple[str, str]] = set()
        self.ids: dict[str, int] = {}
        """Id of the opening of an entry → its round number."""
        events: dict[int, Envelope] = {}
        for record in log.read(self.stream) if self.stream in log.streams() else ():
            event = event_of(record, decode)
            self.seq, self.gaming_day = event.seq, event.gaming_day
            events[event.seq] = event
        made = [correction(seq, each.payload) for seq, each in events.items() if isinstance(each.payload, EventCorrected)]
        self._corrected = counting(made, {seq: each.event_id for seq, each in events.items()})
        for event in events.values():
            self._take(event)
            if isinstance(event.payload, EventCorrected2 | model.EntryLineAdded) and event.round_no in self.rounds:
                self.rounds[event.round_no].corrected_by = event.payload.by

    def basis(self, entered: EnteredRound) -> str:
        """Return the basis of a round; a round entered outside an observation, or before it began, is for cause."""
        found = self.observations.get(entered.header.observation or "")
        return "for_cause" if found is None or found.opened_seq > entered.seq else found.basis

    def _take(self, event: Envelope) -> None:
        payload, number = event.payload, event.round_no or 0
        entered = self.rounds.get(number)
        match payload:
            case model.ChapterPublished():
                self.editions.add(payload.toml)
            case model.ObservationOpened():
                self.observations.setdefault(payload.observation, Observation(opened=payload, opened_seq=event.seq))
            case model.ObservationClosed() if payload.observation in self.observations:
                self.observations[payload.observation].closed = payload
            case model.RoundUnreadable() if payload.observation in self.observations:
                self.observations[payload.observation].unreadable[payload.selected] = payload
            case model.VerdictUnveiled():
                self._unveiled.add((payload.observation, payload.by))
            case model.EntryLineAdded() if entered is not None:
                _insert(entered, event, added_line(payload) if event.seq not in self._corrected else self._counting(event))
            case model.RoundObserved() if entered is None:
                counts = self._counting(event)
                header = counts if isinstance(counts, model.RoundObserved) else payload
                self.ids[event.event_id] = number
                self.rounds[number] = EnteredRound(
                    round_no=number,
                    seq=event.seq,
                    header=header,
                    entered_us=event.recorded_at_us,
                    lines={event.seq: event},
                    counts={event.seq: counts},
                    is_withdrawn=counts is None,
                    is_unveiled=(payload.observation or "", payload.by) in self._unveiled,
                )
                self._unveiled.discard((payload.observation or "", payload.by))
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

    def next_seq(self, today: str) -> int:
        """Return the number of the next event; opening a gaming day may come before it."""
        return self.seq + 1 + (max(today, self.gaming_day) != self.gaming_day)

    def round(self, round_no: int) -> EnteredRound:
        """Return an entered round by its number. Raises `ReviewRefused` if none exists."""
        found = self.rounds.get(round_no)
        if found is None:
            known = f"it has 1 to {max(self.rounds)}" if self.rounds else "it has none"
            raise ReviewRefused(f"{self.stream} has no round {round_no}; {known}")
        return found

    def records_of(self, numbers: Sequence[int]) -> list[list[EnteredRound]]:
        """Return the entries that are not withdrawn, a list for each round of play (another observer's is of the same round)."""
        records: dict[tuple[str, int], list[EnteredRound]] = {}
        for entered in (self.rounds[number] for number in numbers):
            if not entered.is_withdrawn:
                records.setdefault(self._first_record(entered), []).append(entered)
        return list(records.values())

    def _first_record(self, entered: EnteredRound) -> tuple[str, int]:
        same = entered.header.same_as
        if same is None:
            return self.stream, entered.round_no
        if same.stream == self.stream and same.round_no in self.rounds and same.round_no < entered.round_no:
            return self._first_record(self.rounds[same.round_no])
        return same.stream, same.round_no

    def observation(self, name: str) -> Observation:
        """Return an observation by its id. Raises `ReviewRefused` if none exists."""
        if name not in self.observations:
            raise ReviewRefused(f"{self.stream} has no observation {name!r}; it has {', '.join(self.observations) or 'none'}")
        return self.observations[name]

    def unclosed(self, name: str) -> Observation:
        """Return an observation that is not closed. Raises `ReviewRefused` if none exists."""
        found = self.observation(name)
        if found.closed is not None:
            raise ReviewRefused(f"observation {name} was closed by {found.closed.by}")
        return found


def _insert(entered: EnteredRound, event: Envelope, counts: Event | None) -> None:
    """Insert an added line into an entry."""
    assert isinstance(event.payload, model.EntryLineAdded)
    lines = [(seq, line.payload) for seq, line in entered.lines.items()]
    place = max(1, place_of_line(lines, event.payload.after_seq))
    order = [seq for seq, _ in lines]
    order.insert(place, event.seq)
    all_lines, all_counts = entered.lines | {event.seq: event}, entered.counts | {event.seq: counts}
    entered.lines = {seq: all_lines[seq] for seq in order}
    entered.counts = {seq: all_counts[seq] for seq in order}


def verdict_of(results: ResultStore, key: str) -> Adjudication | None:
    """Return the verdict on a round by its key (`observed/fu-01#17`); None if it is not judged yet."""
    data = results.latest("adjudications", key)
    return None if data is None else read_result("adjudications", key, data, Adjudication)


def as_entry(entered: EnteredRound) -> ObservedEntry:
    """Return an entered round in the form that replay folds, with its corrections."""
    opened = entered.lines[entered.seq]
    entry = ObservedEntry(_as_read(opened, entered.header), entered.header)
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


def recorded(entered: EnteredRound, time: Callable[[int], str] = utc) -> str:
    """Return who recorded a round, the source, and the times of entry and play, in words."""
    return recorded_by(entered.header, entered.entered_us, entered.confirmed_by, time)


# ------------------------------------------------------------------------------------------------------- what was selected


def drawn(opened: model.ObservationOpened) -> list[int]:
    """Return the values of a random selection in order: numbers of rounds in a counted frame, else times (UTC microseconds).

    Anybody can repeat the draw from the seed: value n is SHA-256("rack/draw/v1/<seed>/<n>") modulo the size of the frame;
    repeated values are skipped.
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


class Selected(msgspec.Struct, frozen=True, kw_only=True):
    """A task of an observation: the selected time or number (None: any), and its entry or why it is unreadable."""

    at: int | None
    round_no: int | None = None
    unreadable: str | None = None


def work_of(state: ObservedTable, observation: Observation) -> list[Selected]:
    """Return the tasks of an observation in order, each with its entry if it exists.

    An entry belongs to the last drawn time at or before its play. If its time is unknown, or before every free drawn time, it
    belongs to the first without an entry. If nothing was drawn, the tasks are the entries and as many open ones as planned.
    """
    selected, rounds = drawn(observation.opened), [first for first, *_ in state.records_of(observation.rounds)]
    taken: dict[int, int] = {}
    later = []
    for entered in rounds:
        begins = entered.header.played_from_us if observation.opened.frame_rounds is None else None
        fits = [at for at in selected if begins is not None and at <= begins]
        free = [at for at in fits[-1:] if at not in taken and at not in observation.unreadable]
        if free:
            taken[free[0]] = entered.round_no
        else:
            later.append(entered.round_no)
    for at in selected:
        if later and at not in taken and at not in observation.unreadable:
            taken[at] = later.pop(0)
    reasons = {at: each.reason for at, each in observation.unreadable.items()}
    work = [Selected(at=at, round_no=taken.get(at), unreadable=reasons.get(at)) for at in selected or sorted(reasons)]
    work += [Selected(at=None, round_no=number) for number in later]
    planned = max(0, observation.opened.planned - len(work)) if observation.closed is None else 0
    return [*work, *(Selected(at=None) for _ in range(planned))]
