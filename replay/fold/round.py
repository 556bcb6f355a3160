"""A round of play: its recorded events in order, indexed by type, and the state of the table when the round opened."""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import Any, Literal

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event
from replay.fold.phases import TABLE
from replay.fold.record_faults import RecordFault
from replay.fold.recorded_event import RecordedEvent, distinct_by, in_order, is_of_people
from replay.fold.shoe_state import LEAVES_THE_SHOE, Left, Place
from replay.fold.table_state import MAKING_READY, TableState
from rulebook.cards.cards import READ

Position = int | Literal["dealer"]

Question = tuple[str, int]
"""A question that the record leaves open: its kind, and the number of the event that it is about."""

SEEN = (model.CardExposed, model.CardFoundFaceUp)
"""What shows a card, at a time that a round without order does not claim."""

ASIDE = frozenset(("burn", "side", *(f"pile-{number}" for number in range(1, 8))))
"""Where cards are dealt that no one plays."""


NO_FACTS: dict[type[Event], list[RecordedEvent]] = {type_: [] for type_ in TABLE}
"""The index of no facts: every event of the vocabulary, with an empty list that nothing is ever put in."""


WHOLE_HAND = 5
"""The fewest cards that are a whole hand of a single deck."""


FOR_THE_DEALER = "dealer"
"""The bettor of a wager that a patron places at the own box for the dealer."""


OF_A_BETTOR = (model.WagerPlaced, model.WagerRemoved, model.WagerRefused, model.WagerTaken, model.WagerPaid, model.WagerReturned)
"""The acts on a bettor's wagers."""


def _of_patron(fact: RecordedEvent, owners: Mapping[int, str]) -> RecordedEvent:
    event = fact.payload
    if event.bettor != FOR_THE_DEALER or event.seat not in owners:
        return fact
    return msgspec.structs.replace(fact, payload=msgspec.structs.replace(event, bettor=owners[event.seat]))


class Round:
    """A round of play at a table: its facts in order, and what the table was when it opened.

    `of` gives the facts of a type, in order, as they are in `by_type` (which has every type of the vocabulary). `derived` is
    where `derived.py` keeps the facts derived from the round, until the round changes.
    `first_card` and `last_card` are the first and last card (or stack) dealt to a position, not burnt or laid aside.
    `answers` holds the answers that a reading of the round assumes to questions that the record leaves open (`reading`).
    `numbers`: of facts that are elsewhere than in the log, `seq` → number in the log (`device_order.py`).
    `share` is how many readings of the round are settled: each may take so small a part of what all of them may cost (D782).
    `order_seen`: the order of its facts is that of what was done; of an observed round the observer may not claim it.
    `is_repeat`: a second record under the number of a round that was opened before, which is not judged (D780).
    """

    def __init__(self, stream: str, round_no: int, opened: RecordedEvent, gaming_day: str, before: TableState) -> None:
        self.stream, self.round_no, self.gaming_day = stream, round_no, gaming_day
        self.opened, self.before = opened, before
        self.facts: list[RecordedEvent] = []
        self._begin_index()
        self.closed: RecordedEvent | None = None
        self.strays: list[RecordedEvent] = []
        self.record_faults: list[RecordFault] = []
        self.refusals: list[RecordedEvent] = []
        self.answers: Mapping[Question, bool] = {}
        self.numbers: Mapping[int, int] = {}
        self.is_repeat = False
        self.order_seen = True
        self.share = 1
        opening: model.RoundOpened = opened.payload
        self.deck = opening.deck
        self._observed = frozenset(opening.observed)
        self.add(opened)

    def _begin_index(self) -> None:
        """Begin the index again."""
        self.forget()
        self.first_card: RecordedEvent | None = None
        self.by_type = NO_FACTS.copy()
        self.of: Callable[[type[Event]], Sequence[RecordedEvent]] = self.by_type.__getitem__

    def forget(self) -> None:
        """Forget the derived facts: the round, or what it rests on, has changed."""
        self.derived: dict[Callable[..., object], Any] = {}
        self._hands: Mapping[Position, list[int | None]] | None = None

    def add(self, fact: RecordedEvent) -> None:
        """Add a fact to the round, in its order."""
        self.forget()
        self.facts.append(fact)
        self.index(fact)

    def index(self, fact: RecordedEvent) -> None:
        """Index a fact by what it states."""
        payload, type_ = fact.payload, fact.payload.KIND
        same = self.by_type[type_]
        if same:
            same.append(fact)
        else:
            self.by_type[type_] = [fact]
        if type_ is model.CardsDealt and self.first_card is None and payload.to not in ASIDE:
            self.first_card = fact

    def replace(self, seq: int, payload: Event | None) -> bool:
        """Put a correction's payload in a fact's place, or drop the fact if it is None; return whether the fact was here."""
        index = next((i for i, fact in enumerate(self.facts) if fact.seq == seq), None)
        if index is None:
            return False
        old = self.facts[index]
        self.facts[index : index + 1] = [] if payload is None else [msgspec.structs.replace(old, payload=payload)]
        self._begin_index()
        for fact in self.facts:
            self.index(fact)
        self.finish_index()
        return True

    def reading(self, answers: Mapping[Question, bool], without: Collection[RecordedEvent] = (), *, share: int = 1) -> "Round":
        """Return the round as it reads with these answers, without some of its facts; one of this many readings (`share`)."""
        read = copy(self)
        read.answers = {**self.answers, **answers}
        read.share = self.share * share
        read.forget()
        left_out = {fact.seq: fact for fact in without}
        return read.made_of([fact for fact in self.facts if left_out.get(fact.seq) != fact]) if without else read

    def made_of(self, facts: Sequence[RecordedEvent]) -> "Round":
        """Return the round with these facts in place of its own; the round itself does not change."""
        read = copy(self)
        read.facts = list(facts)
        read._begin_index()
        for fact in read.facts:
            read.index(fact)
        read.finish_index()
        return read

    def so_far(self) -> "Round":
        """Return a finished copy of an open round; the round itself and its derived facts do not change."""
        read = self.reading({})
        read.by_type = self.by_type.copy()
        read.of = read.by_type.__getitem__
        read.finish_index()
        return read

    def end(self, closed: RecordedEvent | None) -> None:
        """End the round; `closed` is the fact that closed it, None if none did."""
        self.forget()
        self.closed = closed
        self.finish_index()

    def add_record_fault(self, fault: RecordFault) -> None:
        """Add a fault of the record to the round."""
        self.forget()
        self.record_faults.append(fault)

    def add_stray(self, fact: RecordedEvent) -> None:
        """Add a fact that may belong to this round or to another."""
        self.forget()
        self.strays.append(fact)

    def finish_index(self) -> None:
        """Index the facts as they count next to each other, once all are here; again, it changes nothing."""
        self._drop_repeated_deals()
        for moved in self.of(model.StackMoved):
            self._move_stack(moved)
        if any(fact.payload.bettor == FOR_THE_DEALER for fact in self.of(model.WagerPlaced)):
            self._give_to_the_box()

    def _move_stack(self, moved: RecordedEvent) -> None:
        """Count the cards set down last at a position as dealt to the one that they were moved to (D755)."""
        at, to = moved.payload.at, moved.payload.to
        old = next((f for f in reversed(self.of(model.CardsDealt)) if f.payload.to == at and f.seq < moved.seq), None)
        if old is None:
            return
        self.forget()
        cards = model.fact(model.CardsDealt, cards=old.payload.cards, face_up=old.payload.face_up, to=to)
        new = msgspec.structs.replace(old, payload=cards)
        self.by_type[model.CardsDealt] = [new if fact is old else fact for fact in self.of(model.CardsDealt)]
        if self.first_card is not None and self.first_card.seq == old.seq:
            self.first_card = new

    def _give_to_the_box(self) -> None:
        """Count a bet for the dealer as a wager of the patron who wagers at that box (D756)."""
        owners = {
            fact.payload.seat: fact.payload.bettor
            for fact in reversed(self.of(model.WagerPlaced))
            if fact.payload.bettor != FOR_THE_DEALER
        }
        self.forget()
        for type_ in OF_A_BETTOR:
            self.by_type[type_] = [_of_patron(fact, owners) for fact in self.of(type_)]

    def _drop_repeated_deals(self) -> None:
        """Count a whole hand of a single deck that is reported again, card for card, as dealt once (D353)."""
        dealt = self.of(model.CardsDealt)
        if len({fact.payload.to for fact in dealt}) == len(dealt):
            return
        whole = [fact for fact in dealt if len(fact.payload.cards) >= WHOLE_HAND and None not in fact.payload.cards]
        once = {(fact.payload.to, *fact.payload.cards): fact for fact in reversed(whole)}
        if len(once) < len(whole):
            self.forget()
            self.by_type[model.CardsDealt] = [fact for fact in dealt if fact in once.values() or fact not in whole]

    def first(self, type_: type[Event]) -> RecordedEvent | None:
        """Return the first fact of a type."""
        facts = self.by_type[type_]
        return facts[0] if facts else None

    def last(self, type_: type[Event]) -> RecordedEvent | None:
        """Return the last fact of a type."""
        facts = self.by_type[type_]
        return facts[-1] if facts else None

    def in_order(self, *types: type[Event]) -> list[RecordedEvent]:
        """Return the facts of several types, in the order of the log."""
        return in_order([fact for type_ in types for fact in self.by_type[type_]])

    @property
    def last_card(self) -> RecordedEvent | None:
        """The last card (or stack) dealt to a position, or None."""
        for fact in reversed(self.of(model.CardsDealt)):
            if fact.payload.to not in ASIDE:
                return fact
        return None

    @property
    def dealer(self) -> str:
        """Who dealt: the dealer at the table when the first card was dealt. Without a card, the one at the opening, or else the
        first who came; empty if a message that was lost or late may name another (D1191).
        """
        came, first = self.of(model.DealerTappedIn), self.first_card
        dealt = [fact for fact in came if first is not None and fact.seq < first.seq]
        late = {each.payload.TYPE for fault in self.record_faults if fault.kind == "late" for each, _ in fault.arrived}
        is_unknown = "dealer" in self.before.lost or model.DealerTappedIn.TYPE in {*self.before.late, *late}
        before = "" if is_unknown else self.before.dealer
        if not dealt and first is None and not before:
            dealt = list(came[:1])
        return dealt[-1].payload.dealer if dealt else before

    @property
    def found_face_up(self) -> list[RecordedEvent]:
        """The cards of a single deck that were found face up: one that is reported twice was found once."""
        found = self.of(model.CardFoundFaceUp)
        unread = [fact for fact in found if fact.payload.card is None]
        return [*distinct_by((fact for fact in found if fact not in unread), "card"), *unread] if found else []

    @property
    def boxed_aside(self) -> list[RecordedEvent]:
        """The cards that lay the wrong way, not face up, and were set aside (D757)."""
        return [fact for fact in self.of(model.BoxedCardFound) if not fact.payload.used]

    @property
    def rolls(self) -> list[RecordedEvent]:
        """The rolls of the dice: one that is reported again in the same words, with no shake between, was rolled once (D550)."""
        rolls: list[RecordedEvent] = []
        for fact in self.in_order(model.DiceRolled, model.ShakerShaken, model.ShakerActivated):
            if not rolls or fact.payload != rolls[-1].payload:
                rolls.append(fact)
        return [fact for fact in rolls if fact.payload.KIND is model.DiceRolled]

    @property
    def collections(self) -> list[RecordedEvent]:
        """The collections of cards into the rack; a repeated report of the same cards counts once (D550)."""
        collected = self.of(model.CardsCollected)
        aside = [fact for fact in collected if fact.payload.of == "aside"]
        return in_order([*distinct_by((f for f in collected if f not in aside), "of", "count", "counted", "deck"), *aside])

    @property
    def first_seq(self) -> int:
        """The number of the first event of the round: of its opening, or of one that arrived before it."""
        return min(fact.seq for fact in self.facts)

    @property
    def last_seq(self) -> int:
        """The number of the last event of the round so far."""
        return max(self.facts[-1].seq, self.opened.seq, self.closed.seq if self.closed else 0)

    @property
    def lost(self) -> bool:
        """Whether evidence of this round was lost on the way: then the absence of an event means nothing (D26)."""
        return bool(self.refusals or self.record_faults or self.strays) and bool(self.lost_by)

    @property
    def lost_by(self) -> frozenset[str]:
        """The devices that lost evidence of this round; of a second record of a round all that report in it, for none counts."""
        if self.is_repeat:
            return frozenset(fact.source for fact in self.facts)
        gaps = {fault.source for fault in self.record_faults if fault.kind == "gap" and fault.missing}
        return frozenset(gaps | {fact.source for fact in (*self.strays, *self.refusals)})

    def covers(self, aspect: Aspect) -> bool:
        """Return whether the absence of an event in this aspect means that it did not happen (D26, D402)."""
        if self.lost or (self.before.after_loss and aspect in MAKING_READY):
            return False
        return aspect in self._observed

    @property
    def voided(self) -> RecordedEvent | None:
        """The fact that declared the whole round void, or None."""
        facts = self.by_type[model.RoundVoided]
        return next((fact for fact in facts if fact.payload.scope == "round"), None) if facts else None

    def hands(self) -> Mapping[Position, list[int | None]]:
        """Return the cards dealt to each position, in the order dealt; a card that was not read is None."""
        if self._hands is None:
            hands: dict[Position, list[int | None]] = {}
            for fact in self.of(model.CardsDealt):
                to = fact.payload.to
                if to in ASIDE:
                    continue
                hands.setdefault(to, []).extend(map(READ.__getitem__, fact.payload.cards))
            self._hands = hands
        return self._hands

    def number(self, seq: int) -> int:
        """Return the number in the log of the fact that is at a place in the round."""
        return self.numbers.get(seq) or self.before.numbers.get(seq, seq)

    def certainly_before(self, earlier: RecordedEvent, later: RecordedEvent) -> bool | None:
        """Return whether one fact came before another; None if two devices' clocks contradict the order (D26).

        Of one device the own numbers decide, whatever its clock says; None if they contradict the order. Without
        order it is not claimed when a card was exposed or found face up (D1313, D1360).
        """
        if not self.order_seen and isinstance(earlier.payload, SEEN) | isinstance(later.payload, SEEN):
            return None
        in_order = earlier.seq < later.seq
        if earlier.source == later.source and earlier.source_seq != later.source_seq and not is_of_people(earlier.source):
            return in_order if (earlier.source_seq < later.source_seq) == in_order else None
        if earlier.at_us != later.at_us and (earlier.at_us < later.at_us) != in_order:
            return None
        return in_order


def from_the_shoe(round_: Round) -> tuple[Sequence[tuple[int, Left]], tuple[int, Place] | None]:
    """Return the cards that left the shoe in a round and where the cover card appeared, each with the number of its event."""
    reached = round_.last(model.CoverCardReached)
    left = [(fact.seq, fact.payload) for fact in round_.in_order(*LEAVES_THE_SHOE)]
    return left, (reached.seq, reached.payload.at) if reached is not None else None


def ended_after(seq: int, ended: Sequence[Round], open_: Round | None) -> list[Round]:
    """Return the rounds that ended after an event: with their closing, or else with the opening of the next."""
    later = []
    for round_, following in pairwise([*ended, open_]):
        assert round_ is not None
        end = round_.closed or (following.opened if following is not None else None)
        if end is None or end.seq > seq:
            later.append(round_)
    return later
