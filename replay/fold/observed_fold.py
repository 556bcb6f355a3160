"""Folds `observed/<table>`: rounds that people entered, each into a `Round` of its own.

The idea that makes it simple: an observed round is alone. `round_observed` opens it, the events of its number follow, and
`round_closed` ends it. Each is folded as the only round of a table, with only its pinned rules and the observer's named dealer,
so neither the table nor another entry affects it. If the order of actions was not seen, the usual one is assumed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from events.vocabulary import model
from events.vocabulary.codec import as_json, decode_payload
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from events.vocabulary.upcast import upcast
from replay.fold.corrections import Correction, Replacements, correction
from replay.fold.record_faults import RecordFault
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import RulesOnFile, TableState

NO_DECK = "not-seen"
"""The deck of a round whose observer names none."""

Entered = TypeVar("Entered")

DURING_PLAY = frozenset({"raise", "over", "under"})
"""Wagers that are placed after the deal."""

ON_THE_DICE = frozenset({"sum", "match", "beat_it"})
"""Wagers that are settled before the deal (§ 645c.2(h))."""

MOVED = (model.WagerTaken, model.WagerPaid, model.WagerReturned)

MADE_READY: Final[Sequence[type[Event]]] = (
    *(model.CardsShuffled, model.CutOffered, model.CardsCut, model.RecutOrdered),
    *(model.CoverCardPlaced, model.PlayerDealerOffered),
)

_USUAL_ORDER: Final[Sequence[Sequence[type[Event]]]] = (
    MADE_READY,
    (model.PlayerDealerWagered, model.WagerPlaced, model.WagerRemoved, model.WagerRefused),
    (model.NoMoreBets, model.LammerPlaced, model.ProgressiveAccepted),
    (model.ProgressiveLocked, model.MysteryHit),
    (model.ShakerActivated, model.ShakerShaken, model.PileSelected),
    (model.DiceRolled, model.NumberDrawn),
    (model.TotalAnnounced, model.DiceAnnounced, model.StartAnnounced, model.ActionButtonPlaced),
    (model.CardFoundFaceUp,),
    (model.CardsDealt, model.StackMoved),
    (model.StubCounted, model.ShakerCovered),
    (model.CardExposed,),
    (model.HandElected,),
    (model.HandExamined,),
    (model.HandSet,),
    (model.HandReset, model.DecisionMade, model.Surrendered),
    (model.HandRevealed,),
    (model.ResultAnnounced, model.EnvyAcknowledged, model.LightSeen),
    (model.ProgressiveWon, model.PayoutValidated, model.RoundVoided),
    (*MOVED, model.VigorishTaken, model.EnvyPaid, model.PayoutDocumented),
    (model.CardsCollected,),
    (model.RoundClosed,),
)
"""The usual order of a round, in steps: wagers, start, deal, play, verification, settlement, the rack."""

_PLACES: Final = {each: 2 * step for step, kinds in enumerate(_USUAL_ORDER) for each in kinds}
_BEFORE_THE_DEAL: Final = _PLACES[model.CardsDealt] - 1
_AFTER_THE_DEAL: Final = _PLACES[model.CardsDealt] + 1
_PLAY: Final = _PLACES[model.DecisionMade]
"""The place of what has none of its own."""

IN_PASSING: Final[tuple[type[Event], ...]] = (
    *MADE_READY,
    model.PatronSeated,
    model.PatronLeft,
    model.WagerAbandoned,
    model.DeviceFailed,
    model.DeviceAlarmed,
    model.DeviceCovered,
    model.DeviceRestored,
    model.CoverCardReached,
    model.CardBurned,
    model.CardDrawnInError,
    model.BoxedCardFound,
)
"""Events that stay with the one entered before them: patrons come and go, and devices fail, at any time; a deck is made ready
for this round or, after its cards, for the next; and a card is found at its place in the deal."""


class ObservedEntry:
    """One observed round as entered: its header, its events, and the corrections of either.

    `is_repeated`: its number was opened again; later events with that number are not judged (D780).
    """

    def __init__(self, opened: ReadEnvelope[Event], header: model.RoundObserved) -> None:
        self.opened, self.header = opened, header
        self.events: list[ReadEnvelope[Event]] = []
        self.corrections: list[ReadEnvelope[Event]] = []
        self.faults: list[RecordFault] = []
        self.is_repeated = False

    @property
    def round_no(self) -> int:
        """The number of the round in its stream."""
        return self.opened.round_no or 0

    def round(self, rules: RulesOnFile | None, editions: tuple[str, ...] = ()) -> tuple[Round, Mapping[int, int]]:
        """Return the round, and for each event its number in the round → its recorded number, if the usual order differs."""
        header = self.header
        state = TableState(dealer=header.dealer or "", rules=[rules] if rules is not None else [], editions=editions)
        fold = TableFold(self.opened.stream, state)
        fold.replacements = {}
        opening = model.RoundOpened(deck=header.deck or NO_DECK, observed=header.observed)
        events, numbers = list(self.events), dict[int, int]()
        if not header.order_seen:
            events = in_usual_order(events, lambda each: each.payload)
        in_place = [each.seq for each in events]
        if in_place != sorted(in_place):
            numbers = dict(zip(sorted(in_place), in_place, strict=True))
        opened_us = self.opened.occurred_at_us
        round_: Round | None = None
        for count, event in enumerate([msgspec.structs.replace(self.opened, payload=opening), *events], 1):
            given = msgspec.structs.replace(
                event,
                gaming_day=header.played_gaming_day,
                source="observer",
                source_seq=count,
                occurred_at_us=event.occurred_at_us if header.order_seen else opened_us,
                seq=event.seq if count == 1 or not numbers else sorted(numbers)[count - 2],
            )
            fold.apply(given)
            round_ = round_ or fold.open
        fold.leave()
        assert round_ is not None
        round_.order_seen = header.order_seen
        for each in self.corrections:
            round_.add(RecordedEvent.of(each))
        for fault in self.faults:
            round_.add_record_fault(fault)
        round_.finish_index()
        return round_, {number: true for number, true in numbers.items() if number != true}


def place_of_line(lines: Sequence[tuple[int, Event | None]], after_seq: int) -> int:
    """Return the place of an added line in an entry: after the line that it names, and before the end of the round.

    >>> place_of_line([(4, model.CutOffered(accepted=True, seat=1)), (5, model.RoundClosed(by="x"))], 9)
    1
    """
    end = next((place for place, (_, event) in enumerate(lines) if isinstance(event, model.RoundClosed)), len(lines))
    exact = [place for place, (seq, _) in enumerate(lines) if seq == after_seq]
    before = [place for place, (seq, _) in enumerate(lines) if seq <= after_seq]
    return min(end, max(exact or before, default=-1) + 1)


def added_line(event: model.EntryLineAdded) -> Event:
    """Return the line that was added to an entry, in its current version."""
    return upcast(decode_payload(event.line.type, event.line.version, as_json(event.line.payload)))


def in_usual_order(entered: Sequence[Entered], payload: Callable[[Entered], Event]) -> list[Entered]:
    """Return the events of a round in the usual order, those of one place as they are (D902)."""
    places = [0]
    for each in entered:
        event = payload(each)
        places.append(places[-1] if isinstance(event, IN_PASSING) else usual_place(event))
    order = sorted(range(len(entered)), key=lambda index: places[index + 1])
    return [entered[index] for index in order]


def usual_place(event: Event) -> int:
    """Return the place of an event in the usual order of a round."""
    if isinstance(event, model.WagerPlaced) and event.wager in DURING_PLAY:
        return _PLAY
    if isinstance(event, MOVED) and event.wager in ON_THE_DICE:
        return _BEFORE_THE_DEAL
    if isinstance(event, model.CardsDealt):
        aside = {"side": _AFTER_THE_DEAL, "burn": _BEFORE_THE_DEAL}
        at_first = _PLACES[model.ProgressiveLocked] + 1  # a pile is selected before the start is known (GEGR-002138)
        return at_first if str(event.to).startswith("pile") else aside.get(str(event.to), _PLACES[model.CardsDealt])
    place = _PLACES.get(event.KIND, _PLAY)
    return place - 1 if isinstance(event, model.HandRevealed) and event.position == "dealer" else place


class ObservedFold:
    """The fold of one stream of observed rounds. `apply` returns the entries that an event completes.

    `needs_refold` is set by a correction, and by an event of an entry that is complete: the stream is folded again then, with the
    corrections in force as `replacements` (by the number of the event) and the `objections` to the others; the entries are
    complete at the end of that (`entries`).
    """

    def __init__(self, stream: str, last_round_no: int = 0) -> None:
        self.stream, self.last_round_no = stream, last_round_no
        self.open: ObservedEntry | None = None
        self.replacements: Replacements | None = None
        self.objections: Mapping[int, str] = {}
        self.corrections: list[Correction] = []
        self.editions: tuple[str, ...] = ()
        """The amendments that the property published, each whole."""
        self.needs_refold = False
        self._entries: dict[int, ObservedEntry] = {}
        self._home: dict[int, int] = {}
        """While the stream is folded again: number of an event → of the round that it is of."""

    def apply(self, event: ReadEnvelope[Event]) -> Sequence[ObservedEntry]:
        """Apply an event; return the entries that it completes. During a refold there are none."""
        if isinstance(event.payload, model.EventCorrected):
            self._correct(event, event.payload)
            return []
        if isinstance(event.payload, model.ChapterPublished):
            self._publish(event.payload)
            return []
        if self.replacements is not None:
            self._collect(event)
            return []
        if isinstance(event.payload, model.RoundObserved):
            return self._begin(event, event.payload)
        if isinstance(event.payload, model.EntryLineAdded):
            self.needs_refold = True
            return []
        entry = self.open
        if event.round_no is None or isinstance(event.payload, model.EntryConfirmed):
            return []
        if entry is None or event.round_no != entry.round_no:
            self.needs_refold = True
            return []
        entry.events.append(event)
        if not isinstance(event.payload, model.RoundClosed):
            return []
        return self._end()

    def _publish(self, edition: model.ChapterPublished) -> None:
        """Record an amendment: entries of any day may be subject to it."""
        if edition.toml not in self.editions:
            self.editions = (*self.editions, edition.toml)
            self.needs_refold = self.replacements is None and (self.open is not None or self.last_round_no > 0)

    def _begin(self, event: ReadEnvelope[Event], header: model.RoundObserved) -> Sequence[ObservedEntry]:
        ended = self._end()
        if (event.round_no or 0) <= self.last_round_no:
            self.needs_refold = True
            return ended
        self.open = ObservedEntry(event, header)
        return ended

    def _end(self) -> Sequence[ObservedEntry]:
        ended, self.open = self.open, None
        if ended is None:
            return []
        self.last_round_no = ended.round_no
        return [ended]

    def _correct(self, event: ReadEnvelope[Event], payload: model.EventCorrected) -> None:
        self.corrections.append(correction(event.seq, payload))
        if self.replacements is None:
            self.needs_refold = True
            return
        number = self._home.get(payload.supersedes_seq, event.round_no or 0)
        entry = self._entries.get(number)
        self._home[event.seq] = number
        if entry is None:
            return
        if self.objections.get(event.seq):
            entry.faults.append(RecordFault("correction", event.source, event.seq, self.objections[event.seq]))
        elif event.seq not in self.objections:
            entry.corrections.append(event)

    def _collect(self, event: ReadEnvelope[Event]) -> None:
        """Add an event to its entry, as corrected."""
        assert self.replacements is not None
        number, added = event.round_no or 0, event.payload
        self._home[event.seq] = number
        if isinstance(added, model.EntryLineAdded):
            event = msgspec.structs.replace(event, payload=added_line(added))
        if event.seq in self.replacements:
            substitute = self.replacements[event.seq]
            if substitute is None or substitute[0] not in (None, number):
                return
            event = msgspec.structs.replace(event, payload=substitute[1])
        entry = self._entries.get(number)
        if isinstance(event.payload, model.RoundObserved):
            if entry is None:
                self._entries[number] = ObservedEntry(event, event.payload)
                self.last_round_no = max(self.last_round_no, number)
            else:
                detail = f"round {number} was opened by event {entry.opened.seq} and again by event {event.seq}"
                entry.faults.append(RecordFault("round", event.source, event.seq, detail))
                entry.is_repeated = True
        elif entry is None or entry.is_repeated or event.round_no is None:
            return
        elif isinstance(added, model.EntryLineAdded):
            place = place_of_line([(each.seq, each.payload) for each in entry.events], added.after_seq)
            entry.events.insert(place, event)
        elif not isinstance(event.payload, model.EntryConfirmed):
            entry.events.append(event)

    def entries(self) -> list[ObservedEntry]:
        """Return, after the last record of a stream that was folded again, its entries; go on as any other fold."""
        self.replacements, self.needs_refold = None, False
        entries, self._entries, self._home = list(self._entries.values()), {}, {}
        return entries
